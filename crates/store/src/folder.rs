//! A directory of the user's outside of our state, in which we make files: facts, requests. Follows
//! no link, replaces nothing, and shows no half of a file. Knows no content.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::StoreError;
use crate::sys::{self, Dir, How};

/// A directory of the user's, open and checked.
#[derive(Debug)]
pub struct Folder {
    dir: Dir,
    path: PathBuf,
}

impl Folder {
    /// Opens a directory that nobody else can look into, or makes it.
    ///
    /// # Errors
    /// If it is another user's, open to others, a link, or cannot be made.
    pub fn private(path: &Path) -> Result<Self, StoreError> {
        let open_to = "is open to other users; run `chmod 700` on it, or name another directory";
        Self::open(path, 0o077, open_to)
    }

    /// Opens a directory that nobody else can write into, or makes it, for its owner only.
    ///
    /// # Errors
    /// If it is another user's, others can write into it, it is a link, or cannot be made.
    pub fn own(path: &Path) -> Result<Self, StoreError> {
        let open_to = "can be written by other users; run `chmod go-w` on it";
        Self::open(path, 0o022, open_to)
    }

    fn open(path: &Path, others: u32, open_to: &str) -> Result<Self, StoreError> {
        let dir = match sys::open_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                sys::make_private_dir(path).and_then(|()| sys::open_dir(path))
            }
            opened => opened,
        };
        let is_link = || path.symlink_metadata().is_ok_and(|seen| seen.is_symlink());
        let dir = match dir {
            Err(_) if is_link() => {
                return Err(StoreError::NotPlain {
                    path: path.to_owned(),
                    what: "a symbolic link",
                });
            }
            dir => dir.map_err(StoreError::system("open", path.to_owned()))?,
        };
        let metadata = sys::look_at(&dir);
        let metadata = metadata.map_err(StoreError::system("look at", path.to_owned()))?;
        let why = if sys::owner(&metadata) != sys::user() {
            "belongs to another user; name a directory that you own"
        } else if sys::mode(&metadata) & others != 0 {
            open_to
        } else {
            let path = path.to_owned();
            return Ok(Self { dir, path });
        };
        Err(StoreError::NotPrivate {
            path: path.to_owned(),
            why: why.to_owned(),
        })
    }

    /// Makes a file that must not be there yet, for its owner only. Where it is.
    ///
    /// # Errors
    /// If there is one of that name, or it cannot be written.
    pub fn create(&self, name: &str, text: &str) -> Result<PathBuf, StoreError> {
        self.put(name, text, |_| Ok(()))
    }

    /// [`Folder::create`] for what must outlast a failing machine.
    ///
    /// # Errors
    /// As [`Folder::create`].
    pub fn keep(&self, name: &str, text: &str) -> Result<PathBuf, StoreError> {
        let path = self.put(name, text, fs::File::sync_all)?;
        sys::sync_dir(&self.path).map_err(StoreError::system("write", path.clone()))?;
        Ok(path)
    }

    fn put(
        &self,
        name: &str,
        text: &str,
        settle: fn(&fs::File) -> io::Result<()>,
    ) -> Result<PathBuf, StoreError> {
        let path = self.path.join(name);
        let fail = || StoreError::system("write", path.clone());
        if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0']) {
            return Err(fail()(io::ErrorKind::InvalidInput.into()));
        }
        if path.symlink_metadata().is_ok() {
            return Err(fail()(io::ErrorKind::AlreadyExists.into()));
        }
        let draft = format!(".{name}.{}.draft", std::process::id());
        let at = self.path.join(&draft);
        // Left by a dead process of the same number.
        drop(fs::remove_file(&at));
        let mut file = sys::open_below(&self.dir, &draft, How::Create).map_err(fail())?;
        let written = sys::for_owner_only(&file)
            .and_then(|()| file.write_all(text.as_bytes()))
            .and_then(|()| settle(&file))
            .and_then(|()| fs::rename(&at, &path));
        written.map_err(|error| {
            drop(fs::remove_file(&at));
            fail()(error)
        })?;
        Ok(path)
    }

    /// Removes plain files whose names begin and end like this and that were last written longer
    /// ago. How many; one that cannot be removed stays.
    pub fn sweep(&self, (begin, end): (&str, &str), age: Duration) -> usize {
        let now = SystemTime::now();
        let is_old = |path: &Path| {
            let metadata = path.symlink_metadata().ok()?;
            let written = metadata.modified().ok()?;
            let since = now.duration_since(written).unwrap_or_default();
            Some(metadata.is_file() && since > age)
        };
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let named = entries.filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.starts_with(begin) && name.ends_with(end)
        });
        let old = named
            .map(|entry| entry.path())
            .filter(|path| is_old(path) == Some(true));
        old.filter(|path| fs::remove_file(path).is_ok()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_made_once_and_for_their_owner() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::private(&dir.path().join("a/b")).unwrap();
        let path = folder.keep("x.md", "text").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "text");
        assert!(folder.create("x.md", "other").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "text");
        for name in ["", ".hidden", "../x", "a/b", "..", "a\0b"] {
            assert!(folder.create(name, "").is_err(), "{name:?}");
        }
        let left = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(left, 1);
        #[cfg(unix)]
        {
            let mode = |path: &Path| sys::mode(&fs::metadata(path).unwrap());
            assert_eq!(mode(&path), 0o600);
            assert_eq!(mode(path.parent().unwrap()), 0o700);
        }
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_made_where_others_could_reach_it() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let open = dir.path().join("open");
        fs::create_dir(&open).unwrap();
        let set = |mode| fs::set_permissions(&open, PermissionsExt::from_mode(mode)).unwrap();
        set(0o755);
        assert!(Folder::private(&open).is_err());
        assert!(Folder::own(&open).is_ok());
        set(0o777);
        let error = Folder::own(&open).unwrap_err().to_string();
        assert!(error.ends_with("run `chmod go-w` on it"), "{error}");
        let link = dir.path().join("link");
        symlink(dir.path().join("elsewhere"), &link).unwrap();
        let error = Folder::private(&link).unwrap_err().to_string();
        assert!(error.contains("is a symbolic link"), "{error}");
        assert!(!dir.path().join("elsewhere").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_a_files_place_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::private(&dir.path().join("a")).unwrap();
        let target = dir.path().join("target");
        std::os::unix::fs::symlink(&target, dir.path().join("a/x.md")).unwrap();
        assert!(folder.create("x.md", "text").is_err());
        assert!(!target.exists());
    }

    #[test]
    fn only_old_files_of_the_name_go() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::private(&dir.path().join("a")).unwrap();
        for name in ["hydrate_1.md", "hydrate_2.md", "other.md", "hydrate_3.txt"] {
            let path = folder.create(name, "x").unwrap();
            if name != "hydrate_2.md" {
                let file = fs::File::options().write(true).open(path).unwrap();
                file.set_modified(SystemTime::now() - Duration::from_secs(7_200))
                    .unwrap();
            }
        }
        let gone = folder.sweep(("hydrate_", ".md"), Duration::from_secs(3_600));
        assert_eq!(gone, 1);
        assert!(!dir.path().join("a/hydrate_1.md").exists());
        assert!(dir.path().join("a/other.md").exists());
    }
}
