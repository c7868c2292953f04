//! A captured transcript through the reader that the replay uses.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

use context::{LineCounts, Transcript};
use model::{Actor, Past, PastCall};

const CAPTURE: &[u8] = include_bytes!("../fixtures/claude/2.1.332/transcript.jsonl");

fn read(bytes: &[u8]) -> (Vec<PastCall>, LineCounts) {
    let host = hosts::find("claude").expect("the host");
    let mut calls = Vec::new();
    let mut transcript = Transcript::new(host.transcript_line);
    for piece in bytes.chunks(1_000) {
        transcript.push(piece, &mut |past| calls.extend(call(past)));
    }
    transcript.end(&mut |past| calls.extend(call(past)));
    (calls, transcript.counts())
}

fn call(past: Past) -> Option<PastCall> {
    match past {
        Past::Call(call) => Some(call),
        _ => None,
    }
}

#[test]
fn every_call_ends_once() {
    let host = hosts::find("claude").expect("the host");
    let mut open = Vec::new();
    let mut transcript = Transcript::new(host.transcript_line);
    transcript.push(CAPTURE, &mut |past| match past {
        Past::Call(call) => open.push(call.call_id),
        Past::Ended { call_id, taken } => {
            assert!(taken, "{call_id}");
            open.retain(|id| *id != call_id);
        }
        _ => {}
    });
    assert_eq!(open, Vec::<String>::new());
    let refused = br#"{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,
        "tool_use_id":"t1","content":"<tool_use_error>InputValidationError: no command"}]}}"#;
    let refused: Vec<u8> = refused
        .iter()
        .copied()
        .filter(|byte| *byte != b'\n')
        .collect();
    let expected = Past::Ended {
        call_id: "t1".to_owned(),
        taken: false,
    };
    assert_eq!((host.transcript_line)(&refused), Some(vec![expected]));
}

#[test]
fn a_captured_transcript_gives_its_calls() {
    let (calls, counts) = read(CAPTURE);
    let shown: Vec<String> = calls
        .iter()
        .map(|past| {
            format!(
                "{} {}: {}",
                past.call_id,
                past.call.tool(),
                past.call.summary(80)
            )
        })
        .collect();
    let expected = [
        "toolu_fake_0001_0 shell: cat a.txt",
        "toolu_fake_0002_0 shell: rm -rf build",
        "toolu_fake_0003_0 shell: echo out; echo err >&2; exit 3",
        "toolu_fake_0004_0 write: write /home/dev/proj/new.txt",
        "toolu_fake_0005_0 read: read /home/dev/proj/a.txt",
        "toolu_fake_0006_0 edit: edit /home/dev/proj/a.txt",
        "toolu_fake_0007_0 skill: skill greet",
    ];
    assert_eq!(shown, expected);
    assert_eq!((counts.torn, counts.repeated), (0, 0));
    let first = calls.first().expect("a call");
    assert_eq!(first.cwd, "/home/dev/proj");
    assert_eq!(first.session, "00000000-0000-4000-8000-000000000001");
    assert_eq!(first.version, "2.1.332");
    assert_eq!(first.actor, Actor::Main);
    assert_eq!(first.time.0 / 86_400_000, 20_784, "27 November 2026");
}

#[test]
fn a_torn_transcript_gives_what_is_whole() {
    for end in (0..CAPTURE.len()).step_by(501) {
        let (calls, counts) = read(&CAPTURE[..end]);
        assert!(calls.len() <= 7 && counts.torn <= 1, "cut at {end}");
    }
    let mut twice = CAPTURE.to_vec();
    twice.extend_from_slice(CAPTURE);
    assert_eq!(read(&twice).1.repeated, 7);
}

#[test]
fn a_helper_is_told_apart() {
    let line = br#"{"type":"assistant","isSidechain":true,"agentId":"a3","message":{"content":[
        {"type":"text","text":"x"},{"type":"tool_use","name":"Task","id":"t","input":{"prompt":"p"}},
        {"type":"tool_use","name":"Bash","id":"u"}]}}"#;
    let line: Vec<u8> = line.iter().copied().filter(|byte| *byte != b'\n').collect();
    let (calls, _) = read(&line);
    let tools: Vec<&str> = calls.iter().map(|past| past.call.tool()).collect();
    assert_eq!(tools, ["spawn", "malformed"]);
    let helper = Actor::Sub {
        id: "a3".to_owned(),
        kind: String::new(),
    };
    assert!(calls.iter().all(|past| past.actor == helper));
}
