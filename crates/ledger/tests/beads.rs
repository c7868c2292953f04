//! Files of beads: nothing is lost, and what is not changed keeps its bytes.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

use std::borrow::Cow;

use ledger::beads::BeadsFile;
use ledger::items::{Change, Dependency, Event, Fold, Graph, import};
use ledger::{Author, Odd, Stamp};
use serde_json::Value;

/// Every form that was met: a header, a memory, ids with points and hyphens, other trackers'
/// fields, odd spaces, numbers that no float holds.
const FILE: &str = include_str!("data/issues.jsonl");

fn event(change: Change<'_>) -> Event<'_> {
    Event {
        id: Stamp::new(1_800_000_000_000, [1; 10]),
        author: Author {
            agent: "ann".to_owned(),
            ..Author::default()
        },
        change,
        line: 0,
    }
}

/// Lines of `after` that do not stand in `before`.
fn changed<'a>(before: &str, after: &'a str) -> Vec<&'a str> {
    let known: Vec<&str> = before.split('\n').collect();
    after
        .split('\n')
        .filter(|line| !known.contains(line))
        .collect()
}

#[test]
fn what_is_not_changed_keeps_its_bytes() {
    let torn = FILE.trim_end().to_owned();
    let windows = FILE.replace('\n', "\r\n");
    for text in [FILE, &torn, &windows, "", "\n", "\n\n", "x", "{}\n"] {
        assert_eq!(BeadsFile::read(text).text(), text);
    }
    let file = BeadsFile::read(FILE);
    assert!(file.odd().is_empty() && file.doubled().is_empty());
    let ids: Vec<String> = file
        .issues()
        .iter()
        .map(|issue| issue.id.to_string())
        .collect();
    let expected = [
        "app-3u5s",
        "app-3u5s.1",
        "app-0xyn",
        "app-df00",
        "app-sp4c",
        "old-9",
        "my-long-app-a1b2c.2.1",
    ];
    assert_eq!(ids, expected);
}

#[test]
fn a_change_touches_its_line_alone_and_keeps_what_it_does_not_know() {
    let mut file = BeadsFile::read(FILE);
    let mut change = Change::to("app-df00");
    change.put("status", "open");
    change.put_value("defer_until", &Value::Null);
    change.add.labels.push(Cow::Borrowed("a<b"));
    change
        .add
        .dependencies
        .push(Dependency::new("app-sp4c", "blocks"));
    change.comment = Cow::Borrowed("said");
    assert!(file.apply(&event(change)));
    let text = file.text();
    let lines = changed(FILE, &text);
    let [line] = lines.as_slice() else {
        panic!("{lines:?}");
    };
    for part in [
        r#""status":"open","priority":4"#,
        r#""metadata":{"z":1.5,"a":[1,{"b":null}]},"pinned":false,"future_field":{"k":[true,"é"]}"#,
        r#""labels":["a\u003cb"]"#,
        r#""depends_on_id":"app-sp4c","type":"blocks","created_at":"2027-01-15T08:00:00.000Z""#,
        r#""text":"said""#,
        r#""updated_at":"2027-01-15T08:00:00.000Z""#,
    ] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(!line.contains("defer_until"));
    // What says the same changes nothing.
    let mut same = Change::to("app-3u5s.1");
    same.put("status", "in_progress");
    same.put("updated_at", "2026-05-28T06:00:00.123Z");
    same.add.labels.push(Cow::Borrowed("a"));
    let before = file.text();
    assert!(!file.apply(&event(same)) && file.text() == before);
    let mut new = Change::to("app-new1");
    new.put("title", "New");
    assert!(file.apply(&event(new)));
    assert_eq!(changed(&before, &file.text()).len(), 1);
    assert!(file.text().ends_with("}\n"));
}

#[test]
fn what_a_merge_or_a_crash_left_is_told_and_stays() {
    let text = concat!(
        "{\"id\":\"a-1\",\"title\":\"x\",\"updated_at\":\"2026-01-02T00:00:00Z\"}\n",
        "<<<<<<< ours\n",
        "{\"id\":\"a-2\",\"title\":\"old\",\"updated_at\":\"2026-01-01T00:00:00Z\"}\n",
        "=======\n",
        "{\"id\":\"a-2\",\"title\":\"new\",\"updated_at\":\"2026-01-02T00:00:00Z\"}\n",
        ">>>>>>> theirs\n",
        "junk\n",
        "{\"id\":\"a-3\",\"title\":\"to",
    );
    let mut file = BeadsFile::read(text);
    let odd: Vec<(usize, Odd)> = file.odd().iter().map(|odd| (odd.number, odd.odd)).collect();
    let expected = [
        (2, Odd::Marker),
        (4, Odd::Marker),
        (6, Odd::Marker),
        (7, Odd::Unreadable),
        (8, Odd::Torn),
    ];
    assert_eq!(odd, expected);
    assert_eq!(file.doubled(), ["a-2"]);
    let titles: Vec<String> = file
        .issues()
        .iter()
        .map(|issue| issue.title.to_string())
        .collect();
    assert_eq!(titles, ["x", "new"]);
    assert_eq!(file.text(), text);
    let mut change = Change::to("a-1");
    change.put("title", "y");
    file.apply(&event(change));
    assert_eq!(changed(text, &file.text()).len(), 1);
}

#[test]
fn an_import_is_done_once_and_goes_back_unchanged() {
    let file = BeadsFile::read(FILE);
    let lines = |fold: &Fold<'_>| -> Vec<String> {
        let events = file.records().filter_map(|record| import(record, fold, 7));
        events.map(|event| event.line()).collect()
    };
    let first = lines(&Fold::default());
    assert_eq!(first.len(), 7);
    let events = || first.iter().filter_map(|line| Event::read(line.as_bytes()));
    // Two clones import the same.
    let fold = Fold::of(events().chain(events()));
    assert_eq!(lines(&fold), Vec::<String>::new());
    let mut back = BeadsFile::read(FILE);
    for issue in fold.issues() {
        let object = fold.object(issue.at).unwrap();
        assert!(!back.put_fields(&object), "{object}");
    }
    assert_eq!(back.text(), FILE);
    // Into no file, all that an item holds is written.
    let mut new = BeadsFile::read("");
    for issue in fold.issues() {
        new.put_fields(&fold.object(issue.at).unwrap());
    }
    let again = BeadsFile::read(&new.text());
    let (deep, part) = (
        again.object_of("app-df00").unwrap(),
        again.object_of("app-3u5s.1"),
    );
    assert_eq!(
        deep.get("future_field").unwrap().as_str(),
        r#"{"k":[true,"é"]}"#
    );
    assert!(
        part.unwrap()
            .get("comments")
            .unwrap()
            .as_str()
            .contains("see \\u003chere\\u003e")
    );
    let issues = again.issues();
    assert_eq!(
        Graph::of(&issues).ready(0).len(),
        Graph::of(&file.issues()).ready(0).len()
    );
}

#[test]
fn a_newer_record_changes_what_was_imported_and_an_older_does_not() {
    let record = |title: &str, time: &str, labels: &str| {
        format!(r#"{{"id":"a-1","title":"{title}","updated_at":"{time}","labels":{labels}}}"#)
    };
    let mut lines: Vec<String> = Vec::new();
    for (title, time, labels) in [
        ("one", "2026-01-02T00:00:00Z", r#"["a","b"]"#),
        ("two", "2026-01-03T00:00:00Z", r#"["b","c"]"#),
        ("zero", "2026-01-01T00:00:00Z", r#"["b","z"]"#),
    ] {
        let file = BeadsFile::read(&record(title, time, labels)).text();
        let file = BeadsFile::read(&file);
        let events = lines.iter().filter_map(|line| Event::read(line.as_bytes()));
        let fold = Fold::of(events);
        let new: Vec<String> = file
            .records()
            .filter_map(|record| Some(import(record, &fold, 7)?.line()))
            .collect();
        drop(fold);
        lines.extend(new);
    }
    let fold = Fold::of(lines.iter().filter_map(|line| Event::read(line.as_bytes())));
    let issues = fold.issues();
    let [issue] = issues.as_slice() else {
        panic!("{issues:?}");
    };
    assert_eq!(issue.title, "two");
    let mut labels: Vec<&str> = issue.labels.iter().map(AsRef::as_ref).collect();
    labels.sort_unstable();
    assert_eq!(labels, ["b", "c", "z"]);
}
