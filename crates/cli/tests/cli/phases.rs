//! The phases of a disciplined session, each through the installed hook: what is held while a
//! prompt is not grounded, what nobody can write around, what several gates say of one call.

use serde_json::{Value, json};

use super::common::{Machine, SESSION};
use super::discipline::{Session, context, is_denied, machine, said};

fn session(machine: &Machine) -> Session<'_> {
    Session {
        machine,
        id: SESSION,
    }
}

const TASK: &str = "Make main.rs print the number of lines it read";

#[test]
fn while_a_prompt_is_not_grounded_nothing_goes_but_what_serves_the_session() {
    let machine = machine("discipline", "");
    for (number, kind) in [
        "tollgate:prompt-hydrator",
        "Prompt_Hydrator",
        "prompt-hydrator",
    ]
    .into_iter()
    .enumerate()
    {
        let session = Session {
            machine: &machine,
            id: Box::leak(format!("5e55104e-0000-4000-8000-2{number:011}").into_boxed_str()),
        };
        session.prompt(TASK);
        let question = json!({"questions": [{"question": "which?", "options": []}]});
        assert!(!is_denied(&session.before("AskUserQuestion", question)));
        assert!(!is_denied(
            &session.before("TodoWrite", json!({"todos": []}))
        ));
        let held = match number {
            0 => session.reads(),
            1 => session.before("WebSearch", json!({"query": "lines"})),
            _ => session.before("mcp__db__query", json!({"sql": "select 1"})),
        };
        assert!(is_denied(&held), "{number}: {held:?}");
        assert!(is_denied(&session.writes("a.rs")));
        let spawn = json!({"subagent_type": kind, "description": "d", "prompt": "p"});
        assert!(!is_denied(&session.before("Task", spawn)), "{kind}");
        assert_eq!(
            session.kept("hydration")["hydration_pending"],
            false,
            "{kind}"
        );
        assert!(!is_denied(&session.reads()), "{kind}");
    }
}

/// Who takes no notice is let go: nothing is held for ever.
#[test]
fn a_worker_that_ignores_the_instruction_is_let_go_after_three_refusals() {
    let machine = machine("discipline", "");
    let session = session(&machine);
    session.prompt(TASK);
    let refused = (0..4).filter(|number| {
        std::thread::sleep(std::time::Duration::from_millis(2_100));
        is_denied(&session.writes(&format!("{number}.rs")))
    });
    assert_eq!(refused.count(), 3);
    session.prompt(TASK);
    assert!(is_denied(&session.reads()), "until the next prompt");
}

#[test]
fn what_is_remembered_of_a_session_is_not_the_workers_to_write() {
    let machine = machine("discipline", "");
    let session = session(&machine);
    session.prompt(TASK);
    session.spawns("tollgate:prompt-hydrator");
    let request = session.kept("hydration")["request"].clone();
    let state = machine.at("state");
    for path in [
        request.as_str().unwrap().to_owned(),
        format!("{}/sessions/{SESSION}.st", state.display()),
        machine
            .at("home/.config/tollgate/config.toml")
            .display()
            .to_string(),
    ] {
        let write = json!({"file_path": path, "content": "x"});
        assert!(is_denied(&session.before("Write", write)), "{path}");
        let shell = json!({"command": format!("echo x > '{path}'")});
        assert!(is_denied(&session.before("Bash", shell)), "{path}");
    }
}

#[test]
fn an_overdue_check_stops_what_changes_and_reminds_whoever_looks() {
    let machine = machine("discipline", "[compliance]\nafter = 2\n");
    let session = session(&machine);
    session.prompt(". write it");
    (0..2).for_each(|number| session.ran(number));
    let refused = said(&session.writes("a.rs"))["hookSpecificOutput"].to_string();
    assert!(
        refused.contains("2 calls went by without a check"),
        "{refused}"
    );
    assert!(refused.contains("Start Agent(subagent_type:"), "{refused}");
    let read = session.reads();
    assert!(!is_denied(&read));
    assert!(context(&read).contains("is overdue"), "{read:?}");
    // Of a tool of somebody else's nobody knows that it changes anything.
    assert!(!is_denied(
        &session.before("mcp__db__query", json!({"sql": "select 1"}))
    ));
}

#[test]
fn what_several_gates_say_of_a_call_comes_in_one_answer() {
    let machine = machine("discipline", "[compliance]\nafter = 3\n");
    machine.write(
        "home/.claude/skills/rust-dev/SKILL.md",
        "---\nname: rust-dev\n---\n",
    );
    let session = session(&machine);
    session.prompt(". mend it");
    session.ran(0);
    let path = machine.at("home/app/src/lib.rs");
    let edit = json!({"file_path": path, "old_string": "a", "new_string": "b"});
    let told = context(&session.before("Edit", edit));
    assert!(told.contains("belongs to the skill rust-dev"), "{told}");
    assert!(told.contains("is due after 3 calls"), "{told}");
}

#[test]
fn an_uncertain_answer_is_a_simple_task_and_not_a_question() {
    let machine = machine("discipline", "");
    for (number, answer) in [
        "Gate: none\nPre-work: none\nApproach: I cannot tell\n",
        "hm, hard to say",
    ]
    .into_iter()
    .enumerate()
    {
        let session = Session {
            machine: &machine,
            id: Box::leak(format!("5e55104e-0000-4000-8000-3{number:011}").into_boxed_str()),
        };
        session.prompt(TASK);
        session.spawns("tollgate:prompt-hydrator");
        let helper = json!({"agent_id": "h1", "agent_type": "tollgate:prompt-hydrator"});
        session.event("SubagentStart", helper.clone());
        let mut ends = helper;
        ends["last_assistant_message"] = answer.into();
        session.event("SubagentStop", ends);
        let told = context(&session.reads());
        assert!(told.contains("approach=direct"), "{answer}: {told}");
        assert!(!told.contains("Change nothing"), "{answer}: {told}");
        let kept: Value = session.kept("hydration");
        assert_eq!(kept["declared_workflow"]["approach"], "direct", "{kept}");
    }
}
