//! Shell text to a tree of commands.
//!
//! [`parse`] never fails and never guesses: what it could not read is a [`Problem`] and an
//! `Unread` node, and the rest of the text is still read. Bytes in, borrowed spans out.

#![forbid(unsafe_code)]

mod ast;

pub use ast::*;

/// Reads a text the way bash would.
#[must_use]
pub fn parse(source: &[u8]) -> Script<'_> {
    Script {
        source,
        body: List::default(),
        problems: Vec::new(),
    }
}
