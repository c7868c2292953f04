//! Loops and bundles of options as one who reads line by line understands them: `foreach ($f in
//! gci d) { … }` is `gci d | ForEach-Object { … }`, `for %f in (*.tmp) do del %f` is `del *.tmp`.

use super::lists;
use super::spans::{closes, named, places, with_value};
use crate::Arg;

/// Most loops and bundles of one text that are written out.
const WRITTEN_OUT_MAX: usize = 16;

/// A text of PowerShell with its loops over things and its bundles of options written out.
pub(super) fn plain(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..WRITTEN_OUT_MAX {
        let next = lists::joined(&text).or_else(|| lists::unpiped(&text));
        match next.or_else(|| as_pipe(&text)).or_else(|| unbundled(&text)) {
            Some(next) => text = next,
            None => break,
        }
    }
    text
}

/// The first `foreach ($name in WHAT) { BODY }` as a pipe.
fn as_pipe(text: &str) -> Option<String> {
    places(text, "foreach")
        .into_iter()
        .find_map(|(before, after)| {
            let rest = after.trim_start().strip_prefix('(')?;
            let (name, rest) = named(rest.trim_start().strip_prefix('$')?);
            let rest = rest.trim_start();
            let (word, rest) = rest.split_at_checked(2)?;
            if !word.eq_ignore_ascii_case("in") || name.is_empty() {
                return None;
            }
            let (what, rest) = rest.split_at_checked(closes(rest, ('(', ')'))?)?;
            let rest = rest.get(1..)?.trim_start().strip_prefix('{')?;
            let (body, rest) = rest.split_at_checked(closes(rest, ('{', '}'))?)?;
            let variable = format!("${name}");
            if let Some(names) = lists::list_of(what.trim(), before) {
                let bodies = lists::for_each(&names, (&variable, body));
                return Some(format!("{before}{bodies}{}", rest.get(1..)?));
            }
            let body = with_value(body, &variable, "$_");
            Some(format!(
                "{before}{} | ForEach-Object {{{body}{rest}",
                what.trim()
            ))
        })
}

/// The first `$name = @{ Key = value; … }` as options, wherever `@name` stands.
fn unbundled(text: &str) -> Option<String> {
    let (before, after) = text.split_once("@{")?;
    let whole = before.trim_end().strip_suffix('=')?.trim_end();
    let start = whole.rfind('$')?;
    let (name, rest) = named(whole.get(start + 1..)?);
    if !rest.is_empty() || name.is_empty() {
        return None;
    }
    let (body, rest) = after.split_at_checked(closes(after, ('{', '}'))?)?;
    let entries = body
        .split([';', '\n'])
        .filter_map(|entry| entry.split_once('='));
    let mut options = String::new();
    for (key, value) in entries {
        let value = match &*value.trim().to_ascii_lowercase() {
            "$false" => continue,
            "$true" => "",
            _ => value.trim(),
        };
        options.push_str(&format!(" -{} {value}", key.trim()));
    }
    let rest = with_value(rest.get(1..)?, &format!("@{name}"), options.trim());
    Some(format!("{}{rest}", whole.get(..start)?))
}

/// A text of `cmd` with its first loops written out: what stands for a name is what it is taken
/// from.
pub(super) fn unrolled(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..WRITTEN_OUT_MAX {
        match unrolled_once(&text) {
            Some(next) => text = next,
            None => break,
        }
    }
    text
}

fn unrolled_once(text: &str) -> Option<String> {
    places(text, "for").into_iter().find_map(|(before, after)| {
        let (options, rest) = after.split_once('%')?;
        let letter = rest.chars().next().filter(char::is_ascii_alphabetic)?;
        let rest = rest.get(1..)?.trim_start();
        let (word, rest) = rest.split_at_checked(2)?;
        let rest = rest.trim_start().strip_prefix('(')?;
        let (list, rest) = rest.split_at_checked(closes(rest, ('(', ')'))?)?;
        let rest = rest.get(1..)?.trim_start();
        let (does, rest) = rest.split_at_checked(2)?;
        if !word.eq_ignore_ascii_case("in") || !does.eq_ignore_ascii_case("do") {
            return None;
        }
        let end = rest.find('\n').unwrap_or(rest.len());
        let (body, rest) = rest.split_at_checked(end)?;
        let items = items(&options.to_ascii_lowercase(), list)?;
        let variable = format!("%{letter}");
        let bodies = items.iter().map(|item| spelled(body, &variable, item));
        let bodies: Vec<String> = bodies.collect();
        Some(format!("{before}{}{rest}", bodies.join(" & ")))
    })
}

/// A command with an item in the place of `%f`, `%~f`, `%~nxf`.
fn spelled(body: &str, variable: &str, item: &str) -> String {
    let letter = variable.trim_start_matches('%');
    let mut body = body.to_owned();
    for form in ["%~f", "%~nx", "%~dpnx", "%~"] {
        body = body.replace(&format!("{form}{letter}"), item);
    }
    body.replace(variable, item)
}

/// What a loop goes over; `None` if that is not known.
fn items(options: &str, list: &str) -> Option<Vec<String>> {
    let list = list.trim();
    if options.contains("/l") {
        return None;
    }
    if options.contains("/f") {
        // `('dir /b drafts')`: names, whole paths with `/s`.
        let listing = list.trim_matches(['\'', '`']);
        let words: Vec<&str> = listing.split_whitespace().collect();
        let (first, words) = words.split_first()?;
        let is_whole = words.iter().any(|word| word.eq_ignore_ascii_case("/s"));
        let dir = words.iter().find(|word| !word.starts_with('/'));
        let is_pattern = dir.is_some_and(|dir| dir.contains('*'));
        return match (first.eq_ignore_ascii_case("dir"), dir) {
            (true, Some(dir)) if is_pattern => Some(vec![(*dir).to_owned()]),
            (true, Some(dir)) if is_whole => Some(vec![format!("{dir}\\*")]),
            (true, _) => Some(vec!["*".to_owned()]),
            _ => None,
        };
    }
    let dir = options.split_once("/r").map_or("", |(_, dir)| dir.trim());
    let below = |item: &str| match dir {
        "" => item.trim_matches('"').to_owned(),
        dir => format!("{}\\{item}", dir.trim_matches('"')),
    };
    let items = list.split([' ', ',']).filter(|item| !item.is_empty());
    Some(items.map(below).collect())
}

/// `forfiles /p DIR /m MASK /c "cmd /c del @path"`: the command for each of what it finds.
pub(super) fn for_files(args: &[Arg]) -> Option<String> {
    let value = |option: &str| {
        let mut words = args.iter();
        words.find(|arg| arg.text.eq_ignore_ascii_case(option))?;
        words
            .next()
            .map(|arg| arg.text.trim_matches('"').to_owned())
    };
    let found = match (value("/p"), value("/m")) {
        (None, None) => "*".to_owned(),
        (Some(dir), None) => format!("{dir}\\*"),
        (None, Some(mask)) => mask,
        (Some(dir), Some(mask)) => format!("{dir}\\{mask}"),
    };
    let command = value("/c")?;
    Some(command.replace("@path", &found).replace("@file", &found))
}
