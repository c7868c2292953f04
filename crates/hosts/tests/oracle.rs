//! What the client would do with each reply, by its own acceptance rules, and the laws that every
//! reply keeps: never weaker than its answer, and never more than advice where nothing is wrong.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic, and fixtures are files"
)]

use hosts::{Answer, Asked, Host, Reply};
use model::Level;
use proptest::prelude::*;
use serde_json::Value;

/// What becomes of the thing that the event is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    /// It goes on. The words, if any, are for the worker.
    Runs(Option<String>),
    /// A human is asked.
    Asks,
    /// It is stopped, for this reason.
    Stops(String),
    /// The client cannot use the answer: on older clients everything then runs.
    Void(&'static str),
}

/// Events whose answer can stop something, and those that can also ask.
const STOPPABLE: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "PreSkillShellCommand",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "ConfigChange",
    "PostToolUse",
];
const ASKABLE: &[&str] = &["PreToolUse", "PermissionRequest", "PreSkillShellCommand"];
const UNSTOPPABLE: &[&str] = &[
    "PostToolUseFailure",
    "PostToolBatch",
    "SessionStart",
    "SessionEnd",
    "SubagentStart",
    "Notification",
    "PostCompact",
    "NewerEvent",
];
/// Events whose answer may carry words for the worker without any other effect.
const CONTEXT: &[&str] = &[
    "PreToolUse",
    "PreSkillShellCommand",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "UserPromptSubmit",
    "SessionStart",
    "SubagentStart",
];

/// The client's rules for standard output and exit status.
fn client(event: &str, reply: &Reply) -> Outcome {
    let text = String::from_utf8(reply.stdout.clone()).expect("text");
    let text = text.trim();
    let is_object = text.starts_with('{') && text.ends_with('}');
    let answer = if is_object {
        verdict(event, text)
    } else {
        goes_on(event)
    };
    if !text.is_empty() && !is_object {
        return Outcome::Void("plain text");
    }
    let status_stops = STOPPABLE.contains(&event) && event != "PermissionRequest";
    match (reply.code, answer) {
        (2, Outcome::Stops(reason)) => Outcome::Stops(reason),
        (2, _) if status_stops => {
            Outcome::Stops(String::from_utf8(reply.stderr.clone()).expect("text"))
        }
        (_, answer) => answer,
    }
}

/// No opinion lets everything go on; the permission prompt goes on by asking.
fn goes_on(event: &str) -> Outcome {
    match event {
        "PermissionRequest" => Outcome::Asks,
        _ => Outcome::Runs(None),
    }
}

fn verdict(event: &str, text: &str) -> Outcome {
    let Ok(Value::Object(answer)) = serde_json::from_str(text) else {
        return Outcome::Void("not JSON");
    };
    if let Some(flaw) = flaw(event, &answer) {
        return Outcome::Void(flaw);
    }
    let at = |path: &str| {
        Value::Object(answer.clone())
            .pointer(path)
            .and_then(text_of)
    };
    let reason = |path: &str| Outcome::Stops(at(path).unwrap_or_default());
    if at("/decision").as_deref() == Some("block") {
        return reason("/reason");
    }
    if at("/hookSpecificOutput/decision/behavior").as_deref() == Some("deny") {
        return reason("/hookSpecificOutput/decision/message");
    }
    match at("/hookSpecificOutput/permissionDecision").as_deref() {
        Some("deny") => reason("/hookSpecificOutput/permissionDecisionReason"),
        Some("ask") => Outcome::Asks,
        Some(_) => Outcome::Void("we only ever deny or ask"),
        None => match at("/hookSpecificOutput/additionalContext") {
            Some(context) => Outcome::Runs(Some(context)),
            None => goes_on(event),
        },
    }
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Why the client's schema would refuse the object, if it would.
fn flaw(event: &str, answer: &serde_json::Map<String, Value>) -> Option<&'static str> {
    const TOP: &[&str] = &["hookSpecificOutput", "decision", "reason", "systemMessage"];
    const SPECIFIC: &[&str] = &[
        "hookEventName",
        "permissionDecision",
        "permissionDecisionReason",
        "additionalContext",
        "decision",
        "updatedInput",
    ];
    if answer.keys().any(|name| !TOP.contains(&name.as_str())) {
        return Some("a member that we never need");
    }
    let mut own = Value::Object(answer.clone());
    // The input is the worker's own, in which anything may stand.
    let input = own
        .pointer_mut("/hookSpecificOutput")
        .and_then(|specific| specific.as_object_mut()?.remove("updatedInput"));
    if !all_full(&own) {
        return Some("null or empty");
    }
    if input.is_some() && event != "PreToolUse" {
        return Some("an input where none is taken");
    }
    if input.as_ref().is_some_and(|input| !input.is_object()) {
        return Some("an input that is no object");
    }
    if input.is_some()
        && own
            .pointer("/hookSpecificOutput/permissionDecision")
            .is_some()
    {
        return Some("an input for what is stopped");
    }
    let specific = answer.get("hookSpecificOutput")?.as_object()?;
    if specific.get("hookEventName").and_then(Value::as_str) != Some(event) {
        return Some("hookEventName");
    }
    if specific
        .keys()
        .any(|name| !SPECIFIC.contains(&name.as_str()))
    {
        return Some("a member that we never need");
    }
    let advises = specific.contains_key("additionalContext");
    (advises && !CONTEXT.contains(&event)).then_some("context where there is none")
}

/// Whether nothing in it is null or empty.
fn all_full(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Object(members) => !members.is_empty() && members.values().all(all_full),
        _ => false,
    }
}

fn host() -> &'static Host {
    hosts::find("claude").expect("the host")
}

fn say(event: &str, attended: bool, answer: &Answer<'_>) -> (Reply, Outcome) {
    let reply = (host().reply)(
        &Asked {
            event,
            asks: attended,
        },
        answer,
    );
    let outcome = client(event, &reply);
    (reply, outcome)
}

fn check(event: &str, level: Level, attended: bool) -> String {
    let answer = Answer {
        level,
        reason: "Not run: a \"b\".",
        ..Answer::default()
    };
    let (reply, _) = say(event, attended, &answer);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    format!(
        "{}{} {}",
        text(reply.stdout),
        reply.code,
        text(reply.stderr)
    )
}

#[test]
fn exact_forms() {
    let same = |event: &str, level, attended, expected: &str| {
        assert_eq!(check(event, level, attended), expected, "{event} {level:?}");
    };
    same("PreToolUse", Level::Allow, true, "0 ");
    same(
        "PreToolUse",
        Level::Deny,
        true,
        concat!(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","#,
            r#""permissionDecisionReason":"Not run: a \"b\"."}}"#,
            "\n2 Not run: a \"b\"."
        ),
    );
    same(
        "PreToolUse",
        Level::Ask,
        true,
        concat!(
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","#,
            r#""permissionDecisionReason":"Not run: a \"b\"."}}"#,
            "\n0 "
        ),
    );
    same(
        "PermissionRequest",
        Level::Deny,
        true,
        concat!(
            r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":"#,
            r#"{"behavior":"deny","message":"Not run: a \"b\"."}}}"#,
            "\n0 "
        ),
    );
    same("PermissionRequest", Level::Ask, true, "0 ");
    let block = r#"{"decision":"block","reason":"Not run: a \"b\"."}"#;
    same(
        "UserPromptSubmit",
        Level::Deny,
        true,
        &format!("{block}\n0 "),
    );
    same("Stop", Level::Deny, true, &format!("{block}\n0 "));
    same(
        "ConfigChange",
        Level::Deny,
        true,
        &format!("{block}\n2 Not run: a \"b\"."),
    );
    same("SessionEnd", Level::Deny, true, "0 ");
    same("NewerEvent", Level::Deny, true, "0 ");
}

#[test]
fn a_question_nobody_can_answer_is_a_refusal_that_says_so() {
    for event in ASKABLE {
        match say(
            event,
            false,
            &Answer {
                level: Level::Ask,
                reason: "x",
                ..Answer::default()
            },
        )
        .1
        {
            Outcome::Stops(reason) => assert!(reason.contains("ask the user"), "{reason}"),
            other => panic!("{event}: {other:?}"),
        }
    }
}

#[test]
fn words_reach_who_they_are_for() {
    let answer = Answer {
        advice: "use b",
        notice: "held a",
        ..Answer::default()
    };
    let stdout = |event: &str| {
        let reply = say(event, true, &answer).0;
        assert_eq!((reply.code, reply.stderr.is_empty()), (0, true), "{event}");
        String::from_utf8(reply.stdout).expect("text")
    };
    let expected = concat!(
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"use b"},"#,
        r#""systemMessage":"held a"}"#,
        "\n"
    );
    assert_eq!(stdout("PreToolUse"), expected);
    // Context at a stop would keep the worker going.
    assert_eq!(stdout("Stop"), "{\"systemMessage\":\"held a\"}\n");
    assert_eq!(stdout("SessionEnd"), "");
}

#[test]
fn names_of_files_cannot_write_to_a_terminal() {
    let answer = Answer {
        level: Level::Deny,
        reason: "\u{1b}]0;title\u{7} a\nb \u{9b}31m",
        ..Answer::default()
    };
    let (reply, _) = say("PreToolUse", true, &answer);
    assert_eq!(reply.stderr, b"]0;title  a\nb  31m");
}

fn levels() -> impl Strategy<Value = Level> {
    prop::sample::select(vec![Level::Allow, Level::Ask, Level::Deny])
}

fn events() -> impl Strategy<Value = &'static str> {
    prop::sample::select([STOPPABLE, UNSTOPPABLE].concat())
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[ -~]{0,80}",
        Just(String::new()),
        Just(" \n\u{1}".to_owned()),
        Just("é".repeat(9_000)),
        Just("}{\"decision\":\"approve\"}".to_owned()),
    ]
}

fn inputs() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", r#"{"prompt":"x","background":true,"n":3,"e":""}"#])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_reply_is_weaker_and_none_raises_allow(
        event in events(),
        level in levels(),
        attended: bool,
        texts in (words(), words(), words()),
        input in inputs(),
    ) {
        let (reason, advice, notice) = &texts;
        let answer = Answer { level, reason, advice, notice, input };
        let (reply, outcome) = say(event, attended, &answer);
        let text = String::from_utf8_lossy(&reply.stdout).into_owned();
        let takes_input = event == "PreToolUse" && level == Level::Allow && !input.is_empty();
        let parsed: Value = serde_json::from_str(&text).unwrap_or_default();
        let given = parsed.pointer("/hookSpecificOutput/updatedInput");
        prop_assert_eq!(given.is_some(), takes_input, "{}", text);
        let can_stop = STOPPABLE.contains(&event);
        let can_ask = attended && ASKABLE.contains(&event);
        match (&outcome, level) {
            (Outcome::Stops(reason), Level::Deny) if can_stop => {
                prop_assert!(!reason.trim().is_empty());
            }
            (Outcome::Asks, Level::Ask) if can_ask => {}
            (Outcome::Stops(reason), Level::Ask) if can_stop && !can_ask => {
                prop_assert!(!reason.trim().is_empty());
            }
            (Outcome::Runs(_), Level::Allow) => {}
            (Outcome::Asks, Level::Allow) if event == "PermissionRequest" => {}
            (Outcome::Runs(_), _) if !can_stop => {}
            _ => prop_assert!(false, "{event} {level:?} {attended}: {outcome:?} {reply:?}"),
        }
        prop_assert!(reply.code == 0 || reply.code == 2 && level > Level::Allow);
        prop_assert!(reply.stdout.len() < 40_000);
    }

    /// Should standard output be lost, the status still stops what is an action.
    #[test]
    fn a_lost_answer_still_stops_a_deed(attended: bool, reason in words()) {
        for event in ["PreToolUse", "PreSkillShellCommand", "ConfigChange"] {
            let answer = Answer { level: Level::Deny, reason: &reason, ..Answer::default() };
            let (mut reply, _) = say(event, attended, &answer);
            reply.stdout.truncate(reply.stdout.len() / 2);
            let text = String::from_utf8_lossy(&reply.stderr).into_owned();
            prop_assert_eq!(reply.code, 2);
            prop_assert!(!text.trim().is_empty());
        }
    }

    /// What argv says is text from outside too.
    #[test]
    fn any_event_name_is_answered(event: String, level in levels()) {
        let answer = Answer { level, ..Answer::default() };
        let (reply, _) = say(&event, false, &answer);
        prop_assert!(reply == Reply::default() || STOPPABLE.contains(&event.as_str()));
    }
}
