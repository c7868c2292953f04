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

/// A judge: finds that there is no way back, and holds what says so for known.
const JUDGE: &str = r#"prompt=$(cat)
case "$prompt" in
"You are the critic"*)
  printf '%s' "$prompt" > "$HOME/critic.txt"
  word=$(printf '%s\n' "$prompt" | sed -n 's/^### END //p' | head -n 1)
  printf '### FINDING-1: No way back FOUNDMARK\n- **Severity**: high\n'
  printf -- '- **Description**: a failed step leaves half of it\n\n### END %s\n' "$word" ;;
*)
  printf '%s' "$prompt" > "$HOME/validator.txt"
  word=$(printf '%s\n' "$prompt" | sed -n 's/^### VERDICT: PASS //p' | head -n 1)
  case "$prompt" in
  *GAPMARK*) printf '### VERDICT: PASS %s\n**Reason**: all is covered\n' "$word" ;;
  *) printf '### VERDICT: FAIL %s\n**Reason**: FINDING-1\n' "$word" ;;
  esac ;;
esac"#;

/// The end of the plan, as the client hands it over.
fn leaves(machine: &Machine) -> bool {
    let plan = machine.read(PLAN);
    let payload = json!({
        "session_id": SESSION, "hook_event_name": "PreToolUse", "permission_mode": "plan",
        "cwd": machine.at("home/app"), "tool_name": "ExitPlanMode", "tool_use_id": "leave",
        "tool_input": {"plan": plan, "planFilePath": machine.at(PLAN)},
    });
    let out = machine.hook("PreToolUse", &payload);
    let said = String::from_utf8_lossy(&out.stdout);
    assert_eq!(said.contains("[RODIN]"), said.contains("deny"), "{said}");
    !said.contains("deny")
}

#[test]
fn an_agent_outside_of_the_session_gives_the_verdict() {
    let machine = planning();
    machine.script("judge", JUDGE);
    let judge = machine.at("judge").display().to_string();
    let assess = || machine.tollgate("plan assess --with").arg(&judge);
    written(
        &machine,
        PLAN,
        "# Fix it\n\n## Goals\n\nIt works PLANMARK.\n",
    );
    machine.tollgate("plan start").shows(&["started:"]).run();
    assert!(!leaves(&machine));
    assess()
        .status(1)
        .complains(&["first write down each gap"])
        .run();
    machine
        .tollgate("plan gap Naming 'names may clash'")
        .shows(&["GAP-1"])
        .run();
    let found = &[
        "the command criticises fix-it",
        "No way back",
        "fail: Not covered: FINDING-1",
    ];
    assess().status(4).shows(found).run();
    let asked = machine.read("home/critic.txt");
    assert!(
        asked.contains("PLANMARK") && !asked.contains("names may clash"),
        "{asked}"
    );
    let asked = machine.read("home/validator.txt");
    assert!(
        asked.contains("FOUNDMARK") && !asked.contains("PLANMARK"),
        "{asked}"
    );
    assert!(!leaves(&machine));
    machine
        .tollgate("plan gap 'No way back GAPMARK' 'half of it may stay'")
        .shows(&["GAP-2"])
        .run();
    assess()
        .shows(&["pass: Gaps cover what the critic found"])
        .run();
    assert_eq!(stands(&machine, 0)["source"], "outside: command");
    assert!(leaves(&machine));
    // One byte more.
    machine.write(PLAN, "# Fix it\n\n## Goals\n\nIt works PLANMARK!\n");
    assert!(!leaves(&machine));
    machine.tollgate("log verify").shows(&["0 damaged"]).run();
}

#[test]
fn who_gives_no_answer_is_asked_once_more_and_then_it_fails() {
    let machine = planning();
    machine.script(
        "judge",
        "cat > /dev/null; echo x >> \"$HOME/asked\"; echo 'Looks fine.'",
    );
    let judge = machine.at("judge").display().to_string();
    written(&machine, PLAN, "# Fix it\n\n## Goals\n\nIt works.\n");
    machine.tollgate("plan gap --none").shows(&["0 gaps"]).run();
    machine
        .tollgate("plan assess --with")
        .arg(&judge)
        .status(1)
        .shows(&["asked once more", "no verdict: The critic gave no verdict"])
        .run();
    assert_eq!(machine.read("home/asked"), "x\nx\n");
    assert_eq!(stands(&machine, 4)["status"], "fail");
    // A worker chooses no command that judges its own plan.
    machine
        .tollgate("plan assess --with")
        .arg(&judge)
        .env("CLAUDECODE", "1")
        .status(1)
        .complains(&["in a terminal of your own"])
        .run();
}
