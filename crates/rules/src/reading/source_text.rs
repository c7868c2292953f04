//! Packs as Rust source, for the packs that are compiled in: no decoding when a process starts.

use crate::flat::Flat;
use crate::rule::Pack;

/// A Rust file that declares `pub static PACKS: &[Pack]`. It needs `model` and `rules` in scope.
#[must_use]
pub fn rust_source(packs: &[Pack]) -> String {
    let packs: Vec<String> = packs.iter().map(Flat::spell).collect();
    let imports = "use std::borrow::Cow;\n\
        #[allow(unused_imports)]\n\
        use model::{Certainty, Flag, Flags, Level, ResourceKind, Verb, Zone};\n\
        #[allow(unused_imports)]\n\
        use rules::{ActorKind, Pack, Rule, When};\n";
    format!(
        "{imports}\n/// The packs that are compiled in.\npub static PACKS: &[Pack] = &[\n{}\n];\n",
        packs.join(",\n")
    )
}
