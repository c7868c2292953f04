//! The gates: what each of them thinks of an event, and what follows from all of them.
//!
//! Owns the stack, the words that people and workers read, the failure table and the compiled-in
//! packs. Pure: a gate is a constant with a function pointer, so it cannot keep state. Must not
//! know: hosts, the store, files, the time.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods))]
#![cfg_attr(not(test), forbid(clippy::disallowed_types))]
#![cfg_attr(not(test), forbid(clippy::disallowed_macros))]

pub mod conduct;
mod decide;
mod effects;
#[cfg(any(test, feature = "examples"))]
pub mod examples;
mod gate;
pub mod sources;
pub mod stack;
mod undo;
mod ways;
pub mod words;

pub use decide::{decide, decide_with, wants_saving};
pub use gate::{Gate, GateInput};
pub use stack::STACK;
pub use undo::recoverable;
pub use ways::command_in;

/// Packs that are compiled in.
mod packs {
    include!(concat!(env!("OUT_DIR"), "/packs.rs"));
}

/// The packs that are compiled in.
#[must_use]
pub fn builtin() -> &'static [rules::Pack] {
    packs::PACKS
}

/// The gate with an id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Gate> {
    STACK.iter().find(|gate| gate.id == id)
}

/// Ids of the gates, as settings spell them, each with its mode in the default profile.
#[must_use]
pub fn gate_ids() -> Vec<(&'static str, model::Mode)> {
    let mode = |gate: &Gate| (gate.mode)(model::Profile::default());
    STACK.iter().map(|gate| (gate.id, mode(gate))).collect()
}

/// Id, summary and default of each built-in pack, for the vocabulary of settings.
#[must_use]
pub fn pack_ids() -> Vec<(&'static str, &'static str, bool)> {
    let packs = builtin().iter();
    packs
        .map(|pack| (pack.id.as_ref(), pack.summary.as_ref(), pack.on))
        .collect()
}

#[cfg(test)]
mod tests;
