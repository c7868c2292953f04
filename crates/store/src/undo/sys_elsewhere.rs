//! The twin of `sys.rs` for systems that are not Unix, by std alone. A directory is its path, and
//! links are looked for, not locked out. Owners, attributes and clones are not kept here.

use std::ffi::{OsStr, OsString};
use std::fs::{File, FileTimes, Metadata, OpenOptions};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use super::manifest::Kind;

/// A directory that was reached without a link.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// The topmost directory above a path.
    pub fn top_of(path: &Path) -> io::Result<Self> {
        let is_top =
            |part: &Component<'_>| matches!(part, Component::RootDir | Component::Prefix(_));
        Ok(Self(path.components().take_while(is_top).collect()))
    }

    fn at(&self, name: &OsStr) -> io::Result<PathBuf> {
        let mut parts = Path::new(name).components();
        match (parts.next(), parts.next()) {
            (Some(Component::Normal(name)), None) => Ok(self.0.join(name)),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    /// A directory in this one.
    pub fn enter(&self, name: &OsStr) -> io::Result<Self> {
        let path = self.at(name)?;
        if path.symlink_metadata()?.is_dir() {
            Ok(Self(path))
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    /// What stands under a name, itself.
    pub fn look(&self, name: &OsStr) -> io::Result<Metadata> {
        self.at(name)?.symlink_metadata()
    }

    /// A plain file, to read.
    pub fn read(&self, name: &OsStr) -> io::Result<File> {
        open_to_read(&self.at(name)?)
    }

    /// A directory, to change what it is: not possible here.
    pub fn read_dir(&self, _: &OsStr) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// A new file.
    pub fn create(&self, name: &OsStr) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(self.at(name)?)
    }

    /// Makes a directory.
    pub fn make_dir(&self, name: &OsStr, _: u32) -> io::Result<()> {
        std::fs::create_dir(self.at(name)?)
    }

    /// There are no pipes in directories here.
    pub fn make_pipe(&self, _: &OsStr, _: u32) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Links need a right that few have here.
    pub fn make_link(&self, _: &OsStr, _: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Where a symbolic link points.
    pub fn target(&self, name: &OsStr) -> io::Result<OsString> {
        self.at(name)?.read_link().map(PathBuf::into_os_string)
    }

    /// Gives another name to what stands under one, in place of what stood there.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        std::fs::rename(self.at(from)?, self.at(to)?)
    }

    /// Gives a file a second name, in another directory.
    pub fn link(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        std::fs::hard_link(self.at(name)?, to.at(new)?)
    }

    /// Removes what is no directory.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        std::fs::remove_file(self.at(name)?)
    }

    /// Removes an empty directory.
    pub fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        std::fs::remove_dir(self.at(name)?)
    }

    /// Sets when a file was changed.
    pub fn set_time(&self, name: &OsStr, (seconds, nanos): (i64, u32)) -> io::Result<()> {
        let since = Duration::new(u64::try_from(seconds).unwrap_or_default(), nanos);
        let times = FileTimes::new().set_modified(UNIX_EPOCH + since);
        let file = OpenOptions::new().write(true).open(self.at(name)?)?;
        file.set_times(times)
    }
}

/// Opens a plain file to read, by its path.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// There are no pipes, sockets and devices in directories here.
pub fn special(_: &Metadata) -> Option<Kind> {
    None
}

/// User and group that own it: all are one here.
pub fn owners(_: &Metadata) -> (u32, u32) {
    (0, 0)
}

/// When it was changed, in seconds and nanoseconds since 1970.
pub fn modified(metadata: &Metadata) -> (i64, u32) {
    let time = metadata.modified().ok();
    let since = time
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .unwrap_or_default();
    (
        i64::try_from(since.as_secs()).unwrap_or_default(),
        since.subsec_nanos(),
    )
}

/// A name that all hard links of one file share: not known here.
pub fn twin(_: &Metadata) -> String {
    String::new()
}

/// Gives a file to its owners: all are one here.
pub fn give_back(_: &File, _: (u32, u32)) {}

/// Sets permission bits: there are none here.
pub fn set_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

/// Text of the system from the bytes of a manifest: only what is text.
pub fn from_bytes(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

/// There is no such call here that needs no path.
pub fn clone_into(_: &File, _: &File) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// They are not kept here.
pub fn attributes(_: &File) -> Vec<(OsString, Vec<u8>)> {
    Vec::new()
}

/// They are not kept here.
pub fn set_attribute(_: &File, _: &OsStr, _: &[u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
