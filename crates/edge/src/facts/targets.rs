//! What the files of runners offer: scripts of a `package.json`, recipes of a justfile, targets of
//! a makefile. Where a file may say more than can be read here, nothing is known.

use std::path::Path;

use text::path::join;

use super::head_of;

/// Most of such a file that is read, in bytes; a longer one is not known.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// Names of files by what reads them.
const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];
const JUSTFILES: &[&str] = &["justfile", "Justfile", ".justfile"];

/// What a runner's file offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Targets {
    /// The file, by its name.
    pub file: &'static str,
    /// The names of what it offers, in its order.
    pub names: Vec<String>,
}

/// The scripts of the `package.json` in a directory.
#[must_use]
pub fn scripts(dir: &str) -> Option<Targets> {
    Some(Targets {
        file: "package.json",
        names: scripts_of(&whole(dir, "package.json")?)?,
    })
}

/// The targets of the makefile in a directory.
#[must_use]
pub fn make(dir: &str) -> Option<Targets> {
    let (file, text) = first(dir, MAKEFILES)?;
    Some(Targets {
        file,
        names: make_of(&text)?,
    })
}

/// The recipes of the justfile in a directory.
#[must_use]
pub fn just(dir: &str) -> Option<Targets> {
    let (file, text) = first(dir, JUSTFILES)?;
    Some(Targets {
        file,
        names: just_of(&text)?,
    })
}

fn first(dir: &str, names: &[&'static str]) -> Option<(&'static str, String)> {
    names
        .iter()
        .find_map(|name| Some((*name, whole(dir, name)?)))
}

fn whole(dir: &str, name: &str) -> Option<String> {
    let text = head_of(Path::new(&join(dir, name)), FILE_BYTES_MAX).ok()?;
    ((text.len() as u64) < FILE_BYTES_MAX).then_some(text)
}

/// The names in the object `scripts` of the outermost object.
fn scripts_of(text: &str) -> Option<Vec<String>> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let mut names = Vec::new();
    let (mut depth, mut is_inside, mut is_over) = (0, false, false);
    let mut key: Option<String> = None;
    let mut rest = text;
    while let Some(at) = rest.find(['"', '{', '}', '[', ']', ':', ',']) {
        let (mark, behind) = rest.get(at..)?.split_at_checked(1)?;
        rest = behind;
        match mark {
            "\"" => {
                let (word, behind) = quoted(rest)?;
                key = Some(word);
                rest = behind;
            }
            ":" if depth == 1
                && key.as_deref() == Some("scripts")
                && rest.trim_start().starts_with('{') =>
            {
                is_inside = true;
            }
            ":" if depth == 2 && is_inside => names.extend(key.take()),
            "{" | "[" => depth += 1,
            "}" | "]" => {
                depth -= 1;
                is_over |= is_inside && depth == 1;
                is_inside &= depth > 1;
            }
            _ => {}
        }
    }
    // Without any, the file is whole all the same, if it ends as it should.
    (depth == 0 && (is_over || !text.contains("\"scripts\""))).then_some(names)
}

/// A text up to its closing quote, and what is behind it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some((text.get(..at)?.to_owned(), text.get(at + 1..)?)),
            _ => {}
        }
    }
    None
}

/// Nothing where other files are read, names are made, or any name will do.
fn make_of(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for line in text.lines() {
        let word = line.split([' ', '\t']).next().unwrap_or_default();
        if matches!(word, "include" | "-include" | "sinclude" | "define")
            || line.starts_with(".DEFAULT")
        {
            return None;
        }
        let Some((head, tail)) = line.split_once(':') else {
            continue;
        };
        let is_rule = !line.starts_with(['\t', ' ', '#'])
            && !tail.trim_start_matches(':').starts_with('=')
            && !head.contains('=');
        if !is_rule {
            continue;
        }
        if head.contains(['%', '$', '*']) {
            return None;
        }
        names.extend(
            head.split_whitespace()
                .filter(|name| !name.starts_with('.'))
                .map(str::to_owned),
        );
    }
    Some(names)
}

/// Nothing where other files are read.
fn just_of(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for line in text.lines() {
        let first = line.split([' ', '?']).next().unwrap_or_default();
        if matches!(first, "import" | "mod" | "!include") || line.starts_with("set fallback") {
            return None;
        }
        if line.starts_with([' ', '\t', '#', '[']) {
            continue;
        }
        if let Some(alias) = line.strip_prefix("alias ") {
            names.extend(alias.split([' ', ':']).next().map(str::to_owned));
            continue;
        }
        let Some((head, tail)) = line.split_once(':') else {
            continue;
        };
        if !tail.starts_with('=') && !matches!(first, "set" | "export") {
            let name = head.split_whitespace().next().unwrap_or_default();
            names.push(name.trim_start_matches('@').to_owned());
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: Option<Vec<String>>) -> Option<String> {
        names.map(|names| names.join(" "))
    }

    #[test]
    fn scripts_are_read_and_nothing_else() {
        for (text, expected) in [
            (
                r#"{"name":"a","scripts":{"build":"tsc: {}","test":"x"},"b":{"c":"d"}}"#,
                Some("build test"),
            ),
            (r#"{"scripts":{"a:b":"x \" y"}}"#, Some("a:b")),
            (
                r#"{"config":{"scripts":{"no":"x"}},"scripts":{}}"#,
                Some(""),
            ),
            (r#"{"name":"a"}"#, Some("")),
            (r#"{"scripts":{"a":"x""#, None),
        ] {
            assert_eq!(list(scripts_of(text)).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn makefiles_say_what_they_offer_unless_more_may_be_there() {
        for (text, expected) in [
            (
                ".PHONY: all test\nall: test\n\techo a: b\ntest lint:\n\tx\nA := b\nC ::= d\n",
                Some("all test lint"),
            ),
            ("include other.mk\nall:\n", None),
            ("%.o: %.c\n\tcc\n", None),
            ("all:\n$(OBJ): x\n", None),
        ] {
            assert_eq!(list(make_of(text)).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn justfiles_say_what_they_offer() {
        for (text, expected) in [
            (
                "set shell := [\"x\"]\nv := 'a:b'\nfmt:\n    x: y\n@test arg='1': fmt\n  z\nalias t := test\n",
                Some("fmt test t"),
            ),
            ("import 'a.just'\nfmt:\n", None),
            ("mod sub\n", None),
        ] {
            assert_eq!(list(just_of(text)).as_deref(), expected, "{text}");
        }
    }
}
