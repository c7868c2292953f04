//! Clones that write apart from one another and come together again by merges, rebases and
//! cherry-picks: nothing conflicts, nothing is lost, nothing is doubled, and all see the same.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use board::items::{Backend, Scope};
use board::{Board, Posted, Query};
use ledger::Author;
use ledger::items::Change;
use model::CallEnv;

/// A clone.
struct Clone {
    dir: PathBuf,
    board: Board,
    author: Author,
    /// What it wrote: ids of messages, and labels of items.
    wrote: BTreeSet<String>,
    number: usize,
}

fn git(dir: &Path, words: &[&str]) -> String {
    let mut git = Command::new("git");
    git.current_dir(dir).args(words).env("HOME", "/nonexistent");
    git.env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_EDITOR", "true");
    for who in ["AUTHOR", "COMMITTER"] {
        git.env(format!("GIT_{who}_NAME"), "Dev");
        git.env(format!("GIT_{who}_EMAIL"), "dev@example.test");
    }
    let out = git.output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(
        out.status.success(),
        "git {words:?}: {said}{}",
        String::from_utf8_lossy(&out.stdout)
    );
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

impl Clone {
    fn of(dir: PathBuf) -> Self {
        let place = CallEnv {
            project: dir.to_str().unwrap().to_owned(),
            ..CallEnv::default()
        };
        Self {
            board: Board::at(&place),
            // The same person on two machines.
            author: Author {
                agent: "ann".to_owned(),
                ..Author::default()
            },
            wrote: BTreeSet::new(),
            number: 0,
            dir,
        }
    }

    fn write(&mut self, messages: usize, events: usize) {
        for _ in 0..messages {
            self.number += 1;
            let body = format!("message {}", self.number);
            let posted = Posted {
                topic: ["a", "a/b", "c"][self.number % 3],
                body: &body,
                ..Posted::default()
            };
            let message = self.board.post(posted, self.author.clone()).unwrap();
            self.wrote.insert(message.id.to_string());
        }
        for _ in 0..events {
            self.number += 1;
            let label = format!(
                "{}-{}",
                self.dir.file_name().unwrap().display(),
                self.number
            );
            let item = ["it-1", "it-2", "it-3"][self.number % 3].to_owned();
            let mut change = Change::to(&item);
            change.add.labels.push(label.clone().into());
            change.put("notes", &label);
            self.wrote.insert(label);
            self.board
                .change(Backend::Own, (&self.author, Scope::Some(&[item])), |_| {
                    Ok(vec![change])
                })
                .unwrap();
        }
    }

    fn commit(&self) {
        git(&self.dir, &["add", "-A"]);
        git(&self.dir, &["commit", "-q", "--allow-empty", "-m", "more"]);
    }

    /// Everything that it knows: messages, and items as they stand.
    fn state(&self) -> (Vec<String>, Vec<String>) {
        let found = self.board.read(&Query::default());
        assert!(
            found.odd.is_empty() && found.unread.is_empty(),
            "{:?}",
            found.odd
        );
        let messages = found.messages.iter().map(|message| message.id.to_string());
        let held = self.board.items(Backend::Own).unwrap();
        let items = held.view(|view| {
            let issues = view.issues.iter();
            issues
                .map(|issue| view.object(issue).unwrap().to_string())
                .collect()
        });
        (messages.collect(), items)
    }

    fn has_all(&self, wrote: &BTreeSet<String>) {
        let (messages, items) = self.state();
        let known: BTreeSet<&str> = messages.iter().map(String::as_str).collect();
        assert_eq!(known.len(), messages.len());
        let items = items.join("\n");
        for one in wrote {
            let is_there = known.contains(one.as_str()) || items.contains(&format!("\"{one}\""));
            assert!(is_there, "{one}");
        }
    }
}

/// A bare repository with a first commit, and two clones of it.
fn clones(top: &Path) -> [Clone; 2] {
    git(top, &["init", "-q", "--bare", "-b", "main", "hub"]);
    git(top, &["clone", "-q", "hub", "first"]);
    let first = Clone::of(top.join("first"));
    for id in ["it-1", "it-2", "it-3"] {
        let mut change = Change::to(id);
        change.new = true;
        change.put("title", id);
        first
            .board
            .change(Backend::Own, (&first.author, Scope::All), |_| {
                Ok(vec![change])
            })
            .unwrap();
    }
    git(&first.dir, &["checkout", "-q", "-b", "main"]);
    first.commit();
    git(&first.dir, &["push", "-q", "origin", "main"]);
    git(top, &["clone", "-q", "-b", "main", "hub", "second"]);
    [first, Clone::of(top.join("second"))]
}

#[test]
fn two_clones_with_a_thousand_of_each_merge_in_both_directions_and_in_a_bare_repository() {
    let top = tempfile::tempdir().unwrap();
    let [mut first, mut second] = clones(top.path());
    for _ in 0..4 {
        first.write(250, 250);
        first.commit();
        second.write(250, 250);
        second.commit();
    }
    git(&first.dir, &["push", "-q", "origin", "main:one"]);
    git(&second.dir, &["push", "-q", "origin", "main:two"]);
    // As a server merges: no work tree, no attributes.
    let hub = top.path().join("hub");
    let tree = git(&hub, &["merge-tree", "--write-tree", "one", "two"]);
    let words = [
        "commit-tree",
        &tree,
        "-p",
        "one",
        "-p",
        "two",
        "-m",
        "merged",
    ];
    let merged = git(&hub, &words);
    git(&hub, &["update-ref", "refs/heads/merged", &merged]);
    git(top.path(), &["clone", "-q", "-b", "merged", "hub", "third"]);
    for (clone, other) in [(&first, "two"), (&second, "one")] {
        git(&clone.dir, &["fetch", "-q"]);
        git(
            &clone.dir,
            &["merge", "-q", "-m", "merge", &format!("origin/{other}")],
        );
    }
    let third = Clone::of(top.path().join("third"));
    let wrote = &first.wrote | &second.wrote;
    assert_eq!(wrote.len(), 4_000);
    first.has_all(&wrote);
    assert_eq!(first.state().0.len(), 2_000);
    assert_eq!(first.state(), second.state());
    assert_eq!(first.state(), third.state());
}

/// Numbers that look like chance and come again with the seed.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count
    }
}

/// One of the ways in which work of two clones comes together.
fn step(clones: &mut [Clone; 2], at: usize, round: usize, random: &mut Random) {
    let dir = clones[at].dir.clone();
    match random.below(6) {
        // Written on another branch, and carried over as a patch.
        0 => {
            clones[at].commit();
            let side = format!("side-{round}");
            git(&dir, &["checkout", "-q", "-b", &side]);
            clones[at].write(1 + random.below(3), 1);
            clones[at].commit();
            git(&dir, &["checkout", "-q", "main"]);
            clones[at].write(1, 1);
            clones[at].commit();
            git(&dir, &["cherry-pick", &side]);
        }
        // The other's work below ours.
        1 => {
            clones[at].commit();
            let other = clones[1 - at].dir.clone();
            git(&dir, &["fetch", "-q", other.to_str().unwrap(), "main"]);
            git(&dir, &["rebase", "-q", "FETCH_HEAD"]);
        }
        2 | 3 => {
            clones[at].commit();
            let other = clones[1 - at].dir.clone();
            git(
                &dir,
                &[
                    "pull",
                    "-q",
                    "--no-rebase",
                    "--no-edit",
                    other.to_str().unwrap(),
                    "main",
                ],
            );
        }
        // Work that is put aside and taken up again.
        4 => {
            git(&dir, &["stash", "-q", "-u"]);
            clones[at].write(1, 1);
            clones[at].commit();
            let kept = git(&dir, &["stash", "list"]);
            if !kept.is_empty() {
                git(&dir, &["stash", "pop", "-q"]);
            }
        }
        _ => clones[at].commit(),
    }
}

#[test]
fn whatever_way_clones_come_together_all_see_the_same() {
    for seed in 0..6 {
        let top = tempfile::tempdir().unwrap();
        let mut clones = clones(top.path());
        let mut random = Random(seed * 7_919 + 1);
        for round in 0..14 {
            let at = random.below(2);
            let (messages, events) = (random.below(4), random.below(4));
            clones[at].write(messages, events);
            step(&mut clones, at, round, &mut random);
        }
        clones[0].commit();
        clones[1].commit();
        for at in [0, 1, 0] {
            let other = clones[1 - at].dir.clone();
            let words = [
                "pull",
                "-q",
                "--no-rebase",
                "--no-edit",
                other.to_str().unwrap(),
                "main",
            ];
            git(&clones[at].dir, &words);
        }
        let wrote = &clones[0].wrote | &clones[1].wrote;
        clones[0].has_all(&wrote);
        clones[1].has_all(&wrote);
        assert_eq!(clones[0].state(), clones[1].state(), "seed {seed}");
    }
}
