//! What every captured event after a call tells of how it ended: beside the captures, checked by a
//! person.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by a panic, and fixtures are files"
)]

use std::fmt::Write;
use std::path::Path;

use hosts::{HOSTS, Host, Wire};
use model::{Ending, EndingWord, EventClass, Time};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");

fn ending(host: &Host, event: &str, bytes: &[u8]) -> Ending {
    let wire = Wire {
        event,
        bytes,
        env: &|_| None,
        time: Time(7),
    };
    (host.ending)(&wire)
}

fn entries(dir: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// One line for each capture, rewritten with `UPDATE_FIXTURES=1`.
#[test]
fn captures_end_as_a_person_checked() {
    let update = std::env::var("UPDATE_FIXTURES").unwrap_or_default();
    let mut seen = 0;
    for host in HOSTS {
        for dir in entries(&Path::new(FIXTURES).join(host.id)) {
            let table = table(host, &dir);
            if table.is_empty() {
                continue;
            }
            seen += 1;
            let path = format!("{}.endings", dir.display());
            if update == "1" || update == host.id {
                std::fs::write(&path, &table).unwrap();
            }
            let checked = std::fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(table, checked, "{path}");
        }
    }
    assert!(seen >= 6, "{seen}");
}

fn table(host: &Host, dir: &Path) -> String {
    let mut table = String::new();
    for path in entries(dir) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let event = name.split('.').next().unwrap();
        let is_after = (host.class)(event) == EventClass::After;
        if !is_after || !name.ends_with(".json") {
            continue;
        }
        let said = ending(host, event, &std::fs::read(&path).unwrap());
        let (word, status) = (said.word, said.status);
        let (millis, printed) = (said.millis, said.output);
        writeln!(
            table,
            "{name}\n    {word:?} {status:?} {millis:?} {printed:?}"
        )
        .unwrap();
    }
    table
}

#[test]
fn a_status_that_stands_in_the_result_counts() {
    let of = |host: &str, event, payload: &str| {
        let host = hosts::find(host).unwrap();
        let said = ending(host, event, payload.as_bytes());
        (said.status, said.output)
    };
    let copilot = r#"{"tool_name":"Bash","tool_result":{"result_type":"success",
        "text_result_for_llm":"no\n<shellId: 1 completed with exit code 3>"}}"#;
    assert_eq!(
        of("copilot", "PostToolUse", copilot),
        (Some(3), "no".to_owned())
    );
    let gemini = r#"{"tool_name":"run_shell_command","tool_response":{
        "llmContent":"Output: sh: x: not found\nExit Code: 127\nProcess Group PGID: 7"}}"#;
    let printed = "sh: x: not found".to_owned();
    assert_eq!(of("gemini", "AfterTool", gemini), (Some(127), printed));
    let codex = r#"{"tool_name":"apply_patch",
        "tool_response":"Exit code: 1\nWall time: 0 seconds\nOutput:\nnot there"}"#;
    assert_eq!(
        of("codex", "PostToolUse", codex),
        (Some(1), "not there".to_owned())
    );
    let bridge = r#"{"tool_name":"bash","exit":127,"output":"sh: x: not found"}"#;
    let printed = "sh: x: not found".to_owned();
    assert_eq!(of("opencode", "tool_failed", bridge), (Some(127), printed));
}

#[test]
fn what_is_broken_off_or_goes_on_has_not_ended() {
    for (host, event, payload) in [
        (
            "claude",
            "PostToolUseFailure",
            r#"{"error":"Exit code 1\n","is_interrupt":true}"#,
        ),
        (
            "claude",
            "PostToolUse",
            r#"{"tool_response":{"stdout":"","backgroundTaskId":"b"}}"#,
        ),
        (
            "qwen",
            "PostToolUseFailure",
            r#"{"error":"no","is_interrupt":true}"#,
        ),
        (
            "copilot",
            "PostToolUse",
            r#"{"tool_result":{"text_result_for_llm":"<command started in background>"}}"#,
        ),
    ] {
        let host = hosts::find(host).unwrap();
        let said = ending(host, event, payload.as_bytes());
        assert_eq!(said.word, EndingWord::Open, "{} {payload}", host.id);
    }
}

#[test]
fn a_status_that_only_the_session_file_has_is_found_there() {
    let path = format!("{FIXTURES}/codex/0.171.0/transcript.script.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let status_in = hosts::find("codex").unwrap().status_in.unwrap();
    let status = |id: &str| text.lines().rev().find_map(|line| status_in(line, id));
    assert_eq!(status("exec-00000000-0000-7000-8000-000000000003"), Some(0));
    assert_eq!(status("exec-00000000-0000-7000-8000-000000000005"), Some(3));
    assert_eq!(status("exec-00000000-0000-7000-8000-00000000000"), None);
    assert_eq!(status(""), None);
    let broken_off = r#"{"payload":{"item":{"id":"a","exit_code":-1}}}"#;
    assert_eq!(status_in(broken_off, "a"), None);
}
