//! The work tree of a run: beside the project, on a branch of its own. Nothing of it is removed
//! before it is captured under a name that stays.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::git::WorkTree;

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

/// Captures what is there, keeps it under a name that stays, and removes the work tree and its
/// branch; the commit that holds it.
///
/// # Errors
/// If it cannot be captured; then nothing is removed.
pub fn remove(project: &WorkTree, id: &str) -> Result<String> {
    let path = place(project.top(), id);
    let tree = WorkTree::around(&path)?;
    let captured = tree.capture()?;
    let message = format!("run {id}, as it was given up");
    let commit = tree.keep(&captured, "HEAD", (&rescue_ref(id), &message))?;
    let path = path.to_string_lossy().into_owned();
    project.git(&["worktree", "remove", "--force", &path])?;
    project.git(&["branch", "--quiet", "-D", &branch(id)])?;
    Ok(commit)
}
