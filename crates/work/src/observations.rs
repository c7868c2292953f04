//! How calls ended: one observation a call, made of what the host says and of nothing else. What a
//! session keeps of them is little; they themselves stand in the journal. `observations.md` is
//! their page.

pub mod category;
pub mod error;
pub mod fold;

use model::section::{Section, Step, StepError};
use model::{Call, Ending, EndingWord, Session, SimpleCommand, fields, fnv64, steps};

pub use category::Category;
pub use error::{ErrorClass, ErrorKind};

crate::sections::sections! { ObservationStep }

/// Most words of a command that are kept, and the longest in characters.
pub const WORDS_MAX: usize = 32;
/// The longest of them, in characters.
pub const WORD_CHARS_MAX: usize = 120;
/// Longest error line that is kept, in characters.
pub const LINE_CHARS_MAX: usize = 300;
/// Most other commands that a call is observed to have run well.
pub const ALSO_MAX: usize = 8;
/// Most commands that one session was told of, or failed with, that it remembers.
const KEYS_MAX: usize = 64;

/// What a session remembers of how its calls ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Observations {
    /// How many were observed.
    pub count: u64,
    /// Whether something was written since the last command.
    pub edited: bool,
    /// The command that failed last, until something worked after it; 0 if none.
    pub failed: u64,
    /// How many commands went by since it failed.
    pub since: u64,
    /// Which commands the project's memory has something to say of: a bit for each.
    pub hot: u64,
    /// Commands that this session was told of.
    pub told: Vec<u64>,
    /// Programs and targets that were looked for, so that each is once.
    pub sought: Vec<u64>,
    /// Those of them that were not there.
    pub missing: Vec<u64>,
}

fields!(Observations {
    count,
    edited,
    failed,
    since,
    hot,
    told,
    sought,
    missing,
});

impl Section for Observations {
    const NAME: &'static str = "observations";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;
}

impl Observations {
    /// Those of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }
}

steps! {
    /// How a call ended, and what a session was told beforehand.
    pub enum ObservationStep of Observations {
        /// A call ended.
        "observed" => Observed {
            /// The tool, in neutral words.
            tool: String,
            /// What kind of work it is.
            category: String,
            /// Program and subcommand.
            key: String,
            /// The command's words, secrets replaced.
            words: Vec<String>,
            /// The directory that it ran in, in the project.
            dir: String,
            /// `ok`, `fail` or `unknown`.
            outcome: String,
            /// What says so: `status`, `host` or `text`.
            by: String,
            /// The exit status; empty if it is not known.
            status: String,
            /// The kind of failure; empty if it is none.
            error: String,
            /// The line that tells of it, folded.
            class: String,
            /// The line as it was printed.
            line: String,
            /// Whether it is a guess which command of several failed.
            guessed: bool,
            /// Whether the call ended well and yet printed an error at its end.
            hard_error: bool,
            /// Whether a file was written in this session since its last command.
            changed: bool,
            /// How long it took, in milliseconds.
            millis: u64,
            /// Other commands of the call that went well.
            also: Vec<String>,
            /// Names the command; 0 where nothing is learned from it.
            command: u64,
        },
        /// A file was written.
        "edited" => Edited {},
        /// Something worked after a failure.
        "recovered" => Recovered {},
        /// The project's memory has something to say of these.
        "hot" => Hot {
            /// A bit for each.
            bits: u64,
        },
        /// The session was told of a command.
        "told" => Told {
            /// Which.
            command: u64,
        },
        /// A program or a target was looked for.
        "sought" => Sought {
            /// Which.
            program: u64,
            /// Whether it was not there.
            missing: bool,
        },
    }
}

impl Step for ObservationStep {
    type Section = Observations;

    fn apply(&self, kept: &mut Observations) -> Result<(), StepError> {
        match self {
            Self::Observed {
                outcome, command, ..
            } => {
                kept.count += 1;
                kept.edited = false;
                kept.since += 1;
                if outcome == Outcome::Failed.name() && *command != 0 {
                    (kept.failed, kept.since) = (*command, 0);
                }
            }
            Self::Edited {} => kept.edited = true,
            Self::Recovered {} => kept.failed = 0,
            Self::Hot { bits } => kept.hot = *bits,
            Self::Told { command } => push(&mut kept.told, *command),
            Self::Sought { program, missing } => {
                push(&mut kept.sought, *program);
                if *missing {
                    push(&mut kept.missing, *program);
                }
            }
        }
        Ok(())
    }
}

fn push(list: &mut Vec<u64>, key: u64) {
    list.retain(|known| *known != key);
    list.push(key);
    let surplus = list.len().saturating_sub(KEYS_MAX);
    list.drain(..surplus);
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    /// Nobody knows.
    #[default]
    Unknown,
    /// Well.
    Ok,
    /// It failed.
    Failed,
}

impl Outcome {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Ok => "ok",
            Self::Failed => "fail",
        }
    }
}

/// One call that ended, observed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EndedCall {
    /// What kind of work it is.
    pub category: Category,
    /// The command that it is about: the one that failed, else the last that is sure to have gone
    /// well. Nothing of another tool.
    pub command: Option<SimpleCommand>,
    /// How it ended.
    pub outcome: Outcome,
    /// What says so.
    pub by: &'static str,
    /// What the failure was.
    pub error: ErrorClass,
    /// Whether it is a guess which command failed.
    pub is_guessed: bool,
    /// Whether it went well and printed an error at its end all the same.
    pub has_hard_error: bool,
    /// Other commands that are sure to have gone well.
    pub also: Vec<SimpleCommand>,
}

/// Observes a call that ended: `commands` are its simple commands, secrets replaced. Nothing for
/// what only looked around and went well.
#[must_use]
pub fn observe(call: &Call<'_>, commands: &[SimpleCommand], ending: &Ending) -> Option<EndedCall> {
    let (outcome, by) = outcome(ending);
    let mut seen = EndedCall {
        category: category::of_call(call),
        outcome,
        by,
        has_hard_error: outcome == Outcome::Ok && error::ends_in_error(&ending.output),
        ..EndedCall::default()
    };
    if !matches!(call, Call::Shell { .. }) {
        let counts = outcome == Outcome::Failed || seen.category != Category::ToolUse;
        if outcome == Outcome::Failed {
            seen.error = error::classify(&[], None, &ending.output);
        }
        return (counts && !matches!(call, Call::Read { .. } | Call::Search { .. }))
            .then_some(seen);
    }
    match outcome {
        Outcome::Failed => blame(&mut seen, commands, ending),
        Outcome::Ok => {
            let mut proved: Vec<SimpleCommand> = commands
                .iter()
                .filter(|one| one.is_proved && !is_move(one))
                .cloned()
                .collect();
            seen.command = proved.pop().or_else(|| commands.last().cloned());
            proved.truncate(ALSO_MAX);
            seen.also = proved;
        }
        Outcome::Unknown => seen.command = commands.last().cloned(),
    }
    if let Some(command) = &seen.command {
        seen.category = category::of_command(command);
    }
    Some(seen)
}

/// Whether a command only moves around.
fn is_move(command: &SimpleCommand) -> bool {
    matches!(
        command.program(),
        "cd" | "pushd" | "popd" | "set" | "export"
    )
}

/// What the host says counts before what was printed: only where it says nothing does that.
fn outcome(ending: &Ending) -> (Outcome, &'static str) {
    match (ending.word, ending.status) {
        (EndingWord::Open, _) => (Outcome::Unknown, "host"),
        (_, Some(0)) => (Outcome::Ok, "status"),
        (_, Some(_)) => (Outcome::Failed, "status"),
        (EndingWord::Well, None) => (Outcome::Ok, "host"),
        (EndingWord::Failed, None) => (Outcome::Failed, "host"),
        (EndingWord::Unsaid, None) if error::ends_in_error(&ending.output) => {
            (Outcome::Failed, "text")
        }
        (EndingWord::Unsaid, None) if ending.output.trim().is_empty() => (Outcome::Unknown, "text"),
        (EndingWord::Unsaid, None) => (Outcome::Ok, "text"),
    }
}

/// Finds the command that failed: the one that an error line names, else the last one whose status
/// counts.
fn blame(seen: &mut EndedCall, commands: &[SimpleCommand], ending: &Ending) {
    let named = commands
        .iter()
        .rev()
        .find(|one| is_named(one, &ending.output));
    let deciding: Vec<&SimpleCommand> = commands.iter().filter(|one| one.decides).collect();
    let guilty = match deciding.as_slice() {
        [only] if commands.len() == 1 => Some(*only),
        _ => {
            seen.is_guessed = true;
            let named = named.filter(|one| one.decides || deciding.is_empty());
            named.or(deciding.last().copied()).or(commands.last())
        }
    };
    let words = guilty
        .map(|command| command.words.as_slice())
        .unwrap_or_default();
    seen.error = error::classify(words, ending.status, &ending.output);
    seen.command = guilty.cloned();
}

/// Whether a line of the output begins with the command's program, or says that it is missing.
fn is_named(command: &SimpleCommand, output: &str) -> bool {
    let (program, first) = (command.program(), command.words.first());
    output.lines().any(|line| {
        let missing = error::missing_program(line);
        let begins = line
            .strip_prefix(program)
            .is_some_and(|rest| rest.starts_with(": "));
        missing.is_some() && missing == first.map(String::as_str) || !program.is_empty() && begins
    })
}

/// Names a command of a seat in a directory of a project: what is equal is one command.
#[must_use]
pub fn command_key(seat: &str, dir: &str, words: &[String]) -> u64 {
    let mut text = [seat, "\n", dir].concat();
    for word in words {
        text.push('\n');
        text.push_str(word);
    }
    fnv64(text.as_bytes()).max(1)
}

/// The bit of a command among those that memory has something to say of.
#[must_use]
pub fn bit(command: u64) -> u64 {
    1 << (command % 64)
}

#[cfg(test)]
mod tests;
