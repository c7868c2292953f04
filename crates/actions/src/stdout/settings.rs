//! What `jq` prints of a host's settings: such a file is printed anew with a member changed, and
//! then takes the place of the old one. Read as far as it is plain; what is not is not known.

use crate::machine::Output;
use crate::{Arg, Input, Invocation, World};
use model::{MemberChange, MemberEdit};

/// Options that change nothing but the layout, and those with a word behind them.
const LAYOUT: &[&str] = &["-M", "--monochrome-output", "--tab"];
const LAYOUT_VALUES: &[&str] = &["--indent"];

/// Most changes that one filter makes.
const EDITS_MAX: usize = 16;

/// `jq FILTER settings.json`
pub(crate) fn jq(world: &mut World<'_>, invocation: &Invocation) -> Output {
    match edited(world, invocation) {
        Some(text) => Output::Text(Arg::derived(text + "\n")),
        None => Output::Unknown,
    }
}

/// Whether a word may name settings that are read here: seen before anything is looked at.
pub(crate) fn may_be_settings(word: &str) -> bool {
    word.ends_with(".json") || word.ends_with(".toml")
}

fn edited(world: &mut World<'_>, invocation: &Invocation) -> Option<String> {
    let fed = match &invocation.input {
        Input::File(file) => Some(file),
        _ => None,
    };
    let mut named = invocation.args.iter().chain(fed);
    if !named.any(|word| may_be_settings(&word.text)) {
        return None;
    }
    let words = Words::read(&invocation.args)?;
    let file = match (words.file, &invocation.input) {
        (Some(file), _) | (None, Input::File(file)) => file,
        _ => return None,
    };
    let path = world.target(file).path;
    if !(world.place.settings.is_one)(&path) {
        return None;
    }
    let mut text = world.text(&path).known().cloned()?;
    for edit in words.edits()? {
        text = (world.place.settings.edited)(&text, &edit)?;
    }
    Some(text)
}

/// The words of a command.
struct Words<'w> {
    filter: &'w str,
    file: Option<&'w Arg>,
    /// Values that the filter calls by name, as JSON.
    values: Vec<(&'w str, String)>,
}

impl<'w> Words<'w> {
    fn read(args: &'w [Arg]) -> Option<Self> {
        let (mut filter, mut file, mut values) = (None, None, Vec::new());
        if args.iter().any(|arg| !arg.is_known() || arg.glob) {
            return None;
        }
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let text = arg.text.as_str();
            match text {
                "--arg" | "--argjson" => {
                    let (name, value) = (args.next()?, args.next()?);
                    let value = match text {
                        "--arg" => quoted(&value.text)?,
                        _ => value.text.clone(),
                    };
                    values.push((name.text.as_str(), value));
                }
                text if LAYOUT.contains(&text) => {}
                text if LAYOUT_VALUES.contains(&text) => drop(args.next()?),
                text if text.starts_with('-') => return None,
                text if filter.is_none() => filter = Some(text),
                _ if file.is_none() => file = Some(arg),
                _ => return None,
            }
        }
        Some(Self {
            filter: filter?,
            file,
            values,
        })
    }

    /// What the filter changes.
    fn edits(&self) -> Option<Vec<MemberEdit>> {
        let mut edits = Vec::new();
        for stage in parts(self.filter, '|')? {
            let stage = stage.trim();
            let removed = stage.strip_prefix("del(");
            match removed.and_then(|rest| rest.strip_suffix(')')) {
                Some(paths) => {
                    for path in parts(paths, ',')? {
                        let (path, rest) = path_of(path.trim())?;
                        let (change, value) = (MemberChange::Remove, String::new());
                        rest.is_empty().then_some(())?;
                        edits.push(MemberEdit {
                            path,
                            change,
                            value,
                        });
                    }
                }
                None if stage == "." => {}
                None => edits.push(self.assignment(stage)?),
            }
        }
        (edits.len() <= EDITS_MAX).then_some(edits)
    }

    /// `.a.b = VALUE`, `.a.b += VALUE`
    fn assignment(&self, stage: &str) -> Option<MemberEdit> {
        let (path, rest) = path_of(stage)?;
        let (change, value) = match rest.strip_prefix("+=") {
            Some(value) => (MemberChange::Append, value),
            None => {
                let value = rest.strip_prefix('=')?;
                (
                    MemberChange::Set,
                    Some(value).filter(|value| !value.starts_with('='))?,
                )
            }
        };
        let value = value.trim();
        let value = match value.strip_prefix('$') {
            Some(name) => self
                .values
                .iter()
                .find(|(known, _)| *known == name)?
                .1
                .clone(),
            None => value.to_owned(),
        };
        Some(MemberEdit {
            path,
            change,
            value,
        })
    }
}

/// A text as JSON; one that would need escapes is none that is read.
pub(crate) fn quoted(text: &str) -> Option<String> {
    let is_plain = !text.contains(['"', '\\']) && !text.contains(char::is_control);
    is_plain.then(|| format!("\"{text}\""))
}

/// The parts of a filter between marks that stand outside of texts and brackets.
fn parts(filter: &str, mark: char) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let (mut in_text, mut is_escaped) = (false, false);
    for (at, letter) in filter.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if in_text => is_escaped = true,
            '"' => in_text = !in_text,
            _ if in_text => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            '#' => return None,
            letter if letter == mark && depth == 0 => {
                parts.push(filter.get(start..at)?);
                start = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(filter.get(start..)?);
    (depth == 0 && !in_text).then_some(parts)
}

/// The path that a text begins with, and what follows it.
fn path_of(text: &str) -> Option<(Vec<String>, &str)> {
    let mut path = Vec::new();
    let mut rest = text;
    loop {
        let (name, after) = if let Some(named) = rest.strip_prefix(".\"") {
            named.split_once('"')?
        } else if let Some(named) = rest.strip_prefix("[\"").or(rest.strip_prefix(".[\"")) {
            let (name, after) = named.split_once('"')?;
            (name, after.strip_prefix(']')?)
        } else if let Some(named) = rest.strip_prefix('.') {
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let end = named.find(|letter| !is_part(letter)).unwrap_or(named.len());
            named.split_at_checked(end)?
        } else {
            break;
        };
        if name.is_empty() || name.contains('\\') {
            return None;
        }
        path.push(name.to_owned());
        rest = after;
    }
    (!path.is_empty()).then_some((path, rest.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::in_words;

    fn edits(words: &[&str]) -> Option<Vec<String>> {
        let words: Vec<Arg> = words.iter().map(|word| Arg::literal(*word)).collect();
        let edits = Words::read(&words)?.edits()?;
        Some(in_words(edits))
    }

    #[test]
    fn plain_filters_are_read_and_others_are_not() {
        for (words, expected) in [
            (&[".model = \"opus\"", "f"][..], &["model Set \"opus\""][..]),
            (&[".a.b += [\"x|y\"]", "f"], &["a/b Append [\"x|y\"]"]),
            (
                &[".\"a b\"[\"c\"]=1|del(.x, .y.z)", "f"],
                &["a b/c Set 1", "x Remove ", "y/z Remove "],
            ),
            (
                &["--arg", "m", "opus", ".model=$m", "f"],
                &["model Set \"opus\""],
            ),
            (
                &["--argjson", "m", "[1]", ". | .a += $m", "f"],
                &["a Append [1]"],
            ),
            (&["--indent", "2", ".", "f"], &[]),
        ] {
            let expected: Vec<String> = expected.iter().map(|one| (*one).to_owned()).collect();
            assert_eq!(edits(words), Some(expected), "{words:?}");
        }
        for words in [
            &[".model == 1", "f"][..],
            &[".a[0] = 1", "f"],
            &[".. = 1", "f"],
            &[".a = 1 # x", "f"],
            &["to_entries", "f"],
            &["del(.a", "f"],
            &[".a = $x", "f"],
            &["-n", ".", "f"],
            &[".", "f", "g"],
            &["--arg", "m", "a\"b", ".model=$m", "f"],
            &[".\"a\\u0062\" = 1", "f"],
        ] {
            assert_eq!(edits(words), None, "{words:?}");
        }
    }
}
