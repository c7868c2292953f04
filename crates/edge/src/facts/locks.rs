//! A lock of git's that was left behind: the file is there, and nobody is at work who holds it.

use std::time::{Duration, SystemTime};

use model::CallEnv;
use text::path::join;

/// A lock is not looked at before it is this old: most are held for a moment.
const AGE_MIN: Duration = Duration::from_secs(3);

/// How old it has to be where it cannot be seen whether a git is running.
const AGE_UNSEEN_MIN: Duration = Duration::from_secs(15 * 60);

/// Most processes that are looked at.
const PROCESSES_MAX: usize = 4_096;

/// The lock of the index of the repository here, if it was left behind.
#[must_use]
pub fn left(place: &CallEnv, dir: &str) -> Option<String> {
    let (path, found) = [dir, place.project.as_str()].into_iter().find_map(|top| {
        let path = join(top, ".git/index.lock");
        let found = std::fs::symlink_metadata(&path).ok()?;
        Some((path, found))
    })?;
    let modified = found.modified().ok()?;
    let age = SystemTime::now().duration_since(modified).ok()?;
    let is_left = match is_git_running() {
        Some(is_running) => !is_running && age > AGE_MIN,
        None => age > AGE_UNSEEN_MIN,
    };
    is_left.then_some(path)
}

/// Whether some git runs; nothing where that cannot be seen.
fn is_git_running() -> Option<bool> {
    let mut seen = 0;
    for entry in std::fs::read_dir("/proc").ok()?.take(PROCESSES_MAX) {
        let entry = entry.ok()?;
        let name = entry.file_name();
        if !name
            .to_string_lossy()
            .bytes()
            .all(|byte| byte.is_ascii_digit())
        {
            continue;
        }
        let Ok(program) = std::fs::read_to_string(entry.path().join("comm")) else {
            continue;
        };
        seen += 1;
        if program.trim_end() == "git" || program.starts_with("git-") {
            return Some(true);
        }
    }
    (seen > 0).then_some(false)
}
