//! The corpus as it lies on the disk: its files, its worlds, and which answers are known to be
//! wrong. The form is told in `corpus/README.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

/// What is known to be answered wrong.
const KNOWN: &str = "known-wrong.jsonl";
/// The same of commands that are hidden in some way.
const KNOWN_HIDDEN: &str = "known-hidden.jsonl";

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
    "runs",
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
    /// It is refused, and nobody is asked.
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
    /// The same of hidden commands: id and way.
    pub known_hidden: BTreeMap<(String, String), String>,
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

/// Every file of cases, and how many there must be: none is lost by mistake.
fn counts() -> Vec<(String, usize)> {
    let mut counts = Vec::new();
    for line in read("counts.txt").lines() {
        let (file, count) = line.split_once(' ').unwrap_or((line, ""));
        let count = count.trim().parse();
        counts.push((file.to_owned(), count.unwrap_or_else(|_| panic!("{line}"))));
    }
    let files = fs::read_dir(dir()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    for name in names.filter(|name| name.ends_with(".jsonl") && !name.starts_with("known-")) {
        let is_counted = counts
            .iter()
            .any(|(file, _)| name == format!("{file}.jsonl"));
        assert!(is_counted, "counts.txt does not count {name}");
    }
    counts
}

/// Reads all of it; a mistake in its form ends the test.
pub fn load() -> Corpus {
    let mut cases = Vec::new();
    let mut worlds = BTreeMap::new();
    for (file, count) in counts() {
        let values = rows(&format!("{file}.jsonl"));
        assert_eq!(values.len(), count, "cases in {file}.jsonl: counts.txt");
        let read = |value| case(&file, value, &mut worlds);
        cases.extend(values.into_iter().map(read));
    }
    let mut ids = BTreeSet::new();
    for case in &cases {
        assert!(ids.insert(case.id.as_str()), "{} is used twice", case.id);
    }
    let known: BTreeMap<String, String> = rows(KNOWN)
        .into_iter()
        .map(|row| (text(&row, "id"), text(&row, "reason")))
        .collect();
    let known_hidden: BTreeMap<(String, String), String> = rows(KNOWN_HIDDEN)
        .into_iter()
        .map(|row| ((text(&row, "id"), text(&row, "way")), text(&row, "reason")))
        .collect();
    let hidden = known_hidden.iter().map(|((id, _), reason)| (id, reason));
    for (id, reason) in known.iter().chain(hidden) {
        assert!(ids.contains(id.as_str()), "known-…: no case {id}");
        assert!(!reason.is_empty(), "known-…: {id} has no reason");
    }
    Corpus {
        cases,
        known,
        known_hidden,
    }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// A case of a file; worlds that were read once are kept.
pub fn case(file: &str, value: Value, worlds: &mut BTreeMap<String, Vec<String>>) -> Case {
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

/// Takes out of the lists what is no longer wrong: ids, and ids with the way they were hidden.
pub fn forget(right: &[String], right_hidden: &[(String, String)]) {
    keep(KNOWN, |row| !right.contains(&text(row, "id")));
    keep(KNOWN_HIDDEN, |row| {
        !right_hidden.contains(&(text(row, "id"), text(row, "way")))
    });
}

/// Keeps the lines of a file that are still wanted.
fn keep(name: &str, is_kept: impl Fn(&Value) -> bool) {
    let all = read(name);
    let lines = all.lines();
    let left: Vec<&str> = lines
        .filter(|line| is_kept(&serde_json::from_str(line).unwrap()))
        .collect();
    let end = if left.is_empty() { "" } else { "\n" };
    fs::write(dir().join(name), left.join("\n") + end).unwrap();
}
