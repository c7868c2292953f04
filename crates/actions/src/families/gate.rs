//! `tollgate` itself: what only the owner may do is an attempt against the gate when a worker does
//! it; looking is free.

use crate::family::{Effects, Family, Program};
use crate::{Invocation, World};
use model::{Action, ResourceKind, Verb};

/// The gate's own programs.
pub const GATE: Family = &[
    Program::new("tollgate", Effects::Own(read)),
    Program::new("tollgate-hook", Effects::Own(read)),
];

/// Owner commands, as the words they begin with.
const OWNER: &[&[&str]] = &[
    &["approve"],
    &["refuse"],
    &["approvals"],
    &["notify"],
    &["ok"],
    &["off"],
    &["on"],
    &["trust"],
    &["init"],
    &["uninstall"],
    &["install"],
    &["review", "drop"],
    &["undo", "drop"],
    &["index", "confirm"],
    &["index", "reject"],
    &["index", "retire"],
    &["strikes", "clear"],
    &["session", "reset"],
    &["key"],
];

/// Commands that write only what the worker may write.
const HOOK: &[&str] = &["hook"];

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
    let is_owner = OWNER.iter().any(|owner| words.starts_with(owner));
    // Events that the host did not send would be believed.
    let forges = invocation.program == "tollgate-hook"
        || words.first().is_some_and(|word| HOOK.contains(word));
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
