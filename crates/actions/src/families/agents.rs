//! Handing work to another agent: a command that starts one of the agents that the place knows.
//!
//! Which programs are agents is told by the place; no name of one stands here.

use crate::{Arg, Invocation, World};
use model::{Action, Flag, Flags, ResourceKind, Root, Verb};

/// First words after which an agent's program only looks after itself.
const UPKEEP: &[&str] = &[
    "agents",
    "auth",
    "completion",
    "config",
    "doctor",
    "help",
    "install",
    "login",
    "logout",
    "mcp",
    "plugin",
    "plugins",
    "setup-token",
    "uninstall",
    "update",
    "upgrade",
    "version",
];

/// Options with which it does not start.
const LOOKS: &[&str] = &["--version", "--help", "-v", "-V", "-h"];

/// Puts a `delegate` on the list if the command starts an agent; whether it does.
pub fn delegates(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let program = &invocation.program;
    if !world.place().agents.contains(program) {
        return false;
    }
    // Another program may have the name of an agent.
    if super::services::takes_beside(world, invocation) {
        return true;
    }
    let mut words = invocation.args.iter().map(|arg| arg.text.as_str());
    let first = words.clone().find(|word| !word.starts_with('-'));
    if words.any(|word| LOOKS.contains(&word)) || first.is_some_and(|word| UPKEEP.contains(&word)) {
        return false;
    }
    if is_ungated(world, invocation) {
        let tamper = Action::new(Verb::Tamper, ResourceKind::Gate, "ungated");
        world.act(invocation, tamper);
    }
    let mut action = Action::new(Verb::Delegate, ResourceKind::Program, program.clone());
    action.flags = Flags::NONE.with_if(Flag::Tracked, names_task(invocation));
    world.act(invocation, action);
    true
}

/// Whether an agent is started so that our hooks are not called before what it does: by an option,
/// or with another place for its settings than ours is in.
fn is_ungated(world: &World<'_>, invocation: &Invocation) -> bool {
    if world.elsewhere {
        return false;
    }
    let place = world.place();
    let moves = |(name, value): &(String, Arg)| {
        let mut templates = place.own.templates.iter();
        let is_root = name == "HOME" || templates.any(|one| one.root == Root::Variable(name));
        let here = match name.as_str() {
            "HOME" => Some(place.home.as_str()),
            name => place.var(name),
        };
        is_root
            && here.map(|here| here.trim_end_matches('/')) != Some(value.text.trim_end_matches('/'))
    };
    if invocation.env.iter().any(moves) {
        return true;
    }
    let mut programs = place.ungated.iter();
    let named = programs.find(|(program, _)| *program == invocation.program);
    let Some((_, words)) = named else {
        return false;
    };
    let args = invocation.args.as_slice();
    words.iter().any(|word| is_given(args, word))
}

/// Whether an option is given (`--option`), an option with its value (`--option value`), one whose
/// value lacks a word (`--option!word`), or a word inside the value of an option.
fn is_given(args: &[Arg], wanted: &str) -> bool {
    let pairs = args.iter().enumerate().map(|(at, arg)| {
        let (name, value) = match arg.text.split_once('=') {
            Some((name, value)) if name.starts_with('-') => (name, Some(value)),
            _ => (
                arg.text.as_str(),
                args.get(at + 1).map(|next| next.text.as_str()),
            ),
        };
        (name, value.unwrap_or_default())
    });
    { pairs }.any(|(name, value)| {
        if let Some((option, needed)) = wanted.split_once('!') {
            return name == option && !value.split(',').any(|word| word.trim() == needed);
        }
        if let Some((option, given)) = wanted.split_once(' ') {
            return name == option && value == given;
        }
        if wanted.starts_with('-') {
            return name == wanted;
        }
        let squeezed = || value.replace([' ', '"', '\''], "");
        name.starts_with('-') && squeezed().contains(wanted)
    })
}

fn names_task(invocation: &Invocation) -> bool {
    let variables = invocation.env.iter();
    let words = invocation.args.iter().any(|arg| is_tracked(&arg.text));
    let mut named = variables.filter(|(name, _)| is_task_variable(name));
    words || is_tracked(&invocation.text) || named.any(|(_, value)| !value.text.is_empty())
}

fn is_task_variable(name: &str) -> bool {
    name.ends_with("TASK") || name.ends_with("TASK_ID")
}

/// Whether words name a task: `bd-a1b2`, `ABC-12`, `#12`, `TASK=…`, `--task`.
#[must_use]
pub fn is_tracked(text: &str) -> bool {
    let apart = |letter: char| !(letter.is_alphanumeric() || "-_#=".contains(letter));
    text.split(apart).any(is_task)
}

fn is_task(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let option = word == "--task" || word.starts_with("--task=");
    let variable = word.split_once('=');
    let variable =
        variable.is_some_and(|(name, value)| is_task_variable(name) && !value.is_empty());
    if option || variable || word.strip_prefix('#').is_some_and(digits) {
        return true;
    }
    match word.split_once('-') {
        Some(("bd", id)) => id.chars().next().is_some_and(char::is_alphanumeric),
        Some((project, number)) => {
            let upper = project.len() > 1 && project.chars().all(|c| c.is_ascii_uppercase());
            upper && digits(number)
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_found_in_words() {
        for (text, expected) in [
            ("work on 'bd-a1b2'", true),
            ("bd-42: fix the tests", true),
            ("fix ABC-12 now", true),
            ("closes #12", true),
            ("TASK=x run", true),
            ("run --task=7", true),
            ("run --task 7", true),
            ("refactor utf-8 handling", false),
            ("use gpt-4", false),
            ("bd list", false),
            ("TASK= run", false),
            ("a # comment", false),
        ] {
            assert_eq!(is_tracked(text), expected, "{text}");
        }
    }
}
