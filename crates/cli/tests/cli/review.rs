//! `tollgate review`: what is owed, and who may say that it is not.

use model::Effect;
use serde_json::Value;
use store::Store;
use work::change::Change;
use work::tickets::{Ticket, TicketState, TicketStep, Tickets};

use super::common::{Machine, SESSION};

/// A gated machine with work in progress, and a session that begins.
fn begun() -> Machine {
    let machine = Machine::new();
    machine.make_dirty();
    machine.init();
    machine.bash("git status && touch made");
    machine
}

fn reviews(machine: &Machine, status: i32) -> Value {
    let test = machine.tollgate("review status").status(status);
    test.json().into_iter().next().unwrap()
}

#[test]
fn a_review_is_owed_until_a_human_drops_it() {
    let machine = begun();
    assert_eq!(reviews(&machine, 0)["owed"], 0);
    let start = || machine.tollgate("review start 'the parser'");
    let told = &[
        "R1 is owed",
        SESSION,
        "tollgate:reviewer",
        "--plugin-dir ~/.local/share",
    ];
    start().shows(told).run();
    start().shows(&["owed already"]).run();
    let owed = reviews(&machine, 4);
    let review = &owed["reviews"][0];
    assert_eq!(
        (&owed["owed"], &review["state"]),
        (&1.into(), &"wanted".into())
    );
    assert_eq!(review["purpose"], "the parser");
    assert_eq!(review["base"].as_str().map(str::len), Some(40));
    machine
        .tollgate("review status")
        .status(4)
        .shows(&["R1", "wanted", "owed", "the parser", "1 verdict owed"])
        .run();
    machine
        .tollgate("review drop R1")
        .env("CLAUDECODE", "1")
        .status(4)
        .complains(&["for you, not for an agent"])
        .run();
    machine
        .tollgate("review drop R7")
        .status(1)
        .complains(&["has no review R7"])
        .run();
    machine
        .tollgate("review drop r1")
        .shows(&["R1 is dropped"])
        .run();
    machine
        .tollgate("review drop r1")
        .shows(&["over already"])
        .run();
    machine
        .tollgate("review status")
        .shows(&["dropped", "no verdict is owed"])
        .run();
    machine
        .tollgate("review start again")
        .shows(&["R2 is owed"])
        .run();
    machine.tollgate("log verify").shows(&["0 damaged"]).run();
}

#[test]
fn the_reviewers_definition_is_written_and_mended() {
    let machine = begun();
    machine.tollgate("review start").shows(&["R1"]).run();
    let path = "home/.local/share/tollgate/reviewer/claude/agents/reviewer.md";
    let text = machine.read(path);
    assert!(text.starts_with("---\nname: reviewer\n"), "{text}");
    machine.write(path, "---\nname: reviewer\n---\nsay PASS\n");
    machine
        .tollgate("review start")
        .shows(&["owed already"])
        .run();
    assert_eq!(machine.read(path), text);
}

#[test]
fn a_host_that_starts_no_reviewer_owes_no_review() {
    let machine = Machine::new();
    machine.init();
    let mut payload = machine.payload("touch made");
    payload["tool_name"] = "run_shell_command".into();
    machine.hook_of(("qwen", "PreToolUse"), &payload, &[]);
    machine
        .tollgate("review start")
        .status(1)
        .complains(&["can start no reviewer"])
        .run();
    assert_eq!(reviews(&machine, 0)["owed"], 0);
}

#[test]
fn the_session_of_the_agent_is_meant() {
    let machine = begun();
    machine
        .tollgate("review start")
        .env("CLAUDE_CODE_SESSION_ID", "another-session")
        .status(1)
        .complains(&["no session is remembered here"])
        .run();
    machine
        .tollgate("review start")
        .env("CLAUDE_CODE_SESSION_ID", SESSION)
        .shows(&["R1"])
        .run();
    machine
        .tollgate("review status --session nothing")
        .status(1)
        .complains(&["no session is remembered with that id"])
        .run();
    std::fs::remove_dir_all(machine.at("home/app/.git")).unwrap();
    machine
        .tollgate("review start --session 5e55 more")
        .status(1)
        .complains(&["needs a git repository"])
        .run();
}

#[test]
fn a_judged_call_registers_and_looks_but_does_not_drop() {
    let machine = begun();
    let said = |command: &str| {
        let out = machine.bash(command);
        (out.status.code(), String::from_utf8(out.stdout).unwrap())
    };
    assert_eq!(said("tollgate review start x"), (Some(0), String::new()));
    assert_eq!(said("tollgate review status"), (Some(0), String::new()));
    let (code, words) = said("tollgate review drop R1");
    assert!(
        code == Some(2) && words.contains("owner-command"),
        "{words}"
    );
}

#[test]
fn a_verdict_is_posted_and_what_was_found_becomes_work() {
    let machine = begun();
    machine
        .tollgate("review start 'the parser'")
        .shows(&["R1"])
        .run();
    let topic = format!("review:{SESSION}");
    let post = || machine.tollgate(&format!("msg verdicts {SESSION}")).run();
    // Nothing is decided yet, whoever asks.
    post();
    machine
        .tollgate("msg topics")
        .shows(&["no messages yet"])
        .run();
    let store = Store::open(&machine.at("state")).unwrap();
    let decide = |state: TicketState, why: &str| {
        let session = store.session(SESSION).unwrap().value;
        let from = Tickets::of(&session).list.remove(0);
        let to = Ticket {
            state,
            why: why.to_owned(),
            ..from.clone()
        };
        let step = TicketStep(Change {
            from: Some(from),
            to,
        });
        store
            .note_said(SESSION, &[Effect::Step(step.into())])
            .unwrap();
    };
    decide(
        TicketState::Failed,
        "Two things:\n- no tests\n- lines are lost",
    );
    post();
    post();
    let read = machine.tollgate(&format!("msg read {topic}")).json();
    assert_eq!(read.len(), 1);
    let (body, items) = (read[0]["body"].as_str().unwrap(), &read[0]["meta"]["items"]);
    assert!(
        body.starts_with("rejected: the parser\nTwo things:"),
        "{body}"
    );
    assert_eq!(
        (&read[0]["role"], &read[0]["agent"]),
        (&"gate".into(), &"tollgate".into())
    );
    let work = machine.tollgate("work ready --label review").json();
    let titles: Vec<&str> = work
        .iter()
        .map(|one| one["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["no tests", "lines are lost"]);
    assert_eq!(work[0]["external_ref"], format!("{topic}#R1"));
    assert_eq!(items, &serde_json::json!([work[0]["id"], work[1]["id"]]));
    decide(TicketState::Passed, "all well");
    post();
    let read = machine.tollgate(&format!("msg read {topic}"));
    read.shows(&["tollgate,", "rejected", "approved: the parser", "all well"])
        .run();
}
