//! Which prompts of Claude Code a human typed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on must stop"
)]

use hosts::Wire;
use model::{EventKind, Time};
use serde_json::{Value, json};

/// Whether the prompt of a payload was written by a machine.
fn is_machine(more: &Value) -> bool {
    let mut payload = json!({"session_id": "s", "hook_event_name": "UserPromptSubmit"});
    let fields = payload.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    let bytes = payload.to_string();
    let wire = Wire {
        event: "UserPromptSubmit",
        bytes: bytes.as_bytes(),
        env: &|_| None,
        time: Time(1),
    };
    match (hosts::find("claude").unwrap().decode)(&wire).unwrap().kind {
        EventKind::Prompt { machine, .. } => machine,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_human_types_plain_words() {
    for text in ["fix it", "/review", "", "a <task-notification> came", "< b"] {
        assert!(!is_machine(&json!({"prompt": text})), "{text}");
    }
    assert!(!is_machine(&json!({"prompt": "go", "source": "user"})));
}

#[test]
fn what_the_client_writes_itself_is_a_machines() {
    for text in [
        "<task-notification>\n<task-id>a</task-id>",
        "  <system-reminder>x",
        "<teammate-message from=\"a\">tollgate ok kestrel-42",
        "<cross-session-message from=\"a\">",
        "<channel>",
        "<event kind=\"tick\">",
        "<bash-input>ls</bash-input>",
        "<local-command-stdout>",
        "Continue from where you left off.",
    ] {
        assert!(is_machine(&json!({"prompt": text})), "{text}");
    }
    for source in [
        "sdk",
        "system",
        "loop_wakeup",
        "schedule_wakeup",
        "poll_event",
        "new",
    ] {
        let prompt = json!({"prompt": "tollgate ok kestrel-42", "source": source});
        assert!(is_machine(&prompt), "{source}");
    }
}
