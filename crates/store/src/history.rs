//! When the gate was put up, taken down, switched off and on: a few lines a year, so that a call
//! that nobody judged can be explained. Decides nothing.

use std::io::Write;

use model::{Time, one_line};

use crate::sys::How;
use crate::{Store, StoreError};

/// Where it is.
const FILE: &str = "history";

/// From this size on the older half goes, in bytes.
const BYTES_MAX: usize = 256 * 1024;

/// Longest text of a line, in characters.
const TEXT_CHARS_MAX: usize = 1_000;

/// One turn of the gate's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// When.
    pub time: Time,
    /// What.
    pub what: InstallChange,
}

/// A change of the gate's installation or switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstallChange {
    /// `init` registered the hook in this settings file.
    Installed(String),
    /// `uninstall` took it out of this settings file.
    Removed(String),
    /// The owner switched the gate off.
    Off {
        /// Until when, unless it is switched on before.
        until: Time,
        /// Why.
        reason: String,
    },
    /// The owner switched it on again.
    On,
    /// Something was lowered: what, and by whom.
    Lowered(String),
}

impl Turn {
    fn line(&self) -> String {
        let time = self.time.0;
        let clean = |text: &str| one_line(text, TEXT_CHARS_MAX);
        match &self.what {
            InstallChange::Installed(path) => format!("{time} installed {}\n", clean(path)),
            InstallChange::Removed(path) => format!("{time} removed {}\n", clean(path)),
            InstallChange::Off { until, reason } => {
                format!("{time} off {} {}\n", until.0, clean(reason))
            }
            InstallChange::On => format!("{time} on\n"),
            InstallChange::Lowered(what) => format!("{time} lowered {}\n", clean(what)),
        }
    }

    fn of(line: &str) -> Option<Self> {
        let (time, rest) = line.split_once(' ')?;
        let (word, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let what = match word {
            "installed" => InstallChange::Installed(rest.to_owned()),
            "removed" => InstallChange::Removed(rest.to_owned()),
            "off" => {
                let (until, reason) = rest.split_once(' ').unwrap_or((rest, ""));
                InstallChange::Off {
                    until: Time(until.parse().ok()?),
                    reason: reason.to_owned(),
                }
            }
            "on" => InstallChange::On,
            "lowered" => InstallChange::Lowered(rest.to_owned()),
            _ => return None,
        };
        Some(Self {
            time: Time(time.parse().ok()?),
            what,
        })
    }
}

impl Store {
    /// Notes one turn.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn note_turn(&self, turn: &Turn) -> Result<(), StoreError> {
        let past = self.root.load(FILE, u64::MAX)?.unwrap_or_default();
        if past.len() > BYTES_MAX {
            let half = past.get(past.len() / 2..).unwrap_or_default();
            let line = half.iter().position(|byte| *byte == b'\n');
            let rest = line.and_then(|end| half.get(end + 1..));
            self.root.replace(FILE, rest.unwrap_or_default())?;
        }
        let mut file = self.root.write(FILE, How::Append)?;
        file.write_all(turn.line().as_bytes())
            .map_err(self.root.failed("append to", FILE))
    }

    /// What was lowered since a time, oldest first. What cannot be read is told by others.
    #[must_use]
    pub fn lowered(&self, since: Time) -> Vec<(Time, String)> {
        let turns = self.history().unwrap_or_default().into_iter();
        let lowered = turns.filter(|turn| turn.time >= since);
        let told = lowered.filter_map(|turn| match turn.what {
            InstallChange::Lowered(what) => Some((turn.time, what)),
            _ => None,
        });
        told.collect()
    }

    /// All turns that are known, oldest first. A line that cannot be read is passed over.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn history(&self) -> Result<Vec<Turn>, StoreError> {
        let bytes = self.root.load(FILE, u64::MAX)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.lines().filter_map(Turn::of).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_remembered_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        assert_eq!(store.history().unwrap(), []);
        let off = |reason: &str| InstallChange::Off {
            until: Time(9),
            reason: reason.to_owned(),
        };
        let changes = [
            InstallChange::Installed("/home/a dev/settings.json".to_owned()),
            off("over lunch"),
            off(""),
            InstallChange::On,
            InstallChange::Lowered("tollgate off, by process 7 (sh)".to_owned()),
            InstallChange::Removed("/home/a dev/settings.json".to_owned()),
        ];
        let turns: Vec<Turn> = changes
            .into_iter()
            .zip(1..)
            .map(|(what, time)| Turn {
                time: Time(time),
                what,
            })
            .collect();
        for turn in &turns {
            store.note_turn(turn).unwrap();
        }
        assert_eq!(store.history().unwrap(), turns);
        let mut file = store.root.write(FILE, How::Append).unwrap();
        file.write_all(b"half a li").unwrap();
        assert_eq!(store.history().unwrap(), turns);
    }

    #[test]
    fn old_turns_go() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        store
            .root
            .replace(FILE, "1 on\n".repeat(60_000).as_bytes())
            .unwrap();
        let turn = Turn {
            time: Time(2),
            what: InstallChange::On,
        };
        store.note_turn(&turn).unwrap();
        let kept = store.history().unwrap();
        assert_eq!(kept.last(), Some(&turn));
        assert_eq!(kept.len(), 30_000);
    }
}
