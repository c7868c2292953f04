//! Copilot CLI: how it takes replies, by its own acceptance rules; what it registers; what its
//! payloads and session files say.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic, and fixtures are files"
)]

mod laws;

use hosts::{Answer, Host, Installation, Launch, Problem, Reply, Wire};
use laws::{Additions, Client, Outcome, inputs, levels, words};
use model::{Actor, Call, Event, EventKind, HooksLeft, Level, Past, Time};
use proptest::prelude::*;
use serde_json::{Map, Value};

const CLIENT: Client = Client {
    host: "copilot",
    takes,
    stoppable: &[
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "UserPromptSubmit",
        "Stop",
        "SubagentStop",
    ],
    askable: &["PreToolUse", "PermissionRequest"],
    unstoppable: &[
        "PostToolUseFailure",
        "SessionStart",
        "SessionEnd",
        "SubagentStart",
        "PreCompact",
        "ErrorOccurred",
        "Notification",
        "NewerEvent",
    ],
    rewritable: &["PreToolUse"],
};

/// Events whose answer may carry words for the worker at its top.
const CONTEXT: &[&str] = &[
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "SessionStart",
    "SubagentStart",
];

fn host() -> &'static Host {
    CLIENT.host()
}

/// Before a call every exit status but 0 is a no whose words are lost; elsewhere it is a mere
/// mistake. Only JSON on standard output says why.
fn takes(event: &str, reply: &Reply) -> Outcome {
    let text = String::from_utf8(reply.stdout.clone()).expect("text");
    if reply.code != 0 || !reply.stderr.is_empty() {
        return Outcome::Void("words that are lost");
    }
    match serde_json::from_str::<Value>(&text) {
        _ if text.is_empty() => goes_on(event, Additions::default()),
        Ok(Value::Object(answer)) => verdict(event, &answer),
        _ => Outcome::Void("plain text"),
    }
}

/// The client's permission question goes on by being asked.
fn goes_on(event: &str, additions: Additions) -> Outcome {
    match event {
        "PermissionRequest" => Outcome::Asks,
        _ => Outcome::Runs(additions),
    }
}

fn verdict(event: &str, answer: &Map<String, Value>) -> Outcome {
    let text = |object: &Map<String, Value>, name: &str| {
        let value = object.get(name).and_then(Value::as_str);
        value.map(str::to_owned)
    };
    if let Some(flaw) = flaw(event, answer) {
        return Outcome::Void(flaw);
    }
    let reason = |name: &str| Outcome::Stops(text(answer, name).unwrap_or_default());
    match event {
        "PreToolUse" => {
            let Some(inner) = answer["hookSpecificOutput"].as_object() else {
                return Outcome::Void("no object");
            };
            let why = text(inner, "permissionDecisionReason").unwrap_or_default();
            match text(inner, "permissionDecision").as_deref() {
                Some("deny") => Outcome::Stops(why),
                Some("ask") if !why.is_empty() => Outcome::Asks,
                Some(_) => Outcome::Void("we only ever deny or ask"),
                None => Outcome::Runs(Additions {
                    context: text(inner, "additionalContext"),
                    input: inner.get("updatedInput").cloned(),
                }),
            }
        }
        "PermissionRequest" => match text(answer, "behavior").as_deref() {
            Some("deny") => reason("message"),
            _ => Outcome::Void("we only ever deny"),
        },
        _ if answer.contains_key("decision") => reason("reason"),
        _ => goes_on(
            event,
            Additions {
                context: text(answer, "additionalContext"),
                input: None,
            },
        ),
    }
}

/// What the client would pass over in silence, so that we must not rely on it.
fn flaw(event: &str, answer: &Map<String, Value>) -> Option<&'static str> {
    const SPECIFIC: &[&str] = &[
        "hookEventName",
        "permissionDecision",
        "permissionDecisionReason",
        "updatedInput",
        "additionalContext",
    ];
    let top: &[&str] = match event {
        "PreToolUse" => &["hookSpecificOutput"],
        "PermissionRequest" => &["behavior", "message"],
        "Stop" | "SubagentStop" => &["decision", "reason"],
        event if !CONTEXT.contains(&event) => &[],
        event if CLIENT.stoppable.contains(&event) => &["decision", "reason", "additionalContext"],
        _ => &["additionalContext"],
    };
    let unknown = |object: &Map<String, Value>, known: &[&str]| {
        object.keys().any(|name| !known.contains(&name.as_str()))
    };
    if unknown(answer, top) {
        return Some("a member that does nothing there");
    }
    let mut own = Value::Object(answer.clone());
    // The input is the worker's own, in which anything may stand.
    let specific = own.pointer_mut("/hookSpecificOutput");
    let input = specific.and_then(|specific| specific.as_object_mut()?.remove("updatedInput"));
    if !laws::is_full(&own) {
        return Some("null or empty");
    }
    if answer.get("decision").is_some_and(|word| word != "block") {
        return Some("a decision that it does not know");
    }
    if answer.contains_key("decision") != answer.contains_key("reason") {
        return Some("a decision without its reason");
    }
    if input.as_ref().is_some_and(|input| !input.is_object()) {
        return Some("an input that is no object");
    }
    let specific = answer.get("hookSpecificOutput")?.as_object()?;
    if input.is_some() && specific.contains_key("permissionDecision") {
        return Some("an input for what is stopped");
    }
    if specific.get("hookEventName").and_then(Value::as_str) != Some(event) {
        return Some("hookEventName");
    }
    unknown(specific, SPECIFIC).then_some("a member that does nothing there")
}

#[test]
fn exact_forms() {
    let check = |event: &str, (level, asks): (Level, bool), expected: &str| {
        let answer = Answer {
            level,
            reason: "Not run: a \"b\".",
            advice: "use b",
            notice: "the code is kestrel-42",
            input: "",
        };
        let (reply, _) = CLIENT.say(event, asks, &answer);
        let stdout = String::from_utf8(reply.stdout).expect("text");
        assert_eq!(stdout.trim_end(), expected, "{event} {level:?}");
        assert_eq!((reply.code, reply.stderr.len()), (0, 0), "{event}");
    };
    let advice = r#""additionalContext":"use b""#;
    let tool = |more: &str| {
        format!(r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse",{more}{advice}}}}}"#)
    };
    let deny = r#""permissionDecision":"deny","permissionDecisionReason":"Not run: a \"b\".","#;
    check("PreToolUse", (Level::Deny, true), &tool(deny));
    check(
        "PreToolUse",
        (Level::Ask, true),
        &tool(&deny.replace("deny", "ask")),
    );
    let nobody = deny.replace(
        "b\\\".",
        "b\\\". Nobody can be asked here, so this is a refusal: ask the user.",
    );
    check("PreToolUse", (Level::Ask, false), &tool(&nobody));
    check("PreToolUse", (Level::Allow, true), &tool(""));
    check(
        "PermissionRequest",
        (Level::Deny, true),
        r#"{"behavior":"deny","message":"Not run: a \"b\"."}"#,
    );
    check("PermissionRequest", (Level::Ask, true), "");
    let block = r#""decision":"block","reason":"Not run: a \"b\".""#;
    check("Stop", (Level::Deny, true), &format!("{{{block}}}"));
    check(
        "PostToolUse",
        (Level::Deny, true),
        &format!(r#"{{{block},"additionalContext":"use b"}}"#),
    );
    check(
        "SessionStart",
        (Level::Allow, true),
        r#"{"additionalContext":"use b"}"#,
    );
    check("SessionEnd", (Level::Deny, true), "");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_reply_is_weaker_and_none_raises_allow(
        event in CLIENT.events(),
        level in levels(),
        asks: bool,
        texts in (words(), words(), words()),
        input in inputs(),
    ) {
        let (reason, advice, notice) = &texts;
        // Without anybody to ask, the client's own question is still one of its own.
        let asks = asks && event != "PermissionRequest";
        let level = match (event, level) {
            ("PermissionRequest", Level::Allow) => Level::Deny,
            (_, level) => level,
        };
        CLIENT.keeps_the_laws(event, asks, &Answer { level, reason, advice, notice, input });
    }
}

fn decode_with(event: &str, payload: &str, terminal: bool) -> Event<'static> {
    let env = |name: &str| (terminal && name == "COPILOT_LOADER_PID").then(|| "7".to_owned());
    let wire = Wire {
        event,
        bytes: payload.as_bytes(),
        env: &env,
        time: Time(7),
    };
    let event = (host().decode)(&wire).unwrap_or_else(|error| panic!("{payload}: {error}"));
    event.into_owned()
}

fn decode(event: &str, payload: &str) -> Event<'static> {
    decode_with(event, payload, false)
}

fn check_call(tool: &str, input: &str, expected: &str) {
    let payload = format!(r#"{{"cwd":"/p","tool_name":"{tool}","tool_input":{input}}}"#);
    let event = decode("PreToolUse", &payload);
    let call = event.call().expect("a call");
    let shown = format!("{} {}", call.tool(), call.summary(80));
    assert_eq!(shown, expected, "{tool} {input}");
}

#[test]
fn what_runs_and_what_changes_files() {
    let check = check_call;
    let patch = r#""*** Begin Patch\n*** Delete File: a\n*** End Patch""#;
    check("Edit", patch, "patch delete a");
    check("apply_patch", patch, "patch delete a");
    check(
        "apply_patch",
        &format!(r#"{{"input":{patch}}}"#),
        "patch delete a",
    );
    check(
        "Edit",
        r#""rm""#,
        "malformed Edit (the tool's input is missing or no object)",
    );
    check(
        "Bash",
        patch,
        "malformed Bash (the tool's input is missing or no object)",
    );
    check("bash", r#"{"command":"ls"}"#, "shell ls");
    check(
        "write_bash",
        r#"{"shellId":"s","input":"rm -rf x{enter}"}"#,
        "shell rm -rf x",
    );
}

#[test]
fn calls_that_captures_lack() {
    let check = check_call;
    check(
        "create",
        r#"{"path":"/a","file_text":"x"}"#,
        "write write /a",
    );
    check(
        "Write",
        r#"{"path":"/a"}"#,
        "malformed Write (file_text is missing or no text)",
    );
    check(
        "grep",
        r#"{"pattern":"x","paths":["s","t"]}"#,
        "search search x s",
    );
    check(
        "grep",
        r#"{"pattern":"x","paths":"s"}"#,
        "search search x s",
    );
    check("web_search", r#"{"query":"q"}"#, "fetch fetch q");
    check(
        "write_agent",
        r#"{"agent_ids":["a","b"],"message":"m"}"#,
        "message message a,b",
    );
    check(
        "write_agent",
        r#"{"scope":"children"}"#,
        "message message children",
    );
    check("ask_user", "{}", "question question");
    check("exit_plan_mode", "{}", "plan_exit plan_exit");
    check("update_todo", "{}", "todo todo");
}

#[test]
fn servers_of_tools() {
    let check = check_call;
    check("fs-write_file", r#"{"path":"/a"}"#, "mcp mcp fs write_file");
    check(
        "chrome-devtools-click",
        "{}",
        "mcp mcp chrome-devtools click",
    );
    check(
        "github-mcp-server-a-b",
        "{}",
        "mcp mcp github-mcp-server a-b",
    );
    check("-x", "{}", "other -x");
    check("newer_tool", r#"{"a":1}"#, "other newer_tool");
}

#[test]
fn a_helper_belongs_to_the_session_that_started_it() {
    let of = |payload: &str| {
        let event = decode("PreToolUse", payload);
        (event.session, event.actor)
    };
    let sub = |kind: &str| Actor::Sub {
        id: "h1".to_owned(),
        kind: kind.to_owned(),
    };
    let ids = r#""session_id":"h1","agent_id":"h1","agent_type":"task""#;
    assert_eq!(
        of(&format!(r#"{{{ids},"parent_agent_id":"s1"}}"#)),
        ("s1".to_owned(), sub("task"))
    );
    assert_eq!(of(&format!("{{{ids}}}")), ("h1".to_owned(), sub("task")));
    assert_eq!(
        of(r#"{"sessionId":"s1","agentId":"h1","parentAgentId":"s1"}"#),
        ("s1".to_owned(), sub(""))
    );
    let ended = decode(
        "SubagentStop",
        r#"{"session_id":"s1","agent_id":"h1","last_assistant_message":"bye"}"#,
    );
    assert_eq!(
        ended.kind,
        EventKind::SubagentStop {
            again: false,
            last: "bye".to_owned()
        }
    );
    let turn = decode("Stop", r#"{"session_id":"h1","agent_id":"h1"}"#);
    assert_eq!(turn.actor, sub(""), "its end comes next");
}

#[test]
fn a_human_is_there_in_a_terminal_alone() {
    let payload = r#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    for terminal in [true, false] {
        let event = decode_with("PreToolUse", payload, terminal);
        assert_eq!((event.attended, event.asks), (terminal, terminal));
    }
}

#[test]
fn prompts_of_machines_are_told_apart() {
    let check = |payload: &str, expected: bool| match decode("UserPromptSubmit", payload).kind {
        EventKind::Prompt { machine, .. } => assert_eq!(machine, expected, "{payload}"),
        other => panic!("{other:?}"),
    };
    check(r#"{"prompt":"fix it"}"#, false);
    check(
        r#"{"prompt":"tollgate ok kestrel-42","agent_id":"h1"}"#,
        true,
    );
    check(r#"{"prompt":"<system_notification>\nx"}"#, true);
    check(
        r#"{"prompt":"You have not yet marked the task as complete using it"}"#,
        true,
    );
}

const HOOK: &str = "/home/dev/.local/state/tollgate/bin/tollgate-hook";

fn installed(current: Option<&str>, launch: Launch) -> String {
    let installation = Installation { hook: HOOK, launch };
    let edit = (host().install)(current, &installation).expect("installed");
    edit.text.expect("a text")
}

#[test]
fn a_new_file_is_short_enough_to_read() {
    let row = |event: &str, seconds: u32| {
        format!(
            "    \"{event}\": [ {{ \"type\": \"command\", \"exec\": \"{HOOK}\", \"args\": \
             [\"copilot\", \"{event}\"], \"timeoutSec\": {seconds} }} ]"
        )
    };
    let rows = [
        row("PreToolUse", 60),
        row("PostToolUse", 10),
        row("PostToolUseFailure", 10),
        row("SessionStart", 10),
        row("UserPromptSubmit", 10),
        row("SubagentStart", 10),
        row("SubagentStop", 10),
        row("Stop", 10),
        row("SessionEnd", 5),
    ];
    let expected = format!(
        "{{\n  \"version\": 1,\n  \"hooks\": {{\n{}\n  }}\n}}\n",
        rows.join(",\n")
    );
    assert_eq!(installed(None, Launch::Direct), expected);
    assert_eq!(installed(Some(&expected), Launch::Direct), expected);
    let gone = (host().uninstall)(&expected).expect("edited");
    assert_eq!(gone.text, None);
}

#[test]
fn uninstall_gives_back_the_bytes() {
    let other = r#"{ "type": "command", "bash": "say hello" }"#;
    for file in [
        "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n".to_owned(),
        format!("{{\"version\":1,\"hooks\":{{\"PreToolUse\":[{other}],\"preToolUse\":[]}}}}"),
        format!("{{\"hooks\":{{\"Stop\":[{other}]}},\"version\":1}}"),
    ] {
        for launch in [Launch::Direct, Launch::Shell] {
            let text = installed(Some(&file), launch);
            let found = (host().inspect)(&text).expect("read");
            assert_eq!((found.missing, found.unheard), (vec![], vec![]), "{text}");
            assert_eq!(found.problems, [], "{text}");
            let bare = (host().uninstall)(&text).expect("edited");
            assert_eq!(bare.text.as_deref(), Some(file.as_str()), "{text}");
        }
    }
}

/// Ways to disarm the hook without taking it out.
#[test]
fn a_weakened_hook_is_found_and_repaired() {
    for launch in [Launch::Direct, Launch::Shell] {
        let good = installed(None, launch);
        let check = |from: &str, to: &str| {
            let bad = good.replacen(from, to, 1);
            assert_ne!(bad, good, "{from}");
            let found = (host().inspect)(&bad).expect("read");
            assert_eq!(found.left(Some(HOOK)), HooksLeft::Removed, "{to}");
            assert_eq!(installed(Some(&bad), launch), good, "{to}");
        };
        check("\"timeoutSec\": 60", "\"timeoutSec\": 1");
        check("\"type\": \"command\"", "\"type\": \"prompt\"");
        check(
            "\"type\": \"command\"",
            "\"matcher\": \"shell\", \"type\": \"command\"",
        );
        match launch {
            Launch::Direct => {
                check("\"PreToolUse\"]", "\"PostToolUse\"]");
                check("\"args\"", "\"bash\": \"true\", \"args\"");
                check(HOOK, "tollgate-hook");
            }
            Launch::Shell => {
                check(" || exit 2", "");
                check(" || exit 2", " || exit 0");
            }
        }
    }
}

#[test]
fn what_keeps_the_hook_from_being_asked_is_found() {
    let good = installed(None, Launch::Direct);
    let check = |from: &str, to: &str, expected: &[Problem]| {
        let text = good.replacen(from, to, 1);
        let found = (host().inspect)(&text).expect("read");
        assert_eq!(found.problems, expected, "{to}");
    };
    let off = "\"version\": 1,\n  \"disableAllHooks\": true";
    check("\"version\": 1", off, &[Problem::HooksOff { line: 3 }]);
    let what = "version is not 1";
    let discarded = Problem::FileDiscarded { line: 2, what };
    check("\"version\": 1", "\"version\": 2", &[discarded]);
    let steered = Problem::Steered {
        line: 4,
        name: "TOLLGATE_ENABLED".to_owned(),
    };
    let variables = "\"env\": { \"TOLLGATE_ENABLED\": \"false\", \"A\": \"b\" }, \"type\"";
    check("\"type\"", variables, &[steered]);
}

const SESSION: &[u8] = include_bytes!("../fixtures/copilot/1.0.102/transcript.jsonl");

#[test]
fn a_captured_session_gives_its_calls() {
    let (mut calls, mut open) = (Vec::new(), Vec::new());
    let transcript = context::Transcript::new(host().transcript_line);
    let mut transcript = transcript.with_context_decoder(host().transcript_context);
    let mut keep = |past: Past| match past {
        Past::Call(past) => {
            open.push(past.call_id.clone());
            calls.push(past);
        }
        Past::Ended { call_id, taken } => {
            assert!(taken, "hooks are told of every call");
            open.retain(|id| *id != call_id);
        }
        other => panic!("{other:?}"),
    };
    transcript.push(SESSION, &mut keep);
    transcript.end(&mut keep);
    assert_eq!(open, Vec::<String>::new());
    let shown: Vec<String> = calls
        .iter()
        .map(|past| format!("{} {}", past.call.tool(), past.call.summary(60)))
        .collect();
    let expected = [
        "shell touch ran.txt; echo SHELL-OUT",
        "write write /home/dev/proj/note.txt",
        "read read /home/dev/proj/note.txt",
        "edit edit /home/dev/proj/note.txt",
        "search search line /home/dev/proj",
        "search search *.txt",
        "shell exit 3",
        "read read /home/dev/proj/none.txt",
        "mcp mcp lab echo",
        "spawn spawn general-purpose",
        "shell echo CHILD",
    ];
    assert_eq!(shown, expected);
    let (Some(first), Some(last)) = (calls.first(), calls.last()) else {
        panic!("no call");
    };
    assert_eq!(first.session, "00000000-0000-4000-8000-000000000001");
    assert_eq!(
        (&*first.cwd, &*first.version),
        ("/home/dev/proj", "1.0.102")
    );
    assert_eq!(first.actor, Actor::Main);
    assert_eq!(first.time.0 / 86_400_000, 20_785, "28 November 2026");
    assert!(matches!(first.call, Call::Shell { .. }));
    assert!(matches!(&last.actor, Actor::Sub { id, .. } if !id.is_empty()));
}

/// Hooks and sessions spell tools in two ways; what a call is does not hang on it.
#[test]
fn a_call_is_the_same_in_a_session_and_to_a_hook() {
    for (model, hook, input) in [
        ("bash", "Bash", r#"{"command":"ls"}"#),
        ("bash", "Bash", r#"{"oops":1}"#),
        ("create", "Write", r#"{"path":"/p","file_text":"x"}"#),
        ("edit", "Edit", "{}"),
        ("task", "Agent", "{}"),
        ("nosuch", "nosuch", r#"{"a":"b"}"#),
        ("lab-echo", "lab-echo", r#"{"a":"b"}"#),
    ] {
        let line = format!(
            r#"{{"type":"tool.execution_start","data":{{"toolCallId":"c","toolName":"{model}","arguments":{input}}}}}"#
        );
        let told = (host().transcript_line)(line.as_bytes()).expect("read");
        let payload = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"{hook}","tool_input":{input}}}"#
        );
        let event = decode("PreToolUse", &payload);
        let [Past::Call(past)] = &told[..] else {
            panic!("{told:?}");
        };
        assert_eq!(Some(&past.call), event.call(), "{model}");
    }
}
