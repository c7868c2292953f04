//! Small facts about a project that the owner or a compile leaves for the hook: which words of its
//! rules are trusted, and what is wrong with them. Decides nothing.

use std::fs::{File, FileTimes, TryLockError};
use std::time::{Duration, SystemTime};

use crate::sys::How;
use crate::{Store, StoreError};

/// Largest note, in bytes.
pub(crate) const NOTE_BYTES_MAX: u64 = 4 * 1024;

/// The right to compile a project's rules, or to change the index, held until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct Claim(
    #[expect(dead_code, reason = "the lock lasts as long as the open file")] pub(crate) File,
);

/// Where it is noted which program is copied as the hook.
const HOOK_SOURCE: &str = "bin/source";

fn trust_file(project: &str) -> String {
    format!("bundles/{project}.trust")
}

fn broken_file(project: &str) -> String {
    format!("bundles/{project}.broken")
}

impl Store {
    /// Whether something that is to be done now and then is due. Who is told so is expected to do
    /// it: the next is told when this time has passed.
    pub(crate) fn claims(&self, stamp: &str, every: Duration) -> bool {
        let age = self.root.modified(stamp).map(|(time, _)| time);
        let age = age.and_then(|time| SystemTime::now().duration_since(time).ok());
        let note = || {
            let file = self.root.write(stamp, How::Append).ok()?;
            let now = FileTimes::new().set_modified(SystemTime::now());
            file.set_times(now).ok()
        };
        age.is_none_or(|age| age > every) && note().is_some()
    }

    /// The digest of the project's rules that the owner trusts; what cannot be read is not trusted.
    #[must_use]
    pub fn trusted(&self, project: &str) -> Option<String> {
        self.note(&trust_file(project))
    }

    /// Trusts the project's rules with this digest, or none.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn trust(&self, project: &str, digest: Option<&str>) -> Result<(), StoreError> {
        self.set_note(&trust_file(project), digest)
    }

    /// What kept the project's rules from being compiled, if anything did.
    #[must_use]
    pub fn broken_rules(&self, project: &str) -> Option<String> {
        self.note(&broken_file(project))
            .filter(|note| !note.is_empty())
    }

    /// Notes what keeps the project's rules from being compiled, or that nothing does.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn set_broken_rules(&self, project: &str, why: Option<&str>) -> Result<(), StoreError> {
        self.set_note(&broken_file(project), why)
    }

    /// The program that the owner named to be copied as the hook, if they named one.
    #[must_use]
    pub fn hook_source(&self) -> Option<String> {
        self.note(HOOK_SOURCE)
    }

    /// Remembers which program the owner wants as the hook.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn set_hook_source(&self, path: &str) -> Result<(), StoreError> {
        self.set_note(HOOK_SOURCE, Some(path))
    }

    /// Claims the compiling of a project's rules until the result is dropped; nothing if somebody
    /// else is at it.
    ///
    /// # Errors
    /// If the file to lock cannot be made or locked.
    pub fn claim_compile(&self, project: &str) -> Result<Option<Claim>, StoreError> {
        let name = format!("bundles/{project}.lock");
        let file = self.root.write(&name, How::Append)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Claim(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(self.root.failed("lock", &name)(error)),
        }
    }

    /// Whether files can be made and removed here.
    ///
    /// # Errors
    /// If they cannot.
    pub fn probe(&self) -> Result<(), StoreError> {
        let below = ["journal", "sessions"].iter();
        let below = below.filter(|dir| self.root.at(dir).exists());
        let names = below.map(|dir| format!("{dir}/probe"));
        for name in names.chain(["probe".to_owned()]) {
            self.root.replace(&name, b"probe")?;
            self.root.remove(&name)?;
        }
        Ok(())
    }

    pub(crate) fn note(&self, file: &str) -> Option<String> {
        let bytes = self.root.load(file, NOTE_BYTES_MAX).ok()??;
        String::from_utf8(bytes).ok()
    }

    pub(crate) fn set_note(&self, file: &str, text: Option<&str>) -> Result<(), StoreError> {
        match text {
            None => self.root.remove(file),
            Some(text) => {
                let end = text.floor_char_boundary(NOTE_BYTES_MAX as usize);
                self.root
                    .replace(file, text.get(..end).unwrap_or_default().as_bytes())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_compiles_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        let first = store.claim_compile("p1").unwrap();
        assert!(first.is_some());
        assert!(store.claim_compile("p1").unwrap().is_none());
        assert!(store.claim_compile("p2").unwrap().is_some());
        drop(first);
        assert!(store.claim_compile("p1").unwrap().is_some());
    }

    #[test]
    fn notes_come_and_go() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        store.probe().unwrap();
        assert_eq!(store.trusted("p1"), None);
        store.trust("p1", Some("abc")).unwrap();
        assert_eq!(
            (store.trusted("p1"), store.trusted("p2")),
            (Some("abc".to_owned()), None)
        );
        store.trust("p1", None).unwrap();
        assert_eq!(store.trusted("p1"), None);
        let long = "é".repeat(NOTE_BYTES_MAX as usize);
        store.set_broken_rules("p1", Some(&long)).unwrap();
        assert!(long.starts_with(&store.broken_rules("p1").unwrap()));
        store.set_broken_rules("p1", None).unwrap();
        assert_eq!(store.broken_rules("p1"), None);
        assert_eq!(store.hook_source(), None);
        store.set_hook_source("/opt/hook").unwrap();
        assert_eq!(store.hook_source().as_deref(), Some("/opt/hook"));
    }
}
