//! Reaching a directory without following a link: each part is entered by itself, from the top.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::sys::Folder;

/// What a path led to.
pub enum Reached {
    /// The directory.
    There(Folder),
    /// It is not there, or one above it is not.
    Missing,
    /// Something is in the way; what, in words.
    Blocked(String),
}

/// The directory at an absolute path.
///
/// # Errors
/// If a part is a link, is not there, or may not be entered.
pub fn folder(path: &Path) -> io::Result<Folder> {
    let mut at = Folder::top_of(path)?;
    for name in names(path)? {
        at = at.enter(name)?;
    }
    Ok(at)
}

/// The directory at an absolute path, or what is in the way.
pub fn reach(path: &Path) -> Reached {
    let (mut at, names) = match (Folder::top_of(path), names(path)) {
        (Ok(top), Ok(names)) => (top, names),
        _ => return Reached::Blocked("has no place to go".to_owned()),
    };
    let mut done = PathBuf::from("/");
    for name in names {
        done.push(name);
        let error = match at.enter(name) {
            Ok(next) => {
                at = next;
                continue;
            }
            Err(error) => error,
        };
        let shown = done.display();
        return match at.look(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Reached::Missing,
            Ok(there) if there.is_symlink() => Reached::Blocked(format!(
                "{shown} is a link now; nothing is written through it"
            )),
            Ok(there) if !there.is_dir() => {
                Reached::Blocked(format!("{shown} is no directory now; move it away"))
            }
            _ => Reached::Blocked(format!("{shown} cannot be entered ({error})")),
        };
    }
    Reached::There(at)
}

/// The names on the way down an absolute path.
fn names(path: &Path) -> io::Result<Vec<&std::ffi::OsStr>> {
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::RootDir | Component::Prefix(_) => {}
            Component::Normal(name) => names.push(name),
            Component::CurDir | Component::ParentDir => {
                return Err(io::ErrorKind::InvalidInput.into());
            }
        }
    }
    Ok(names)
}
