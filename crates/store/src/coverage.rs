//! How much of what hosts did was judged, as the last count found: a note for `status` and for the
//! next session's start. Counts nothing itself.

use model::{Time, one_line};

use crate::{Store, StoreError};

/// The result of the last count.
const RESULT: &str = "coverage";
/// When a count was last asked for.
const ASKED: &str = "coverage.asked";
/// Which bad result was last told.
const TOLD: &str = "coverage.told";

/// Longest words about it, in characters.
const WORDS_CHARS_MAX: usize = 400;

/// What the last count found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coverage {
    /// When it was counted.
    pub time: Time,
    /// Calls that change something.
    pub calls: u64,
    /// Those that were judged.
    pub seen: u64,
    /// Those that should have been and were not.
    pub missed: u64,
    /// What is wrong and what to do; empty if nothing is.
    pub words: String,
}

impl Coverage {
    fn of(text: &str) -> Option<Self> {
        let (numbers, words) = text.split_once('\n')?;
        let mut numbers = numbers.split(' ').map(|number| number.parse::<u64>().ok());
        let mut number = || numbers.next().flatten();
        Some(Self {
            time: Time(number()?),
            calls: number()?,
            seen: number()?,
            missed: number()?,
            words: words.trim_end().to_owned(),
        })
    }
}

impl Store {
    /// What the last count found, if there was one.
    #[must_use]
    pub fn coverage(&self) -> Option<Coverage> {
        Coverage::of(&self.note(RESULT)?)
    }

    /// Notes what a count found.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn set_coverage(&self, found: &Coverage) -> Result<(), StoreError> {
        let Coverage {
            time,
            calls,
            seen,
            missed,
            words,
        } = found;
        let words = one_line(words, WORDS_CHARS_MAX);
        let text = format!("{} {calls} {seen} {missed}\n{words}\n", time.0);
        self.set_note(RESULT, Some(&text))
    }

    /// When a count was last asked for.
    #[must_use]
    pub fn coverage_asked(&self) -> Option<Time> {
        self.time_noted(ASKED)
    }

    /// Notes that a count was asked for.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn ask_coverage(&self, now: Time) -> Result<(), StoreError> {
        self.set_note(ASKED, Some(&now.0.to_string()))
    }

    /// Whether a result was not told yet; from now on it was.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn tell_coverage(&self, found: &Coverage) -> Result<bool, StoreError> {
        if self.time_noted(TOLD) == Some(found.time) {
            return Ok(false);
        }
        self.set_note(TOLD, Some(&found.time.0.to_string()))?;
        Ok(true)
    }

    fn time_noted(&self, file: &str) -> Option<Time> {
        self.note(file)?.trim().parse().ok().map(Time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_told_once() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        assert_eq!((store.coverage(), store.coverage_asked()), (None, None));
        let mut found = Coverage {
            time: Time(7),
            calls: 212,
            seen: 0,
            missed: 212,
            words: "hooks are off; take it out".to_owned(),
        };
        store.set_coverage(&found).unwrap();
        assert_eq!(store.coverage().as_ref(), Some(&found));
        assert!(store.tell_coverage(&found).unwrap());
        assert!(!store.tell_coverage(&found).unwrap());
        found.time = Time(8);
        assert!(store.tell_coverage(&found).unwrap());
        store.ask_coverage(Time(9)).unwrap();
        assert_eq!(store.coverage_asked(), Some(Time(9)));
        found.words = String::new();
        store.set_coverage(&found).unwrap();
        assert_eq!(store.coverage(), Some(found));
    }
}
