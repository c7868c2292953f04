//! What a tool call would do: an ordered list of actions on resources.
//!
//! [`read`] is pure. It is called again after the edge has collected the facts it asked for, at
//! most [`ROUNDS_MAX`] times; what is still unanswered then is set to unknown and read once more.
//! [`read_with`] is that loop.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods))]
#![cfg_attr(not(test), forbid(clippy::disallowed_types))]
#![cfg_attr(not(test), forbid(clippy::disallowed_macros))]

mod address;
mod command_context;
pub mod commands;
mod destructive;
mod effects;
mod families;
mod family;
mod interpreters;
mod invocation;
mod keys;
mod machine;
pub mod options;
mod services;
mod shells;
mod sql;
mod starts;
mod stdout;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod tools;
mod walk;
mod windows;
mod words;
mod world;
mod wrappers;

pub use invocation::Arg;
pub(crate) use invocation::{Input, Invocation, Packed, PackedAs};
pub(crate) use world::{Target, World};

use model::{Analysis, Call, CallEnv, Facts, TOO_LATE, Want, Zone};

/// Most rounds of asking for facts (a script that calls a script that calls a script).
pub const ROUNDS_MAX: usize = 4;

/// Who walks what a command starts.
const RUNNER: world::Runner = world::Runner {
    script: walk::process,
    command: walk::nested_command,
    file: walk::run_file,
    subshell: walk::subshell,
};

/// What the call would do, and what must be known to say it better. Facts that are already in
/// `facts` are not asked for again; an empty list means that nothing more could be learned.
#[must_use]
pub fn read(call: &Call<'_>, place: &CallEnv, facts: &Facts) -> (Analysis, Vec<Want>) {
    let mut world = World::new(place, facts, &RUNNER);
    tools::read(&mut world, call);
    world.settle_settings(call);
    world.note_edits();
    world.note_moved();
    (world.analysis, world.wants)
}

/// What any reading of a call asks first, as far as that shows without one: most calls are read
/// once then, not twice.
fn foreseen(call: &Call<'_>, place: &CallEnv) -> Vec<Want> {
    let (Call::Write { path, .. } | Call::Edit { path, .. }) = call else {
        return Vec::new();
    };
    let facts = Facts::default();
    let mut world = World::new(place, &facts, &RUNNER);
    let target = world.target(&Arg::literal(path.as_ref()));
    if target.zone != Zone::Sink {
        let _ = world.path(&target.path);
    }
    world.wants
}

/// Reads a call, asking `collect` for facts until nothing more is wanted or [`ROUNDS_MAX`] rounds
/// are over. Gives the facts that the reading rests on beside it.
pub fn read_with(
    call: &Call<'_>,
    place: &CallEnv,
    mut collect: impl FnMut(&[Want], &mut Facts),
) -> (Analysis, Facts) {
    let mut facts = Facts::default();
    let mut answer = |wants: &[Want], facts: &mut Facts| {
        collect(wants, facts);
        for want in wants {
            if !facts.has(want) {
                facts.set_unknown(want, "not collected");
            }
        }
    };
    let foreseen = foreseen(call, place);
    if !foreseen.is_empty() {
        answer(&foreseen, &mut facts);
    }
    for _ in 0..ROUNDS_MAX {
        let (analysis, wants) = read(call, place, &facts);
        if wants.is_empty() {
            return (analysis, facts);
        }
        answer(&wants, &mut facts);
    }
    let (analysis, wants) = read(call, place, &facts);
    if wants.is_empty() {
        return (analysis, facts);
    }
    for want in &wants {
        facts.set_unknown(want, &format!("{TOO_LATE}: too many rounds of questions"));
    }
    (read(call, place, &facts).0, facts)
}
