//! The user's branch may go on while a run works: by how much, and whether the run's work still
//! fits it.

use std::path::Path;

use anyhow::Result;
use text::words;
use work::runs::{Run, State};

use super::log::Log;
use crate::git::WorkTree;
use crate::worktree;

/// Most files that are named.
const NAMED_MAX: usize = 5;

/// What is said of a branch that is ready where the user's went on; nothing if it did not.
///
/// # Errors
/// If git cannot say.
pub fn moved(log: &Log<'_>, run: &Run) -> Result<Option<String>> {
    let is_ready = matches!(run.state, State::Ready | State::AcceptedUnreviewed);
    if log.about.is_here || !is_ready {
        return Ok(None);
    }
    let project = WorkTree::around(Path::new(&log.about.project))?;
    let head = project.commit_of("HEAD")?;
    if head == run.base {
        return Ok(None);
    }
    let branch = format!("refs/heads/{}", worktree::branch(&log.id));
    let own = project.git(&["symbolic-ref", "--quiet", "--short", "HEAD"]);
    let own = own.map_or("what you have checked out".to_owned(), |name| {
        name.trim().to_owned()
    });
    if project.is_in(&branch, &head) {
        return Ok(Some(format!("{own} has it already")));
    }
    let went = match project.is_in(&run.base, &head) {
        true => {
            let range = format!("{}..{head}", run.base);
            let count = project.git(&["rev-list", "--count", &range])?;
            let count = count.trim().parse().unwrap_or(0);
            format!("{own} went on by {}", words::count(count, "commit"))
        }
        false => format!("{own} is another than the one that it began at"),
    };
    let conflicts = project.conflicts(&head, &branch)?;
    let mut named = conflicts
        .iter()
        .take(NAMED_MAX)
        .cloned()
        .collect::<Vec<_>>();
    if conflicts.len() > NAMED_MAX {
        named.push(format!("{} more", conflicts.len() - NAMED_MAX));
    }
    let fits = match named.is_empty() {
        true => "it merges without a conflict, and what comes of that was not judged".to_owned(),
        false => format!("it conflicts in {}", named.join(", ")),
    };
    Ok(Some(format!(
        "{went} meanwhile: {fits}. Have it brought onto that and judged: tollgate run --again {}",
        log.id
    )))
}
