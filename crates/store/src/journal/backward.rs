//! A session's journal from its end: a chunk in memory at a time, however long it is. Writes
//! nothing.

use std::fs::File;

use super::read::Line;
use super::{FinishedPart, finished_parts, live};
use crate::StoreError;
use crate::files::Root;
use crate::sys;

/// How much is read at once, in bytes.
pub(super) const CHUNK_BYTES: usize = 16 * 1024;

/// The lines of a session's journal, newest first, damaged ones included.
#[derive(Debug)]
pub struct Backward<'a> {
    root: &'a Root,
    session: String,
    /// Whether a part was opened.
    is_begun: bool,
    /// Finished parts that are not begun yet, oldest first, once they are listed.
    parts: Option<Vec<FinishedPart>>,
    part: Option<Part>,
}

/// A part, read from its end.
#[derive(Debug)]
struct Part {
    name: String,
    file: File,
    /// Bytes before these are not read yet.
    begin: u64,
    /// What was read and is not handed on yet. It begins in the middle of a line.
    rest: Vec<u8>,
}

impl<'a> Backward<'a> {
    pub(crate) fn new(root: &'a Root, session: &str) -> Self {
        Self {
            root,
            session: session.to_owned(),
            is_begun: false,
            parts: None,
            part: None,
        }
    }

    /// The line before those that were handed on; nothing at the beginning.
    ///
    /// # Errors
    /// If a part cannot be read.
    pub fn next_line(&mut self) -> Result<Option<Line>, StoreError> {
        loop {
            if let Some(part) = &mut self.part
                && let Some(line) = part.next_line(self.root)?
            {
                return Ok(Some(line));
            }
            let Some(name) = self.next_part()? else {
                return Ok(None);
            };
            self.part = self.open(name)?;
        }
    }

    /// Leaves out what was written after this line, as far as that is known without reading it.
    ///
    /// # Errors
    /// If the parts cannot be listed.
    pub fn skip_after(&mut self, sequence: u64) -> Result<(), StoreError> {
        let mut parts = finished_parts(self.root, &self.session)?;
        // A part is named by the line that came after its last one.
        let holds = |part: &FinishedPart| part.next_sequence > sequence;
        if let Some(at) = parts.iter().position(holds) {
            parts.truncate(at + 1);
            self.is_begun = true;
            self.parts = Some(parts);
            self.part = None;
        }
        Ok(())
    }

    /// The name of the part before the one that was read.
    fn next_part(&mut self) -> Result<Option<String>, StoreError> {
        if !std::mem::replace(&mut self.is_begun, true) {
            return Ok(Some(live(&self.session)));
        }
        let parts = match &mut self.parts {
            Some(parts) => parts,
            // Most who read from the end never come here, so the directory is not listed before.
            parts => parts.insert(finished_parts(self.root, &self.session)?),
        };
        let name = parts.pop().map(|part| part.name);
        let is_read = match (&self.part, &name) {
            (Some(live), Some(name)) => live.is(self.root, name)?,
            _ => false,
        };
        // What was being written when it was opened may be finished by now.
        Ok(if is_read {
            parts.pop().map(|part| part.name)
        } else {
            name
        })
    }

    fn open(&self, name: String) -> Result<Option<Part>, StoreError> {
        let Some(file) = self.root.read(&name)? else {
            return Ok(None);
        };
        let metadata = file.metadata().map_err(self.root.failed("read", &name))?;
        Ok(Some(Part {
            begin: metadata.len(),
            name,
            file,
            rest: Vec::new(),
        }))
    }
}

impl Part {
    /// Whether a file that has this name now is the one that was opened.
    fn is(&self, root: &Root, name: &str) -> Result<bool, StoreError> {
        let identity = |file: &File| file.metadata().map(|data| sys::identity(&data)).ok();
        let named = root.read(name)?;
        Ok(named.is_some_and(|named| identity(&named) == identity(&self.file)))
    }

    /// The line before those that were handed on; nothing at the beginning of the part.
    fn next_line(&mut self, root: &Root) -> Result<Option<Line>, StoreError> {
        loop {
            if let Some(line) = self.pop() {
                return Ok(Some(Line::new(&line)));
            }
            if self.begin == 0 {
                let line = std::mem::take(&mut self.rest);
                return Ok((!line.is_empty()).then(|| Line::new(&line)));
            }
            self.read_on(root)?;
        }
    }

    /// The last line that is not empty, if its beginning was read.
    fn pop(&mut self) -> Option<Vec<u8>> {
        let end = self.rest.iter().rposition(|byte| *byte != b'\n');
        self.rest.truncate(end.map_or(0, |end| end + 1));
        let newline = self.rest.iter().rposition(|byte| *byte == b'\n')?;
        let line = self.rest.split_off(newline + 1);
        self.rest.truncate(newline);
        Some(line)
    }

    /// Reads the chunk before what was read. Chunks grow while no line ends in them.
    fn read_on(&mut self, root: &Root) -> Result<(), StoreError> {
        let size = CHUNK_BYTES.max(self.rest.len());
        let size = usize::try_from(self.begin).map_or(size, |begin| begin.min(size));
        let at = self.begin - size as u64;
        let mut chunk = vec![0; size];
        let count = sys::read_at(&self.file, &mut chunk, at);
        let count = count.map_err(root.failed("read", &self.name))?;
        chunk.truncate(count);
        chunk.append(&mut self.rest);
        self.rest = chunk;
        self.begin = at;
        Ok(())
    }
}
