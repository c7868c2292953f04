//! A host that keeps its sessions where only it can read them is asked what it did.

use std::fs;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use context::Transcript;
use hosts::{Host, TranscriptSource};
use model::Past;

use super::counters::CoverageInput;
use crate::process;

/// Longest time that a host may take to tell.
const TIME_MAX: Duration = Duration::from_secs(60);

/// Gives what a host tells of its calls since a time. It is not asked if it cannot have done
/// anything: its program takes seconds to start.
///
/// # Errors
/// If it could not be asked, or has told nothing of what it did.
pub fn read(
    known: &CoverageInput<'_>,
    (host, source): (&Host, &TranscriptSource),
    give: &mut dyn FnMut(Past),
) -> Result<()> {
    let since = UNIX_EPOCH + Duration::from_millis(known.since.0);
    let files = known.here.roots().expand_all(source.files);
    let changed = files.iter().filter_map(|file| changed(file)).max();
    if changed.is_none_or(|changed| changed < since) {
        return Ok(());
    }
    let mut command = Command::new(host.program);
    command
        .args((source.ask)(known.since))
        .envs(source.env.iter().copied())
        // What a project brings is not wanted.
        .current_dir("/");
    known.here.become_subject(&mut command);
    let mut transcript = Transcript::new(source.line);
    let mut take = |piece: &[u8]| transcript.push(piece, give);
    let status = process::stream(&mut command, &mut take, TIME_MAX)
        .with_context(|| format!("{} could not be asked ({})", host.title, host.program))?;
    transcript.end(give);
    let counts = transcript.counts();
    ensure!(
        status.success() && counts.lines > 0 && counts.torn == 0,
        "{} does not tell its calls in a form that is known",
        host.title
    );
    Ok(())
}

fn changed(file: &str) -> Option<SystemTime> {
    fs::metadata(file).ok()?.modified().ok()
}
