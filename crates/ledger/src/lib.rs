//! Messages and work items as lines of text: what is written, what is read back whatever became of
//! it, and what many writers' events add up to.
//!
//! `docs/messages.md` and `docs/work.md` say what a line is. Owns the formats, ids, the fold, what
//! is ready, and the files of beads. Must not know files, the time, chance, hosts, or who asks.
//!
//! A crate of its own and not a room of `work`, because it needs a JSON library and the hook must
//! carry none.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods))]
#![cfg_attr(not(test), forbid(clippy::disallowed_types))]
#![cfg_attr(not(test), forbid(clippy::disallowed_macros))]

mod author;
pub mod beads;
pub mod items;
mod lines;
pub mod message;
mod object;
mod stamp;
mod visible;

pub use author::{Author, Role};
pub use lines::{Lines, Odd, OddLine, is_marker, read as read_lines};
pub use message::Message;
pub use object::{Object, Raw};
pub use stamp::Stamp;
pub use visible::visible;
