//! `transcript extract` on real session files, on what is no session file, and on a large one.

use std::fs::{self, File};
use std::io::{BufWriter, Write};

use serde_json::{Value, json};

use crate::common::Machine;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../hosts/fixtures");

/// A machine with a host's session file in its project.
fn with(fixture: &str, name: &str) -> Machine {
    let machine = Machine::new();
    let bytes = fs::read(format!("{FIXTURES}/{fixture}")).unwrap();
    machine.write(&format!("home/app/{name}"), bytes);
    machine
}

#[test]
fn every_host_is_known_by_its_file() {
    for (fixture, host, intent) in [
        ("claude/2.1.332/transcript.jsonl", "claude", "do the work"),
        (
            "codex/0.171.0/transcript.jsonl",
            "codex",
            "please do the thing",
        ),
        (
            "gemini/0.61.0/transcript.jsonl",
            "gemini",
            "please do the thing",
        ),
        ("copilot/1.0.102/transcript.jsonl", "copilot", "do it"),
        ("qwen/0.24.4/transcript.jsonl", "qwen", "MAINMARK do it"),
        (
            "opencode/1.18.33/transcript.export",
            "opencode",
            "\"please do the thing\"",
        ),
    ] {
        let machine = with(fixture, "file");
        let told = &machine.tollgate("transcript extract file").json()[0];
        assert_eq!(told["host"], host);
        assert_eq!(told["intent"]["text"], intent, "{host}");
        assert_eq!(told["seen"]["torn"], 0, "{host}");
        assert!(!told["tools"].as_array().unwrap().is_empty(), "{host}");
        machine
            .tollgate("transcript extract file --include tools,intent")
            .shows(&["intent\n  - ", intent, "tools\n  "])
            .run();
    }
}

/// Every part of a session, as its own host wrote it down.
#[test]
fn a_whole_session_is_told_part_by_part() {
    let machine = with("claude/2.1.332/transcript.jsonl", "file");
    let parts = [
        "intent\n  - do the work\n",
        "prompts\n  - do the work\n",
        "skill\n  greet\n",
        "errors\n  stopped shell: rm -rf build: ",
        "  failed shell: echo out; echo err >&2; exit 3: Exit code 3 out err\n",
        "tools\n  ok      shell: cat a.txt\n",
        "  ok      edit /home/dev/proj/a.txt\n",
        "files\n  /home/dev/proj/new.txt\n  /home/dev/proj/a.txt\n",
    ];
    machine
        .tollgate("transcript extract file")
        .shows(&parts)
        .run();
    let line = |kind: &str, content: Value| {
        let message = json!({"role": kind, "content": content});
        let line = json!({"type": kind, "sessionId": "s", "uuid": format!("{message}"),
            "message": message});
        format!("{line}\n")
    };
    let todos = json!([{"content": "write the test", "status": "in_progress", "activeForm": "x"}]);
    let call = json!([{"type": "tool_use", "id": "t1", "name": "TodoWrite",
        "input": {"todos": todos}}]);
    let prompts = [
        "first thing",
        "let's use axum for the server",
        "go on",
        "and",
        "then",
        "last",
    ];
    let prompts = prompts.map(|text| line("user", json!(text))).concat();
    machine.write("home/app/own", prompts + &line("assistant", call));
    let told = &machine
        .tollgate("transcript extract own --host claude")
        .json()[0];
    assert_eq!(told["intent"]["text"], "first thing");
    let text = told.to_string();
    for part in ["last", "let's use axum for the server", "write the test"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn only_what_is_asked_is_told() {
    let machine = with("claude/2.1.332/transcript.jsonl", "file");
    let told = &machine
        .tollgate("transcript extract file --include skill,errors")
        .json()[0];
    let object = told.as_object().unwrap();
    assert!(!object.contains_key("prompts") && !object.contains_key("tools"));
    assert_eq!(told["skill"], json!({"name": "greet", "turns_ago": 0}));
    assert_eq!(told["errors"].as_array().unwrap().len(), 2);
    let text = machine
        .tollgate("transcript extract file --tokens 50")
        .shows(&["intent\n  - do the work"])
        .run();
    assert!(text.len() <= 200, "{text}");
}

#[test]
fn what_is_no_session_file_is_named() {
    let machine = with("claude/2.1.332/transcript.jsonl", "file");
    machine.write("home/app/notes", "hello\n");
    machine.write("home/app/nothing", "\n");
    for (line, parts) in [
        (
            "notes",
            [
                "notes does not begin like a session file of claude, codex",
                "--host",
            ],
        ),
        ("nothing", ["nothing is empty", "has not written to it yet"]),
        ("sub", ["sub is not a file", "the session's file"]),
        ("absent", ["cannot read absent", "No such file"]),
        (
            "file --host cursor",
            ["no session files of a host cursor", "there are claude"],
        ),
    ] {
        let test = machine.tollgate(&format!("transcript extract {line}"));
        test.status(1).complains(&parts).run();
    }
    machine
        .tollgate("transcript extract file --include all")
        .status(2)
        .complains(&["there are intent, prompts, skill"])
        .run();
    // Who names the host is believed, and told what could not be read.
    machine
        .tollgate("transcript extract notes --host claude")
        .shows(&["nothing of that is told in notes"])
        .complains(&["1 of 1 record in notes could not be read"])
        .run();
}

#[test]
fn subagents_files_are_found_beside_it() {
    let fixture = "qwen/0.24.4/transcript.jsonl";
    let session = "00000000-0000-4000-8000-000000000001";
    let machine = with(fixture, &format!("p/chats/{session}.jsonl"));
    let sub = fs::read(format!("{FIXTURES}/qwen/0.24.4/transcript.subagent.jsonl")).unwrap();
    machine.write(
        &format!("home/app/p/subagents/{session}/agent-a.jsonl"),
        sub,
    );
    let line = format!("transcript extract p/chats/{session}.jsonl --include tools");
    let alone = &machine.tollgate(&line).json()[0];
    assert_eq!(alone["subagents"], Value::Null);
    let both = &machine.tollgate(&format!("{line} --subagents")).json()[0];
    let subagents = both["subagents"].as_array().unwrap();
    assert_eq!(subagents.len(), 1);
    let tools = subagents[0]["tools"].as_array().unwrap();
    assert!(!tools.is_empty());
    assert!(
        tools
            .iter()
            .all(|tool| tool["subagent"] == "general-purpose-call_7_0")
    );
    machine
        .tollgate(&format!("{line} --subagents"))
        .shows(&[
            "tools\n",
            "subagent",
            "tools\n",
            "(by general-purpose-call_7_0)",
        ])
        .run();
}

/// What a long session looks like, to its last prompt.
fn write_session(file: File, bytes: usize) {
    let mut file = BufWriter::new(file);
    let output = "a line of output, \"quoted\" and \\ escaped\n".repeat(2_000);
    let mut written = 0;
    let mut number = 0;
    let mut put = |mut line: Value| {
        let fields = json!({"sessionId": "s", "isSidechain": false, "cwd": "/p", "version": "2"});
        let fields = fields.as_object().unwrap().clone();
        line.as_object_mut().unwrap().extend(fields);
        let line = line.to_string();
        written += line.len() + 1;
        writeln!(file, "{line}").unwrap();
        written
    };
    loop {
        number += 1;
        let prompt = format!("always do step {number} of the work");
        put(json!({"type": "user", "uuid": format!("u{number}"), "message": {"content": prompt}}));
        put(
            json!({"type": "assistant", "message": {"content": [{"type": "tool_use",
            "id": format!("t{number}"), "name": "Write",
            "input": {"file_path": format!("/p/{number}"), "content": output}}]}}),
        );
        let all = put(
            json!({"type": "user", "message": {"content": [{"type": "tool_result",
            "tool_use_id": format!("t{number}"), "content": "done"}]}, "toolUseResult": output}),
        );
        if all > bytes {
            break;
        }
    }
    put(json!({"type": "user", "uuid": "last", "message": {"content": "and this is the end"}}));
}

/// The most memory that the process had, in KiB, as far as the system tells.
fn peak(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(target_os = "linux")]
#[test]
fn a_large_file_needs_little_memory() {
    const BYTES: usize = 64 * 1024 * 1024;
    let machine = Machine::new();
    write_session(
        File::create(machine.at("home/app/large.jsonl")).unwrap(),
        BYTES,
    );
    let line = "transcript extract large.jsonl --json";
    let mut child = machine.tollgate(line).start();
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak(child.id()).unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let out = child.wait_with_output().unwrap();
    let told: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(most > 0 && most < 48 * 1024, "{most} KiB for {BYTES} bytes");
    assert_eq!(told["intent"]["text"], "always do step 1 of the work");
    let prompts = told["prompts"].as_array().unwrap();
    assert_eq!(
        (prompts.len(), &prompts[4]["text"]),
        (5, &json!("and this is the end"))
    );
    assert_eq!(told["files"].as_array().unwrap().len() as u64, {
        told["seen"]["calls"].as_u64().unwrap().min(500)
    });
    assert_eq!(
        (&told["seen"]["from"], &told["seen"]["torn"]),
        (&json!(0), &json!(0))
    );
    // Where only the ends matter, the middle is not read.
    let ends = machine.tollgate("transcript extract large.jsonl --include intent,prompts,tools");
    let ends = &ends.json()[0];
    assert_eq!(
        (&ends["intent"], &ends["prompts"]),
        (&told["intent"], &told["prompts"])
    );
    assert_eq!(ends["tools"], told["tools"]);
    assert!(ends["seen"]["from"].as_u64().unwrap() > BYTES as u64 / 2);
}
