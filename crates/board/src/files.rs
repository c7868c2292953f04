//! The files of one record a line: which there are, and which one a writer adds to.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use edge::facts::{self, Budget};
use ledger::{Author, OddLine, Stamp};
use store::{FileEnd, SharedDir};

use crate::{Board, HOME};

/// What they end in.
const ENDING: &str = ".jsonl";
/// Length at which a writer begins another file.
const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Largest file that is read: others' may be longer than ours.
const READ_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// How deep directories are followed.
const DEPTH_MAX: usize = 24;

/// Files with all their bytes.
#[derive(Debug, Default)]
pub struct Segments {
    /// Path and bytes of each.
    pub files: Vec<(PathBuf, Vec<u8>)>,
    /// Those that could not be read, and why.
    pub unread: Vec<(PathBuf, String)>,
    /// Ids of items whose lines were left out.
    pub left_out: BTreeSet<String>,
}

/// Lines of a file that are no records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OddFile {
    /// The file.
    pub path: PathBuf,
    /// The lines.
    pub lines: Vec<OddLine>,
}

/// What the end of a writer's file says to who adds to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Last {
    /// The greatest id in it.
    pub id: Option<Stamp>,
    /// How many of its lines are numbered.
    pub line: u64,
}

/// The paths of all files below a directory, in order. Links are not followed.
pub fn paths(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(dir, DEPTH_MAX, &mut found);
    found.sort();
    found
}

fn collect(dir: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let path = entry.path();
        if kind.is_dir() && depth > 0 {
            collect(&path, depth - 1, found);
        } else if kind.is_file() && path.to_string_lossy().ends_with(ENDING) {
            found.push(path);
        }
    }
}

/// The bytes of a file of reasonable length.
///
/// # Errors
/// Why it cannot be read.
pub fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let length = path.metadata().map_err(|error| error.to_string())?.len();
    if length > READ_BYTES_MAX {
        return Err(format!("it is longer than {READ_BYTES_MAX} bytes"));
    }
    std::fs::read(path).map_err(|error| error.to_string())
}

/// Lines of a file, without their ends.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    let ends = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]);
    ends.map(move |end| {
        let line = bytes.get(start..end).unwrap_or_default();
        start = end + 1;
        line
    })
}

impl Segments {
    /// Reads all files below a directory.
    #[must_use]
    pub fn read(dir: &Path) -> Self {
        let mut segments = Self::default();
        for path in paths(dir) {
            match bytes(&path) {
                Ok(bytes) => segments.files.push((path, bytes)),
                Err(why) => segments.unread.push((path, why)),
            }
        }
        segments
    }
}

impl Board {
    /// A directory of ours.
    pub(crate) fn dir(&self, name: &str) -> PathBuf {
        self.top.join(HOME).join(name)
    }

    /// Locks a directory of ours.
    pub(crate) fn lock(&self, name: &str) -> Result<SharedDir> {
        Ok(SharedDir::lock(&self.top, &[HOME, "/", name].concat())?)
    }

    /// Adds lines to the writer's file in a locked directory. They are made once it is known what
    /// they come after.
    pub(crate) fn add(
        &self,
        (dir, name): (&SharedDir, &str),
        author: &Author,
        make: impl FnOnce(Last) -> Result<Vec<String>>,
    ) -> Result<()> {
        let (file, end) = self.file_of(dir, name, author)?;
        let lines = make(last(&end))?;
        if !lines.is_empty() {
            let text = lines.iter().flat_map(|line| [line.as_str(), "\n"]);
            dir.add(&file, &text.collect::<String>(), &end)?;
        }
        Ok(())
    }

    /// The file that a writer adds to: the one that it began and that git does not know yet, else a
    /// new one. What a commit holds is never written to again, so nothing can conflict.
    fn file_of(&self, dir: &SharedDir, name: &str, author: &Author) -> Result<(String, FileEnd)> {
        let writer = [&*file_name(&author.name()), "."].concat();
        for file in dir.files()? {
            if !file.starts_with(&writer) || !file.ends_with(ENDING) {
                continue;
            }
            // The ends of those that are full are not read: a busy writer has many.
            if dir.length(&file)? >= FILE_BYTES_MAX {
                continue;
            }
            let path = [HOME, "/", name, "/", &file].concat();
            let top = self.top.to_string_lossy();
            let mut budget = Budget::start();
            if !facts::is_tracked(&top, &path, &self.place, &mut budget) {
                let end = dir.end(&file)?;
                return Ok((file, end));
            }
        }
        let chance = Stamp::new(0, crate::chance()?).to_string();
        let chance = chance.get(18..).unwrap_or_default();
        Ok(([&*writer, chance, ENDING].concat(), FileEnd::default()))
    }
}

/// What the last lines of a file say.
fn last(end: &FileEnd) -> Last {
    let lines = end.tail.split(|byte| *byte == b'\n');
    let mut last = Last::default();
    // The first may be cut, and then says nothing.
    for line in lines {
        let Some(id) = ledger::message::id_in_front(line) else {
            continue;
        };
        last.id = last.id.max(Some(id));
        last.line = last.line.max(line_number(line));
    }
    last
}

/// The number that a line ends with: `…"line":12}`.
pub fn line_number(line: &[u8]) -> u64 {
    let digits = line.strip_suffix(b"}").unwrap_or_default();
    let digits = digits
        .rsplit(|byte| *byte == b':')
        .next()
        .unwrap_or_default();
    let has_name = line.len() > digits.len() + 8
        && line
            .get(..line.len() - 1 - digits.len())
            .is_some_and(|head| head.ends_with(b"\"line\":"));
    let digits = std::str::from_utf8(digits).unwrap_or_default();
    if has_name {
        digits.parse().unwrap_or_default()
    } else {
        0
    }
}

/// A writer's name as part of a file's name.
fn file_name(writer: &str) -> String {
    let plain = writer.chars().map(|c| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9' | '-' | '_') => c,
        _ => '-',
    });
    let plain: String = plain.take(48).collect();
    if plain.is_empty() {
        "writer".to_owned()
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_file_says_what_comes_next() {
        let id = |n: u8| Stamp::new(7, [n; 10]);
        let line = |n: u8| format!(r#"{{"id":"{}","x":"\"line\":9","line":{n}}}"#, id(n));
        let text = format!("cut\n{}\n{}\n{{\"id\":\"{}", line(1), line(2), id(9));
        let end = FileEnd {
            bytes: 9,
            tail: text.into_bytes(),
        };
        let expected = Last {
            // The id of the torn line is passed too: nobody may use it twice.
            id: Some(id(9)),
            line: 2,
        };
        assert_eq!(last(&end), expected);
        assert_eq!(last(&FileEnd::default()), Last::default());
        for (line, number) in [("{\"line\":12}", 12), ("{\"a\":12}", 0), ("}", 0), ("", 0)] {
            assert_eq!(line_number(line.as_bytes()), number, "{line}");
        }
    }

    #[test]
    fn writers_become_names_of_files() {
        assert_eq!(file_name("Ann B/é"), "ann-b--");
        assert_eq!(file_name(""), "writer");
        assert_eq!(file_name(&"x".repeat(99)).len(), 48);
    }
}
