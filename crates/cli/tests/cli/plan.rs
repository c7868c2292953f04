//! `tollgate plan`: how a plan stands, who may start an assessment and who may do without.

use serde_json::{Value, json};

use super::common::{Machine, SESSION};

const PLAN: &str = "home/.claude/plans/fix-it.md";

/// A gated machine with a session in plan mode.
fn planning() -> Machine {
    let machine = Machine::new();
    machine.make_dirty();
    machine.init();
    machine.bash("git status && touch made");
    machine
}

/// A file that the agent's own tool wrote in plan mode.
fn written(machine: &Machine, path: &str, text: &str) {
    machine.write(path, text);
    let payload = json!({
        "session_id": SESSION, "hook_event_name": "PostToolUse", "permission_mode": "plan",
        "cwd": machine.at("home/app"), "tool_name": "Write", "tool_use_id": path,
        "tool_input": {"file_path": machine.at(path), "content": text}, "tool_response": {},
    });
    machine
        .tollgate("hook claude PostToolUse")
        .stdin(payload.to_string())
        .run();
}

fn stands(machine: &Machine, status: i32) -> Value {
    let test = machine.tollgate("plan status").status(status);
    test.json().into_iter().next().unwrap()
}

#[test]
fn a_plan_is_shown_with_what_is_next() {
    let machine = planning();
    let none = stands(&machine, 4);
    assert_eq!(
        (&none["status"], &none["plan_file"]),
        (&"pending".into(), &"".into())
    );
    machine
        .tollgate("plan status")
        .status(4)
        .shows(&[
            SESSION,
            "none was seen",
            ".gaps.md",
            "edit the plan file once",
        ])
        .run();
    written(&machine, PLAN, "# Fix it\n");
    let fresh = stands(&machine, 4);
    assert_eq!(fresh["reason"], "Assessment not yet run");
    assert!(
        fresh["next"].as_str().unwrap().contains("## Goals"),
        "{fresh}"
    );
    written(&machine, PLAN, "# Fix it\n\n## Goals\n\nIt works.\n");
    let gaps = format!("home/.claude/plans/rodin-plan-gate/{SESSION}.gaps.md");
    let next = stands(&machine, 4)["next"].to_string();
    assert!(next.contains("tollgate plan gap --none"), "{next}");
    machine
        .tollgate("plan gap --none")
        .shows(&["0 gaps", "next: start Agent"])
        .run();
    machine
        .tollgate("plan gap 'No way back' 'a failed step leaves half of it' --severity high")
        .shows(&["GAP-1 is written down", "next: start Agent"])
        .run();
    let known = machine.read(&gaps);
    assert!(
        known.starts_with("### GAP-1: No way back\n- **Severity**: high\n"),
        "{known}"
    );
    let gate = format!("home/.claude/plans/rodin-plan-gate/{SESSION}.gate.yml");
    assert!(machine.read(&gate).contains("reason: \"Gaps edited"));
    written(&machine, &gaps, "### GAP-1: speed\n- **Severity**: odd\n");
    machine
        .tollgate("plan status")
        .status(4)
        .shows(&[
            "~/.claude/plans/fix-it.md",
            "1 gap",
            "GAP-1 has no severity",
            "pending",
            "start Agent(subagent_type: \"tollgate:plan-critic\"",
        ])
        .run();
    machine
        .tollgate("plan assess")
        .status(4)
        .shows(&["next: start Agent"])
        .run();
    machine
        .tollgate("plan show")
        .shows(&[
            "It works.",
            "### GAP-1: speed",
            "has not seen this plan",
            "pending:",
        ])
        .run();
}

#[test]
fn anybody_starts_an_assessment_and_only_a_person_does_without() {
    let machine = planning();
    let worker = |line: &str| machine.tollgate(line).env("CLAUDECODE", "1");
    worker("plan start")
        .shows(&["started:", SESSION, "next:"])
        .run();
    assert_eq!(stands(&machine, 4)["started"], "command");
    machine
        .tollgate("status")
        .shows(&["1 plan", "tollgate plan status"])
        .run();
    worker("plan drop")
        .status(4)
        .complains(&["for you, not for an agent"])
        .run();
    machine
        .tollgate("plan drop")
        .shows(&["may be left without a verdict", SESSION])
        .run();
    let dropped = stands(&machine, 4);
    assert_eq!(
        (&dropped["started"], &dropped["waived"]),
        (&"".into(), &true.into())
    );
    machine.tollgate("log verify").shows(&["0 damaged"]).run();
}
