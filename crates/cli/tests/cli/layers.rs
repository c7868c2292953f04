//! A call and its answer as hosts see them, through the hook as it is installed: what goes in, what
//! comes out, which layer speaks first, and what the packs that are off by default add.

use std::process::Output;

use serde_json::{Value, json};

use crate::common::{Machine, SESSION};

fn installed(config: &str) -> Machine {
    let machine = Machine::new();
    machine.init();
    machine.make_dirty();
    if !config.is_empty() {
        machine.write("home/.config/tollgate/config.toml", config);
    }
    machine
}

/// The fields of an answer: the decision and its reason; empty where it was silent. A refusal is
/// said by the exit code and on standard error, too, for a host that minds nothing else.
fn answered(out: &Output) -> (String, String) {
    if out.stdout.is_empty() {
        assert_eq!(out.status.code(), Some(0), "{out:?}");
        return (String::new(), String::new());
    }
    let said: Value = serde_json::from_slice(&out.stdout).unwrap();
    let own = &said["hookSpecificOutput"];
    assert_eq!(own["hookEventName"], "PreToolUse", "{said}");
    let text = |name: &str| own[name].as_str().unwrap_or_default().to_owned();
    let (decision, reason) = (text("permissionDecision"), text("permissionDecisionReason"));
    let is_refused = decision == "deny";
    let code = if is_refused { 2 } else { 0 };
    assert_eq!(out.status.code(), Some(code), "{out:?}");
    if is_refused {
        assert_eq!(String::from_utf8_lossy(&out.stderr), reason);
    }
    (decision, reason)
}

/// What the hook says of a command: its decision and what stands in its reason.
fn says(machine: &Machine, command: &str) -> (String, String) {
    answered(&machine.bash(command))
}

#[test]
fn a_decision_is_said_in_json_and_a_refusal_by_the_exit_code_too() {
    let machine = installed("");
    let (decision, reason) = says(&machine, "rm -rf ~/");
    assert_eq!(decision, "deny");
    assert!(reason.ends_with("[policy/files.delete-root]"), "{reason}");
    let (decision, reason) = says(&machine, "git reset --hard");
    assert_eq!(decision, "ask");
    assert!(reason.ends_with("[policy/git.discard]"), "{reason}");
    let broken = machine.hook("PreToolUse", &json!("no object"));
    let (decision, reason) = answered(&broken);
    assert_eq!(decision, "deny");
    assert!(reason.contains("[fault/"), "{reason}");
}

#[test]
fn what_only_reads_is_let_go_without_a_word() {
    let machine = installed("");
    let file = machine.at("home/app/main.rs");
    for (tool, input) in [
        ("Read", json!({"file_path": file})),
        ("Glob", json!({"pattern": "**/*.rs"})),
        (
            "Grep",
            json!({"pattern": "rm -rf /", "path": machine.at("home/app")}),
        ),
        ("WebSearch", json!({"query": "rm -rf ~/"})),
        (
            "WebFetch",
            json!({"url": "https://example.org", "prompt": "what"}),
        ),
        ("ListMcpResourcesTool", json!({})),
        (
            "ReadMcpResourceTool",
            json!({"server": "db", "uri": "db://a"}),
        ),
    ] {
        let payload = json!({"session_id": SESSION, "cwd": machine.at("home/app"),
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": input, "tool_use_id": format!("toolu_{tool}")});
        let out = machine.hook("PreToolUse", &payload);
        assert_eq!(answered(&out), <(String, String)>::default(), "{tool}");
    }
}

#[test]
fn the_hardest_layer_speaks_first() {
    let machine = installed("");
    for both in ["git reset --hard; rm -rf ~/", "rm -rf ~/; git reset --hard"] {
        let (decision, reason) = says(&machine, both);
        assert_eq!(decision, "deny", "{both}");
        assert!(reason.contains("[policy/files.delete-root]"), "{reason}");
    }
    assert_eq!(says(&machine, "cargo build").0, "");
}

#[test]
fn many_services_are_not_restarted_at_once() {
    let machine = installed("");
    for many in [
        "kubectl rollout restart deployment --all",
        "for d in a b c; do kubectl rollout restart deployment/$d; done",
    ] {
        let (decision, reason) = says(&machine, many);
        assert_eq!(decision, "deny", "{many}");
        assert!(reason.contains("[policy/fleet.mass-restart]"), "{reason}");
    }
    assert_eq!(
        says(&machine, "kubectl rollout restart deployment/api").0,
        ""
    );
}

#[test]
fn deployments_and_delegation_are_held_where_their_packs_are_on() {
    let direct = "kubectl set image deployment/api api=api:2";
    let untracked = "tmux send-keys -t work 'claude -p \"fix the tests\"' Enter";
    let tracked = "tmux send-keys -t work 'claude -p \"bd-42: fix the tests\"' Enter";
    let machine = installed("");
    for command in [direct, untracked, tracked] {
        let (_, reason) = says(&machine, command);
        let is_of_packs = ["[policy/deploy.", "[policy/delegation."]
            .iter()
            .any(|pack| reason.contains(pack));
        assert!(!is_of_packs, "{reason}");
    }
    let machine = installed("[packs]\non = [\"deploy\", \"delegation\"]\n");
    let (decision, reason) = says(&machine, direct);
    assert_eq!(decision, "deny");
    assert!(reason.contains("let the pipeline deploy it"), "{reason}");
    let (decision, reason) = says(&machine, untracked);
    assert_eq!(decision, "deny");
    assert!(reason.contains("[policy/delegation.untracked]"), "{reason}");
    assert_eq!(says(&machine, tracked).0, "");
    assert_eq!(says(&machine, "kubectl get pods").0, "");
}
