//! What is worth keeping: what the human said, offered once, and not lost where a session ends; and
//! the skills that a session's work belongs to.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::common::{Machine, SESSION};
use super::discipline::{Session, context, machine, said};

const NEXT: &str = "5e55104e-0000-4000-8000-000000000002";

fn session<'m>(machine: &'m Machine, id: &'static str) -> Session<'m> {
    Session { machine, id }
}

fn stop(session: &Session<'_>) -> String {
    let out = session.event("Stop", json!({"stop_hook_active": false}));
    said(&out)["systemMessage"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

fn helper_ends(session: &Session<'_>, kind: &str, last: &str) {
    let ends = json!({"agent_id": "x7", "agent_type": kind, "last_assistant_message": last});
    session.event("SubagentStop", ends);
}

#[test]
fn the_human_is_quoted_once_and_our_own_helpers_never() {
    for profile in ["coach", "discipline"] {
        let machine = machine(profile, "");
        let session = session(&machine, SESSION);
        session.prompt(". always use tabs in Makefiles");
        let notice = stop(&session);
        assert!(
            notice.contains("what you said may be worth keeping"),
            "{notice}"
        );
        let told = context(&session.prompt(". next, look at main.rs"));
        assert_eq!(
            told.matches("always use tabs in Makefiles").count(),
            1,
            "{told}"
        );
        assert!(
            told.contains("start the subagent tollgate:remember"),
            "{told}"
        );
        session.prompt("never mind, go on");
        helper_ends(
            &session,
            "tollgate:remember",
            "2 facts were written to the memory.",
        );
        helper_ends(
            &session,
            "tollgate:prompt-hydrator",
            "Gate: none, and what else was found here",
        );
        assert_eq!(stop(&session), "", "{profile}");
        assert!(!context(&session.prompt(". and src")).contains("worth keeping"));
    }
}

#[test]
fn a_helpers_outcome_is_offered_where_work_is_held_to_its_task() {
    for (profile, offered) in [("coach", false), ("discipline", true)] {
        let machine = machine(profile, "");
        let session = session(&machine, SESSION);
        session.prompt(". look around");
        helper_ends(
            &session,
            "explore",
            "Done.\nHere is a summary:\nThe parser drops the last line.",
        );
        stop(&session);
        let told = context(&session.prompt(". now mend it"));
        assert_eq!(
            told.contains("The parser drops the last line."),
            offered,
            "{told}"
        );
        assert!(!told.contains("Done."), "{told}");
    }
}

#[test]
fn the_last_turn_of_a_session_is_offered_by_the_next() {
    let machine = machine("coach", "");
    let first = session(&machine, SESSION);
    first.prompt("always run the tests before you commit");
    first.event("SessionEnd", json!({"reason": "other"}));
    let next = session(&machine, NEXT);
    next.event("SessionStart", json!({"source": "startup"}));
    let told = context(&next.prompt("look at main.rs please, and at its tests"));
    assert!(
        told.contains("always run the tests before you commit"),
        "{told}"
    );
    // Once.
    let third = session(&machine, "5e55104e-0000-4000-8000-000000000003");
    third.event("SessionStart", json!({"source": "startup"}));
    let told = context(&third.prompt("look at main.rs please, and at its tests"));
    assert!(!told.contains("always run the tests"), "{told}");
}

/// Where the user wants it so, nobody is asked: their words are written as they were said.
#[test]
fn what_was_said_is_written_at_the_stop_where_the_settings_say_so() {
    let machine = machine("discipline", "[memory]\nwrite = true\n");
    let first = session(&machine, SESSION);
    first.prompt(". always use tabs in Makefiles");
    helper_ends(&first, "explore", "The parser drops the last line.");
    let notice = stop(&first);
    let offered = "what you said may be worth keeping; the agent is offered to keep it";
    assert!(notice.contains(offered), "a helper's word: {notice}");
    first.prompt(". we decided to use axum for the server, and never rocket");
    assert_eq!(
        stop(&first),
        "tollgate: what you said is kept; tollgate memory list shows it"
    );
    first.prompt(". never commit without running the tests");
    first.event("SessionEnd", json!({"reason": "other"}));
    let kept = || {
        let out = machine.tollgate("memory list --json").shows(&[""]).run();
        let lines = out
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.collect::<Vec<Value>>()
    };
    let end = Instant::now() + Duration::from_secs(20);
    while kept().len() < 3 && Instant::now() < end {
        thread::sleep(Duration::from_millis(50));
    }
    let mut said: Vec<(String, String)> = kept()
        .iter()
        .map(|one| (one["kind"].to_string(), one["text"].to_string()))
        .collect();
    said.sort();
    let expected = [
        (
            "decision",
            "we decided to use axum for the server, and never rocket",
        ),
        ("preference", "always use tabs in Makefiles"),
        ("preference", "never commit without running the tests"),
    ];
    let expected = expected.map(|(kind, text)| (format!("{kind:?}"), format!("{text:?}")));
    assert_eq!(said, expected);
    // Nothing of it is offered besides.
    let next = session(&machine, NEXT);
    next.event("SessionStart", json!({"source": "startup"}));
    let told = context(&next.prompt(". look at main.rs please, and at its tests"));
    assert!(!told.contains("worth keeping"), "{told}");
}

#[test]
fn a_plugins_skill_counts_and_what_it_holds_to_is_named() {
    let machine = machine("coach", "");
    machine.write(
        "home/.claude/plugins/cache/market/rusty/1.0/skills/rust-dev/SKILL.md",
        "---\nname: rust-dev\n---\n# Rust\n\n## Constraints\n\n- **Never** unwrap in a library.\n\
         - Run clippy before you commit.\n",
    );
    let session = session(&machine, SESSION);
    let path = machine.at("home/app/src/lib.rs");
    let edit = json!({"file_path": path, "old_string": "a", "new_string": "b"});
    let told = context(&session.before("Edit", edit.clone()));
    assert!(told.contains("belongs to the skill rust-dev"), "{told}");
    assert!(
        told.contains("It holds to: \"Never unwrap in a library; Run clippy before you commit\""),
        "{told}"
    );
    // The plugin's own name for it is the same skill.
    let other = Session {
        machine: &machine,
        id: NEXT,
    };
    other.before("Skill", json!({"skill": "rusty:rust-dev"}));
    assert_eq!(context(&other.before("Edit", edit)), "");
}

#[test]
fn small_talk_starts_nothing_and_a_command_is_no_request() {
    let machine = machine("discipline", "");
    let session = session(&machine, SESSION);
    let pending = |text: &str| -> Value {
        session.prompt(text);
        session.kept("hydration")["hydration_pending"].clone()
    };
    for text in [
        "/model opus",
        "thanks a lot!",
        "option b",
        "commit this",
        "oui",
        "why?",
    ] {
        assert_eq!(pending(text), false, "{text}");
    }
    assert_eq!(session.kept("hydration")["first_intent"], "thanks a lot!");
    assert_eq!(pending("rename the field in main.rs"), true);
    assert_eq!(
        session.kept("hydration")["intent_envelope"],
        "rename the field in main.rs"
    );
}
