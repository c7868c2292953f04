//! Shell text to a tree of commands.
//!
//! [`parse`] never fails and never guesses: what it could not read is a [`Problem`] and an
//! `Unread` node, and the rest of the text is still read. Bytes in, borrowed spans out.
//!
//! It reads what bash 5.2 reads with extended globs on. It does not know which programs exist, what
//! variables hold, or what a glob matches. One file a construct; `parser.rs` is what they share.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods))]
#![cfg_attr(not(test), forbid(clippy::disallowed_types))]
#![cfg_attr(not(test), forbid(clippy::disallowed_macros))]

mod assignments;
mod ast;
mod braces;
mod commands;
mod compound;
mod conditions;
mod cursor;
pub mod fish;
mod globs;
mod heredocs;
mod keywords;
mod lists;
mod parameters;
mod parser;
mod quotes;
mod redirects;
mod substitutions;
mod text;
mod walk;
mod words;

pub use ast::*;
pub use walk::Node;

use cursor::Cursor;
use parser::Parser;

/// Longest text that is read, in bytes.
pub const SOURCE_BYTES_MAX: usize = 16 << 20;
/// Most constructs open at once.
pub const DEPTH_MAX: usize = 64;
/// Most words, parts and commands of a text.
pub const NODES_MAX: usize = 1 << 18;
/// Most entries that a range (`{1..9}`) is expanded to.
pub const BRACE_RANGE_MAX: usize = 1024;
/// Most problems that are told.
pub const PROBLEMS_MAX: usize = 64;
/// A `\` before a line end joins the line with the next one.
const LINE_JOIN: &[u8] = b"\\\n";

/// Reads a text the way bash would.
///
/// Two readings of bash are widened, so that nothing a shell may run goes unseen: a carriage return
/// before a line end is part of it (as on Windows), and `${ commands; }` is a substitution (as in
/// bash 5.3 and ksh).
#[must_use]
pub fn parse(source: &[u8]) -> Script<'_> {
    parse_counted(source).0
}

/// [`parse`], and how many steps it took: bytes looked at. For the test of the time bound.
#[doc(hidden)]
#[must_use]
pub fn parse_counted(source: &[u8]) -> (Script<'_>, usize) {
    let text = source.get(..SOURCE_BYTES_MAX).unwrap_or(source);
    let mut parser = Parser::new(Cursor::of_source(text));
    if text.len() < source.len() {
        parser.problem(text.len(), source.len(), ProblemKind::TooLong);
    }
    if let Some(nul) = source.iter().position(|byte| *byte == 0) {
        parser.problem(nul, nul + 1, ProblemKind::Nul);
    }
    let body = parser.script();
    let steps = parser.cursor.steps;
    let script = Script {
        source,
        body,
        problems: parser.problems,
    };
    (script, steps)
}
