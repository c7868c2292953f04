//! Bytes under their SHA-256: written once, shared by all captures, checked whenever they are read.
//! Knows no manifest.

use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::time::Instant;

use sha2::{Digest, Sha256};
use text::hex;

use super::sys;
use crate::StoreError;
use crate::files::Root;
use crate::sys::How;

/// Where the objects are.
pub const DIR: &str = "undo/objects";
/// Where they are written before they are whole.
pub const DRAFTS: &str = "undo/drafts";

/// What is read at once; smaller files never need a draft that may be thrown away.
const CHUNK: usize = 256 * 1024;

/// What became of one file's bytes.
pub enum Put {
    /// They are kept under this SHA-256; the file as it was read.
    Kept(String, File, Metadata),
    /// They are not, and why.
    Not(String),
}

/// Writes objects for one capture.
#[derive(Debug)]
pub struct Writer<'a> {
    root: &'a Root,
    /// Names the drafts of this capture.
    id: &'a str,
    drafts: u64,
    end: Instant,
    buffer: Vec<u8>,
    /// Whether cloning is worth a try: the first refusal ends it.
    clones: bool,
}

/// Why a file's bytes were not taken.
enum Trouble {
    /// The source: cannot be read, or time ran out.
    Source(String),
    /// It was changed in between.
    Changed,
    /// Our own side.
    Store(StoreError),
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The name of an object.
pub fn name(sum: &str) -> String {
    let (begin, rest) = sum.split_at_checked(2).unwrap_or((sum, ""));
    format!("{DIR}/{begin}/{rest}")
}

impl<'a> Writer<'a> {
    /// Writes for a capture until its time is over.
    pub fn new(root: &'a Root, id: &'a str, end: Instant) -> Self {
        Self {
            root,
            id,
            drafts: 0,
            end,
            buffer: vec![0; CHUNK],
            clones: true,
        }
    }

    /// Whether time is up.
    pub fn is_late(&self) -> bool {
        Instant::now() >= self.end
    }

    /// Keeps the bytes of an open file; `open` opens it again if it was changed meanwhile.
    ///
    /// # Errors
    /// If the bytes cannot be written. What is wrong with the file is said in the answer.
    pub fn put(
        &mut self,
        open: impl Fn() -> io::Result<(File, Metadata)>,
    ) -> Result<Put, StoreError> {
        for _ in 0..2 {
            let (file, metadata) = match open() {
                Ok(opened) => opened,
                Err(error) => return Ok(Put::Not(unreadable(&error))),
            };
            match self.take(&file, &metadata) {
                Ok((sum, after)) => return Ok(Put::Kept(sum, file, after)),
                Err(Trouble::Changed) => {}
                Err(Trouble::Source(why)) => return Ok(Put::Not(why)),
                Err(Trouble::Store(error)) => return Err(error),
            }
        }
        Ok(Put::Not("changed while it was kept".to_owned()))
    }

    fn take(&mut self, file: &File, before: &Metadata) -> Result<(String, Metadata), Trouble> {
        let sum = if before.len() <= CHUNK as u64 {
            self.take_small(file, before)?
        } else {
            self.take_large(file)?
        };
        let after = file
            .metadata()
            .map_err(|error| Trouble::Source(unreadable(&error)))?;
        if before.len() != after.len() || sys::modified(before) != sys::modified(&after) {
            return Err(Trouble::Changed);
        }
        Ok((sum, after))
    }

    /// Reads all, and writes only what is not there.
    fn take_small(&mut self, mut file: &File, before: &Metadata) -> Result<String, Trouble> {
        let mut length = 0;
        while let Some(rest) = self
            .buffer
            .get_mut(length..)
            .filter(|rest| !rest.is_empty())
        {
            match file.read(rest) {
                Ok(0) => break,
                Ok(count) => length += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Trouble::Source(unreadable(&error))),
            }
        }
        if length as u64 != before.len() {
            return Err(Trouble::Changed);
        }
        let buffer = std::mem::take(&mut self.buffer);
        let kept = self.put_bytes(buffer.get(..length).unwrap_or_default());
        self.buffer = buffer;
        Ok(kept?)
    }

    fn put_bytes(&mut self, bytes: &[u8]) -> Result<String, StoreError> {
        let sum = hex::encode(&Sha256::digest(bytes));
        // What a crash of the machine left under this name is written again.
        let there = self.root.load(&name(&sum), CHUNK as u64).ok().flatten();
        if there.is_some_and(|there| there == bytes) {
            return Ok(sum);
        }
        let (draft, mut file) = self.draft()?;
        let written = file
            .write_all(bytes)
            .map_err(self.root.failed("write", &draft));
        self.finish(&draft, written.map(|()| sum))
    }

    /// Clones or copies into a draft, which gets its name when its sum is known.
    fn take_large(&mut self, file: &File) -> Result<String, Trouble> {
        let (draft, copy) = self.draft()?;
        let sum = self.fill(file, &copy, &draft);
        match sum {
            Ok(sum) => Ok(self.finish(&draft, Ok(sum))?),
            Err(trouble) => {
                self.root.remove(&draft)?;
                Err(trouble)
            }
        }
    }

    fn fill(&mut self, from: &File, mut to: &File, draft: &str) -> Result<String, Trouble> {
        let is_clone = self.clones && sys::clone_into(from, to).is_ok();
        self.clones = is_clone;
        // A clone stands still while it is read.
        let source = match is_clone {
            true => &self.root.read(draft)?.ok_or(Trouble::Changed)?,
            false => from,
        };
        let mut source: &File = source;
        let mut sum = Sha256::new();
        loop {
            if self.is_late() {
                return Err(Trouble::Source("time ran out".to_owned()));
            }
            let count = match source.read(&mut self.buffer) {
                Ok(0) => return Ok(hex::encode(&sum.finalize())),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(Trouble::Source(unreadable(&error))),
            };
            let bytes = self.buffer.get(..count).unwrap_or_default();
            sum.update(bytes);
            if !is_clone {
                to.write_all(bytes)
                    .map_err(self.root.failed("write", draft))?;
            }
        }
    }

    fn draft(&mut self) -> Result<(String, File), StoreError> {
        self.drafts += 1;
        let draft = format!("{DRAFTS}/{}-{}", self.id, self.drafts);
        let file = self.root.write(&draft, How::Create)?;
        Ok((draft, file))
    }

    /// Writes a file as a whole under a name that is no object's.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put_as(&mut self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let (draft, mut file) = self.draft()?;
        let written = file
            .write_all(bytes)
            .and_then(|()| self.root.move_to(&draft, name));
        self.settle(&draft, written.map_err(self.root.failed("write", name)))
    }

    /// Gives a whole draft its name, or removes what is not whole.
    fn finish(
        &self,
        draft: &str,
        written: Result<String, StoreError>,
    ) -> Result<String, StoreError> {
        let sum = self.settle(draft, written)?;
        let name = name(&sum);
        let moved = self.root.move_to(draft, &name);
        self.settle(draft, moved.map_err(self.root.failed("write", &name)))?;
        Ok(sum)
    }

    /// Removes a draft that came to nothing.
    fn settle<T>(&self, draft: &str, done: Result<T, StoreError>) -> Result<T, StoreError> {
        if done.is_err() {
            drop(self.root.remove(draft));
        }
        done
    }
}

/// Copies an object to where it belongs, and says whether its bytes are what its name says.
///
/// # Errors
/// If it is missing, damaged, or cannot be written.
pub fn copy_out(root: &Root, sum: &str, to: &mut impl Write) -> io::Result<()> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "its kept bytes are damaged");
    let gone = || io::Error::new(io::ErrorKind::NotFound, "its kept bytes are gone");
    let name = name(sum);
    let opened = root
        .read(&name)
        .map_err(|error| io::Error::other(error.to_string()))?;
    let mut from = opened.ok_or_else(gone)?;
    let mut buffer = vec![0; CHUNK];
    let mut digest = Sha256::new();
    loop {
        let count = from.read(&mut buffer)?;
        let bytes = buffer.get(..count).unwrap_or_default();
        if bytes.is_empty() {
            break;
        }
        digest.update(bytes);
        to.write_all(bytes)?;
    }
    if hex::encode(&digest.finalize()) == sum {
        Ok(())
    } else {
        Err(damaged())
    }
}

/// The SHA-256 of an open file.
pub fn sum_of(mut file: File) -> io::Result<String> {
    let mut buffer = vec![0; CHUNK];
    let mut digest = Sha256::new();
    loop {
        let count = file.read(&mut buffer)?;
        match buffer.get(..count).filter(|bytes| !bytes.is_empty()) {
            Some(bytes) => digest.update(bytes),
            None => return Ok(hex::encode(&digest.finalize())),
        }
    }
}

/// Why something could not be kept, when the system says so.
pub fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "may not be read".to_owned(),
        io::ErrorKind::NotFound => "is gone".to_owned(),
        _ => format!("cannot be read ({error})"),
    }
}
