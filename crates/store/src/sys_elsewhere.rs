//! The twin of `sys.rs` for systems that are not Unix, by std alone. Owners and modes are not
//! checked here: the user's profile directory is private by default.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

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
    /// To append to a project's own file; created if missing.
    Share,
}

/// A directory that was looked at.
#[derive(Debug)]
pub struct Dir(PathBuf);

/// Finds a directory that is not a link itself.
pub fn open_dir(path: &Path) -> io::Result<Dir> {
    refuse_link(path)?;
    if path.metadata()?.is_dir() {
        Ok(Dir(path.to_owned()))
    } else {
        Err(not_plain())
    }
}

/// What stands for a directory where it is locked: no directory can be, here.
pub fn lock_of_dir(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    options.open(path.join(".lock"))
}

/// Looks at a directory.
pub fn look_at(dir: &Dir) -> io::Result<Metadata> {
    dir.0.metadata()
}

/// Makes a directory, and those above it.
pub fn make_dir(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

/// Makes a directory, and those above it.
pub fn make_private_dir(path: &Path) -> io::Result<()> {
    make_dir(path)
}

/// The user's profile is private by default.
pub fn for_owner_only(_: &File) -> io::Result<()> {
    Ok(())
}

/// Opens a file below a directory; no part of `name` may be a link or `..`.
pub fn open_below(Dir(dir): &Dir, name: &str, how: How) -> io::Result<File> {
    let mut path = dir.clone();
    for part in name.split('/') {
        if matches!(part, "" | "." | "..") || part.contains(['\\', ':']) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        path.push(part);
        refuse_link(&path)?;
    }
    let mut options = OpenOptions::new();
    match how {
        How::Read => options.read(true),
        How::Change => options.read(true).write(true),
        How::Update => options.read(true).write(true).create(true).truncate(false),
        How::Append => options.read(true).append(true).create(true),
        How::Create => options.write(true).create_new(true),
        How::Share => options.append(true).create(true),
    };
    options.open(path)
}

fn refuse_link(path: &Path) -> io::Result<()> {
    let is_link = path
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_symlink());
    if is_link { Err(not_plain()) } else { Ok(()) }
}

fn not_plain() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a plain file or directory")
}

/// Whether the error says that a part of the name is a symbolic link.
pub fn is_link_error(_: &io::Error) -> bool {
    false
}

/// The user that this process acts for: all are one here.
pub fn user() -> u32 {
    0
}

/// The user that owns it: all are one here.
pub fn owner(_: &Metadata) -> u32 {
    0
}

/// Permission bits.
pub fn mode(_: &Metadata) -> u32 {
    0
}

/// Whether the file was removed while it was open: not possible here.
pub fn is_gone(_: &Metadata) -> bool {
    false
}

/// Names one file as long as it exists, as well as creation time can.
pub fn identity(metadata: &Metadata) -> (u64, u64) {
    let created = metadata.created().ok();
    let since = created.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    (
        0,
        since.map_or(0, |since| {
            u64::try_from(since.as_nanos()).unwrap_or_default()
        }),
    )
}

/// Reads at an offset, as much as there is, at most the buffer.
pub fn read_at(mut file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek(SeekFrom::Start(offset))?;
    file.read(buffer)
}

/// Makes what was renamed or created in a directory last: not needed here.
pub fn sync_dir(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Writes all bytes at an offset.
pub fn write_all_at(mut file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

/// There is no clock here that no setting changes and no name of the machine's start: the wall
/// clock alone ends what must end.
pub fn uptime() -> (u64, String) {
    (0, String::new())
}

/// The group that new files belong to: all are one here.
pub fn group() -> u32 {
    0
}

/// The group that owns it: all are one here.
pub fn owning_group(_: &Metadata) -> u32 {
    0
}

/// There is no hardened install here, so no program has rights of its own.
pub fn is_privileged() -> bool {
    false
}

/// Not needed where there is no hardened install.
pub fn started_as() -> Option<&'static Path> {
    None
}

/// There is no group to lay down.
pub fn lay_down_group(_: &Path) -> Option<u32> {
    None
}

/// There is no group to give up.
pub fn drop_group() {}

/// There are no groups.
pub fn set_file_group(group: u32) -> u32 {
    group
}

/// There are no permission bits.
pub fn set_umask(mask: u32) -> u32 {
    mask
}

/// There is no root to give a file to.
pub fn give(_: &Path, _: u32, _: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Links need rights here that nobody can count on.
pub fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes one directory.
pub fn make_open_dir(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)
}

/// There are no permission bits.
pub fn let_all_read(_: &File) -> io::Result<()> {
    Ok(())
}
