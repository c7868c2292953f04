//! Work items: events, what they add up to, and what is ready. `docs/work.md` has the tables.
//!
//! A change is one event; it names fields to set, and what to put into sets or take out. The state
//! of an item is the same whatever order its events are read in and however often.

mod change;
mod fold;
mod graph;
mod import;
pub mod index;
mod issue;
mod names;

pub use change::{Change, Claim, Dependency, Event, item_in_front};
pub(crate) use fold::later;
pub use fold::{Doubled, Fold, Folded};
pub use graph::{BLOCKING, Blocked, Graph, Kind, in_order, is_closed};
pub(crate) use import::dependencies;
pub use import::{import, is_known};
pub(crate) use issue::priority_or_usual;
pub use issue::{Edge, FIELDS, Issue, Selection, priority};
pub use names::{PREFIX, is_id, name, prefix_of, stem};
