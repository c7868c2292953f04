//! What is asked of, and said about, a host's settings file. Must not know any host's names.

use model::HooksLeft;
use std::fmt;
use text::json::Flaw;

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The user's, for all their projects.
    User,
    /// One project's, shared with everyone who works on it.
    Project,
    /// The administrator's: nobody below can switch them off.
    Managed,
}

/// How the host starts our hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Launch {
    /// Directly, program and arguments apart. A hook that is missing, killed or late stops the
    /// call only on clients that know how to fail closed.
    #[default]
    Direct,
    /// Through `/bin/sh`, which turns every failure but a timeout into a stop. For clients that
    /// ignore the wish to fail closed. Costs a shell, whose process then stands between the
    /// host and the hook. POSIX only.
    Shell,
}

/// The shell that a host hands a hook's command to, as `SHELL FLAGS -c COMMAND`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// `/bin/sh`.
    Posix,
    /// The first `bash` in the path, with these flags.
    Bash(&'static [&'static str]),
    /// The user's own by the system's list of users, if it is one of the usual; `$SHELL` says
    /// nothing.
    Users,
}

/// What to register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Installation<'a> {
    /// Absolute path of the hook's stable copy.
    pub hook: &'a str,
    /// How it is started.
    pub launch: Launch,
}

/// A changed settings text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The new text; nothing if the file now says nothing and can go.
    pub text: Option<String>,
    /// Whether it differs from the old text.
    pub changed: bool,
    /// What stands in the way of our hook in this file.
    pub problems: Vec<Problem>,
}

/// Why a settings text was left alone. Lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsError {
    /// It is not JSON.
    NotJson {
        /// The line of the flaw.
        line: usize,
        /// The character of the flaw within that line.
        column: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// It is JSON of a shape that the host would not read either.
    WrongShape {
        /// The line of the flaw.
        line: usize,
        /// The character of the flaw within that line.
        column: usize,
        /// What is wrong there.
        what: String,
    },
    /// The hook's path is not absolute, and hooks run in the worker's current directory.
    RelativeHook {
        /// The path.
        path: String,
    },
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson { line, column, what } => write!(
                f,
                "line {line}, column {column}: not JSON: {what}; correct it, then try again"
            ),
            Self::WrongShape { line, column, what } => {
                write!(
                    f,
                    "line {line}, column {column}: {what}; correct it, then try again"
                )
            }
            Self::RelativeHook { path } => {
                write!(f, "hook path {path:?} is not absolute; give its full path")
            }
        }
    }
}

impl std::error::Error for SettingsError {}

impl SettingsError {
    /// For a text that is not JSON.
    pub(crate) fn not_json(text: &str, flaw: Flaw) -> Self {
        let (line, column) = line_and_column(text, flaw.at);
        Self::NotJson {
            line,
            column,
            what: flaw.what,
        }
    }

    /// For a value of the wrong shape, by its place in bytes.
    pub(crate) fn wrong_shape(text: &str, at: usize, what: impl Into<String>) -> Self {
        let (line, column) = line_and_column(text, at);
        Self::WrongShape {
            line,
            column,
            what: what.into(),
        }
    }
}

/// Line and character of a place in bytes, both from 1.
pub(crate) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..text.floor_char_boundary(at)).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().count() - before.get(..line_start).map_or(0, |b| b.chars().count());
    (line, column + 1)
}

/// What keeps our hook, or every hook, from working.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The file switches off all hooks.
    HooksOff {
        /// Where it says so.
        line: usize,
    },
    /// The file has our hook on a list of hooks that are switched off.
    HookOff {
        /// Where it says so.
        line: usize,
    },
    /// The host would discard the whole file for one entry.
    FileDiscarded {
        /// Where the entry is.
        line: usize,
        /// What is wrong with it.
        what: &'static str,
    },
    /// Our hook is registered for an event in a way that does not gate it.
    Weakened {
        /// Where.
        line: usize,
        /// The event.
        event: String,
    },
    /// The file has the host ignore the hooks of every other settings file.
    OthersIgnored {
        /// Where it says so.
        line: usize,
    },
    /// The file sets a variable that means something to us or to hooks.
    Steered {
        /// Where.
        line: usize,
        /// The variable.
        name: String,
    },
    /// Our hook is registered more than once for an event.
    Twice {
        /// The event.
        event: String,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HooksOff { line } => write!(f, "line {line}: all hooks are switched off"),
            Self::HookOff { line } => write!(f, "line {line}: our hook is switched off"),
            Self::OthersIgnored { line } => {
                write!(
                    f,
                    "line {line}: the hooks of all other settings are ignored"
                )
            }
            Self::Steered { line, name } => {
                write!(f, "line {line}: sets {name} for all that the agent starts")
            }
            Self::FileDiscarded { line, what } => {
                write!(f, "line {line}: {what}, so the whole file is ignored")
            }
            Self::Weakened { line, event } => write!(
                f,
                "line {line}: the hook for {event} was changed so that it does not stop every call"
            ),
            Self::Twice { event } => write!(f, "the hook is registered twice for {event}"),
        }
    }
}

/// One registration of our hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// The event, as the host spells it.
    pub event: String,
    /// The hook's path.
    pub hook: String,
    /// How it is started.
    pub launch: Launch,
    /// What a shell is told, character by character; empty if the host starts the hook itself.
    pub command: String,
    /// Whether it gates every call of that event and fails closed where it should.
    pub works: bool,
    /// The line it is on.
    pub line: usize,
}

/// What a settings text says about our hook.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inspection {
    /// Our registrations, in the order of the file.
    pub registered: Vec<Registered>,
    /// Those of our other program, which looks at the hook as a session starts. They gate nothing.
    pub watches: Vec<Registered>,
    /// Events that we register for and that lack a working registration here.
    pub missing: Vec<&'static str>,
    /// Events that we would hear besides and that lack a working registration here, as after an
    /// older `init`: the gate judges as well without them.
    pub unheard: Vec<&'static str>,
    /// What keeps hooks from working.
    pub problems: Vec<Problem>,
    /// What other hooks are started with before a call, and the line they are on.
    pub others: Vec<(String, usize)>,
}

impl Inspection {
    /// What the file leaves of our hooks. `expected` is the path of our hook if it was registered
    /// in this very file: a file that never had it can still switch all hooks off.
    #[must_use]
    pub fn left(&self, expected: Option<&str>) -> HooksLeft {
        let has = |wanted: fn(&Problem) -> bool| self.problems.iter().any(wanted);
        let off =
            has(|problem| matches!(problem, Problem::HooksOff { .. } | Problem::HookOff { .. }));
        let discarded = has(|problem| matches!(problem, Problem::FileDiscarded { .. }));
        let gone = expected.is_some_and(|hook| {
            let elsewhere = self.registered.iter().any(|ours| ours.hook != hook);
            discarded || elsewhere || !self.missing.is_empty()
        });
        if off || gone {
            HooksLeft::Removed
        } else {
            HooksLeft::Kept
        }
    }
}
