//! What session files tell of a session: captured ones of every host, and single lines.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by a panic"
)]

use context::{Extraction, Format, Frame, Query, Section, extract};
use model::{Past, TodoChange, TodoState};
use proptest::prelude::*;
use serde_json::{Value, json};

const CLAUDE: &[u8] = include_bytes!("../fixtures/claude/2.1.332/transcript.jsonl");
const CODEX: &[u8] = include_bytes!("../fixtures/codex/0.171.0/transcript.jsonl");
const COPILOT: &[u8] = include_bytes!("../fixtures/copilot/1.0.102/transcript.jsonl");
const GEMINI: &[u8] = include_bytes!("../fixtures/gemini/0.61.0/transcript.jsonl");
const QWEN: &[u8] = include_bytes!("../fixtures/qwen/0.24.4/transcript.jsonl");
const QWEN_SUB: &[u8] = include_bytes!("../fixtures/qwen/0.24.4/transcript.subagent.jsonl");
const OPENCODE: &[u8] = include_bytes!("../fixtures/opencode/1.18.33/transcript.export");

const ALL: &[(&str, &[u8])] = &[
    ("claude", CLAUDE),
    ("codex", CODEX),
    ("copilot", COPILOT),
    ("gemini", GEMINI),
    ("qwen", QWEN),
    ("qwen", QWEN_SUB),
    ("opencode", OPENCODE),
];

fn format(bytes: &[u8], id: Option<&str>) -> Format {
    let recognized = hosts::recognize(bytes, id).expect("a host's file");
    Format {
        frame: if recognized.is_document {
            Frame::Document
        } else {
            Frame::Lines
        },
        record: recognized.format.record,
        context: recognized.host.transcript_context,
    }
}

/// What bytes tell, as a host's, read in pieces of so many bytes.
fn extract_pieces(id: &str, bytes: &[u8], query: &Query, most: usize) -> Extraction {
    let mut read_at = |offset: u64, piece: &mut [u8]| {
        let rest = &bytes[usize::try_from(offset).unwrap().min(bytes.len())..];
        let count = rest.len().min(piece.len()).min(most);
        piece[..count].copy_from_slice(&rest[..count]);
        Some(count)
    };
    let length = bytes.len() as u64;
    extract(format(bytes, Some(id)), query, length, &mut read_at)
}

fn extracted(id: &str, bytes: &[u8]) -> Extraction {
    extract_pieces(id, bytes, &Query::of(&Section::ALL), usize::MAX)
}

fn lines(values: &[Value]) -> Vec<u8> {
    let lines: Vec<String> = values.iter().map(Value::to_string).collect();
    lines.join("\n").into_bytes()
}

#[test]
fn every_captured_file_shows_whose_it_is() {
    for (id, bytes) in ALL {
        let recognized = hosts::recognize(bytes, None).expect("a host's file");
        assert_eq!(recognized.host.id, *id);
        assert_eq!(recognized.is_document, *id == "opencode");
        // Any line of it does.
        for line in bytes.split(|byte| *byte == b'\n').take(3) {
            let found = hosts::recognize(line, None).map(|recognized| recognized.host.id);
            assert!(found.is_none() || found == Some(*id), "{found:?} {id}");
        }
    }
    for foreign in [
        &b""[..],
        b"{}",
        b"hello",
        b"{\"a\": 1}\n",
        b"\xff\xfe",
        b"[1]",
    ] {
        assert!(hosts::recognize(foreign, None).is_none(), "{foreign:?}");
    }
    assert!(
        hosts::recognize(b"{}", Some("claude")).is_some(),
        "who names it knows"
    );
    assert!(hosts::recognize(CLAUDE, Some("cursor")).is_none());
}

#[test]
fn captured_sessions_tell_what_they_were_about() {
    let expected = [
        ("claude", "do the work", "/home/dev/proj", 1, 7, 2),
        ("codex", "please do the thing", "/home/dev/proj", 2, 8, 2),
        ("gemini", "please do the thing", "/home/dev/proj", 1, 4, 0),
        (
            "opencode",
            "\"please do the thing\"",
            "/home/dev/proj",
            1,
            4,
            0,
        ),
    ];
    for (id, intent, cwd, prompts, calls, failed) in expected {
        let bytes = ALL.iter().find(|(of, _)| *of == id).expect("a file").1;
        let extraction = extracted(id, bytes);
        let shown = extraction.to_string();
        assert_eq!(
            extraction.intent.as_ref().map(|p| p.text.as_str()),
            Some(intent),
            "{id}"
        );
        assert_eq!(extraction.cwd, cwd, "{id}");
        assert!(
            !extraction.session.is_empty() && !extraction.version.is_empty() || id == "gemini",
            "{id}"
        );
        assert_eq!(extraction.prompts.len(), prompts, "{id}\n{shown}");
        let seen = extraction.seen;
        assert_eq!(
            (seen.calls, seen.failed, seen.torn),
            (calls, failed, 0),
            "{id}\n{shown}"
        );
        assert_eq!(seen.from, 0);
    }
}

#[test]
fn a_captured_claude_session_in_full() {
    let extraction = extracted("claude", CLAUDE);
    let expected = "\
intent
  - do the work
prompts
  - do the work
skill
  greet
errors
  stopped shell: rm -rf build: PreToolUse:Bash hook error: No recursive delete here. Move the \
file to trash/ instead.
  failed shell: echo out; echo err >&2; exit 3: Exit code 3 out err
tools
  ok      shell: cat a.txt
  stopped shell: rm -rf build
  failed  shell: echo out; echo err >&2; exit 3
  ok      write /home/dev/proj/new.txt
  ok      read /home/dev/proj/a.txt
  ok      edit /home/dev/proj/a.txt
files
  /home/dev/proj/new.txt
  /home/dev/proj/a.txt
";
    assert_eq!(extraction.to_string(), expected);
    assert_eq!(extraction.session, "00000000-0000-4000-8000-000000000001");
    assert_eq!(extraction.version, "2.1.332");
    // The skill's body, and what a hook said at the stop.
    assert_eq!(extraction.seen.machine_prompts, 2);
}

#[test]
fn a_subagents_file_is_told_apart() {
    let own = extracted("qwen", QWEN_SUB);
    assert!(own.is_empty() && own.seen.of_subagents > 0, "{own}");
    let query = Query {
        subagents: true,
        ..Query::of(&Section::ALL)
    };
    let extraction = extract_pieces("qwen", QWEN_SUB, &query, usize::MAX);
    assert!(!extraction.tools.is_empty(), "{extraction}");
    assert!(
        extraction
            .tools
            .iter()
            .all(|tool| tool.subagent.starts_with("general-purpose"))
    );
    assert_eq!(extraction.intent, None, "its prompt is its parent's");
}

/// What one user line of Claude's tells: the words, and whether a machine wrote them.
fn claude_prompt(content: &Value, more: &Value) -> Option<(String, bool)> {
    let mut line = json!({"type": "user", "uuid": "u", "sessionId": "s", "isSidechain": false,
        "message": {"role": "user", "content": content}});
    let fields = line.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    let format = hosts::find("claude").unwrap().session_format.unwrap();
    let extraction = (format.record)(line.to_string().as_bytes()).expect("read");
    extraction.into_iter().find_map(|past| match past {
        Past::Prompt(said) => Some((said.text, said.machine)),
        _ => None,
    })
}

#[test]
fn claude_prompts_of_humans_and_machines() {
    let check = |content: Value, text: &str, machine: bool| {
        let extraction = claude_prompt(&content, &json!({}));
        assert_eq!(extraction, Some((text.to_owned(), machine)), "{content}");
    };
    check(json!("fix it"), "fix it", false);
    check(
        json!("  a <task-notification> came "),
        "a <task-notification> came",
        false,
    );
    check(
        json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]),
        "one\ntwo",
        false,
    );
    check(
        json!([{"type": "text", "text": "<ide_opened_file>The user opened x</ide_opened_file>"},
            {"type": "text", "text": "explain it"}]),
        "explain it",
        false,
    );
    check(
        json!("go on<system-reminder>\nnever say this\n</system-reminder>"),
        "go on",
        false,
    );
    check(json!("<system-reminder>alone</system-reminder>"), "", true);
    check(
        json!("half <system-reminder>open"),
        "half <system-reminder>open",
        false,
    );
    let command = "<command-message>do is running</command-message>\n\
        <command-name>/do</command-name>\n<command-args>fix the parser</command-args>";
    check(json!(command), "/do fix the parser", false);
    check(
        json!("<command-name>/clear</command-name><command-args></command-args>"),
        "/clear",
        true,
    );
}

#[test]
fn claude_prompts_that_are_marked() {
    for machine in [
        "<task-notification>\n<task-id>a</task-id>",
        "<agent-notification>x",
        "<local-command-stdout>x</local-command-stdout>",
        "Caveat: The messages below were generated by the user",
        "This session is being continued from a previous conversation that ran out of context.",
        "[Request interrupted by user for tool use]",
    ] {
        let extraction = claude_prompt(&json!(machine), &json!({}));
        assert_eq!(extraction, Some((machine.to_owned(), true)));
    }
    for mark in [
        json!({"isMeta": true}),
        json!({"isCompactSummary": true}),
        json!({"promptSource": "system"}),
        json!({"turnOrigin": "task_notification"}),
        json!({"isSidechain": true, "agentId": "a1"}),
    ] {
        assert_eq!(
            claude_prompt(&json!("x"), &mark),
            Some(("x".to_owned(), true)),
            "{mark}"
        );
    }
    for mark in [
        json!({"promptSource": "typed"}),
        json!({"turnOrigin": "sdk"}),
    ] {
        assert_eq!(
            claude_prompt(&json!("x"), &mark),
            Some(("x".to_owned(), false)),
            "{mark}"
        );
    }
    assert_eq!(claude_prompt(&json!([]), &json!({})), None);
    assert_eq!(claude_prompt(&json!([{"type": "image"}]), &json!({})), None);
}

fn claude_call(id: &str, name: &str, input: &Value) -> Value {
    json!({"type": "assistant", "sessionId": "s", "isSidechain": false, "message": {"content":
        [{"type": "tool_use", "id": id, "name": name, "input": input}]}})
}

fn claude_result(id: &str, more: &Value) -> Value {
    let mut line = json!({"type": "user", "sessionId": "s", "isSidechain": false, "message":
        {"content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"}]}});
    let fields = line.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    line
}

#[test]
fn both_kinds_of_todo_lists_are_kept() {
    let old = lines(&[
        claude_call(
            "1",
            "TodoWrite",
            &json!({"todos": [
            {"content": "one", "status": "completed"}, {"content": "two", "status": "in_progress"},
            {"content": "three", "status": "pending"}]}),
        ),
        claude_result("1", &json!({})),
    ]);
    let told_old = extracted("claude", &old);
    let todos = &told_old.todos;
    assert_eq!((todos.done, todos.current, todos.pending), (1, 1, 1));
    let new = lines(&[
        claude_call(
            "1",
            "TaskCreate",
            &json!({"subject": "Write parser", "description": "d"}),
        ),
        claude_result(
            "1",
            &json!({"toolUseResult": {"task": {"id": "1", "subject": "Write parser"}}}),
        ),
        claude_call("2", "TaskCreate", &json!({"subject": "Test it"})),
        claude_result(
            "2",
            &json!({"toolUseResult": {"task": {"id": "2", "subject": "Test it"}}}),
        ),
        claude_call(
            "3",
            "TaskUpdate",
            &json!({"taskId": "1", "status": "in_progress"}),
        ),
        claude_call(
            "4",
            "TaskUpdate",
            &json!({"taskId": "2", "status": "deleted"}),
        ),
        claude_call(
            "5",
            "TaskUpdate",
            &json!({"taskId": "9", "status": "completed"}),
        ),
    ]);
    let told_new = extracted("claude", &new);
    assert_eq!(
        told_new.to_string(),
        "todos: 1 under way, 0 to do, 0 done\n  > Write parser\n"
    );
    let first = &told_new.todos.items[0];
    assert_eq!((first.id.as_str(), first.state), ("1", TodoState::Current));
}

/// What one line of a host tells.
fn one(id: &str, line: &Value) -> Vec<Past> {
    let format = hosts::find(id).unwrap().session_format.unwrap();
    (format.record)(line.to_string().as_bytes()).expect("read")
}

#[test]
fn lists_of_other_hosts() {
    let list = |extraction: Vec<Past>| {
        extraction.into_iter().find_map(|past| match past {
            Past::Todos(TodoChange::All(items)) => Some(
                items
                    .into_iter()
                    .map(|item| (item.text, item.state))
                    .collect::<Vec<_>>(),
            ),
            _ => None,
        })
    };
    let expected = Some(vec![
        ("a".to_owned(), TodoState::Done),
        ("b".to_owned(), TodoState::Current),
    ]);
    let plan = json!({"plan": [{"step": "a", "status": "completed"},
        {"step": "b", "status": "in_progress"}]});
    let codex = json!({"type": "response_item", "payload": {"type": "function_call",
        "name": "update_plan", "call_id": "c", "arguments": plan.to_string()}});
    assert_eq!(list(one("codex", &codex)), expected);
    let todos = |name: &str| json!([{name: "a", "status": "completed", "id": "1"}, {name: "b", "status": "in_progress"}]);
    let gemini = json!({"id": "m", "type": "gemini", "content": "", "toolCalls": [{"id": "c",
        "name": "write_todos", "args": {"todos": todos("description")}, "status": "success"}]});
    assert_eq!(list(one("gemini", &gemini)), expected);
    let qwen = json!({"type": "assistant", "message": {"parts": [{"functionCall": {"id": "c",
        "name": "todo_write", "args": {"todos": todos("content")}}}]}});
    assert_eq!(list(one("qwen", &qwen)), expected);
    let copilot = json!({"type": "tool.execution_start", "data": {"toolCallId": "c",
        "toolName": "update_todo", "arguments": {"todos": "# plan\n- [x] a\n- [~] b\n"}}});
    assert_eq!(list(one("copilot", &copilot)), expected);
    let opencode = json!({"info": {"role": "assistant"}, "parts": [{"type": "tool",
        "tool": "todowrite", "callID": "c", "state": {"status": "completed",
        "input": {"todos": todos("content")}}}]});
    assert_eq!(list(one("opencode", &opencode)), expected);
}

#[test]
fn codex_says_in_words_what_failed() {
    let failed = |output: Value| {
        let line = json!({"type": "response_item", "payload": {"type": "function_call_output",
            "call_id": "c", "output": output}});
        one("codex", &line).into_iter().find_map(|past| match past {
            Past::Failed { stopped, .. } => Some(stopped),
            _ => None,
        })
    };
    assert_eq!(
        failed(json!("Process exited with code 0\nOutput:\nx")),
        None
    );
    assert_eq!(
        failed(json!(
            "Wall time: 1\nProcess exited with code 3\nOutput:\nx"
        )),
        Some(false)
    );
    assert_eq!(
        failed(json!("Exit code: 0\nOutput:\nExit code: 7")),
        None,
        "its output says it"
    );
    assert_eq!(
        failed(json!("{\"output\":\"x\",\"metadata\":{\"exit_code\":1}}")),
        Some(false)
    );
    assert_eq!(
        failed(json!("{\"output\":\"x\",\"metadata\":{\"exit_code\":0}}")),
        None
    );
    assert_eq!(failed(json!("unsupported call: x")), Some(false));
    assert_eq!(
        failed(json!("Command blocked by PreToolUse hook: no. Command: x")),
        Some(true)
    );
}

#[test]
fn prompts_that_other_hosts_write_themselves() {
    let machine = |id: &str, line: Value| {
        one(id, &line).into_iter().find_map(|past| match past {
            Past::Prompt(said) => Some(said.machine),
            _ => None,
        })
    };
    let codex = |text: &str, more: Value| {
        machine(
            "codex",
            json!({"type": "response_item", "payload": {"type": "message",
            "role": "user", "content": [{"type": "input_text", "text": text}],
            "internal_chat_message_metadata_passthrough": more}}),
        )
    };
    assert_eq!(codex("go", json!({})), Some(false));
    assert_eq!(codex("<environment_context>", json!({})), Some(true));
    let from = |kind: &str| json!({"content_item_metadata": [{"provenance": {"type": kind}}]});
    assert_eq!(codex("go", from("harness")), Some(true));
    assert_eq!(codex("go", from("user")), Some(false));
    let skill = json!({"type": "response_item", "payload": {"type": "message", "role": "user",
        "content": [{"type": "input_text", "text": "<skill>\n<name>greet</name>\nHello</skill>"}]}});
    assert_eq!(
        one("codex", &skill),
        [Past::Skill {
            name: "greet".to_owned()
        }]
    );
    let gemini = |content: Value| {
        machine(
            "gemini",
            json!({"id": "m", "type": "user", "content": content}),
        )
    };
    assert_eq!(gemini(json!([{"text": "go"}])), Some(false));
    assert_eq!(gemini(json!("go")), Some(false));
    assert_eq!(gemini(json!("Please continue.")), Some(true));
    assert_eq!(gemini(json!([{"functionResponse": {}}])), None);
    let qwen = |from: &str| {
        machine(
            "qwen",
            json!({"type": "user", "provenance": from, "message":
            {"parts": [{"text": "go"}]}}),
        )
    };
    assert_eq!((qwen("real_user"), qwen("hook")), (Some(false), Some(true)));
    let opencode = |synthetic: bool| {
        machine(
            "opencode",
            json!({"info": {"role": "user"}, "parts":
            [{"type": "text", "text": "go", "synthetic": synthetic}]}),
        )
    };
    assert_eq!((opencode(false), opencode(true)), (Some(false), Some(true)));
}

#[test]
fn a_file_that_ends_anywhere_tells_what_is_whole() {
    for (id, bytes) in ALL {
        let whole = extracted(id, bytes).seen;
        let mut before = 0;
        for end in (0..bytes.len()).step_by(211) {
            let seen = extracted(id, &bytes[..end]).seen;
            assert!(seen.torn <= 1 && seen.calls <= whole.calls, "{id} {end}");
            assert!(seen.calls >= before, "{id} {end}");
            before = seen.calls;
        }
    }
}

#[test]
fn a_corrupt_line_loses_nothing_behind_it() {
    for (id, bytes) in ALL.iter().filter(|(id, _)| *id != "opencode") {
        let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        for at in 0..lines.len() {
            let mut broken: Vec<Vec<u8>> = lines.iter().map(|line| line.to_vec()).collect();
            let half = broken[at].len() / 2;
            broken[at].truncate(half);
            broken[at].extend_from_slice(b"\xff\0{\"");
            let rest = extracted(id, &lines[at + 1..].join(&b'\n'));
            let extraction = extracted(id, &broken.join(&b'\n'));
            assert!(extraction.seen.calls >= rest.seen.calls, "{id} {at}");
            assert_eq!(extraction.seen.torn, 1, "{id} {at}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// However the bytes come, they tell the same.
    #[test]
    fn pieces_of_any_size_tell_the_same(most in 1usize..9_000, at in 0usize..7) {
        let (id, bytes) = ALL[at];
        let query = Query::of(&Section::ALL);
        prop_assert_eq!(extract_pieces(id, bytes, &query, most), extracted(id, bytes));
    }

    /// Bytes that are spoilt anywhere panic nowhere.
    #[test]
    fn spoilt_bytes_are_passed_over(
        at in 0usize..7,
        spoilt in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
    ) {
        let (id, bytes) = ALL[at];
        let mut bytes = bytes.to_vec();
        for (index, byte) in spoilt {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        let extraction = extracted(id, &bytes);
        prop_assert!(extraction.seen.torn <= extraction.seen.records);
    }
}
