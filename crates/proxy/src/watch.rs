//! That the record of a session may have changed, told by the system to every call that waits.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

/// How long nobody is told where nothing seems to change: not every file system tells, and what
/// root says lies elsewhere.
const POLL: Duration = Duration::from_secs(1);
/// The same where the system cannot tell at all.
const POLL_ALONE: Duration = Duration::from_millis(50);

/// How often the record may have changed.
#[derive(Debug, Default)]
struct Changes {
    count: Mutex<u64>,
    more: Condvar,
}

impl Changes {
    fn count(&self) -> MutexGuard<'_, u64> {
        self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self) {
        *self.count() += 1;
        self.more.notify_all();
    }
}

/// Watches the record of one session.
#[derive(Debug)]
pub struct Watch {
    changes: Arc<Changes>,
    /// Ends with the value.
    watcher: Option<RecommendedWatcher>,
}

impl Watch {
    /// Watches the directory of records for what begins with a session's name.
    pub fn new(records: &Path, session: &str) -> Self {
        let changes = Arc::new(Changes::default());
        let (told, session) = (Arc::clone(&changes), session.to_owned());
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let is_ours = |path: &std::path::PathBuf| {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                name.starts_with(&session)
            };
            // What is lost could have been ours.
            if event.is_ok_and(|event| event.kind.is_access() || !event.paths.iter().any(is_ours)) {
                return;
            }
            told.add();
        });
        let watcher = watcher.and_then(|mut watcher| {
            watcher.watch(records, RecursiveMode::NonRecursive)?;
            Ok(watcher)
        });
        Self {
            changes,
            watcher: watcher.ok(),
        }
    }

    /// Something else is to be looked at: whoever waits looks now.
    pub fn wake(&self) {
        self.changes.add();
    }

    /// How much has changed by now: what [`Watch::wait`] is told.
    pub fn seen(&self) -> u64 {
        *self.changes.count()
    }

    /// Waits until there is more than was seen, for so long at most.
    pub fn wait(&self, seen: u64, most: Duration) {
        let poll = match self.watcher {
            Some(_) => POLL,
            None => POLL_ALONE,
        };
        let count = self.changes.count();
        let waited = self
            .changes
            .more
            .wait_timeout_while(count, most.min(poll), |count| *count == seen);
        drop(waited);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Instant;

    use super::*;

    #[test]
    fn who_waits_is_told_of_its_own_record_alone() {
        let dir = tempfile::tempdir().unwrap();
        let watch = Watch::new(dir.path(), "mine");
        let seen = watch.seen();
        fs::write(dir.path().join("others.st"), "x").unwrap();
        watch.wait(seen, Duration::from_millis(200));
        assert_eq!(watch.seen(), seen);
        fs::write(dir.path().join("mine.st"), "x").unwrap();
        let begun = Instant::now();
        watch.wait(seen, Duration::from_secs(10));
        assert!(watch.seen() > seen && begun.elapsed() < POLL);
        let seen = watch.seen();
        watch.wake();
        watch.wait(seen, Duration::from_secs(10));
        assert!(begun.elapsed() < POLL);
    }
}
