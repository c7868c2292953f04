//! What the programs are that hosts and people start, as `init` left them: another in the place of
//! one of them is noticed by the other, by its hash. Decides nothing.

use std::fs::{self, Metadata};
use std::io::Read;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::{Store, StoreError};

/// Where it is.
const FILE: &str = "bin/seals";
/// Where is noted which files were read since and are the same, so that they are read once.
const READ: &str = "bin/seals.read";
/// The directory of the programs, and what they are called.
const DIR: &str = "bin";
const PROGRAMS: &[&str] = &["tollgate", "tollgate-hook"];
/// How much is read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// What became of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramChange {
    /// It is gone.
    Missing,
    /// Another stands in its place.
    Replaced,
}

/// A program as it was put there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seal {
    name: String,
    /// What shows without reading it that nobody wrote it since; no program of the user can set the
    /// time of a change back.
    stat: String,
    hash: String,
}

impl Seal {
    fn of(name: &str, path: &Path) -> Option<Self> {
        Some(Self {
            name: name.to_owned(),
            stat: stat(&fs::metadata(path).ok()?),
            hash: hash(path)?,
        })
    }

    fn line(&self) -> String {
        format!("{} {} {}\n", self.name, self.hash, self.stat)
    }

    fn read(line: &str) -> Option<Self> {
        let mut words = line.splitn(3, ' ').map(str::to_owned);
        let (name, hash, stat) = (words.next()?, words.next()?, words.next()?);
        Some(Self { name, stat, hash })
    }
}

impl Store {
    /// Notes the programs as they are now.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn seal_programs(&self) -> Result<(), StoreError> {
        let dir = self.path().join(DIR);
        let seals = PROGRAMS
            .iter()
            .filter_map(|name| Seal::of(name, &dir.join(name)));
        let text: String = seals.map(|seal| seal.line()).collect();
        self.set_note(FILE, Some(&text))
    }

    /// Programs that are not what was noted. A file that was only copied or touched is the same.
    #[must_use]
    pub fn changed_programs(&self) -> Vec<(String, ProgramChange)> {
        let seals = |file: &str| -> Vec<Seal> {
            let noted = self.note(file).unwrap_or_default();
            noted.lines().filter_map(Seal::read).collect()
        };
        let dir = self.path().join(DIR);
        let mut read = seals(READ);
        let mut is_new = false;
        let mut changed = Vec::new();
        for seal in seals(FILE) {
            let path = dir.join(&seal.name);
            let now = fs::metadata(&path).map(|found| Seal {
                stat: stat(&found),
                ..seal.clone()
            });
            let change = match now {
                Err(_) => ProgramChange::Missing,
                Ok(now) if now == seal || read.contains(&now) => continue,
                Ok(now) if hash(&path).as_deref() == Some(&seal.hash) => {
                    read.retain(|one| one.name != now.name);
                    read.push(now);
                    is_new = true;
                    continue;
                }
                Ok(_) => ProgramChange::Replaced,
            };
            changed.push((path.to_string_lossy().into_owned(), change));
        }
        if is_new {
            let text: String = read.iter().map(Seal::line).collect();
            // What is not noted is read once more.
            let _ = self.set_note(READ, Some(&text));
        }
        changed
    }
}

#[cfg(unix)]
fn stat(found: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    let changed = (found.ctime(), found.ctime_nsec());
    format!(
        "{} {} {}.{:09}",
        found.len(),
        found.ino(),
        changed.0,
        changed.1
    )
}

#[cfg(not(unix))]
fn stat(found: &Metadata) -> String {
    format!("{} {:?}", found.len(), found.modified().ok())
}

fn hash(path: &Path) -> Option<String> {
    let mut file = fs::File::open(path).ok()?;
    let mut sum = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut chunk).ok()? {
            0 => return Some(text::hex::encode(&sum.finalize())),
            length => sum.update(chunk.get(..length)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_program_in_the_place_of_ours_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        // What was never noted is nothing to complain about.
        assert_eq!(store.changed_programs(), Vec::new());
        let from = dir.path().join("from");
        fs::write(&from, "ours").unwrap();
        let hook = store.install_program("tollgate-hook", &from).unwrap();
        let program = store.install_program("tollgate", &from).unwrap();
        store.seal_programs().unwrap();
        assert_eq!(store.changed_programs(), Vec::new());
        // The same bytes in another file.
        fs::remove_file(&hook).unwrap();
        fs::write(&hook, "ours").unwrap();
        assert_eq!(store.changed_programs(), Vec::new());
        // That is read once.
        let read = store.note(READ).unwrap();
        let now = Seal::of("tollgate-hook", &hook).unwrap();
        assert_eq!(read, now.line());
        fs::write(dir.path().join("state").join(READ), "").unwrap();
        assert_eq!(store.changed_programs(), Vec::new());
        assert_eq!(store.note(READ).unwrap(), read);
        // As long, and as old to look at.
        let before = fs::metadata(&hook).unwrap().modified().unwrap();
        fs::write(&hook, "evil").unwrap();
        let file = fs::File::options().write(true).open(&hook).unwrap();
        file.set_modified(before).unwrap();
        fs::remove_file(&program).unwrap();
        let path = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
        let found = store.changed_programs();
        assert!(
            found.contains(&(path(hook), ProgramChange::Replaced)),
            "{found:?}"
        );
        assert!(
            found.contains(&(path(program), ProgramChange::Missing)),
            "{found:?}"
        );
    }
}
