//! What arrives: broken, huge, slow, from the wrong event, with streams that are closed. The
//! answer is the failure table's or a verdict, never a crash, a usage error or silence that lets
//! through what should have been stopped.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that cannot go on must stop"
)]

mod common;

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::World;
use common::client::{self, Run};
use serde_json::{Value, json};

/// The slowest answer: the longest deadline, and what a busy machine takes to start a process.
const ANSWER_TIME_MAX: Duration = Duration::from_millis(1_500 + 2_500);

const MIB: usize = 1024 * 1024;

fn send(world: &World, event: &str, bytes: &[u8]) -> Run {
    let run = client::send(&mut world.hook(event), bytes);
    assert!(run.is_readable(), "{run:?}");
    assert!(run.took < ANSWER_TIME_MAX, "{run:?}");
    run
}

/// Payloads that cannot be read.
fn unreadable() -> Vec<(&'static str, Vec<u8>)> {
    let nested = |open: &str| format!("{{\"a\": {}", open.repeat(200_000)).into_bytes();
    vec![
        ("an open brace", b"{".to_vec()),
        ("nothing", Vec::new()),
        ("white space", b" \r\n\t ".to_vec()),
        ("null", b"null".to_vec()),
        ("an array", b"[]".to_vec()),
        ("a text", b"\"PreToolUse\"".to_vec()),
        ("a number", b"17".to_vec()),
        ("a mark of byte order", b"\xef\xbb\xbf".to_vec()),
        ("zeros", vec![0; 4096]),
        ("two objects", b"{}{}".to_vec()),
        ("text after the object", b"{} rm".to_vec()),
        ("nested arrays", nested("[")),
        ("nested objects", nested("{\"a\":")),
        ("not UTF-8", vec![0xff; 512]),
        (
            "UTF-16",
            "{\"a\": 1}"
                .encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect(),
        ),
    ]
}

/// The answers to a payload that cannot be read, by the event that we are registered for.
const UNREAD: &[(&str, &str)] = &[
    ("PreToolUse", "DENY"),
    ("PreSkillShellCommand", "DENY"),
    ("PermissionRequest", "DENY"),
    ("ConfigChange", "DENY"),
    ("UserPromptSubmit", "-"),
    ("PostToolUse", "-"),
    ("PostToolUseFailure", "-"),
    ("PostToolBatch", "-"),
    ("Stop", "-"),
    ("SubagentStop", "-"),
    ("SessionStart", "-"),
    ("SessionEnd", "-"),
    ("PreCompact", "-"),
    ("Notification", "-"),
];

/// Whether the event was stopped. The answer to a permission prompt has a form of its own.
fn outcome(event: &str, run: &Run) -> &'static str {
    let said: Value = serde_json::from_str(&run.answer.stdout).unwrap_or_default();
    let behavior = said["hookSpecificOutput"]["decision"]["behavior"].as_str();
    if event == "PermissionRequest" && behavior == Some("deny") {
        "DENY"
    } else {
        run.outcome()
    }
}

#[test]
fn what_cannot_be_read_is_answered_by_the_failure_table() {
    let world = World::new("unread");
    for (event, expected) in UNREAD {
        for (what, bytes) in unreadable() {
            let run = send(&world, event, &bytes);
            assert_eq!(
                outcome(event, &run),
                *expected,
                "{event} with {what}: {run:?}"
            );
            if *expected == "DENY" {
                let words = run.words();
                assert!(
                    words.contains("tollgate fault, not a policy decision: "),
                    "{words}"
                );
                assert!(words.contains("[fault/payload]"), "{words}");
            }
        }
    }
}

#[test]
fn a_payload_that_is_cut_anywhere_is_refused() {
    let world = World::new("cut");
    let whole = client::bash(&world, "touch a && echo 'text, with \u{1f600}'", "toolu_1");
    let whole = whole.to_string();
    assert!(whole.len() > 300);
    for length in (0..whole.len()).step_by(50) {
        let run = send(&world, "PreToolUse", &whole.as_bytes()[..length]);
        assert_eq!(run.outcome(), "DENY", "{length} bytes: {run:?}");
    }
    assert_eq!(send(&world, "PreToolUse", whole.as_bytes()).outcome(), "-");
}

#[test]
fn the_event_that_the_host_waits_for_decides() {
    let mut world = World::new("events");
    world.build("untracked notes.md");
    let call = client::bash(&world, "rm -rf ~/", "toolu_1").to_string();
    let stop = client::payload(&world, "Stop", json!({"stop_hook_active": false})).to_string();
    let none = client::payload(&world, "PreToolUse", json!({}));
    let mut nameless = none.clone();
    nameless.as_object_mut().unwrap().remove("hook_event_name");
    nameless["tool_name"] = json!("Bash");
    nameless["tool_input"] = json!({"command": "rm -rf ~/"});
    for (registered, payload, expected) in [
        ("PreToolUse", call.as_str(), "DENY"),
        ("PostToolUse", &call, "DENY"),
        ("Stop", &call, "DENY"),
        ("Notification", &call, "DENY"),
        ("NoSuchEvent", &call, "DENY"),
        ("", &call, "DENY"),
        ("PreToolUse", &stop, "-"),
        ("", &stop, "-"),
        ("Stop", &stop, "-"),
        ("PreToolUse", &nameless.to_string(), "DENY"),
        ("", &nameless.to_string(), "DENY"),
        ("", "{", "DENY"),
        (
            "PreToolUse",
            r#"{"hook_event_name": "NoSuchEvent"}"#,
            "DENY",
        ),
        ("NoSuchEvent", r#"{"hook_event_name": "NoSuchEvent"}"#, "-"),
    ] {
        let run = send(&world, registered, payload.as_bytes());
        assert_eq!(
            run.outcome(),
            expected,
            "{registered:?} with {payload}: {run:?}"
        );
    }
}

#[test]
fn a_wrong_command_line_is_never_a_usage_error() {
    let world = World::new("arguments");
    let call = client::bash(&world, "touch a", "toolu_1").to_string();
    for (arguments, expected) in [
        (&[][..], 2),
        (&["nobody"], 2),
        (&["nobody", "PreToolUse"], 2),
        (&["nobody", "Stop"], 0),
        (&["nobody", "PostToolUse"], 0),
        (&["--help"], 2),
        (&["--version", "PreToolUse"], 2),
        (&["claude"], 0),
        (&["claude", "PreToolUse", "more", "words"], 0),
        (&["CLAUDE", "PreToolUse"], 2),
    ] {
        let real = world.hook("PreToolUse");
        let mut hook = Command::new(real.get_program());
        hook.args(arguments).env_clear().current_dir(&world.cwd);
        hook.envs(
            real.get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        let run = client::send(&mut hook, call.as_bytes());
        assert_eq!(run.answer.code, expected, "{arguments:?}: {run:?}");
        assert_eq!(run.answer.stdout, "", "{arguments:?}: {run:?}");
        let said = run
            .answer
            .stderr
            .contains("tollgate fault, not a policy decision: no host");
        assert_eq!(said, expected == 2, "{arguments:?}: {run:?}");
    }
}

#[test]
fn missing_fields_are_data() {
    let mut world = World::new("fields");
    world.build("untracked notes.md");
    world.build("file a.txt text");
    let touch = client::bash(&world, "touch a", "toolu_1");
    let lose = client::bash(&world, "rm -rf ~/", "toolu_1");
    for (field, harmless, harmful) in [
        ("session_id", "-", "DENY"),
        ("tool_use_id", "-", "DENY"),
        ("transcript_path", "-", "DENY"),
        ("permission_mode", "-", "DENY"),
        ("cwd", "-", "DENY"),
        ("tool_input", "DENY", "DENY"),
        ("tool_name", "DENY", "DENY"),
    ] {
        for (payload, expected) in [(&touch, harmless), (&lose, harmful)] {
            for wrong in [None, Some(json!(17)), Some(json!([])), Some(Value::Null)] {
                let mut payload = payload.clone();
                match wrong.clone() {
                    Some(wrong) => payload[field] = wrong,
                    None => drop(payload.as_object_mut().unwrap().remove(field)),
                }
                let run = send(&world, "PreToolUse", payload.to_string().as_bytes());
                assert_eq!(run.outcome(), expected, "{field} = {wrong:?}: {run:?}");
            }
        }
    }
}

#[test]
fn a_start_directory_that_is_gone_or_odd_is_no_crash() {
    let mut world = World::new("gone");
    world.build("untracked notes.md");
    for cwd in [
        "gone/and/away",
        "notes.md",
        "",
        "../..",
        "relative",
        "/",
        "/proc/self/fd",
    ] {
        let cwd = if cwd == "relative" {
            cwd.to_owned()
        } else {
            world.path(cwd).display().to_string()
        };
        for (command, expected) in [("ls", "-"), ("rm -rf ~/", "DENY")] {
            let mut payload = client::bash(&world, command, "toolu_1");
            payload["cwd"] = json!(cwd);
            let run = send(&world, "PreToolUse", payload.to_string().as_bytes());
            assert_eq!(run.outcome(), expected, "{cwd}: {run:?}");
        }
    }
}

#[test]
fn big_payloads_are_answered_in_time() {
    let world = World::new("big");
    let write = |bytes: usize| {
        let input = json!({"file_path": world.cwd.join("new.txt"), "content": "x".repeat(bytes)});
        let call = json!({"tool_name": "Write", "tool_input": input, "tool_use_id": "toolu_1"});
        client::payload(&world, "PreToolUse", call).to_string()
    };
    let frame = write(0).len();
    for (bytes, expected) in [
        (2_400_000, "-"),
        (16 * MIB - frame, "-"),
        (16 * MIB - frame + 1, "DENY"),
        (64 * MIB, "DENY"),
    ] {
        let run = send(&world, "PreToolUse", write(bytes).as_bytes());
        assert_eq!(run.outcome(), expected, "{bytes} bytes: {run:?}");
    }
    let after =
        json!({"tool_name": "Grep", "tool_input": {}, "tool_response": "y".repeat(8 * MIB)});
    let after = client::payload(&world, "PostToolUse", after).to_string();
    assert_eq!(send(&world, "PostToolUse", after.as_bytes()).outcome(), "-");
    let after = client::payload(&world, "PostToolUse", json!({"x": "y".repeat(64 * MIB)}));
    assert_eq!(
        send(&world, "PostToolUse", after.to_string().as_bytes()).outcome(),
        "-"
    );
}

#[test]
fn a_slow_writer_is_waited_for() {
    let world = World::new("slow");
    let input = json!({"file_path": world.cwd.join("new.txt"), "content": "x".repeat(200 * 1024)});
    let call = json!({"tool_name": "Write", "tool_input": input, "tool_use_id": "toolu_1"});
    let payload = client::payload(&world, "PreToolUse", call).to_string();
    let pause = Duration::from_millis(20);
    let mut hook = world.hook("PreToolUse");
    let run = client::send_slowly(&mut hook, payload.as_bytes(), 4 * 1024, pause);
    assert_eq!(run.outcome(), "-", "{run:?}");
}

/// Whoever waits for the answer of a hook that waits for its payload would wait for ever.
#[test]
fn a_payload_without_an_end_is_answered() {
    let world = World::new("endless");
    let begun = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash"}).to_string();
    for bytes in ["", begun.trim_end_matches('}'), begun.as_str()] {
        let mut child = client::spawn(&mut world.hook("PreToolUse"));
        let begin = Instant::now();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(bytes.as_bytes()).unwrap();
        let run = Run {
            answer: client::answer(child.wait_with_output().unwrap()),
            took: begin.elapsed(),
        };
        drop(stdin);
        assert_eq!(run.outcome(), "DENY", "{run:?}");
        assert!(run.answer.stdout.contains("fault/time"), "{run:?}");
        // Who has not begun is waited for longer.
        let most = if bytes.is_empty() { 5_100 } else { 2_000 };
        assert!(run.took < Duration::from_millis(most + 1_500), "{run:?}");
    }
}

/// Runs the hook with streams that a shell closes.
fn with_streams(world: &World, closed: &str, command: &str, attended: bool) -> Run {
    let real = world.hook("PreToolUse");
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec \"$0\" claude PreToolUse {closed}")]);
    shell
        .arg(real.get_program())
        .env_clear()
        .current_dir(&world.cwd);
    shell.envs(
        real.get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    if attended {
        shell.env("CLAUDE_CODE_SESSION_ATTENDED", "1");
    }
    client::send(
        &mut shell,
        client::bash(world, command, "toolu_1")
            .to_string()
            .as_bytes(),
    )
}

#[test]
fn closed_streams_do_not_turn_a_refusal_into_silence() {
    let mut world = World::new("closed");
    for line in ["repo .", "dirty src/a.rs", "untracked notes.md"] {
        world.build(line);
    }
    let asks = "git reset --hard";
    assert_eq!(with_streams(&world, "", asks, true).outcome(), "ASK");
    for (closed, command, attended, code, says) in [
        (">&-", "rm -rf ~/", false, 2, true),
        ("2>&-", "rm -rf ~/", false, 2, true),
        (">&- 2>&-", "rm -rf ~/", false, 2, false),
        (">/dev/full", "rm -rf ~/", false, 2, true),
        (">&-", asks, true, 2, false),
        (">/dev/full", asks, true, 2, false),
        (">&-", "ls", false, 0, false),
        (">&- 2>&-", "ls", false, 0, false),
        (">/dev/full", "ls", false, 0, false),
        ("<&-", "ls", false, 2, true),
        ("<&- >&- 2>&-", "ls", false, 2, false),
        ("</dev/null", "ls", false, 2, true),
        ("</", "ls", false, 2, true),
    ] {
        let run = with_streams(&world, closed, command, attended);
        let case = format!("{closed} {command}: {run:?}");
        assert_eq!(run.answer.code, code, "{case}");
        assert_eq!(!run.words().is_empty(), says, "{case}");
    }
}

/// A client that is gone before the answer is there.
#[test]
fn a_reader_that_is_gone_changes_no_verdict() {
    let mut world = World::new("reader");
    world.build("untracked notes.md");
    let mut hook = world.hook("PreToolUse");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    hook.stdin(Stdio::piped())
        .stdout(writer)
        .stderr(Stdio::piped());
    let mut child = hook.spawn().unwrap();
    let payload = client::bash(&world, "rm -rf ~/", "toolu_1").to_string();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), payload.as_bytes()).unwrap();
    let answer = client::answer(child.wait_with_output().unwrap());
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("Not run: "), "{answer:?}");
}

/// Lone surrogates, control characters, and all that a name can be.
#[test]
fn odd_texts_are_judged() {
    let mut world = World::new("odd");
    world.build("untracked notes.md");
    for (command, expected) in [
        (r"echo \ud83d", "-"),
        (r"echo \ud83d\ud83d\ude00", "-"),
        (r"echo \u0000; ls", "-"),
        (r"echo \u0007\u001b[31m", "-"),
        (r"rm -rf ~/\ud83d; rm -rf ~/", "DENY"),
        (r"\u0072m -rf ~/", "DENY"),
        (r"rm -rf ~/ # \u0000", "DENY"),
        (r"echo \\\n; rm -rf ~/", "DENY"),
    ] {
        let payload = client::bash(&world, "COMMAND", "toolu_1").to_string();
        let payload = payload.replace("COMMAND", command);
        let run = send(&world, "PreToolUse", payload.as_bytes());
        assert_eq!(run.outcome(), expected, "{command}: {run:?}");
        assert!(!run.answer.stderr.contains('\u{1b}'), "{run:?}");
    }
}
