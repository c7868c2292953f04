//! What the hook says to a change of the host's settings while it runs.

use serde_json::{Value, json};

use crate::common::{Machine, SESSION, SETTINGS};

/// The exit status of the hook when the user's settings were changed to this.
fn answer(machine: &Machine, settings: &str) -> Option<i32> {
    machine.write(SETTINGS, settings);
    let payload = json!({
        "session_id": SESSION, "cwd": machine.at("home/app"), "hook_event_name": "ConfigChange",
        "source": "user_settings", "file_path": machine.at(SETTINGS),
    });
    machine.hook("ConfigChange", &payload).status.code()
}

/// A machine where `init` was run, and the settings that it wrote.
fn gated() -> (Machine, Value) {
    let machine = Machine::new();
    machine.init();
    let settings = serde_json::from_str(&machine.read(SETTINGS)).unwrap();
    (machine, settings)
}

#[test]
fn what_takes_the_hook_away_is_refused() {
    let (machine, ours) = gated();
    let mut half = ours.clone();
    half["hooks"]["PreToolUse"] = json!([]);
    let mut off = ours.clone();
    off["disableAllHooks"] = json!(true);
    let mut more = ours.clone();
    more["model"] = json!("opus");
    let mut others = ours.clone();
    others["hooks"]["Stop"] = json!([{"hooks": [{"type": "command", "command": "say done"}]}]);
    others["hooks"]["PreToolUse"]
        .as_array_mut()
        .unwrap()
        .insert(
            0,
            json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}),
        );
    // As an older `init` wrote it: it gates every call.
    let mut older = ours.clone();
    for event in [
        "UserPromptSubmit",
        "SubagentStart",
        "SubagentStop",
        "SessionEnd",
    ] {
        assert!(
            older["hooks"]
                .as_object_mut()
                .unwrap()
                .remove(event)
                .is_some(),
            "{event}"
        );
    }
    let mut deaf = ours.clone();
    deaf["hooks"]
        .as_object_mut()
        .unwrap()
        .remove("SessionStart");
    let cases = [
        (json!({}), 2),
        (json!({"hooks": {}}), 2),
        (half, 2),
        (off, 2),
        (deaf, 2),
        (more, 0),
        (others, 0),
        (older, 0),
        (ours, 0),
    ];
    for (settings, expected) in cases {
        let text = settings.to_string();
        assert_eq!(answer(&machine, &text), Some(expected), "{text}");
    }
}

#[test]
fn a_hook_that_no_file_ever_registered_is_no_reason_to_refuse() {
    let (machine, _) = gated();
    machine
        .tollgate("uninstall")
        .shows(&["no longer gated"])
        .run();
    for (settings, expected) in [("{}", 0), ("{\"disableAllHooks\": true}", 2)] {
        assert_eq!(answer(&machine, settings), Some(expected), "{settings}");
    }
}

#[test]
fn a_hook_that_a_person_registered_is_not_taken_away_in_silence() {
    let (machine, ours) = gated();
    machine
        .tollgate("uninstall")
        .shows(&["no longer gated"])
        .run();
    let path = "home/app/.claude/settings.json";
    machine.write(path, ours.to_string());
    let start = json!({"session_id": SESSION, "cwd": machine.at("home/app"),
        "hook_event_name": "SessionStart", "source": "startup"});
    assert_eq!(machine.hook("SessionStart", &start).status.code(), Some(0));
    let change = json!({
        "session_id": SESSION, "cwd": machine.at("home/app"), "hook_event_name": "ConfigChange",
        "source": "project_settings", "file_path": machine.at(path),
    });
    let answer = |text: &str| {
        machine.write(path, text);
        machine.hook("ConfigChange", &change).status.code()
    };
    assert_eq!(answer(&ours.to_string()), Some(0));
    assert_eq!(answer("{}"), Some(2));
    // Who starts without it knows that.
    machine.hook("SessionStart", &start);
    assert_eq!(answer("{\"model\": \"opus\"}"), Some(0));
}
