//! `tollgate` itself: what only the owner may do is an attempt against the gate when a worker does
//! it; looking is free.

use crate::command_context::CommandContext;
use crate::family::{Effects, Family, Program};
use crate::world::own;
use crate::{Arg, Invocation, World};
use model::{Action, CommandClass, CommandSpec, Flags, KeptFrom, ResourceKind, Verb};

/// The gate's own programs.
pub const GATE: Family = &[
    Program::new("tollgate", Effects::Own(read)),
    Program::new("tollgate-desk", Effects::Own(read)),
    Program::new("tollgate-hook", Effects::Own(read)),
    Program::new("tollgate-proxy", Effects::Own(read)),
];

/// Says what a command of ours is an attempt at, if it is one.
pub(crate) fn read(invocation: &Invocation, world: &mut World<'_>) {
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
    if words.contains(&"restore") {
        restores(invocation, world);
    }
    let spec = CommandSpec::path(words).last().copied();
    if let Some(path) = spec.and_then(|spec| put_over_ours(spec.name, invocation, world)) {
        let tamper = Action::new(Verb::Tamper, ResourceKind::Gate, path);
        return world.act(invocation, tamper);
    }
    let class = spec.map(|spec| spec.class);
    // A word after an option may be its value, and then names no part.
    let sure = invocation.args.iter().map(|arg| arg.text.as_str());
    let sure = sure.skip_while(|word| word.starts_with('-'));
    let sure = CommandSpec::path(sure.take_while(|word| !word.starts_with('-')));
    let is_owners = |spec: &&CommandSpec| spec.class == CommandClass::Owner;
    let may_be_owners = sure.last().is_some_and(is_owners);
    // Events that the host did not send would be believed.
    let is_hosts = ["tollgate-hook", "tollgate-proxy"].contains(&invocation.program.as_str());
    let forges = is_hosts || class == Some(CommandClass::Host);
    let chooses = spec.is_some_and(|spec| chooses(spec.names_agent, invocation, world));
    let is_owner = is_yes || class == Some(CommandClass::Owner) || may_be_owners || chooses;
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

/// Whether these are the words of an owner's command that hardly any other program is given: said
/// to a program that nobody knows, they may be said to ours.
pub(crate) fn is_said_to_ours(args: &[Arg]) -> bool {
    if args.iter().any(|arg| !arg.is_known()) {
        return false;
    }
    let has = |option: &str| {
        let is_it = |text: &str| text.split('=').next() == Some(option);
        args.iter().any(|arg| is_it(&arg.text))
    };
    let words = args.iter().map(|arg| arg.text.as_str());
    let words: Vec<&str> = words.filter(|word| !word.starts_with('-')).collect();
    let path = CommandSpec::path(words.iter().copied());
    let Some(spec) = path.last() else {
        return false;
    };
    let is_proven = spec.kept_from == Some(KeptFrom::Unproven);
    match (path.as_slice(), words.get(1)) {
        ([_, _, ..], _) => is_proven,
        (_, None) if matches!(spec.name, "off" | "trust" | "approvals") => true,
        (_, Some(_)) if spec.name == "off" => has("--for"),
        (_, Some(word)) if matches!(spec.name, "approve" | "refuse") => is_id_or_code(word),
        _ => match spec.name {
            "init" => has("--profile"),
            "uninstall" => has("--agent") || has("--purge") || has("--scope"),
            _ => false,
        },
    }
}

/// Whether a word looks like what a question is called by (`A7F3`, `kestrel-maple-42`).
fn is_id_or_code(word: &str) -> bool {
    let is_id = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit();
    let is_code = || word.contains('-') && word.ends_with(|end: char| end.is_ascii_digit());
    word.len() == 4 && word.chars().all(is_id) || is_code()
}

/// `tollgate undo restore ID --to DIR`: what is put there may be anything.
fn restores(invocation: &Invocation, world: &mut World<'_>) {
    let mut args = invocation.args.iter();
    while let Some(arg) = args.next() {
        let to = match arg.text.strip_prefix("--to") {
            Some("") => args.next().cloned(),
            Some(rest) => rest.strip_prefix('=').map(Arg::derived),
            None => None,
        };
        if let Some(to) = to {
            let mut context = CommandContext::new(invocation, world);
            let dir = context.target(&to);
            context.edit(&dir, Flags::NONE);
            context.fill_blindly(&dir);
        }
    }
}

/// What of the gate's a command of its own would put something else in the place of: a worker may
/// say where to.
fn put_over_ours(command: &str, invocation: &Invocation, world: &mut World<'_>) -> Option<String> {
    let mut args = invocation.args.iter();
    let to = match command {
        "validate" => loop {
            let arg = args.next()?;
            match arg.text.strip_prefix("--promote") {
                Some("") => break args.next().cloned(),
                Some(rest) => break rest.strip_prefix('=').map(Arg::derived),
                None => {}
            }
        },
        "man" | "export" => args.next_back().cloned(),
        _ => None,
    };
    let dir = world.target(&to?);
    if !dir.is_known() {
        return None;
    }
    match own::has(world.place, &dir.path) {
        true => Some(dir.path),
        false => world.own_standing(&dir.path, |_| true),
    }
}

/// Whether an option says what only the owner may choose: anything but an agent's program.
fn chooses(option: &str, invocation: &Invocation, world: &World<'_>) -> bool {
    if option.is_empty() {
        return false;
    }
    let agents = &world.place().agents;
    let is_agent = |value: &str| agents.iter().any(|agent| agent == value);
    let mut args = invocation.args.iter();
    while let Some(arg) = args.next() {
        // What is not known may be the option.
        if !arg.is_known() {
            return true;
        }
        let value = match arg.text.strip_prefix(option) {
            Some("") => args.next().map(|value| value.text.as_str()),
            Some(rest) => rest.strip_prefix('='),
            None => continue,
        };
        if !value.is_some_and(is_agent) {
            return true;
        }
    }
    false
}
