//! What a program and a family of programs are: one row says what a program does, prints and
//! starts. Must not know which families there are.

use crate::command_context::CommandContext;
use crate::machine::Output;
use crate::starts::Starts;
use crate::{Invocation, World};

/// The programs of a family, sorted by their names.
pub(crate) type Family = &'static [Program];

/// One program.
#[derive(Clone, Copy)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    /// What it does itself.
    pub(crate) effects: Effects,
    /// What it prints, where that can be said without running it.
    pub(crate) stdout: Option<Stdout>,
    /// The command that it starts. Tried first: where none is started, the program itself counts.
    pub(crate) starts: Option<Starts>,
}

/// What a program does itself.
#[derive(Clone, Copy)]
pub(crate) enum Effects {
    /// Nothing is known of it.
    Unknown,
    /// It only looks.
    Harmless,
    /// It prints what is in the files among its words.
    PrintsFiles(FileWords),
    /// It only looks, at what this says.
    Looks(fn(&Invocation, &mut World<'_>)),
    /// What this reads in its command.
    Command(fn(&mut CommandContext<'_, '_>)),
    /// What this reads in its command, for families with a context of their own.
    Own(fn(&Invocation, &mut World<'_>)),
}

/// What a command prints.
pub(crate) type Stdout = fn(&mut World<'_>, &Invocation) -> Output;

/// Which words of a program are files.
#[derive(Clone, Copy)]
pub(crate) struct FileWords {
    /// Words before the files (a pattern, a script).
    pub(crate) words_before: usize,
    /// Options whose value is the next word.
    pub(crate) values: &'static [&'static str],
}

impl Program {
    /// A program of which nothing is known.
    pub(crate) const fn unknown(name: &'static str) -> Self {
        Self {
            name,
            effects: Effects::Unknown,
            stdout: None,
            starts: None,
        }
    }

    /// A program with these effects.
    pub(crate) const fn new(name: &'static str, effects: Effects) -> Self {
        Self {
            effects,
            ..Self::unknown(name)
        }
    }

    /// It prints this.
    pub(crate) const fn prints(self, stdout: Stdout) -> Self {
        Self {
            stdout: Some(stdout),
            ..self
        }
    }

    /// It starts a command.
    pub(crate) const fn starts(self, starts: Starts) -> Self {
        Self {
            starts: Some(starts),
            ..self
        }
    }

    /// Whether it is known to change nothing.
    pub(crate) fn is_looking(&self) -> bool {
        !self.acts() && !matches!(self.effects, Effects::Unknown)
    }

    /// Whether it does something, as far as is known here, and not only looks.
    pub(crate) fn acts(&self) -> bool {
        matches!(self.effects, Effects::Command(_) | Effects::Own(_))
    }
}

/// A [`Family`] of programs that are read in a [`CommandContext`].
macro_rules! family {
    ($($program:literal => $reader:expr
        $(; prints $stdout:expr)? $(; starts $starts:expr)?),+ $(,)?) => {
        &[$(
            $crate::family::Program::new($program, $crate::family::Effects::Command($reader))
                $(.prints($stdout))? $(.starts($starts))?
        ),+]
    };
}
pub(crate) use family;
