//! `make`: the recipes of a makefile that this call itself hands to it, and what it carries out of
//! one that the session wrote. Any other that lies in the project is a program, and opaque.

use crate::effects;
use crate::interpreters::tasks;
use crate::machine::Output;
use crate::options::{Options, Spec, flag, value};
use crate::{Arg, Input, Invocation, World};
use model::Fact;

const MAKE: Spec = Spec::gnu(&[
    value("file f makefile"),
    value("directory C"),
    value("eval E"),
    value("include-dir I"),
    value("jobs j"),
    value("load-average l"),
    value("old-file o assume-old"),
    value("what-if W new-file assume-new"),
    flag("look n just-print dry-run recon version v help h question q"),
    flag("always-make B"),
    flag("silent s quiet"),
    flag("keep-going k"),
    flag("ignore-errors i"),
]);

/// Names that make looks for.
const NAMES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

/// Reads recipes; what else make does stays opaque.
pub(super) fn make(world: &mut World<'_>, invocation: &Invocation) -> bool {
    let options = Options::read(&invocation.args, &MAKE);
    for word in &options.operands {
        run_shells(world, invocation, word);
    }
    if options.has("look") {
        return false;
    }
    let outside = world.now.shell.cwd.clone();
    if let Some(dir) = options.value("directory") {
        let target = world.target(dir);
        world.now.shell.cwd = Some(target.path).filter(|_| dir.is_known());
    }
    let mut inner = invocation.clone();
    let mut texts: Vec<Arg> = options.values("eval").cloned().collect();
    let goals = options
        .operands
        .iter()
        .filter(|word| !word.text.contains('='));
    let goals: Vec<&str> = goals.map(|word| word.text.as_str()).collect();
    let named: Vec<Arg> = options.values("file").cloned().collect();
    for file in &named {
        match file.text.as_str() {
            // What a recipe reads is no longer there.
            "-" | "/dev/stdin" => match std::mem::take(&mut inner.input) {
                Input::Download(_) => effects::execute_download(world, invocation),
                Input::Text(text) => texts.push(text),
                Input::File(file) => texts.extend(made(world, (&file, &goals))),
                _ => {}
            },
            _ if matches!(world.process_output(file), Some(Output::Download(_))) => {
                effects::execute_download(world, invocation);
            }
            _ => texts.extend(made(world, (file, &goals))),
        }
    }
    if named.is_empty() {
        let found = NAMES
            .iter()
            .find_map(|name| made(world, (&Arg::literal(*name), &goals)));
        texts.extend(found);
    }
    for text in &texts {
        run_shells(world, &inner, text);
        let recipes = Arg {
            text: recipes(&text.text),
            ..text.clone()
        };
        world.script(&inner, "make", &recipes);
    }
    world.now.shell.cwd = outside;
    false
}

/// `$(shell TEXT)`: what make runs to learn a value, whatever it makes.
fn run_shells(world: &mut World<'_>, invocation: &Invocation, text: &Arg) {
    for rest in text.text.split("$(shell ").skip(1) {
        let mut depth = 1_usize;
        let is_end = |sign: char| {
            match sign {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        };
        let command = rest.split(is_end).next().unwrap_or_default();
        world.script(
            invocation,
            "make",
            &Arg::derived(command.replace("$$", "$")),
        );
    }
}

/// The text of a file that this call made; of one that an earlier call wrote, what the goals need.
fn made(world: &mut World<'_>, (file, goals): (&Arg, &[&str])) -> Option<Arg> {
    if let Some(output) = world.process_output(file) {
        return output.text().cloned();
    }
    let target = world.target(file);
    if !target.is_known() {
        return None;
    }
    if let Some(text) = tasks::text_of_session(world, &target.path) {
        let variables = text.lines().filter(|line| assigned(line).is_some());
        let variables: String = variables.flat_map(|line| [line, "\n"]).collect();
        return Some(Arg::derived(variables + &tasks::chosen(&text, goals)));
    }
    if !world.is_made(&target.path) {
        let added = world.now.overlay.added(&target.path)?;
        return Some(Arg::derived(tasks::chosen(added, goals)));
    }
    match world.text(&target.path) {
        Fact::Known(text) => Some(Arg::derived(text)),
        Fact::Unknown(_) => None,
    }
}

/// The commands in a makefile, with its plain variables filled in.
fn recipes(makefile: &str) -> String {
    let mut variables: Vec<(&str, &str)> = Vec::new();
    let mut commands = String::new();
    for line in makefile.lines() {
        let command = match (line.strip_prefix('\t'), line.split_once(';')) {
            (Some(command), _) => command.trim_start_matches(['@', '-', '+', ' ']),
            (None, Some((rule, command))) if rule.contains(':') => {
                command.trim().trim_start_matches(['@', '-', '+', ' '])
            }
            (None, _) => {
                variables.extend(assigned(line));
                continue;
            }
        };
        let mut command = command.to_owned();
        for (name, value) in &variables {
            command = command.replace(&format!("$({name})"), value);
            command = command.replace(&format!("${{{name}}}"), value);
        }
        commands.push_str(&command.replace("$$", "$"));
        commands.push('\n');
    }
    commands
}

/// `NAME = value`, `NAME := value`
fn assigned(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+']).trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_are_the_commands() {
        let text = "D = drafts\nall: x;echo hi\n\nx:\n\t@rm -rf $(D)\n\t-echo $$HOME\n";
        assert_eq!(recipes(text), "echo hi\nrm -rf drafts\necho $HOME\n");
    }
}
