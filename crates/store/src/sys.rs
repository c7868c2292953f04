//! The system calls that std does not have, for Unix. The only unsafe code of the crate.
//! Knows nothing of what the files hold; `sys_elsewhere.rs` is its twin for other systems.

#[cfg(target_os = "linux")]
use std::ffi::OsStr;
use std::ffi::{CStr, CString};
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
#[cfg(target_os = "linux")]
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use crate::hardened;

/// How a file below the root is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// To read what is there.
    Read,
    /// To read and write what is there.
    Change,
    /// To read and write; created if missing.
    Update,
    /// To read and append; created if missing.
    Append,
    /// To write what must not be there yet.
    Create,
    /// To append to a project's own file, open to whom its files are; created if missing.
    Share,
}

impl How {
    /// Never follow a link, never wait for a pipe's other end, never leak into a child.
    fn flags(self) -> libc::c_int {
        let flags = match self {
            Self::Read => libc::O_RDONLY,
            Self::Change => libc::O_RDWR,
            Self::Update => libc::O_RDWR | libc::O_CREAT,
            Self::Append => libc::O_RDWR | libc::O_CREAT | libc::O_APPEND,
            Self::Create => libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL,
            Self::Share => libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND,
        };
        flags | libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC
    }

    /// Permissions of a new file. `openat2` refuses any where none can be used.
    fn mode(self) -> libc::c_uint {
        match self {
            Self::Read | Self::Change => 0,
            Self::Share => 0o666,
            _ if hardened::layout().is_some() => hardened::FILE_MODE,
            _ => 0o600,
        }
    }
}

/// A directory that is open.
#[derive(Debug)]
pub struct Dir(File);

/// Opens a directory that is not a link itself.
pub fn open_dir(path: &Path) -> io::Result<Dir> {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)
        .map(Dir)
}

/// What stands for a directory where it is locked.
pub fn lock_of_dir(path: &Path) -> io::Result<File> {
    open_dir(path).map(|Dir(dir)| dir)
}

/// Looks at an open directory.
pub fn look_at(dir: &Dir) -> io::Result<Metadata> {
    dir.0.metadata()
}

/// Makes a directory, and those above it, for its owner only.
pub fn make_dir(path: &Path) -> io::Result<()> {
    let mode = hardened::layout().map_or(0o700, |_| hardened::DIR_MODE);
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(mode)
        .create(path)
}

/// Makes a directory, and those above it, for its owner only, also where state is a group's.
pub fn make_private_dir(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(path)
}

/// Lets nobody but the owner read or write a file, also where state is a group's.
pub fn for_owner_only(file: &File) -> io::Result<()> {
    match hardened::layout() {
        Some(_) => file.set_permissions(Permissions::from_mode(0o600)),
        None => Ok(()),
    }
}

/// Makes one directory that all can look into.
pub fn make_open_dir(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(0o755).create(path)
}

/// Lets everybody read a file, and nobody else write it.
pub fn let_all_read(file: &File) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(0o644))
}

/// Opens a file below a directory; no part of `name` may be a link or `..`.
pub fn open_below(Dir(dir): &Dir, name: &str, how: How) -> io::Result<File> {
    let opened = at_once(dir, name, how);
    // ENOSYS: a kernel before 5.6. EPERM: a sandbox that does not know the call.
    match opened.as_ref().err().and_then(io::Error::raw_os_error) {
        Some(libc::ENOSYS | libc::EPERM) => by_parts(dir, name, how),
        _ => opened,
    }
}

/// `openat2`, which checks every part of the name in one call.
#[cfg(target_os = "linux")]
fn at_once(dir: &File, name: &str, how: How) -> io::Result<File> {
    let name = CString::new(name)?;
    // SAFETY: `open_how` is a struct of integers; zeros are valid and the kernel demands them
    // in fields that are not used.
    let mut want: libc::open_how = unsafe { std::mem::zeroed() };
    want.flags = how.flags().cast_unsigned().into();
    want.mode = how.mode().into();
    want.resolve = libc::RESOLVE_NO_SYMLINKS | libc::RESOLVE_BENEATH;
    // SAFETY: `dir` is open, `name` ends in NUL, `want` has the size that is passed; all outlive
    // the call.
    let opened = unsafe {
        let size = size_of::<libc::open_how>();
        libc::syscall(
            libc::SYS_openat2,
            dir.as_raw_fd(),
            name.as_ptr(),
            &raw const want,
            size,
        )
    };
    own(RawFd::try_from(opened).unwrap_or(-1))
}

/// There is no `openat2` here.
#[cfg(not(target_os = "linux"))]
fn at_once(_: &File, _: &str, _: How) -> io::Result<File> {
    Err(io::Error::from_raw_os_error(libc::ENOSYS))
}

/// Part by part, following nothing.
fn by_parts(dir: &File, name: &str, how: How) -> io::Result<File> {
    let (above, last) = match name.rsplit_once('/') {
        Some((above, last)) => (above.split('/').collect(), last),
        None => (Vec::new(), name),
    };
    let mut at = dir.try_clone()?;
    for part in above {
        at = open_part(
            &at,
            part,
            libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC,
            0,
        )?;
    }
    open_part(&at, last, how.flags(), how.mode())
}

/// `openat` of one part.
fn open_part(dir: &File, part: &str, flags: i32, mode: libc::c_uint) -> io::Result<File> {
    if matches!(part, "" | "." | "..") {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let part: &CStr = &CString::new(part)?;
    // SAFETY: `dir` is open and `part` ends in NUL; both outlive the call.
    own(unsafe { libc::openat(dir.as_raw_fd(), part.as_ptr(), flags, mode) })
}

/// A descriptor that the system just gave us, or its reason not to.
fn own(descriptor: RawFd) -> io::Result<File> {
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is open, and nobody else has it.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}

/// Whether the error says that a part of the name is a symbolic link.
pub fn is_link_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP)
}

/// The user that this process acts for.
pub fn user() -> u32 {
    // SAFETY: `geteuid` has no arguments and cannot fail.
    unsafe { libc::geteuid() }
}

/// The group that new files of this process belong to.
pub fn group() -> u32 {
    // SAFETY: `getegid` has no arguments and cannot fail.
    unsafe { libc::getegid() }
}

/// The group that owns it.
pub fn owning_group(metadata: &Metadata) -> u32 {
    metadata.gid()
}

/// The user that owns it.
pub fn owner(metadata: &Metadata) -> u32 {
    metadata.uid()
}

/// Permission bits.
pub fn mode(metadata: &Metadata) -> u32 {
    metadata.mode() & 0o7777
}

/// Whether the file was removed while it was open.
pub fn is_gone(metadata: &Metadata) -> bool {
    metadata.nlink() == 0
}

/// Gives a file or directory to root and a group, with these permissions.
pub fn give(path: &Path, mode: u32, group: u32) -> io::Result<()> {
    // In this order: a change of the owner takes the setgid bit away.
    std::os::unix::fs::lchown(path, Some(0), Some(group))?;
    std::fs::set_permissions(path, Permissions::from_mode(mode))
}

/// Makes a symbolic link.
pub fn link(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Names one file as long as it exists.
pub fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Reads at an offset, as much as there is, at most the buffer.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

/// Makes what was renamed or created in a directory last.
pub fn sync_dir(path: &Path) -> io::Result<()> {
    open_dir(path)?.0.sync_all()
}

/// Writes all bytes at an offset.
pub fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.write_all_at(bytes, offset)
}

/// Milliseconds since the machine started, sleep included, and a name of this start (empty where
/// the system has none). No clock setting changes either.
pub fn uptime() -> (u64, String) {
    #[cfg(target_os = "linux")]
    let clock = libc::CLOCK_BOOTTIME;
    #[cfg(not(target_os = "linux"))]
    let clock = libc::CLOCK_MONOTONIC;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for the answer; on failure it stays zero.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let millis = u64::try_from(time.tv_nsec / 1_000_000).unwrap_or_default();
    let start = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    (seconds * 1_000 + millis, start.trim().to_owned())
}

/// Whether the system gave this program rights that who started it does not have. Asks nobody: the
/// system left the answer in our memory.
#[cfg(target_os = "linux")]
pub fn is_privileged() -> bool {
    // SAFETY: it reads a table that the system filled at the start.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// The path that this program was started by, as it was given. Asks nobody.
#[cfg(target_os = "linux")]
pub fn started_as() -> Option<&'static Path> {
    // SAFETY: the entry is zero or the address of a text that ends in NUL and lives as long as the
    // process.
    let path = unsafe {
        let at = libc::getauxval(libc::AT_EXECFN) as *const std::ffi::c_char;
        (!at.is_null()).then(|| CStr::from_ptr(at))
    };
    path.map(|path| Path::new(OsStr::from_bytes(path.to_bytes())))
}

/// Lays the group down that the system gave this program, so that [`set_file_group`] can take it up
/// again; nothing if there is none, or it is not the group of this directory of root's.
#[cfg(target_os = "linux")]
pub fn lay_down_group(states: &Path) -> Option<u32> {
    // SAFETY: neither has arguments, neither can fail.
    let (own, given) = unsafe { (libc::getgid(), libc::getegid()) };
    let metadata = states.symlink_metadata().ok()?;
    let is_roots = owner(&metadata) == 0 && mode(&metadata) & 0o007 == 0;
    if own == given || !metadata.is_dir() || !is_roots || owning_group(&metadata) != given {
        return None;
    }
    // SAFETY: plain system call; -1 leaves a group as it is.
    let laid_down = unsafe { libc::setresgid(KEEP, own, KEEP) };
    (laid_down == 0).then_some(given)
}

/// Leaves a group as it is.
#[cfg(target_os = "linux")]
const KEEP: libc::gid_t = libc::gid_t::MAX;

/// Gives up for good what [`lay_down_group`] lays down. Who cannot must not go on.
#[cfg(target_os = "linux")]
pub fn drop_group() {
    // SAFETY: plain system calls.
    unsafe {
        let own = libc::getgid();
        if libc::setresgid(own, own, own) != 0 {
            libc::_exit(2);
        }
    }
}

/// Has this thread open, make and rename files as a member of a group; the one before.
#[cfg(target_os = "linux")]
pub fn set_file_group(group: u32) -> u32 {
    // SAFETY: plain system call, of this thread alone.
    unsafe { libc::setfsgid(group) }.cast_unsigned()
}

/// Sets the permissions that new files never get; those before.
#[cfg(target_os = "linux")]
pub fn set_umask(mask: u32) -> u32 {
    // SAFETY: plain system call.
    unsafe { libc::umask(mask) }
}

/// There is no hardened install on this system, so nothing is given, laid down or taken up.
#[cfg(not(target_os = "linux"))]
mod not_hardened {
    use std::path::Path;

    pub fn is_privileged() -> bool {
        false
    }

    pub fn started_as() -> Option<&'static Path> {
        None
    }

    pub fn lay_down_group(_: &Path) -> Option<u32> {
        None
    }

    pub fn drop_group() {}

    pub fn set_file_group(group: u32) -> u32 {
        group
    }

    pub fn set_umask(mask: u32) -> u32 {
        mask
    }
}

#[cfg(not(target_os = "linux"))]
pub use not_hardened::*;

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    type Open = fn(&Dir, &str, How) -> io::Result<File>;
    const WAYS: [Open; 2] = [open_below, |dir, name, how| by_parts(&dir.0, name, how)];

    #[test]
    fn both_ways_open_plain_files_and_refuse_links() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("real")).unwrap();
        std::fs::write(root.path().join("real/file"), "x").unwrap();
        symlink("real", root.path().join("link")).unwrap();
        symlink("file", root.path().join("real/link")).unwrap();
        let dir = open_dir(root.path()).unwrap();
        for open in WAYS {
            assert!(open(&dir, "real/file", How::Read).is_ok());
            assert!(open(&dir, "real/new", How::Update).is_ok());
            assert!(open(&dir, "real/new", How::Create).is_err());
            for hostile in [
                "link/file",
                "real/link",
                "../x",
                "real/../../x",
                "/etc/passwd",
            ] {
                assert!(open(&dir, hostile, How::Read).is_err(), "{hostile}");
                assert!(open(&dir, hostile, How::Update).is_err(), "{hostile}");
            }
        }
    }

    #[test]
    fn the_machine_has_been_up_for_some_time() {
        let (early, start) = uptime();
        let (late, again) = uptime();
        assert!(early > 0 && late >= early && start == again);
    }
}
