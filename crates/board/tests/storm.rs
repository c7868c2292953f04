//! Many processes write at once and some are killed: what was acknowledged is there, once.
//!
//! It starts itself as the processes, so it brings its own main.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use board::items::{Backend, Scope};
use board::{Board, Posted, Query};
use ledger::items::{Change, Event};
use ledger::{Author, Role};
use model::CallEnv;

/// How many processes write at once.
const WRITERS: usize = 8;
/// How many writes each acknowledges, whatever happens to it.
const WRITES: usize = 500;
/// A writer is killed about so often.
const KILLED_EVERY: usize = 90;
/// Items that all writers change.
const ITEMS: usize = 4;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let [_, what, dir, name, count] = words.as_slice()
        && what.starts_with("write-")
    {
        write(what, dir, name, count.parse().unwrap());
        return;
    }
    if words.iter().any(|word| word == "--list") {
        return;
    }
    let (top, begun) = (tempfile::tempdir().unwrap(), Instant::now());
    messages(top.path());
    items(top.path());
    println!(
        "storm: every acknowledged write is there once ({:?})",
        begun.elapsed()
    );
}

fn board(dir: &str) -> Board {
    Board::at(&CallEnv {
        project: dir.to_owned(),
        ..CallEnv::default()
    })
}

/// Writes, and says of each write that it is done.
fn write(what: &str, dir: &str, name: &str, count: usize) {
    let board = board(dir);
    let author = Author {
        agent: name.to_owned(),
        role: Role::Program,
        ..Author::default()
    };
    let mut out = std::io::stdout().lock();
    for number in 0..count {
        let said = if what == "write-messages" {
            let body = format!("{name} {number} {}", "x".repeat(number * 37 % 9_000));
            let posted = Posted {
                topic: "storm/all",
                body: &body,
                ..Posted::default()
            };
            board.post(posted, author.clone()).unwrap().id.to_string()
        } else {
            let label = format!("{name}-{number}-{}", std::process::id());
            let item = format!("st-{}", number % ITEMS);
            let mut change = Change::to(&item);
            change.add.labels.push(label.clone().into());
            change.put("notes", &label);
            board
                .change(
                    Backend::Own,
                    (&author, Scope::Some(std::slice::from_ref(&item))),
                    |_| Ok(vec![change]),
                )
                .unwrap();
            format!("{item} {label}")
        };
        writeln!(out, "{said}").unwrap();
        out.flush().unwrap();
    }
}

/// Runs the writers until each has acknowledged all its writes; what they acknowledged.
fn run(what: &str, top: &Path) -> Vec<String> {
    let writers = (0..WRITERS).map(|writer| {
        let (what, top) = (what.to_owned(), top.to_owned());
        std::thread::spawn(move || writer_done(&what, &top, writer))
    });
    let writers: Vec<_> = writers.collect();
    let done = writers
        .into_iter()
        .flat_map(|writer| writer.join().unwrap());
    done.collect()
}

fn writer_done(what: &str, top: &Path, writer: usize) -> Vec<String> {
    let mut done = Vec::new();
    let mut round = 0;
    while done.len() < WRITES {
        round += 1;
        let left = (WRITES - done.len()).to_string();
        let name = format!("w{writer}");
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([what, top.to_str().unwrap(), &name, &left])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // Odd rounds of half of the writers end by themselves.
        let end = match (writer + round) % 2 {
            0 => KILLED_EVERY + writer * 7 + round,
            _ => usize::MAX,
        };
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        for line in lines.by_ref().take(end) {
            done.push(line.unwrap());
        }
        if end != usize::MAX {
            std::thread::sleep(Duration::from_micros(
                (writer * 131 + round * 17) as u64 % 900,
            ));
            child.kill().unwrap();
            // What it had said before it died counts too.
            done.extend(lines.map_while(Result::ok));
        }
        child.wait().unwrap();
    }
    done
}

fn messages(top: &Path) {
    let done = run("write-messages", top);
    assert!(done.len() >= WRITERS * WRITES);
    let board = board(top.to_str().unwrap());
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, bytes) in board.message_segments().files {
        for message in ledger::read_lines(&bytes, ledger::Message::read).records {
            *counts.entry(message.id.to_string()).or_default() += 1;
        }
    }
    for id in &done {
        assert_eq!(counts.get(id), Some(&1), "{id}");
    }
    let found = board.read(&Query::default());
    assert_eq!(found.messages.len(), counts.len());
    // A writer that dies between writing and saying so leaves one more each time, no other.
    assert!(
        counts.len() - done.len() <= WRITERS * 20,
        "{} {}",
        counts.len(),
        done.len()
    );
}

fn items(top: &Path) {
    let board = board(top.to_str().unwrap());
    let maker = Author::default();
    let made = (0..ITEMS).map(|number| {
        let mut change = Change::to(&format!("st-{number}"));
        change.new = true;
        change.put("title", "Stormy");
        change
    });
    let made: Vec<Change<'static>> = made.collect();
    board
        .change(Backend::Own, (&maker, Scope::All), |_| Ok(made))
        .unwrap();
    let done = run("write-items", top);
    let held = board.items(Backend::Own).unwrap();
    held.view(|view| {
        assert_eq!(view.issues.len(), ITEMS);
        for said in &done {
            let (item, label) = said.split_once(' ').unwrap();
            let issue = view.find(item).unwrap();
            assert!(issue.labels.iter().any(|known| known == label), "{said}");
        }
        for issue in &view.issues {
            // The note is that of the last event, and events are in one order.
            let notes = view.object(issue).unwrap().text("notes").into_owned();
            assert!(issue.labels.iter().any(|label| *label == notes), "{notes}");
        }
    });
    let dir = top.join(".tollgate/work");
    let lines: usize = std::fs::read_dir(dir)
        .unwrap()
        .map(|file| {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            ledger::read_lines(&bytes, Event::read).records.len()
        })
        .sum();
    assert!(lines >= done.len() + ITEMS);
}
