//! The private directory: opening what is below it, following nothing, trusting nobody else's
//! files. Knows no content.

use std::fs::{File, Metadata};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::StoreError;
use crate::hardened;
use crate::sys::{self, Dir, How};

/// The store's directory, open and checked.
#[derive(Debug)]
pub struct Root {
    dir: Dir,
    path: PathBuf,
    user: u32,
}

impl Root {
    /// Opens the directory; makes it if it is missing.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let _rights = hardened::rights();
        let dir = match sys::open_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                sys::make_dir(path).and_then(|()| sys::open_dir(path))
            }
            opened => opened,
        };
        Self::checked(path, dir)
    }

    /// Opens the directory; nothing if it is missing.
    pub fn open_existing(path: &Path) -> Result<Option<Self>, StoreError> {
        let _rights = hardened::rights();
        match sys::open_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => Self::checked(path, opened).map(Some),
        }
    }

    /// Opens a user's directory as root, to look; nothing if it is missing.
    pub fn open_as_root(path: &Path, user: u32) -> Result<Option<Self>, StoreError> {
        if !hardened::is_root() {
            return Self::open_existing(path);
        }
        let dir = match sys::open_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(|error| refused("open", path.to_owned(), error))?,
        };
        let root = Self {
            dir,
            path: path.to_owned(),
            user,
        };
        root.check_private()?;
        Ok(Some(root))
    }

    fn checked(path: &Path, dir: io::Result<Dir>) -> Result<Self, StoreError> {
        let dir = dir.map_err(|error| match error.kind() {
            io::ErrorKind::PermissionDenied if hardened::layout().is_some() => {
                let path = path.to_owned();
                StoreError::Withheld { path }
            }
            _ => refused("open", path.to_owned(), error),
        })?;
        let root = Self {
            dir,
            path: path.to_owned(),
            user: sys::user(),
        };
        root.check_private()?;
        Ok(root)
    }

    /// Owned by this user, closed to all others.
    fn check_private(&self) -> Result<(), StoreError> {
        let metadata = sys::look_at(&self.dir);
        let metadata = metadata.map_err(StoreError::system("look at", self.path.clone()))?;
        if hardened::layout().is_some() {
            return self.check_hardened(&metadata);
        }
        let why = if sys::owner(&metadata) != self.user {
            "belongs to another user; set TOLLGATE_HOME to a directory that you own".to_owned()
        } else if sys::mode(&metadata) & 0o077 != 0 {
            let mode = sys::mode(&metadata);
            format!("is open to other users (mode {mode:04o}); run `chmod 700` on it")
        } else {
            return Ok(());
        };
        Err(StoreError::NotPrivate {
            path: self.path.clone(),
            why,
        })
    }

    /// One user's part of a directory of root's that is closed to all but the group.
    fn check_hardened(&self, metadata: &Metadata) -> Result<(), StoreError> {
        let above = self.path.parent().unwrap_or(&self.path);
        let around = above.symlink_metadata();
        let around = around.map_err(StoreError::system("look at", above.to_owned()))?;
        let is_closed = |metadata: &Metadata| sys::mode(metadata) & 0o007 == 0;
        let (path, why) = if sys::owner(&around) != 0 || !is_closed(&around) {
            (above, "is not root's alone")
        } else if sys::owning_group(metadata) != sys::owning_group(&around)
            || !is_closed(metadata)
            || !self.is_ours(metadata)
        {
            (&*self.path, "is not as the hook made it")
        } else {
            return Ok(());
        };
        Err(StoreError::NotPrivate {
            path: path.to_owned(),
            why: format!("{why}; run `sudo tollgate init --scope managed`"),
        })
    }

    /// Whether this user made it; in a hardened install also root, and root may act for the user
    /// that the directory is called by.
    fn is_ours(&self, metadata: &Metadata) -> bool {
        let owner = sys::owner(metadata);
        if hardened::layout().is_none() {
            return owner == self.user;
        }
        let name = self.path.file_name().and_then(|name| name.to_str());
        owner == 0 || name.and_then(|name| name.parse().ok()) == Some(owner)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The absolute path of a file below it.
    pub fn at(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// For `map_err`: what was tried on which file.
    pub fn failed<'a>(
        &'a self,
        doing: &'static str,
        name: &'a str,
    ) -> impl FnOnce(io::Error) -> StoreError + 'a {
        move |source| StoreError::System {
            doing,
            path: self.at(name),
            source,
        }
    }

    /// Opens a file to read; `None` if there is none.
    pub fn read(&self, name: &str) -> Result<Option<File>, StoreError> {
        self.existing(name, How::Read)
    }

    /// Opens a file to read and perhaps to write; `None` if there is none.
    pub fn change(&self, name: &str) -> Result<Option<File>, StoreError> {
        self.existing(name, How::Change)
    }

    fn existing(&self, name: &str, how: How) -> Result<Option<File>, StoreError> {
        let _rights = hardened::rights();
        match sys::open_below(&self.dir, name, how) {
            Ok(file) => Ok(Some(self.plain(name, file)?.0)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(refused("open", self.at(name), error)),
        }
    }

    /// Opens a file to read, whoever owns it; nothing if that cannot be done.
    pub fn read_of_anybody(&self, name: &str) -> Option<File> {
        let _rights = hardened::rights();
        sys::open_below(&self.dir, name, How::Read).ok()
    }

    /// When a plain file was last written to, and how long it is; nothing if there is none.
    pub fn modified(&self, name: &str) -> Option<(SystemTime, u64)> {
        let _rights = hardened::rights();
        let metadata = self.at(name).symlink_metadata().ok()?;
        let modified = metadata.is_file().then(|| metadata.modified().ok())??;
        Some((modified, metadata.len()))
    }

    /// Opens a file to write. Its directory is made if it is missing.
    pub fn write(&self, name: &str, how: How) -> Result<File, StoreError> {
        Ok(self.looked_at(name, how)?.0)
    }

    /// Opens a file to append to, and says how long it is, in bytes.
    pub fn append(&self, name: &str) -> Result<(File, u64), StoreError> {
        let (file, metadata) = self.looked_at(name, How::Append)?;
        Ok((file, metadata.len()))
    }

    fn looked_at(&self, name: &str, how: How) -> Result<(File, Metadata), StoreError> {
        let _rights = hardened::rights();
        let opened = match sys::open_below(&self.dir, name, how) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let above = self.at(name).parent().map_or(Ok(()), sys::make_dir);
                above.and_then(|()| sys::open_below(&self.dir, name, how))
            }
            opened => opened,
        };
        let file = opened.map_err(|error| refused("write", self.at(name), error))?;
        self.plain(name, file)
    }

    /// Reads a whole file of at most `bytes_max`; `None` if there is none.
    pub fn load(&self, name: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(mut file) = self.read(name)? else {
            return Ok(None);
        };
        let size = file.metadata().map_or(0, |metadata| metadata.len());
        if size > bytes_max {
            return Err(StoreError::TooLarge {
                path: self.at(name),
            });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        let read = file.read_to_end(&mut bytes);
        read.map_err(self.failed("read", name))?;
        Ok(Some(bytes))
    }

    /// Replaces a file as a whole: the old content or the new one is there, whatever happens.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.put(name, &[bytes], File::sync_all)?;
        let _rights = hardened::rights();
        let path = self.at(name);
        let synced = sys::sync_dir(path.parent().unwrap_or(&self.path));
        synced.map_err(StoreError::system("write", path))
    }

    /// The same for what can be made anew at any time: if the power goes, it may hold anything.
    pub fn replace_throwaway(&self, name: &str, parts: &[&[u8]]) -> Result<(), StoreError> {
        self.put(name, parts, |_| Ok(()))
    }

    fn put(
        &self,
        name: &str,
        parts: &[&[u8]],
        keep: impl FnOnce(&File) -> io::Result<()>,
    ) -> Result<(), StoreError> {
        let _rights = hardened::rights();
        let draft = format!("{name}.{}.draft", std::process::id());
        // Left by a dead process of the same number.
        drop(std::fs::remove_file(self.at(&draft)));
        let mut file = self.write(&draft, How::Create)?;
        let mut parts = parts.iter();
        let written = parts.try_for_each(|part| file.write_all(part));
        let kept = written.and_then(|()| keep(&file));
        let renamed = kept.and_then(|()| std::fs::rename(self.at(&draft), self.at(name)));
        renamed.map_err(|error| {
            drop(std::fs::remove_file(self.at(&draft)));
            StoreError::system("write", self.at(name))(error)
        })
    }

    /// Removes a file; it is no error if there is none.
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        let _rights = hardened::rights();
        match std::fs::remove_file(self.at(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(refused("remove", self.at(name), error))
            }
            _ => Ok(()),
        }
    }

    /// Gives a file another name.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), StoreError> {
        let _rights = hardened::rights();
        let renamed = std::fs::rename(self.at(from), self.at(to));
        renamed.map_err(self.failed("rename", from))
    }

    /// Names in a directory that end in `ending`, without it, sorted.
    pub fn names(&self, dir: &str, ending: &str) -> Result<Vec<String>, StoreError> {
        let _rights = hardened::rights();
        let entries = match std::fs::read_dir(self.at(dir)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(self.failed("list", dir))?,
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names
            .filter_map(|name| Some(name.strip_suffix(ending)?.to_owned()))
            .collect();
        names.sort();
        Ok(names)
    }

    /// Only plain files of this user are what we wrote.
    fn plain(&self, name: &str, file: File) -> Result<(File, Metadata), StoreError> {
        let path = || self.at(name);
        let metadata = file.metadata().map_err(self.failed("look at", name))?;
        if metadata.is_dir() {
            return Err(StoreError::NotPlain {
                path: path(),
                what: "a directory",
            });
        }
        if !metadata.is_file() {
            return Err(StoreError::NotPlain {
                path: path(),
                what: "a pipe or device",
            });
        }
        if !self.is_ours(&metadata) {
            let why = "belongs to another user; move it away".to_owned();
            return Err(StoreError::NotPrivate { path: path(), why });
        }
        Ok((file, metadata))
    }
}

/// The system's refusal in our words.
fn refused(doing: &'static str, path: PathBuf, source: io::Error) -> StoreError {
    let is_link = path
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_symlink());
    if sys::is_link_error(&source) || is_link {
        return StoreError::NotPlain {
            path,
            what: "a symbolic link, or below one",
        };
    }
    match source.kind() {
        io::ErrorKind::IsADirectory => StoreError::NotPlain {
            path,
            what: "a directory",
        },
        _ => StoreError::System {
            doing,
            path,
            source,
        },
    }
}
