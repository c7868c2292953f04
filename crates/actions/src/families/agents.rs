//! Handing work to another agent: a command that starts one of the agents that the place knows.
//!
//! Which programs are agents is told by the place; no name of one stands here.

use crate::{Invocation, World};
use model::{Action, Flag, Flags, ResourceKind, Verb};

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
    let mut words = invocation.args.iter().map(|arg| arg.text.as_str());
    let first = words.clone().find(|word| !word.starts_with('-'));
    if words.any(|word| LOOKS.contains(&word)) || first.is_some_and(|word| UPKEEP.contains(&word)) {
        return false;
    }
    let mut action = Action::new(Verb::Delegate, ResourceKind::Program, program.clone());
    action.flags = Flags::NONE.with_if(Flag::Tracked, names_task(invocation));
    world.act(invocation, action);
    true
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
