//! System calls: what the standard library lacks, and what differs between systems.
//!
//! The only file of the facts with `unsafe` code. Knows nothing of what is looked at.

use model::PathKind;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::process::{Child, ChildStdout, Command};
use std::time::Duration;

/// What `lstat` tells of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    pub kind: PathKind,
    pub bytes: u64,
    pub links: u64,
    /// Modification time: seconds and nanoseconds.
    pub modified: (i64, i64),
    /// Change of the inode: seconds and nanoseconds; zero where the system has none.
    pub changed: (i64, i64),
    /// Zero where the system has none.
    pub inode: u64,
    pub device: u64,
    /// Whether its owner may execute it.
    pub executable: bool,
}

impl Stat {
    /// When a file was last written, in nanoseconds since 1970; 0 for what is none.
    pub(super) fn written(&self) -> u64 {
        let (seconds, nanoseconds) = self.modified;
        let all = seconds.checked_mul(1_000_000_000);
        let all = all.and_then(|all| all.checked_add(nanoseconds));
        let is_file = self.kind == PathKind::File;
        all.filter(|_| is_file)
            .and_then(|all| all.try_into().ok())
            .unwrap_or(0)
    }
}

/// A file's size and when it was last written; nothing where there is none.
pub(crate) fn written(path: &str) -> Option<(u64, u64)> {
    let stat = lstat(Path::new(path)).ok()?;
    (stat.kind == PathKind::File).then(|| (stat.bytes, stat.written()))
}

/// Looks at a path without following a link at its end.
pub(super) fn lstat(path: &Path) -> io::Result<Stat> {
    std::fs::symlink_metadata(path).map(|metadata| stat_of(&metadata))
}

/// What is known of an open file or an entry of a directory.
#[cfg(unix)]
pub(super) fn stat_of(metadata: &Metadata) -> Stat {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let kind = metadata.file_type();
    let kind = if kind.is_block_device() || kind.is_char_device() {
        PathKind::Device
    } else {
        kind_of(metadata)
    };
    Stat {
        kind,
        bytes: if kind == PathKind::Dir {
            0
        } else {
            metadata.len()
        },
        links: metadata.nlink(),
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
        inode: metadata.ino(),
        device: metadata.dev(),
        executable: metadata.mode() & 0o100 != 0,
    }
}

#[cfg(not(unix))]
pub(super) fn stat_of(metadata: &Metadata) -> Stat {
    let since = |time: io::Result<std::time::SystemTime>| {
        let since = time.ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        let seconds = i64::try_from(since.as_secs()).ok()?;
        Some((seconds, i64::from(since.subsec_nanos())))
    };
    let kind = kind_of(metadata);
    Stat {
        kind,
        bytes: if kind == PathKind::Dir {
            0
        } else {
            metadata.len()
        },
        links: 1,
        modified: since(metadata.modified()).unwrap_or_default(),
        changed: (0, 0),
        inode: 0,
        device: 0,
        executable: false,
    }
}

fn kind_of(metadata: &Metadata) -> PathKind {
    let kind = metadata.file_type();
    if kind.is_symlink() {
        PathKind::Link
    } else if kind.is_dir() {
        PathKind::Dir
    } else if kind.is_file() {
        PathKind::File
    } else {
        PathKind::Other
    }
}

/// Opens a file for reading without ever waiting for a pipe or a device.
#[cfg(unix)]
pub(super) fn open_calmly(path: &Path) -> io::Result<File> {
    use std::os::fd::FromRawFd;
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    let flags = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC;
    // SAFETY: the path ends in a zero byte and outlives the call, which only reads it.
    let descriptor = unsafe { libc::open(path.as_ptr(), flags) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was opened just now, and nobody else owns it.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}

#[cfg(not(unix))]
pub(super) fn open_calmly(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Puts a child into a process group of its own, so that all it starts can be ended with it.
#[cfg(unix)]
pub(super) fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
pub(super) fn own_group(_command: &mut Command) {}

/// Ends a child of [`own_group`] and everything in its group.
pub(super) fn end_group(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(group) = libc::pid_t::try_from(child.id()) {
        // SAFETY: no memory is touched. The child was not waited for, so its id, which is also
        // the group's, cannot have been given to another process.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
    // Either it is ended already, or this is a system without groups.
    drop(child.kill());
    drop(child.wait());
}

/// Waits until the pipe has something to read or has ended; `false` when the time is over.
#[cfg(unix)]
pub(super) fn wait_readable(pipe: &ChildStdout, time: Duration) -> bool {
    use std::os::fd::AsRawFd;
    let millis = libc::c_int::try_from(time.as_millis()).unwrap_or(libc::c_int::MAX);
    let mut poll = libc::pollfd {
        fd: pipe.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: the pointer is to one valid `pollfd`, and the descriptor outlives the call.
    unsafe { libc::poll(&raw mut poll, 1, millis) > 0 }
}

#[cfg(not(unix))]
pub(super) fn wait_readable(_pipe: &ChildStdout, _time: Duration) -> bool {
    true
}

/// The number of the user that this process acts for.
#[cfg(unix)]
pub(super) fn user_number() -> Option<u32> {
    // SAFETY: the call has no arguments, touches no memory and cannot fail.
    Some(unsafe { libc::getuid() })
}

#[cfg(not(unix))]
pub(super) fn user_number() -> Option<u32> {
    None
}
