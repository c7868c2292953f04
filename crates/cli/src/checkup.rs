//! What is wrong with the files of a board, in the words of `msg doctor` and `work doctor`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use board::{CutFile, OddFile};
use serde_json::json;
use text::words;

use crate::here::Here;
use crate::{exit, show};

/// What was found so far.
pub struct Checkup<'h> {
    here: &'h Here,
    /// The file that each is of, if it is of one.
    complaints: Vec<(Option<String>, String)>,
}

/// Says in one line that something was passed over.
pub fn hint(odd: usize, doctor: &str) {
    if odd > 0 {
        let what = words::count(odd as u64, "line");
        show::failure(&format!("{what} could not be read; {doctor} names them"));
    }
}

impl<'h> Checkup<'h> {
    pub fn new(here: &'h Here) -> Self {
        Self {
            here,
            complaints: Vec::new(),
        }
    }

    pub fn say(&mut self, what: String) {
        self.complaints.push((None, what));
    }

    pub fn say_of(&mut self, path: &Path, what: String) {
        let path = self.here.short(path.display());
        self.complaints.push((Some(path), what));
    }

    /// Lines that are no records, and files that cannot be read.
    pub fn unreadable(&mut self, odd: &[OddFile], unread: &[(PathBuf, String)]) {
        for file in odd {
            for line in &file.lines {
                let what = format!("line {} {}", line.number, line.odd.words());
                self.say_of(&file.path, what);
            }
        }
        for (path, why) in unread {
            self.say_of(path, format!("cannot be read: {why}"));
        }
    }

    /// Numbers that are missing between those of a file's lines; 0 is none.
    pub fn gaps(&mut self, path: &Path, numbers: impl Iterator<Item = u64>) {
        for (first, last) in gaps(numbers) {
            let what = format!("lines {first}–{last} of its writer are missing");
            self.say_of(path, what);
        }
    }

    /// Files of which git remembers more.
    pub fn cuts(&mut self, cuts: &[CutFile]) {
        for cut in cuts {
            let CutFile {
                path,
                records,
                lost,
                version,
            } = cut;
            let version = version.get(..12).unwrap_or(version);
            let word = |path: &Path| words::shell_word(&path.to_string_lossy());
            let back = word(&path.with_extension("found.jsonl"));
            let dir = path.parent().filter(|dir| !dir.is_dir());
            let dir = dir.map(|dir| format!("mkdir -p {} && ", word(dir)));
            let dir = dir.unwrap_or_default();
            let what = format!(
                "git has seen it with {}, of which {lost} {} nowhere now; `{dir}git show \
                 {version} > {back}` brings them back",
                words::count(*records as u64, "record"),
                if *lost == 1 { "is" } else { "are" },
            );
            self.say_of(path, what);
        }
    }

    /// Says all of it, or that all is `whole`.
    pub fn end(self, json: bool, whole: &str) -> ExitCode {
        for (path, what) in &self.complaints {
            match path {
                Some(path) if json => say!("{}", json!({"file": path, "what": what})),
                None if json => say!("{}", json!({"what": what})),
                Some(path) => say!("{} {path}: {what}", show::bad("✗")),
                None => say!("{} {what}", show::bad("✗")),
            }
        }
        if self.complaints.is_empty() && !json {
            say!("{} {whole}, all whole", show::good("✓"));
        }
        exit::if_good(self.complaints.is_empty())
    }
}

fn gaps(numbers: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    let mut before = 0;
    for number in numbers.filter(|number| *number > 0) {
        if number > before + 1 {
            found.push((before + 1, number - 1));
        }
        before = before.max(number);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_named() {
        let gaps = |numbers: &[u64]| gaps(numbers.iter().copied());
        assert!(gaps(&[1, 2, 3]).is_empty() && gaps(&[]).is_empty());
        assert_eq!(gaps(&[1, 4]), [(2, 3)]);
        assert_eq!(gaps(&[2]), [(1, 1)]);
        // A merge may leave a line twice, and some have no number.
        assert!(gaps(&[1, 1, 0, 2]).is_empty());
    }
}
