//! Which reasons for a hint have proved to be of no use: a note that `tollgate stats` writes and
//! the hook reads. Measures nothing itself.

use model::Time;

use crate::{Store, StoreError};

/// The reasons, a name a line.
const USELESS: &str = "hints.off";
/// When they were last measured.
const ASKED: &str = "hints.asked";

impl Store {
    /// The names of reasons for which nothing is said any more.
    #[must_use]
    pub fn useless_hints(&self) -> Vec<String> {
        let note = self.note(USELESS).unwrap_or_default();
        let names = note.lines().map(str::trim).filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    }

    /// Notes which reasons are of no use.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn set_useless_hints(&self, names: &[&str]) -> Result<(), StoreError> {
        let text = names.join("\n");
        self.set_note(USELESS, (!names.is_empty()).then_some(&text))
    }

    /// When they were last measured.
    #[must_use]
    pub fn hints_asked(&self) -> Option<Time> {
        self.note(ASKED)?.trim().parse().ok().map(Time)
    }

    /// Notes that they are being measured.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn ask_hints(&self, now: Time) -> Result<(), StoreError> {
        self.set_note(ASKED, Some(&now.0.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_switched_off_and_on_again() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        assert!(store.useless_hints().is_empty());
        store.set_useless_hints(&["skill", "error"]).unwrap();
        assert_eq!(store.useless_hints(), ["skill", "error"]);
        store.set_useless_hints(&[]).unwrap();
        assert!(store.useless_hints().is_empty());
        assert_eq!(store.hints_asked(), None);
        store.ask_hints(Time(7)).unwrap();
        assert_eq!(store.hints_asked(), Some(Time(7)));
    }
}
