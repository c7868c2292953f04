//! Runs git with all its doors shut: bounded in time and output, in a process group of its own, in
//! an environment built from nothing, and with every setting overridden by which a repository could
//! make git start a program. Knows nothing of what is asked.
//!
//! What a repository may name, and what shuts it:
//! - `core.fsmonitor`, hooks, pager, editor, ssh, credential helpers, `gpg.program`,
//!   `diff.external`, `core.alternateRefsCommand`: fixed overrides on the command line.
//! - filters (`clean`, `smudge`, `process`): the attributes of the tree are not read
//!   (`--attr-source` of an empty tree), nor those of the system and the user; each filter that a
//!   configuration file (with all its includes) or `info/attributes` names is set to nothing.
//! - `textconv`, external differences: the callers of [`Git::run`] pass the options against them.
//! - submodules: callers pass `--ignore-submodules=dirty`, so that nothing is started in them.
//! - fetching missing objects (partial clones): no protocol is allowed.
//! - aliases: git never lets one replace a command of its own.
//! - a `.git` found by walking up: the directories are given, git discovers nothing.
//! - the user's and the system's configuration are not read by git at all: they may name programs
//!   too. The two settings that change what is seen are read here and passed on.

use super::budget::Budget;
use super::error::LookError;
use super::filters::filters;
use super::ignore::UserSettings;
use super::paths::{is_within, join};
use super::repository::Repository;
use super::sys;
use model::CallEnv;
use std::io::Read;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Most bytes that are read of git's output.
const OUTPUT_MAX: usize = 4 * 1024 * 1024;
/// Between two looks at whether git has ended after it closed its output.
const NAP: Duration = Duration::from_micros(200);
/// Git's exit code for options that it does not know.
const USAGE_EXIT: i32 = 129;

/// Where git is looked for before `PATH`. What people install is newer than what came with the
/// system.
const PROGRAMS: &[&str] = &[
    "/opt/homebrew/bin/git",
    "/usr/local/bin/git",
    "/opt/local/bin/git",
    "/run/current-system/sw/bin/git",
    "/usr/bin/git",
];

/// Settings that are overridden at every run.
const SHUT: &[&str] = &[
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=false",
    "core.alternateRefsCommand=false",
    "core.attributesFile=/dev/null",
    "core.untrackedCache=false",
    "core.ignoreStat=false",
    "credential.helper=",
    "diff.external=false",
    "gc.auto=0",
    "gpg.program=false",
    "log.showSignature=false",
    "maintenance.auto=false",
    "protocol.allow=never",
    "submodule.recurse=false",
];

/// The whole environment of git.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("PATH", "/usr/bin:/bin"),
    ("HOME", "/nonexistent"),
    ("XDG_CONFIG_HOME", "/nonexistent"),
    ("LC_ALL", "C"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_ASKPASS", "false"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_EDITOR", "false"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// What git said.
#[derive(Debug)]
pub(crate) struct Output {
    pub bytes: Vec<u8>,
    /// Whether there was more.
    pub cut: bool,
}

/// What git is asked.
pub(super) struct GitCall<'a> {
    /// At the top of whose work tree it runs.
    pub repository: &'a Repository,
    pub arguments: &'a [String],
}

/// The git of this machine.
#[derive(Default)]
pub(super) struct Git {
    program: Option<Option<String>>,
    user: Option<UserSettings>,
    /// Whether this git has no `--attr-source` (it is older than 2.41).
    is_old: bool,
}

impl Git {
    /// The user's own settings.
    pub fn user(&mut self, place: &CallEnv, budget: &mut Budget) -> &UserSettings {
        self.user
            .get_or_insert_with(|| UserSettings::read(place, budget))
    }

    /// Runs git at the top of a work tree.
    ///
    /// # Errors
    /// Why there is no answer: no git, no time, or git refused.
    pub fn run(
        &mut self,
        call: GitCall<'_>,
        place: &CallEnv,
        budget: &mut Budget,
    ) -> Result<Output, LookError> {
        let GitCall {
            repository,
            arguments,
        } = call;
        let find = || program(place, repository);
        let program = self.program.get_or_insert_with(find).clone();
        let program = program.ok_or(LookError::NoGit)?;
        let shut = self.shut(repository, place, budget)?;
        loop {
            let mut command = command(&program, repository);
            command.args(&shut);
            if !self.is_old {
                command.arg(format!(
                    "--attr-source={}",
                    empty_tree(repository.hash_bytes)
                ));
            }
            command.args(arguments);
            let end = budget.take_git()?;
            let start = Instant::now();
            let ended = bounded(command, end, |_| {});
            budget.spent_git(start.elapsed());
            match ended? {
                (output, Some(status)) if status.success() => return Ok(output),
                (output, None) if output.cut => return Ok(output),
                (_, Some(status)) if status.code() == Some(USAGE_EXIT) && !self.is_old => {
                    self.is_old = true;
                    budget.give_git();
                }
                (_, Some(status)) => return Err(LookError::GitRefused(status)),
                (_, None) => return Err(LookError::GitTooSlow),
            }
        }
    }

    /// Git at the top of a work tree, with all its doors shut, for whoever runs it.
    ///
    /// # Errors
    /// Why there is none: no git, or settings that cannot be read.
    pub fn prepared(
        &mut self,
        repository: &Repository,
        place: &CallEnv,
        budget: &mut Budget,
    ) -> Result<Command, LookError> {
        let program = program(place, repository).ok_or(LookError::NoGit)?;
        let shut = self.shut(repository, place, budget)?;
        let mut command = command(&program, repository);
        command.args(&shut);
        command.env("GIT_ATTR_SOURCE", empty_tree(repository.hash_bytes));
        Ok(command)
    }

    /// All overrides as arguments.
    fn shut(
        &mut self,
        repository: &Repository,
        place: &CallEnv,
        budget: &mut Budget,
    ) -> Result<Vec<String>, LookError> {
        let mut settings: Vec<String> = SHUT.iter().map(|setting| (*setting).to_owned()).collect();
        let user = self.user(place, budget);
        if repository
            .config()
            .get("core", "", "excludesfile")
            .is_none()
        {
            settings.push(format!("core.excludesFile={}", user.excludes_file));
        }
        if repository.config().get("core", "", "autocrlf").is_none() {
            settings.extend(
                user.autocrlf
                    .iter()
                    .map(|value| format!("core.autocrlf={value}")),
            );
        }
        for name in filters(repository, place, budget)? {
            for (key, value) in [
                ("clean", ""),
                ("smudge", ""),
                ("process", ""),
                ("required", "false"),
            ] {
                settings.push(format!("filter.{name}.{key}={value}"));
            }
        }
        Ok(settings
            .into_iter()
            .flat_map(|setting| ["-c".to_owned(), setting])
            .collect())
    }
}

fn command(program: &str, repository: &Repository) -> Command {
    let mut command = Command::new(program);
    command.current_dir(&repository.root).env_clear();
    command.envs(ENVIRONMENT.iter().copied());
    command.args(["--no-optional-locks", "--no-replace-objects", "--no-pager"]);
    command.arg(format!("--git-dir={}", repository.git_dir));
    command.arg(format!("--work-tree={}", repository.root));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    sys::own_group(&mut command);
    command
}

/// Name of the tree without entries, which git knows without looking.
pub(super) fn empty_tree(hash_bytes: usize) -> &'static str {
    match hash_bytes {
        32 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
        _ => "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    }
}

/// An absolute git that is not the repository's own.
fn program(place: &CallEnv, repository: &Repository) -> Option<String> {
    let path = place.var("PATH").unwrap_or_default().split(':');
    let path = path
        .filter(|dir| dir.starts_with('/'))
        .map(|dir| join(dir, "git"));
    let mut candidates = PROGRAMS.iter().map(|path| (*path).to_owned()).chain(path);
    candidates.find(|candidate| {
        let Ok(real) = std::fs::canonicalize(candidate) else {
            return false;
        };
        let real = real.to_string_lossy();
        let inside = |dir: &String| is_within(&real, dir) || is_within(candidate, dir);
        let mut foreign = place.temp.iter().chain([&place.project, &repository.root]);
        !foreign.any(inside) && Path::new(&*real).is_file()
    })
}

/// Runs a command of a process group of its own until `end`. No status: it was ended here. `begun`
/// is called as soon as it runs.
pub(crate) fn bounded(
    mut command: Command,
    end: Instant,
    begun: impl FnOnce(&mut Child),
) -> Result<(Output, Option<ExitStatus>), LookError> {
    let mut child = command.spawn().map_err(|error| {
        let program = Path::new(command.get_program()).file_name();
        let program = program.unwrap_or_default().to_string_lossy();
        LookError::NotStarted {
            program: program.into_owned(),
            kind: error.kind(),
        }
    })?;
    let Some(mut pipe) = child.stdout.take() else {
        sys::end_group(&mut child);
        return Err(LookError::NoOutput);
    };
    begun(&mut child);
    let mut output = Output {
        bytes: Vec::new(),
        cut: false,
    };
    let is_whole = read_until(&mut pipe, &mut output, end);
    let status = if is_whole {
        wait_until(&mut child, end)
    } else {
        None
    };
    if status.is_none() {
        sys::end_group(&mut child);
    }
    Ok((output, status))
}

/// Reads to the end of the pipe; `false` if time or room ended first.
fn read_until(pipe: &mut ChildStdout, output: &mut Output, end: Instant) -> bool {
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || !sys::wait_readable(pipe, left) {
            return false;
        }
        let Ok(length) = pipe.read(&mut chunk) else {
            return false;
        };
        if length == 0 {
            return true;
        }
        output
            .bytes
            .extend_from_slice(chunk.get(..length).unwrap_or_default());
        if output.bytes.len() > OUTPUT_MAX {
            output.cut = true;
            return false;
        }
    }
}

fn wait_until(child: &mut Child, end: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < end => std::thread::sleep(NAP),
            _ => return None,
        }
    }
}
