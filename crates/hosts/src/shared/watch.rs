//! The second program of ours that a host starts as a session starts: `tollgate` itself, which
//! looks whether the hook beside it is still ours. Must not know any host's names.

use crate::shared::nested::{HookRow, Need, PROGRAM, row};
use text::json::Object;

/// Its file name, beside the hook.
const WATCHER: &str = "tollgate";

/// The command that it is started with.
const WATCH: &str = "watch";

/// How a file that lacks it is told of it.
pub(crate) const UNWATCHED: &str = "the start of a session by tollgate itself";

/// The row of a table at which it looks at the hook.
pub(crate) const fn watch(event: &'static str, timeout_s: u32) -> HookRow {
    HookRow {
        is_watch: true,
        ..row(event, timeout_s, Need::Hear)
    }
}

impl HookRow {
    /// The path of what it starts, by the hook's.
    pub fn program(&self, hook: &str) -> String {
        let (dir, name) = hook.split_at(hook.rfind(['/', '\\']).map_or(0, |at| at + 1));
        match self.is_watch {
            true => [dir, &name.replacen(PROGRAM, WATCHER, 1)].concat(),
            false => hook.to_owned(),
        }
    }

    /// What it starts that with.
    pub fn words(&self, host: &'static str) -> Vec<&'static str> {
        let own = self.is_watch.then_some(WATCH);
        own.into_iter().chain([host, self.event]).collect()
    }
}

/// The hook's path by that of our other program, if it is that.
pub(crate) fn watched(path: &str) -> Option<String> {
    let (dir, name) = path.split_at(path.rfind(['/', '\\'])? + 1);
    let is_ours = name == WATCHER || name.strip_suffix(".exe") == Some(WATCHER);
    is_ours.then(|| [dir, &name.replacen(WATCHER, PROGRAM, 1)].concat())
}

/// The hook's path in a command for `/bin/sh` that has our other program look at it.
pub(crate) fn watched_in_shell(command: &str) -> Option<String> {
    let (word, words) = command.strip_prefix('\'')?.split_once("' ")?;
    let is_watch = words.split(' ').next() == Some(WATCH);
    is_watch
        .then(|| watched(&word.replace(r"'\''", "'")))
        .flatten()
}

/// Whether our other program is told to look at the hook.
pub(crate) fn is_told_to_watch(handler: &Object<'_>) -> bool {
    let words = handler.get("args").and_then(|args| args.items());
    words.is_some_and(|words| words.first().is_some_and(|word| word.is_text(WATCH)))
}
