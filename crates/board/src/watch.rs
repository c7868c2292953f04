//! Waits until something may have been posted: told by the system, and looking by itself now and
//! then, since not every file system tells.

use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

/// How long it waits without being told.
const POLL: Duration = Duration::from_millis(500);
/// How long it waits for more after it was told: one post is several changes.
const SETTLE: Duration = Duration::from_millis(5);

/// Watches a directory.
pub struct Watch {
    told: Receiver<()>,
    /// Ends with the value.
    _watcher: Option<RecommendedWatcher>,
}

impl Watch {
    /// Watches a directory and what is below it. Where the system tells nothing, time does.
    #[must_use]
    pub fn new(dir: &Path) -> Self {
        let (tell, told) = mpsc::channel();
        let watcher = notify::recommended_watcher(move |_| {
            // Who no longer listens needs nothing.
            let _ = tell.send(());
        });
        let watching = watcher.and_then(|mut watcher| {
            watcher.watch(dir, RecursiveMode::Recursive)?;
            Ok(watcher)
        });
        Self {
            told,
            _watcher: watching.ok(),
        }
    }

    /// Waits until something changed or may have, at most until `end`. Whether there is time left.
    #[must_use]
    pub fn wait(&self, end: Instant) -> bool {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        match self.told.recv_timeout(left.min(POLL)) {
            Ok(()) => {
                std::thread::sleep(SETTLE);
                self.told.try_iter().for_each(drop);
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => std::thread::sleep(left.min(POLL)),
            Err(mpsc::RecvTimeoutError::Timeout) => {}
        }
        true
    }
}
