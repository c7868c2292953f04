//! A command whose words hold a variable that is one of a few values, depending on the way that was
//! taken: it is read once for each of them, and what it does with any of them counts.

use super::compound::join_all;
use super::simple::{self, Parts};
use crate::machine::{Frame, Output, Var};
use crate::{Arg, World};
use shell::Command;

/// Most readings of one command.
const READINGS_MAX: usize = 16;

/// Reads a simple command with each value of its variables.
pub(super) fn simple(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    command: &Command<'_>,
    parts: Parts<'_, '_>,
) -> Output {
    let Some((name, var)) = named(world, frame, command) else {
        return simple::simple(world, frame, command, parts);
    };
    let start = world.now.clone();
    let mut ends = Vec::new();
    let mut printed: Option<Output> = None;
    for value in &var.either {
        let settled = settled(&var, value);
        world.now = start.clone();
        world.now.shell.vars.insert(name.clone(), settled.clone());
        let output = simple(world, frame, command, parts);
        if world.now.shell.vars.get(&name) == Some(&settled) {
            world.now.shell.vars.insert(name.clone(), var.clone());
        }
        ends.push(std::mem::take(&mut world.now));
        printed = Some(match printed {
            Some(before) if before != output => Output::Unknown,
            _ => output,
        });
    }
    world.now = ends.pop().unwrap_or(start);
    join_all(world, ends);
    printed.unwrap_or(Output::Unknown)
}

fn settled(var: &Var, value: &Arg) -> Var {
    Var {
        values: vec![value.clone()],
        either: Vec::new(),
        ..var.clone()
    }
}

/// The first variable of a command that is one of a few values, unless all of its variables make
/// too many readings.
fn named(world: &World<'_>, frame: &Frame<'_>, command: &Command<'_>) -> Option<(String, Var)> {
    let vars = world.now.shell.vars.iter();
    let mut open = vars.filter(|(_, var)| !var.either.is_empty()).peekable();
    open.peek()?;
    let text = frame.text(command.span);
    let named: Vec<(&String, &Var)> = open.filter(|(name, _)| stands_in(name, &text)).collect();
    let readings: usize = named.iter().map(|(_, var)| var.either.len()).product();
    let (name, var) = named.first().filter(|_| readings <= READINGS_MAX)?;
    Some(((*name).clone(), (*var).clone()))
}

/// Whether a text has `$name` or `${name…}` in it.
fn stands_in(name: &str, text: &str) -> bool {
    text.split('$').skip(1).any(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let after = rest.strip_prefix(name);
        after.is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}
