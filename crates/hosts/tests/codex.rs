//! Codex CLI: how it takes replies, by its own acceptance rules; what it registers, and the trust
//! that it wants; what its payloads and session files say.

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
use hosts::{Answer, HookTrust, Host, Launch, Problem, Reply, Respawn, Trust, Wire};
use laws::{Additions, Client, Outcome};
use model::{Actor, Event, EventKind, HooksLeft, Level, Past, Time};
use serde_json::{Map, Value};

const CLIENT: Client = Client {
    host: "codex",
    takes,
    stoppable: &[
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "UserPromptSubmit",
        "Stop",
        "SubagentStop",
    ],
    askable: &[],
    unstoppable: &[
        "SessionStart",
        "SessionEnd",
        "SubagentStart",
        "PreCompact",
        "PostCompact",
        "PreModelRequest",
        "PostModelRequest",
        "Interrupt",
        "NewerEvent",
    ],
    rewritable: &["PreToolUse"],
};

/// Events whose context the client hands to its model.
const CONTEXT: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "SubagentStart",
];

fn host() -> &'static Host {
    CLIENT.host()
}

/// Only exit 0 with nothing or one JSON object, and exit 2 with words on standard error, mean
/// something; everything else is a failed hook, after which the call runs.
fn takes(event: &str, reply: &Reply) -> Outcome {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    let (out, err) = (text(&reply.stdout), text(&reply.stderr));
    match (reply.code, out.trim()) {
        (0, "") => Outcome::Runs(Additions::default()),
        (0, out) => match serde_json::from_str(out) {
            Ok(Value::Object(answer)) => verdict(event, &answer),
            _ => Outcome::Void("plain text"),
        },
        (2, "") if CLIENT.stoppable.contains(&event) && !err.trim().is_empty() => {
            Outcome::Stops(err)
        }
        _ => Outcome::Void("a failed hook"),
    }
}

fn verdict(event: &str, answer: &Map<String, Value>) -> Outcome {
    if let Some(flaw) = flaw(event, answer) {
        return Outcome::Void(flaw);
    }
    let value = Value::Object(answer.clone());
    let text = |path: &str| {
        value
            .pointer(path)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let stops = |path: &str| match text(path) {
        Some(reason) if !reason.trim().is_empty() => Outcome::Stops(reason),
        _ => Outcome::Void("a refusal without a reason"),
    };
    let input = value.pointer("/hookSpecificOutput/updatedInput").cloned();
    if text("/decision").is_some() {
        return stops("/reason");
    }
    if text("/hookSpecificOutput/decision/behavior").is_some() {
        return stops("/hookSpecificOutput/decision/message");
    }
    match text("/hookSpecificOutput/permissionDecision").as_deref() {
        Some("deny") if input.is_none() => stops("/hookSpecificOutput/permissionDecisionReason"),
        Some("allow") if input.is_none() => Outcome::Void("a yes alone is unsupported"),
        None if input.is_some() => Outcome::Void("an input without a yes"),
        Some("allow") | None => Outcome::Runs(Additions {
            context: text("/hookSpecificOutput/additionalContext"),
            input,
        }),
        Some(_) => Outcome::Void("unsupported, so the call runs"),
    }
}

/// The client's schemas: one unknown member, or a member that the event does not have, and the
/// whole answer is void.
fn flaw(event: &str, answer: &Map<String, Value>) -> Option<&'static str> {
    let top: &[&str] = match event {
        "PreToolUse" | "PermissionRequest" | "SessionStart" | "SubagentStart" => {
            &["hookSpecificOutput", "systemMessage"]
        }
        "PostToolUse" | "UserPromptSubmit" => {
            &["hookSpecificOutput", "systemMessage", "decision", "reason"]
        }
        "Stop" | "SubagentStop" => &["systemMessage", "decision", "reason"],
        _ => &[],
    };
    let unknown = |object: &Map<String, Value>, known: &[&str]| {
        object.keys().any(|name| !known.contains(&name.as_str()))
    };
    if unknown(answer, top) {
        return Some("an unknown member");
    }
    if answer
        .get("decision")
        .is_some_and(|decision| decision != "block")
    {
        return Some("an unknown decision");
    }
    let mut own = Value::Object(answer.clone());
    // The input is the worker's own, in which anything may stand.
    let input = own
        .pointer_mut("/hookSpecificOutput")
        .and_then(|specific| specific.as_object_mut()?.remove("updatedInput"));
    if !laws::is_full(&own) || input.is_some_and(|input| !input.is_object()) {
        return Some("null, empty, or no object");
    }
    let specific = answer.get("hookSpecificOutput")?.as_object()?;
    let known: &[&str] = match event {
        "PreToolUse" => &[
            "hookEventName",
            "permissionDecision",
            "permissionDecisionReason",
            "updatedInput",
            "additionalContext",
        ],
        "PermissionRequest" => &["hookEventName", "decision"],
        event if CONTEXT.contains(&event) => &["hookEventName", "additionalContext"],
        _ => &[],
    };
    if unknown(specific, known) {
        return Some("an unknown part");
    }
    (specific["hookEventName"] != event).then_some("hookEventName")
}

keeps_the_laws!(CLIENT);

fn said(event: &str, level: Level, input: &str) -> String {
    let answer = Answer {
        level,
        reason: "Not run: a \"b\".",
        advice: "use c",
        notice: "held d",
        input,
    };
    let (reply, _) = CLIENT.say(event, true, &answer);
    assert_eq!((reply.code, reply.stderr.len()), (0, 0), "{event}");
    String::from_utf8(reply.stdout).unwrap()
}

#[test]
fn exact_forms() {
    let same = |event: &str, level: Level, input: &str, expected: &str| {
        let said = said(event, level, input);
        assert_eq!(said.trim_end(), expected, "{event} {level:?}");
    };
    same(
        "PreToolUse",
        Level::Deny,
        "{}",
        concat!(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","#,
            r#""permissionDecisionReason":"Not run: a \"b\".","additionalContext":"use c"},"#,
            r#""systemMessage":"held d"}"#
        ),
    );
    same(
        "PreToolUse",
        Level::Allow,
        r#"{"message":"x"}"#,
        concat!(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","#,
            r#""updatedInput":{"message":"x"},"additionalContext":"use c"},"#,
            r#""systemMessage":"held d"}"#
        ),
    );
    same(
        "PermissionRequest",
        Level::Deny,
        "",
        concat!(
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":"#,
            r#"{"behavior":"deny","message":"Not run: a \"b\"."}},"systemMessage":"held d"}"#
        ),
    );
    same(
        "Stop",
        Level::Deny,
        "",
        r#"{"decision":"block","reason":"Not run: a \"b\".","systemMessage":"held d"}"#,
    );
    same("SessionEnd", Level::Deny, "", "");
    let asked = said("PreToolUse", Level::Ask, "");
    assert!(
        asked.contains(r#""deny""#) && asked.contains("ask the user"),
        "{asked}"
    );
}

fn wire<'a>(event: &'a str, payload: &'a str) -> Wire<'a, 'a> {
    Wire {
        event,
        bytes: payload.as_bytes(),
        env: &|_| None,
        time: Time(7),
    }
}

#[test]
fn calls_that_captures_lack() {
    let check = |tool: &str, input: &str, expected: &str| {
        let payload = format!(r#"{{"cwd":"/p","tool_name":"{tool}","tool_input":{input}}}"#);
        let event = CLIENT.decode("PreToolUse", &payload);
        let call = event.call().unwrap();
        let shown = format!("{}: {}", call.tool(), call.summary(200));
        assert_eq!(shown, expected, "{tool} {input}");
    };
    let patch = r#"{"command":"*** Begin Patch\n*** Delete File: a\n*** Update File: b\n*** Move to: c\n*** End Patch"}"#;
    check("apply_patch", patch, "patch: delete a, move b to c");
    check(
        "apply_patch",
        r#"{"command":"*** Begin Patch\n*** End Patch"}"#,
        "malformed: apply_patch (a file's name in the patch is missing or no text)",
    );
    check(
        "collaborationspawn_agent",
        r#"{"task_name":"t","message":"x","agent_type":"worker"}"#,
        "spawn: spawn worker",
    );
    check(
        "multi_agent_v1send_input",
        r#"{"id":"a1","items":[{"type":"text","text":"PASS"}]}"#,
        "message: message a1",
    );
    check(
        "collaborationfollowup_task",
        r#"{"target":"/root/t","message":"PASS"}"#,
        "message: message /root/t",
    );
    check(
        "write_stdin",
        r#"{"session_id":1,"chars":"rm -rf ~\n"}"#,
        "shell: rm -rf ~",
    );
    check(
        "shell",
        r#"{"command":["bash","-lc","rm x"]}"#,
        "shell: rm x",
    );
    check("shell", r#"{"command":["rm","x"]}"#, "shell: rm x");
    check("mcp__a__b", r#"{"path":"x"}"#, "mcp: mcp a b");
    check("new_tool", r#"{"path":"x"}"#, "other: new_tool");
}

#[test]
fn who_speaks_is_told_apart() {
    let prompt = |payload: &str| match CLIENT.decode("UserPromptSubmit", payload) {
        Event {
            kind: EventKind::Prompt { machine, .. },
            attended,
            asks,
            ..
        } => {
            assert!(attended && !asks);
            machine
        }
        other => panic!("{other:?}"),
    };
    assert!(!prompt(r#"{"prompt":"tollgate ok kestrel-42"}"#));
    assert!(prompt(
        r#"{"prompt":"x","agent_id":"a","agent_type":"worker"}"#
    ));
    assert!(prompt(r#"{"prompt":"<subagent_notification>{}"}"#));
    let sub = CLIENT.decode("PreToolUse", r#"{"agent_id":"a","agent_type":"worker"}"#);
    let (id, kind) = ("a".to_owned(), "worker".to_owned());
    assert_eq!(sub.actor, Actor::Sub { id, kind });
    assert_eq!(
        CLIENT.decode("PreToolUse", r#"{"agent_id":""}"#).actor,
        Actor::Main
    );
}

const HOOK: &str = "/home/it's/tollgate-hook";
const FILE: &str = "/home/dev/.codex/hooks.json";

#[test]
fn a_new_file_is_short_enough_to_read() {
    let text = CLIENT.installed(None, HOOK);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[2].starts_with(
            r#"    "PreToolUse": [ { "hooks": [{ "type": "command", "command": "'/home/it'\\''s/"#
        ),
        "{text}"
    );
    assert!(
        lines[2].contains("' codex PreToolUse || { echo '"),
        "{text}"
    );
    assert!(
        lines[2].contains("' >&2; exit 2; }\", \"timeout\": 20 }] } ],"),
        "{text}"
    );
    let last = r#"    "SessionEnd": [ { "hooks": [{ "type": "command", "command": "'/home/it'\\''s/tollgate-hook' codex SessionEnd", "timeout": 1 }] } ]"#;
    assert_eq!(lines[10], last);
    assert_eq!(CLIENT.installed(Some(&text), HOOK), text);
    let found = (host().inspect)(&text).expect("read");
    assert!(found.missing.is_empty() && found.unheard.is_empty() && found.problems.is_empty());
    assert!(
        found
            .registered
            .iter()
            .all(|ours| ours.launch == Launch::Shell)
    );
    assert_eq!((host().uninstall)(&text).expect("read").text, None);
}

#[test]
fn a_weakened_hook_is_found_and_repaired() {
    let whole = CLIENT.installed(None, HOOK);
    for (from, to) in [
        ("\"timeout\": 20", "\"timeout\": 2"),
        ("\"timeout\": 20", "\"async\": true"),
        ("exit 2; }\"", "exit 1; }\""),
        ("codex PreToolUse", "codex PostToolUse"),
        ("{ \"hooks\": [{", "{ \"matcher\": \"Bash\", \"hooks\": [{"),
        ("\"type\": \"command\"", "\"type\": \"prompt\""),
        ("/home/it", "home/it"),
    ] {
        let weak = whole.replacen(from, to, 1);
        assert_ne!(weak, whole, "{from}");
        let found = (host().inspect)(&weak).expect("read");
        assert_eq!(found.missing, ["PreToolUse"], "{to}");
        assert_eq!(found.left(Some(HOOK)), HooksLeft::Removed, "{to}");
        assert_eq!(CLIENT.installed(Some(&weak), HOOK), whole, "{to}");
    }
    let refused = (host().inspect)("{\n\"version\": 1}")
        .expect("read")
        .problems;
    assert!(
        matches!(refused[..], [Problem::FileDiscarded { line: 2, .. }]),
        "{refused:?}"
    );
}

fn trust() -> &'static Trust {
    host().trust.expect("trust")
}

/// What the client said about a file with one hook of somebody else's before ours.
fn known() -> Vec<HookTrust> {
    let answer = concat!(
        r#"{"id":2,"result":{"data":[{"cwd":"/p","hooks":[{"#,
        r#""key":"/home/dev/.codex/hooks.json:pre_tool_use:1:0","eventName":"preToolUse","#,
        r#""handlerType":"command","command":"'/h/tollgate-hook' codex PreToolUse","#,
        r#""sourcePath":"/home/dev/.codex/hooks.json","enabled":true,"isManaged":false,"#,
        r#""currentHash":"sha256:aa","trustStatus":"untrusted"},{"#,
        r#""key":"/home/dev/.codex/hooks.json:stop:0:0","eventName":"stop","command":"x","#,
        r#""sourcePath":"/home/dev/.codex/hooks.json","enabled":true,"#,
        r#""currentHash":"sha256:bb","trustStatus":"trusted"}],"warnings":[]}]}}"#
    );
    (trust().answer)(answer).expect("the answer")
}

#[test]
fn the_client_is_asked_what_it_knows() {
    let lines = (trust().lines)("/home/a \"b\"");
    assert_eq!(lines.len(), 3);
    for line in &lines {
        assert!(line.ends_with('\n') && line.matches('\n').count() == 1);
    }
    let asked: Value = serde_json::from_str(&lines[2]).expect("JSON");
    assert_eq!(asked["method"], "hooks/list");
    assert_eq!(asked["params"]["cwds"][0], "/home/a \"b\"");
    let shown: Vec<_> = known()
        .into_iter()
        .map(|hook| (hook.event, hook.hash, hook.runs))
        .collect();
    let hook = |event: &str, hash: &str, runs| (event.to_owned(), hash.to_owned(), runs);
    assert_eq!(
        shown,
        [
            hook("PreToolUse", "sha256:aa", false),
            hook("Stop", "sha256:bb", true)
        ]
    );
    for other in ["", "{}", r#"{"id":1,"result":{}}"#, r#"{"method":"x"}"#] {
        assert_eq!((trust().answer)(other), None, "{other}");
    }
}

const TABLE: &str = concat!(
    "[hooks.state.\"/home/dev/.codex/hooks.json:pre_tool_use:1:0\"]\n",
    "trusted_hash = \"sha256:aa\"\n"
);

fn granted(before: &str) -> String {
    let known = known();
    let edit = (trust().grant)(Some(before), &known[..1]).expect("granted");
    edit.text.expect("a text")
}

/// What is written is what the client itself would write, once, and goes to the byte.
#[test]
fn trust_is_given_and_taken() {
    let hooks = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]},
        {"hooks":[{"type":"command","command":"'/h/tollgate-hook' codex PreToolUse"}]}]}}"#;
    for (before, gap) in [
        ("", ""),
        ("model = \"m\"\n", "\n"),
        ("model = \"m\"\n\n", ""),
        ("[projects.\"/p\"]\ntrust_level = \"trusted\"\n", "\n"),
    ] {
        let after = granted(before);
        assert_eq!(after, format!("{before}{gap}{TABLE}"));
        assert_eq!(granted(&after), after);
        let taken = (trust().revoke)(&after, (FILE, hooks)).expect("taken");
        assert!(taken.changed);
        let left = taken.text.expect("a text");
        assert_eq!(left.trim_end(), before.trim_end());
        let again = (trust().revoke)(&left, (FILE, hooks)).expect("taken");
        assert!(!again.changed);
    }
}

#[test]
fn other_tables_stay_and_an_old_sum_is_replaced() {
    let before = format!(
        "a = 1\n\n{}enabled = true\n\n[hooks.state.\"/o:stop:0:0\"]\ntrusted_hash = \"x\"\n",
        TABLE.replace("sha256:aa", "sha256:old")
    );
    let after = granted(&before);
    assert!(
        after.contains("sha256:aa") && !after.contains("sha256:old"),
        "{after}"
    );
    assert!(
        after.contains("enabled = true") && after.contains("/o:stop:0:0"),
        "{after}"
    );
    assert_eq!(after.matches("[hooks.state.").count(), 2, "{after}");
    assert!(after.starts_with("a = 1\n"));
}

/// A table that is written twice voids the client's whole configuration.
#[test]
fn a_form_that_is_not_edited_is_refused() {
    for text in [
        "hooks = { state = {} }\n",
        "[hooks]\nstate = {}\n",
        "[hooks.state]\n\"/home/dev/.codex/hooks.json:pre_tool_use:1:0\" = {}\n",
        "[hooks.state.'/home/dev/.codex/hooks.json:pre_tool_use:1:0']\n",
    ] {
        let error = (trust().grant)(Some(text), &known()[..1]).expect_err(text);
        assert!(error.to_string().contains("form"), "{error}");
    }
    assert!(granted("[hooks]\nmanaged_dir = \"x\"\n").ends_with(TABLE));
}

#[test]
fn a_trusted_project_is_known() {
    let text = "[projects.\"/a\"]\ntrust_level = \"untrusted\"\n[projects.\"/b\"]\n\
                trust_level = \"trusted\"\n";
    assert!((trust().trusts)(text, "/b"));
    assert!(!(trust().trusts)(text, "/a") && !(trust().trusts)(text, "/c"));
}

/// A spawn becomes the reviewer's from the first word to the last, or is left alone.
#[test]
fn a_spawn_is_rewritten_where_words_can_be_read() {
    let respawn = |payload: &str| {
        let with = Respawn {
            kind: "tollgate_reviewer",
            prompt: "say \"x\"",
            title: "review R1",
            waits: false,
        };
        (host().review.respawn)(&wire("PreToolUse", payload), &with)
    };
    let cheat = r#"{"tool_name":"spawn_agent","tool_input":{"message":"PASS","items":["PASS"],
        "agent_type":"cheat","fork_context":true,"model":"weak"}}"#;
    let expected = r#"{"message":"say \"x\"","agent_type":"tollgate_reviewer"}"#;
    assert_eq!(respawn(cheat).as_deref(), Some(expected));
    for other in [
        r#"{"tool_name":"collaborationspawn_agent","tool_input":{"message":"gAAA"}}"#,
        r#"{"tool_name":"Bash","tool_input":{"command":"x"}}"#,
    ] {
        assert_eq!(respawn(other), None, "{other}");
    }
    let stopped = include_str!("../fixtures/codex/0.171.0/SubagentStop.json");
    let path = (host().review.transcript)(&wire("SubagentStop", stopped));
    assert!(path.contains("/sessions/"), "{path}");
}

/// The command line that we advise is ours, and any other that names the role is not.
#[test]
fn a_role_of_the_command_line_is_looked_at() {
    let takes = |words: &[&str]| (host().review.launched)(words).takes_name;
    let role = |path: &str| {
        format!("agents.tollgate_reviewer={{description=\"d\", config_file=\"{path}\"}}")
    };
    let (ours, other) = (role("/h/roles/reviewer.toml"), role("/h/evil.toml"));
    assert!(!takes(&["codex", "exec"]) && !takes(&["codex", "-c", &ours]));
    assert!(takes(&["codex", "-c", &other]));
    assert!(takes(&["codex", "-c", &ours, "-c", &other]));
    assert!(takes(&[
        "codex",
        "-c",
        "agents.tollgate_reviewer.model=\"x\""
    ]));
    let start = host().review.start.replace("{}", "/h");
    let word = start.split('\'').nth(1).unwrap();
    assert!(!takes(&["codex", "-c", word]));
    let taken = host().review.is_taken_by;
    assert!(taken("name = \"tollgate_reviewer\"\n") && !taken("name = \"x\"\n"));
    assert!(host().review.plugin.iter().all(|(_, text)| taken(text)));
}

#[test]
fn a_captured_session_gives_its_calls() {
    let (mut calls, mut open) = (Vec::new(), Vec::new());
    let mut transcript =
        Transcript::new(host().transcript_line).with_context_decoder(host().transcript_context);
    let file = include_bytes!("../fixtures/codex/0.171.0/transcript.jsonl");
    let mut keep = |past: Past| match past {
        Past::Call(past) => {
            calls.push(format!("{}: {}", past.call.tool(), past.call.summary(40)));
            open.push(past.call_id);
            assert_eq!(past.time.0 / 86_400_000, 20_784, "27 November 2026");
            assert_eq!((&*past.cwd, &*past.version), ("/home/dev/proj", "0.171.0"));
            assert!(past.session.starts_with("00000000-0000-7000-8000-"));
            assert_eq!(past.actor, Actor::Main);
        }
        Past::Ended { call_id, .. } => open.retain(|id| *id != call_id),
        _ => {}
    };
    transcript.push(file, &mut keep);
    transcript.end(&mut keep);
    assert_eq!(open, Vec::<String>::new());
    assert_eq!(
        calls,
        [
            "shell: echo hello-from-shell",
            "patch: write note.txt",
            "patch: edit note.txt",
            "shell: apply_patch <<'X' *** Begin Patch *** A…",
            "shell: read x; echo got $x",
            "shell: rm -rf something",
            "todo: todo",
        ]
    );
}

/// Of a script only the calls inside it are told to hooks, and they are in the session file.
#[test]
fn calls_inside_a_script_are_given() {
    let mut told = Vec::new();
    let mut transcript =
        Transcript::new(host().transcript_line).with_context_decoder(host().transcript_context);
    let file = include_bytes!("../fixtures/codex/0.171.0/transcript.script.jsonl");
    let mut keep = |past: Past| match past {
        Past::Call(past) => {
            let dir = &past.cwd;
            let summary = past.call.summary(60);
            told.push(format!("{}: {summary} in {dir}", past.call.tool()));
            let is_script = past.call.is_read_only();
            assert_eq!(past.call_id.starts_with("exec-"), !is_script);
        }
        Past::Ended { call_id, taken } => {
            assert!(taken);
            told.push(format!("{} ended", call_id.split('-').next().unwrap()));
        }
        other => panic!("{other:?}"),
    };
    transcript.push(file, &mut keep);
    transcript.end(&mut keep);
    let proj = "/home/dev/proj";
    let nested = |call: &str| [call.to_owned(), "exec ended".to_owned()];
    let expected = [
        vec![format!("harmless: exec in {proj}")],
        nested(&format!("shell: touch ran.txt; echo NESTED-OUT in {proj}")).to_vec(),
        nested(&format!("patch: write {proj}/note.txt in {proj}")).to_vec(),
        nested("shell: touch b; exit 3 in /tmp").to_vec(),
        nested(&format!("patch: edit {proj}/note.txt in {proj}")).to_vec(),
        nested(&format!("shell: cat note.txt in {proj}")).to_vec(),
        vec![
            "call_1 ended".to_owned(),
            format!("harmless: exec in {proj}"),
        ],
        nested(&format!("shell: touch DENIED in {proj}")).to_vec(),
        vec!["call_2 ended".to_owned()],
    ];
    assert_eq!(told, expected.concat());
}

/// To look what a program has printed meanwhile is no action; to type is.
#[test]
fn typing_nothing_is_no_deed() {
    for (typed, is_deed) in [("", false), ("rm -rf x\n", true)] {
        let arguments = serde_json::json!({"session_id": 1, "chars": typed}).to_string();
        let line = serde_json::json!({"type": "response_item", "payload": {
            "type": "function_call", "name": "write_stdin", "call_id": "c",
            "arguments": arguments}});
        let told = (host().transcript_line)(line.to_string().as_bytes()).unwrap();
        let [Past::Call(past)] = &told[..] else {
            panic!("{told:?}");
        };
        assert_eq!(!past.call.is_read_only(), is_deed, "{typed}");
    }
}
