//! `tollgate undo restore`: shows what would change, keeps what stands in the way, puts back.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use edge::facts::Budget;
use edge::judge::judge;
use edge::surroundings;
use model::{Call, Level, Snapshot};
use store::Store;
use store::undo::{Capture, Kind, RestoreChange, State, Wish};
use text::words;

use super::git;
use crate::here::Here;
use crate::{diff, exit, show};

/// Largest file whose difference is shown, in bytes.
const DIFF_BYTES_MAX: u64 = 64 * 1024;
/// Most lines of difference for one file.
const DIFF_LINES_MAX: usize = 12;
/// Most things that are listed.
const LISTED_MAX: usize = 100;

#[derive(clap::Args)]
pub struct Args {
    /// Its id from `tollgate undo list`; `last` is the newest
    #[arg(default_value = "last")]
    id: String,
    /// Only these files and directories
    #[arg(long, value_name = "PATH", num_args = 1..)]
    only: Vec<PathBuf>,
    /// Into this directory, instead of where it was
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// Put back what was staged too, even if something else is staged now
    #[arg(long)]
    index: bool,
    /// Show what would change and change nothing
    #[arg(long)]
    dry_run: bool,
}

pub fn run(here: &Here, args: &Args) -> Result<u8> {
    let capture = super::find(here, &args.id)?;
    let Some(store) = here.remembered()? else {
        bail!("nothing is kept");
    };
    let wish = Wish {
        to: args.to.as_ref().map(std::path::absolute).transpose()?,
        only: only(args)?,
        index: args.index || is_index_free(&capture)?,
    };
    let mut changes = store.compare(&capture, &wish);
    if !wish.only.is_empty()
        && !changes
            .iter()
            .any(|change| change.entry.kind != Kind::Above)
    {
        bail!(
            "{} holds none of these; tollgate undo show lists it",
            capture.id
        );
    }
    refuse_protected(here, &mut changes, wish.to.is_some());
    tell(here, &store, &changes);
    let with_git = wish.only.is_empty() && wish.to.is_none();
    if args.dry_run {
        if with_git {
            tell_git(&capture, true)?;
        }
        say!("nothing was changed");
        return Ok(exit::OK);
    }
    let restored = store.restore(&capture, &changes, surroundings::now())?;
    let mut good = restored.failed.is_empty();
    for (path, why) in &restored.failed {
        say!(
            "{} {}: {why}",
            show::bad("NOT PUT BACK"),
            here.short(path.display())
        );
    }
    if with_git {
        good &= tell_git(&capture, false)?;
    }
    for (path, why) in capture.unsaved.iter().filter(|_| with_git) {
        say!(
            "{} {}: {why}",
            show::warn("was never kept"),
            here.short(path)
        );
    }
    let put = words::count(restored.put, "thing");
    say!(
        "{}: {put} put back, {} as before",
        capture.id,
        restored.same
    );
    if !restored.before.is_empty() {
        let before = &restored.before;
        say!("What stood there until now is kept: tollgate undo restore {before}");
    }
    Ok(if good { exit::OK } else { exit::FAILED })
}

/// The paths that are wanted, absolute.
fn only(args: &Args) -> Result<Vec<PathBuf>> {
    let paths = args.only.iter().map(|path| -> Result<PathBuf> {
        let path = std::path::absolute(path)?;
        // The manifest knows real paths: resolve the directory above, not the thing itself.
        let above = path.parent().and_then(|above| above.canonicalize().ok());
        Ok(match (above, path.file_name()) {
            (Some(above), Some(name)) => above.join(name),
            _ => path,
        })
    });
    paths.collect()
}

/// Whether every index of the capture can go back without losing anything.
fn is_index_free(capture: &Capture) -> Result<bool> {
    for entry in &capture.entries {
        if let Kind::Index { root, head, .. } = &entry.kind
            && !git::is_index_free(root, &entry.path, head)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Leaves out what the gate would not let a worker write: a restore is no way around it. Into
/// another directory, nothing goes that would need a question.
fn refuse_protected(here: &Here, changes: &mut [RestoreChange], is_elsewhere: bool) {
    let rules = here.rules_bundle().rules;
    let level_max = if is_elsewhere {
        Level::Allow
    } else {
        Level::Ask
    };
    for change in changes {
        if !matches!(change.state, State::Missing | State::Differs(_)) {
            continue;
        }
        let target = change.target.to_string_lossy().into_owned();
        let event = here.event(Call::Write {
            path: target.into(),
            content: model::Content::default(),
        });
        let known = Snapshot {
            place: here.place.clone(),
            ..Snapshot::default()
        };
        let judged = judge(&event, known, &rules, &mut Budget::start());
        if judged.decision.level() > level_max {
            let reason = judged
                .decision
                .shown()
                .map_or("", |finding| &finding.reason);
            change.state = State::Blocked(format!("the gate would stop this write: {reason}"));
        }
    }
}

/// Shows what would change.
fn tell(here: &Here, store: &Store, changes: &[RestoreChange]) {
    let mut shown = 0;
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for change in changes {
        let (mark, word) = match &change.state {
            State::Missing if change.entry.kind == Kind::Above => continue,
            State::Missing => (show::good("+"), "to add"),
            State::Differs(_) => (show::warn("≠"), "to replace"),
            State::Same => {
                *counts.entry("the same").or_default() += 1;
                continue;
            }
            State::Blocked(_) => continue,
            State::Aside(_) if matches!(change.entry.kind, Kind::Anchor { .. }) => continue,
            State::Aside(_) => (show::faint("-"), "left aside"),
        };
        *counts.entry(word).or_default() += 1;
        shown += 1;
        if shown > LISTED_MAX {
            continue;
        }
        let path = here.short(change.target.display());
        match &change.state {
            State::Aside(why) => say!("{mark} {path}  {}", show::faint(why)),
            State::Differs(what) => {
                say!("{mark} {path}  {}", show::faint(&format!("{what} differs")));
                difference(store, change);
            }
            _ => say!("{mark} {path}"),
        }
    }
    if shown > LISTED_MAX {
        say!("… and {} more", shown - LISTED_MAX);
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    if !counts.is_empty() {
        say!("{}", counts.join(", "));
    }
}

/// The lines of a small text file that would change.
fn difference(store: &Store, change: &RestoreChange) {
    let Kind::File { sum } = &change.entry.kind else {
        return;
    };
    let (Some(now), true) = (text_of(&change.target), change.entry.size <= DIFF_BYTES_MAX) else {
        return;
    };
    let Some(then) = store
        .kept_bytes(sum)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
    else {
        return;
    };
    let lines = diff::lines(&now, &then);
    for line in lines.iter().take(DIFF_LINES_MAX) {
        say!("    {}", model::one_line(line, show::COLUMNS - 4));
    }
    if lines.len() > DIFF_LINES_MAX {
        say!("    … and {} more lines", lines.len() - DIFF_LINES_MAX);
    }
}

/// A small plain text file.
fn text_of(path: &Path) -> Option<String> {
    let metadata = path.symlink_metadata().ok()?;
    if !metadata.is_file() || metadata.len() > DIFF_BYTES_MAX {
        return None;
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).ok()?;
    file.take(DIFF_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    String::from_utf8(bytes).ok()
}

/// Puts back refs and stashes, and says so; whether all of it went well.
fn tell_git(capture: &Capture, dry_run: bool) -> Result<bool> {
    let mut good = true;
    for put in git::put_back(capture, dry_run)? {
        let mark = if put.good {
            show::good("*")
        } else {
            show::bad("NOT PUT BACK")
        };
        say!("{mark} {}", put.what);
        good &= put.good;
    }
    Ok(good)
}
