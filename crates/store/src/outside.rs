//! Writing what is not ours: hosts' settings, people's rule files, and the programs that hosts
//! start. As careful as with our own: the old content or the new one is there, whatever happens,
//! and the old one is kept.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::{Store, StoreError};

/// What a kept older version ends in.
const KEPT: &str = "tollgate-backup";

/// Replaces a file's text and keeps the old one beside it; where it was kept, if there was one and
/// it differs. The file's permissions stay; a link stays and its target is replaced.
///
/// # Errors
/// If it cannot be written; then the old text stands.
pub fn replace(path: &Path, text: &str) -> Result<Option<PathBuf>, StoreError> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = match fs::read(&path) {
        Ok(old) if old == text.as_bytes() => return Ok(None),
        Ok(old) => Some(old),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(StoreError::system("read", path)(error)),
    };
    let kept = match old {
        Some(old) => {
            let kept = beside(&path, KEPT);
            put(&kept, &old, permissions(&path))?;
            Some(kept)
        }
        None => None,
    };
    put(&path, text.as_bytes(), permissions(&path))?;
    Ok(kept)
}

/// Makes a file that must not be there yet.
///
/// # Errors
/// If it is there, or cannot be written.
pub fn create(path: &Path, text: &str) -> Result<(), StoreError> {
    if path.exists() {
        let there = io::Error::new(io::ErrorKind::AlreadyExists, "it is there already");
        return Err(StoreError::system("make", path.to_owned())(there));
    }
    put(path, text.as_bytes(), None)
}

/// Removes a file; it is no error if there is none.
///
/// # Errors
/// If it cannot be removed.
pub fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::system("remove", path.to_owned())(error))
        }
        _ => Ok(()),
    }
}

impl Store {
    /// Puts a copy of a program at its stable place, `bin/NAME`. A copy, not a link: package
    /// managers move what they installed. Replaced by rename, so a hook that runs goes on.
    ///
    /// # Errors
    /// If the program cannot be read or the copy not be written.
    pub fn install_program(&self, name: &str, from: &Path) -> Result<PathBuf, StoreError> {
        let bytes = fs::read(from).map_err(StoreError::system("read", from.to_owned()))?;
        let path = self.path().join("bin").join(name);
        put(&path, &bytes, executable())?;
        Ok(path)
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{name}.{ending}"))
}

fn permissions(path: &Path) -> Option<fs::Permissions> {
    fs::metadata(path)
        .ok()
        .map(|metadata| metadata.permissions())
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere there is no such bit")]
fn executable() -> Option<fs::Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable() -> Option<fs::Permissions> {
    None
}

/// Writes a draft beside the file, makes it durable, and renames it.
fn put(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>) -> Result<(), StoreError> {
    let fail = || StoreError::system("write", path.to_owned());
    if let Some(above) = path.parent() {
        fs::create_dir_all(above).map_err(fail())?;
    }
    let draft = beside(path, &format!("{}.draft", std::process::id()));
    let written = fs::File::create(&draft).and_then(|mut file| {
        file.write_all(bytes)?;
        permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
        file.sync_all()
    });
    let renamed = written.and_then(|()| fs::rename(&draft, path));
    renamed.map_err(|error| {
        drop(fs::remove_file(&draft));
        fail()(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_text_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/settings.json");
        assert_eq!(replace(&path, "one").unwrap(), None);
        let kept = replace(&path, "two").unwrap().unwrap();
        assert_eq!(fs::read_to_string(kept).unwrap(), "one");
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(replace(&path, "two").unwrap(), None);
        assert!(create(&path, "three").is_err());
        remove(&path).unwrap();
        remove(&path).unwrap();
        assert!(!path.exists());
    }
}
