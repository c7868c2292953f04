//! Secrets among the variables of the environment, and what shows them: `echo $env:TOKEN`,
//! `Get-ChildItem Env:*KEY*`, `set | findstr TOKEN`.

use super::lexer::Command;
use super::reads::begins;
use crate::effects;
use crate::{Arg, Invocation, World};
use text::glob::{DOTGLOB, Glob};

/// Words that show what they are given.
const SHOWING: &[&str] = &["echo", "write", "write-host", "write-output"];

/// Words whose block stands for a value.
const CONDITIONS: &[&str] = &["elseif", "if", "switch", "until", "while"];

/// Words that show what a drive has, the environment being one.
const LISTING: &[&str] = &[
    "cat",
    "dir",
    "gc",
    "gci",
    "get-childitem",
    "get-content",
    "get-item",
    "gi",
    "ls",
    "type",
];

/// Words that pick some of what they are handed.
const PICKING: &[&str] = &[
    "?",
    "findstr",
    "select-string",
    "sls",
    "where",
    "where-object",
];

/// Words that take columns of what they are handed.
const COLUMNS: &[&str] = &[
    "%",
    "foreach-object",
    "format-list",
    "format-table",
    "ft",
    "fl",
    "select",
    "select-object",
];

/// Words that count what they are handed, or show nothing of it.
const COUNTING: &[&str] = &["measure", "measure-object", "out-null"];

/// What asks for one variable.
const ASKED: &str = "[environment]::getenvironmentvariable";

/// As Windows has names.
const NAMES: Glob = Glob {
    folds_case: true,
    ..DOTGLOB
};

/// Puts the secrets of the environment on the list that a command shows.
pub(super) fn show(
    world: &mut World<'_>,
    invocation: &Invocation,
    commands: &[Command],
    at: usize,
) {
    let before = at.checked_sub(1).and_then(|at| commands.get(at));
    let Some(command) = commands.get(at) else {
        return;
    };
    if before.is_some_and(|before| begins(before, CONDITIONS)) {
        return;
    }
    values(world, invocation, command);
    // What stands in the middle of a command is for that command.
    let is_for_another = command.is_inner && !before.is_some_and(|before| begins(before, SHOWING));
    if is_for_another {
        return;
    }
    let after = commands.get(at + 1..).unwrap_or_default();
    let piped: Vec<&Command> = after.iter().take_while(|next| next.is_piped).collect();
    if after
        .first()
        .is_some_and(|next| begins(next, &[".name", ".key", ".keys", ".count", ".length"]))
        || piped.iter().any(|next| begins(next, COUNTING))
        || piped.iter().any(|next| takes_names(next))
    {
        return;
    }
    let is_cmd = invocation.via.last().is_some_and(|via| via == "cmd /c");
    let Some(asked) = asked(command, is_cmd) else {
        return;
    };
    let is_whole = !piped.iter().any(|next| begins(next, PICKING));
    let picked = picked(&piped);
    let names = world.place.env.names().filter(|name| match &asked {
        Asked::All => is_whole || picked.iter().any(|part| holds(name, part)),
        Asked::Like(pattern) => NAMES.matches_name(pattern, name),
    });
    let names = names.filter(|name| world.is_handed(name));
    let names: Vec<String> = names.map(str::to_owned).collect();
    for name in names {
        effects::read_variable(world, invocation, &name);
    }
}

/// `echo $env:TOKEN`, `"token: $env:TOKEN"`
fn values(world: &mut World<'_>, invocation: &Invocation, command: &Command) {
    let is_alone = command.words.len() == 1;
    if !is_alone && !begins(command, SHOWING) {
        return;
    }
    for name in &command.env {
        // A method makes another value of it: `.Length`.
        let value = world.place.var(name).unwrap_or_default().to_owned();
        let is_shown = command.words.iter().any(|word| {
            let mut after = word.text.split(&value).skip(1);
            // A word alone that begins with it is a program's path.
            let is_path = word.text != value && word.text.starts_with(&value);
            let is_value = !is_alone || !is_path && !word.text.starts_with("[bool]");
            after.any(|rest| !rest.starts_with('.')) && is_value
        });
        if world.is_handed(name) && is_shown {
            effects::read_variable(world, invocation, name);
        }
    }
}

/// Which variables a command has shown.
enum Asked {
    /// All of them, of which those that follow pick some.
    All,
    Like(String),
}

fn asked(command: &Command, is_cmd: bool) -> Option<Asked> {
    let mut words = command.words.iter().map(|word| word.text.as_str());
    let first = words.next()?.to_lowercase().replacen("[system.", "[", 1);
    if matches!(&*first, "cmd" | "cmd.exe") {
        let rest: String = words.collect::<Vec<_>>().join(" ").to_lowercase();
        return matches!(&*rest, "/c set" | "//c set").then_some(Asked::All);
    }
    if is_cmd && first == "set" {
        return match words.next() {
            None => Some(Asked::All),
            Some(name) if !name.contains('=') => Some(Asked::Like(format!("{name}*"))),
            Some(_) => None,
        };
    }
    if is_cmd && first == "echo" {
        let inner = words.find_map(|word| word.split('%').nth(1))?;
        return Some(Asked::Like(inner.to_owned()));
    }
    if first == ASKED {
        let name = words.next()?.split(',').next()?;
        return Some(Asked::Like(name.to_owned()));
    }
    if !LISTING.contains(&&*first) {
        return None;
    }
    let pattern = words.find_map(|word| {
        let (drive, rest) = word.split_at_checked(4)?;
        drive.eq_ignore_ascii_case("env:").then_some(rest)
    })?;
    let pattern = pattern.trim_start_matches(['\\', '/']);
    let is_all = pattern.trim_matches('*').is_empty();
    Some(match is_all {
        true => Asked::All,
        false => Asked::Like(pattern.to_owned()),
    })
}

/// What those that follow look for: `where Name -like '*TOKEN*'`, `findstr /i "KEY TOKEN"`.
fn picked(piped: &[&Command]) -> Vec<String> {
    let at = piped.iter().position(|next| begins(next, PICKING));
    let mut stages = at.and_then(|at| piped.get(at..)).unwrap_or_default().iter();
    // What is looked for stands in a block: `where { … }`.
    let stage = stages.next().filter(|stage| stage.words.len() > 1);
    let Some(stage) = stage.or_else(|| stages.next()) else {
        return Vec::new();
    };
    let words = stage.words.iter();
    let is_inverse = |word: &Arg| word.text.to_lowercase().starts_with("-not");
    if words.clone().any(is_inverse) {
        return Vec::new();
    }
    let is_option = |word: &&Arg| word.text.starts_with(['-', '/']);
    let last = words.rev().find(|word| !is_option(word));
    let parts = last
        .map_or("", |last| &last.text)
        .split(['|', ' ', ',', '(', ')']);
    let parts = parts.map(|part| part.trim_matches(['*', '^', '$', '.', '+', '=']));
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(str::to_uppercase).collect()
}

fn holds(name: &str, part: &str) -> bool {
    name.to_uppercase().contains(part)
}

/// `Select-Object Name`: no value is left.
fn takes_names(command: &Command) -> bool {
    let mut named = command.words.iter().skip(1);
    let mut is_any = false;
    let are_names = named.all(|word| {
        let lower = word.text.to_lowercase();
        is_any |= matches!(lower.as_str(), "name" | "key");
        is_any || lower.starts_with('-')
    });
    begins(command, COLUMNS) && is_any && are_names
}
