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
        let part = filled(&chosen(&text, &names), &text);
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
    let spread = spread(text);
    let lines: Vec<&str> = spread.as_deref().unwrap_or(text).lines().collect();
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

/// A part of a list with the values that the whole gives its names: `{{dir}}`, `{{.DIR}}`.
pub(crate) fn filled(part: &str, whole: &str) -> String {
    let mut text = String::new();
    let mut rest = part;
    while let Some((before, inner)) = rest.split_once("{{") {
        let Some((name, after)) = inner.split_once("}}") else {
            break;
        };
        text.push_str(before);
        let value = value_of(whole, name.trim().trim_start_matches('.'));
        match value.and_then(|value| value_of(whole, value).or(Some(value))) {
            Some(value) => text.push_str(value),
            None => text.extend(["{{", name, "}}"]),
        }
        rest = after;
    }
    text.push_str(rest);
    text
}

/// The value of a name: `out := "x"`, `OUT: x`, or that of a parameter, `wipe dir="x":`.
fn value_of<'t>(whole: &'t str, name: &str) -> Option<&'t str> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || !name.chars().all(is_plain) {
        return None;
    }
    let marks = ['"', '\'', ' ', ','];
    whole.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix(name).map(str::trim_start);
        let signs = [":=", "=", ":"];
        let given = rest.and_then(|rest| signs.iter().find_map(|sign| rest.strip_prefix(sign)));
        let of_parameter = || {
            let mut words = line.split_whitespace().skip(1);
            let is_head = line.trim_end().contains(':');
            let found = words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            found
                .filter(|_| is_head)
                .map(|value| value.trim_end_matches(':'))
        };
        let given = given.or_else(of_parameter)?.trim_matches(marks);
        (!given.is_empty()).then_some(given)
    })
}

/// JSON that stands in one line, with a line for each member; nothing of any other text.
fn spread(text: &str) -> Option<String> {
    let text = text.trim();
    if text.contains('\n') || !text.starts_with('{') {
        return None;
    }
    let mut lines = String::new();
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    for letter in text.chars() {
        is_text ^= letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        let begins = !is_text && matches!(letter, '{' | '[' | ',');
        let ends = !is_text && matches!(letter, '}' | ']');
        depth += usize::from(begins && letter != ',');
        depth = depth.saturating_sub(usize::from(ends));
        let indent = || std::iter::once('\n').chain(std::iter::repeat_n(' ', depth));
        if ends {
            lines.extend(indent());
        }
        lines.push(letter);
        if begins {
            lines.extend(indent());
        }
    }
    Some(lines)
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
    fn names_have_the_values_that_the_list_gives_them() {
        let just = "out := \"runs\"\n\nwipe dir=out:\n  rm -rf {{dir}} {{ out }} {{other}}\n";
        let part = filled(&chosen(just, &["wipe"]), just);
        assert!(part.contains("rm -rf runs runs {{other}}"), "{part}");
        let task = "vars:\n  DIR: runs\ntasks:\n  wipe:\n    - rm -rf {{.DIR}}\n";
        assert!(filled(task, task).contains("rm -rf runs"));
    }

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
