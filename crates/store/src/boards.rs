//! What is kept of boards to look at them faster: one index a board, which may be thrown away at
//! any time. Knows the envelope, not what is in it.

use std::time::{Duration, SystemTime};

use model::fnv64;

use crate::{Store, StoreError};
use model::sum64;

const DIR: &str = "boards";
const INDEX: &str = ".index";
const DRAFT: &str = ".draft";
/// Largest index, in bytes.
const BYTES_MAX: u64 = 512 * 1024 * 1024;
/// How long an index is kept that nobody writes anew.
const KEPT: Duration = Duration::from_secs(30 * 86_400);
/// How long a draft is: its process is dead by then.
const DRAFT_KEPT: Duration = Duration::from_secs(3_600);

fn file(top: &str) -> String {
    format!("{DIR}/{:016x}{INDEX}", fnv64(top.as_bytes()))
}

impl Store {
    /// The index of the board of a directory, if it is there and whole.
    #[must_use]
    pub fn board_index(&self, top: &str) -> Option<Vec<u8>> {
        let mut bytes = self.root.load(&file(top), BYTES_MAX).ok()??;
        let (index, sum) = bytes.split_last_chunk()?;
        let is_whole = sum64(index) == u64::from_le_bytes(*sum);
        let length = index.len();
        bytes.truncate(length);
        is_whole.then_some(bytes)
    }

    /// Replaces the index of a board, and throws away those of boards that nobody looks at.
    ///
    /// # Errors
    /// If it cannot be written; then the old one stands.
    pub fn set_board_index(&self, top: &str, index: &[u8]) -> Result<(), StoreError> {
        for (ending, kept) in [(INDEX, KEPT), (DRAFT, DRAFT_KEPT)] {
            for name in self.root.names(DIR, ending).unwrap_or_default() {
                let name = [DIR, "/", &name, ending].concat();
                let written = self.root.modified(&name).map(|(written, _)| written);
                let age = written.and_then(|time| SystemTime::now().duration_since(time).ok());
                if age.is_some_and(|age| age > kept) {
                    // What cannot be thrown away stays.
                    let _ = self.root.remove(&name);
                }
            }
        }
        let sum = sum64(index).to_le_bytes();
        self.root.replace_throwaway(&file(top), &[index, &sum])
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    #[test]
    fn an_index_is_whole_or_none_and_old_ones_go() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        assert_eq!(store.board_index("/a"), None);
        store.set_board_index("/a", b"one").unwrap();
        store.set_board_index("/b", b"").unwrap();
        assert_eq!(store.board_index("/a").as_deref(), Some(&b"one"[..]));
        assert_eq!(store.board_index("/b").as_deref(), Some(&b""[..]));
        let path = store.root.at(&file("/a"));
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&path, &bytes).unwrap();
            assert_eq!(store.board_index("/a"), None, "{at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(store.board_index("/a"), None, "{at}");
        }
        let long_ago = SystemTime::now() - KEPT * 2;
        File::open(&path).unwrap().set_modified(long_ago).unwrap();
        store.set_board_index("/b", b"two").unwrap();
        assert!(!path.exists());
        assert_eq!(store.board_index("/b").as_deref(), Some(&b"two"[..]));
    }
}
