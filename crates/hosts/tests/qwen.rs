//! Qwen Code: how it takes replies, by its own acceptance rules; what it registers; what its
//! payloads and chats say.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic, and fixtures are files"
)]

mod laws;

use context::Transcript;
use hosts::{Answer, Host, Problem, Reply};
use laws::{Additions, Client, Outcome};
use model::{Actor, Call, EventKind, HooksLeft, Level, Past};
use serde_json::{Map, Value};

const CLIENT: Client = Client {
    host: "qwen",
    takes,
    stoppable: &["PreToolUse", "UserPromptSubmit", "Stop", "SubagentStop"],
    askable: &[],
    unstoppable: &[
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "SessionStart",
        "SessionEnd",
        "SubagentStart",
        "PreCompact",
        "PermissionRequest",
        "Notification",
        "NewerEvent",
    ],
    rewritable: &[],
};

/// Events whose context the client hands to its model.
const CONTEXT: &[&str] = &[
    "UserPromptSubmit",
    "PostToolUse",
    "PostToolUseFailure",
    "SessionStart",
    "SubagentStart",
];

fn host() -> &'static Host {
    CLIENT.host()
}

/// With exit 2 only standard error counts, and nothing in it lets everything go on; with any other
/// status but 0 so does everything.
fn takes(event: &str, reply: &Reply) -> Outcome {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    let (out, err) = (text(&reply.stdout), text(&reply.stderr));
    match (reply.code, out.trim()) {
        (0, "") if err.is_empty() => Outcome::Runs(Additions::default()),
        (0, out) => match serde_json::from_str(out) {
            Ok(Value::Object(answer)) => verdict(event, &answer),
            _ => Outcome::Void("plain text"),
        },
        (2, "") if CLIENT.stoppable.contains(&event) && !err.trim().is_empty() => {
            Outcome::Stops(err)
        }
        _ => Outcome::Void("an exit status that means nothing"),
    }
}

fn verdict(event: &str, answer: &Map<String, Value>) -> Outcome {
    if let Some(flaw) = flaw(event, answer) {
        return Outcome::Void(flaw);
    }
    let text = |path: &str| {
        let value = Value::Object(answer.clone());
        value
            .pointer(path)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let reason = text("/hookSpecificOutput/permissionDecisionReason").unwrap_or_default();
    match text("/hookSpecificOutput/permissionDecision").as_deref() {
        Some("deny") => Outcome::Stops(reason),
        Some("ask") => Outcome::Asks,
        Some(_) => Outcome::Void("we only ever deny or ask"),
        None if answer.contains_key("decision") => {
            Outcome::Stops(text("/reason").unwrap_or_default())
        }
        None => Outcome::Runs(Additions {
            context: text("/hookSpecificOutput/additionalContext"),
            input: None,
        }),
    }
}

/// What the client would pass over in silence, so that we must not rely on it.
fn flaw(event: &str, answer: &Map<String, Value>) -> Option<&'static str> {
    let top: &[&str] = match event {
        "PreToolUse" => &["hookSpecificOutput"],
        // The only event at which it shows its human what a hook says.
        "Stop" | "SubagentStop" => &["decision", "reason", "systemMessage"],
        "UserPromptSubmit" => &["decision", "reason", "hookSpecificOutput"],
        event if CONTEXT.contains(&event) => &["hookSpecificOutput"],
        _ => &[],
    };
    let unknown = |object: &Map<String, Value>, known: &[&str]| {
        object.keys().any(|name| !known.contains(&name.as_str()))
    };
    if unknown(answer, top) {
        return Some("a member that does nothing there");
    }
    if !laws::is_full(&Value::Object(answer.clone())) {
        return Some("null or empty");
    }
    let specific = answer.get("hookSpecificOutput")?.as_object()?;
    let known: &[&str] = match event {
        "PreToolUse" => &[
            "hookEventName",
            "permissionDecision",
            "permissionDecisionReason",
        ],
        _ => &["hookEventName", "additionalContext"],
    };
    if unknown(specific, known) {
        return Some("a part that does nothing there");
    }
    (specific["hookEventName"] != event).then_some("hookEventName")
}

keeps_the_laws!(CLIENT);

fn said(event: &str, level: Level) -> (String, i32) {
    let answer = Answer {
        level,
        reason: "Not run: a \"b\".",
        advice: "use c",
        notice: "held d",
        ..Answer::default()
    };
    let (reply, _) = CLIENT.say(event, false, &answer);
    assert_eq!(reply.stderr, b"");
    (String::from_utf8(reply.stdout).unwrap(), reply.code)
}

#[test]
fn exact_forms() {
    let same = |event: &str, level: Level, expected: &str| {
        let expected = match expected {
            "" => String::new(),
            text => format!("{text}\n"),
        };
        assert_eq!(said(event, level), (expected, 0), "{event} {level:?}");
    };
    // Context before a call is lost there, and so are words for the human.
    same("PreToolUse", Level::Allow, "");
    same(
        "PreToolUse",
        Level::Deny,
        concat!(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","#,
            r#""permissionDecisionReason":"Not run: a \"b\"."}}"#
        ),
    );
    same(
        "PostToolUse",
        Level::Allow,
        concat!(
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","#,
            r#""additionalContext":"use c"}}"#
        ),
    );
    same(
        "Stop",
        Level::Deny,
        r#"{"decision":"block","reason":"Not run: a \"b\".","systemMessage":"held d"}"#,
    );
    same("Stop", Level::Allow, r#"{"systemMessage":"held d"}"#);
    same("SessionEnd", Level::Deny, "");
    let (asked, _) = said("PreToolUse", Level::Ask);
    assert!(
        asked.contains(r#""deny""#) && asked.contains("ask the user"),
        "{asked}"
    );
}

#[test]
fn calls_that_captures_lack() {
    let check = |tool: &str, input: &str, expected: &str| {
        let event = CLIENT.call(tool, input);
        let call = event.call().unwrap();
        let shown = format!("{}: {}", call.tool(), call.summary(200));
        assert_eq!(shown, expected, "{tool} {input}");
    };
    check(
        "replace",
        r#"{"file_path":"a","old_string":"","new_string":""}"#,
        "edit: edit a",
    );
    check("monitor", r#"{"command":"tail -f x"}"#, "shell: tail -f x");
    check(
        "task",
        r#"{"prompt":"x","subagent_type":"t"}"#,
        "spawn: spawn t",
    );
    check("create_sub_session", r#"{"prompt":"x"}"#, "spawn: spawn");
    check(
        "send_message",
        r#"{"task_id":"t","message":"x"}"#,
        "message: message t",
    );
    check(
        "cron_create",
        r#"{"cron":"* * * * *","prompt":"x"}"#,
        "message: message",
    );
    check(
        "read_mcp_resource",
        r#"{"uri":"a://b"}"#,
        "fetch: fetch a://b",
    );
    check("todo_write", "{}", "todo: todo");
    check("exit_plan_mode", "{}", "plan_exit: plan_exit");
    check("exec", r#"{"code":"x"}"#, "other: exec");
    check(
        "tool_call",
        r#"{"name":"run_shell_command","arguments":{"command":"ls"}}"#,
        "shell: ls",
    );
    check(
        "tool_call",
        r#"{"name":"tool_call","arguments":{}}"#,
        "other: tool_call",
    );
    check(
        "run_shell_command",
        "{}",
        "malformed: run_shell_command (command is missing or no text)",
    );
}

#[test]
fn a_command_runs_where_it_says() {
    let cwd = |input: &str| CLIENT.call("run_shell_command", input).cwd;
    assert_eq!(cwd(r#"{"command":"ls","directory":"/q"}"#), "/q");
    assert_eq!(cwd(r#"{"command":"ls","directory":"sub"}"#), "/p/sub");
    assert_eq!(cwd(r#"{"command":"ls","directory":""}"#), "/p");
    assert_eq!(
        CLIENT
            .call("agent", r#"{"prompt":"x","directory":"/q"}"#)
            .cwd,
        "/p"
    );
}

/// A human's words are told apart from the client's own; nobody is asked.
#[test]
fn only_what_was_submitted_is_a_humans() {
    let check =
        |payload: &str, expected: bool| match CLIENT.decode("UserPromptSubmit", payload).kind {
            EventKind::Prompt { machine, .. } => assert_eq!(machine, expected, "{payload}"),
            other => panic!("{other:?}"),
        };
    check(r#"{"prompt":"go","submitted_prompt":"go"}"#, false);
    check(r#"{"prompt":"<task-notification>"}"#, true);
    check(r#"{"prompt":"go","submitted_prompt":" "}"#, true);
    check(r#"{"prompt":""}"#, true);
    let event = CLIENT.call("run_shell_command", r#"{"command":"ls"}"#);
    assert!(event.attended && !event.asks);
}

const HOOK: &str = "/home/it's/tollgate-hook";

#[test]
fn a_new_file_is_short_enough_to_read() {
    let text = CLIENT.installed(None, HOOK);
    let lines: Vec<&str> = text.lines().collect();
    let expected = concat!(
        r#"    "PreToolUse": [ { "matcher": "*", "hooks": [{"type":"command","command":"#,
        r#""'/home/it'\\''s/tollgate-hook' qwen PreToolUse || { [ $? = 2 ] || echo 'tollgate fault, "#,
        r#"not a policy decision: the hook gave no answer, so this call was not let through. "#,
        r#"Next: run tollgate doctor.' >&2; exit 2; }","timeout":20}] } ],"#
    );
    assert_eq!(lines[2], expected);
    let expected = concat!(
        r#"    "SessionEnd": [ { "matcher": "*", "hooks": [{"type":"command","command":"#,
        r#""'/home/it'\\''s/tollgate-hook' qwen SessionEnd","timeout":1}] } ]"#
    );
    assert_eq!(lines[10], expected);
    assert_eq!(CLIENT.installed(Some(&text), HOOK), text);
    let found = (host().inspect)(&text).expect("read");
    assert!(found.missing.is_empty() && found.unheard.is_empty() && found.problems.is_empty());
    assert_eq!((host().uninstall)(&text).expect("read").text, None);
}

#[test]
fn a_weakened_hook_is_found_and_repaired() {
    let whole = CLIENT.installed(None, HOOK);
    for (from, to) in [
        ("\"timeout\":20", "\"timeout\":2"),
        ("\"timeout\":20", "\"timeout\":2000"),
        ("\"timeout\":20", "\"async\":true"),
        ("exit 2; }\"", "exit 1; }\""),
        ("qwen PreToolUse", "qwen PostToolUse"),
        ("\"matcher\": \"*\"", "\"matcher\": \"edit\""),
        ("\"type\":\"command\"", "\"type\":\"http\""),
        ("/home/it", "home/it"),
    ] {
        let weak = whole.replacen(from, to, 1);
        assert_ne!(weak, whole, "{from}");
        let found = (host().inspect)(&weak).expect("read");
        assert_eq!(found.missing, ["PreToolUse"], "{to}");
        assert_eq!(found.left(Some(HOOK)), HooksLeft::Removed, "{to}");
        assert_eq!(CLIENT.installed(Some(&weak), HOOK), whole, "{to}");
    }
    let patient = whole.replacen("\"timeout\":20", "\"timeout\":20000", 1);
    assert!((host().inspect)(&patient).expect("read").missing.is_empty());
}

#[test]
fn what_keeps_the_hook_from_being_asked_is_found() {
    let problems = |text: &str| (host().inspect)(text).expect("read").problems;
    assert_eq!(
        problems("{\n\"disableAllHooks\": true}"),
        [Problem::HooksOff { line: 2 }]
    );
    assert_eq!(
        problems(r#"{"env":{"QWEN_CODE_SAFE_MODE":"1","A":"b"}}"#),
        [Problem::Steered {
            line: 1,
            name: "QWEN_CODE_SAFE_MODE".to_owned()
        }]
    );
}

/// Chats and what a helper said in its own, as `id tool: call`.
fn calls_in(chat: &[u8]) -> (Vec<String>, Vec<String>, Actor) {
    let (mut calls, mut ended, mut actor) = (Vec::new(), Vec::new(), Actor::Unknown);
    let mut transcript = Transcript::new(host().transcript_line);
    let mut keep = |past: Past| match past {
        Past::Call(past) => {
            let shown = past.call.summary(60);
            calls.push(format!("{} {}: {shown}", past.call_id, past.call.tool()));
            assert_eq!(
                (past.cwd.as_str(), past.version.as_str()),
                ("/home/dev/proj", "0.24.4")
            );
            assert_eq!(past.session, "00000000-0000-4000-8000-000000000001");
            assert_eq!(past.time.0 / 86_400_000, 20_785, "28 November 2026");
            actor = past.actor;
        }
        Past::Ended { call_id, taken } => ended.push(format!("{call_id} {taken}")),
        _ => {}
    };
    transcript.push(chat, &mut keep);
    transcript.end(&mut keep);
    (calls, ended, actor)
}

#[test]
fn a_captured_chat_gives_its_calls() {
    let (calls, ended, actor) =
        calls_in(include_bytes!("../fixtures/qwen/0.24.4/transcript.jsonl"));
    assert_eq!(
        calls,
        [
            "call_1_0 shell: cat nofile; exit 3",
            "call_2_0 read: read /nonexistent/x",
            "call_3_0 mcp: mcp labsrv echo",
            "call_4_0 harmless: tool_search",
            "call_5_0 mcp: mcp labsrv echo",
            "call_6_0 todo: todo",
            "call_7_0 spawn: spawn general-purpose",
        ]
    );
    // The client has no tool of that name, so it never started.
    let expected = (1..=7).map(|number| format!("call_{number}_0 {}", number != 6));
    assert_eq!(ended, expected.collect::<Vec<_>>());
    assert_eq!(actor, Actor::Main);
}

#[test]
fn a_helper_is_told_apart() {
    let (calls, ended, actor) = calls_in(include_bytes!(
        "../fixtures/qwen/0.24.4/transcript.subagent.jsonl"
    ));
    assert_eq!(calls, ["call_8_0 shell: echo insub"]);
    assert_eq!(ended, ["call_8_0 true"]);
    let id = "general-purpose-call_7_0".to_owned();
    let kind = String::new();
    assert_eq!(actor, Actor::Sub { id, kind });
}

#[test]
fn calls_are_known_by_the_id_that_a_chat_knows() {
    let id = |payload: &str| CLIENT.decode("PreToolUse", payload).call_id;
    assert_eq!(id(r#"{"tool_use_id":"a","tool_call_id":"b"}"#), "b");
    assert_eq!(id(r#"{"tool_use_id":"a","tool_call_id":""}"#), "a");
    let event = CLIENT.decode("PreToolUse", "{}");
    assert!(matches!(event.call(), Some(Call::Malformed { .. })));
}
