//! The index of patterns: the text that people read and edit, and the table that it is compiled
//! into, which names the text that it was made of. Knows the envelope, not the entries.

use std::fs::File;
use std::path::PathBuf;

use crate::bundle::{Source, Stamp};
use crate::slots::{self, Patience};
use crate::sys;
use crate::{Claim, Store, StoreError};

/// The text.
const TEXT: &str = "index/anti_pattern_index.json";
/// The table.
const TABLE: &str = "index/table";
/// Who changes the text holds this.
const LOCK: &str = "index/lock";
/// Largest text, in bytes.
const TEXT_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Bytes before the table itself: when the text was changed, and its size.
const HEAD_BYTES: u64 = 16;

/// A compiled table, open.
#[derive(Debug)]
pub struct IndexTable {
    file: File,
    /// Whether it is what the text says now.
    pub is_fresh: bool,
}

impl IndexTable {
    /// Bytes of the table; `None` if they are not there.
    #[must_use]
    pub fn part(&self, at: u64, count: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; count];
        let read = sys::read_at(&self.file, &mut bytes, at.checked_add(HEAD_BYTES)?).ok()?;
        (read == count).then_some(bytes)
    }
}

impl Store {
    /// Where the text of the index lies.
    #[must_use]
    pub fn index_path(&self) -> PathBuf {
        self.root.at(TEXT)
    }

    /// The text of the index, if there is one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn index_text(&self) -> Result<Option<String>, StoreError> {
        let bytes = self.root.load(TEXT, TEXT_BYTES_MAX)?;
        let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(text)
    }

    /// Replaces the text of the index. Who read it before holds [`Store::claim_index`].
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn set_index_text(&self, text: &str) -> Result<(), StoreError> {
        self.root.replace(TEXT, text.as_bytes())
    }

    /// The right to change the index, held until it is dropped; waits for who has it.
    ///
    /// # Errors
    /// If others hold it for too long.
    pub fn claim_index(&self) -> Result<Claim, StoreError> {
        let file = slots::lock(&self.root, LOCK, &mut Patience::default())?;
        Ok(Claim(file))
    }

    /// How the text is now: to be taken before it is read.
    #[must_use]
    pub fn index_stamp(&self) -> Source {
        Source::new(&self.root.at(TEXT).to_string_lossy())
    }

    /// Replaces the table. `source` is what the text was when it was read.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_index_table(&self, table: &[u8], source: &Source) -> Result<(), StoreError> {
        let mut bytes = head(source.stamp).to_vec();
        bytes.extend_from_slice(table);
        self.root.replace(TABLE, &bytes)
    }

    /// Says of the table that it is what a text makes: for a text that cannot be compiled.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep_index_table(&self, source: &Source) -> Result<(), StoreError> {
        let Some(mut bytes) = self.root.load(TABLE, TEXT_BYTES_MAX)? else {
            return Ok(());
        };
        if let Some(made_of) = bytes.first_chunk_mut() {
            *made_of = head(source.stamp);
        }
        self.root.replace(TABLE, &bytes)
    }

    /// The table; nothing if there is none, and whether it is what the text says.
    #[must_use]
    pub fn index_table(&self) -> Option<IndexTable> {
        let file = self.root.read(TABLE).ok()??;
        let table = IndexTable {
            file,
            is_fresh: true,
        };
        let mut made_of = [0; HEAD_BYTES as usize];
        let read = sys::read_at(&table.file, &mut made_of, 0).ok()?;
        let is_fresh = read == made_of.len() && made_of == head(self.index_stamp().stamp);
        Some(IndexTable { is_fresh, ..table })
    }
}

fn head(stamp: Option<Stamp>) -> [u8; HEAD_BYTES as usize] {
    let stamp = stamp.unwrap_or(Stamp {
        modified: 0,
        size: u64::MAX,
    });
    let mut head = [0; HEAD_BYTES as usize];
    let (modified, size) = head.split_at_mut(8);
    modified.copy_from_slice(&stamp.modified.to_le_bytes());
    size.copy_from_slice(&stamp.size.to_le_bytes());
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_knows_the_text_that_it_is_of() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        assert!(store.index_table().is_none() && store.index_text().unwrap().is_none());
        store.set_index_text("{}").unwrap();
        store
            .write_index_table(b"table", &store.index_stamp())
            .unwrap();
        let table = store.index_table().unwrap();
        assert!(table.is_fresh);
        assert_eq!(table.part(1, 3).as_deref(), Some(&b"abl"[..]));
        assert_eq!(table.part(3, 3), None);
        store.set_index_text("{ }").unwrap();
        assert!(!store.index_table().unwrap().is_fresh);
        store.keep_index_table(&store.index_stamp()).unwrap();
        let table = store.index_table().unwrap();
        assert!(table.is_fresh);
        assert_eq!(table.part(0, 5).as_deref(), Some(&b"table"[..]));
        std::fs::remove_file(store.index_path()).unwrap();
        assert!(!store.index_table().unwrap().is_fresh);
    }

    #[test]
    fn one_changes_the_index_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        let claim = store.claim_index().unwrap();
        assert!(matches!(store.claim_index(), Err(StoreError::Busy { .. })));
        drop(claim);
        assert!(store.claim_index().is_ok());
    }
}
