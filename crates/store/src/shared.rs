//! Files of a repository that many programs add lines to: locked while one does, never through a
//! link, and readable like all other files of a project. Knows no content.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::StoreError;
use crate::sys::{self, Dir, How};

/// Longest wait for the others. Each holds the lock for about a millisecond.
const WAIT_MAX: Duration = Duration::from_secs(20);
/// Longest pause between two tries.
const PAUSE_MAX: Duration = Duration::from_millis(4);
/// Most bytes of a file's end that are looked at: more than two lines take.
const END_BYTES_MAX: u64 = 512 * 1024;

/// A directory below the top of a project, locked. The lock ends with the value, or the process.
#[derive(Debug)]
pub struct SharedDir {
    top: Dir,
    path: PathBuf,
    name: String,
    _lock: File,
}

/// The end of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileEnd {
    /// How long it is.
    pub bytes: u64,
    /// Its last lines as far as they were looked at.
    pub tail: Vec<u8>,
}

impl SharedDir {
    /// Waits for a directory below `top`, which is made if it is not there.
    ///
    /// # Errors
    /// If it is no directory, lies behind a link, cannot be made, or others hold it for too long.
    pub fn lock(top: &Path, name: &str) -> Result<Self, StoreError> {
        let top = fs::canonicalize(top).map_err(StoreError::system("open", top.to_owned()))?;
        let path = make_below(&top, name)?;
        let fail = |doing| StoreError::system(doing, path.clone());
        let dir = sys::open_dir(&top).map_err(StoreError::system("open", top.clone()))?;
        let lock = sys::lock_of_dir(&path).map_err(fail("lock"))?;
        let begun = Instant::now();
        let mut pause = Duration::from_micros(50);
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(fail("lock")(error)),
                Err(TryLockError::WouldBlock) if begun.elapsed() > WAIT_MAX => {
                    return Err(StoreError::Busy { path });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
            }
            pause = (pause * 2).min(PAUSE_MAX);
        }
        Ok(Self {
            top: dir,
            path,
            name: name.to_owned(),
            _lock: lock,
        })
    }

    /// The files in it, not below it, by name.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn files(&self) -> Result<Vec<String>, StoreError> {
        let entries = fs::read_dir(&self.path);
        let entries = entries.map_err(StoreError::system("list", self.path.clone()))?;
        let files = entries.filter_map(|entry| {
            let entry = entry.ok()?;
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            is_file.then(|| entry.file_name().into_string().ok())?
        });
        let mut files: Vec<String> = files.collect();
        files.sort();
        Ok(files)
    }

    fn open(&self, file: &str, how: How) -> Result<File, StoreError> {
        let name = [&*self.name, "/", file].concat();
        let path = self.path.join(file);
        sys::open_below(&self.top, &name, how).map_err(|error| {
            if sys::is_link_error(&error) {
                let what = "a symbolic link, or below one";
                return StoreError::NotPlain { path, what };
            }
            StoreError::system("open", path)(error)
        })
    }

    /// How long a file is.
    ///
    /// # Errors
    /// If it cannot be looked at.
    pub fn length(&self, file: &str) -> Result<u64, StoreError> {
        let opened = self.open(file, How::Read)?.metadata();
        let opened = opened.map_err(StoreError::system("look at", self.path.join(file)))?;
        Ok(opened.len())
    }

    /// The end of a file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn end(&self, file: &str) -> Result<FileEnd, StoreError> {
        let mut opened = self.open(file, How::Read)?;
        let read = |opened: &mut File| -> io::Result<FileEnd> {
            let bytes = opened.metadata()?.len();
            opened.seek(SeekFrom::Start(bytes.saturating_sub(END_BYTES_MAX)))?;
            let mut tail = Vec::new();
            opened.read_to_end(&mut tail)?;
            Ok(FileEnd { bytes, tail })
        };
        read(&mut opened).map_err(StoreError::system("read", self.path.join(file)))
    }

    /// Adds lines to a file, which is made if it is not there. What a writer left half is ended
    /// first, so that it spoils no other line. Once this returns, the end of no process undoes it.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn add(&self, file: &str, lines: &str, end: &FileEnd) -> Result<(), StoreError> {
        let mut opened = self.open(file, How::Share)?;
        let is_whole = end.tail.is_empty() || end.tail.ends_with(b"\n");
        let text = [if is_whole { "" } else { "\n" }, lines].concat();
        let written = opened.write_all(text.as_bytes());
        written.map_err(StoreError::system("write", self.path.join(file)))
    }

    /// Makes a file that is named by what it holds; one that is there already is that.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(&self, file: &str, bytes: &[u8]) -> Result<(), StoreError> {
        if self.path.join(file).symlink_metadata().is_ok() {
            return Ok(());
        }
        self.replace(file, bytes)
    }

    /// Replaces a file as a whole: the old content or the new one is there, whatever happens.
    ///
    /// # Errors
    /// If it cannot be written; then the old content stands.
    pub fn replace(&self, file: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let path = self.path.join(file);
        let draft = format!("{file}.{}.draft", std::process::id());
        let at = self.path.join(&draft);
        // Left by a dead process of the same number.
        drop(fs::remove_file(&at));
        let mut opened = self.open(&draft, How::Share)?;
        if let Ok(known) = path.symlink_metadata() {
            if !known.is_file() {
                drop(fs::remove_file(&at));
                let what = "a link or a directory";
                return Err(StoreError::NotPlain { path, what });
            }
            // A file of others keeps whom it is open to; where that cannot be, it is as new.
            let _ = opened.set_permissions(known.permissions());
        }
        let written = opened.write_all(bytes).and_then(|()| opened.sync_all());
        written
            .and_then(|()| fs::rename(&at, &path))
            .map_err(|error| {
                drop(fs::remove_file(&at));
                StoreError::system("write", path)(error)
            })
    }
}

/// Makes a directory part by part, so that no link among them leads elsewhere.
fn make_below(top: &Path, name: &str) -> Result<PathBuf, StoreError> {
    let mut path = top.to_owned();
    for part in name.split('/') {
        let fail = |path: &Path| StoreError::system("make", path.to_owned());
        if matches!(part, "" | "." | "..") || part.contains(['\\', '\0']) {
            return Err(fail(&path)(io::ErrorKind::InvalidInput.into()));
        }
        path.push(part);
        match path.symlink_metadata() {
            Ok(known) if known.is_dir() => {}
            Ok(_) => {
                let what = "a symbolic link or a file";
                return Err(StoreError::NotPlain { path, what });
            }
            Err(_) => match fs::create_dir(&path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(fail(&path)(error));
                }
                _ => {}
            },
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(tail: &str) -> FileEnd {
        FileEnd {
            bytes: tail.len() as u64,
            tail: tail.as_bytes().to_vec(),
        }
    }

    #[test]
    fn lines_are_added_and_half_ones_are_ended() {
        let top = tempfile::tempdir().unwrap();
        let dir = SharedDir::lock(top.path(), ".x/a/b").unwrap();
        assert!(dir.files().unwrap().is_empty());
        dir.add("w.jsonl", "one\n", &FileEnd::default()).unwrap();
        assert_eq!(dir.end("w.jsonl").unwrap(), end("one\n"));
        assert_eq!(dir.length("w.jsonl").unwrap(), 4);
        fs::write(top.path().join(".x/a/b/w.jsonl"), "one\ntw").unwrap();
        dir.add("w.jsonl", "three\n", &dir.end("w.jsonl").unwrap())
            .unwrap();
        assert_eq!(dir.end("w.jsonl").unwrap(), end("one\ntw\nthree\n"));
        assert_eq!(dir.files().unwrap(), ["w.jsonl"]);
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let top = tempfile::tempdir().unwrap();
        let dir = SharedDir::lock(top.path(), "d").unwrap();
        dir.replace("f", b"one").unwrap();
        dir.keep("f", b"two").unwrap();
        assert_eq!(fs::read(top.path().join("d/f")).unwrap(), b"one");
        dir.replace("f", b"two").unwrap();
        assert_eq!(fs::read(top.path().join("d/f")).unwrap(), b"two");
        assert_eq!(dir.files().unwrap(), ["f"]);
    }

    #[cfg(unix)]
    #[test]
    fn no_link_leads_elsewhere() {
        let (top, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(other.path(), top.path().join(".x")).unwrap();
        assert!(SharedDir::lock(top.path(), ".x/a").is_err());
        let dir = SharedDir::lock(top.path(), "d").unwrap();
        let target = other.path().join("f");
        fs::write(&target, "theirs").unwrap();
        std::os::unix::fs::symlink(&target, top.path().join("d/f")).unwrap();
        assert!(dir.add("f", "ours\n", &FileEnd::default()).is_err());
        assert!(dir.replace("f", b"ours").is_err() && dir.files().unwrap().is_empty());
        assert_eq!(fs::read_to_string(target).unwrap(), "theirs");
        assert!(SharedDir::lock(top.path(), "../d").is_err());
    }

    #[test]
    fn one_waits_for_the_other() {
        let top = tempfile::tempdir().unwrap();
        let dir = SharedDir::lock(top.path(), "d").unwrap();
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let dir = SharedDir::lock(top.path(), "d").unwrap();
                dir.end("f").unwrap().tail
            });
            std::thread::sleep(Duration::from_millis(20));
            dir.add("f", "first\n", &FileEnd::default()).unwrap();
            drop(dir);
            assert_eq!(other.join().unwrap(), b"first\n");
        });
    }
}
