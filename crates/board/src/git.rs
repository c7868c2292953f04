//! Committing our own folder where a person wants that: nothing else, never in the middle of
//! something, and with the person's own hooks.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};
use edge::facts::{self, Budget};

use crate::{Board, HOME};

/// What lies in a git directory while something is under way.
const UNDER_WAY: &[(&str, &str)] = &[
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisect"),
];
/// What is committed, below the top.
const FOLDERS: &[&str] = &["messages", "attachments"];

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// It is made.
    Done,
    /// It is left for later, because of this.
    Later(&'static str),
}

impl Board {
    /// Commits the messages, and nothing that is not one.
    ///
    /// # Errors
    /// If this is no work tree, or git refuses; the message is posted all the same.
    pub fn commit_messages(&self, subject: &str) -> Result<Committed> {
        let top = self.top.to_string_lossy();
        let Some(dirs) = facts::git_dirs(&top, &self.place, &mut Budget::start()) else {
            bail!("this is no git work tree, so nothing can be committed");
        };
        let git_dir = Path::new(&dirs.git_dir);
        let under_way = UNDER_WAY
            .iter()
            .find(|(name, _)| git_dir.join(name).exists());
        if let Some((_, what)) = under_way {
            return Ok(Committed::Later(what));
        }
        let there = FOLDERS.iter().filter(|name| self.dir(name).is_dir());
        let paths: Vec<String> = there.map(|name| [HOME, "/", name].concat()).collect();
        self.run(&["add", "--"], &paths)?;
        self.run(
            &["commit", "--quiet", "--only", "-m", subject, "--"],
            &paths,
        )?;
        Ok(Committed::Done)
    }

    fn run(&self, words: &[&str], paths: &[String]) -> Result<()> {
        let mut git = Command::new("git");
        git.current_dir(&self.top).args(words).args(paths);
        // Another program may hold git's own lock for a moment.
        git.stdin(Stdio::null()).stdout(Stdio::null());
        let done = git.output()?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            let word = words.first().copied().unwrap_or_default();
            bail!("git {word} refused: {}", ledger::visible(said.trim()));
        }
        Ok(())
    }
}
