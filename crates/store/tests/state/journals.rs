//! What the journal says, and that reading it finds what is missing.

use std::fs;
use std::io::Write;

use crate::common::*;
use model::{Analysis, Call, Content, EventKind, Fact, Facts, PathFact, PathKind, Vcs, Want};
use store::Report;

fn lines(store: &store::Store) -> Vec<String> {
    store
        .journal("s")
        .unwrap()
        .into_iter()
        .map(|line| line.text)
        .collect()
}

/// The only line after committing one event, with everything it could tell.
fn line_of(kind: EventKind<'static>, analysis: &Analysis, facts: &Facts) -> String {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut event = event("s", "id", 1_000);
    event.kind = kind;
    let decision = denied();
    let entry = entry(&event, &decision, analysis, facts);
    commit_knowing(&store, &model::Session::default(), &entry).unwrap();
    let [line] = <[String; 1]>::try_from(lines(&store)).unwrap();
    line
}

fn check_holds(line: &str, parts: &[&str]) {
    for part in parts {
        assert!(line.contains(part), "{part} is not in {line}");
    }
}

#[test]
fn a_line_tells_what_was_decided_and_why() {
    let mut facts = Facts::default();
    let fact = PathFact {
        kind: PathKind::File,
        bytes: 12,
        real: "/p/a".to_owned(),
        lexical: "/p/a".to_owned(),
        links: 1,
        vcs: Vcs::Modified,
        modified: 9,
    };
    facts.paths.insert("/p/a".to_owned(), Fact::Known(fact));
    facts.set_unknown(&Want::Repo("/p".to_owned()), "out of time");
    facts.texts.insert(
        "/p/x.sh".to_owned(),
        Fact::Known("very private text".to_owned()),
    );
    let line = line_of(
        EventKind::ToolBefore(shell("git reset --hard")),
        &analysis(),
        &facts,
    );
    check_holds(
        &line,
        &[
            r#"{"seq":1,"time":1000,"event":"tool_before","host":"host","session":"s""#,
            r#""actor":"main","attended":true,"asks":true,"call_id":"id","cwd":"/p""#,
            r#""tool":"shell","summary":"git reset --hard""#,
            r#""actions":[{"do":"discard git:/p","zone":"unknown","certainty":"literal""#,
            r#""argv":["git","reset","--hard"]"#,
            r#""facts":{"paths":[{"of":"/p/a","kind":"file","bytes":12,"links":1,"vcs":"modified","modified":9}],"#,
            r#""repos":[{"of":"/p","unknown":"out of time"}]}"#,
            r#""texts":[{"of":"/p/x.sh","bytes":17,"content":""#,
            r#""findings":[{"tag":"policy/git.discard","level":"deny","mode":"block""#,
            r#""level":"deny","would_be":"deny","micros":123,"reply":"0000000000000007","sum":""#,
        ],
    );
    assert!(!line.contains("very private"), "{line}");
}

#[test]
fn what_is_written_is_never_told() {
    let text = "the content of a file";
    let content = Content {
        bytes: text.len(),
        text: Some(text.into()),
    };
    let call = Call::Write {
        path: "/p/a".into(),
        content,
    };
    let line = line_of(
        EventKind::ToolBefore(call),
        &Analysis::default(),
        &Facts::default(),
    );
    check_holds(&line, &[r#""tool":"write","summary":"write /p/a""#]);
    assert!(!line.contains(text), "{line}");
    let prompt = EventKind::Prompt {
        text: text.to_owned(),
        machine: true,
    };
    let line = line_of(prompt, &Analysis::default(), &Facts::default());
    check_holds(
        &line,
        &[r#""event":"prompt""#, r#""bytes":21,"machine":true"#],
    );
    assert!(!line.contains(text), "{line}");
}

#[test]
fn secrets_are_replaced_everywhere() {
    let secret = "hunter2hunter2";
    let mut analysis = analysis();
    let action = &mut analysis.actions[0];
    action.argv = ["x", "--password", secret].map(str::to_owned).to_vec();
    action.name = format!("https://me:{secret}@host");
    analysis.unread.push(format!("token={secret}"));
    let call = shell(&format!("x --password {secret}"));
    let kind = EventKind::ToolFailed {
        call,
        error: format!("bad password: {secret}"),
    };
    let line = line_of(kind, &analysis, &Facts::default());
    assert!(!line.contains(secret), "{line}");
    check_holds(
        &line,
        &[
            r#""summary":"x --password <secret:value#1>""#,
            r#""error":"bad password: <secret:value#1>""#,
            r#""argv":["x","--password","<secret:value#1>"]"#,
            "https://me:<secret:password#1>@host",
            r#""unread":["token=<secret:value#1>"]"#,
        ],
    );
}

#[test]
fn a_summary_is_short_and_cuts_no_secret_in_half() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let long = format!("{} {token} {}", "x".repeat(190), "y".repeat(9_000));
    let kind = EventKind::ToolBefore(shell(&long));
    let line = line_of(kind, &Analysis::default(), &Facts::default());
    assert!(!line.contains("ghp_"), "{line}");
    let (_, summary) = line.split_once(r#""summary":""#).unwrap();
    let (summary, _) = summary.split_once('"').unwrap();
    assert_eq!(summary.chars().count(), 200);
}

#[test]
fn verify_finds_every_missing_line() {
    for missing in 0..6 {
        let scratch = Scratch::new();
        let store = scratch.store();
        commit_many(&store, 6);
        let mut left = lines(&store);
        left.remove(missing);
        fs::write(scratch.file(JOURNAL), left.join("\n") + "\n").unwrap();
        let number = missing as u64 + 1;
        let expected = Report {
            good: 5,
            gaps: vec![(number, number)],
            ..Report::default()
        };
        assert_eq!(store.verify("s").unwrap(), expected);
    }
}

#[test]
fn verify_finds_every_flipped_bit() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit_many(&store, 3);
    let good = fs::read(scratch.file(JOURNAL)).unwrap();
    for bit in (0..good.len() as u64 * 8).step_by(5) {
        flip(&scratch.file(JOURNAL), bit);
        let report = store.verify("s").unwrap();
        assert!(!report.is_complete(), "bit {bit}: {report:?}");
        assert!(report.good < 3, "bit {bit}: {report:?}");
        fs::write(scratch.file(JOURNAL), &good).unwrap();
    }
}

#[test]
fn a_cut_line_spoils_only_itself() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit_many(&store, 3);
    let size = fs::metadata(scratch.file(JOURNAL)).unwrap().len();
    cut(&scratch.file(JOURNAL), size - 20);
    assert_eq!(store.verify("s").unwrap().gaps, [(3, 3)]);
    commit(&store, "after");
    let report = store.verify("s").unwrap();
    assert_eq!(
        (report.good, report.damaged, report.gaps),
        (3, 1, vec![(3, 3)])
    );
}

#[test]
fn a_lost_record_goes_on_with_the_journals_number() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit_many(&store, 3);
    fs::remove_file(scratch.file(RECORD)).unwrap();
    commit(&store, "after");
    assert_eq!(store.session("s").unwrap().sequence, 4);
    assert!(store.verify("s").unwrap().is_complete());
}

#[test]
fn a_full_part_is_put_aside_and_still_read() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit_many(&store, 2);
    // Filled up with blank lines, which readers skip.
    let mut live = fs::OpenOptions::new()
        .append(true)
        .open(scratch.file(JOURNAL))
        .unwrap();
    live.write_all(&vec![b'\n'; store::JOURNAL_BYTES_MAX as usize - 2_000])
        .unwrap();
    let mut follow = store.follow("s");
    assert_eq!(follow.next_lines().unwrap().len(), 2);
    for id in ["x", "y", "z"] {
        commit(&store, id);
    }
    let parts = fs::read_dir(scratch.file("journal")).unwrap().count();
    assert_eq!(parts, 2);
    assert_eq!(store.journals().unwrap(), ["s"]);
    let numbers = |lines: Vec<store::Line>| lines.iter().filter_map(|l| l.sequence).collect();
    let all: Vec<u64> = numbers(store.journal("s").unwrap());
    assert_eq!(all, [1, 2, 3, 4, 5]);
    let new: Vec<u64> = numbers(follow.next_lines().unwrap());
    assert_eq!(new, [3, 4, 5]);
}

#[test]
fn following_gives_each_line_once() {
    let scratch = Scratch::new();
    let store = scratch.store();
    let mut follow = store.follow("s");
    assert!(follow.next_lines().unwrap().is_empty());
    for number in 0..4_u64 {
        commit(&store, &format!("c{number}"));
        let lines = follow.next_lines().unwrap();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].sequence, Some(number + 1));
    }
    assert!(follow.next_lines().unwrap().is_empty());
}

#[test]
fn a_line_whose_record_could_not_be_written_is_taken_back() {
    let scratch = Scratch::new();
    let store = scratch.store();
    commit_many(&store, 3);
    let before = lines(&store);
    let too_long = work::overrides::OverrideStep::Overridden {
        fault: "x".repeat(100_000),
    };
    let too_much = model::Decision {
        findings: Vec::new(),
        effects: vec![model::Effect::Step(too_long.into())],
    };
    let refused = commit_with(&store, &event("s", "large", 2_000), &too_much);
    assert!(matches!(refused, Err(store::StoreError::TooLarge { .. })));
    assert_eq!(lines(&store), before);
    commit(&store, "next");
    let report = store.verify("s").unwrap();
    assert_eq!((report.good, report.damaged, report.repeated), (4, 0, 0));
    assert!(report.is_complete());
}
