//! What `init` noted about the installation that a hook belongs to: whose home and settings it
//! serves, and which files of hosts name it. The hook reads it instead of variables that a project
//! can set.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::{Store, StoreError};

/// Where it is, below the directory of all state.
const FILE: &str = "bin/house";

/// Largest note, in bytes.
const BYTES_MAX: u64 = 16 * 1024;

/// Most settings files that are remembered; the oldest go first.
const SETTINGS_MAX: usize = 32;

/// Whose hook it is, as `init` saw it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InstallRecord {
    /// The user's home.
    pub home: String,
    /// The directory of the user's own settings and rules.
    pub config: String,
    /// Settings files of hosts that were seen to name the hook, oldest first.
    pub settings: Vec<String>,
}

impl InstallRecord {
    /// Remembers one more settings file. Whether it is new.
    pub fn add(&mut self, path: &str) -> bool {
        let is_new = !self.settings.iter().any(|known| known == path);
        if is_new {
            self.settings.push(path.to_owned());
            let over = self.settings.len().saturating_sub(SETTINGS_MAX);
            self.settings.drain(..over);
        }
        is_new
    }

    fn text(&self) -> String {
        let mut text = format!("home {}\nconfig {}\n", self.home, self.config);
        for path in &self.settings {
            text.push_str(&format!("settings {path}\n"));
        }
        text
    }

    fn of(text: &str) -> Option<Self> {
        let mut record = Self::default();
        for line in text.lines() {
            match line.split_once(' ')? {
                ("home", path) => path.clone_into(&mut record.home),
                ("config", path) => path.clone_into(&mut record.config),
                ("settings", path) => record.settings.push(path.to_owned()),
                // Of a newer program.
                _ => {}
            }
        }
        Some(record)
    }
}

/// The note of a directory of state, whoever owns that: it is checked when it is opened.
#[must_use]
pub fn install_record(state: &Path) -> Option<InstallRecord> {
    let file = File::open(state.join(FILE)).ok()?;
    let mut text = String::new();
    file.take(BYTES_MAX).read_to_string(&mut text).ok()?;
    InstallRecord::of(&text)
}

impl Store {
    /// Notes whose hook it is.
    ///
    /// # Errors
    /// If that cannot be written, or a path cannot be noted because it holds a line break.
    pub fn set_install_record(&self, record: &InstallRecord) -> Result<(), StoreError> {
        let text = record.text();
        if InstallRecord::of(&text).as_ref() != Some(record) {
            let odd = std::io::Error::other("a path with a line break cannot be noted");
            return Err(self.root.failed("write", FILE)(odd));
        }
        self.root.replace(FILE, text.as_bytes())
    }
}

/// Where the settings files are noted that named the hook when a session started.
const REGISTERED: &str = "registered";

impl Store {
    /// Settings files that named the hook when a session was last started under them, whoever wrote
    /// that: `init` or a person.
    #[must_use]
    pub fn registered(&self) -> Vec<String> {
        let noted = self.note(REGISTERED).unwrap_or_default();
        noted.lines().map(str::to_owned).collect()
    }

    /// Notes which of some settings files name the hook now, and which do not. What others do stays
    /// as it was noted. Writes only what is new.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn set_registered(&self, files: &[(String, bool)]) -> Result<(), StoreError> {
        let before = self.registered();
        let is_named = |path: &String| files.iter().any(|(file, _)| file == path);
        let mut after: Vec<String> = before.clone();
        after.retain(|path| !is_named(path));
        let named = files
            .iter()
            .filter(|(path, ours)| *ours && !path.contains('\n'));
        after.extend(named.map(|(path, _)| path.clone()));
        after.sort();
        after.dedup();
        let over = after.len().saturating_sub(SETTINGS_MAX);
        after.drain(..over);
        if after == before {
            return Ok(());
        }
        self.set_note(REGISTERED, Some(&after.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registrations_come_and_go() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        assert_eq!(store.registered(), Vec::<String>::new());
        let file = |path: &str, ours| (path.to_owned(), ours);
        let all = [file("/u", true), file("/p", true), file("/a\nb", true)];
        store.set_registered(&all).unwrap();
        assert_eq!(store.registered(), ["/p", "/u"]);
        store
            .set_registered(&[file("/p", false), file("/q", true)])
            .unwrap();
        assert_eq!(store.registered(), ["/q", "/u"]);
    }

    #[test]
    fn an_install_record_is_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("state");
        let store = Store::open(&state).unwrap();
        assert_eq!(install_record(&state), None);
        let mut mine = InstallRecord {
            home: "/home/a dev".to_owned(),
            config: "/home/a dev/.config/tollgate".to_owned(),
            settings: Vec::new(),
        };
        for number in 0..40 {
            assert!(mine.add(&format!("/p/{number}")));
            assert!(!mine.add(&format!("/p/{number}")));
        }
        assert_eq!((mine.settings.len(), &*mine.settings[0]), (32, "/p/8"));
        store.set_install_record(&mine).unwrap();
        assert_eq!(install_record(&state), Some(mine.clone()));
        mine.home = "/a\nconfig /b".to_owned();
        assert!(store.set_install_record(&mine).is_err());
    }
}
