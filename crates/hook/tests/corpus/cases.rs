//! The corpus as it lies on the disk: its files, its worlds, and which answers are known to be
//! wrong. The form is told in `corpus/README.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

/// Every file of cases, and how many there must be: none is lost by mistake.
const FILES: &[(&str, usize)] = &[
    ("attacks", 1_041),
    ("everyday", 523),
    ("failures", 35),
    ("forms", 657),
    ("harmless", 842),
    ("reported", 221),
    ("suites", 849),
];

/// All fields of a case; another one is a typing error.
const FIELDS: &[&str] = &[
    "id",
    "family",
    "want",
    "world",
    "also",
    "in",
    "host",
    "event",
    "mode",
    "agent",
    "agent_type",
    "spoiled",
    "command",
    "tool",
    "input",
    "steps",
    "payload",
    "text",
    "hex",
    "filler",
    "taste",
    "policy",
    "why",
    "source",
];

/// What must become of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// It is refused.
    Deny,
    /// It is refused or asked about.
    Stop,
    /// It goes.
    Pass,
    /// It goes, and nothing is said.
    Silence,
    /// It goes, or is asked about.
    AskAtMost,
    /// There is an answer.
    Any,
}

impl Want {
    const NAMES: &[(&str, Self)] = &[
        ("deny", Self::Deny),
        ("stop", Self::Stop),
        ("pass", Self::Pass),
        ("silence", Self::Silence),
        ("ask-at-most", Self::AskAtMost),
        ("any", Self::Any),
    ];

    /// Whether something is to be stopped.
    pub const fn is_stop(self) -> bool {
        matches!(self, Self::Deny | Self::Stop)
    }
}

/// One case.
pub struct Case {
    pub id: String,
    /// `file/family`
    pub family: String,
    pub want: Want,
    /// The lines that make its world.
    pub lines: Vec<String>,
    pub value: Value,
}

impl Case {
    pub fn text(&self, key: &str) -> &str {
        self.value[key].as_str().unwrap_or_default()
    }

    /// Whether it can be played in a world in which others are played.
    pub fn shares(&self) -> bool {
        let is_plain = self.value["command"].is_string() || self.value["tool"].is_string();
        let remembers = |line: &String| line.starts_with("born ") || line == "registered";
        is_plain && self.text("spoiled").is_empty() && !self.lines.iter().any(remembers)
    }

    /// What is called, in one line.
    pub fn called(&self) -> String {
        let call = ["command", "input", "steps", "payload", "text", "hex"];
        let call = call.iter().map(|key| &self.value[*key]);
        let call = call.into_iter().find(|value| !value.is_null());
        let mut line = call.map(Value::to_string).unwrap_or_default();
        if let Some((at, _)) = line.char_indices().nth(160) {
            line.truncate(at);
            line.push('…');
        }
        line
    }
}

/// The corpus.
pub struct Corpus {
    pub cases: Vec<Case>,
    /// Ids of cases whose answer is known to be wrong, and why it is.
    pub known: BTreeMap<String, String>,
}

/// Where the corpus lies.
pub fn dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn read(name: &str) -> String {
    let path = dir().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn rows(name: &str) -> Vec<Value> {
    let row = |(number, line): (usize, &str)| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{name}:{}: {error}", number + 1))
    };
    read(name).lines().enumerate().map(row).collect()
}

/// Reads all of it; a mistake in its form ends the test.
pub fn load() -> Corpus {
    let mut cases = Vec::new();
    let mut worlds = BTreeMap::new();
    for (file, count) in FILES {
        let values = rows(&format!("{file}.jsonl"));
        assert_eq!(values.len(), *count, "cases in {file}.jsonl");
        let read = |value| case(file, value, &mut worlds);
        cases.extend(values.into_iter().map(read));
    }
    let ids: BTreeSet<&str> = cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids.len(), cases.len(), "an id is used twice");
    let known: BTreeMap<String, String> = rows("known-wrong.jsonl")
        .into_iter()
        .map(|row| (text(&row, "id"), text(&row, "reason")))
        .collect();
    for (id, reason) in &known {
        assert!(ids.contains(id.as_str()), "known-wrong: no case {id}");
        assert!(!reason.is_empty(), "known-wrong: {id} has no reason");
    }
    Corpus { cases, known }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn case(file: &str, value: Value, worlds: &mut BTreeMap<String, Vec<String>>) -> Case {
    let id = text(&value, "id");
    for field in value.as_object().unwrap().keys() {
        assert!(FIELDS.contains(&field.as_str()), "{id}: no field {field}");
    }
    let want = Want::NAMES
        .iter()
        .find(|(name, _)| *name == text(&value, "want"));
    let (_, want) = want.unwrap_or_else(|| panic!("{id}: wants nothing that there is"));
    let mut lines = Vec::new();
    if let Some(name) = value["world"].as_str() {
        let world = worlds.entry(name.to_owned());
        lines.clone_from(world.or_insert_with(|| world_lines(name)));
    }
    if let Some(place) = value["in"].as_str() {
        lines.push(format!("in {place}"));
    }
    let also = value["also"].as_array().into_iter().flatten();
    lines.extend(also.map(|line| line.as_str().unwrap().to_owned()));
    Case {
        family: format!("{file}/{}", text(&value, "family")),
        id,
        want: *want,
        lines,
        value,
    }
}

/// The lines of a world that many cases share.
fn world_lines(name: &str) -> Vec<String> {
    let text = read(&format!("worlds/{name}.txt"));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

/// Takes out of the list what is no longer wrong.
pub fn forget(right: &[String]) {
    let known = read("known-wrong.jsonl");
    let is_wrong = |line: &&str| {
        let row: Value = serde_json::from_str(line).unwrap();
        !right.contains(&text(&row, "id"))
    };
    let left: Vec<&str> = known.lines().filter(is_wrong).collect();
    let end = if left.is_empty() { "" } else { "\n" };
    fs::write(dir().join("known-wrong.jsonl"), left.join("\n") + end).unwrap();
}
