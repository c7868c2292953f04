//! Every captured payload of every host decodes to what a person checked, survives being cut, and
//! survives hostile changes.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic, and fixtures are files"
)]

use hosts::{HOSTS, Host, Wire, WireError};
use model::{Actor, Call, Event, EventKind, Time};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures");

struct Capture {
    host: &'static Host,
    name: String,
    event: String,
    bytes: Vec<u8>,
}

impl Capture {
    /// The event that the host reads in these bytes, sent as this capture was.
    fn decode<'a>(&self, bytes: &'a [u8]) -> Result<Event<'a>, WireError> {
        decode_as(self.host, &self.event, bytes)
    }
}

/// The directories of captures of each host: one a version of it.
fn collections() -> Vec<(&'static Host, PathBuf)> {
    let of_host = |host: &&'static Host| {
        let versions = entries(&Path::new(FIXTURES).join(host.id));
        let versions = versions.into_iter().filter(|path| path.is_dir());
        versions.map(|dir| (*host, dir)).collect::<Vec<_>>()
    };
    HOSTS.iter().flat_map(of_host).collect()
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths
}

/// Every captured hook payload of all hosts.
fn captures() -> Vec<Capture> {
    let collections = collections().into_iter();
    let all: Vec<Capture> = collections
        .flat_map(|(host, dir)| captures_in(host, &dir))
        .collect();
    assert!(!all.is_empty(), "no captures below {FIXTURES}");
    all
}

/// The payloads in one directory. Names that start with `_` are other records of the client.
fn captures_in(host: &'static Host, dir: &Path) -> Vec<Capture> {
    let is_json = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
    let files = entries(dir).into_iter().filter(is_json);
    files.map(|path| capture(host, &path)).collect()
}

fn capture(host: &'static Host, path: &Path) -> Capture {
    let name = path.file_name().expect("a name").to_string_lossy();
    Capture {
        host,
        event: name.split('.').next().unwrap_or_default().to_owned(),
        name: name.clone().into_owned(),
        bytes: std::fs::read(path).expect("a capture"),
    }
}

fn decode_as<'a>(host: &Host, event: &str, bytes: &'a [u8]) -> Result<Event<'a>, WireError> {
    let env = |name: &str| (name == "CLAUDE_CODE_SESSION_ATTENDED").then(|| "1".to_owned());
    let wire = Wire {
        event,
        bytes,
        env: &env,
        time: Time(7),
    };
    (host.decode)(&wire)
}

fn decode<'a>(event: &str, bytes: &'a [u8]) -> Result<Event<'a>, WireError> {
    decode_as(hosts::find("claude").expect("the host"), event, bytes)
}

/// One line for each event, for a person to check.
fn describe(event: &Event<'_>) -> String {
    let what = match &event.kind {
        EventKind::ToolBefore(call) => format!("before {}", describe_call(call)),
        EventKind::PermissionRequest(call) => format!("permission {}", describe_call(call)),
        EventKind::ToolAfter { call } => format!("after {}", describe_call(call)),
        EventKind::ToolFailed { call, error } => {
            format!("failed {} with {error:?}", describe_call(call))
        }
        other => format!("{other:?}"),
    };
    let actor = match &event.actor {
        Actor::Sub { id, kind } => format!("sub {id} {kind:?}"),
        other => format!("{other:?}").to_lowercase(),
    };
    let asks = if event.asks { "attended" } else { "unattended" };
    format!(
        "{what} | {actor} | {:?} {asks} | {} | {}",
        event.mode, event.call_id, event.cwd
    )
}

fn describe_call(call: &Call<'_>) -> String {
    let more = match call {
        Call::Write { content, .. } => format!(" {:?}", content.text),
        Call::Edit { old, new, .. } => format!(" {:?} -> {:?}", old.text, new.text),
        Call::Spawn { prompt, .. } => format!(" {:?}", prompt.text),
        Call::Message { text, .. } => format!(" {:?}", text.text),
        Call::Mcp { args, .. } | Call::Other { args, .. } => format!(" {args:?}"),
        _ => String::new(),
    };
    assert!(Call::TOOLS.contains(&call.tool()), "{call:?}");
    format!("{}: {:?}{more}", call.tool(), call.summary(200))
}

/// The table beside the captures is the expectation; rewrite it with `UPDATE_FIXTURES=1` (or
/// `UPDATE_FIXTURES=` and one host), and read the difference before it is committed.
#[test]
fn captures_decode_as_a_person_checked() {
    let update = std::env::var("UPDATE_FIXTURES").unwrap_or_default();
    for (host, dir) in collections() {
        let mut table = String::new();
        for capture in captures_in(host, &dir) {
            let event = capture.decode(&capture.bytes);
            let event = event.unwrap_or_else(|error| panic!("{}: {error}", capture.name));
            writeln!(table, "{}\n    {}", capture.name, describe(&event)).expect("written");
        }
        let path = format!("{}.events", dir.display());
        if update == "1" || update == host.id {
            std::fs::write(&path, &table).expect("written");
        }
        let expected = std::fs::read_to_string(&path).expect("the table");
        for (line, wanted) in table.lines().zip(expected.lines()) {
            assert_eq!(line, wanted, "{path}");
        }
        assert_eq!(table, expected, "{path}");
    }
}

#[test]
fn a_cut_payload_is_an_error() {
    for capture in captures() {
        let end = capture.bytes.trim_ascii_end().len();
        for cut in (0..end).step_by(7) {
            let part = capture.bytes.get(..cut).expect("a part");
            let decoded = capture.decode(part);
            assert!(decoded.is_err(), "{} cut at {cut}", capture.name);
        }
    }
}

/// Values that no field expects.
const HOSTILE: &[&str] = &[
    "null",
    "17",
    "[[[[{}]]]]",
    "{\"command\":null,\"file_path\":[],\"name\":{\"a\":0}}",
    "\"\\ud83d\\u0000\\u202e/../..\"",
];

#[test]
fn a_field_of_the_wrong_type_spoils_only_itself() {
    for capture in captures() {
        let text = String::from_utf8(capture.bytes.clone()).expect("text");
        let payload: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&text).expect("an object");
        let expected = capture.decode(&capture.bytes).expect("decoded");
        for name in payload.keys().filter(|name| *name != "hook_event_name") {
            for hostile in HOSTILE {
                let mut changed = payload.clone();
                changed.insert(
                    name.clone(),
                    serde_json::from_str(&lossless(hostile)).expect("v"),
                );
                let changed = serde_json::to_vec(&changed).expect("written");
                let event = capture.decode(&changed);
                let event = event.unwrap_or_else(|e| panic!("{} {name}: {e}", capture.name));
                if name == "tool_name" && !hostile.starts_with('"') || name == "tool_input" {
                    let malformed = matches!(event.call(), Some(Call::Malformed { .. }) | None);
                    assert!(
                        malformed || hostile.starts_with('{'),
                        "{} {hostile}",
                        capture.name
                    );
                }
                // Some hosts tell the end of a helper by the tool that started it.
                let by_tool = matches!(expected.kind, EventKind::SubagentStop { .. });
                assert!(
                    event.class_name() == expected.class_name() || by_tool && name == "tool_name",
                    "{}: {:?}",
                    capture.name,
                    event.kind
                );
            }
        }
    }
}

/// The hostile text without half a pair, which the writer of this test refuses.
fn lossless(hostile: &str) -> String {
    hostile.replace("\\ud83d", "\\ufffd")
}

trait ClassName {
    fn class_name(&self) -> String;
}

impl ClassName for Event<'_> {
    /// The kind of event alone.
    fn class_name(&self) -> String {
        let debug = format!("{:?}", self.kind);
        debug
            .split([' ', '(', '{'])
            .next()
            .unwrap_or_default()
            .to_owned()
    }
}

#[test]
fn what_is_unknown_is_inert() {
    for capture in captures() {
        let text = String::from_utf8(capture.bytes.clone()).expect("text");
        let more = text.replacen(
            '{',
            "\u{feff}\r\n{\"newer\":{\"deep\":[1,{}]},\"odd\":null,",
            1,
        );
        let odd = more.replace('\n', "\r\n") + "\r\n\r\n ";
        let expected = capture.decode(&capture.bytes);
        assert_eq!(capture.decode(odd.as_bytes()), expected, "{}", capture.name);
    }
}

fn before(payload: &str) -> Result<Event<'_>, WireError> {
    decode("PreToolUse", payload.as_bytes())
}

fn check_call(payload: &str, expected: &str) {
    let event = before(payload).unwrap_or_else(|error| panic!("{payload}: {error}"));
    let call = event.call().unwrap_or_else(|| panic!("{payload}: no call"));
    assert_eq!(describe_call(call), expected, "{payload}");
}

#[test]
fn calls_that_captures_lack() {
    let check = |tool: &str, input: &str, expected: &str| {
        check_call(
            &format!(r#"{{"tool_name":"{tool}","tool_input":{input}}}"#),
            expected,
        );
    };
    check("PowerShell", r#"{"command":"ls"}"#, r#"shell: "ls""#);
    check(
        "Task",
        r#"{"prompt":"x","subagent_type":"a:b"}"#,
        r#"spawn: "spawn a:b" Some("x")"#,
    );
    check(
        "Monitor",
        r#"{"ws":{"url":"ws://h"}}"#,
        r#"fetch: "fetch ws://h""#,
    );
    check(
        "Monitor",
        r#"{"ws":{"url":"ws://h"},"command":"rm x"}"#,
        r#"shell: "rm x""#,
    );
    check(
        "MultiEdit",
        r#"{"file_path":"/a","edits":[{"old_string":"1","new_string":"2"},{"old_string":"3","new_string":"4"}]}"#,
        r#"edit: "edit /a" Some("1\n3") -> Some("2\n4")"#,
    );
    check(
        "SendMessage",
        r#"{"recipient":"a1","recipient_kind":"agent","content":"PASS"}"#,
        r#"message: "message a1" Some("PASS")"#,
    );
    check(
        "ScheduleWakeup",
        r#"{"delaySeconds":60}"#,
        r#"message: "message" Some("")"#,
    );
    check("ListAgents", "{}", r#"harmless: "ListAgents""#);
    check(
        "ExitWorktree",
        r#"{"action":"remove"}"#,
        r#"harmless: "ExitWorktree""#,
    );
    check(
        "ExitWorktree",
        r#"{"action":"remove","discard_changes":true}"#,
        r#"shell: "git worktree remove --force .""#,
    );
    check(
        "ExitWorktree",
        r#"{"action":"keep","discard_changes":true}"#,
        r#"harmless: "ExitWorktree""#,
    );
    check(
        "mcp__fs__write__file",
        r#"{"path":"/a","edits":[{"text":"x"},{"n":1}],"o":{"deep":{"er":"y"}}}"#,
        r#"mcp: "mcp fs write__file" [("path", "/a"), ("edits.0.text", "x"), ("edits.1.n", "1"), ("o.deep.er", "y")]"#,
    );
    check("mcp__odd", "{}", r#"other: "mcp__odd" []"#);
    check(
        "Write",
        r#"{"file_path":"C:\\Users\\a.md","content":""}"#,
        r#"write: "write C:\\Users\\a.md" Some("")"#,
    );
}

#[test]
fn a_server_is_known_by_the_clients_record() {
    check_call(
        r#"{"tool_name":"mcp__plugin_a_b__c__d","tool_input":{},"mcp_server":{"name":"plugin:a:b__c"}}"#,
        r#"mcp: "mcp plugin:a:b__c d" []"#,
    );
    check_call(
        r#"{"tool_name":"mcp__good__run","tool_input":{},"mcp_server":{"name":"evil"}}"#,
        r#"mcp: "mcp evil run" []"#,
    );
}

#[test]
fn a_call_without_its_parts_is_malformed() {
    let check = |payload: &str, words: &str| {
        let event = before(payload).unwrap_or_else(|error| panic!("{payload}: {error}"));
        match event.kind {
            EventKind::ToolBefore(Call::Malformed { what, .. }) => assert_eq!(what, words),
            other => panic!("{payload}: {other:?}"),
        }
    };
    check("{}", "the tool's name is missing");
    check(
        r#"{"tool_name":"","tool_input":{}}"#,
        "the tool's name is missing",
    );
    check(
        r#"{"tool_name":7,"tool_input":{}}"#,
        "the tool's name is missing",
    );
    check(
        r#"{"tool_name":"Bash"}"#,
        "the tool's input is missing or no object",
    );
    check(
        r#"{"tool_name":"Bash","tool_input":"rm"}"#,
        "the tool's input is missing or no object",
    );
    check(
        r#"{"tool_name":"Bash","tool_input":{}}"#,
        "command is missing or no text",
    );
    check(
        r#"{"tool_name":"Bash","tool_input":{"command":["rm"]}}"#,
        "command is missing or no text",
    );
    check(
        r#"{"tool_name":"Write","tool_input":{"file_path":"/a"}}"#,
        "content is missing or no text",
    );
    check(
        r#"{"tool_name":"Edit","tool_input":{"file_path":"/a"}}"#,
        "old_string is missing or no text",
    );
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let check = |bytes: &[u8], words: &str| {
        let error = decode("PreToolUse", bytes).expect_err(words);
        assert!(error.to_string().contains(words), "{error}");
    };
    check(b"", "empty");
    check(b" \r\n ", "empty");
    check(b"{", "not a JSON object");
    check(b"[]", "expected an object");
    check(b"null", "expected an object");
    check(b"{} {}", "more text after");
    check(
        br#"{"hook_event_name":"Stop"}"#,
        "registered for \"PreToolUse\"",
    );
    check(br#"{"tool_input":{"file_path":"C:\Users"}}"#, "escape");
    check("{\"a\":".repeat(100_000).as_bytes(), "128 levels");
    check(
        &vec![b' '; hosts::PAYLOAD_BYTES_MAX + 1],
        "more than the 16777216 bytes",
    );
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    let bytes = b"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"echo \xff> done\"}}";
    let event = decode("PreToolUse", bytes).expect("decoded");
    let command = Call::Shell {
        command: "echo \u{fffd}> done".into(),
        dialect: model::Dialect::Posix,
    };
    assert_eq!(event.kind, EventKind::ToolBefore(command));
    assert!(
        event.session.starts_with('x'),
        "an absent session gets a safe name"
    );
}

#[test]
fn long_content_is_only_counted() {
    let check = |length: usize, decoded: bool| {
        let content = "a\\n".repeat(length / 3);
        let payload = format!(
            r#"{{"tool_name":"Write","tool_input":{{"content":"{content}","file_path":"/a"}}}}"#
        );
        let event = before(&payload).expect("decoded");
        match event.call() {
            Some(Call::Write { path, content }) => {
                assert_eq!((path.as_ref(), content.bytes), ("/a", length));
                assert_eq!(content.text.is_some(), decoded, "{length}");
            }
            other => panic!("{other:?}"),
        }
    };
    check(3, true);
    check(262_143, true);
    check(262_146, false);
    check(2_400_000, false);
}

#[test]
fn arguments_are_bounded() {
    let many: Vec<String> = (0..500)
        .map(|n| format!("\"{n}\":\"{}\"", "é".repeat(4_000)))
        .collect();
    let deep = "{\"a\":".repeat(100) + "\"x\"" + &"}".repeat(100);
    let args_of = |input: &str| {
        let payload = format!(r#"{{"tool_name":"New","tool_input":{input}}}"#);
        match before(&payload).expect("decoded").kind {
            EventKind::ToolBefore(Call::Other { args, .. }) => args,
            other => panic!("{other:?}"),
        }
    };
    let args = args_of(&format!("{{{}}}", many.join(",")));
    let cut = (model::ARGS_CUT.to_owned(), String::new());
    assert_eq!((args.len(), args.last()), (65, Some(&cut)));
    assert!(args.iter().all(|(_, text)| text.len() <= 4_096));
    assert_eq!(args_of(&deep), std::slice::from_ref(&cut));
    let long = format!(r#"{{"a":"{}"}}"#, "x".repeat(4_097));
    assert_eq!(args_of(&long).last(), Some(&cut), "nobody saw all of it");
    assert!(!args_of(r#"{"a":[1,true,null,"x"]}"#).contains(&cut));
}

/// Whether a human is there depends on the client's version and mode.
#[test]
fn questions_reach_a_human_only_where_the_client_lets_them() {
    let attended = |mode: &str, attended: &str, agent: &str| {
        let env = |name: &str| match name {
            "CLAUDE_CODE_SESSION_ATTENDED" => Some(attended.to_owned()),
            "AI_AGENT" => Some(agent.to_owned()),
            _ => None,
        };
        let bytes = format!(r#"{{"permission_mode":"{mode}","tool_name":"x"}}"#);
        let wire = Wire {
            event: "PreToolUse",
            bytes: bytes.as_bytes(),
            env: &env,
            time: Time(0),
        };
        let host = hosts::find("claude").expect("the host");
        (host.decode)(&wire).expect("decoded").asks
    };
    let (new, old) = ("claude-code_2-1-332_harness", "claude-code_2-1-197_harness");
    assert!(attended("default", "1", old));
    assert!(attended("bypassPermissions", "1", new));
    assert!(!attended("bypassPermissions", "1", old));
    assert!(!attended("auto", "1", ""));
    assert!(!attended("default", "0", new));
    assert!(!attended("default", "", new));
}

#[test]
fn prompts_of_machines_are_told_apart() {
    let check = |payload: &str, expected: bool| match decode("UserPromptSubmit", payload.as_bytes())
        .expect("decoded")
        .kind
    {
        EventKind::Prompt { machine, .. } => assert_eq!(machine, expected, "{payload}"),
        other => panic!("{other:?}"),
    };
    check(r#"{"prompt":"fix it"}"#, false);
    check(r#"{"prompt":"fix it","source":"user"}"#, false);
    check(r#"{"prompt":"fix it","source":"cron"}"#, true);
    check(r#"{"prompt":"<task-notification>\n<task-id>1"}"#, true);
    check(r#"{"prompt":"Continue from where you left off."}"#, true);
}
