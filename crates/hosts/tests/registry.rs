//! What every host's constant says of it, against what its replies, decoders and settings do.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by a panic"
)]

mod laws;

use hosts::{
    AGENT_PROGRAMS, Answer, Asked, Attended, Evidence, FinalMessage, HOSTS, Host, Installation,
    Notices, Probe, Provenance, Reply, Subagents, Then, Wire,
};
use laws::{levels, words};
use model::{Actor, Event, EventClass, Level, Time};
use proptest::prelude::*;
use serde_json::Value;

/// Names of events at prompts and stops, some host's each.
const EVENTS: &[&str] = &[
    "UserPromptSubmit",
    "BeforeAgent",
    "prompt",
    "beforeSubmitPrompt",
    "pre_user_prompt",
    "userPromptSubmit",
    "Stop",
    "AfterAgent",
    "stop",
];

const LS: Probe<'_> = Probe {
    command: "ls",
    cwd: "/home/dev",
};

const ADVICE: &str = "ADVICE-1";
const NOTICE: &str = "NOTICE-1";
const INPUT: &str = r#"{"INPUT-1":1}"#;

fn of_class(host: &Host, class: EventClass) -> Vec<&'static str> {
    let names = EVENTS.iter().copied();
    names.filter(|name| (host.class)(name) == class).collect()
}

fn say(host: &Host, event: &str, answer: &Answer<'_>) -> Reply {
    (host.reply)(&Asked { event, asks: true }, answer)
}

fn says(reply: &Reply, what: &str) -> bool {
    let texts = [&reply.stdout, &reply.stderr];
    texts
        .iter()
        .any(|text| String::from_utf8_lossy(text).contains(what))
}

/// Whether a reply to a prompt or a stop holds it up, in any host's words.
fn holds(reply: &Reply) -> bool {
    let said: Value = serde_json::from_slice(&reply.stdout).unwrap_or_default();
    let no = matches!(said["decision"].as_str(), Some("block" | "deny"));
    no || reply.code == 2 || said["deny"].is_string() || said["cancel"] == true
}

fn allowed() -> Answer<'static> {
    Answer {
        advice: ADVICE,
        notice: NOTICE,
        input: INPUT,
        ..Answer::default()
    }
}

/// A call as the host would send it; every variable of the environment has this value.
fn tried(host: &Host, variables: Option<&str>, probe: Probe<'_>) -> Event<'static> {
    let env = |_: &str| variables.map(str::to_owned);
    let bytes = (host.probe)(&probe);
    let wire = Wire {
        event: host.before_call,
        bytes: &bytes,
        env: &env,
        time: Time(1),
    };
    (host.decode)(&wire).expect("decoded").into_owned()
}

#[test]
fn each_can_be_tried() {
    for host in HOSTS {
        let probe = Probe {
            command: "rm -rf \"a\"",
            cwd: "/home/dev",
        };
        let named = (host.event_name)(&(host.probe)(&probe));
        assert!(named == host.before_call || named.is_empty(), "{}", host.id);
        let event = tried(host, None, probe);
        assert_eq!(event.call().unwrap().summary(90), "rm -rf \"a\"");
        assert_eq!((event.host, event.cwd.as_str()), (host.id, "/home/dev"));
    }
}

/// Settings as people and clients write them.
const FILES: &[&str] = &[
    "{}",
    "{\n}\n",
    "\u{feff}{}\n",
    "{\"hooks\":{}}",
    "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n",
    "{\n  \"security\": {\n    \"auth\": {\n      \"selectedType\": \"x\"\n    }\n  }\n}\n",
    "{\r\n\t\"ui\": {\r\n\t}\r\n}\r\n",
    "{\n\t\"hooks\": {\n\t\t\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]\n\t}\n}",
];

#[test]
fn each_is_registered_found_and_taken_out() {
    for host in HOSTS {
        let installation = Installation {
            hook: "/home/it's/tollgate-hook",
            launch: host.launch,
        };
        let install = |text: Option<&str>| {
            let edit = (host.install)(text, &installation).expect("installed");
            let text = edit.text.expect("a text");
            let found = (host.inspect)(&text).expect("read");
            assert_eq!((found.missing, found.unheard), (vec![], vec![]), "{text}");
            text
        };
        let text = install(None);
        assert_eq!((host.inspect)(&text).expect("read").problems, [], "{text}");
        assert_eq!(install(Some(&text)), text, "{}", host.id);
        assert_eq!((host.uninstall)(&text).expect("read").text, None, "{text}");
        let weak = text
            .replacen("exit 2", "exit 0", 1)
            .replacen("true", "false", 1);
        if weak != text {
            let found = (host.inspect)(&weak).expect("read");
            assert!(!found.missing.is_empty(), "{weak}");
            assert_eq!(install(Some(&weak)), text, "{weak}");
        }
        let others = FILES.iter().filter(|_| text.starts_with('{'));
        for other in others {
            let text = install(Some(other));
            assert_eq!(install(Some(&text)), text, "twice");
            let bare = (host.uninstall)(&text).expect("read").text;
            assert_eq!(bare.as_deref(), Some(*other), "{} {text}", host.id);
        }
    }
}

#[test]
fn words_are_said_where_they_are_heard_and_nowhere_else() {
    for host in HOSTS {
        let (can, id) = (&host.capabilities, host.id);
        let before = say(host, host.before_call, &allowed());
        assert_eq!(says(&before, ADVICE), can.advises_before, "{id}");
        assert_eq!(says(&before, "INPUT-1"), can.rewrites, "{id}");
        let shows = can.notices == Notices::Always;
        assert_eq!(says(&before, NOTICE), shows, "{id}");
        let at_prompts = of_class(host, EventClass::Prompt);
        let at_prompts = at_prompts.iter().map(|event| say(host, event, &allowed()));
        let advised = at_prompts.filter(|reply| says(reply, ADVICE)).count();
        assert_eq!(advised > 0, can.advises_at_prompt, "{id}");
        for event in of_class(host, EventClass::Stop) {
            let reply = say(host, event, &allowed());
            assert!(!says(&reply, ADVICE), "{id} {event}");
            let shows = can.notices != Notices::Never;
            assert!(shows || !says(&reply, NOTICE), "{id} {event}");
        }
    }
}

#[test]
fn a_stop_is_held_up_where_that_is_possible() {
    for host in HOSTS {
        let answer = Answer {
            level: Level::Deny,
            reason: "x",
            ..Answer::default()
        };
        let stops = of_class(host, EventClass::Stop);
        let held = stops.iter().any(|event| holds(&say(host, event, &answer)));
        assert_eq!(held, host.capabilities.holds_stop, "{}", host.id);
    }
}

#[test]
fn who_acts_and_who_sits_there_is_told_as_said() {
    for host in HOSTS {
        let (can, id) = (&host.capabilities, host.id);
        let bare = tried(host, None, LS);
        assert_eq!(bare.attended, can.attended == Attended::Terminal, "{id}");
        if can.attended == Attended::Never {
            let event = tried(host, Some("1"), LS);
            assert!(!event.attended && !event.asks, "{id}");
        }
        let told = matches!(can.subagents, Subagents::Named | Subagents::OwnSession);
        let expected = if told { Actor::Main } else { Actor::Unknown };
        assert_eq!(bare.actor, expected, "{id}");
        let asks = can.asks && tried(host, Some("1"), LS).attended;
        assert!(asks || !tried(host, Some("1"), LS).asks, "{id}");
    }
}

#[test]
fn what_is_said_of_a_host_fits_together() {
    for host in HOSTS {
        let (can, id) = (&host.capabilities, host.id);
        let closes = (host.fails_closed)("99.0.0");
        assert_eq!(closes, can.broken.missing == Then::Stops, "{id}");
        let reviews = !host.review.kind.is_empty();
        assert!(!reviews || can.rewrites, "{id}");
        assert!(!reviews || can.final_message != FinalMessage::None, "{id}");
        let by_result = host.review.named.is_some();
        assert!(
            !by_result || can.final_message == FinalMessage::SpawnResult,
            "{id}"
        );
        if can.evidence == Evidence::Page {
            assert!(!reviews && !can.asks, "{id}");
            assert_eq!(can.attended, Attended::Never, "{id}");
        }
        if host.provenance == Provenance::Nothing {
            assert_eq!(can.attended, Attended::Never, "{id}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// No reply is weaker than its answer and none raises Allow; a host that cannot ask is never
    /// told to, and one that can is told so only where a human is.
    #[test]
    fn every_reply_is_taken_as_it_is_meant(
        at in 0..HOSTS.len(),
        level in levels(),
        asks: bool,
        texts in (words(), words(), words()),
    ) {
        let host = HOSTS[at];
        let (reason, advice, notice) = &texts;
        let answer = Answer { level, reason, advice, notice, input: INPUT };
        let event = host.before_call;
        let reply = (host.reply)(&Asked { event, asks }, &answer);
        let expected = match level {
            Level::Ask if !(asks && host.capabilities.asks) => Level::Deny,
            level => level,
        };
        prop_assert_eq!((host.understood)(&reply), expected, "{} {:?}", host.id, reply);
        prop_assert!(level == Level::Allow || !says(&reply, "INPUT-1") || reason.contains("INPUT-1"));
    }

    /// What argv says is text from outside too: at an event that nobody knows nothing is stopped.
    #[test]
    fn any_event_name_is_answered(at in 0..HOSTS.len(), event: String, level in levels()) {
        let (host, answer) = (HOSTS[at], Answer { level, reason: "x", ..Answer::default() });
        let is_known = (host.class)(&event) != EventClass::Lifecycle;
        prop_assert!(is_known || !holds(&say(host, &event, &answer)), "{}", host.id);
    }
}

/// Who starts one hands work to it. An editor's own program opens files and hands over nothing.
#[test]
fn every_host_that_a_terminal_starts_is_an_agents_program() {
    const EDITORS: &[&str] = &["windsurf"];
    for host in HOSTS {
        let is_agents = AGENT_PROGRAMS.contains(&host.program);
        let is_editors = EDITORS.contains(&host.program);
        assert_ne!(is_agents, is_editors, "{}", host.program);
    }
    assert!(AGENT_PROGRAMS.is_sorted());
}

/// An event in another case is that event; what a host does not know stays as it is.
#[test]
fn events_in_another_case_are_known() {
    for host in HOSTS {
        let name = host.before_call;
        for other in [name.to_lowercase(), name.to_uppercase()] {
            assert_eq!(host.spelled(&other), name, "{}", host.id);
        }
        assert_eq!(host.spelled(name), name);
        assert_eq!(host.spelled("nobodyKnowsThis"), "nobodyKnowsThis");
        assert_eq!(host.spelled(""), "");
    }
    let check = |host: &str, name: &str, spelled: &str| {
        assert_eq!(hosts::find(host).unwrap().spelled(name), spelled, "{host}");
    };
    check("copilot", "preToolUse", "PreToolUse");
    check("claude", "postToolUse", "PostToolUse");
    check("claude", "sessionStart", "SessionStart");
    check("cursor", "SessionStart", "sessionStart");
    check("gemini", "aftertool", "AfterTool");
    check("windsurf", "PRE_WRITE_CODE", "pre_write_code");
}
