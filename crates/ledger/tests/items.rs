//! What events add up to, whatever order they come in, and what is ready.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

use std::borrow::Cow;

use ledger::items::{Change, Claim, Dependency, Event, Fold, Graph, Issue, is_known, name};
use ledger::{Author, Stamp};
use proptest::prelude::*;
use serde_json::Value;

fn by(who: &str) -> Author {
    Author {
        agent: who.to_owned(),
        ..Author::default()
    }
}

fn event(time: u64, change: Change<'static>) -> Event<'static> {
    Event {
        id: Stamp::new(time, [0; 10]),
        author: by("ann"),
        change,
        line: 0,
    }
}

fn made(id: &str, time: u64) -> Event<'static> {
    let mut change = Change::to(id);
    change.new = true;
    change.put("title", id);
    event(time, change)
}

fn with(id: &str, change: impl FnOnce(&mut Change<'static>)) -> Change<'static> {
    let mut made = Change::to(id);
    change(&mut made);
    made
}

fn depends(id: &str, on: &str, kind: &str) -> Change<'static> {
    with(id, |change| {
        change.add.dependencies.push(Dependency::new(on, kind))
    })
}

fn closed(id: &str, reason: &str) -> Change<'static> {
    with(id, |change| {
        change.put("status", "closed");
        change.put("close_reason", reason);
    })
}

fn all(changes: Vec<Change<'static>>) -> Vec<Event<'static>> {
    let ids = ["a-1", "a-2", "a-3", "a-4", "a-5"].into_iter().enumerate();
    let made = ids.map(|(at, id)| made(id, at as u64));
    let changes = changes.into_iter().enumerate();
    made.chain(changes.map(|(at, change)| event(100 + at as u64, change)))
        .collect()
}

fn ready(changes: Vec<Change<'static>>) -> Vec<String> {
    let fold = Fold::of(all(changes));
    let issues = fold.issues();
    let graph = Graph::of(&issues);
    graph
        .ready(1_000)
        .iter()
        .map(|issue| issue.id.to_string())
        .collect()
}

#[test]
fn what_is_in_the_way_holds_up_and_lets_go() {
    assert_eq!(ready(vec![]), ["a-1", "a-2", "a-3", "a-4", "a-5"]);
    let blocks = || depends("a-1", "a-2", "blocks");
    assert_eq!(ready(vec![blocks()]), ["a-2", "a-3", "a-4", "a-5"]);
    assert_eq!(
        ready(vec![blocks(), closed("a-2", "done")]),
        ["a-1", "a-3", "a-4", "a-5"]
    );
    // Others say something and hold nothing up.
    for kind in ["related", "discovered-from", "tracks", "anything"] {
        assert_eq!(ready(vec![depends("a-1", "a-2", kind)]).len(), 5, "{kind}");
    }
    // A part waits with what it belongs to, and the whole not for its parts.
    let part = || depends("a-3", "a-1", "parent-child");
    assert_eq!(ready(vec![part()]).len(), 5);
    assert_eq!(ready(vec![part(), blocks()]), ["a-2", "a-4", "a-5"]);
    // Only where the other failed.
    let conditional = || depends("a-1", "a-2", "conditional-blocks");
    assert!(!ready(vec![conditional()]).contains(&"a-1".to_owned()));
    assert!(!ready(vec![conditional(), closed("a-2", "done")]).contains(&"a-1".to_owned()));
    let failed = ready(vec![conditional(), closed("a-2", "Failed: no disk")]);
    assert!(failed.contains(&"a-1".to_owned()));
    // For what belongs to the other.
    let waits = || depends("a-1", "a-2", "waits-for");
    let parts = || {
        vec![
            depends("a-3", "a-2", "parent-child"),
            depends("a-4", "a-2", "parent-child"),
        ]
    };
    let mut changes = parts();
    changes.push(waits());
    assert_eq!(ready(changes.clone()), ["a-2", "a-3", "a-4", "a-5"]);
    changes.push(closed("a-3", "done"));
    assert_eq!(ready(changes.clone()), ["a-2", "a-4", "a-5"]);
    changes.push(closed("a-4", "done"));
    assert_eq!(ready(changes), ["a-1", "a-2", "a-5"]);
}

#[test]
fn only_what_is_open_and_due_is_ready() {
    let put =
        |key: &'static str, text: &'static str| with("a-1", move |change| change.put(key, text));
    for (key, text) in [
        ("status", "in_progress"),
        ("status", "deferred"),
        ("status", "review"),
        ("defer_until", "2026-01-01T00:00:00Z"),
    ] {
        assert_eq!(ready(vec![put(key, text)]).len(), 4, "{key} {text}");
    }
    assert_eq!(
        ready(vec![put("defer_until", "1970-01-01T00:00:00Z")]).len(),
        5
    );
    let urgent = with("a-5", |change| {
        change.put_value("priority", &Value::from(0))
    });
    assert_eq!(ready(vec![urgent]).first().unwrap(), "a-5");
}

#[test]
fn a_circle_is_refused_with_its_path_and_found_after_a_merge() {
    let fold = Fold::of(all(vec![
        depends("a-1", "a-2", "blocks"),
        depends("a-2", "a-3", "parent-child"),
        depends("a-3", "a-4", "related"),
    ]));
    let issues = fold.issues();
    let graph = Graph::of(&issues);
    assert_eq!(
        graph.circle("a-3", "a-1").unwrap(),
        ["a-3", "a-1", "a-2", "a-3"]
    );
    assert_eq!(graph.circle("a-1", "a-1").unwrap(), ["a-1", "a-1"]);
    assert_eq!(graph.circle("a-4", "a-1"), None);
    assert!(graph.circles().is_empty());
    let fold = Fold::of(all(vec![
        depends("a-1", "a-2", "blocks"),
        depends("a-2", "a-1", "blocks"),
        depends("a-5", "gone-1", "blocks"),
    ]));
    let issues = fold.issues();
    let graph = Graph::of(&issues);
    assert_eq!(graph.circles(), [["a-2", "a-1"]]);
    let dangling: Vec<(&str, String)> = graph.dangling().collect();
    assert_eq!(dangling, [("a-5", "gone-1".to_owned())]);
    let blockers = graph.blockers(graph.find("a-1").unwrap());
    assert_eq!(
        (&*blockers[0].by, blockers[0].why),
        ("a-2", "is not closed")
    );
    assert_eq!(graph.ready(1_000).len(), 3);
}

fn claim(id: &str, who: &str, over: Option<Stamp>) -> Change<'static> {
    with(id, |change| {
        change.put("assignee", who);
        change.put("status", "in_progress");
        change.claim = Some(Claim { over });
    })
}

fn issue_of<'f>(fold: &'f Fold<'_>, id: &str) -> Issue<'f> {
    fold.issues()
        .into_iter()
        .find(|issue| issue.id == id)
        .unwrap()
}

#[test]
fn two_who_took_it_up_apart_are_both_shown_until_somebody_decides() {
    let mut changes = vec![claim("a-1", "ann", None), claim("a-1", "bob", None)];
    let fold = Fold::of(all(changes.clone()));
    let issue = issue_of(&fold, "a-1");
    assert_eq!((&*issue.assignee, issue.claimed_by.len()), ("ann", 2));
    let object = fold.object_of("a-1").unwrap();
    assert!(object.get("claimed_by").is_some());
    // Naming him who is shown decides, and is no repetition.
    let ann = with("a-1", |change| change.put("assignee", "ann"));
    assert!(!is_known(&ann, &object));
    changes.push(with("a-1", |change| change.put("assignee", "bob")));
    let fold = Fold::of(all(changes));
    let issue = issue_of(&fold, "a-1");
    assert_eq!((&*issue.assignee, issue.claimed_by.len()), ("bob", 0));
    let bob = with("a-1", |change| change.put("assignee", "bob"));
    assert!(is_known(&bob, &fold.object_of("a-1").unwrap()));
    // One after the other is no dispute.
    let first = Stamp::new(100, [0; 10]);
    let fold = Fold::of(all(vec![
        claim("a-1", "ann", None),
        claim("a-1", "bob", Some(first)),
    ]));
    let issue = issue_of(&fold, "a-1");
    assert_eq!((&*issue.assignee, issue.claimed_by.len()), ("bob", 0));
}

#[test]
fn an_item_keeps_the_id_that_it_was_given_whatever_is_read_first() {
    let make = |time: u64| {
        let mut change = Change::to("tg-aaaaa");
        (change.new, change.of) = (true, Some(Stamp::new(time, [0; 10])));
        event(time, change)
    };
    let (one, two) = (make(1), make(2));
    let fold = Fold::of([one.clone(), two.clone()]);
    let doubled = fold.doubled().to_vec();
    // Whoever sees it under its longer id names it so.
    let mut more = closed(&doubled[0].later, "done");
    more.of = Some(two.id);
    let more = event(3, more);
    for events in [
        [one.clone(), two.clone(), more.clone()],
        [more.clone(), two.clone(), one.clone()],
        [more, one, two],
    ] {
        assert_eq!(Fold::of(events).doubled(), doubled);
    }
}

#[test]
fn two_items_of_one_id_are_two_items() {
    let make = |time: u64, title: &'static str| {
        let id = Stamp::new(time, [9; 10]);
        let mut change = Change::to("tg-aaaaa");
        (change.new, change.of) = (true, Some(id));
        change.put("title", title);
        Event {
            id,
            ..event(time, change)
        }
    };
    let (one, two) = (make(1, "one"), make(2, "two"));
    let mut more = closed("tg-aaaaa", "done");
    more.of = Some(two.id);
    let more = event(3, more);
    for events in [
        vec![one.clone(), two.clone(), more.clone()],
        vec![more, two, one],
    ] {
        let fold = Fold::of(events);
        let issues = fold.issues();
        let shown: Vec<(&str, &str)> = issues
            .iter()
            .map(|issue| (&*issue.title, &*issue.status))
            .collect();
        assert_eq!(shown, [("one", "open"), ("two", "closed")]);
        assert_eq!(issues[0].id, "tg-aaaaa");
        let later = name("tg", Stamp::new(2, [9; 10]), |_| false);
        assert_eq!(issues[1].id, later);
        assert_eq!(fold.doubled()[0].later, later);
    }
}

#[test]
fn a_change_whose_beginning_is_missing_is_told() {
    let fold = Fold::of([event(1, closed("a-9", "x")), made("a-1", 2)]);
    assert_eq!(fold.unmade().collect::<Vec<_>>(), ["a-9"]);
}

fn any_change() -> impl Strategy<Value = Change<'static>> {
    let id = prop::sample::select(vec!["a-1", "a-2", "a-3"]);
    let word = prop::sample::select(vec!["x", "y", "", "z"]);
    (id, word, 0u8..9).prop_map(|(id, word, what)| {
        with(id, |change| match what {
            0 => change.put("title", word),
            1 => change.put("status", "closed"),
            2 => change.add.labels.push(Cow::Borrowed(word)),
            3 => change.remove.labels.push(Cow::Borrowed(word)),
            4 => change
                .add
                .dependencies
                .push(Dependency::new("a-2", "blocks")),
            5 => change
                .remove
                .dependencies
                .push(Dependency::new("a-2", "blocks")),
            6 => change.comment = Cow::Borrowed("said"),
            7 => *change = claim(id, if word.is_empty() { "ann" } else { word }, None),
            _ => change.put_value("notes", &Value::Null),
        })
    })
}

fn state(events: &[Event<'static>]) -> Vec<String> {
    let fold = Fold::of(events.iter().cloned());
    let count = fold.issues().len();
    (0..count)
        .map(|at| fold.object(at).unwrap().to_string())
        .collect()
}

proptest! {
    /// Whatever was merged how: the same events are the same state.
    #[test]
    fn order_and_repetition_change_nothing(
        changes in prop::collection::vec((any_change(), 0u64..6), 1..40),
        order in any::<prop::sample::Index>(),
        seed in any::<u64>(),
    ) {
        let mut events: Vec<Event<'static>> = changes.into_iter().enumerate().map(|(at, (change, time))| {
            let mut chance = [0; 10];
            chance[9] = at as u8;
            Event { id: Stamp::new(time, chance), ..event(0, change) }
        }).collect();
        events.push(made("a-1", 0));
        let expected = state(&events);
        let again = events[order.index(events.len())].clone();
        let mut other = events.clone();
        other.push(again);
        let mut random = seed | 1;
        for at in (1..other.len()).rev() {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            other.swap(at, (random >> 33) as usize % (at + 1));
        }
        prop_assert_eq!(state(&other), expected);
    }
}
