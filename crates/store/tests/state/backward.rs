//! A journal read from its end: the same lines, the other way round, and no more than is wanted.

use std::fs;

use crate::common::*;
use store::{JOURNAL_BYTES_MAX, Line, Store};

fn backward(store: &Store) -> Vec<Line> {
    let mut lines = store.journal_backward("s");
    std::iter::from_fn(|| lines.next_line().unwrap()).collect()
}

fn check_is_the_journal_reversed(store: &Store) {
    let mut forward = store.journal("s").unwrap();
    forward.reverse();
    assert_eq!(backward(store), forward);
}

fn numbers(lines: &[Line]) -> Vec<u64> {
    lines.iter().filter_map(|line| line.sequence).collect()
}

/// A store with a journal of three parts, 2 lines in each.
fn in_parts(scratch: &Scratch) -> Store {
    let store = scratch.store();
    for part in 0..3 {
        for id in 0..2 {
            commit(&store, &format!("{part}-{id}"));
        }
        if part < 2 {
            fill(scratch);
        }
    }
    store
}

/// Fills the part that is being written up with blank lines, which readers skip.
fn fill(scratch: &Scratch) {
    let mut text = fs::read(scratch.file(JOURNAL)).unwrap();
    text.resize(usize::try_from(JOURNAL_BYTES_MAX).unwrap() - 10, b'\n');
    fs::write(scratch.file(JOURNAL), text).unwrap();
}

/// The names of the finished parts, oldest first.
fn finished(scratch: &Scratch) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(scratch.file("journal")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| !path.ends_with("s.jsonl")).collect();
    paths.sort();
    paths
}

#[test]
fn no_journal_has_no_lines() {
    assert!(backward(&Scratch::new().store()).is_empty());
}

#[test]
fn lines_of_every_length_come_whole() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit_many(&store, 3);
    let good = fs::read_to_string(scratch.file(JOURNAL)).unwrap();
    for length in [0, 1, 15_000, 16_383, 16_384, 16_385, 100_000] {
        let odd = "x".repeat(length);
        for text in [
            format!("{good}{odd}\n{good}"),
            format!("{odd}\n\n{good}\n"),
            format!("{good}{odd}"),
        ] {
            fs::write(scratch.file(JOURNAL), text).unwrap();
            check_is_the_journal_reversed(&store);
        }
    }
}

#[test]
fn all_parts_are_read_and_those_before_only_if_they_are_wanted() {
    let scratch = Scratch::new();
    let store = in_parts(&scratch);
    check_is_the_journal_reversed(&store);
    assert_eq!(numbers(&backward(&store)), [6, 5, 4, 3, 2, 1]);
    // What cannot be read is noticed as soon as it is looked at, and not before.
    let oldest = finished(&scratch).remove(0);
    fs::remove_file(&oldest).unwrap();
    fs::create_dir(&oldest).unwrap();
    let mut lines = store.journal_backward("s");
    let first: Vec<Line> = (0..4)
        .map(|_| lines.next_line().unwrap().unwrap())
        .collect();
    assert_eq!(numbers(&first), [6, 5, 4, 3]);
    assert!(lines.next_line().is_err());
}

#[test]
fn a_number_is_looked_for_in_the_part_that_holds_it() {
    let scratch = Scratch::new();
    let store = in_parts(&scratch);
    for (number, expected) in [(1, 2), (2, 2), (3, 4), (4, 4), (5, 6), (6, 6), (7, 6)] {
        let mut lines = store.journal_backward("s");
        lines.skip_after(number).unwrap();
        let first = lines.next_line().unwrap().unwrap();
        assert_eq!(first.sequence, Some(expected), "{number}");
    }
}

#[test]
fn a_part_that_is_finished_meanwhile_is_read_once() {
    let scratch = Scratch::new();
    let store = in_parts(&scratch);
    fill(&scratch);
    let mut lines = store.journal_backward("s");
    let mut read = vec![lines.next_line().unwrap().unwrap()];
    commit(&store, "later");
    assert_eq!(finished(&scratch).len(), 3);
    while let Some(line) = lines.next_line().unwrap() {
        read.push(line);
    }
    assert_eq!(numbers(&read), [6, 5, 4, 3, 2, 1]);
}

#[test]
fn a_line_tells_its_time_its_words_and_its_cost() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit_many(&store, 2);
    let [second, first] = <[Line; 2]>::try_from(backward(&store)).unwrap();
    assert_eq!(first.time(), Some(model::Time(1_000)));
    assert_eq!(second.time(), Some(model::Time(1_001)));
    assert_eq!(first.word("event"), Some("tool_before"));
    assert_eq!(first.word("level"), Some("deny"));
    assert_eq!(first.word("nothing"), None);
    assert_eq!(first.micros(), 123);
    flip(&scratch.file(JOURNAL), 400);
    assert_eq!(backward(&store)[1].time(), None);
}

#[test]
fn journals_are_named_newest_first() {
    let scratch = Scratch::new();
    let store = scratch.store();
    for session in ["b", "c", "a"] {
        commit_with(&store, &event(session, "id", 1_000), &denied()).unwrap();
        // File systems tell times apart by some milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let found = store.newest_journals().unwrap();
    let names: Vec<&str> = found.iter().map(|found| found.session.as_str()).collect();
    assert_eq!(names, ["a", "c", "b"]);
    let size = fs::metadata(scratch.file("journal/a.jsonl")).unwrap().len();
    assert_eq!(found[0].bytes, size);
    let mut follow = store.follow_from(&found[0]);
    assert!(follow.next_lines().unwrap().is_empty());
    commit_with(&store, &event("a", "next", 2_000), &denied()).unwrap();
    assert_eq!(numbers(&follow.next_lines().unwrap()), [2]);
}
