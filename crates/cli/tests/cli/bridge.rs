//! A host that starts no hooks: the plugin that `init` makes is ours alone, and what the hook says
//! to it is always an answer.

use serde_json::{Value, json};

use crate::common::Machine;

const BRIDGE: &str = "home/.config/opencode/plugins/tollgate.js";

fn answer(machine: &Machine, command: &str) -> Value {
    let payload = json!({
        "hook_event_name": "tool_before", "session_id": "ses_bridge", "call_id": "call_1",
        "cwd": machine.at("home/app"), "attended": false,
        "tool_name": "bash", "tool_input": {"command": command},
    });
    let out = machine.hook_of(("opencode", "tool_before"), &payload, &[]);
    assert!(out.status.success(), "{out:?}");
    serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{out:?}"))
}

#[test]
fn a_bridge_is_made_found_changed_and_taken_away() {
    let machine = Machine::new();
    let init = machine.tollgate("init --agent opencode --yes").shows(&[
        "Will make ~/.config/opencode/plugins/tollgate.js",
        "OpenCode: a refused call stayed undone",
    ]);
    init.run();
    let written = machine.read(BRIDGE);
    machine
        .tollgate("init --agent opencode")
        .shows(&["already as it should be", "stayed undone"])
        .run();
    machine.write(BRIDGE, written.replace("throw", "void"));
    machine
        .tollgate("doctor")
        .status(1)
        .shows(&["was changed so that it does not stop every call"])
        .run();
    let again = machine.tollgate("init --agent opencode --yes");
    again.shows(&["Will change", "stayed undone"]).run();
    assert_eq!(machine.read(BRIDGE), written);
    machine
        .tollgate("uninstall --agent opencode")
        .shows(&["OpenCode is no longer gated"])
        .run();
    assert!(!machine.at(BRIDGE).exists(), "an older bridge came back");
    let theirs = "export const X = async () => ({})\n";
    machine.write(BRIDGE, theirs);
    machine
        .tollgate("init --agent opencode --yes")
        .status(1)
        .shows(&[
            "Left out: OpenCode:",
            "was left as it is",
            "another's stands where the bridge goes",
        ])
        .complains(&["nothing was changed"])
        .run();
    assert_eq!(machine.read(BRIDGE), theirs);
}

#[test]
fn a_bridge_is_always_answered() {
    let machine = Machine::new();
    let init = machine.tollgate("init --agent opencode --yes");
    init.shows(&["more lines", "stayed undone"]).run();
    assert_eq!(answer(&machine, "ls"), json!({"go": true}));
    let refused = answer(&machine, "rm -rf ~");
    let reason = refused["deny"].as_str().unwrap_or_default();
    assert!(reason.contains("policy/"), "{refused}");
    machine.tollgate("off --for 5m").shows(&["off"]).run();
    assert_eq!(answer(&machine, "rm -rf ~"), json!({"go": true}));
}
