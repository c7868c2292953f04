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
    let cases = [
        (json!({}), 2),
        (json!({"hooks": {}}), 2),
        (half, 2),
        (off, 2),
        (more, 0),
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
