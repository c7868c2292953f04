//! The system calls of undo that std does not have, for Unix: work below an open directory that
//! follows no link, cloning, extended attributes. `sys_elsewhere.rs` is its twin.

use std::ffi::{CString, OsStr, OsString};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use super::manifest::Kind;

/// Most bytes of one list or value of extended attributes.
#[cfg(target_os = "linux")]
const ATTRIBUTE_BYTES_MAX: usize = 64 * 1024;

/// Opened to be looked at only, whatever it is; a link is not followed.
#[cfg(target_os = "linux")]
const TO_LOOK: libc::c_int = libc::O_PATH | libc::O_NOFOLLOW;
#[cfg(target_vendor = "apple")]
const TO_LOOK: libc::c_int = libc::O_SYMLINK | libc::O_NONBLOCK;
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
const TO_LOOK: libc::c_int = libc::O_RDONLY | libc::O_NOFOLLOW | libc::O_NONBLOCK;

/// A directory to stand in: entering it needs no right to list it.
#[cfg(target_os = "linux")]
const TO_STAND_IN: libc::c_int = libc::O_PATH;
#[cfg(not(target_os = "linux"))]
const TO_STAND_IN: libc::c_int = libc::O_RDONLY;

/// Reading that waits for no pipe and follows no link.
const TO_READ: libc::c_int = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;

/// A directory that is open, reached without following a link.
#[derive(Debug)]
pub struct Folder(File);

impl Folder {
    /// The topmost directory above a path.
    pub fn top_of(_: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(libc::O_DIRECTORY);
        options.open("/").map(Self)
    }

    /// A directory in this one.
    pub fn enter(&self, name: &OsStr) -> io::Result<Self> {
        let flags = TO_STAND_IN | libc::O_DIRECTORY | libc::O_NOFOLLOW;
        self.open_with(name, flags, 0).map(Self)
    }

    /// What stands under a name, itself.
    pub fn look(&self, name: &OsStr) -> io::Result<Metadata> {
        self.open_with(name, TO_LOOK, 0)?.metadata()
    }

    /// A plain file, to read.
    pub fn read(&self, name: &OsStr) -> io::Result<File> {
        self.open_with(name, libc::O_RDONLY | TO_READ, 0)
    }

    /// A directory, to change what it is.
    pub fn read_dir(&self, name: &OsStr) -> io::Result<File> {
        self.open_with(
            name,
            libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW,
            0,
        )
    }

    /// A new file that its owner alone can open.
    pub fn create(&self, name: &OsStr) -> io::Result<File> {
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_NOFOLLOW;
        self.open_with(name, flags, 0o600)
    }

    fn open_with(&self, name: &OsStr, flags: i32, mode: libc::c_uint) -> io::Result<File> {
        let name = one_name(name)?;
        // SAFETY: the directory is open and the name ends in NUL; both outlive the call.
        let opened = unsafe {
            libc::openat(
                self.0.as_raw_fd(),
                name.as_ptr(),
                flags | libc::O_CLOEXEC,
                mode,
            )
        };
        if opened < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it is open, and nobody else has it.
        Ok(unsafe { File::from_raw_fd(opened) })
    }

    /// Makes a directory.
    pub fn make_dir(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        let name = one_name(name)?;
        let mode = libc::mode_t::try_from(mode).unwrap_or(0o700);
        // SAFETY: as in `open_with`.
        done(unsafe { libc::mkdirat(self.0.as_raw_fd(), name.as_ptr(), mode) })
    }

    /// Makes a pipe.
    pub fn make_pipe(&self, name: &OsStr, mode: u32) -> io::Result<()> {
        let name = one_name(name)?;
        let mode = libc::mode_t::try_from(mode).unwrap_or(0o600);
        // SAFETY: as in `open_with`. There is no `mkfifoat` on every system; this is the same.
        done(unsafe { libc::mknodat(self.0.as_raw_fd(), name.as_ptr(), libc::S_IFIFO | mode, 0) })
    }

    /// Makes a symbolic link.
    pub fn make_link(&self, name: &OsStr, target: &OsStr) -> io::Result<()> {
        let (name, target) = (one_name(name)?, CString::new(target.as_bytes())?);
        // SAFETY: as in `open_with`; the target ends in NUL too.
        done(unsafe { libc::symlinkat(target.as_ptr(), self.0.as_raw_fd(), name.as_ptr()) })
    }

    /// Where a symbolic link points.
    pub fn target(&self, name: &OsStr) -> io::Result<OsString> {
        let name = one_name(name)?;
        let mut buffer = vec![0u8; libc::PATH_MAX.try_into().unwrap_or(4_096)];
        // SAFETY: as in `open_with`; the buffer is as long as is said.
        let length = unsafe {
            let to = buffer.as_mut_ptr().cast();
            libc::readlinkat(self.0.as_raw_fd(), name.as_ptr(), to, buffer.len())
        };
        let length = usize::try_from(length).map_err(|_| io::Error::last_os_error())?;
        buffer.truncate(length);
        Ok(OsString::from_vec(buffer))
    }

    /// Gives another name to what stands under one, in place of what stood there.
    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let (from, to, dir) = (one_name(from)?, one_name(to)?, self.0.as_raw_fd());
        // SAFETY: as in `open_with`, for both names.
        done(unsafe { libc::renameat(dir, from.as_ptr(), dir, to.as_ptr()) })
    }

    /// Gives a file a second name, in another directory.
    pub fn link(&self, name: &OsStr, to: &Self, new: &OsStr) -> io::Result<()> {
        let (name, new) = (one_name(name)?, one_name(new)?);
        let (from, to) = (self.0.as_raw_fd(), to.0.as_raw_fd());
        // SAFETY: as in `open_with`, for both directories and names.
        done(unsafe { libc::linkat(from, name.as_ptr(), to, new.as_ptr(), 0) })
    }

    /// Removes what is no directory.
    pub fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.unlink(name, 0)
    }

    /// Removes an empty directory.
    pub fn remove_dir(&self, name: &OsStr) -> io::Result<()> {
        self.unlink(name, libc::AT_REMOVEDIR)
    }

    fn unlink(&self, name: &OsStr, flags: i32) -> io::Result<()> {
        let name = one_name(name)?;
        // SAFETY: as in `open_with`.
        done(unsafe { libc::unlinkat(self.0.as_raw_fd(), name.as_ptr(), flags) })
    }

    /// Sets when something was changed; of a link, the link's own time.
    pub fn set_time(&self, name: &OsStr, (seconds, nanos): (i64, u32)) -> io::Result<()> {
        let name = one_name(name)?;
        let time = libc::timespec {
            tv_sec: seconds as _,
            tv_nsec: nanos as libc::c_long,
        };
        let times = [time, time];
        // SAFETY: as in `open_with`; `times` is the pair that the call wants.
        done(unsafe {
            let flags = libc::AT_SYMLINK_NOFOLLOW;
            libc::utimensat(self.0.as_raw_fd(), name.as_ptr(), times.as_ptr(), flags)
        })
    }
}

/// A name in a directory: no way up, no way down.
fn one_name(name: &OsStr) -> io::Result<CString> {
    let bytes = name.as_bytes();
    if matches!(bytes, b"" | b"." | b"..") || bytes.contains(&b'/') {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(CString::new(bytes)?)
}

fn done(status: libc::c_int) -> io::Result<()> {
    match status {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Opens a plain file to read, by its path; the last part may not be a link.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .custom_flags(TO_READ)
        .open(path)
}

/// What kind of thing it is, its content aside; nothing for a file, a link or a directory.
pub fn special(metadata: &Metadata) -> Option<Kind> {
    let kind = metadata.file_type();
    match () {
        () if kind.is_fifo() => Some(Kind::Pipe),
        () if kind.is_socket() => Some(Kind::Socket),
        () if kind.is_file() || kind.is_dir() || kind.is_symlink() => None,
        () => Some(Kind::Device),
    }
}

/// User and group that own it.
pub fn owners(metadata: &Metadata) -> (u32, u32) {
    (metadata.uid(), metadata.gid())
}

/// When it was changed, in seconds and nanoseconds since 1970.
pub fn modified(metadata: &Metadata) -> (i64, u32) {
    (
        metadata.mtime(),
        u32::try_from(metadata.mtime_nsec()).unwrap_or_default(),
    )
}

/// A name that all hard links of one file share; empty if there is only one.
pub fn twin(metadata: &Metadata) -> String {
    match metadata.nlink() {
        0 | 1 => String::new(),
        _ => format!("{}:{}", metadata.dev(), metadata.ino()),
    }
}

/// Gives a file or directory to its owners, where that is allowed; it is no error where not.
pub fn give_back(file: &File, (user, group): (u32, u32)) {
    let is_there = file
        .metadata()
        .is_ok_and(|metadata| owners(&metadata) == (user, group));
    if !is_there {
        drop(std::os::unix::fs::fchown(file, Some(user), Some(group)));
    }
}

/// Sets permission bits.
pub fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

/// Text of the system from the bytes of a manifest.
pub fn from_bytes(bytes: Vec<u8>) -> Option<OsString> {
    Some(OsString::from_vec(bytes))
}

/// Makes an empty file share the blocks of another; an error where the file system cannot.
#[cfg(target_os = "linux")]
pub fn clone_into(from: &File, to: &File) -> io::Result<()> {
    // SAFETY: both are open; the call takes a descriptor by value.
    done(unsafe { libc::ioctl(to.as_raw_fd(), libc::FICLONE, from.as_raw_fd()) })
}

/// There is no such call here that needs no path.
#[cfg(not(target_os = "linux"))]
pub fn clone_into(_: &File, _: &File) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The extended attributes that people and access lists set; none where there are none to be had.
#[cfg(target_os = "linux")]
pub fn attributes(file: &File) -> Vec<(OsString, Vec<u8>)> {
    let descriptor = file.as_raw_fd();
    // SAFETY: the file is open; no buffer, only the length is asked for.
    let length = unsafe { libc::flistxattr(descriptor, std::ptr::null_mut(), 0) };
    let mut names = match usize::try_from(length) {
        Ok(0) | Err(_) => return Vec::new(),
        Ok(length) => vec![0u8; length.min(ATTRIBUTE_BYTES_MAX)],
    };
    // SAFETY: the buffer is as long as is said.
    let length = unsafe { libc::flistxattr(descriptor, names.as_mut_ptr().cast(), names.len()) };
    names.truncate(usize::try_from(length).unwrap_or_default());
    let wanted = names
        .split(|byte| *byte == 0)
        .filter(|name| name.starts_with(b"user.") || name.starts_with(b"system.posix_acl_"));
    wanted
        .filter_map(|name| {
            Some((
                OsStr::from_bytes(name).to_owned(),
                attribute(descriptor, name)?,
            ))
        })
        .collect()
}

#[cfg(target_os = "linux")]
fn attribute(descriptor: std::os::fd::RawFd, name: &[u8]) -> Option<Vec<u8>> {
    let name = CString::new(name).ok()?;
    let mut value = vec![0u8; ATTRIBUTE_BYTES_MAX];
    // SAFETY: the file is open, the name ends in NUL, the buffer is as long as is said.
    let length = unsafe {
        let to = value.as_mut_ptr().cast();
        libc::fgetxattr(descriptor, name.as_ptr(), to, value.len())
    };
    value.truncate(usize::try_from(length).ok()?);
    Some(value)
}

/// They are not kept here.
#[cfg(not(target_os = "linux"))]
pub fn attributes(_: &File) -> Vec<(OsString, Vec<u8>)> {
    Vec::new()
}

/// Sets an extended attribute.
#[cfg(target_os = "linux")]
pub fn set_attribute(file: &File, name: &OsStr, value: &[u8]) -> io::Result<()> {
    let name = CString::new(name.as_bytes())?;
    // SAFETY: the file is open, the name ends in NUL, the value is as long as is said.
    done(unsafe {
        let from = value.as_ptr().cast();
        libc::fsetxattr(file.as_raw_fd(), name.as_ptr(), from, value.len(), 0)
    })
}

/// They are not kept here.
#[cfg(not(target_os = "linux"))]
pub fn set_attribute(_: &File, _: &OsStr, _: &[u8]) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
