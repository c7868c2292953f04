//! Hosts that start programs of one line: `init` makes them, `doctor` misses them, `uninstall`
//! takes them away.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::{Machine, SESSION, SETTINGS};

const CLINE: &str = "home/Documents/Cline/Hooks/PreToolUse";
const AMP: &str = "home/.config/amp/settings.json";

fn can_be_started(machine: &Machine, path: &str) -> bool {
    let mode = fs::metadata(machine.at(path)).unwrap().permissions().mode();
    mode & 0o111 == 0o111
}

/// What a program says to a payload, as a host would start it.
fn said(machine: &Machine, program: &str, payload: &Value) -> (String, String, i32) {
    let mut program = Command::new(machine.at(program));
    program.env_clear().env("HOME", machine.at("home"));
    program
        .env("PATH", "/usr/bin:/bin")
        .current_dir(machine.at("home/app"));
    program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    // A program whose hook is gone reads nothing.
    drop(serde_json::to_writer(child.stdin.take().unwrap(), payload));
    let out = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        text(out.stdout),
        text(out.stderr),
        out.status.code().unwrap(),
    )
}

#[test]
fn a_program_for_each_event_is_made_and_taken_away() {
    let machine = Machine::new();
    let init = machine.tollgate("init --agent cline --yes").shows(&[
        "Will make ~/Documents/Cline/Hooks/PreToolUse",
        "Will make ~/Documents/Cline/Hooks/PostToolUse",
        "Cline: a refused call stayed undone",
    ]);
    init.run();
    assert!(can_be_started(&machine, CLINE));
    let call = |command: &str| {
        let part = json!({"toolName": "execute_command", "parameters": {"command": command}});
        let payload = json!({"hookName": "PreToolUse", "taskId": "t1", "preToolUse": part,
            "workspaceRoots": [machine.at("home/app")]});
        let (out, err, code) = said(&machine, CLINE, &payload);
        assert_eq!((err.as_str(), code), ("", 0));
        serde_json::from_str::<Value>(&out).unwrap()
    };
    assert_eq!(call("ls"), json!({"cancel": false}));
    let refused = call("rm -rf ~/");
    assert_eq!(refused["cancel"], true);
    assert!(
        refused["errorMessage"]
            .as_str()
            .unwrap()
            .contains("[policy/files."),
        "{refused}"
    );
    fs::remove_file(machine.at("state/bin/tollgate-hook")).unwrap();
    let part = json!({"toolName": "execute_command", "parameters": {"command": "ls"}});
    let (out, ..) = said(&machine, CLINE, &json!({"preToolUse": part}));
    assert!(
        out.contains("tollgate fault, not a policy decision"),
        "{out}"
    );
    machine
        .tollgate("uninstall --agent cline")
        .shows(&["PostToolUse: removed", "Cline is no longer gated"])
        .run();
    let left = fs::read_dir(machine.at("home/Documents/Cline/Hooks")).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn a_program_stands_between_a_host_and_the_hook() {
    let machine = Machine::new();
    machine.write(AMP, "{\n  \"amp.url\": \"x\"\n}\n");
    let init = machine.tollgate("init --agent amp --yes").shows(&[
        "Will change ~/.config/amp/settings.json",
        "Will make [ROOT]/state/bin/tollgate-hook-amp",
        "Amp: a refused call stayed undone",
    ]);
    init.run();
    let between = "state/bin/tollgate-hook-amp";
    assert!(can_be_started(&machine, between));
    let call = |command: &str| {
        let payload = json!({"cmd": command, "cwd": machine.at("home/app")});
        said(&machine, between, &payload)
    };
    assert_eq!(call("ls"), (String::new(), String::new(), 0));
    let (_, err, code) = call("rm -rf ~/");
    assert!(
        code == 2 && err.ends_with("[policy/files.delete-root]"),
        "{code} {err}"
    );
    fs::remove_file(machine.at(between)).unwrap();
    machine
        .tollgate("doctor")
        .status(1)
        .shows(&["tollgate-hook-amp: missing or changed"])
        .run();
    machine
        .tollgate("init --agent amp --yes")
        .shows(&["Will make", "stayed undone"])
        .run();
    machine
        .tollgate("uninstall --agent amp")
        .shows(&["tollgate-hook-amp: removed", "Amp is no longer gated"])
        .run();
    assert_eq!(machine.read(AMP), "{\n  \"amp.url\": \"x\"\n}\n");
}

#[test]
fn another_program_in_the_place_of_ours_is_told_by_every_command() {
    let machine = Machine::new();
    machine.init();
    machine.tollgate("status").shows(&[""]).run();
    let hook = machine.at("state/bin/tollgate-hook");
    std::fs::remove_file(&hook).unwrap();
    std::fs::copy("/bin/true", &hook).unwrap();
    let words = ["tollgate-hook is not the program that tollgate init put there"];
    for line in ["status", "log", "undo list"] {
        machine.tollgate(line).shows(&[""]).complains(&words).run();
    }
    machine.tollgate("doctor").status(1).shows(&words).run();
    machine.init();
    machine.tollgate("status").shows(&[""]).run();
    std::fs::remove_file(&hook).unwrap();
    let gone = ["tollgate-hook is gone"];
    machine
        .tollgate("status")
        .shows(&[""])
        .complains(&gone)
        .run();
}

/// What the second program says that settings have the host start with a session.
fn watched(machine: &Machine) -> Value {
    let settings: Value = serde_json::from_str(&machine.read(SETTINGS)).unwrap();
    let groups = settings["hooks"]["SessionStart"].as_array().unwrap();
    let handler = &groups.last().unwrap()["hooks"][0];
    let words = handler["args"].as_array().unwrap().iter();
    let mut command = Command::new(handler["command"].as_str().unwrap());
    command.args(words.map(|word| word.as_str().unwrap()));
    // Where its state is, it knows by its own place.
    command.env("TOLLGATE_HOME", machine.at("elsewhere"));
    let out = command
        .current_dir(machine.at("home/app"))
        .output()
        .unwrap();
    assert!(out.status.success() && out.stderr.is_empty(), "{out:?}");
    serde_json::from_slice(&out.stdout).unwrap_or_default()
}

#[test]
fn each_of_our_programs_looks_at_the_other_as_a_session_starts() {
    let machine = Machine::new();
    machine.init();
    let start = json!({"session_id": SESSION, "cwd": machine.at("home/app"),
        "hook_event_name": "SessionStart", "source": "startup"});
    let started = || {
        let said = machine.hook("SessionStart", &start);
        serde_json::from_slice::<Value>(&said.stdout).unwrap_or_default()
    };
    assert_eq!((started(), watched(&machine)), (Value::Null, Value::Null));
    let hook = machine.at("state/bin/tollgate-hook");
    let own = machine.at("state/bin/tollgate");
    for (change, told) in [
        (
            true,
            "tollgate-hook is not the program that tollgate init put there",
        ),
        (false, "tollgate-hook is gone"),
    ] {
        fs::remove_file(&hook).unwrap();
        if change {
            fs::copy("/bin/true", &hook).unwrap();
        }
        let said = watched(&machine);
        let notice = said["systemMessage"].as_str().unwrap();
        assert!(
            notice.contains(told) && notice.contains("tollgate init"),
            "{notice}"
        );
        machine.init();
        assert_eq!(watched(&machine), Value::Null);
    }
    fs::remove_file(&own).unwrap();
    fs::copy("/bin/true", &own).unwrap();
    assert_eq!(watched(&machine), Value::Null);
    let said = started();
    let notice = said["systemMessage"].as_str().unwrap();
    let told = "bin/tollgate is not the program that tollgate init put there";
    assert!(notice.contains(told), "{notice}");
    machine.init();
    machine
        .tollgate("uninstall")
        .shows(&["no longer gated"])
        .run();
    assert!(!machine.at(SETTINGS).exists());
}
