//! What shows the past: `log` with its filters, `log verify`, `session show`.

use std::fs;
use std::io::{BufRead, BufReader};

use crate::common::{Machine, SESSION};

/// A machine on which three calls were judged.
fn busy() -> Machine {
    let machine = Machine::new();
    machine.init();
    machine.make_dirty();
    machine.bash("ls -la");
    machine.bash("git reset --hard");
    machine.bash("git push --force origin main");
    machine
}

#[test]
fn log_filters() {
    let machine = busy();
    let log = |line: &str| {
        let shown = machine.tollgate(&format!("log {line}")).shows(&[":"]).run();
        shown.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let all = log("");
    assert_eq!(all.len(), 3, "{all:?}");
    for (line, word) in all
        .iter()
        .zip(["passed  ls", "asked   git reset", "refused git push"])
    {
        assert!(
            line.starts_with("5e55104e-") && line.contains(word),
            "{line}"
        );
        assert!(line.chars().count() <= 120, "{line}");
    }
    assert_eq!(log("--level deny"), all[2..]);
    assert_eq!(log("--level ask"), all[1..2]);
    assert_eq!(log("--rule git.discard"), all[1..2]);
    assert_eq!(log("--tool shell"), all);
    assert_eq!(log("--session 5e55"), all);
    assert_eq!(log("-n 1"), all[2..]);
    machine
        .tollgate("log --tool write")
        .shows(&["nothing was judged yet that fits"])
        .run();
    machine
        .tollgate("log --session tollgate-doctor")
        .shows(&["rm -rf ~/ # trial"])
        .run();
    let records = machine.tollgate("log").json();
    let levels: Vec<&str> = records
        .iter()
        .map(|r| r["level"].as_str().unwrap())
        .collect();
    assert_eq!(levels, ["allow", "ask", "deny"]);
}

#[test]
fn what_is_old_is_not_read() {
    let machine = busy();
    // A part of the past that cannot be read is noticed by whoever reads it.
    let old = format!("state/journal/{SESSION}~{:020}.jsonl", 1);
    fs::create_dir(machine.at(&old)).unwrap();
    for line in ["log -n 3", "log -n 1 --level deny", "explain last"] {
        machine.tollgate(line).shows(&["git push --force"]).run();
    }
    let id = format!("{}-2", &SESSION[..8]);
    let told = machine.tollgate(&format!("explain {id}"));
    told.shows(&["git reset --hard"]).run();
    let refused = machine.tollgate("log -n 4").status(1);
    refused.complains(&["is a directory"]).run();
    machine
        .tollgate("stats")
        .status(1)
        .complains(&["a directory"])
        .run();
}

#[test]
fn sessions_are_merged_by_time() {
    let machine = busy();
    let mut payload = machine.payload("echo from another session");
    payload["session_id"] = "another".into();
    machine.hook("PreToolUse", &payload);
    machine.bash("echo at last");
    let shown = machine.tollgate("log -n 3").shows(&[":"]).run();
    let found: Vec<bool> = shown
        .lines()
        .zip(["git push", "from another", "at last"])
        .map(|(line, word)| line.contains(word))
        .collect();
    assert_eq!(found, [true; 3], "{shown}");
}

/// Lines that were written when steps and facts were in words.
const IN_WORDS: &str = include_str!("../fixtures/journal-in-words.jsonl");

#[test]
fn the_past_of_an_older_program_is_still_told() {
    let machine = Machine::new();
    machine.init();
    machine.write(&format!("state/journal/{SESSION}.jsonl"), IN_WORDS);
    let verified = machine.tollgate("log verify");
    verified
        .shows(&[&format!("{} records whole", IN_WORDS.lines().count() + 1)])
        .run();
    let log = machine.tollgate("log -n 50");
    log.shows(&["refused git reset --hard", "policy/git.discard T8K6 waits"])
        .shows(&[
            "approve",
            "T8K6 wrong code",
            "approve",
            "T8K6 granted by terminal",
        ])
        .shows(&["granted git reset --hard", "T8K6 spent by terminal"])
        .shows(&["review R1 wanted", "review R1 dropped"])
        .run();
    let told = machine.tollgate("explain 5e55104e-14");
    told.shows(&["lost: 1 file that exists nowhere else (a.txt +1"])
        .shows(&["What was looked up", "uncommitted work in", "1 unstaged"])
        .shows(&["tollgate approve T8K6"])
        .run();
    let stats = machine.tollgate("stats");
    stats
        .shows(&[
            "3 prompts in 1 session",
            "1 for grounding, 1 for a check; let go 1",
        ])
        .shows(&["0 OK, 1 WARN, 0 BLOCK", "requests         1: "])
        .run();
}

#[test]
fn log_follows() {
    let machine = busy();
    let mut child = machine.tollgate("log --follow -n 1").start();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    assert!(lines.next().unwrap().contains("git push"));
    machine.bash("echo later");
    assert!(lines.next().unwrap().contains("echo later"));
    let mut payload = machine.payload("echo from another session");
    payload["session_id"] = "another".into();
    machine.hook("PreToolUse", &payload);
    let line = lines.next().unwrap();
    assert!(
        line.starts_with("another-1") && line.contains("echo from another"),
        "{line}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn damage_is_found() {
    let machine = busy();
    let journal = format!("state/journal/{SESSION}.jsonl");
    machine
        .tollgate("log verify")
        .shows(&["4 records whole, 0 damaged or missing"])
        .run();
    let text = machine.read(&journal);
    machine.write(
        &journal,
        text.replacen("\"level\":\"ask\"", "\"level\":\"old\"", 1),
    );
    let verify = machine.tollgate("log verify").status(1);
    verify
        .shows(&[
            "not whole: session 5e55104e-",
            "1 damaged",
            "3 records whole, ",
        ])
        .run();
    let reports = machine.tollgate("log verify").status(1).json();
    assert!(
        reports.iter().any(|report| report["damaged"] == 1),
        "{reports:?}"
    );
    machine.tollgate("log").shows(&["damaged"]).run();
    machine
        .tollgate("explain last")
        .shows(&["git push --force origin main"])
        .run();
    let lines: Vec<&str> = text.lines().collect();
    machine.write(&journal, format!("{}\n{}\n", lines[0], lines[2]));
    machine
        .tollgate("log verify")
        .status(1)
        .shows(&["0 damaged, 1 missing"])
        .run();
    fs::remove_file(machine.at(&journal)).unwrap();
    machine
        .tollgate("log")
        .shows(&["nothing was judged yet that fits"])
        .run();
}

#[test]
fn a_session_is_shown() {
    let machine = busy();
    let show = machine.tollgate("session show 5e55104e");
    show.shows(&[
        SESSION,
        "claude",
        "started",
        " s ago",
        "judged     3 calls, 1 asked, 1 refused",
        "paths",
    ])
    .run();
    let session = machine.tollgate("session show 5e55").json().remove(0);
    assert_eq!(session["calls"], 3);
    let wrong = machine.tollgate("session show nobody").status(1);
    wrong
        .complains(&["no session is remembered with that id"])
        .run();
    let nobody = Machine::new();
    nobody
        .tollgate("session show")
        .status(1)
        .complains(&["no session is remembered"])
        .run();
}
