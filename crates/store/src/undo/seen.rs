//! What stands under a path before it is kept: kind, size, owners. Follows links above a thing, to
//! learn its real path, and never the thing itself. Writes nothing.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use super::manifest::{BackupEntry, Kind};
use super::sys;
use crate::sys::mode;

/// The directories above things, with their real paths; each is looked at once.
#[derive(Debug, Default)]
pub struct Above {
    real: BTreeMap<PathBuf, PathBuf>,
}

impl Above {
    /// The path without a link in it, the last part aside.
    pub fn real(&mut self, path: &Path) -> io::Result<PathBuf> {
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        if let Some(real) = self.real.get(above) {
            return Ok(real.join(name));
        }
        let real = std::fs::canonicalize(above)?;
        self.real.insert(above.to_owned(), real.clone());
        Ok(real.join(name))
    }
}

/// A thing as it stands, without its content: a file has an empty sum.
pub fn entry(path: PathBuf, metadata: &Metadata) -> io::Result<BackupEntry> {
    let kind = match sys::special(metadata) {
        Some(special) => special,
        None if metadata.is_symlink() => Kind::Link {
            target: std::fs::read_link(&path)?.into_os_string(),
        },
        None if metadata.is_dir() => Kind::Dir,
        None => Kind::File { sum: String::new() },
    };
    let is_file = matches!(kind, Kind::File { .. });
    Ok(BackupEntry {
        path,
        mode: mode(metadata),
        size: if is_file { metadata.len() } else { 0 },
        modified: sys::modified(metadata),
        owners: sys::owners(metadata),
        twin: if is_file {
            sys::twin(metadata)
        } else {
            String::new()
        },
        attributes: Vec::new(),
        kind,
    })
}
