//! The order of concerns changes no verdict and nothing that is remembered: played with what every
//! client sends, in sessions where each concern has something to do.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hosts::{HOSTS, Host};
use model::{Actor, Binding, Effect, GrantLevel, Mode, Profile, Session, Snapshot, Time};
use proptest::prelude::*;
use rules::{Layer, Rules};
use work::approvals::{Approval, ApprovalState, ApprovalStep, Approvals, Seal, is_code};
use work::discipline::{Compliance, Hydration, HydrationState, Knowledge, Task};
use work::tickets::{Ticket, TicketState, TicketStep, Tickets};

use super::*;
use crate::concerns::CONCERNS;
use crate::fallback::Fallback;
use crate::{surroundings, sys};

/// When everything happens.
const NOW: Time = Time(1_800_000_000_000);
/// The code of a question that is open.
const CODE: &str = "kestrel-maple-42";

/// What a client sends.
struct Payload {
    host: &'static Host,
    event: String,
    bytes: Vec<u8>,
}

/// Payloads that were captured from clients, and some that nobody captured.
fn payloads() -> Vec<Payload> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hosts/fixtures");
    let mut payloads = Vec::new();
    for host in HOSTS {
        let versions = fs::read_dir(root.join(host.id)).into_iter().flatten();
        let dirs = versions.map(|entry| entry.unwrap().path());
        let files = dirs.filter_map(|dir| fs::read_dir(dir).ok()).flatten();
        for file in files.map(|entry| entry.unwrap().path()) {
            let name = file.file_name().unwrap().to_str().unwrap();
            if let Some((event, _)) = name.split_once('.').filter(|_| name.ends_with(".json")) {
                payloads.push(Payload {
                    host,
                    event: event.to_owned(),
                    bytes: fs::read(&file).unwrap(),
                });
            }
        }
    }
    assert!(payloads.len() > 200, "{}", payloads.len());
    payloads.extend(MORE.iter().map(|(event, more)| {
        Payload {
            host: hosts::find("claude").unwrap(),
            event: (*event).to_owned(),
            bytes: format!(
                r#"{{"session_id":"s-1","transcript_path":"","cwd":"/","permission_mode":"default",
                "hook_event_name":"{event}",{more}}}"#
            )
            .into_bytes(),
        }
    }));
    payloads
}

const MORE: &[(&str, &str)] = &[
    ("UserPromptSubmit", r#""prompt":"tollgate ok kestrel-42""#),
    (
        "UserPromptSubmit",
        r#""prompt":"what does kestrel-42 mean?""#,
    ),
    (
        "UserPromptSubmit",
        r#""prompt":"fix the parser, always use tabs""#,
    ),
    (
        "PreToolUse",
        r#""tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"rm -rf ~/"}"#,
    ),
    (
        "PreToolUse",
        r#""tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"echo kestrel-42"}"#,
    ),
    (
        "PreToolUse",
        r#""tool_name":"Agent","tool_use_id":"t1","tool_input":{"subagent_type":"tollgate:reviewer","prompt":"go","description":"x"}"#,
    ),
    (
        "PreToolUse",
        r#""tool_name":"Agent","tool_use_id":"t1","tool_input":{"subagent_type":"tollgate:prompt-hydrator","prompt":"do review R1","description":"x"}"#,
    ),
    (
        "PreToolUse",
        r#""tool_name":"Agent","tool_use_id":"t1","tool_input":{"subagent_type":"tollgate:compliance","prompt":"go","description":"x"}"#,
    ),
    (
        "SubagentStop",
        r#""agent_id":"a1","agent_type":"tollgate:reviewer","stop_hook_active":false,"last_assistant_message":"PASS""#,
    ),
    ("Stop", r#""stop_hook_active":false"#),
];

/// Sessions in which there is something to do for an event.
fn sessions(host: &Host, event: &Event<'_>) -> [Session; 3] {
    let agent = match &event.actor {
        Actor::Sub { id, .. } => id.clone(),
        _ => "a1".to_owned(),
    };
    let ticket = |id: &str, state, kind: &str| Ticket {
        id: id.to_owned(),
        kind: kind.to_owned(),
        dir: "/".to_owned(),
        state,
        agent: if state == TicketState::Running {
            agent.clone()
        } else {
            String::new()
        },
        changed: NOW,
        ..Ticket::default()
    };
    let approval = |id: &str, state| Approval {
        id: id.to_owned(),
        code: Seal::of(CODE, [1; 32]),
        state,
        by: GrantLevel::Terminal,
        ends: Time(NOW.0 + 60_000),
        ..Approval::default()
    };
    let mut kept = Session::default();
    kept.sections.put(&Task {
        prompts: 1,
        ..Task::default()
    });
    kept.sections.put(&Knowledge {
        learned: vec!["tabs".to_owned()],
        offer: vec!["spaces".to_owned()],
    });
    kept.sections.put(&Compliance {
        calls: 100,
        ..Compliance::default()
    });
    let kind = host.review.kind;
    let (mut busy, mut waiting) = (kept.clone(), kept);
    busy.sections.put(&Hydration {
        state: HydrationState::Pending,
        ..Hydration::default()
    });
    busy.sections.put(&Approvals {
        list: vec![
            approval("a-1", ApprovalState::Pending),
            approval("a-2", ApprovalState::Granted),
        ],
        last: Time::default(),
    });
    busy.sections.put(&Tickets {
        list: vec![
            ticket("R1", TicketState::Running, kind),
            ticket("C1", TicketState::Prepared, "tollgate:compliance"),
        ],
    });
    waiting.sections.put(&Hydration {
        state: HydrationState::Running,
        agent: agent.clone(),
        ..Hydration::default()
    });
    waiting.sections.put(&Tickets {
        list: vec![ticket("R1", TicketState::Wanted, kind)],
    });
    [Session::default(), busy, waiting]
}

fn disciplined() -> Rules {
    let mut layer = Layer {
        profile: Some(Profile::Discipline),
        ..Layer::default()
    };
    layer.source.trusted = true;
    Rules::new(gates::builtin(), vec![layer])
}

/// An effect without what is different each time.
fn plain(effect: &Effect) -> String {
    let Effect::Step(step) = effect else {
        return format!("{effect:?}");
    };
    if let Some(ApprovalStep(change)) = step.get()
        && change.from.is_none()
    {
        let mut to = change.to.clone();
        (to.id, to.code) = Default::default();
        return format!("{to:?}");
    }
    if let Some(TicketStep(change)) = step.get() {
        let mut to = change.to.clone();
        (to.nonce, to.prompt) = Default::default();
        to.agent.clear();
        return format!("{to:?}");
    }
    format!("{effect:?}")
}

/// All that comes of an event; what has an order of its own is sorted.
#[derive(Debug, PartialEq)]
struct Played {
    findings: String,
    effects: BTreeSet<String>,
    words: BTreeSet<String>,
    input: Option<concerns::shape::InputReason>,
    asks: bool,
}

/// A question without its code, which is the last word.
fn without_code(text: &str) -> String {
    match text.rsplit_once(' ') {
        Some((rest, last)) if is_code(last) => format!("{rest} CODE"),
        _ => text.to_owned(),
    }
}

/// The host's process.
const STARTED: Binding = Binding {
    process: 7,
    start: 9,
    nested: false,
};

/// Plays one event in one of its sessions. Nothing where it is none.
fn play(payload: &Payload, session: usize, order: &[&'static Concern]) -> Option<Played> {
    let wire = Wire {
        event: &payload.event,
        bytes: &payload.bytes,
        env: &|_| None,
        time: NOW,
    };
    let event = (payload.host.decode)(&wire).ok()?;
    let state = tempfile::tempdir().unwrap();
    let rules = disciplined();
    let run = Run {
        host: payload.host,
        event: &payload.event,
        called: &payload.event,
        decide: gates::decide,
        fallback: &Fallback::NONE,
    };
    let pipeline = Pipeline {
        run,
        begin: sys::uptime(),
        store: Store::open(state.path()),
        modes: Modes::of(CONCERNS, &rules),
        rules_bundle: RulesBundle {
            rules,
            faults: Vec::new(),
        },
        project: ProjectName::default(),
        dirs: surroundings::config_dirs("/nowhere", "/nowhere"),
        concerns: Vec::leak(order.to_vec()),
        spent: Cell::default(),
        opened: Cell::default(),
        stop_guarded: Cell::default(),
    };
    let session = sessions(payload.host, &event).into_iter().nth(session)?;
    let known = Snapshot {
        place: surroundings::place("/"),
        session,
        caller: Caller::Host(STARTED),
        ..Snapshot::default()
    };
    let context = pipeline.context(&wire, &event, &pipeline.modes);
    let mut judged = Judged {
        snapshot: known,
        ..Judged::default()
    };
    pipeline.judge(&context, &mut judged, false);
    let outcome = pipeline.follow(&context, &mut judged);
    let mut effects = judged.decision.effects.iter();
    let asked = effects
        .find_map(question)
        .filter(|_| outcome.reason.is_some());
    let known = |text: &String| match asked {
        Some(new) => without_code(text).replace(&new.id, "ID"),
        None => text.clone(),
    };
    Some(Played {
        findings: format!("{:?}", judged.decision.findings),
        effects: judged.decision.effects.iter().map(plain).collect(),
        words: outcome
            .notices
            .iter()
            .chain(&outcome.advice)
            .map(known)
            .collect(),
        input: outcome.input.as_ref().map(|input| input.why),
        asks: asked.is_some(),
    })
}

/// The question that an effect asks.
fn question(effect: &Effect) -> Option<&Approval> {
    match effect {
        Effect::Step(step) => step.get::<ApprovalStep>().map(|step| &step.0.to),
        _ => None,
    }
}

#[test]
fn the_other_way_round_is_the_same() {
    let other: Vec<&Concern> = CONCERNS.iter().rev().copied().collect();
    let mut stepped = 0;
    for payload in payloads() {
        for session in 0..3 {
            let usual = play(&payload, session, CONCERNS);
            let turned = play(&payload, session, &other);
            assert_eq!(usual, turned, "{} {}", payload.host.id, payload.event);
            let effects = usual.map_or(0, |played| played.effects.len());
            stepped += usize::from(effects > 1);
        }
    }
    // It would say nothing if there were nothing to do.
    assert!(stepped > 300, "{stepped}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_order_is_the_same(
        order in Just(CONCERNS.to_vec()).prop_shuffle(),
        at in any::<prop::sample::Index>(),
        session in 0usize..3,
    ) {
        let payloads = payloads();
        let payload = at.get(&payloads);
        let usual = play(payload, session, CONCERNS);
        prop_assert_eq!(usual, play(payload, session, &order), "{}", payload.event);
    }
}

/// Where nobody set anything, no concern that gates switch on is looked at; [`Modes::of`] takes that
/// for granted.
#[test]
fn what_gates_switch_on_is_off_by_default() {
    for gate in CONCERNS.iter().flat_map(|concern| concern.gates) {
        assert_eq!((gate.mode)(Profile::default()), Mode::Off, "{}", gate.id);
    }
}

#[test]
fn concerns_have_names_of_their_own() {
    let names: BTreeSet<&str> = CONCERNS.iter().map(|concern| concern.id).collect();
    assert_eq!(names.len(), CONCERNS.len());
    assert!(CONCERNS.iter().all(|concern| !concern.id.is_empty()));
}
