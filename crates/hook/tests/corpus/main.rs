//! The corpus at the project's root, through the real hook binary in real worlds.
//!
//! `cargo xtask corpus` shows what this prints: a table, and the answers that are wrong; with
//! `CORPUS_SHOW` set, all answers. With `CORPUS_ONLY` set, those cases alone are played whose
//! `file/family` or id holds that text, with `CORPUS_EVERY` one in so many of them; with
//! `CORPUS_FORGET` set, what is right again is taken out of the list of known ones.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "a test that cannot go on must stop, and a table is to be seen"
)]

#[path = "../common/mod.rs"]
mod common;

mod cases;
mod hidden;
mod play;
mod report;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cases::{Case, Corpus};
use common::client::SESSION;
use hidden::Hidden;
use report::Verdict;

/// How many cases are played in one world before it is made anew, so that a large group can be
/// shared between threads.
const WORLD_CASES: usize = 80;

/// The cases, with those together that are played in one world.
fn groups<'a>(corpus: &'a Corpus, only: &str) -> Vec<Vec<&'a Case>> {
    let mut shared: BTreeMap<&[String], Vec<&Case>> = BTreeMap::new();
    let mut groups = Vec::new();
    let every = match std::env::var_os("CORPUS_HIDDEN") {
        Some(_) => 1,
        None => hidden::every(),
    };
    let wanted = |case: &&Case| {
        let is_named = case.family.contains(only) || case.id.contains(only);
        let is_chosen = (hidden::number(&case.id) >> 8).is_multiple_of(every);
        is_named && is_chosen && case.value["taste"].is_null()
    };
    for case in corpus.cases.iter().filter(wanted) {
        if case.shares() {
            shared.entry(&case.lines).or_default().push(case);
        } else {
            groups.push(vec![case]);
        }
    }
    let parts = shared.values().flat_map(|cases| cases.chunks(WORLD_CASES));
    groups.extend(parts.map(<[&Case]>::to_vec));
    groups.sort_by_key(|group| usize::MAX - group.len());
    groups
}

/// What has come of it: the answers, and those to hidden commands.
#[derive(Default)]
struct Played<'a> {
    verdicts: Vec<Verdict<'a>>,
    hidden: Vec<Hidden<'a>>,
}

/// Plays a group in its world, each case in a session of its own.
fn play_group<'a>(corpus: &Corpus, group: &[&'a Case]) -> Played<'a> {
    let Some(first) = group.first() else {
        return Played::default();
    };
    let world = play::world(first);
    let play_one = |(number, case): (usize, &&'a Case)| {
        let session = match group.len() {
            1 => SESSION.to_owned(),
            _ => format!("00000000-0000-4000-8000-{number:012}"),
        };
        let outcome = play::play(case, &world, &session);
        Verdict { case, outcome }
    };
    let verdicts = group.iter().enumerate().map(play_one).collect();
    let hide = |case: &&'a Case| hidden::play(case, corpus, &world);
    let hidden = group.iter().flat_map(hide).collect();
    Played { verdicts, hidden }
}

/// Plays all, as many worlds at once as there are processors.
fn play_all<'a>(corpus: &'a Corpus, only: &str) -> Played<'a> {
    let groups = groups(corpus, only);
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Played::default()));
    let work = || {
        while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            let played = play_group(corpus, group);
            let mut all = all.lock().unwrap();
            all.verdicts.extend(played.verdicts);
            all.hidden.extend(played.hidden);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
    let mut all = all.into_inner().unwrap();
    let place = |case: &Case| (case.family.clone(), case.id.clone());
    all.verdicts.sort_by_cached_key(|one| place(one.case));
    all.hidden
        .sort_by_cached_key(|one| (one.way, place(one.case)));
    all
}

#[test]
fn every_case_is_answered_as_it_wants() {
    let corpus = cases::load();
    let only = std::env::var("CORPUS_ONLY").unwrap_or_default();
    let Played { verdicts, hidden } = play_all(&corpus, &only);
    assert!(!verdicts.is_empty(), "no case is called `{only}`");
    let shown = match std::env::var_os("CORPUS_SHOW") {
        Some(_) => report::all(&verdicts),
        None => report::known(&verdicts, &corpus),
    };
    let (table, ways) = (report::table(&verdicts), report::ways(&verdicts));
    println!("{table}\n{ways}\n\n{}", shown.join("\n"));
    if std::env::var_os("CORPUS_FORGET").is_some() {
        let right = report::right_again(&verdicts, &corpus);
        cases::forget(&right, &hidden::right_again(&hidden, &corpus));
        return;
    }
    println!("{}", hidden::table(&hidden));
    let mut complaints = report::complaints(&verdicts, &corpus);
    complaints.extend(hidden::complaints(&hidden, &corpus));
    assert!(
        complaints.is_empty(),
        "{} complaints:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}
