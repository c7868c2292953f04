//! The work tree of a run: beside the project, on a branch of its own. Nothing of it is removed
//! before it is captured under a name that stays.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use edge::facts::{self, Budget};

use crate::git::WorkTree;

/// Most bytes that are kept of what git ignores.
const BYTES_MAX: u64 = 64_000_000;

/// The name of a run's branch.
pub fn branch(id: &str) -> String {
    format!("tg/{id}")
}

/// The name under which a capture of a run is kept.
pub fn capture_ref(id: &str, number: u64) -> String {
    format!("refs/tollgate/runs/{id}/{number}")
}

/// The name under which is kept what was there before a work tree went.
pub fn rescue_ref(id: &str) -> String {
    format!("refs/tollgate/rescue/{id}")
}

/// Where the work tree of a run of a project lies.
pub fn place(project: &Path, id: &str) -> PathBuf {
    let name = project.file_name().unwrap_or_default().to_string_lossy();
    project.with_file_name(format!("{name}.tg")).join(id)
}

/// Makes the work tree of a run at a commit, or makes it anew from what was last captured of it.
///
/// # Errors
/// If git cannot make it.
pub fn make(project: &WorkTree, id: &str, base: &str) -> Result<()> {
    let (path, branch) = (place(project.top(), id), branch(id));
    if path.join(".git").exists() {
        return Ok(());
    }
    // One whose directory is gone is known to git still.
    project.git(&["worktree", "prune"])?;
    let path = path.to_string_lossy().into_owned();
    let is_there = project.commit_of(&format!("refs/heads/{branch}")).is_ok();
    let made = match is_there {
        true => project.git(&["worktree", "add", "--quiet", &path, &branch]),
        false => project.git(&["worktree", "add", "--quiet", "-b", &branch, &path, base]),
    };
    made.with_context(|| format!("the work tree {path} cannot be made"))?;
    Ok(())
}

/// Puts what was captured into a work tree that was made anew.
///
/// # Errors
/// If git cannot write it.
pub fn restore(tree: &WorkTree, captured: &str) -> Result<()> {
    tree.git(&["read-tree", "--reset", "-u", captured])?;
    tree.git(&["reset", "--quiet"])?;
    Ok(())
}

/// What became of a work tree that is removed.
pub struct Removed {
    /// The commit that holds what was there.
    pub commit: String,
    /// What git ignores and is in that commit too.
    pub kept: Vec<String>,
    /// What git ignores and is gone: a tool makes it again.
    pub gone: Vec<String>,
    /// Repositories of their own, from where to where they were moved.
    pub moved: Vec<(String, String)>,
}

/// Captures what is there, keeps it under a name that stays, and removes the work tree and its
/// branch.
///
/// # Errors
/// If something of it cannot be kept; then nothing is removed.
pub fn remove(project: &WorkTree, id: &str, base: &str) -> Result<Removed> {
    let path = place(project.top(), id);
    let tree = WorkTree::around(&path)?;
    let (mut kept, mut gone) = (Vec::new(), Vec::new());
    for name in tree.ignored()? {
        match is_made_again(&path.join(&name)) {
            true => gone.push(name),
            false => kept.push(name),
        }
    }
    let mut left = BYTES_MAX;
    for name in &kept {
        let bytes = size(&path.join(name), left);
        let Some(rest) = left.checked_sub(bytes) else {
            bail!(
                "{name} is ignored by git, is nothing that a tool makes again, and with the rest \
                 too much to be kept ({} MB): move it out of {}, then tollgate run discard {id}",
                BYTES_MAX / 1_000_000,
                path.display()
            );
        };
        left = rest;
    }
    // Repositories in what is ignored are in no capture, and go first.
    let ignored = kept.iter().flat_map(|name| repositories(&path, name));
    let mut moved = set_aside(&path, ignored.collect())?;
    kept.retain(|name| moved.is_empty() || holds_any(&path.join(name)));
    let base = if base.is_empty() { "HEAD" } else { base };
    let captured = tree.capture_with(base, &kept)?;
    let message = format!("run {id}, as it was given up");
    let commit = tree.keep(&captured.tree, "HEAD", (&rescue_ref(id), &message))?;
    let inner = captured.inner.into_iter().map(|inner| inner.path);
    moved.extend(set_aside(&path, inner.collect())?);
    let path = path.to_string_lossy().into_owned();
    project.git(&["worktree", "remove", "--force", &path])?;
    project.git(&["branch", "--quiet", "-D", &branch(id)])?;
    Ok(Removed {
        commit,
        kept,
        gone,
        moved,
    })
}

fn is_made_again(path: &Path) -> bool {
    let path = path.to_string_lossy();
    let path = path.trim_end_matches('/');
    facts::is_made_again(path, &facts::place(path), &mut Budget::for_review())
}

/// The repositories at a name or below it, by their paths from the top. What is inside of one goes
/// with it.
fn repositories(top: &Path, name: &str) -> Vec<String> {
    let (mut dirs, mut found) = (vec![name.trim_end_matches('/').to_owned()], Vec::new());
    while let Some(dir) = dirs.pop() {
        let path = top.join(&dir);
        if path.join(".git").exists() {
            found.push(dir);
            continue;
        }
        for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                dirs.push(format!("{dir}/{}", entry.file_name().to_string_lossy()));
            }
        }
    }
    found
}

/// Moves repositories beside a work tree that is to go: no commit of ours would hold their history,
/// their stashes and what they ignore.
///
/// # Errors
/// If one cannot be moved; it stays where it was.
fn set_aside(top: &Path, names: Vec<String>) -> Result<Vec<(String, String)>> {
    let mut beside = top.as_os_str().to_owned();
    beside.push(".kept");
    let mut moved = Vec::new();
    for name in names {
        let from = top.join(&name);
        if !from.join(".git").exists() {
            continue;
        }
        let mut to = Path::new(&beside).join(&name);
        for number in 2.. {
            if !to.exists() {
                break;
            }
            to = Path::new(&beside).join(format!("{name}.{number}"));
        }
        store::outside::move_dir(&from, &to).with_context(|| {
            format!(
                "{} is a repository of its own, which cannot be moved",
                from.display()
            )
        })?;
        moved.push((name, to.to_string_lossy().into_owned()));
    }
    Ok(moved)
}

/// Whether there is a file at a path or below it.
fn holds_any(path: &Path) -> bool {
    let mut paths = vec![path.to_owned()];
    while let Some(path) = paths.pop() {
        match fs::symlink_metadata(&path) {
            Ok(stat) if stat.is_dir() => {
                let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                paths.extend(entries.map(|entry| entry.path()));
            }
            Ok(_) => return true,
            Err(_) => {}
        }
    }
    false
}

/// How much is in a file or directory; more than `most` if it is more than that.
fn size(path: &Path, most: u64) -> u64 {
    let (mut sum, mut paths) = (0_u64, vec![path.to_owned()]);
    while let Some(path) = paths.pop() {
        let Ok(stat) = fs::symlink_metadata(&path) else {
            continue;
        };
        sum = sum.saturating_add(stat.len());
        if sum > most {
            break;
        }
        // A repository is set aside.
        if stat.is_dir() && !path.join(".git").exists() {
            let entries = fs::read_dir(&path).into_iter().flatten().flatten();
            paths.extend(entries.map(|entry| entry.path()));
        }
    }
    sum
}
