//! The outside runner: a client or any command is started to judge, on its own, and its answer is
//! handed back. `docs/runner.md` says what it is given and how it is proven to be ours.
//!
//! Owns: the judge's process, its environment, its copy of the work, and the mark by which our own
//! hook knows it. Must not know what is judged, or what an answer means.

#![deny(unsafe_code)]

mod copy;
mod environment;
mod process;
mod registration;
#[cfg(unix)]
#[expect(unsafe_code, reason = "the system calls that std does not have")]
mod sys;
#[cfg(not(unix))]
#[path = "sys_elsewhere.rs"]
mod sys;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use hosts::{HOSTS, Host, Judge, OWN_DIR, Unsaid};
use model::one_line;
use store::Store;
use text::Redactor;

pub use copy::{CopyError, Room};
pub use environment::{Variables, own_variables};

pub use process::{Ended, run};
use registration::Registration;

/// Longest words about a failure, in characters.
const WHY_CHARS_MAX: usize = 200;

/// Who judges.
#[derive(Debug, Clone)]
pub enum Who {
    /// A client that we know how to start for that.
    Client(&'static Host, &'static Judge),
    /// A command for the shell, with the prompt on its standard input.
    Command(String),
}

impl Who {
    /// Who is meant by a word or a command line.
    ///
    /// # Errors
    /// If it is the name of a client that cannot be started for that.
    pub fn named(words: &str) -> Result<Self, String> {
        let words = words.trim();
        let named = |host: &&&Host| host.id == words || host.program == words;
        match HOSTS.iter().find(named) {
            None if words.is_empty() => Err("nobody is named who could judge".to_owned()),
            None => Ok(Self::Command(words.to_owned())),
            Some(host) => match host.judge {
                Some(judge) => Ok(Self::Client(host, judge)),
                None => Err(format!(
                    "{} cannot be started as a judge; name one of {}, or a command",
                    host.title,
                    clients().join(", ")
                )),
            },
        }
    }

    /// What people are told of it.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Client(host, _) => host.title,
            Self::Command(_) => "the command",
        }
    }

    /// What it is called in records.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Client(host, _) => host.id,
            Self::Command(_) => "command",
        }
    }
}

/// The clients that can be started as a judge.
#[must_use]
pub fn clients() -> Vec<&'static str> {
    let able = HOSTS.iter().filter(|host| host.judge.is_some());
    able.map(|host| host.id).collect()
}

/// What a judge is to do.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// What it is told.
    pub prompt: &'a str,
    /// Where it works: its copy of the work, or an empty one.
    pub room: &'a Room,
    /// What a person's own environment holds; it is given what it needs of that.
    pub variables: &'a Variables,
    /// After so long it is ended.
    pub time_max: Duration,
    /// The words of a program that starts it and ends with whoever drives us; none if nobody does.
    pub through: &'a [String],
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// What it answered.
    pub answer: Answer,
    /// How long it took.
    pub time: Duration,
    /// The tokens that it took, where it says so.
    pub tokens: Option<u64>,
}

/// What a judge answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// These were its last words.
    Text(String),
    /// It ended well, and what it printed says nothing. How it begins.
    Unreadable(String),
    /// It did not get to judging, and why. That says nothing about the work.
    Failed(String),
}

/// Has a judge do its task, and waits for it.
#[must_use]
pub fn judge(store: &Store, who: &Who, task: &Task<'_>) -> Judgement {
    let begin = Instant::now();
    let mut tokens = None;
    let answer = match asked(store, who, task) {
        Err(why) => Answer::Failed(why),
        Ok(ended) => understood(who, &ended, task, &mut tokens),
    };
    Judgement {
        answer,
        time: begin.elapsed(),
        tokens,
    }
}

fn asked(store: &Store, who: &Who, task: &Task<'_>) -> Result<Ended, String> {
    let registration = Registration::new(store)?;
    let mut command = match who {
        Who::Client(host, judge) => client(host, judge, task)?,
        Who::Command(words) => {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", words]);
            command.current_dir(task.room.work());
            command.env_clear().envs(task.variables.for_command());
            command
        }
    };
    task.room.close();
    command.env(registration.variable(), registration.token());
    let mut command = through(task.through, command);
    process::run(&mut command, task.prompt, task.time_max)
}

/// A command as another program starts it.
fn through(words: &[String], command: Command) -> Command {
    let Some((program, words)) = words.split_first() else {
        return command;
    };
    let mut outer = Command::new(program);
    outer.args(words).arg(command.get_program());
    outer.args(command.get_args()).env_clear();
    let variables = command.get_envs();
    outer.envs(variables.filter_map(|(name, value)| Some((name, value?))));
    if let Some(dir) = command.get_current_dir() {
        outer.current_dir(dir);
    }
    outer
}

/// A client as it is started.
fn client(host: &Host, judge: &Judge, task: &Task<'_>) -> Result<Command, String> {
    let program = found(host.program, task.variables, task.room).ok_or_else(|| {
        format!(
            "{} is not installed: there is no {} in PATH",
            host.title, host.program
        )
    })?;
    let own = task.room.own();
    let in_own = |text: &str| text.replace(OWN_DIR, &own.to_string_lossy());
    task.room.leave_out(judge.leaves_out);
    for (path, text) in judge.files {
        let written = task.room.equip(path, &in_own(text));
        written.map_err(|error| format!("it could not be given its settings: {error}"))?;
    }
    let mut command = Command::new(program);
    command.args(judge.words.iter().map(|word| in_own(word)));
    command.current_dir(task.room.work());
    command
        .env_clear()
        .envs(task.variables.for_client(host, judge));
    let variables = judge.variables.iter();
    command.envs(variables.map(|(name, value)| (name, in_own(value))));
    Ok(command)
}

/// A program of `PATH`; none that lies in what is judged.
fn found(program: &str, variables: &Variables, room: &Room) -> Option<PathBuf> {
    let path = variables.get("PATH").unwrap_or_default();
    let dirs = path.split(':').filter(|dir| dir.starts_with('/'));
    let mut candidates = dirs.map(|dir| Path::new(dir).join(program));
    candidates.find(|candidate| {
        let real = std::fs::canonicalize(candidate);
        real.is_ok_and(|real| real.is_file() && !room.is_of_the_work(&real))
    })
}

/// What the end of a judge says.
fn understood(who: &Who, ended: &Ended, task: &Task<'_>, tokens: &mut Option<u64>) -> Answer {
    let printed = String::from_utf8_lossy(&ended.stdout);
    let Some(status) = ended.status else {
        return Answer::Failed(format!(
            "it was ended after {} seconds",
            task.time_max.as_secs()
        ));
    };
    let said = match who {
        Who::Client(_, judge) => (judge.said)(&printed),
        Who::Command(_) if printed.trim().is_empty() => Err(Unsaid::Unread),
        Who::Command(_) => Ok(hosts::Said {
            text: printed.to_string(),
            tokens: None,
        }),
    };
    match said {
        Ok(said) if status.success() => {
            *tokens = said.tokens;
            Answer::Text(said.text)
        }
        Err(Unsaid::Failed(why)) => Answer::Failed(clean(&why)),
        Err(Unsaid::Unread) if status.success() => match clean(&printed).as_str() {
            "" => Answer::Unreadable("it printed nothing".to_owned()),
            begin => Answer::Unreadable(format!("it printed: {begin}")),
        },
        _ => {
            let complaint = String::from_utf8_lossy(&ended.stderr);
            let mut lines = complaint.lines().rev().map(str::trim);
            let last = lines.find(|line| !line.is_empty()).unwrap_or_default();
            let colon = if last.is_empty() { "" } else { ": " };
            Answer::Failed(clean(&format!("it ended with {status}{colon}{last}")))
        }
    }
}

/// A text on one line, without secrets.
fn clean(text: &str) -> String {
    one_line(&Redactor::default().text(text), WHY_CHARS_MAX)
}

#[cfg(test)]
mod tests;
