//! Facts that were kept: markdown with a few lines before it, and which of them fit a text. Knows
//! no file; the edge reads and writes.

mod rank;

pub use rank::{Ranked, rank};

use std::fmt;

/// Longest fact, in bytes. What is longer is a document.
pub const FACT_BYTES_MAX: usize = 4 * 1024;
/// Longest name that is made of a fact's words, in bytes.
const NAME_BYTES_MAX: usize = 48;
/// What stands before and after the lines about a fact.
const MARK: &str = "---";

/// What a fact is, and with that where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryFactKind {
    /// How the user wants things done.
    Preference,
    /// What was settled for a project.
    Decision,
    /// How a tool is used well here.
    Tool,
    /// How work went.
    Observation,
}

impl MemoryFactKind {
    /// Every kind with its name.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("preference", Self::Preference),
        ("decision", Self::Decision),
        ("tool", Self::Tool),
        ("observation", Self::Observation),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut all = Self::NAMES.iter();
        all.find(|(_, kind)| *kind == self)
            .map_or("", |(name, _)| name)
    }

    /// The kind of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::NAMES.iter();
        all.find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// Whether it belongs to a project rather than to the user (S0.65).
    #[must_use]
    pub fn is_of_project(self) -> bool {
        self != Self::Preference
    }
}

/// One fact.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryFact {
    /// What it is, if that is said.
    pub kind: Option<MemoryFactKind>,
    /// Words that it is filed under.
    pub tags: Vec<String>,
    /// The day it was written, as `2026-11-12`; empty if that is not said.
    pub created: String,
    /// Who wrote it: `person`, `agent`; empty if that is not said.
    pub by: String,
    /// What it says.
    pub text: String,
}

impl MemoryFact {
    /// Reads a file of anybody's. Without the lines before it, all is text; lines that are not
    /// known are passed over.
    #[must_use]
    pub fn read(file: &str) -> Self {
        let file = file.trim_start_matches('\u{feff}');
        let (head, text) = parts(file);
        let mut fact = Self::default();
        let mut listed = false;
        for line in head.lines() {
            if let Some(tag) = line.trim().strip_prefix("- ").filter(|_| listed) {
                fact.tags.extend(words(tag));
                continue;
            }
            let Some((key, value)) = line.split_once(':') else {
                continue;
            };
            let value = value.trim().trim_matches(['"', '\'']);
            listed = key.trim() == "tags" && value.is_empty();
            match key.trim() {
                "kind" | "type" => fact.kind = MemoryFactKind::named(value),
                "tags" => fact.tags = words(value).collect(),
                "created" => value.clone_into(&mut fact.created),
                "by" => value.clone_into(&mut fact.by),
                _ => {}
            }
        }
        text.trim().clone_into(&mut fact.text);
        fact
    }

    /// A name for its file, made of its first words.
    #[must_use]
    pub fn name(&self) -> String {
        let mut name = String::new();
        let words = self.text.split(|c: char| !c.is_ascii_alphanumeric());
        for word in words.filter(|word| !word.is_empty()) {
            let over = !name.is_empty() && name.len() + word.len() >= NAME_BYTES_MAX;
            if over || name.len() >= NAME_BYTES_MAX {
                break;
            }
            if !name.is_empty() {
                name.push('-');
            }
            name.extend(
                word.chars()
                    .take(NAME_BYTES_MAX)
                    .map(|c| c.to_ascii_lowercase()),
            );
        }
        if name.is_empty() {
            "fact".to_owned()
        } else {
            name
        }
    }

    /// Whether it says the same as another, spaces and case aside.
    #[must_use]
    pub fn says_as(&self, other: &Self) -> bool {
        let plain = |text: &str| {
            text.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .to_lowercase()
        };
        plain(&self.text) == plain(&other.text)
    }

    /// All that can be searched.
    #[must_use]
    pub fn searched(&self) -> String {
        [&self.tags.join(" "), " ", &*self.text].concat()
    }
}

impl fmt::Display for MemoryFact {
    /// As it stands in its file.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{MARK}")?;
        if let Some(kind) = self.kind {
            writeln!(out, "kind: {}", kind.name())?;
        }
        if !self.tags.is_empty() {
            writeln!(out, "tags: [{}]", self.tags.join(", "))?;
        }
        for (key, value) in [("created", &self.created), ("by", &self.by)] {
            if !value.is_empty() {
                writeln!(out, "{key}: {value}")?;
            }
        }
        writeln!(out, "{MARK}\n{}", self.text.trim())
    }
}

/// What stands between the marks, and what follows.
fn parts(file: &str) -> (&str, &str) {
    let after = file
        .strip_prefix(MARK)
        .filter(|after| after.starts_with(['\n', '\r']));
    let Some(after) = after else {
        return ("", file);
    };
    let mut at = 0;
    for line in after.split_inclusive('\n') {
        if line.trim_end() == MARK {
            let head = after.get(..at).unwrap_or_default();
            return (head, after.get(at + line.len()..).unwrap_or_default());
        }
        at += line.len();
    }
    ("", file)
}

/// `[a, b]` or `a, b`.
fn words(list: &str) -> impl Iterator<Item = String> + '_ {
    let list = list.trim().trim_start_matches('[').trim_end_matches(']');
    let words = list
        .split(',')
        .map(|word| word.trim().trim_matches(['"', '\'']));
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn facts_of_others_are_read() {
        let fact = MemoryFact::read(
            "---\r\nname: x\ntype: decision\ntags:\n - a, b\n- c\n---\r\n\nText\n---\n",
        );
        assert_eq!(fact.kind, Some(MemoryFactKind::Decision));
        assert_eq!(fact.tags, ["a", "b", "c"]);
        assert_eq!(fact.text, "Text\n---");
        for plain in [
            "no head",
            "---\nkind: tool\nnever closed",
            "--- x\n---\n",
            "",
        ] {
            assert_eq!(MemoryFact::read(plain).text, plain.trim(), "{plain}");
        }
    }

    #[test]
    fn names_are_made_of_words() {
        for (text, name) in [
            ("Tabs, not spaces!", "tabs-not-spaces"),
            ("…", "fact"),
            ("../../etc/passwd", "etc-passwd"),
        ] {
            let fact = MemoryFact {
                text: text.to_owned(),
                ..MemoryFact::default()
            };
            assert_eq!(fact.name(), name);
        }
        let long = MemoryFact {
            text: "word ".repeat(50),
            ..MemoryFact::default()
        };
        assert!(long.name().len() <= NAME_BYTES_MAX);
    }

    proptest! {
        #[test]
        fn a_fact_comes_back_as_it_was_written(
            text in "\\PC{0,80}(\n\\PC{0,20}){0,3}",
            tags in proptest::collection::vec("[a-z][a-z-]{0,8}", 0..4),
            by in prop_oneof![Just("agent"), Just("")],
        ) {
            let fact = MemoryFact {
                kind: Some(MemoryFactKind::Tool),
                tags,
                created: "2026-11-12".to_owned(),
                by: by.to_owned(),
                text: text.trim().to_owned(),
            };
            prop_assert_eq!(MemoryFact::read(&fact.to_string()), fact);
        }

        #[test]
        fn any_file_is_some_fact(file in any::<String>()) {
            let name = MemoryFact::read(&file).name();
            prop_assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            prop_assert!(!name.is_empty() && name.len() <= NAME_BYTES_MAX);
        }
    }
}
