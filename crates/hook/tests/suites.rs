//! What the tests of other gates expect, and attacks and harmless commands of our own, in real
//! worlds, through the real hook binary.
//!
//! A line of `cases/*.jsonl` holds a call, the world it happens in (a base of [`BASES`] and more
//! lines that [`common::World::build`] understands) and what is expected: `stop` (a question or a
//! denial) or `pass`. A fact that is its author's taste, or rests on settings of that gate, says
//! why in `taste` and is not judged. No fact is judged in a world where nothing is at stake, nor in
//! one made up to agree with it. With `SUITES_SHOW` set, the words of every stop are printed.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::collections::BTreeMap;

use common::{Answer, LIVED_IN, World};
use serde_json::{Value, json};

const SUITES: &str = include_str!("cases/suites.jsonl");
const ATTACKS: &str = include_str!("cases/attacks.jsonl");
const HARMLESS: &str = include_str!("cases/harmless.jsonl");

/// Longest reason of a denial or question, in characters.
const REASON_MAX: usize = 400;

/// Worlds that many facts share, by name.
const BASES: &[(&str, &[&str])] = &[
    ("lived-in", LIVED_IN),
    (
        "at-risk",
        &[
            "repo .",
            "unmerged feature",
            "tracked src/lib.rs",
            "tracked src/main.rs",
            "tracked package.json",
            "tracked .env.example",
            "dirty file.txt",
            "dirty a.txt",
            "ignored .env",
            "ignored *.key",
            "ignored id_rsa",
            "ignored service-account.json",
            "untracked notes.txt",
            "untracked important-dir/paper.txt",
            "file .env TOKEN=0123",
            "file .netrc machine x",
            "file id_rsa PRIVATE",
            "file service-account.json {\"type\": \"service_account\"}",
            "file certs/server.key PRIVATE",
            "file source/server.key PRIVATE",
            "file staging/readme.txt x",
            "file list server.key",
            "file /home/dev/.ssh/id_rsa PRIVATE",
            "file /home/dev/.ssh/id_ed25519 PRIVATE",
            "file /home/dev/.ssh/id_ecdsa PRIVATE",
            "file /home/dev/.ssh/authorized_keys ssh-ed25519 AAAA",
            "file /home/dev/.ssh/config Host *",
            "file /home/dev/.aws/credentials [default]",
            "file /home/dev/.kube/config apiVersion: v1",
            "file /home/dev/.docker/config.json {}",
            "file /home/dev/.netrc machine x",
            "file /home/dev/.pgpass localhost:5432:*:me:x",
            "file /home/dev/.pypirc [pypi]",
            "file /home/dev/.bashrc alias ll='ls -l'",
            "file /home/dev/Documents/thesis.txt the only copy",
            "staged staged.txt",
        ],
    ),
    (
        "scratch",
        &[
            "file notes.md the only copy",
            "file src/a.c x",
            "file build/keep.txt x",
        ],
    ),
    (
        "clean",
        &[
            "repo .",
            "tracked file.txt",
            "unmerged feature",
            "stash",
            "remote same",
        ],
    ),
    ("behind", &["repo .", "tracked file.txt", "remote behind"]),
];

fn text<'a>(fact: &'a Value, key: &str) -> &'a str {
    fact[key].as_str().unwrap_or_default()
}

fn facts(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The lines that make a fact's world.
fn lines_of(fact: &Value) -> Vec<&str> {
    let base = BASES.iter().find(|(name, _)| *name == text(fact, "base"));
    let (_, base) = base.unwrap_or_else(|| panic!("{}: no such base", text(fact, "id")));
    let own = fact["world"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    base.iter().copied().chain(own).collect()
}

fn ask(world: &mut World, fact: &Value) -> Answer {
    match fact["command"].as_str() {
        Some(command) => {
            let command = world.map(command);
            world.bash(&command)
        }
        None => {
            let input = world.map(&fact["input"].to_string());
            let input: Value = serde_json::from_str(&input).unwrap();
            world.tool(text(fact, "tool"), &input)
        }
    }
}

/// How many facts of a category were judged, and those that were judged otherwise.
#[derive(Default)]
struct Score {
    judged: usize,
    wrong: Vec<String>,
}

impl Score {
    fn percent(&self) -> usize {
        (self.judged - self.wrong.len()) * 100 / self.judged.max(1)
    }
}

/// Judges every fact that is not taste; facts of the same world share it.
fn judge(facts: &[Value]) -> BTreeMap<String, Score> {
    let mut worlds: BTreeMap<Vec<&str>, Vec<&Value>> = BTreeMap::new();
    for fact in facts.iter().filter(|fact| fact["taste"].is_null()) {
        worlds.entry(lines_of(fact)).or_default().push(fact);
    }
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    for (lines, facts) in worlds {
        let mut world = World::new("suites");
        for line in &lines {
            world.build(line);
        }
        for fact in facts {
            let answer = ask(&mut world, fact);
            let answer = Answer {
                stdout: answer.stdout.replace(world.root.to_str().unwrap(), ""),
                ..answer
            };
            let score = scores.entry(text(fact, "category").to_owned()).or_default();
            score.judged += 1;
            score.wrong.extend(fault(fact, &answer));
        }
    }
    scores
}

/// What is wrong with an answer, if something is.
fn fault(fact: &Value, answer: &Answer) -> Option<String> {
    let level = answer.level();
    let reason = answer.reason();
    let is_right = (level == "allow") == (text(fact, "expect") == "pass");
    let is_short = reason.chars().count() <= REASON_MAX;
    if std::env::var_os("SUITES_SHOW").is_some() && level != "allow" {
        println!(
            "{} {level}: {}\n    {reason}",
            text(fact, "id"),
            called(fact)
        );
    }
    if is_right && is_short {
        return None;
    }
    Some(format!(
        "{}: {level}: {}\n    {reason}{}",
        text(fact, "id"),
        called(fact),
        answer.stderr
    ))
}

fn called(fact: &Value) -> String {
    let call = json!({"command": fact["command"], "input": fact["input"]});
    let call = call
        .as_object()
        .unwrap()
        .values()
        .find(|value| !value.is_null())
        .cloned();
    call.unwrap_or_default().to_string()
}

/// Checks that every category agrees, and shows what does not.
fn check(facts: &[Value]) {
    let scores = judge(facts);
    let mut low = Vec::new();
    for (category, score) in &scores {
        let percent = score.percent();
        println!("{category}: {percent} % of {}", score.judged);
        for wrong in &score.wrong {
            println!("  {wrong}");
        }
        if !score.wrong.is_empty() {
            low.push(format!(
                "{category}: {percent} %\n  {}",
                score.wrong.join("\n  ")
            ));
        }
    }
    assert!(low.is_empty(), "judged otherwise:\n{}", low.join("\n"));
}

#[test]
fn other_gates_tests_agree() {
    let facts = facts(SUITES);
    let judged = facts.iter().filter(|fact| fact["taste"].is_null());
    assert!(judged.count() >= 840, "too much is called taste");
    check(&facts);
}

#[test]
fn attacks_are_stopped() {
    let facts = facts(ATTACKS);
    assert!(facts.len() >= 1_000, "only {} attacks", facts.len());
    check(&facts);
}

#[test]
fn harmless_commands_pass() {
    let facts = facts(HARMLESS);
    assert!(facts.len() >= 800, "only {} commands", facts.len());
    check(&facts);
}
