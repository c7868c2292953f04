//! The index of patterns: commands that are known to come to nothing, by what they look like.
//!
//! Owns the template of a command and its form for people, expressions over its text, the entry,
//! the confidence that counts give, and the compiled table, in which a look-up costs the same
//! whether ten entries are known or ten thousand. Must not know: where entries come from, what a
//! match leads to, rules, gates, files.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods))]
#![cfg_attr(not(test), forbid(clippy::disallowed_types))]
#![cfg_attr(not(test), forbid(clippy::disallowed_macros))]

mod confidence;
mod entry;
mod expression;
mod table;
mod template;

pub use confidence::{by_documents, wilson};
pub use entry::{Asked, Entry, Origin};
pub use expression::{Expression, NEEDLE_BYTES_MIN, text_of};
pub use table::{HEAD_BYTES, Head, Part, Table, compile};
pub use template::{Slot, Template, Unfit};

#[cfg(test)]
mod tests;
