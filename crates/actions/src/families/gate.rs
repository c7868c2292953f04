//! `tollgate` itself: what only the owner may do is an attempt against the gate when a worker does
//! it; looking is free.

use crate::family::{Effects, Family, Program};
use crate::{Invocation, World};
use model::{Action, CommandClass, CommandSpec, ResourceKind, Verb};

/// The gate's own programs.
pub const GATE: Family = &[
    Program::new("tollgate", Effects::Own(read)),
    Program::new("tollgate-hook", Effects::Own(read)),
];

fn read(invocation: &Invocation, world: &mut World<'_>) {
    let mut words = Vec::new();
    let mut args = invocation.args.iter().map(|arg| arg.text.as_str());
    while let Some(word) = args.next() {
        match word {
            // Its value is no command.
            "--user" => drop(args.next()),
            _ if word.starts_with('-') => {}
            _ => words.push(word),
        }
    }
    let asks_help = invocation
        .args
        .iter()
        .any(|arg| matches!(arg.text.as_str(), "--help" | "-h"));
    if asks_help {
        return;
    }
    let is_hidden = invocation.args.first().is_some_and(|arg| !arg.is_known());
    // Typed as a prompt it is a yes.
    let is_yes = words
        .first()
        .is_some_and(|word| word.eq_ignore_ascii_case("ok"));
    let class = CommandSpec::path(words).last().map(|spec| spec.class);
    // Events that the host did not send would be believed.
    let forges = invocation.program == "tollgate-hook" || class == Some(CommandClass::Host);
    let is_owner = is_yes || class == Some(CommandClass::Owner);
    let name = match (forges, is_owner || is_hidden) {
        (true, _) => "forge",
        (false, true) => "owner-command",
        (false, false) => return,
    };
    world.act(
        invocation,
        Action::new(Verb::Tamper, ResourceKind::Gate, name),
    );
}
