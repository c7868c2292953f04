//! What of a capture only git can put back: refs and stashes. Runs git with the repository's and
//! the user's programs shut out.

use std::cmp::Reverse;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use store::undo::{BackupEntry, Capture, Kind};

use crate::process;

/// Where git is looked for: what a repository or a worker puts into `PATH` is not run.
const PROGRAMS: &[&str] = &[
    "/opt/homebrew/bin/git",
    "/usr/local/bin/git",
    "/run/current-system/sw/bin/git",
    "/usr/bin/git",
];
/// Longest run of git.
const TIME_MAX: Duration = Duration::from_secs(20);
/// Letters of a commit that people read.
const SHORT: usize = 10;

/// What became of one commit.
pub struct Put {
    /// In words.
    pub what: String,
    /// Whether it is where it was.
    pub good: bool,
}

/// The beginning of a commit's name.
pub fn short(commit: &str) -> &str {
    commit.get(..SHORT).unwrap_or(commit)
}

/// A repository, for git.
struct Repository<'a> {
    common_dir: &'a str,
}

/// What git said, if it ended well.
type Said = Option<String>;

impl Repository<'_> {
    fn run(&self, args: &[&str]) -> Result<Said> {
        let program = PROGRAMS.iter().find(|program| Path::new(program).is_file());
        let program = program.context("git is not installed where it is looked for")?;
        let mut git = Command::new(program);
        git.env_clear().envs([
            ("PATH", "/usr/bin:/bin"),
            ("HOME", "/nonexistent"),
            ("LC_ALL", "C"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_COMMITTER_NAME", "tollgate"),
            ("GIT_COMMITTER_EMAIL", "tollgate@localhost"),
        ]);
        git.args([
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
        ]);
        git.arg(format!("--git-dir={}", self.common_dir)).args(args);
        let outcome = process::run(&mut git, b"", TIME_MAX).context("cannot run git")?;
        let said = String::from_utf8_lossy(&outcome.stdout).trim().to_owned();
        Ok(outcome.status.success().then_some(said))
    }

    /// The commit that a ref holds.
    fn holds(&self, reference: &str) -> Result<Said> {
        self.run(&["rev-parse", "--verify", "--quiet", reference])
    }
}

/// Puts back the refs and stashes of a capture that are gone. What still exists and points
/// elsewhere is left as it is, with a word on how to move it.
///
/// # Errors
/// If git cannot be run.
pub fn put_back(capture: &Capture, dry_run: bool) -> Result<Vec<Put>> {
    let mut anchors: Vec<(&BackupEntry, &str)> = capture
        .entries
        .iter()
        .filter_map(|entry| match &entry.kind {
            Kind::Anchor { name, .. } => Some((entry, name.as_str())),
            _ => None,
        })
        .collect();
    // The oldest stash first, so that they come to lie in their order.
    anchors.sort_by_key(|(_, name)| Reverse(stash_number(name)));
    let mut done = Vec::new();
    for (entry, name) in anchors {
        if let Kind::Anchor {
            common_dir, commit, ..
        } = &entry.kind
        {
            let repository = Repository { common_dir };
            let root = entry.path.display().to_string();
            let anchor = Anchor { name, commit };
            done.push(put_one(&repository, &root, &anchor, dry_run)?);
        }
    }
    Ok(done)
}

/// The number of `stash@{number}`; nothing for another name.
fn stash_number(name: &str) -> Option<u64> {
    let number = name.strip_prefix("stash@{")?.strip_suffix('}')?;
    number.parse().ok()
}

/// Where a name of a repository pointed.
struct Anchor<'a> {
    name: &'a str,
    commit: &'a str,
}

fn put_one(
    repository: &Repository<'_>,
    root: &str,
    anchor: &Anchor<'_>,
    dry_run: bool,
) -> Result<Put> {
    let Anchor { name, commit } = *anchor;
    let put = |good, what| Ok(Put { what, good });
    let brief = short(commit);
    if repository
        .run(&["cat-file", "-e", &format!("{commit}^{{commit}}")])?
        .is_none()
    {
        return put(
            false,
            format!("{name}: commit {brief} is not in {root} any more"),
        );
    }
    if name.starts_with("stash@{") || name == "refs/stash" {
        return stash(repository, name, commit, dry_run);
    }
    let is_ref = name.starts_with("refs/heads/") || name.starts_with("refs/tags/");
    match repository.holds(name)?.filter(|now| !now.is_empty()) {
        Some(now) if now == commit => put(true, format!("{name} is at {brief}, as it was")),
        None if is_ref => {
            let none = "0".repeat(commit.len());
            let args = ["update-ref", name, commit, &none];
            let is_done = dry_run || repository.run(&args)?.is_some();
            let what = if is_done {
                "points at"
            } else {
                "cannot be made to point at"
            };
            put(is_done, format!("{name} {what} {brief} again"))
        }
        now => {
            let now = now.map_or("nothing".to_owned(), |now| short(&now).to_owned());
            put(
                true,
                format!(
                    "{name} is at {now} and was at {brief}, which is kept. To go there: \
                     git -C {root} reset --keep {brief}; to look at it: \
                     git -C {root} branch before-undo {brief}"
                ),
            )
        }
    }
}

fn stash(repository: &Repository<'_>, name: &str, commit: &str, dry_run: bool) -> Result<Put> {
    let put = |good, what| Ok(Put { what, good });
    let brief = short(commit);
    let list = repository.run(&["reflog", "show", "--format=%H", "refs/stash"])?;
    if list.unwrap_or_default().lines().any(|line| line == commit) {
        return put(
            true,
            format!("{name} ({brief}) is among the stashes, as it was"),
        );
    }
    let message = repository
        .run(&["log", "-1", "--format=%s", commit])?
        .unwrap_or_default();
    let args = ["stash", "store", "-m", &message, commit];
    let is_done = dry_run || repository.run(&args)?.is_some();
    let what = if is_done {
        "is among the stashes again"
    } else {
        "cannot be stored again"
    };
    put(is_done, format!("{name} ({brief}) {what}"))
}

/// Whether an index can go back without losing anything: `HEAD` is where it was, and nothing was
/// staged since.
///
/// # Errors
/// If git cannot be run.
pub fn is_index_free(root: &str, index: &Path, head: &str) -> Result<bool> {
    let dir = index.parent().unwrap_or(index).to_string_lossy();
    let repository = Repository { common_dir: &dir };
    let now = repository.holds("HEAD")?.unwrap_or_default();
    if head.is_empty() || now != head {
        return Ok(false);
    }
    let tree = format!("--work-tree={root}");
    let staged = repository.run(&[&tree, "diff-index", "--cached", "--quiet", "HEAD", "--"])?;
    Ok(staged.is_some())
}

/// Removes refs of ours that git has packed.
///
/// # Errors
/// If git cannot be run, or refuses.
pub fn unset(left: &[(String, String, String)]) -> Result<()> {
    for (common_dir, reference, commit) in left {
        let repository = Repository { common_dir };
        let is_ours = reference.starts_with("refs/tollgate/anchor/");
        if is_ours
            && repository
                .run(&["update-ref", "-d", reference, commit])?
                .is_none()
        {
            bail!("{reference} in {common_dir} cannot be removed; git update-ref -d does it");
        }
    }
    Ok(())
}
