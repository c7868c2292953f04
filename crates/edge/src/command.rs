//! The command line's program, started by the hook for what is too heavy for itself: detached, or
//! asked for a short answer within a limit.

use std::fmt;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{ChildStderr, Command, ExitStatus, Stdio};
use std::time::Instant;

use model::one_line;
use store::Store;

use crate::facts::LookError;
use crate::surroundings::{self, ConfigDirs};
use crate::{facts, installation};

/// Where a command that we start finds programs.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Most of a text that is handed to a command, in bytes.
const INPUT_BYTES_MAX: usize = 64 * 1024;

/// Most of what a command complains of that is read, and that is told.
const COMPLAINT_BYTES_MAX: u64 = 4 * 1024;
const COMPLAINT_CHARS_MAX: usize = 160;

/// Why the program gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskError {
    /// It is not where it was put.
    NotThere,
    /// It could not be run.
    NotRun(LookError),
    /// It was ended.
    TooSlow,
    /// It ended with a failure; what it said of it, if anything.
    Failed(ExitStatus, String),
    /// What it said is no text.
    NoText,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotThere => f.write_str("the program `tollgate` is not where it was put"),
            Self::NotRun(error) => error.fmt(f),
            Self::TooSlow => f.write_str("it was not done in time"),
            Self::Failed(status, said) if said.is_empty() => write!(f, "it failed ({status})"),
            Self::Failed(_, said) => f.write_str(said),
            Self::NoText => f.write_str("it said no text"),
        }
    }
}

/// Starts the command line's program for the project, detached. Whether that could be done.
pub fn start(store: &Store, dirs: &ConfigDirs, words: &[&str]) -> bool {
    let Some(mut command) = prepared(store, dirs, words) else {
        return false;
    };
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().is_ok()
}

/// What the program is asked.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The words of its command line.
    pub words: &'a [&'a str],
    /// What it reads.
    pub input: &'a str,
    /// When it must be done.
    pub end: Instant,
}

/// What the command line's program answers to a query.
///
/// # Errors
/// If it cannot be started, fails, or is not done in time; then it is ended.
pub fn ask(store: &Store, dirs: &ConfigDirs, query: &Query<'_>) -> Result<String, AskError> {
    let input = query.input;
    let mut command = prepared(store, dirs, query.words).ok_or(AskError::NotThere)?;
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut complaints = None;
    let input = input.get(..input.floor_char_boundary(INPUT_BYTES_MAX));
    let input = input.unwrap_or_default().as_bytes().to_vec();
    let (output, status) = facts::bounded(command, query.end, |child| {
        if let Some(mut pipe) = child.stdin.take() {
            // Whoever does not read it says so by failing.
            let _ = pipe.write_all(&input);
        }
        complaints = child.stderr.take();
    })
    .map_err(AskError::NotRun)?;
    match status {
        None => Err(AskError::TooSlow),
        Some(status) if !status.success() => Err(AskError::Failed(
            status,
            complaints.map_or(String::new(), said),
        )),
        Some(_) => String::from_utf8(output.bytes).map_err(|_| AskError::NoText),
    }
}

/// What a program that has ended complained of, without its own name.
fn said(pipe: ChildStderr) -> String {
    let mut bytes = Vec::new();
    // A part of it is better than nothing.
    let _ = pipe.take(COMPLAINT_BYTES_MAX).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim().trim_start_matches("tollgate:").trim();
    one_line(text, COMPLAINT_CHARS_MAX)
}

/// It gets the state and settings that we judge with, and of our own environment only where hosts
/// keep theirs: the rest may be the project's word.
fn prepared(store: &Store, dirs: &ConfigDirs, words: &[&str]) -> Option<Command> {
    let program = store.program("tollgate");
    let project = Path::new(&dirs.project).parent().unwrap_or(Path::new("/"));
    if !program.exists() || !project.is_dir() {
        return None;
    }
    let mut command = Command::new(program);
    if cfg!(unix) {
        let home = surroundings::env("HOME").unwrap_or_default();
        let home =
            installation::own(&home).map_or(home.as_str(), |installation| &installation.home);
        command.env_clear().env("HOME", home).env("PATH", PATH);
        let moves = hosts::HOSTS.iter().flat_map(|host| host.moves);
        command.envs(moves.filter_map(|name| Some((name, surroundings::env(name)?))));
    }
    command.env("TOLLGATE_HOME", store.path());
    if let Some(config) = Path::new(&dirs.user).parent() {
        command.env("XDG_CONFIG_HOME", config);
    }
    command.args(words).current_dir(project);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    Some(command)
}
