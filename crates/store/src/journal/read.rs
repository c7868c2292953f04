//! Reading journals: lines, new lines as they come, and what is missing. Writes nothing.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use model::Time;

use super::backward::CHUNK_BYTES;
use super::line::SUM_FIELD;
use super::{Backward, JOURNAL_BYTES_MAX, live, parts};
use crate::StoreError;
use crate::files::Root;
use crate::sys;
use model::sum64;

/// One line of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The line as it stands, without its newline.
    pub text: String,
    /// Its place in the session's order; none if the line is damaged.
    pub sequence: Option<u64>,
}

impl Line {
    /// Reads a line; it has a sequence only if its checksum is right.
    pub(super) fn new(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let sequence = sequence(&text).filter(|_| is_whole(&text));
        Self { text, sequence }
    }

    /// When it was written, by its session's clock; none if the line is damaged.
    #[must_use]
    pub fn time(&self) -> Option<Time> {
        self.sequence?;
        let (_, rest) = self.text.split_once(",\"time\":")?;
        let (number, _) = rest.split_once(',')?;
        number.parse().ok().map(Time)
    }

    /// The first text of this name, as it is written, without reading the whole line: for what
    /// needs no unescaping, as ids and names do.
    #[must_use]
    pub fn word(&self, name: &str) -> Option<&str> {
        let (_, rest) = self.text.split_once(&format!("\"{name}\":\""))?;
        let (value, _) = rest.split_once('"')?;
        (!value.is_empty() && !value.contains('\\')).then_some(value)
    }

    /// What was decided, by its name; nothing where nothing was.
    #[must_use]
    pub fn level(&self) -> Option<&str> {
        let (before, _) = self.text.rsplit_once("\",\"would_be\":\"")?;
        before.rsplit_once("\"level\":\"").map(|(_, level)| level)
    }

    /// How long it took to judge, in microseconds; 0 where nothing was judged.
    #[must_use]
    pub fn micros(&self) -> u64 {
        let found = self.text.rsplit_once(",\"micros\":");
        let number = found.and_then(|(_, rest)| rest.split_once(','));
        number
            .and_then(|(number, _)| number.parse().ok())
            .unwrap_or_default()
    }
}

/// Whether the checksum at the end is that of the bytes before it.
fn is_whole(text: &str) -> bool {
    let Some((covered, field)) = text.rsplit_once(SUM_FIELD) else {
        return false;
    };
    field == format!("{:016x}\"}}", sum64(covered.as_bytes()))
}

/// The number in `{"seq":number,…`.
fn sequence(text: &str) -> Option<u64> {
    let (number, _) = text.strip_prefix("{\"seq\":")?.split_once(',')?;
    number.parse().ok()
}

/// All lines of a session's journal, oldest first, damaged ones included.
///
/// # Errors
/// If a part cannot be read. A missing journal has no lines.
pub fn read(root: &Root, session: &str) -> Result<Vec<Line>, StoreError> {
    let mut lines = Vec::new();
    scan(root, session, &mut |line| lines.push(line))?;
    Ok(lines)
}

/// Hands on all lines of a session's journal, oldest first, a line in memory at a time.
///
/// # Errors
/// As [`read`].
pub fn scan(root: &Root, session: &str, take: &mut dyn FnMut(Line)) -> Result<(), StoreError> {
    for part in parts(root, session)? {
        let Some(file) = root.read(&part)? else {
            continue;
        };
        // A part may grow past the limit by its first line only.
        let mut file = BufReader::with_capacity(CHUNK_BYTES, file.take(2 * JOURNAL_BYTES_MAX));
        let mut line = Vec::new();
        loop {
            line.clear();
            let count = file.read_until(b'\n', &mut line);
            if count.map_err(root.failed("read", &part))? == 0 {
                break;
            }
            match line.strip_suffix(b"\n").unwrap_or(&line) {
                b"" => {}
                line => take(Line::new(line)),
            }
        }
    }
    Ok(())
}

/// What [`crate::Store::verify`] found. Integrity, not evidence: who can write the journal can
/// also forge it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Lines that are as they were written.
    pub good: u64,
    /// Lines that are not. A crash leaves one without a gap.
    pub damaged: u64,
    /// First and last number of each run of missing lines.
    pub gaps: Vec<(u64, u64)>,
    /// Numbers that occur twice: a crash between the line and the record.
    pub repeated: u64,
}

impl Report {
    /// Whether every event that was answered has its line.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.gaps.is_empty()
    }
}

/// Checks a session's journal. `sequence` is that of the session's record: no line may be missing
/// up to it.
///
/// # Errors
/// As [`read`].
pub fn verify(root: &Root, session: &str, sequence: u64) -> Result<Report, StoreError> {
    let mut report = Report::default();
    // What was taken out is not missing.
    let mut last = super::prune::taken_out(root, session)?;
    scan(root, session, &mut |line| {
        let Some(number) = line.sequence else {
            report.damaged += 1;
            return;
        };
        report.good += 1;
        if number > last + 1 {
            report.gaps.push((last + 1, number - 1));
        }
        report.repeated += u64::from(number <= last);
        last = last.max(number);
    })?;
    if sequence > last {
        report.gaps.push((last + 1, sequence));
    }
    Ok(report)
}

/// The number after the record's; a lost record's number is learned from its journal.
pub fn next_sequence(root: &Root, session: &str, sequence: u64) -> u64 {
    let last = match sequence {
        0 => last_sequence(root, session).unwrap_or_default(),
        known => known,
    };
    last + 1
}

/// The last number in a journal; 0 if there is none.
fn last_sequence(root: &Root, session: &str) -> Result<u64, StoreError> {
    let mut lines = Backward::new(root, session);
    while let Some(line) = lines.next_line()? {
        if let Some(number) = line.sequence {
            return Ok(number);
        }
    }
    Ok(0)
}

/// Lines of a session's journal as they are appended.
#[derive(Debug)]
pub struct Follow<'a> {
    root: &'a Root,
    name: String,
    file: Option<File>,
    /// What comes before is not read.
    begin: u64,
    /// Read, but without a newline so far.
    rest: Vec<u8>,
}

impl<'a> Follow<'a> {
    /// Follows the part that is being written from so many bytes on.
    pub(crate) fn new(root: &'a Root, session: &str, begin: u64) -> Self {
        Self {
            root,
            name: live(session),
            file: None,
            begin,
            rest: Vec::new(),
        }
    }

    /// The lines since the last call.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn next_lines(&mut self) -> Result<Vec<Line>, StoreError> {
        self.read_on()?;
        if self.is_rotated()? {
            // The last lines of the old part may have come since.
            self.read_on()?;
            self.file = None;
            self.read_on()?;
        }
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else {
            return Ok(Vec::new());
        };
        let rest = self.rest.split_off(end + 1);
        let whole = std::mem::replace(&mut self.rest, rest);
        let found = whole
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        Ok(found.map(Line::new).collect())
    }

    /// Reads what is new in the open part.
    fn read_on(&mut self) -> Result<(), StoreError> {
        if self.file.is_none() {
            self.file = self.root.read(&self.name)?;
            let begin = std::mem::take(&mut self.begin);
            if let Some(file) = self.file.as_mut().filter(|_| begin > 0) {
                let sought = file.seek(SeekFrom::Start(begin));
                sought.map_err(self.root.failed("read", &self.name))?;
            }
        }
        if let Some(file) = &mut self.file {
            let read = file.read_to_end(&mut self.rest);
            read.map_err(self.root.failed("read", &self.name))?;
        }
        Ok(())
    }

    /// Whether another part is being written by now.
    fn is_rotated(&self) -> Result<bool, StoreError> {
        let (Some(open), Some(live)) = (&self.file, self.root.read(&self.name)?) else {
            return Ok(false);
        };
        let identity = |file: &File| {
            file.metadata()
                .map(|metadata| sys::identity(&metadata))
                .ok()
        };
        Ok(identity(open) != identity(&live))
    }
}
