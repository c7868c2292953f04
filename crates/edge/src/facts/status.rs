//! Reads what `git status --porcelain=v2 -z` and `git diff --numstat -z` say.
//! Knows the two formats (`git-status(1)`, `git-diff(1)`); runs nothing.

use std::collections::BTreeMap;

/// The arguments for a status of everything below these pathspecs.
pub(super) fn status_arguments(specs: &[String]) -> Vec<String> {
    let fixed = [
        "status",
        "--porcelain=v2",
        "-z",
        "--untracked-files=all",
        "--ignored=matching",
        "--ignore-submodules=dirty",
        "--no-renames",
        "--",
    ];
    with_paths(&fixed, specs)
}

fn with_paths(fixed: &[&str], specs: &[String]) -> Vec<String> {
    let fixed = fixed.iter().map(|word| (*word).to_owned());
    fixed.chain(specs.iter().cloned()).collect()
}

/// The arguments for counting changed lines since the last commit.
pub(super) fn numstat_arguments(specs: &[String]) -> Vec<String> {
    let fixed = [
        "diff",
        "--numstat",
        "-z",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        "--ignore-submodules=dirty",
        "HEAD",
        "--",
    ];
    with_paths(&fixed, specs)
}

/// A tracked path that differs from the index or the last commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChangedFile {
    /// Relative to the top of the work tree.
    pub path: String,
    /// Git's letter for index against commit; `.` for none.
    pub staged: char,
    /// Git's letter for work tree against index; `.` for none.
    pub unstaged: char,
    /// The name of what is in the index, as hex.
    pub object: String,
}

/// What git sees in a work tree. Paths are relative to its top.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Status {
    pub changed: Vec<ChangedFile>,
    pub conflicted: Vec<String>,
    /// Of these, those that both sides have a text of, so that git merges them line by line.
    pub merged: Vec<String>,
    /// A path that ends in `/` is a repository of its own.
    pub untracked: Vec<String>,
    /// A path that ends in `/` stands for everything below it.
    pub ignored: Vec<String>,
    /// Whether there was more.
    pub cut: bool,
}

impl Status {
    /// Reads git's output. A record that is cut or unknown is left out and noted.
    pub fn read(bytes: &[u8], cut: bool) -> Self {
        let mut status = Self {
            cut,
            ..Self::default()
        };
        for record in bytes.split(|byte| *byte == 0) {
            let record = String::from_utf8_lossy(record);
            if !record.is_empty() && status.record(&record).is_none() {
                status.cut = true;
            }
        }
        status
    }

    fn record(&mut self, record: &str) -> Option<()> {
        let (kind, rest) = record.split_once(' ')?;
        match kind {
            "1" => self.change(rest)?,
            "u" => self.conflict(rest)?,
            "?" => self.untracked.push(rest.to_owned()),
            "!" => self.ignored.push(rest.to_owned()),
            "#" => {}
            _ => return None,
        }
        Some(())
    }

    fn conflict(&mut self, rest: &str) -> Option<()> {
        let mut fields = rest.splitn(10, ' ');
        let both = matches!(fields.next()?, "UU" | "AA");
        let path = fields.nth(8)?;
        self.conflicted.push(path.to_owned());
        if both {
            self.merged.push(path.to_owned());
        }
        Some(())
    }

    fn change(&mut self, rest: &str) -> Option<()> {
        let mut fields = rest.splitn(8, ' ');
        let mut letters = fields.next()?.chars();
        let is_submodule = fields.next()?.starts_with('S');
        let object = fields.nth(4)?.to_owned();
        let path = fields.next()?.to_owned();
        let (staged, unstaged) = (letters.next()?, letters.next()?);
        if !is_submodule {
            self.changed.push(ChangedFile {
                path,
                staged,
                unstaged,
                object,
            });
        }
        Some(())
    }
}

/// Lines added and removed, by path. A binary file has no count.
pub(super) fn line_counts(bytes: &[u8]) -> BTreeMap<String, (u32, u32)> {
    let records = bytes.split(|byte| *byte == 0);
    let count = |record: &[u8]| {
        let record = String::from_utf8_lossy(record).into_owned();
        let mut fields = record.splitn(3, '\t');
        let added = fields.next()?.parse().ok()?;
        let removed = fields.next()?.parse().ok()?;
        Some((fields.next()?.to_owned(), (added, removed)))
    };
    records.filter_map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read() {
        let bytes = b"1 .M N... 100644 100644 100644 aa bb src/a b.rs\0\
            1 .M SC.. 160000 160000 160000 aa bb sub\0\
            u UU N... 1 2 3 4 aa bb cc odd name\0? new\0! target/\0";
        let status = Status::read(bytes, false);
        let change = ChangedFile {
            path: "src/a b.rs".into(),
            staged: '.',
            unstaged: 'M',
            object: "bb".into(),
        };
        assert_eq!(status.changed, [change]);
        assert_eq!(status.conflicted, ["odd name"]);
        assert_eq!(status.merged, ["odd name"]);
        assert_eq!(status.untracked, ["new"]);
        assert_eq!(status.ignored, ["target/"]);
        assert!(!status.cut);
        assert!(Status::read(b"1 .M N... 100", false).cut);
    }

    #[test]
    fn lines_are_counted() {
        let counts = line_counts(b"3\t1\ta\tb\0-\t-\timage.png\0");
        assert_eq!(counts.get("a\tb"), Some(&(3, 1)));
        assert_eq!(counts.len(), 1);
    }
}
