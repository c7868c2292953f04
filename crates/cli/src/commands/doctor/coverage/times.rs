//! When the gate was up: the history that `init`, `uninstall`, `off` and `on` left.

use std::collections::HashSet;

use model::Time;
use store::{InstallChange, Turn};

/// A stretch of time in which the gate was switched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Off {
    pub from: Time,
    pub until: Time,
    pub reason: String,
}

/// When the gate was up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Times {
    pub off: Vec<Off>,
    /// From when on some settings named the hook, and until when.
    pub installed: Vec<(Time, Time)>,
}

/// There is no end yet.
const OPEN: Time = Time(u64::MAX);

impl Times {
    /// Reads a history, oldest turn first.
    pub fn of(history: &[Turn]) -> Self {
        let mut times = Self::default();
        let mut files: HashSet<&str> = HashSet::new();
        for Turn { time, what } in history {
            match what {
                InstallChange::Off { until, reason } => {
                    times.end_off(*time);
                    times.off.push(Off {
                        from: *time,
                        until: *until,
                        reason: reason.clone(),
                    });
                }
                InstallChange::On => times.end_off(*time),
                InstallChange::Lowered(_) => {}
                InstallChange::Installed(path) => {
                    if files.is_empty() {
                        times.installed.push((*time, OPEN));
                    }
                    files.insert(path);
                }
                InstallChange::Removed(path) => {
                    let had = files.remove(path.as_str());
                    if let Some(last) = times.installed.last_mut()
                        && had
                        && files.is_empty()
                    {
                        last.1 = *time;
                    }
                }
            }
        }
        times
    }

    fn end_off(&mut self, time: Time) {
        if let Some(off) = self.off.last_mut() {
            off.until = off.until.min(time);
        }
    }

    /// Whether the gate was switched off then.
    pub fn is_off(&self, time: Time) -> bool {
        self.off
            .iter()
            .any(|off| (off.from..off.until).contains(&time))
    }

    /// Whether the gate was put up by then.
    pub fn is_installed(&self, time: Time) -> bool {
        let mut spans = self.installed.iter();
        spans.any(|(from, until)| (*from..*until).contains(&time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_tells_when_the_gate_was_up() {
        let turn = |time, what| Turn {
            time: Time(time),
            what,
        };
        let off = |until| InstallChange::Off {
            until: Time(until),
            reason: String::new(),
        };
        let (user, project) = ("/u".to_owned(), "/p".to_owned());
        let times = Times::of(&[
            turn(10, InstallChange::Installed(user.clone())),
            turn(12, InstallChange::Installed(project.clone())),
            turn(20, off(40)),
            turn(30, InstallChange::On),
            turn(50, off(60)),
            turn(55, off(58)),
            turn(70, InstallChange::Removed(user)),
            turn(80, InstallChange::Removed(project.clone())),
            turn(90, InstallChange::Installed(project)),
        ]);
        for (time, off, installed) in [
            (9, false, false),
            (10, false, true),
            (25, true, true),
            (30, false, true),
            (54, true, true),
            (57, true, true),
            (59, false, true),
            (75, false, true),
            (85, false, false),
            (100, false, true),
        ] {
            let found = (times.is_off(Time(time)), times.is_installed(Time(time)));
            assert_eq!(found, (off, installed), "{time}");
        }
    }
}
