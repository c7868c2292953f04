//! Hosts that are built by their pages and were never driven: replies by the rules on those pages,
//! calls by the fields on them, and what is registered.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic, fixtures are files, and a shell runs what is registered"
)]

mod laws;

use std::collections::BTreeSet;

use hosts::{Answer, Evidence, HOSTS, Host, Installation, Launch, Reply, Wire};
use laws::{Additions, Client, Outcome, inputs, levels, words};
use model::{Call, Event, EventKind, Level, Time};
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

/// It waits for JSON at every event, and an exit status means nothing to it.
const CLINE: Client = Client {
    host: "cline",
    takes: |event, reply| {
        let said: Value = serde_json::from_slice(&reply.stdout).unwrap_or_default();
        let (why, context) = (&said["errorMessage"], &said["contextModification"]);
        let is_full = |text: &Value| text.as_str().is_some_and(|text| !text.trim().is_empty());
        let known = |object: &serde_json::Map<String, Value>| {
            let names = ["cancel", "errorMessage", "contextModification"];
            object.keys().all(|name| names.contains(&name.as_str()))
        };
        let is_read = reply.code == 0 && said.as_object().is_some_and(known);
        match said["cancel"].as_bool() {
            Some(true) if is_read && CLINE.stoppable.contains(&event) && is_full(why) => {
                Outcome::Stops(why.as_str().unwrap().to_owned())
            }
            Some(false) if is_read && (context.is_null() || is_full(context)) => {
                Outcome::Runs(Additions {
                    context: context.as_str().map(str::to_owned),
                    input: None,
                })
            }
            _ => Outcome::Void("no answer"),
        }
    },
    stoppable: &["PreToolUse", "UserPromptSubmit"],
    askable: &[],
    unstoppable: &["PostToolUse", "TaskStart", "TaskResume", "NewerEvent"],
    rewritable: &[],
};

/// The program that a permission names decides by its exit status alone: 0 lets the call go on, 1
/// asks, anything above is no, and what it then writes to standard error is told to the worker.
const AMP: Client = Client {
    host: "amp",
    takes: |event, reply| {
        let why = String::from_utf8(reply.stderr.clone()).expect("text");
        match reply.code {
            _ if event != "delegate" => Outcome::Runs(Additions::default()),
            0 => Outcome::Runs(Additions::default()),
            1 => Outcome::Asks,
            2.. if !why.trim().is_empty() => Outcome::Stops(why),
            _ => Outcome::Void("a no without a word"),
        }
    },
    stoppable: &["delegate"],
    askable: &[],
    unstoppable: &["newer_event"],
    rewritable: &[],
};

const ALL: [&Client; 7] = [&AMP, &CLINE, &CURSOR, &WINDSURF, &KIRO, &CRUSH, &DROID];

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
        0 if err.is_empty() => Outcome::Runs(Additions {
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
        None => Outcome::Runs(Additions {
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

#[test]
fn every_host_by_its_page_is_read_by_its_own_rules() {
    let read: BTreeSet<&str> = ALL.iter().map(|client| client.host).collect();
    assert_eq!(by_page().map(|host| host.id).collect::<BTreeSet<_>>(), read);
}

/// The hosts that are built by their pages.
fn by_page() -> impl Iterator<Item = &'static Host> {
    let hosts = HOSTS.iter().copied();
    hosts.filter(|host| host.capabilities.evidence == Evidence::Page)
}

fn decode(host: &Host, event: &str, payload: &Value, env: &Value) -> Event<'static> {
    let bytes = payload.to_string();
    let wire = Wire {
        event,
        bytes: bytes.as_bytes(),
        env: &|name| env[name].as_str().map(str::to_owned),
        time: Time(7),
    };
    (host.decode)(&wire).expect("decoded").into_owned()
}

fn shown(event: &Event<'_>) -> String {
    assert!(!event.attended && !event.asks);
    match (&event.kind, event.call()) {
        (EventKind::ToolBefore(_), Some(call)) => format!("{} {}", call.tool(), call.summary(90)),
        (_, Some(call)) => format!("after {} {}", call.tool(), call.summary(90)),
        (EventKind::Prompt { machine, .. }, _) => format!("prompt {machine}"),
        (kind, _) => kind.name().to_owned(),
    }
}

/// What a page shows is read: `page.jsonl` of each host has a payload a line, and what it is.
#[test]
fn payloads_of_the_pages_are_read() {
    for host in by_page() {
        let path = format!(
            "{}/fixtures/{}/page.jsonl",
            env!("CARGO_MANIFEST_DIR"),
            host.id
        );
        let lines =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        for line in lines.lines() {
            let case: Value = serde_json::from_str(line).expect("JSON");
            let event = case["event"].as_str().unwrap();
            let event = decode(host, event, &case["payload"], &case["env"]);
            assert_eq!(
                shown(&event),
                case["is"].as_str().unwrap(),
                "{} {line}",
                host.id
            );
            for (name, found) in [("cwd", &event.cwd), ("session", &event.session)] {
                let wanted = case[name].as_str().unwrap_or(found);
                assert_eq!(found, wanted, "{} {line}", host.id);
            }
            match event.call() {
                Some(Call::Mcp { args, .. }) if case["args"].is_array() => {
                    assert_eq!(json!(args), case["args"], "{line}");
                }
                Some(Call::Edit { old, new, .. }) if case["texts"].is_array() => {
                    assert_eq!(json!([old.text, new.text]), case["texts"], "{line}");
                }
                Some(Call::Search { files, .. }) if case["files"].is_array() => {
                    assert_eq!(json!(files), case["files"], "{line}");
                }
                _ => assert!(case["args"].is_null() && case["texts"].is_null(), "{line}"),
            }
        }
    }
}

#[test]
fn a_call_without_its_parts_is_malformed() {
    for host in by_page() {
        let event = decode(host, host.before_call, &json!({}), &Value::Null);
        let shown = shown(&event);
        assert!(shown.starts_with("malformed"), "{} {shown}", host.id);
    }
}

/// A program for each event, in the place of settings.
#[test]
fn programs_are_made_found_and_taken_away() {
    let host = hosts::find("cline").unwrap();
    let hook = "/home/it's/tollgate-hook";
    let launch = Launch::Shell;
    let install = |text| (host.install)(text, &Installation { hook, launch });
    let text = install(None).unwrap().text.unwrap();
    let found = (host.inspect)(&text).unwrap();
    assert_eq!(
        (found.missing.len(), found.problems.len()),
        (0, 0),
        "{text}"
    );
    let ours = &found.registered[0];
    assert_eq!(
        (ours.hook.as_str(), ours.event.as_str()),
        (hook, "PreToolUse")
    );
    assert!(!install(Some(&text)).unwrap().changed);
    assert_eq!((host.uninstall)(&text).unwrap().text, None);
    let weak = text.replace("true", "false");
    assert_eq!((host.inspect)(&weak).unwrap().missing, ["PreToolUse"]);
    assert_eq!(install(Some(&weak)).unwrap().text.as_deref(), Some(&*text));
    let theirs = "#!/bin/sh\nexec their-hook\n";
    assert!(install(Some(theirs)).is_err());
    assert!(!(host.uninstall)(theirs).unwrap().changed);
    let scripts = (host.scripts)(hook, "/p/.clinerules/hooks/PreToolUse");
    let paths: Vec<&str> = scripts.iter().map(|script| script.path.as_str()).collect();
    assert_eq!(paths[0], "/p/.clinerules/hooks/PostToolUse");
    assert!(scripts.iter().all(|script| hosts::is_script(&script.text)));
    assert!(!hosts::is_script(theirs));
}

/// What is registered, with a program in the place of the hook that ends like this.
fn ends(host: &Host, body: &str) -> Reply {
    let dir = std::env::temp_dir().join(format!("by-page-{}-{}", host.id, std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let hook = dir.join("tollgate-hook");
    let hook = hook.to_str().unwrap();
    std::fs::write(hook, "").unwrap();
    let launch = Launch::Shell;
    let text = (host.install)(None, &Installation { hook, launch });
    let text = text.unwrap().text.unwrap();
    let script = (host.scripts)(hook, "")
        .into_iter()
        .map(|script| script.text)
        .next();
    let command = match serde_json::from_str::<Value>(&text) {
        Ok(settings) => command_in(&settings).or(script).unwrap(),
        Err(_) => text,
    };
    let command = command.replacen(&format!("'{hook}'"), &format!("sh -c '{body}'"), 1);
    let out = std::process::Command::new("/bin/sh")
        .args(["-c", &command])
        .output()
        .unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    Reply {
        stdout: out.stdout,
        stderr: out.stderr,
        code: out.status.code().unwrap(),
    }
}

/// The first command of ours in settings that stops a call.
fn command_in(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.contains("exit 2") => Some(text.clone()),
        Value::Object(members) => members.values().find_map(command_in),
        Value::Array(items) => items.iter().find_map(command_in),
        _ => None,
    }
}

/// A refusal is no fault, and a hook that ends badly is no refusal of ours; both stop the call.
#[test]
fn the_shell_around_a_hook_tells_a_fault_from_a_refusal() {
    for host in by_page().filter(|host| host.id != "cline") {
        for (body, is_fault) in [
            ("echo no >&2; exit 2", false),
            ("exit 1", true),
            ("exit 127", true),
        ] {
            let reply = ends(host, body);
            let words = String::from_utf8_lossy(&reply.stderr).into_owned();
            assert_eq!(
                words.contains("tollgate fault"),
                is_fault,
                "{} {words}",
                host.id
            );
            assert_eq!(words.contains("no\n"), !is_fault, "{} {words}", host.id);
            assert_eq!(reply.code, 2, "{}", host.id);
        }
        assert_eq!(ends(host, "exit 0"), Reply::default(), "{}", host.id);
    }
}

/// The shell says no where the hook is not there.
#[test]
fn a_program_without_its_hook_says_no() {
    let host = hosts::find("cline").unwrap();
    let installation = Installation {
        hook: "/nowhere/tollgate-hook",
        launch: Launch::Shell,
    };
    let text = (host.install)(None, &installation).unwrap().text.unwrap();
    let out = std::process::Command::new("/bin/sh")
        .args(["-c", &text])
        .output()
        .unwrap();
    let reply = Reply {
        stdout: out.stdout,
        stderr: Vec::new(),
        code: out.status.code().unwrap(),
    };
    assert_eq!((host.understood)(&reply), Level::Deny);
    let outcome = (CLINE.takes)("PreToolUse", &reply);
    assert!(matches!(outcome, Outcome::Stops(why) if why.starts_with("tollgate fault")));
}
