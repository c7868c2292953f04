//! What proves a yes beside the session's record: the user's key, and files that only root can have
//! made. Decides nothing.

use std::io::{self, Read, Write};
use std::path::Path;

use model::Digest;
use text::hex;

use crate::notes::NOTE_BYTES_MAX;
use crate::sys::{self, How};
use crate::{Store, StoreError};

/// The public half of the user's key, as hex.
const PUBLIC_KEY: &str = "key.pub";

/// The private half, encrypted.
const KEY: &str = "key";

/// The public halves of passkeys, a line each.
const PASSKEYS: &str = "passkeys";

/// Longest statement of root's, in bytes.
const STATEMENT_BYTES_MAX: u64 = 1_024;

/// The directory of root's words.
const ROOT_DIR: &str = "grants";

/// Where root's word about a call is.
fn root_file(digest: &Digest) -> String {
    format!("{ROOT_DIR}/{}", hex::encode(digest))
}

impl Store {
    /// The public half of the user's key, if there is one.
    #[must_use]
    pub fn public_key(&self) -> Option<Digest> {
        hex::decode_array(self.note(PUBLIC_KEY)?.trim())
    }

    /// The private half of the user's key, as it was encrypted.
    #[must_use]
    pub fn key(&self) -> Option<String> {
        self.note(KEY)
    }

    /// Keeps a key: the public half, and the private one as it was encrypted.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn set_key(&self, public: &Digest, private: &str) -> Result<(), StoreError> {
        self.set_note(KEY, Some(private))?;
        self.set_note(PUBLIC_KEY, Some(&hex::encode(public)))
    }

    /// The public halves of the user's passkeys, a line each; empty if there is none.
    #[must_use]
    pub fn passkeys(&self) -> String {
        self.note(PASSKEYS).unwrap_or_default()
    }

    /// Keeps the passkeys that there are from now on.
    ///
    /// # Errors
    /// If they are too many for a note, or it cannot be written.
    pub fn set_passkeys(&self, lines: &str) -> Result<(), StoreError> {
        if lines.len() as u64 > NOTE_BYTES_MAX {
            let full = io::Error::new(io::ErrorKind::StorageFull, "too many passkeys");
            return Err(self.root.failed("keep", PASSKEYS)(full));
        }
        self.set_note(PASSKEYS, Some(lines))
    }

    /// Whether root may have said something about any call: without this, no call is worth a
    /// digest.
    #[must_use]
    pub fn has_root_said(&self) -> bool {
        self.root.read_of_anybody(ROOT_DIR).is_some()
    }

    /// Whether root said this about a call: the file is root's, nobody else can write it, and it
    /// says exactly this.
    #[must_use]
    pub fn root_said(&self, digest: &Digest, statement: &str) -> bool {
        let Some(file) = self.root.read_of_anybody(&root_file(digest)) else {
            return false;
        };
        let by_root = file.metadata().is_ok_and(|metadata| {
            metadata.is_file() && sys::owner(&metadata) == 0 && sys::mode(&metadata) & 0o022 == 0
        });
        let mut said = String::new();
        let read = file.take(STATEMENT_BYTES_MAX).read_to_string(&mut said);
        by_root && read.is_ok() && said == statement
    }
}

/// Root says this about a call, below the state of a user.
///
/// # Errors
/// If the state is not there or cannot be written.
pub fn say_as_root(state: &Path, digest: &Digest, statement: &str) -> Result<(), StoreError> {
    let name = root_file(digest);
    put(state, &name, statement.as_bytes()).map_err(StoreError::system("write", state.join(name)))
}

/// Nothing below the state may be a link: a user could point root elsewhere with it.
fn put(state: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let dir = sys::open_dir(state)?;
    let create = || sys::open_below(&dir, name, How::Create);
    let mut file = match create() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let above = state.join(name);
            sys::make_open_dir(above.parent().unwrap_or(state))?;
            create()?
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(state.join(name))?;
            create()?
        }
        created => created?,
    };
    file.write_all(bytes)?;
    // The user's hook has to read it.
    sys::let_all_read(&file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_root_speaks_as_root() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let store = Store::open(&state).unwrap();
        let digest = [7; 32];
        assert!(!store.has_root_said());
        assert!(!store.root_said(&digest, "yes\n"));
        say_as_root(&state, &digest, "yes\n").unwrap();
        assert!(store.has_root_said());
        let is_root = sys::user() == 0;
        assert_eq!(store.root_said(&digest, "yes\n"), is_root);
        assert!(!store.root_said(&digest, "yes"));
        assert!(!store.root_said(&[8; 32], "yes\n"));
        let path = state.join(root_file(&digest));
        let writable = std::os::unix::fs::PermissionsExt::from_mode(0o666);
        std::fs::set_permissions(&path, writable).unwrap();
        assert!(!store.root_said(&digest, "yes\n"));
        if is_root {
            std::os::unix::fs::chown(&path, Some(1_000), None).unwrap();
            let closed = std::os::unix::fs::PermissionsExt::from_mode(0o644);
            std::fs::set_permissions(&path, closed).unwrap();
            assert!(!store.root_said(&digest, "yes\n"));
        }
    }

    #[test]
    fn a_key_comes_back() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        assert_eq!((store.public_key(), store.key()), (None, None));
        let public: Digest = std::array::from_fn(|at| u8::try_from(at * 7).unwrap());
        store.set_key(&public, "secret").unwrap();
        assert_eq!(store.public_key(), Some(public));
        assert_eq!(store.key().as_deref(), Some("secret"));
    }
}
