//! Lists of tasks that an earlier call of the session wrote or changed, and which part of one a
//! call carries out: the block of each task that it names, and of those that these wait for.

use crate::{Invocation, World};
use model::Fact;
use text::path;

/// Most tasks that are followed from one to the next.
const TASKS_MAX: usize = 32;

/// What a call carries out of the lists with these names in the present directory.
pub(crate) fn of_session(
    world: &mut World<'_>,
    invocation: &Invocation,
    files: &[&str],
) -> Vec<(String, String)> {
    let Some(cwd) = world.now.shell.cwd.clone() else {
        return Vec::new();
    };
    let paths = files.iter().map(|name| path::join(&cwd, name));
    let paths: Vec<String> = paths.filter(|path| is_of_session(world, path)).collect();
    let words = invocation.args.iter().map(|arg| arg.text.as_str());
    let names: Vec<&str> = words.filter(|word| !word.starts_with('-')).collect();
    let texts = paths.into_iter().filter_map(|path| {
        let text = world.text(&path).known().cloned()?;
        let part = chosen(&text, &names);
        Some((path, part))
    });
    texts.collect()
}

/// Whether an earlier call of the session wrote a file, or changed it last.
pub(crate) fn is_of_session(world: &mut World<'_>, path: &str) -> bool {
    !world.is_made(path) && (world.is_session_made(path) || world.is_own_edit(path))
}

/// The text of a list that an earlier call of the session wrote or changed.
pub(crate) fn text_of_session(world: &mut World<'_>, path: &str) -> Option<String> {
    if !is_of_session(world, path) {
        return None;
    }
    match world.text(path) {
        Fact::Known(text) => Some(text),
        Fact::Unknown(_) => None,
    }
}

/// The lines of the tasks with these names, and of those that they wait for. Without a name it is
/// the first one.
pub(crate) fn chosen(text: &str, names: &[&str]) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() == 1 {
        return text.to_owned();
    }
    let mut wanted: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    for name in names {
        wanted.extend([format!("pre{name}"), format!("post{name}")]);
    }
    if names.is_empty() {
        let first = lines.iter().find_map(|line| named(line).next());
        wanted.extend(first.map(str::to_owned));
    }
    let mut found = String::new();
    let mut at = 0;
    while let Some(name) = wanted.get(at).cloned() {
        at += 1;
        for (number, line) in lines.iter().enumerate() {
            if !named(line).any(|own| own == name) {
                continue;
            }
            let rest = lines.get(number + 1..).unwrap_or_default();
            for line in std::iter::once(line).chain(block(line, rest)) {
                found.push_str(line);
                found.push('\n');
            }
            for other in waited_for(line) {
                if wanted.len() < TASKS_MAX && !wanted.iter().any(|name| name == other) {
                    wanted.push(other.to_owned());
                }
            }
        }
    }
    found
}

/// The names in the head of a task: `a b: c`, `"a": "…"`, `a x='1':`, `[tasks.a]`.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let line = line.trim_start();
    let table = line.strip_prefix("[tasks.");
    let head = match table {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None if line.starts_with(['#', '.']) => "",
        None => match line.split_once(':') {
            Some((head, rest)) if !rest.starts_with('=') => head,
            _ => "",
        },
    };
    let marks = ['"', '\'', '@', ',', '{', ' '];
    let words = head
        .split_whitespace()
        .map(move |word| word.trim_matches(marks));
    words.filter(|word| !word.is_empty())
}

/// What stands deeper than the head of a task; of a table, all up to the next.
fn block<'l>(head: &str, rest: &'l [&'l str]) -> impl Iterator<Item = &'l &'l str> {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let (own, is_table) = (depth(head), head.trim_start().starts_with('['));
    rest.iter().take_while(move |line| match is_table {
        true => !line.starts_with('['),
        false => line.trim().is_empty() || depth(line) > own,
    })
}

/// The tasks that must run before: `all: clean build`.
fn waited_for(head: &str) -> impl Iterator<Item = &str> {
    let after = head.split_once(':').map_or("", |(_, after)| after);
    let plain = if after.contains(['"', '\'', '=']) {
        ""
    } else {
        after
    };
    plain
        .split(';')
        .next()
        .unwrap_or_default()
        .split_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tasks_that_are_named_are_chosen() {
        let make = "D := x\nall: b\n\techo hi\nb:\n\trm -rf $(D)\nc:\n\tls\n";
        assert_eq!(chosen(make, &[]), chosen(make, &["all"]));
        assert_eq!(
            chosen(make, &["all"]),
            "all: b\n\techo hi\nb:\n\trm -rf $(D)\n"
        );
        assert_eq!(chosen(make, &["c"]), "c:\n\tls\n");
        let package = "{\n  \"scripts\": {\n    \"a\": \"rm a\",\n    \"prea\": \"ls\"\n  }\n}\n";
        let expected = "    \"a\": \"rm a\",\n    \"prea\": \"ls\"\n";
        assert_eq!(chosen(package, &["run", "a"]), expected);
        let toml = "[tasks.a]\nrun = 'rm x'\n[tasks.b]\nrun = 'ls'\n";
        assert_eq!(chosen(toml, &["run", "a"]), "[tasks.a]\nrun = 'rm x'\n");
    }
}
