//! Lists of names in a text of PowerShell, and loops over them as one who reads line by line
//! understands them: `foreach ($d in 'a', 'b') { … }` is its block for each of the names.

use super::spans::{closes, named, places, with_value};

/// Most names of a list that a loop is written out for.
const NAMES_MAX: usize = 32;

/// What stands for `$_` where a loop is written out.
const ITEM: &str = "$item_of_list";

/// The first `@('a', 'b')` as `'a','b'`.
pub(super) fn joined(text: &str) -> Option<String> {
    let mut starts = text.match_indices("@(");
    starts.find_map(|(at, _)| {
        let (before, rest) = text.split_at_checked(at)?;
        let rest = rest.get(2..)?;
        let (inside, rest) = rest.split_at_checked(closes(rest, ('(', ')'))?)?;
        let names = names(inside)?;
        Some(format!("{before}{}{}", spelled(&names), rest.get(1..)?))
    })
}

/// The first `WHAT | ForEach-Object { BODY }` over a list, written out.
pub(super) fn unpiped(text: &str) -> Option<String> {
    let words = ["foreach-object", "foreach"];
    let mut found = words.iter().flat_map(|word| places(text, word));
    found.find_map(|(before, after)| {
        let before = before.trim_end().strip_suffix('|')?;
        let start = before.rfind(['\n', ';', '{', '}']).map_or(0, |at| at + 1);
        let (before, what) = before.split_at_checked(start)?;
        let rest = after.trim_start().strip_prefix('{')?;
        let (body, rest) = rest.split_at_checked(closes(rest, ('{', '}'))?)?;
        let body = with_value(body, "$_", ITEM);
        let names = list_of(what.trim(), before)?;
        Some(format!(
            "{before}{}{}",
            for_each(&names, (ITEM, &body)),
            rest.get(1..)?
        ))
    })
}

/// A block for each of the names, one after another.
pub(super) fn for_each(names: &[&str], (variable, body): (&str, &str)) -> String {
    let each = names
        .iter()
        .map(|name| format!("{variable} = '{name}'\n{body}\n"));
    each.collect()
}

/// The names that a word stands for: a list, or a variable that was given one before, and once.
pub(super) fn list_of<'t>(what: &'t str, before: &'t str) -> Option<Vec<&'t str>> {
    let Some(name) = what.strip_prefix('$') else {
        return names(what);
    };
    let (name, rest) = named(name);
    if name.is_empty() || !rest.is_empty() {
        return None;
    }
    let given = places(before, &format!("${}", name.to_ascii_lowercase()));
    let mut given = given.into_iter().filter_map(|(_, after)| {
        let after = after.trim_start();
        after.starts_with(['=', '+']).then_some(after)
    });
    let value = given.next()?.strip_prefix('=')?;
    let end = value.find(['\n', ';']).unwrap_or(value.len());
    let list = names(value.get(..end)?)?;
    given.next().is_none().then_some(list)
}

/// The names of a list in which each is spelled out in quotes.
fn names(list: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut rest = list.trim();
    while !rest.is_empty() {
        let quote = rest
            .chars()
            .next()
            .filter(|letter| matches!(letter, '\'' | '"'))?;
        let (name, after) = rest.get(1..)?.split_once(quote)?;
        let is_plain = !name.is_empty() && !name.contains(['$', '`', '\'', '"', ',']);
        if !is_plain || names.len() >= NAMES_MAX {
            return None;
        }
        names.push(name);
        let between = after.trim_start_matches([',', ';', '\n', '\r', ' ', '\t']);
        if between.len() == after.len() && !after.is_empty() {
            return None;
        }
        rest = between;
    }
    (!names.is_empty()).then_some(names)
}

fn spelled(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    names.join(",")
}
