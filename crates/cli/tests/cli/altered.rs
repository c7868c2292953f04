//! What becomes of a call that another hook changed after it was judged.

use std::fs;

use serde_json::{Value, json};

use crate::common::{Machine, SESSION};

/// The end of a call that was judged, with the input that ran.
fn after(machine: &Machine, before: &Value, command: &str) -> Value {
    let mut payload = before.clone();
    payload["hook_event_name"] = "PostToolUse".into();
    payload["tool_input"]["command"] = command.into();
    payload["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
    let answer = machine.hook("PostToolUse", &payload);
    serde_json::from_slice(&answer.stdout).unwrap_or_default()
}

#[test]
fn another_input_than_the_one_that_was_judged_is_told_at_once() {
    let machine = Machine::new();
    machine.init();
    machine.write("home/app/data/a.txt", "work\n");
    let before = machine.payload("ls data");
    machine.hook("PreToolUse", &before);
    fs::remove_dir_all(machine.at("home/app/data")).unwrap();
    let said = after(&machine, &before, "rm -r data");
    let notice = said["systemMessage"].as_str().unwrap();
    for part in [
        "rm -r data ran, and was not judged",
        "ls data",
        "Gone now",
        "app/data",
    ] {
        assert!(notice.contains(part), "{notice}");
    }
    machine
        .tollgate("log --level altered")
        .shows(&["altered", "rm -r data"])
        .run();
    // What ran as it was judged is not worth a word.
    let plain = machine.payload("ls .");
    machine.hook("PreToolUse", &plain);
    assert_eq!(after(&machine, &plain, "ls ."), Value::Null);
}

#[test]
fn coverage_does_not_count_it_as_judged() {
    let machine = Machine::new();
    machine.init();
    let before = machine.payload("touch a.txt");
    machine.hook("PreToolUse", &before);
    after(&machine, &before, "touch b.txt");
    let id = before["tool_use_id"].as_str().unwrap();
    let now = text::date::timestamp(edge::surroundings::now().0);
    let common = json!({
        "sessionId": SESSION, "cwd": machine.at("home/app"), "version": "2.1.332",
        "timestamp": now, "isSidechain": false, "userType": "external",
    });
    let line = |kind: &str, message: Value| {
        let mut line = common.clone();
        line["type"] = kind.into();
        line["message"] = message;
        line.to_string()
    };
    let call = json!({"role": "assistant", "content": [{"type": "tool_use", "id": id,
        "name": "Bash", "input": {"command": "touch b.txt"}}]});
    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id,
        "content": ""}]});
    let lines = [line("assistant", call), line("user", result)].join("\n");
    machine.write(
        &format!("home/.claude/projects/app/{SESSION}.jsonl"),
        lines + "\n",
    );
    machine
        .tollgate("doctor --coverage")
        .status(1)
        .shows(&[
            "1 missed",
            "another hook made of it",
            "doctor names the hooks beside ours",
        ])
        .run();
}

#[test]
fn hooks_beside_ours_are_named() {
    let machine = Machine::new();
    let other = json!({"hooks": {"PreToolUse": [{"matcher": "Bash",
        "hooks": [{"type": "command", "command": "/opt/rewriter --fast"}]}]}});
    machine.write("home/.claude/settings.json", other.to_string());
    machine
        .tollgate("init --yes")
        .shows(&[
            "note:",
            "asks another hook before a call",
            "/opt/rewriter --fast",
        ])
        .run();
    machine
        .tollgate("doctor")
        .shows(&[
            "note",
            "asks another hook before a call",
            "/opt/rewriter --fast",
            "alive",
        ])
        .run();
}

/// A session of Gemini CLI, whose hooks are told no ids of calls.
struct Nameless {
    machine: Machine,
}

impl Nameless {
    fn new() -> Self {
        let machine = Machine::new();
        machine.script("path/gemini", "echo 0.61.0");
        let init = "init --yes --agent gemini";
        machine.tollgate(init).shows(&["stayed undone"]).run();
        Self { machine }
    }

    fn tells(&self, event: &str, command: &str) -> Value {
        let time = text::date::timestamp(edge::surroundings::now().0);
        let mut payload = json!({"session_id": "nameless", "cwd": self.machine.at("home/app"),
            "hook_event_name": event, "timestamp": time, "transcript_path": "",
            "tool_name": "run_shell_command", "tool_input": {"command": command}});
        if event == "AfterTool" {
            payload["tool_response"] = json!({"llmContent": "", "returnDisplay": ""});
        }
        let answer = self.machine.hook_of(("gemini", event), &payload, &[]);
        serde_json::from_slice(&answer.stdout).unwrap_or_default()
    }

    fn begins(&self, command: &str) {
        self.tells("BeforeTool", command);
    }

    /// What the human is told at its end.
    fn ends(&self, command: &str) -> String {
        let said = self.tells("AfterTool", command);
        said["systemMessage"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

#[test]
fn where_calls_have_no_ids_the_one_that_is_open_is_meant() {
    let session = Nameless::new();
    session.begins("ls data");
    assert!(
        session
            .ends("rm -r data")
            .contains("what was judged is ls data")
    );
    // The end of that call is known, so that the next is not taken for it.
    session.begins("ls .");
    assert_eq!(session.ends("ls ."), "");
    // Calls may end in another order, and equal ones may be noted as one.
    for command in ["touch a", "touch b", "touch b"] {
        session.begins(command);
    }
    for command in ["touch b", "touch a", "touch b"] {
        assert_eq!(session.ends(command), "", "{command}");
    }
    // What was refused does not run, so that nothing is its end.
    session.begins("rm -rf ~/");
    session.begins("pwd");
    assert!(session.ends("date").contains("what was judged is pwd"));
    assert_eq!(session.ends("whoami"), "");
}

#[test]
fn what_stands_in_files_beside_ours_is_named() {
    for (agent, version, file, text, said) in [
        (
            "copilot",
            "1.0.102",
            "home/.copilot/hooks/other.json",
            r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "/opt/it"}]}}"#,
            "asks another hook before a call, too",
        ),
        (
            "opencode",
            "1.18.33",
            "home/.config/opencode/plugins/other.ts",
            "export const Other = async () => ({})",
            "runs another plugin, too",
        ),
    ] {
        let machine = Machine::new();
        machine.script(&format!("path/{agent}"), &format!("echo {version}"));
        machine.write(file, text);
        let init = format!("init --yes --agent {agent}");
        let name = file.rsplit_once('/').unwrap().1;
        machine.tollgate(&init).shows(&["note:", said, name]).run();
        machine
            .tollgate("doctor")
            .shows(&["note", said, name])
            .run();
    }
}
