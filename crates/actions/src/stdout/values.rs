//! What a program prints of a file of data: the values at a path of keys (`jq -r .a.b FILE`).

use crate::machine::Output;
use crate::{Arg, Input, Invocation, World};
use text::data::Data;

/// Options that change nothing of a text that is printed.
const LAYOUT: &[&str] = &[
    "--compact-output",
    "--exit-status",
    "--monochrome-output",
    "--raw-output",
    "-c",
    "-e",
    "-er",
    "-j",
    "-M",
    "-r",
    "-re",
];

/// Of these, those with which a text is printed without its quotes.
const RAW: &[&str] = &["--raw-output", "-er", "-j", "-r", "-re"];

/// A step on the way to a value.
enum Step<'f> {
    Key(&'f str),
    At(usize),
    Each,
}

/// `jq -r .a.b FILE`
pub(crate) fn picked(world: &mut World<'_>, invocation: &Invocation) -> Output {
    match values(world, invocation) {
        Some(text) => Output::Text(Arg::derived(text)),
        None => Output::Unknown,
    }
}

fn values(world: &mut World<'_>, invocation: &Invocation) -> Option<String> {
    let (options, words): (Vec<&Arg>, Vec<&Arg>) = invocation
        .args
        .iter()
        .partition(|arg| arg.text.starts_with('-'));
    let has = |known: &[&str]| options.iter().any(|arg| known.contains(&arg.text.as_str()));
    let is_raw = has(RAW);
    if options
        .iter()
        .any(|arg| !LAYOUT.contains(&arg.text.as_str()))
    {
        return None;
    }
    let (filter, file) = match (words.as_slice(), &invocation.input) {
        ([filter, file], _) => (filter, *file),
        ([filter], Input::File(file)) => (filter, file),
        _ => return None,
    };
    let steps = steps(filter.text.trim()).filter(|_| filter.is_known())?;
    let text = world.few_words(file)?;
    let data = Data::read(&text)?;
    let mut found = vec![&data];
    for step in &steps {
        let mut next = Vec::new();
        for value in found {
            match (step, value) {
                (Step::Key(key), value) => next.push(value.get(key)?),
                (Step::At(at), Data::List(all)) => next.push(all.get(*at)?),
                (Step::Each, Data::List(all)) => next.extend(all),
                (Step::Each, Data::Pairs(all)) => next.extend(all.iter().map(|(_, value)| value)),
                _ => return None,
            }
        }
        found = next;
    }
    let lines = found.into_iter().map(|value| match value {
        Data::Text(text) if is_raw => Some(format!("{text}\n")),
        Data::Number(number) => Some(format!("{number}\n")),
        _ => None,
    });
    lines.collect()
}

/// `.a.b[0]`, `.a[]`, `."a b"`
fn steps(filter: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    let mut rest = filter;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (at, after) = inner.split_once(']')?;
            steps.push(match at {
                "" => Step::Each,
                at => Step::At(at.parse().ok()?),
            });
            rest = after.strip_suffix('?').unwrap_or(after);
            continue;
        }
        let own = rest.strip_prefix('.')?;
        let (key, after) = match own.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => {
                let is_part = |letter: char| letter.is_alphanumeric() || "_-".contains(letter);
                let end = own.find(|letter| !is_part(letter)).unwrap_or(own.len());
                own.split_at_checked(end)?
            }
        };
        match (key, after) {
            ("", after) if after.starts_with('[') => {}
            ("", _) => return None,
            (key, _) => steps.push(Step::Key(key)),
        }
        rest = after;
    }
    Some(steps)
}
