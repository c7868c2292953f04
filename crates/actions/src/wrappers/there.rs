//! What goes along to another machine or into a container: flags and standard input, and nothing of
//! the environment. Must not know how one gets there.

use crate::{Arg, Input, Invocation, World};
use model::{Fact, Flag};

/// A command as it is run there.
pub(super) fn elsewhere(world: &mut World<'_>, invocation: &Invocation) -> Invocation {
    Invocation {
        flags: invocation.flags.with(Flag::Elsewhere),
        // The environment here does not go there.
        env: Vec::new(),
        input: carried(world, &invocation.input),
        ..invocation.clone()
    }
}

/// `… psql app < drop.sql`: a file on standard input is one of this machine, wherever it is read.
fn carried(world: &mut World<'_>, input: &Input) -> Input {
    const DUMPS: &[&str] = &[".dump", ".sql"];
    let Input::File(file) = input else {
        return input.clone();
    };
    let target = world.target(file);
    let is_dump = DUMPS.iter().any(|end| target.path.ends_with(end));
    match world.text(&target.path) {
        Fact::Known(text) => Input::Text(Arg::literal(text)),
        // One that is there and too long.
        Fact::Unknown(_) if is_dump && !world.elsewhere && !world.is_missing(&target.path) => {
            Input::Text(Arg::foreign(Arg::DECODED))
        }
        Fact::Unknown(_) => input.clone(),
    }
}
