//! Keeping a commit reachable: one loose ref of our own in its repository, gone with the capture.
//! The only thing that undo ever writes into a user's repository.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::Path;

use super::place::folder;
use super::sys::Folder;

/// Where our refs are, below the common directory.
const PLACE: [&str; 3] = ["refs", "tollgate", "anchor"];

/// How often a directory that goes while it is made is made again.
const TRIES: u32 = 3;

/// The full name of a capture's ref.
pub fn reference(id: &str, number: usize) -> String {
    format!("{}/{id}-{number}", PLACE.join("/"))
}

/// Whether it is the name of a git object, SHA-1 or SHA-256.
pub fn is_object_name(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Makes the ref.
///
/// # Errors
/// Why the commit cannot be kept, in words that follow its name.
pub fn set(common_dir: &str, reference: &str, commit: &str) -> Result<(), String> {
    if !is_object_name(commit) {
        return Err("is not named by its full id".to_owned());
    }
    let common = Path::new(common_dir);
    if common.join("reftable").exists() {
        return Err("its repository keeps its refs in a reftable".to_owned());
    }
    if !common.join("HEAD").is_file() || !common.join("objects").is_dir() {
        return Err("its repository cannot be found".to_owned());
    }
    let mut written = write(common, reference, commit);
    for _ in 0..TRIES {
        match &written {
            // Another capture's end removed what had just become empty.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                written = write(common, reference, commit);
            }
            _ => break,
        }
    }
    written.map_err(|error| format!("cannot be kept reachable ({error})"))
}

fn write(common: &Path, reference: &str, commit: &str) -> io::Result<()> {
    let name = last_part(reference);
    let lock = format!("{name}.lock");
    let (name, lock) = (OsStr::new(name), OsStr::new(&lock));
    let dir = anchors(common)?;
    // Git's own way: a lock, written, renamed.
    let mut file = dir.create(lock)?;
    let written = file
        .write_all(format!("{commit}\n").as_bytes())
        .and_then(|()| super::sys::set_mode(&file, 0o644))
        .and_then(|()| dir.rename(lock, name));
    if written.is_err() {
        drop(dir.remove(lock));
    }
    written
}

/// Removes the ref, if it stands as we made it; whether it is gone. Git may have packed it, then
/// only git can remove it.
pub fn unset(common_dir: &str, reference: &str, commit: &str) -> bool {
    let common = Path::new(common_dir);
    let name = OsStr::new(last_part(reference));
    let common = &std::fs::canonicalize(common).unwrap_or_else(|_| common.to_owned());
    if let Ok(dir) = folder(
        &PLACE
            .iter()
            .fold(common.clone(), |path, part| path.join(part)),
    ) {
        let mut text = String::new();
        let read = dir
            .read(name)
            .and_then(|mut file| file.read_to_string(&mut text));
        if read.is_ok() && text.trim_end() == commit {
            drop(dir.remove(name));
        }
    }
    for depth in (2..=PLACE.len()).rev() {
        remove_if_empty(common, depth);
    }
    let packed = std::fs::read(common.join("packed-refs")).unwrap_or_default();
    let needle = reference.as_bytes();
    !packed
        .windows(needle.len().max(1))
        .any(|part| part == needle)
}

/// Removes the directory at a depth of our place; it is no error if others still use it.
fn remove_if_empty(common: &Path, depth: usize) {
    let above = PLACE
        .iter()
        .take(depth - 1)
        .fold(common.to_owned(), |path, part| path.join(part));
    if let (Ok(dir), Some(name)) = (folder(&above), PLACE.get(depth - 1)) {
        drop(dir.remove_dir(OsStr::new(name)));
    }
}

/// The directory of our refs, made if it is missing; no part of it may be a link.
fn anchors(common: &Path) -> io::Result<Folder> {
    let mut dir = folder(&std::fs::canonicalize(common)?)?;
    for part in PLACE.map(OsStr::new) {
        match dir.make_dir(part, 0o755) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => dir = dir.enter(part)?,
        }
    }
    Ok(dir)
}

fn last_part(reference: &str) -> &str {
    reference
        .rsplit_once('/')
        .map_or(reference, |(_, last)| last)
}
