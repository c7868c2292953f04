//! How a program starts another command, as data: its option grammar, the words before the command,
//! and what it means for the command. Must not know which programs there are.

use crate::options::{Opt, Spec};
use crate::{Invocation, World};
use model::Flags;

/// How a wrapper takes its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// The words after its own are program and arguments.
    Words,
    /// Shell builtins and functions count too (`command`, `builtin`).
    ShellWords,
    /// The words after its own, joined, are a shell script (`watch`).
    Script,
}

/// One wrapper.
pub(crate) struct Wrapper {
    pub(crate) program: &'static str,
    /// Words that must follow the program for it to be a wrapper (`direnv exec`).
    pub(crate) subcommand: &'static [&'static str],
    pub(crate) spec: Spec,
    /// Words before the command (`timeout 5`).
    pub(crate) operands: usize,
    /// Whether `NAME=value` may stand before the command.
    pub(crate) assigns: bool,
    pub(crate) takes: Takes,
    /// What it means for the command.
    pub(crate) flags: Flags,
    /// Whether it knows where programs are: what it starts need not be on the `PATH`.
    pub(crate) finds: bool,
}

const NONE: &[&str] = &[];

/// How a program starts another command.
#[derive(Clone, Copy)]
pub(crate) enum Starts {
    /// As the row says that fits its first words best.
    Rows(&'static [Wrapper]),
    /// As this function reads it; `false` if it starts none.
    Special(fn(&mut World<'_>, &Invocation) -> bool),
}

/// A wrapper whose other words are the command.
pub(crate) const fn plain(program: &'static str, options: &'static [Opt]) -> Wrapper {
    Wrapper {
        program,
        subcommand: NONE,
        spec: Spec::leading(options),
        operands: 0,
        assigns: false,
        takes: Takes::Words,
        flags: Flags::NONE,
        finds: false,
    }
}

/// A wrapper that knows where the programs are that it starts.
pub(crate) const fn finder(program: &'static str, options: &'static [Opt]) -> Wrapper {
    Wrapper {
        finds: true,
        ..plain(program, options)
    }
}

/// A wrapper with words before the command.
pub(crate) const fn after(
    program: &'static str,
    operands: usize,
    options: &'static [Opt],
) -> Wrapper {
    Wrapper {
        operands,
        ..plain(program, options)
    }
}

/// A program that runs a command under one of its subcommands.
pub(crate) const fn runner(
    program: &'static str,
    subcommand: &'static [&'static str],
    options: &'static [Opt],
) -> Wrapper {
    Wrapper {
        subcommand,
        ..plain(program, options)
    }
}
