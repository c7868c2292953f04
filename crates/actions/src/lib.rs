//! What a tool call would do: an ordered list of actions on resources.
//!
//! [`read`] is pure. It is called again after the edge has collected the facts it asked for, at
//! most [`ROUNDS_MAX`] times; what is still unanswered then is set to unknown and read once more.

#![forbid(unsafe_code)]

pub mod families;
mod invocation;
mod world;

pub use invocation::{Arg, Input, Invocation};
pub use world::{Target, World};

use model::{Call, Facts, Place, Reading, Want};

/// Most rounds of asking for facts (a script that calls a script that calls a script).
pub const ROUNDS_MAX: usize = 4;

/// What the call would do, and what must be known to say it better. Facts that are already in
/// `facts` are not asked for again; an empty list means that nothing more could be learned.
#[must_use]
pub fn read(call: &Call<'_>, place: &Place, facts: &Facts) -> (Reading, Vec<Want>) {
    let _ = (call, place, facts);
    (Reading::default(), Vec::new())
}
