//! A project with a worker and a reviewer, both scripts.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use super::place::{Place, Said, said};

/// What every scripted reviewer begins with: its prompt is kept, its word is known. Several may be
/// asked at once: each takes a number of its own.
const REVIEWER: &str = r#"
n=1; until mkdir "$PLACE/number-$n" 2>/dev/null; do n=$((n + 1)); done; echo $n > "$PLACE/asked"
cat > "$PLACE/asked-$n.md"
word=$(sed -n 's/^### VERDICT: PASS //p' "$PLACE/asked-$n.md")
pass() { printf '### NO ISSUES FOUND\n### VERDICT: PASS %s\n' "$word"; }
fail() { printf '### FINDING-1: %s\nseverity: high\nwhere: %s\n%b### VERDICT: FAIL %s\n' \
  "$1" "$2" "$3" "$word"; }
mark() { printf '### EARLIER-1: %s\n' "$1"; }
"#;

/// What every scripted worker begins with: its turns are counted.
const WORKER: &str = r#"
n=$(($(cat "$PLACE/turns" 2>/dev/null || echo 0) + 1)); echo $n > "$PLACE/turns"
cat > "$PLACE/told-$n.md"
"#;

/// What the user asks for: with words that stand nowhere else.
pub const TASK: &str = "Write good into a.txt, and say zanzibar to nobody.";

pub struct World {
    pub place: Place,
}

impl World {
    pub fn new() -> Self {
        let world = Self {
            place: Place::new(),
        };
        world.place.write("proj/a.txt", "start\n");
        world.place.write("proj/tests/t.txt", "assert good\n");
        world.git(&["init", "-q", "-b", "main"]);
        world.git(&["add", "."]);
        world.git(&["commit", "-qm", "first"]);
        world
    }

    pub fn git(&self, words: &[&str]) -> String {
        let mut git = self.command("git", words);
        for who in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{who}_NAME"), "Dev");
            git.env(format!("GIT_{who}_EMAIL"), "dev@example.test");
        }
        let said = said(&mut git);
        assert_eq!(said.code, Some(0), "git {words:?}: {said:?}");
        said.out
    }

    pub fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = self.place.command(program, words);
        command.current_dir(self.place.at("proj"));
        command.env("PLACE", self.place.at(""));
        let path = std::env::var("PATH").unwrap_or_default();
        let own = self.place.at("bin");
        command.env("PATH", format!("{}:{path}", own.display()));
        command
    }

    /// A scripted worker, as it is named on the command line.
    pub fn worker(&self, body: &str) -> String {
        self.script("worker.sh", &[WORKER, body].concat())
    }

    /// A script that stands for a client of this name.
    pub fn client(&self, name: &str, body: &str) {
        let path = format!("bin/{name}");
        self.place.write(&path, &["#!/bin/sh\n", body].concat());
        let path = self.place.at(&path).display().to_string();
        assert!(
            self.command("chmod", &["+x", &path])
                .status()
                .unwrap()
                .success()
        );
    }

    /// A scripted reviewer.
    pub fn reviewer(&self, body: &str) -> String {
        self.script("reviewer.sh", &[REVIEWER, body].concat())
    }

    fn script(&self, name: &str, text: &str) -> String {
        self.place.write(name, text);
        format!("sh {}", self.place.at(name).display())
    }

    pub fn desk_command(&self, words: &[&str]) -> Command {
        self.command(env!("CARGO_BIN_EXE_tollgate-desk"), words)
    }

    pub fn desk(&self, words: &[&str]) -> Said {
        said(&mut self.desk_command(words))
    }

    /// A run with a worker, a reviewer (unless empty), and more words.
    pub fn run(&self, worker: &str, reviewer: &str, more: &[&str]) -> Said {
        let worker = self.worker(worker);
        let mut words = vec!["run", "--worker", &worker];
        let reviewer = match reviewer {
            "" => String::new(),
            body => self.reviewer(body),
        };
        if !reviewer.is_empty() {
            words.extend(["--reviewer", &reviewer]);
        }
        words.extend(more);
        words.push(TASK);
        self.desk(&words)
    }

    /// The only run there is.
    pub fn id(&self) -> String {
        let runs = fs::read_dir(self.place.at("state/runs")).unwrap();
        let mut ids = runs.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        ids.next().unwrap()
    }

    /// How the only run stands, as programs see it.
    pub fn state(&self) -> serde_json::Value {
        let said = self.desk(&["run", "show", &self.id(), "--json"]);
        serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"))
    }

    pub fn is_in(&self, state: &str) {
        assert_eq!(self.state()["state"], state, "{}", self.state());
    }

    /// How often the reviewer was asked.
    pub fn asked(&self) -> u64 {
        self.place.read("asked").trim().parse().unwrap_or(0)
    }

    /// A file of the branch that the run ended with.
    pub fn in_branch(&self, path: &str) -> String {
        self.git(&["show", &format!("tg/{}:{path}", self.id())])
    }

    /// Processes that carry the run's mark.
    pub fn processes(&self) -> BTreeSet<u64> {
        let mark = format!("TOLLGATE_RUN={}", self.id());
        let all = fs::read_dir("/proc").unwrap().flatten();
        let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u64>().ok());
        let carries = |number: &u64| {
            let block = fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
            block
                .split(|byte| *byte == 0)
                .any(|one| one == mark.as_bytes())
        };
        numbers.filter(carries).collect()
    }
}

impl Place {
    pub fn desk(&self, words: &[&str]) -> Said {
        said(&mut self.command(env!("CARGO_BIN_EXE_tollgate-desk"), words))
    }
}
