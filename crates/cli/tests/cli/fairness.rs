//! The check is fair: what the checker is shown is enough to tell drift from honest work. Forty
//! short sessions are played; what their label rests on must stand in the request, and the requests
//! stand beside them for a reader.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::common::{Machine, SESSION};
use super::discipline::{Session, machine, said};

/// One session of the deck.
struct Scripted {
    name: String,
    label: String,
    why: Vec<String>,
    play: Vec<String>,
}

fn texts(value: &Value) -> Vec<String> {
    let all = value.as_array().unwrap().iter();
    all.map(|one| one.as_str().unwrap().to_owned()).collect()
}

fn fixture(name: &str) -> PathBuf {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/deck");
    PathBuf::from(dir).join(name)
}

fn deck() -> Vec<Scripted> {
    let text = fs::read_to_string(fixture("sessions.jsonl")).unwrap();
    let read = |line: &str| {
        let one: Value = serde_json::from_str(line).unwrap();
        Scripted {
            name: one["name"].as_str().unwrap().to_owned(),
            label: one["label"].as_str().unwrap().to_owned(),
            why: texts(&one["why"]),
            play: texts(&one["play"]),
        }
    };
    text.lines().map(read).collect()
}

/// A step of a script.
fn play(session: &Session<'_>, step: &str) {
    let (what, rest) = step.split_once(' ').unwrap_or((step, ""));
    let path = |name: &str| session.machine.at("home/app").join(name);
    let shell = |event: &str| {
        session.call(event, "Bash", json!({"command": rest}));
    };
    match what {
        "u:" => drop(session.prompt(rest)),
        "$" => shell("PostToolUse"),
        "!" => shell("PostToolUseFailure"),
        "r" => drop(session.call("PostToolUse", "Read", json!({"file_path": path(rest)}))),
        "w" => {
            let input = json!({"file_path": path(rest), "content": "x\n"});
            session.call("PostToolUse", "Write", input);
        }
        "e" => {
            let input = json!({"file_path": path(rest), "old_string": "a", "new_string": "b"});
            session.call("PostToolUse", "Edit", input);
        }
        "g" => grounded(session, rest),
        "a" => {
            let (asked, answer) = rest.split_once('=').unwrap();
            let more = json!({"tool_name": "AskUserQuestion", "tool_input": {"questions": []},
                "tool_use_id": step, "tool_response": {"answers": {asked: answer}}});
            session.event("PostToolUse", more);
        }
        "p" => drop(session.call("PostToolUse", "ExitPlanMode", json!({"plan": "move it"}))),
        "h" => {
            let (kind, read) = rest.split_once(" r ").unwrap();
            let more = json!({"agent_id": "x1", "agent_type": kind, "tool_name": "Read",
                "tool_input": {"file_path": path(read)}, "tool_use_id": step,
                "tool_response": {}});
            session.event("PostToolUse", more);
        }
        other => panic!("no such step: {other}"),
    }
}

/// The hydrator starts, looks around, and answers.
fn grounded(session: &Session<'_>, answer: &str) {
    session.spawns("tollgate:prompt-hydrator");
    let helper = json!({"agent_id": "h1", "agent_type": "tollgate:prompt-hydrator"});
    session.event("SubagentStart", helper.clone());
    let with = |more: Value| {
        let mut all = helper.clone();
        all.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        all
    };
    let read = json!({"tool_name": "Read", "tool_input": {"file_path": "/etc/hydrators-own"},
        "tool_use_id": "hr", "tool_response": {}});
    session.event("PostToolUse", with(read));
    session.event(
        "SubagentStop",
        with(json!({"last_assistant_message": answer})),
    );
    let spawn = json!({"subagent_type": "tollgate:prompt-hydrator", "description": "d",
        "prompt": "p"});
    session.call("PostToolUse", "Agent", spawn);
}

/// What the checker of a session is told was asked and done.
fn request(session: &Session<'_>) -> String {
    let check = session.spawns("tollgate:compliance");
    let input = said(&check)["hookSpecificOutput"]["updatedInput"].clone();
    assert_eq!(input["run_in_background"], false, "{input}");
    let prompt = input["prompt"].as_str().unwrap();
    let (_, rest) = prompt.split_once("\nBEGIN DATA ").unwrap();
    let (word, rest) = rest.split_once('\n').unwrap();
    let (told, _) = rest.split_once(&format!("\nEND DATA {word}")).unwrap();
    told.replace(session.machine.root.to_str().unwrap(), "")
}

fn a_session<'m>(machine: &'m Machine, number: usize) -> Session<'m> {
    let id = format!("5e55104e-0000-4000-8000-1{number:011}");
    Session {
        machine,
        id: Box::leak(id.into_boxed_str()),
    }
}

const NEVER_DUE: &str = "[compliance]\nafter = 1000\n";

#[test]
fn what_the_label_rests_on_stands_in_the_request() {
    let machine = machine("discipline", NEVER_DUE);
    let deck = deck();
    let drifting = deck.iter().filter(|one| one.label == "drift").count();
    assert_eq!((deck.len(), drifting), (40, 20));
    let mut all = String::from("# What the checker is shown of each session of the deck\n");
    for (number, one) in deck.iter().enumerate() {
        let session = a_session(&machine, number);
        one.play.iter().for_each(|step| play(&session, step));
        let told = request(&session);
        let mut rest = told.as_str();
        for why in &one.why {
            let found = told.contains(why.as_str());
            assert!(found, "{}: {why:?} is not in\n{told}", one.name);
            if why.starts_with("request: ") {
                rest = rest
                    .split_once(why.as_str())
                    .expect("requests in their order")
                    .1;
            }
        }
        assert!(!told.contains("prompt-hydrator"), "{told}");
        assert!(!told.contains("hydrators-own"), "{told}");
        assert!(!told.contains("workflow: none"), "{told}");
        all.push_str(&format!("\n## {}: {}\n\n{told}\n", one.label, one.name));
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(fixture("requests.md"), &all).unwrap();
    }
    let written = fs::read_to_string(fixture("requests.md")).unwrap_or_default();
    assert_eq!(all, written, "UPDATE=1 writes it");
}

/// The honest half, each call before it runs: our own text never stops it.
#[test]
fn the_honest_half_is_never_blocked() {
    let machine = machine(
        "discipline",
        "[compliance]\nafter = 20\ncount = \"changes\"\n",
    );
    let honest = deck().into_iter().filter(|one| one.label == "honest");
    for (number, one) in honest.enumerate() {
        let session = a_session(&machine, 100 + number);
        let mut is_owed = false;
        for step in &one.play {
            if is_owed && !step.starts_with("g ") && !step.starts_with("u:") {
                grounded(&session, "Gate: none\nPre-work: none\nApproach: direct");
            }
            is_owed = step.starts_with("u: ") && !step.starts_with("u: .");
            if let Some(name) = step.strip_prefix("e ") {
                let written = session.writes(name);
                let answer = said(&written)["hookSpecificOutput"].to_string();
                let is_ours = ["hydration/", "compliance/"]
                    .iter()
                    .any(|t| answer.contains(t));
                assert!(!is_ours, "{}: {step}: {answer}", one.name);
            }
            play(&session, step);
        }
    }
}

#[test]
fn what_was_done_is_counted_and_a_command_is_no_request() {
    let machine = machine("discipline", NEVER_DUE);
    let session = Session {
        machine: &machine,
        id: SESSION,
    };
    session.prompt("/model opus");
    session.prompt(". build the parser");
    (0..3).for_each(|_| play(&session, "! make parser"));
    let told = request(&session);
    assert!(told.contains("make parser × 3, failed 3"), "{told}");
    assert!(
        !told.contains("first request of the session: /model"),
        "{told}"
    );
    // What the checker is shown of its own start is nothing.
    assert!(!told.contains("compliance"), "{told}");
}

/// What a yes let run is the human's, not the worker's.
#[test]
fn what_the_human_let_run_is_shown_as_theirs() {
    let machine = machine("discipline", NEVER_DUE);
    let session = Session {
        machine: &machine,
        id: SESSION,
    };
    session.prompt(". go back to the last commit");
    let reset = json!({"command": "git reset --hard"});
    let asks = |id: &str| {
        let more = json!({"tool_name": "Bash", "tool_input": reset, "tool_use_id": id,
            "permission_mode": "bypassPermissions"});
        session.event("PreToolUse", more)
    };
    let notice = said(&asks("toolu_1"))["systemMessage"].to_string();
    let (_, rest) = notice.split_once("approve ").unwrap();
    let words: Vec<&str> = rest.split([' ', '"', '\\']).take(2).collect();
    machine
        .tollgate(&format!("approve {}", words.join(" ")))
        .shows(&["granted"])
        .run();
    assert_eq!(asks("toolu_2").status.code(), Some(0));
    let told = request(&session);
    assert!(
        told.contains("decided: the user let this run: git reset --hard"),
        "{told}"
    );
}

/// A call that was asked about in the host's own dialog and then ran: somebody said yes to it.
#[test]
fn a_yes_in_the_hosts_own_dialog_is_shown_as_the_humans() {
    let machine = machine("discipline", NEVER_DUE);
    let session = Session {
        machine: &machine,
        id: SESSION,
    };
    session.prompt(". go back to the last commit, then tidy up");
    let call = |event: &str, id: &str, command: &str| {
        let more = json!({"tool_name": "Bash", "tool_input": {"command": command},
            "tool_use_id": id, "tool_response": {}});
        said(&session.event(event, more))
    };
    let asked = call("PreToolUse", "toolu_asked", "git reset --hard");
    assert_eq!(asked["hookSpecificOutput"]["permissionDecision"], "ask");
    call("PostToolUse", "toolu_asked", "git reset --hard");
    // The host's own question; this one came back without a yes.
    call("PreToolUse", "toolu_own", "make tidy");
    call("PermissionRequest", "", "make tidy");
    call("PostToolUse", "toolu_own", "make tidy");
    call("PreToolUse", "toolu_no", "make publish");
    call("PermissionRequest", "", "make publish");
    call("PreToolUse", "toolu_plain", "ls");
    call("PostToolUse", "toolu_plain", "ls");
    let told = request(&session);
    for yes in ["git reset --hard", "make tidy"] {
        let line = format!("decided: the user let this run: {yes}\n");
        assert!(told.contains(&line), "{told}");
    }
    assert_eq!(told.matches("decided: ").count(), 2, "{told}");
}

/// Where a host has one event for every end, how a call ended is read from what it keeps of it.
#[test]
fn a_failure_is_shown_that_the_host_tells_only_in_its_session_file() {
    let machine = machine("discipline", NEVER_DUE);
    let transcript = machine.at("home/.codex/sessions/rollout.jsonl");
    let send = |event: &str, more: Value| {
        let mut payload = json!({"session_id": SESSION, "cwd": machine.at("home/app"),
            "hook_event_name": event, "transcript_path": transcript});
        let members = payload.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        machine.hook_of(("codex", event), &payload, &[])
    };
    send(
        "UserPromptSubmit",
        json!({"prompt": ". make the build pass"}),
    );
    for (number, exit) in [101, 101, 0].into_iter().enumerate() {
        let id = format!("call_{number}");
        let line = json!({"type": "event_msg", "payload": {"type": "exec_command_end",
            "call_id": id, "exit_code": exit}});
        machine.write("home/.codex/sessions/rollout.jsonl", format!("{line}\n"));
        let more = json!({"tool_name": "Bash", "tool_input": {"command": "cargo build"},
            "tool_use_id": id, "tool_response": ""});
        send("PostToolUse", more);
    }
    let more = json!({"tool_name": "spawn_agent", "tool_use_id": "call_check",
        "tool_input": {"message": "check", "agent_type": "tollgate_compliance"}});
    let told = said(&send("PreToolUse", more)).to_string();
    assert!(told.contains("cargo build × 2, failed 2"), "{told}");
    assert!(told.contains("- cargo build\\n"), "{told}");
}
