//! Tables that people write: which hold, what does not agree, workflows made of them, and the
//! request for a compliance check that shows them.

use std::time::{Duration, Instant};

use model::section::AnyStep;
use model::{
    Actor, Analysis, Decision, Effect, Event, EventKind, Facts, PermissionMode, Saved, Time,
};
use store::{Commit, Committed, Entry, Store};
use work::discipline::{ComplianceStep, Guidance, HydrationStep, TaskStep};

use crate::common::{Machine, SESSION};

const PROJECT: &str = "home/app/.tollgate/tables";
const USER: &str = "home/.config/tollgate/tables";
const NONCE: &str = "k3yw0rd-77";

const REMINDERS: &str = "\
## Skill Invocation Triggers
| Domain Signal | Skill | When to Invoke |
| --- | --- | --- |
| parsers | `parsing` | Any work on parsers |
";

#[test]
fn ours_hold_where_nobody_wrote_any() {
    let machine = Machine::new();
    let shown = [
        "REMINDERS.md  built-in",
        "RULES.md      built-in  11 guardrails",
        "AXIOMS.md     built-in  10 principles",
        "HEURISTICS.md built-in  10 principles",
        "WORKFLOWS.md  built-in",
    ];
    machine.tollgate("tables list").shows(&shown).run();
    let checked = "5 tables, 0 skills, 0 contradictions, 0 notes";
    machine.tollgate("tables check").shows(&[checked]).run();
}

#[test]
fn the_projects_hold_before_the_users_before_ours() {
    let machine = Machine::new();
    machine.write(&format!("{USER}/REMINDERS.md"), REMINDERS);
    machine.write(
        &format!("{USER}/AXIOMS.md"),
        "## One (A1)\n\nDo what was asked.\n",
    );
    machine.write(&format!("{PROJECT}/REMINDERS.md"), REMINDERS);
    let listed = machine.tollgate("tables list").json();
    let from = |file: &str| {
        let row = listed.iter().find(|row| row["table"] == file).unwrap();
        row["from"].as_str().unwrap().to_owned()
    };
    assert_eq!(from("REMINDERS.md"), "project");
    assert_eq!(from("AXIOMS.md"), "user");
    assert_eq!(from("RULES.md"), "built-in");
    // A link is followed by nobody's mistake: what is no file is said, not passed over.
    std::fs::create_dir_all(machine.at(&format!("{USER}/RULES.md"))).unwrap();
    let test = machine.tollgate("tables check").status(1);
    test.complains(&["cannot read a table", "RULES.md is not a regular file"])
        .run();
}

#[test]
fn what_does_not_agree_fails_the_check() {
    let machine = Machine::new();
    let rules = "\
### Guardrail Registry
| Guardrail | Heuristic | Failure Prevented | Instruction |
| --- | --- | --- | --- |
| `answer_only` | H1 | x | \"Answer.\" |
| `answer_only` | H1 | x | \"Answer.\" |

### Task Type → Guardrail Mapping
| Task Type | Guardrails Applied |
| --- | --- |
| `simple` | `be_nice` |
";
    machine.write(&format!("{PROJECT}/RULES.md"), rules);
    machine.write(&format!("{PROJECT}/REMINDERS.md"), REMINDERS);
    machine.write(
        "home/.claude/skills/other/SKILL.md",
        "---\nname: other\n---\n",
    );
    let test = machine.tollgate("tables check").status(1);
    let shown = [
        "REMINDERS.md:4: no skill `parsing` is installed",
        "RULES.md:1: gate plan-mode gives guardrail `plan_mode`, which is not registered",
        "RULES.md:5: guardrail `answer_only` is registered in line 4 already",
        "RULES.md:10: `simple` names guardrail `be_nice`, which is not registered",
        "5 tables, 1 skill, ",
        " contradictions, 0 notes",
    ];
    test.shows(&shown).run();
    // A directory of one's own, and where its skills lie.
    machine.write("home/app/sub/REMINDERS.md", REMINDERS);
    machine.write(
        "home/app/skills/parsing/SKILL.md",
        "---\nname: parsing\n---\n",
    );
    let checked = "5 tables, 1 skill, 0 contradictions, 0 notes";
    machine
        .tollgate("tables check sub --skills skills")
        .shows(&[checked])
        .run();
    let test = machine.tollgate("tables check skills").status(1);
    test.complains(&["there is no table in skills"]).run();
    let found = machine.tollgate("tables check").status(1).json();
    assert!(
        found
            .iter()
            .any(|one| one["contradiction"] == true && one["line"] == 10)
    );
}

#[test]
fn workflows_are_made_of_rules_and_skills_and_grow_old() {
    let machine = Machine::new();
    let skill = "---\nname: parsing\ndescription: Any work on parsers\n---\n# Parsing\n";
    machine.write("home/app/.claude/skills/parsing/SKILL.md", skill);
    let shown = [
        "### Gate",
        "| plan-mode | ",
        "`plan_mode`, `critic_review` |",
        "### Approach",
        "| Any work on parsers | [[parsing]] |",
    ];
    let made = machine.tollgate("tables workflows").shows(&shown).run();
    machine.write(&format!("{PROJECT}/WORKFLOWS.md"), &made);
    let good = "5 tables, 1 skill, 0 contradictions, 0 notes";
    machine.tollgate("tables check").shows(&[good]).run();
    machine.write(
        "home/app/.claude/skills/other/SKILL.md",
        "---\nname: other\n---\n",
    );
    let shown = [
        "note: ",
        "WORKFLOWS.md:1: RULES.md or the skills have changed since",
    ];
    machine.tollgate("tables check").shows(&shown).run();
    let test = machine.tollgate("tables workflows nowhere").status(1);
    test.complains(&["there is no directory nowhere"]).run();
}

/// Has a session remember steps.
fn remember(machine: &Machine, steps: Vec<AnyStep>) {
    let store = Store::open(&machine.at("state")).unwrap();
    let effects = steps.into_iter().map(Effect::Step);
    let decision = Decision {
        findings: Vec::new(),
        effects: effects.collect(),
    };
    let event = Event {
        host: "claude",
        session: SESSION.to_owned(),
        call_id: "toolu_steps".to_owned(),
        actor: Actor::Main,
        mode: PermissionMode::Default,
        attended: false,
        asks: false,
        cwd: machine.at("home/app").to_str().unwrap().to_owned(),
        transcript: String::new(),
        time: Time(1_700_000_000_000),
        kind: EventKind::Other {
            name: String::from("test"),
        },
    };
    let known = store.session(SESSION).unwrap().value;
    let commit = Commit {
        project: "app",
        dir: &event.cwd,
        known: &known,
        inert: false,
        entry: Entry {
            event: &event,
            analysis: &Analysis::default(),
            facts: &Facts::default(),
            decision: &decision,
            faults: &[],
            saved: &Saved::NotTried,
            rules: "test",
            micros: 1,
            cause: "",
            reply: 0,
        },
    };
    let done = store.commit(&commit).unwrap();
    assert!(matches!(done, Committed::Done { .. }), "{done:?}");
}

/// A session that was asked for a parser, and did something.
fn worked(machine: &Machine) {
    let called = |line: &str| TaskStep::Called {
        line: line.to_owned(),
        error: String::new(),
        touched: String::new(),
        failed: false,
    };
    let guidance = Guidance {
        gate: "none".into(),
        pre_work: "none".into(),
        approach: "tdd".into(),
        skills: Vec::new(),
        guardrails: vec!["require_acceptance_test".into()],
        note: String::new(),
    };
    let prompted = TaskStep::Prompted {
        text: "write a parser".into(),
        scope: true,
    };
    let answered = HydrationStep::Answered {
        guidance: Box::new(guidance),
        note: String::new(),
        time: Time(1),
    };
    remember(
        machine,
        vec![
            prompted.into(),
            answered.into(),
            TaskStep::Grounded {
                way: "gate=none pre-work=none approach=tdd".into(),
                guardrails: vec!["require_acceptance_test".into()],
            }
            .into(),
            called("Bash export TOKEN=ghp_0123456789abcdefghij0123456789abcdef").into(),
            ComplianceStep::Counted {}.into(),
            called("Write parser.rs").into(),
            ComplianceStep::Counted {}.into(),
        ],
    );
}

#[test]
fn a_compliance_request_is_made_of_what_is_remembered() {
    let machine = Machine::new();
    worked(&machine);
    let line = format!("compliance --session {SESSION} --nonce {NONCE}");
    let shown = [
        "# Compliance check",
        "1. request: write a parser",
        "gate=none pre-work=none approach=tdd",
        "- Write parser.rs",
        "- require_acceptance_test: Write the test",
        "- Acceptance comes first (A4)",
        "2 ordinary calls since the last check",
        "### VERDICT: OK k3yw0rd-77",
        "\nEND OF REQUEST k3yw0rd-77\n",
    ];
    let begun = Instant::now();
    let text = machine.tollgate(&line).shows(&shown).run();
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    assert!(!text.contains("ghp_"), "a secret stands in it: {text}");
    assert!(text.contains("TOKEN=<secret:"), "{text}");
    assert!(!text.contains("todo items"), "{text}");
    // The word comes in where no list of processes shows it.
    let line = format!("compliance --session {SESSION} --nonce -");
    let same = machine.tollgate(&line).stdin(NONCE).shows(&shown).run();
    assert_eq!(same, text);
}

#[test]
fn todo_items_are_held_against_the_table_of_skills() {
    let machine = Machine::new();
    worked(&machine);
    machine.write(&format!("{USER}/REMINDERS.md"), REMINDERS);
    let todo = |text: &str, status: &str| serde_json::json!({"content": text, "status": status, "activeForm": text});
    let record = serde_json::json!({
        "type": "assistant", "sessionId": SESSION, "uuid": "u1",
        "timestamp": "2026-11-28T06:00:00.000Z", "cwd": machine.at("home/app"),
        "message": {"role": "assistant", "content": [{
            "type": "tool_use", "id": "toolu_1", "name": "TodoWrite",
            "input": {"todos": [
                todo("mend the parsers", "pending"),
                todo("older parsers", "completed"),
            ]},
        }]},
    });
    let path = "home/.claude/projects/-app/session.jsonl";
    machine.write(path, format!("{record}\n"));
    let line = format!("compliance --session {SESSION} --nonce {NONCE} --host claude");
    let test = machine
        .tollgate(&line)
        .arg("--transcript")
        .arg(machine.at(path));
    let shown = [
        "todo items:\n- mend the parsers\n",
        "- mend the parsers: skill parsing (Any work on parsers)",
    ];
    let text = test.shows(&shown).run();
    assert!(!text.contains("older parsers"), "{text}");
    // A session file that is not there leaves them unknown.
    let test = machine
        .tollgate(&line)
        .arg("--transcript")
        .arg(machine.at("gone.jsonl"));
    let text = test.shows(&["END OF REQUEST"]).run();
    assert!(!text.contains("todo items"), "{text}");
}

#[test]
fn templates_of_ones_own_count_and_those_of_a_project_do_not() {
    let machine = Machine::new();
    worked(&machine);
    let line = format!("compliance --session {SESSION} --nonce {NONCE}");
    let template = |head: &str| {
        let forms =
            ["OK", "WARN", "BLOCK"].map(|word| format!("### VERDICT: {word} {{{{ nonce }}}}"));
        format!("{head}\n{}\n", forms.join("\n"))
    };
    machine.write(
        "home/app/.tollgate/templates/compliance.j2",
        template("Theirs"),
    );
    machine.tollgate(&line).shows(&["# Compliance check"]).run();
    let own = "home/.config/tollgate/templates/compliance.j2";
    machine.write(own, template("{% include 'head.j2' %} {{ intent }}"));
    machine.write("home/.config/tollgate/templates/head.j2", "Mine:");
    machine
        .tollgate(&line)
        .shows(&["Mine: write a parser\n### VERDICT: OK k3yw0rd-77"])
        .run();
    machine.write(own, "one\n{{ wish }}\n");
    let test = machine.tollgate(&line).status(1);
    test.complains(&["compliance.j2 line 2: undefined value"])
        .run();
}

#[test]
fn what_cannot_be_asked_is_an_error() {
    let machine = Machine::new();
    let line = format!("compliance --session {SESSION} --nonce {NONCE}");
    let test = machine.tollgate(&line).status(1);
    test.complains(&["no session", "is remembered"]).run();
    worked(&machine);
    let line = format!("compliance --session {SESSION} --nonce short");
    let test = machine.tollgate(&line).status(1);
    test.complains(&["the word to be repeated needs 8 to 64 letters"])
        .run();
}
