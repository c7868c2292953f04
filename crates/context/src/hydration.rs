//! Grounding a prompt: the request that the hydrator reads, the few lines that are said without
//! one, and what is neither. Knows no files, no clock and no host; the edge gathers the material.
//!
//! Everything that somebody else wrote stands between marks that it cannot contain, cut to its
//! budget, and is called data.

mod cut;
mod fence;
mod hints;
mod learned;
mod request;
mod skip;
mod small;
mod template;
mod terms;

pub use cut::{TOKEN_BYTES, cut, tokens};
pub use fence::Fence;
pub use hints::{HINT_BYTES_MAX, HintFacts, SkillFit, hints};
pub use learned::{Learned, LearnedKind, learned};
pub use request::{
    Budgets, Material, Passage, Request, SessionNotes, TEMPLATE, TodoCounts, request,
};
pub use skip::{is_continuation, is_hydrated};
pub use template::{TemplateError, fill};
pub use terms::{Term, TermKind, terms};
