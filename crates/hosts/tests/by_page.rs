//! Hosts that are built by their pages and were never driven: replies by the rules on those pages,
//! calls by the fields on them, and what is registered.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic, and fixtures are files"
)]

mod laws;

use hosts::{Answer, Host, Installation, Launch, Probe, Reply, Wire};
use laws::{Client, Outcome, Told, inputs, levels, words};
use model::{Event, EventKind, Level, Time};
use proptest::prelude::*;
use serde_json::{Value, json};

const CURSOR: Client = Client {
    host: "cursor",
    takes: |event, reply| by_status(&CURSOR, event, reply, said_twice),
    stoppable: &[
        "beforeShellExecution",
        "beforeMCPExecution",
        "preToolUse",
        "beforeSubmitPrompt",
    ],
    askable: &[],
    unstoppable: &["afterFileEdit", "sessionStart", "stop", "newerEvent"],
    rewritable: &[],
};

const WINDSURF: Client = Client {
    host: "windsurf",
    takes: |event, reply| by_status(&WINDSURF, event, reply, |_, _| true),
    stoppable: &[
        "pre_run_command",
        "pre_write_code",
        "pre_mcp_tool_use",
        "pre_user_prompt",
    ],
    askable: &[],
    unstoppable: &["post_run_command", "post_write_code", "newer_event"],
    rewritable: &[],
};

const KIRO: Client = Client {
    host: "kiro",
    takes: |event, reply| by_status(&KIRO, event, reply, |_, _| true),
    stoppable: &["preToolUse"],
    askable: &[],
    unstoppable: &["postToolUse", "agentSpawn", "userPromptSubmit", "stop"],
    rewritable: &[],
};

const CRUSH: Client = Client {
    host: "crush",
    takes: |event, reply| by_status(&CRUSH, event, reply, |_, _| true),
    stoppable: &["PreToolUse"],
    askable: &[],
    unstoppable: &["PostToolUse", "NewerEvent"],
    rewritable: &[],
};

const DROID: Client = Client {
    host: "droid",
    takes: |event, reply| match event {
        "PreToolUse" => by_status(&DROID, event, reply, said_twice),
        _ => by_json(event, reply),
    },
    stoppable: &[
        "PreToolUse",
        "UserPromptSubmit",
        "PostToolUse",
        "Stop",
        "SubagentStop",
    ],
    askable: &[],
    unstoppable: &["SessionStart", "SessionEnd", "Notification", "NewerEvent"],
    rewritable: &[],
};

const ALL: [&Client; 5] = [&CURSOR, &WINDSURF, &KIRO, &CRUSH, &DROID];

/// Exit 2 with words on standard error is no; everything else lets everything go on.
fn by_status(
    client: &Client,
    event: &str,
    reply: &Reply,
    agrees: fn(&Value, &str) -> bool,
) -> Outcome {
    let err = String::from_utf8(reply.stderr.clone()).expect("text");
    let out = String::from_utf8(reply.stdout.clone()).expect("text");
    match reply.code {
        0 if err.is_empty() => Outcome::Runs(Told {
            context: (!out.is_empty()).then_some(out),
            input: None,
        }),
        2 if client.stoppable.contains(&event) && !err.trim().is_empty() => {
            let said: Value = serde_json::from_str(&out).unwrap_or_default();
            match agrees(&said, &err) {
                true => Outcome::Stops(err),
                false => Outcome::Void("both do not say the same"),
            }
        }
        _ => Outcome::Void("a status that means nothing"),
    }
}

/// The JSON beside the status says no for the same reason.
fn said_twice(said: &Value, reason: &str) -> bool {
    let specific = &said["hookSpecificOutput"];
    let no = said["permission"] == "deny"
        || said["continue"] == false
        || specific["permissionDecision"] == "deny";
    let says_why = said["user_message"] == reason || specific["permissionDecisionReason"] == reason;
    no && says_why && laws::is_full(&without_truths(said))
}

fn without_truths(said: &Value) -> Value {
    let mut said = said.clone();
    said.as_object_mut().expect("an object").remove("continue");
    said
}

fn by_json(event: &str, reply: &Reply) -> Outcome {
    if reply.code != 0 || !reply.stderr.is_empty() {
        return Outcome::Void("a status that means nothing");
    }
    let said: Value = serde_json::from_slice(&reply.stdout).unwrap_or_default();
    if !reply.stdout.is_empty() && !laws::is_full(&said) {
        return Outcome::Void("null or empty");
    }
    let specific = &said["hookSpecificOutput"];
    if specific.is_object() && specific["hookEventName"] != event {
        return Outcome::Void("hookEventName");
    }
    match said["decision"].as_str() {
        Some("block") => Outcome::Stops(said["reason"].as_str().unwrap_or_default().to_owned()),
        Some(_) => Outcome::Void("we only ever block"),
        None => Outcome::Runs(Told {
            context: specific["additionalContext"].as_str().map(str::to_owned),
            input: None,
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_laws(
        at in 0..1_000_usize,
        level in levels(),
        asks: bool,
        texts in (words(), words(), words()),
        input in inputs(),
    ) {
        let (reason, advice, notice) = &texts;
        for client in ALL {
            let events = [client.stoppable, client.unstoppable].concat();
            let event = events[at % events.len()];
            client.keeps_the_laws(event, asks, &Answer { level, reason, advice, notice, input });
        }
    }
}

fn decode(host: &Host, event: &str, payload: &Value) -> Event<'static> {
    let bytes = payload.to_string();
    let wire = Wire {
        event,
        bytes: bytes.as_bytes(),
        env: &|_| None,
        time: Time(7),
    };
    (host.decode)(&wire).expect("decoded").into_owned()
}

fn shown(host: &str, event: &str, payload: Value) -> String {
    let event = decode(hosts::find(host).unwrap(), event, &payload);
    assert!(!event.attended && !event.asks);
    match (&event.kind, event.call()) {
        (EventKind::ToolBefore(_), Some(call)) => format!("{} {}", call.tool(), call.summary(90)),
        (_, Some(call)) => format!("after {} {}", call.tool(), call.summary(90)),
        (EventKind::Prompt { machine, .. }, _) => format!("prompt {machine}"),
        (kind, _) => kind.name().to_owned(),
    }
}

fn check(host: &str, event: &str, payload: Value, expected: &str) {
    let shown = shown(host, event, payload.clone());
    assert_eq!(shown, expected, "{host} {payload}");
}

fn tool(tool: &str, input: Value) -> Value {
    json!({"tool_name": tool, "tool_input": input})
}

#[test]
fn payloads_of_cursors_page_are_read() {
    let host = hosts::find("cursor").unwrap();
    let shell = json!({"hook_event_name": "beforeShellExecution", "conversation_id": "c",
        "workspace_roots": ["/p"], "command": "ls", "cwd": ""});
    assert_eq!(decode(host, "beforeShellExecution", &shell).cwd, "/p");
    check("cursor", "beforeShellExecution", shell, "shell ls");
    for input in [json!({"path": "a"}), json!("{\"path\":\"a\"}")] {
        let payload = tool("MCP:fs:remove", input);
        let event = decode(host, "beforeMCPExecution", &payload);
        let args = format!("{:?}", event.call().unwrap());
        assert!(args.contains(r#"("path", "a")"#), "{args}");
        assert!(args.contains("\"fs\""), "{args}");
    }
    let check = |name: &str, input: Value, expected: &str| {
        check("cursor", "preToolUse", tool(name, input), expected);
    };
    // It has an event of its own.
    check("Shell", json!({"command": "ls"}), "other");
    check("Write", json!({"file_path": "a"}), "write write a");
    check("Task", json!({"prompt": "x"}), "spawn spawn");
    let prompt = json!({"prompt": "x"});
    assert_eq!(shown("cursor", "beforeSubmitPrompt", prompt), "prompt true");
}

#[test]
fn payloads_of_windsurfs_page_are_read() {
    let info = |info: Value| json!({"trajectory_id": "t", "tool_info": info});
    let check = |event: &str, payload: Value, expected: &str| {
        check("windsurf", event, info(payload), expected);
    };
    check("pre_run_command", json!({"command_line": "ls"}), "shell ls");
    let edit = |old: &str| {
        let edits = json!([{"old_string": old, "new_string": "b"}]);
        json!({"file_path": "/a", "edits": edits})
    };
    check("pre_write_code", edit("a"), "edit edit /a");
    check("post_write_code", edit("a"), "after edit edit /a");
    check("pre_write_code", edit(""), "write write /a");
    let server = json!({"mcp_server_name": "s", "mcp_tool_name": "t"});
    check("pre_mcp_tool_use", server, "mcp mcp s t");
}

#[test]
fn payloads_of_kiros_page_are_read() {
    let check = |name: &str, input: Value, expected: &str| {
        check("kiro", "preToolUse", tool(name, input), expected);
    };
    check("execute_bash", json!({"command": "ls"}), "shell ls");
    let create = json!({"command": "create", "path": "a", "file_text": "x"});
    check("fs_write", create, "write write a");
    let part = json!({"command": "str_replace", "path": "a", "old_str": "x", "new_str": "y"});
    check("write", part, "edit edit a");
    check("@git/push", json!({}), "mcp mcp git push");
    let many = json!({"operations": [{"mode": "Line", "path": "/a"}]});
    check("fs_read", many, "read read /a");
}

#[test]
fn payloads_of_other_pages_are_read() {
    let ls = json!({"command": "ls"});
    check("crush", "PreToolUse", tool("bash", ls.clone()), "shell ls");
    let foreign = tool("mcp_a_b", json!({}));
    check("crush", "PreToolUse", foreign, "other mcp_a_b");
    check("droid", "PreToolUse", tool("Execute", ls), "shell ls");
    let create = json!({"file_path": "a", "content": "x"});
    check(
        "droid",
        "PreToolUse",
        tool("Create", create),
        "write write a",
    );
    let patch = tool("ApplyPatch", json!({"input": "x"}));
    check("droid", "PreToolUse", patch, "other ApplyPatch");
    let text = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n";
    let patch = tool("ApplyPatch", json!({"input": text}));
    assert!(shown("droid", "PreToolUse", patch).starts_with("patch "));
    let camel = json!({"sessionId": "s1", "hookEventName": "SessionEnd"});
    let event = decode(hosts::find("droid").unwrap(), "SessionEnd", &camel);
    assert_eq!(event.session, "s1");
}

#[test]
fn a_call_without_its_parts_is_malformed() {
    for client in ALL {
        let shown = shown(client.host, client.host().before_call, json!({}));
        assert!(shown.starts_with("malformed"), "{} {shown}", client.host);
    }
}

#[test]
fn each_is_registered_found_and_taken_out() {
    let installation = Installation {
        hook: "/home/it's/tollgate-hook",
        launch: Launch::Shell,
    };
    for client in ALL {
        let host = client.host();
        let install = |text: Option<&str>| {
            let edit = (host.install)(text, &installation).expect("installed");
            edit.text.expect("a text")
        };
        let text = install(None);
        let found = (host.inspect)(&text).expect("read");
        let left = (found.missing, found.unheard, found.problems);
        assert_eq!(left, (vec![], vec![], vec![]), "{text}");
        assert_eq!(install(Some(&text)), text, "{}", host.id);
        assert_eq!((host.uninstall)(&text).expect("read").text, None, "{text}");
        let other = "{\n  \"other\": [1]\n}\n";
        let text = install(Some(other));
        let bare = (host.uninstall)(&text).expect("read").text;
        assert_eq!(bare.as_deref(), Some(other), "{text}");
        let weak = text.replacen("exit 2", "exit 0", 1);
        assert_eq!(
            (host.inspect)(&weak).expect("read").missing.len(),
            1,
            "{weak}"
        );
        assert_eq!(install(Some(&weak)), text, "{weak}");
    }
}

#[test]
fn each_can_be_tried() {
    for client in ALL {
        let host = client.host();
        let probe = Probe {
            command: "rm -rf \"a\"",
            cwd: "/home/dev",
        };
        let bytes = (host.probe)(&probe);
        let payload: Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!((host.event_name)(&bytes), host.before_call);
        let event = decode(host, host.before_call, &payload);
        assert_eq!(event.call().unwrap().summary(90), "rm -rf \"a\"");
        assert_eq!((event.host, event.cwd.as_str()), (host.id, "/home/dev"));
        for level in [Level::Allow, Level::Ask, Level::Deny] {
            let answer = Answer {
                level,
                ..Answer::default()
            };
            let (reply, _) = client.say(host.before_call, true, &answer);
            let expected = match level {
                Level::Allow => Level::Allow,
                _ => Level::Deny,
            };
            assert_eq!((host.understood)(&reply), expected, "{}", host.id);
        }
    }
}
