//! The judges that run outside of every session: `judges/<mark>-<number>-<start>.judge`, by the
//! process that starts them. Knows no process that runs.

use model::Binding;

use crate::sys::How;
use crate::{Store, StoreError};

const DIR: &str = "judges";
const ENDING: &str = ".judge";

fn file(mark: &str, runner: Binding) -> String {
    format!("{DIR}/{mark}-{}-{}{ENDING}", runner.process, runner.start)
}

impl Store {
    /// The processes that have announced a judge with this mark.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn judges(&self, mark: &str) -> Result<Vec<Binding>, StoreError> {
        let names = self.root.names(DIR, ENDING)?;
        let runner = |name: &String| {
            let numbers = name.strip_prefix(mark)?.strip_prefix('-')?;
            let (process, start) = numbers.split_once('-')?;
            Some(Binding {
                process: process.parse().ok()?,
                start: start.parse().ok()?,
                nested: false,
            })
        };
        Ok(names.iter().filter_map(runner).collect())
    }

    /// Announces a judge.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn remember_judge(&self, mark: &str, runner: Binding) -> Result<(), StoreError> {
        let file = file(mark, runner);
        self.root.write(&file, How::Append).map(drop)
    }

    /// Says that a judge has ended.
    ///
    /// # Errors
    /// If that cannot be written.
    pub fn forget_judge(&self, mark: &str, runner: Binding) -> Result<(), StoreError> {
        self.root.remove(&file(mark, runner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_is_known_by_its_mark_alone() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("state")).unwrap();
        let runner = Binding {
            process: 3,
            start: 7,
            nested: false,
        };
        assert_eq!(store.judges("ab").unwrap(), []);
        store.remember_judge("ab", runner).unwrap();
        assert_eq!(store.judges("ab").unwrap(), [runner]);
        for other in ["", "a", "abc", "ab-3"] {
            assert_eq!(store.judges(other).unwrap(), [], "{other}");
        }
        store.forget_judge("ab", runner).unwrap();
        assert_eq!(store.judges("ab").unwrap(), []);
    }
}
