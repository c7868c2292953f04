//! Frozen copies: what is checked is copied first, with a hash of every file, so that nothing
//! changes between a check and what follows from it.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Most files of one.
const FILES_MAX: usize = 200_000;
/// How often a copy is begun anew of what changes meanwhile.
const TRIES_MAX: usize = 3;
/// What is no content of a directory.
const LEFT_OUT: &str = ".git";

/// Why there is no copy.
#[derive(Debug)]
pub enum FreezeError {
    /// Something cannot be read or written.
    File(PathBuf, io::Error),
    /// It is no file, directory or link.
    Odd(PathBuf),
    /// There is too much.
    TooMany,
    /// It changes under our hands.
    Changes(PathBuf),
}

impl fmt::Display for FreezeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Odd(path) => write!(f, "{} is no file, directory or link", path.display()),
            Self::TooMany => write!(f, "there are more than {FILES_MAX} files"),
            Self::Changes(path) => write!(
                f,
                "{} changes while it is copied: end what writes there, and try again",
                path.display()
            ),
        }
    }
}

impl std::error::Error for FreezeError {}

fn at(path: &Path) -> impl FnOnce(io::Error) -> FreezeError {
    let path = path.to_owned();
    move |error| FreezeError::File(path, error)
}

/// What stands for a file: its kind, and the hash of its bytes or of where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// `file`, `run`, `link`.
    pub kind: &'static str,
    /// In hex.
    pub hash: String,
}

/// The files of a directory by their path from its top.
pub type Manifest = BTreeMap<String, Mark>;

/// The names and stamps of all that is in a directory.
type Listing = BTreeMap<String, Stamp>;

/// What shows that a file was written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// Copies a directory and says what was copied.
///
/// # Errors
/// If it cannot be read, is too much, or changes meanwhile.
pub fn freeze(from: &Path, to: &Path) -> Result<Manifest, FreezeError> {
    for _ in 0..TRIES_MAX {
        let before = listing(from)?;
        let mut manifest = Manifest::new();
        for name in before.keys() {
            let target = to.join(name);
            if let Some(dir) = target.parent() {
                fs::create_dir_all(dir).map_err(at(dir))?;
            }
            manifest.insert(name.clone(), copy(&from.join(name), &target)?);
        }
        if listing(from)? == before {
            return Ok(manifest);
        }
        fs::remove_dir_all(to).map_err(at(to))?;
        fs::create_dir_all(to).map_err(at(to))?;
    }
    Err(FreezeError::Changes(from.to_owned()))
}

/// What a directory holds.
///
/// # Errors
/// If it cannot be read.
pub fn manifest(dir: &Path) -> Result<Manifest, FreezeError> {
    let mut manifest = Manifest::new();
    for name in listing(dir)?.into_keys() {
        let mark = mark(&dir.join(&name), None)?;
        manifest.insert(name, mark);
    }
    Ok(manifest)
}

/// The paths that differ between two.
pub fn differing(one: &Manifest, other: &Manifest) -> Vec<String> {
    let names = one.keys().chain(other.keys());
    let names = names.filter(|name| one.get(*name) != other.get(*name));
    let mut names: Vec<String> = names.cloned().collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn listing(top: &Path) -> Result<Listing, FreezeError> {
    let mut found = Listing::new();
    let mut dirs = vec![top.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(&dir).map_err(at(&dir))? {
            let path = entry.map_err(at(&dir))?.path();
            let stat = match fs::symlink_metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                stat => stat.map_err(at(&path))?,
            };
            let name = path.strip_prefix(top).unwrap_or(&path).to_string_lossy();
            if name == LEFT_OUT {
                continue;
            }
            if stat.is_dir() {
                dirs.push(path);
                continue;
            }
            if !(stat.is_file() || stat.is_symlink()) {
                return Err(FreezeError::Odd(path));
            }
            let stamp = Stamp {
                inode: stat.ino(),
                bytes: stat.len(),
                modified: (stat.mtime(), stat.mtime_nsec()),
                changed: (stat.ctime(), stat.ctime_nsec()),
            };
            found.insert(name.into_owned(), stamp);
            if found.len() > FILES_MAX {
                return Err(FreezeError::TooMany);
            }
        }
    }
    Ok(found)
}

/// Copies a file or a link; what was copied.
pub fn copy(from: &Path, to: &Path) -> Result<Mark, FreezeError> {
    let stat = fs::symlink_metadata(from).map_err(at(from))?;
    if stat.is_symlink() {
        let link = fs::read_link(from).map_err(at(from))?;
        std::os::unix::fs::symlink(link, to).map_err(at(to))?;
        return mark(to, None);
    }
    let mut file = fs::File::create_new(to).map_err(at(to))?;
    let copied = mark(from, Some(&mut file))?;
    let mode = if copied.kind == "run" { 0o755 } else { 0o644 };
    let rights = fs::Permissions::from_mode(mode);
    file.set_permissions(rights).map_err(at(to))?;
    Ok(copied)
}

/// What stands for a file, whose bytes are written to another where there is one.
fn mark(path: &Path, mut to: Option<&mut fs::File>) -> Result<Mark, FreezeError> {
    let stat = fs::symlink_metadata(path).map_err(at(path))?;
    let mut sum = Sha256::new();
    if stat.is_symlink() {
        let link = fs::read_link(path).map_err(at(path))?;
        sum.update(link.as_os_str().as_encoded_bytes());
    } else {
        let mut file = fs::File::open(path).map_err(at(path))?;
        let mut chunk = vec![0; 128 * 1024];
        loop {
            let length = file.read(&mut chunk).map_err(at(path))?;
            let bytes = chunk.get(..length).unwrap_or_default();
            if bytes.is_empty() {
                break;
            }
            sum.update(bytes);
            if let Some(to) = &mut to {
                to.write_all(bytes).map_err(at(path))?;
            }
        }
    }
    let kind = match stat.is_symlink() {
        true => "link",
        false if stat.mode() & 0o111 != 0 => "run",
        false => "file",
    };
    Ok(Mark {
        kind,
        hash: text::hex::encode(&sum.finalize()),
    })
}
