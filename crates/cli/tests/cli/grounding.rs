//! What is demanded is told, and waited for: the helper that grounds a prompt, from its start to
//! what the worker hears of its answer.

use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::common::{Machine, SESSION};
use super::discipline::{Session, context, is_denied, machine, said};

const TASK: &str = "Make main.rs print the number of lines it read";
const ANSWER: &str = "Gate: none\nPre-work: none\nApproach: tdd\nSkill(s): wizardry\n\
                      Guardrails: criteria_gate, be_nice\n";

fn session(machine: &Machine) -> Session<'_> {
    Session {
        machine,
        id: SESSION,
    }
}

fn reason(out: &std::process::Output) -> String {
    let reason = said(out)["hookSpecificOutput"]["permissionDecisionReason"].clone();
    reason.as_str().unwrap_or_default().to_owned()
}

fn helper() -> Value {
    json!({"agent_id": "h1", "agent_type": "tollgate:prompt-hydrator"})
}

fn ends(session: &Session<'_>, answer: &str) {
    let mut ends = helper();
    ends["last_assistant_message"] = answer.into();
    session.event("SubagentStop", ends);
}

#[test]
fn the_helper_runs_in_the_foreground_and_gets_its_request_once() {
    let machine = machine("discipline", "");
    let session = session(&machine);
    session.prompt(TASK);
    let spawned = session.spawns("tollgate:prompt-hydrator");
    let input = said(&spawned)["hookSpecificOutput"]["updatedInput"].clone();
    assert_eq!(input["run_in_background"], false, "{input}");
    let prompt = input["prompt"].as_str().unwrap();
    assert!(prompt.contains("# Context for a prompt"), "{prompt}");
    assert!(!prompt.contains("Context file:"), "{prompt}");
    assert_eq!(prompt.matches(TASK).count(), 1, "{prompt}");
}

#[test]
fn changes_wait_for_a_helper_that_runs_beside_and_reading_does_not() {
    let machine = machine("discipline", "");
    let session = session(&machine);
    session.prompt(TASK);
    assert!(!is_denied(&session.spawns("tollgate:prompt-hydrator")));
    session.event("SubagentStart", helper());
    assert!(!is_denied(&session.reads()));
    let held = session.writes("new.rs");
    assert!(is_denied(&held));
    let why = reason(&held);
    assert!(why.contains("has not answered yet") && why.contains("Wait for its end"));
    ends(&session, ANSWER);
    assert!(!is_denied(&session.writes("new.rs")));
}

#[test]
fn a_helper_that_never_answers_holds_for_a_set_time() {
    let machine = machine("discipline", "[hydration]\nwait = 1\n");
    let session = session(&machine);
    session.prompt(TASK);
    session.spawns("tollgate:prompt-hydrator");
    assert!(is_denied(&session.writes("new.rs")));
    sleep(Duration::from_millis(1_100));
    assert!(!is_denied(&session.writes("new.rs")));
}

#[test]
fn a_helper_that_cannot_start_holds_nobody_and_both_hear_why() {
    let machine = machine("discipline", "");
    let session = session(&machine);
    session.prompt(TASK);
    let input = json!({"subagent_type": "tollgate:prompt-hydrator", "description": "d",
        "prompt": "p"});
    let mut more = json!({"tool_name": "Agent", "tool_input": input, "tool_use_id": "toolu_h"});
    session.event("PreToolUse", more.clone());
    more["error"] = "Agent type 'tollgate:prompt-hydrator' not found".into();
    let failed = session.event("PostToolUseFailure", more);
    let notice = said(&failed)["systemMessage"].to_string();
    assert!(
        notice.contains("not grounded") && notice.contains("not found"),
        "{notice}"
    );
    let goes = session.writes("new.rs");
    assert!(!is_denied(&goes));
    let told = [context(&failed), context(&goes)].concat();
    assert!(
        told.contains("which failed") && told.contains("not found"),
        "{told}"
    );
    assert_eq!(session.kept("hydration")["state"], "released");
}

#[test]
fn the_worker_hears_once_what_it_is_held_to() {
    let machine = machine("discipline", "");
    let session = session(&machine);
    session.prompt(TASK);
    session.spawns("tollgate:prompt-hydrator");
    session.event("SubagentStart", helper());
    ends(&session, ANSWER);
    let told = context(&session.reads());
    for part in [
        "Grounded: gate=none approach=tdd.",
        "there is no skill `wizardry`",
        "unknown guardrail `be_nice`",
        "Write the test that the user would accept, see it fail",
        "State what must be true at the end before you begin.",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains("Load the skill"), "{told}");
    assert_eq!(context(&session.reads()), "");
    let kept = session.kept("hydration");
    assert!(
        !kept["guardrails"].to_string().contains("wizardry"),
        "{kept}"
    );
}

#[test]
fn a_refusal_holds_the_whole_call_that_lifts_it_each_time() {
    let machine = machine("discipline", "");
    let session = session(&machine);
    session.prompt(TASK);
    let call = "Start Agent(subagent_type: \"tollgate:prompt-hydrator\", description: \
                \"tollgate\", prompt: \"the context\"), then repeat this.";
    for _ in 0..3 {
        let why = reason(&session.reads());
        assert!(why.contains(call), "{why}");
        assert!(
            why.contains("The user can begin a prompt with `.`"),
            "{why}"
        );
    }
    assert!(!is_denied(&session.spawns("tollgate:prompt-hydrator")));
}

#[test]
fn our_own_commands_and_what_they_start_pass() {
    let machine = machine("discipline", "");
    let session = session(&machine);
    let runs = |command: &str| session.before("Bash", json!({"command": command}));
    session.prompt("/tollgate:remember always use tabs in Makefiles");
    assert!(!is_denied(&session.spawns("tollgate:remember")));
    session.prompt("/tollgate:hydrate rename the field in main.rs");
    assert!(!is_denied(&runs(
        "tollgate hydrate 'rename the field in main.rs'"
    )));
    session.prompt("/tollgate:do rewrite the parser in main.rs");
    assert!(!is_denied(&runs("tollgate review start 'the parser'")));
    // Only they do.
    assert!(is_denied(&runs("tollgate review start x; cargo build")));
    assert!(is_denied(&runs("tollgate hydrate x > main.rs")));
    assert!(is_denied(&session.reads()));
}

#[test]
fn a_word_to_go_on_keeps_the_answer_and_a_new_task_ends_it() {
    let machine = machine("discipline", "");
    let session = session(&machine);
    session.prompt(TASK);
    session.spawns("tollgate:prompt-hydrator");
    session.event("SubagentStart", helper());
    session.prompt("yes, go on");
    ends(&session, ANSWER);
    assert_eq!(
        session.kept("hydration")["declared_workflow"]["approach"],
        "tdd"
    );
    session.prompt(". fix the typo in README.md");
    assert_eq!(
        session.kept("hydration")["declared_workflow"]["approach"],
        ""
    );
}

#[test]
fn a_request_that_cannot_be_written_holds_nobody_and_both_hear_why() {
    let machine = machine("discipline", "[hydration]\ndir = \"~/taken\"\n");
    machine.write("home/taken", "a file");
    let session = session(&machine);
    let out = session.prompt(TASK);
    let notice = said(&out)["systemMessage"].to_string();
    for told in [context(&out), notice] {
        assert!(
            told.contains("not grounded") && told.contains("taken"),
            "{told}"
        );
        assert!(!told.contains("exit status"), "{told}");
    }
    assert!(!is_denied(&session.writes("new.rs")));
}

/// A real tokenizer has the last word on it in `quiet.rs`; this is what people are shown.
#[test]
fn a_request_is_short() {
    let machine = machine("discipline", "");
    let told = machine
        .tollgate("hydrate 'add a --json flag to main.rs'")
        .json();
    let tokens = told[0]["tokens"].as_u64().unwrap();
    assert!(tokens <= 600, "{tokens}");
}

/// `/do` is no text alone: the review is registered by the gate, a turn does not end without its
/// verdict, and what belongs to a skill waits until that is loaded.
#[test]
fn what_is_done_by_command_is_held_to_skills_and_a_review() {
    let machine = machine("discipline", "");
    machine.write(
        "home/.claude/skills/rust-dev/SKILL.md",
        "---\nname: rust-dev\n---\n## Constraints\n\n- Never unwrap.\n",
    );
    let session = Session {
        machine: &machine,
        id: SESSION,
    };
    session.prompt("/tollgate:do rewrite the parser in src/parse.rs");
    session.spawns("tollgate:prompt-hydrator");
    session.event("SubagentStart", helper());
    ends(&session, "Gate: none\nPre-work: none\nApproach: direct\n");
    let review = machine
        .tollgate("review status")
        .status(4)
        .shows(&["R1", "rewrite the parser"]);
    review.run();
    let path = machine.at("home/app/src/parse.rs");
    let edit = json!({"file_path": path, "old_string": "a", "new_string": "b"});
    let refused = said(&session.before("Edit", edit.clone()))["hookSpecificOutput"].to_string();
    assert!(
        refused.contains("deny") && refused.contains("rust-dev"),
        "{refused}"
    );
    assert!(refused.contains("Load it, then repeat this"), "{refused}");
    session.before("Skill", json!({"skill": "rust-dev"}));
    assert!(!is_denied(&session.before("Edit", edit.clone())));
    let stop = said(&session.event("Stop", json!({"stop_hook_active": false})));
    assert_eq!(stop["decision"], "block", "{stop}");
    // What was asked for in other words is advised, as before.
    let other = Session {
        machine: &machine,
        id: "5e55104e-0000-4000-8000-000000000009",
    };
    other.prompt(". rewrite the parser in src/parse.rs");
    assert!(!is_denied(&other.before("Edit", edit)));
}
