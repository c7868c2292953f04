//! What `jq` prints of a host's settings: such a file is printed anew with a member changed, and
//! then takes the place of the old one. Read as far as it is plain; what is not is not known.

use crate::machine::Output;
use crate::{Arg, Input, Invocation, World};
use model::{MemberChange, MemberEdit};

/// Options that change nothing of what is said.
const LAYOUT: &[&str] = &["--monochrome-output", "--raw-output", "--sort-keys"];
const LAYOUT_LETTERS: &str = "MSacr";

/// Most changes that one filter makes.
const EDITS_MAX: usize = 16;

/// `jq FILTER settings.json`
pub(crate) fn jq(world: &mut World<'_>, invocation: &Invocation) -> Output {
    match edited(world, invocation) {
        Some(text) => Output::Text(Arg::derived(text + "\n")),
        None => super::picked(world, invocation),
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
    Some(spread(&text, words.indent.as_deref()))
}

/// A text of JSON as it is printed, with a line for each part; without an indent all on one line.
/// What takes lines of it away takes those that are there.
fn spread(json: &str, indent: Option<&str>) -> String {
    let (mut text, mut depth, mut is_empty) = (String::new(), 0_usize, false);
    let (mut in_text, mut is_escaped) = (false, false);
    let line = |text: &mut String, depth: usize| {
        if let Some(indent) = indent {
            text.push('\n');
            text.push_str(&indent.repeat(depth));
        }
    };
    for letter in json.chars() {
        if in_text || letter == '"' {
            if std::mem::take(&mut is_empty) {
                line(&mut text, depth);
            }
            in_text ^= letter == '"' && !is_escaped;
            is_escaped = in_text && letter == '\\' && !is_escaped;
            text.push(letter);
            continue;
        }
        match letter {
            letter if letter.is_whitespace() => continue,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if !std::mem::take(&mut is_empty) {
                    line(&mut text, depth);
                }
            }
            _ if std::mem::take(&mut is_empty) => line(&mut text, depth),
            _ => {}
        }
        text.push(letter);
        match letter {
            '{' | '[' => {
                depth += 1;
                is_empty = true;
            }
            ',' => line(&mut text, depth),
            ':' if indent.is_some() => text.push(' '),
            _ => {}
        }
    }
    text
}

/// The words of a command.
struct Words<'w> {
    filter: &'w str,
    file: Option<&'w Arg>,
    /// Values that the filter calls by name, as JSON.
    values: Vec<(&'w str, String)>,
    /// What a line begins with for each bracket that is open; nothing if there is but one line.
    indent: Option<String>,
}

impl<'w> Words<'w> {
    fn read(args: &'w [Arg]) -> Option<Self> {
        let (mut filter, mut file, mut values) = (None, None, Vec::new());
        let mut indent = Some("  ".to_owned());
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
                "--tab" => indent = Some("\t".to_owned()),
                "--compact-output" => indent = None,
                "--indent" => {
                    let width: usize = args.next()?.text.parse().ok()?;
                    indent = (1..=7).contains(&width).then(|| " ".repeat(width));
                }
                text if LAYOUT.contains(&text) => {}
                text if text.starts_with('-') => {
                    let letters = text.get(1..).unwrap_or_default();
                    let is_layout = |letter| LAYOUT_LETTERS.contains(letter);
                    (!letters.is_empty() && letters.chars().all(is_layout)).then_some(())?;
                    indent = indent.filter(|_| !letters.contains('c'));
                }
                text if filter.is_none() => filter = Some(text),
                _ if file.is_none() => file = Some(arg),
                _ => return None,
            }
        }
        Some(Self {
            filter: filter?,
            file,
            values,
            indent,
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

    /// `.a.b = VALUE`, `.a.b += VALUE`, `.a.b |= VALUE`, `. + VALUE`
    fn assignment(&self, stage: &str) -> Option<MemberEdit> {
        let edit = |path, change, value: &str| {
            let value = self.filled(value.trim())?;
            Some(MemberEdit {
                path,
                change,
                value,
            })
        };
        if let Some(value) = stage.strip_prefix(". +") {
            let value = value.strip_prefix('=').unwrap_or(value);
            return edit(Vec::new(), MemberChange::Append, value);
        }
        let (path, rest) = path_of(stage)?;
        if let Some(value) = rest.strip_prefix("+=") {
            return edit(path, MemberChange::Append, value);
        }
        let (value, is_update) = match rest.strip_prefix("|=") {
            Some(value) => (value, true),
            None => (rest.strip_prefix('=')?, false),
        };
        if value.starts_with('=') {
            return None;
        }
        let value = value.trim();
        let inner = value
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'));
        let value = inner.unwrap_or(value).trim();
        // What is added to what the member holds.
        let added = match is_update {
            true => value
                .strip_prefix('.')
                .filter(|rest| rest.starts_with([' ', '+'])),
            false => path_of(value)
                .filter(|(same, _)| *same == path)
                .map(|(_, rest)| rest),
        };
        match added {
            Some(added) => {
                let value = added.trim_start().strip_prefix('+')?;
                edit(path, MemberChange::Append, value)
            }
            None => edit(path, MemberChange::Set, value),
        }
    }

    /// A value with what is called by name in its place.
    fn filled(&self, value: &str) -> Option<String> {
        let mut json = String::new();
        let mut rest = value;
        let (mut in_text, mut is_escaped) = (false, false);
        while let Some(letter) = rest.chars().next() {
            rest = rest.get(letter.len_utf8()..)?;
            if letter == '$' && !in_text {
                let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
                let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
                let (name, after) = rest.split_at_checked(end)?;
                let mut values = self.values.iter();
                json.push_str(&values.find(|(known, _)| *known == name)?.1);
                rest = after;
                continue;
            }
            in_text ^= letter == '"' && !is_escaped;
            is_escaped = in_text && letter == '\\' && !is_escaped;
            json.push(letter);
        }
        Some(json)
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
            // `|=` is a sign of its own.
            '|' if filter
                .get(at + 1..)
                .is_some_and(|rest| rest.starts_with('=')) => {}
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
    fn json_is_printed_with_a_line_for_each_part() {
        let text = r#"{"a": [1,{"b\"{":[]}],"c" : {} }"#;
        let lines =
            "{\n  \"a\": [\n    1,\n    {\n      \"b\\\"{\": []\n    }\n  ],\n  \"c\": {}\n}";
        assert_eq!(spread(text, Some("  ")), lines);
        assert_eq!(spread(text, None), r#"{"a":[1,{"b\"{":[]}],"c":{}}"#);
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
            (&["-Sc", ".a |= \"b\"", "f"], &["a Set \"b\""]),
            (&["-S", ".a.b |= . + [\"x\"]", "f"], &["a/b Append [\"x\"]"]),
            (&[".a.b = (.a.b + [1])", "f"], &["a/b Append [1]"]),
            (
                &["--arg", "p", "x", ". + {\"a\": [$p, \"$p\"]}", "f"],
                &[" Append {\"a\": [\"x\", \"$p\"]}"],
            ),
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
            &["-Sn", ".", "f"],
            &[".a |= $x", "f"],
            &[".a = (.a | f)", "f"],
            &[".", "f", "g"],
            &["--arg", "m", "a\"b", ".model=$m", "f"],
            &[".\"a\\u0062\" = 1", "f"],
        ] {
            assert_eq!(edits(words), None, "{words:?}");
        }
    }
}
