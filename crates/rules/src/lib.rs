//! Rules and settings: what people wrote, what a rule means, how layers combine, and the flat
//! form that the hook reads.
//!
//! Owns: [`Rule`], [`Pack`], [`Layer`], [`Rules`], the [`settings`] of concerns, their TOML form
//! (feature `toml`) and their flat binary form. Must not know: gates, hosts, files, the network,
//! the time. Nothing here reads a file: texts and bytes come in, values and diagnostics go out.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods))]
#![cfg_attr(not(test), forbid(clippy::disallowed_types))]
#![cfg_attr(not(test), forbid(clippy::disallowed_macros))]

mod bundle;
mod flat;
mod glob;
mod judge;
mod layer;
#[cfg(feature = "toml")]
mod reading;
mod rule;
mod rules;
pub mod settings;

pub use bundle::{Damage, decode, encode};
pub use glob::matches as glob_matches;
pub use judge::Subject;
pub use layer::{HostSwitch, Layer, ModeSwitch, Scope, Source, Sourced, Surface, Switch};
#[cfg(feature = "toml")]
pub use reading::{
    Diagnostic, Example, ExampleCall, Mistakes, PackSource, Vocabulary, condition_names,
    read_config, read_pack, reference, rust_source, template, toml_mistake,
};
pub use rule::{
    ActorKind, IRREVERSIBLE, List, PLACEHOLDERS, Pack, RULE_TEXT_CHARS_MAX, Rule, Text, When,
};
pub use rules::{Listed, Rules};

#[cfg(test)]
mod tests;
