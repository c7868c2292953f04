//! Parameter expansion: `$x`, `${x:-y}`, `${x%.c}`, `"$@"`, `${a[0]}`. What is simple is computed;
//! everything else is a hole.

use crate::machine::{Frame, SHELL_NUMBER, Var};
use crate::{Arg, World, destructive, stdout};
use shell::{Parameter, Word};
use text::glob;

/// What a parameter stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Values {
    pub(crate) all: Vec<Arg>,
    /// Whether each value is a field of its own even in quotes (`"$@"`).
    pub(crate) is_list: bool,
}

impl Values {
    fn one(value: Arg) -> Self {
        Self {
            all: vec![value],
            is_list: false,
        }
    }

    fn hole() -> Self {
        Self::one(Arg::unknown())
    }
}

/// The values of a parameter expansion. Commands in its words are walked.
pub(super) fn values(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    parameter: &Parameter<'_>,
) -> Values {
    let name = String::from_utf8_lossy(&parameter.name).into_owned();
    let operator = String::from_utf8_lossy(&parameter.operator).into_owned();
    let words: Vec<Arg> = parameter
        .words
        .iter()
        .map(|word| operand(world, frame, word))
        .collect();
    let word = words.first().cloned().unwrap_or_default();
    match operator.as_str() {
        "" => plain(world, &name),
        "[" => element(world, &name, &word),
        ":-" | "-" => match lookup(world, &name) {
            Some(value) if !value.is_known() || !value.text.is_empty() => Values::one(value),
            Some(value) if operator == "-" => Values::one(value),
            _ => Values::one(word),
        },
        ":=" | "=" => match lookup(world, &name) {
            Some(value) if !value.is_known() || !value.text.is_empty() => Values::one(value),
            _ => {
                world.now.shell.vars.insert(name, Var::one(word.clone()));
                Values::one(word)
            }
        },
        ":+" | "+" => match lookup(world, &name) {
            Some(value) if !value.is_known() => Values::hole(),
            Some(value) if !value.text.is_empty() => Values::one(word),
            _ => Values::one(Arg::derived("")),
        },
        ":?" | "?" => plain(world, &name),
        "!" => match lookup(world, &name) {
            Some(value) if value.is_known() => plain(world, &value.text),
            _ => Values::hole(),
        },
        _ => match lookup(world, &name) {
            Some(value) if operator == "@" && is_expanded_again(&value, &word) => {
                Values::one(super::expanded_again(world, frame, &value.text))
            }
            Some(value) if value.is_known() && words.iter().all(Arg::is_known) => {
                let text = computed(&operator, &value.text, &words);
                Values::one(text.map_or_else(|| lost(&value.text, &words), Arg::derived))
            }
            _ => Values::hole(),
        },
    }
}

/// A word inside an expansion, as pattern text: globs live, quoted characters escaped.
fn operand(world: &mut World<'_>, frame: &Frame<'_>, word: &Word<'_>) -> Arg {
    super::text(world, frame, word)
}

fn plain(world: &World<'_>, name: &str) -> Values {
    if matches!(name, "@" | "*") {
        let Some(params) = &world.now.shell.params else {
            return Values::hole();
        };
        return Values {
            all: params.clone(),
            is_list: name == "@",
        };
    }
    Values::one(lookup(world, name).unwrap_or_else(Arg::unknown))
}

/// The element of an array.
fn element(world: &World<'_>, name: &str, index: &Arg) -> Values {
    let Some(var) = world.now.shell.vars.get(name) else {
        return Values::hole();
    };
    match index.text.as_str() {
        "@" | "*" => Values {
            all: var.values.clone(),
            is_list: index.text == "@",
        },
        text => {
            let number = text.parse::<isize>().ok().filter(|_| index.is_known());
            let number = number.and_then(|at| match at {
                0.. => usize::try_from(at).ok(),
                _ => var.values.len().checked_sub(at.unsigned_abs()),
            });
            let value = number.and_then(|number| var.values.get(number)).cloned();
            let named = world.now.shell.vars.get(&format!("{name}[{text}]"));
            let value = value.or_else(|| named?.values.first().cloned());
            Values::one(value.unwrap_or_else(Arg::unknown))
        }
    }
}

/// The number that a variable holds, if that is known.
pub(super) fn number(world: &World<'_>, name: &str) -> Option<i64> {
    let value = lookup(world, name).filter(Arg::is_known)?;
    value.text.trim().parse().ok()
}

/// The value of a variable as one text; `None` if nothing is known of it, not even that it is set.
fn lookup(world: &World<'_>, name: &str) -> Option<Arg> {
    if let Some(var) = world.now.shell.vars.get(name) {
        return Some(var.values.first().cloned().unwrap_or_default());
    }
    let shell = &world.now.shell;
    let known = |text: Option<&str>| text.map(Arg::derived);
    match name {
        "HOME" => known(Some(world.place.home.as_str()).filter(|home| !home.is_empty())),
        "PWD" => known(world.cwd()),
        "OLDPWD" => known(shell.cwd_before.as_deref()),
        "IFS" => known(Some(super::IFS)),
        // A login sets it; which one it is does not matter to what it is told.
        "SHELL" if !world.elsewhere => known(Some(world.place.var(name).unwrap_or("/bin/sh"))),
        "$" => known(Some(SHELL_NUMBER)),
        "BASHPID" | "EPOCHREALTIME" | "EPOCHSECONDS" | "RANDOM" | "SRANDOM" => {
            Some(Arg::foreign(Arg::MOMENT))
        }
        "PPID" => Some(Arg::derived(format!("{}{}", Arg::HOLE, super::PARENT))),
        "0" => known(Some(shell.name.as_str()).filter(|name| !name.is_empty())),
        "#" => shell
            .params
            .as_ref()
            .map(|params| Arg::derived(params.len().to_string())),
        "@" | "*" => shell.params.as_ref().map(|params| Arg::joined(params)),
        _ if name.bytes().all(|b| b.is_ascii_digit()) => {
            let number: usize = name.parse().ok()?;
            let params = shell.params.as_ref()?;
            // A parameter that was not given is empty, and that is known.
            Some(
                params
                    .get(number.checked_sub(1)?)
                    .cloned()
                    .unwrap_or_default(),
            )
        }
        _ if world.elsewhere => None,
        _ => known(world.place.var(name)),
    }
}

/// The present value of a variable, empty if it has none.
pub(crate) fn variable_or_empty(world: &World<'_>, name: &str) -> Arg {
    lookup(world, name).unwrap_or_default()
}

/// The operators that only compute with text; `None` if it cannot be said.
fn computed(operator: &str, value: &str, words: &[Arg]) -> Option<String> {
    let pattern = words.first().map(pattern_text).unwrap_or_default();
    match operator {
        "length" => Some(value.chars().count().to_string()),
        "#" => Some(without_prefix(value, &pattern, false)),
        "##" => Some(without_prefix(value, &pattern, true)),
        "%" => Some(without_suffix(value, &pattern, false)),
        "%%" => Some(without_suffix(value, &pattern, true)),
        "/" | "//" | "/#" | "/%" => replaced(operator, value, &pattern, words.get(1)),
        ":" => slice(value, words),
        "@" => transformed(value, &pattern),
        "^" if pattern.is_empty() => Some(with_first(value, char::to_ascii_uppercase)),
        "," if pattern.is_empty() => Some(with_first(value, char::to_ascii_lowercase)),
        "^^" if pattern.is_empty() => Some(value.to_uppercase()),
        ",," if pattern.is_empty() => Some(value.to_lowercase()),
        _ => None,
    }
}

/// What became of a known value is not known: it may be an action that it was made of.
fn lost(value: &str, words: &[Arg]) -> Arg {
    let is_destructive =
        destructive::named_in(value) || words.iter().any(|word| destructive::named_in(&word.text));
    match is_destructive {
        true => Arg::foreign(Arg::DECODED),
        false => Arg::unknown(),
    }
}

/// `${x@P}`: whether the shell runs what the text of a variable holds.
fn is_expanded_again(value: &Arg, how: &Arg) -> bool {
    how.text == "P" && value.is_known() && value.text.contains(['$', '`'])
}

/// `${x@U}` and the like; `None` for what the shell expands once more.
fn transformed(value: &str, how: &str) -> Option<String> {
    match how {
        "U" => Some(value.to_uppercase()),
        "L" => Some(value.to_lowercase()),
        "u" => Some(with_first(value, char::to_ascii_uppercase)),
        "E" => Some(stdout::unescaped(value)),
        "P" if !value.contains(['$', '`', '\\']) => Some(value.to_owned()),
        "Q" | "K" | "k" => Some(format!("'{}'", value.replace('\'', "'\\''"))),
        _ => None,
    }
}

fn with_first(value: &str, change: impl Fn(&char) -> char) -> String {
    let mut rest = value.chars();
    let first = rest.next().map(|first| change(&first));
    first.into_iter().chain(rest).collect()
}

fn pattern_text(word: &Arg) -> String {
    if word.glob {
        word.text.clone()
    } else {
        glob::escape(&word.text)
    }
}

/// Places where a text can be cut.
fn cuts(value: &str) -> impl DoubleEndedIterator<Item = (&str, &str)> {
    let mut places: Vec<usize> = value.char_indices().map(|(at, _)| at).collect();
    places.push(value.len());
    places
        .into_iter()
        .filter_map(|at| value.split_at_checked(at))
}

fn without_prefix(value: &str, pattern: &str, longest: bool) -> String {
    let fits = |(head, _): &(&str, &str)| glob::DOTGLOB.matches_name(pattern, head);
    let found = if longest {
        cuts(value).rev().find(fits)
    } else {
        cuts(value).find(fits)
    };
    found.map_or(value, |(_, tail)| tail).to_owned()
}

fn without_suffix(value: &str, pattern: &str, longest: bool) -> String {
    let fits = |(_, tail): &(&str, &str)| glob::DOTGLOB.matches_name(pattern, tail);
    let found = if longest {
        cuts(value).find(fits)
    } else {
        cuts(value).rev().find(fits)
    };
    found.map_or(value, |(head, _)| head).to_owned()
}

/// Longest value, in bytes, in which a pattern is looked for.
const MATCHED_MAX: usize = 512;

/// `${x/pattern/with}`: the first longest part that matches, each of them (`//`), or one at the
/// start (`/#`) or the end (`/%`).
fn replaced(operator: &str, value: &str, pattern: &str, with: Option<&Arg>) -> Option<String> {
    let with = with.map(|arg| arg.text.as_str()).unwrap_or_default();
    let is_plain = !glob::is_glob(pattern);
    let plain = glob::unescape(pattern);
    match operator {
        "/" | "//" if plain.is_empty() => None,
        "/" if is_plain => Some(value.replacen(&plain, with, 1)),
        "//" if is_plain => Some(value.replace(&plain, with)),
        _ if value.len() > MATCHED_MAX => None,
        "/#" => {
            let rest = without_prefix(value, pattern, true);
            let fits = plain.is_empty() || rest != value;
            Some(if fits { format!("{with}{rest}") } else { rest })
        }
        "/%" => {
            let rest = without_suffix(value, pattern, true);
            let fits = plain.is_empty() || rest != value;
            Some(if fits { format!("{rest}{with}") } else { rest })
        }
        _ => Some(each_replaced(value, pattern, (with, operator == "//"))),
    }
}

/// The parts that match a pattern replaced: all of them, or the first.
fn each_replaced(value: &str, pattern: &str, (with, all): (&str, bool)) -> String {
    let fits =
        |(head, _): &(&str, &str)| !head.is_empty() && glob::DOTGLOB.matches_name(pattern, head);
    let mut made = String::new();
    let mut rest = value;
    let mut is_done = false;
    while let Some(first) = rest.chars().next() {
        match cuts(rest).rev().find(fits).filter(|_| !is_done) {
            Some((_, tail)) => {
                made.push_str(with);
                rest = tail;
                is_done = !all;
            }
            None => {
                made.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
    }
    made
}

/// `${x:offset:length}`; a negative number counts from the end.
fn slice(value: &str, words: &[Arg]) -> Option<String> {
    let number = |word: &Arg| word.text.trim().parse::<isize>().ok();
    let whole = value.chars().count();
    let from_end = |number: isize| match number {
        0.. => usize::try_from(number).ok(),
        _ => whole.checked_sub(number.unsigned_abs()),
    };
    let offset = from_end(number(words.first()?)?)?;
    let length = match words.get(1).map(number) {
        Some(Some(length @ 0..)) => usize::try_from(length).ok()?,
        Some(length) => from_end(length?)?.checked_sub(offset)?,
        None => usize::MAX,
    };
    Some(value.chars().skip(offset).take(length).collect())
}
