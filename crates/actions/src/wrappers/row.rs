//! A wrapper as a row: its option grammar, the words before the command, and what it means for the
//! command. Must not know which wrappers there are.

use crate::options::{Opt, Spec};
use model::Flags;

/// How a wrapper takes its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// The words after its own are program and arguments.
    Words,
    /// Shell builtins and functions count too (`command`, `builtin`).
    ShellWords,
    /// The words after its own, joined, are a shell script (`watch`).
    Script,
}

/// One wrapper.
pub(super) struct Wrapper {
    pub(super) program: &'static str,
    /// Words that must follow the program for it to be a wrapper (`direnv exec`).
    pub(super) subcommand: &'static [&'static str],
    pub(super) spec: Spec,
    /// Words before the command (`timeout 5`).
    pub(super) operands: usize,
    /// Whether `NAME=value` may stand before the command.
    pub(super) assigns: bool,
    pub(super) takes: Takes,
    /// What it means for the command.
    pub(super) flags: Flags,
}

const NONE: &[&str] = &[];

/// A wrapper whose other words are the command.
pub(super) const fn plain(program: &'static str, options: &'static [Opt]) -> Wrapper {
    Wrapper {
        program,
        subcommand: NONE,
        spec: Spec::leading(options),
        operands: 0,
        assigns: false,
        takes: Takes::Words,
        flags: Flags::NONE,
    }
}

/// A wrapper with words before the command.
pub(super) const fn after(
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
pub(super) const fn runner(
    program: &'static str,
    subcommand: &'static [&'static str],
    options: &'static [Opt],
) -> Wrapper {
    Wrapper {
        subcommand,
        ..plain(program, options)
    }
}
