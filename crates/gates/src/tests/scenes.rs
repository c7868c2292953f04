//! Arbitrary scenes for the laws: any action, any event, any failure.

use model::{
    Action, Actor, BackupItem, Binding, Call, CallEnv, Caller, Certainty, Content, DisciplineInput,
    Drift, EventKind, Fact, Fault, FaultCause, FileLook, Flag, Flags, Grant, GrantLevel, Hint,
    HooksLeft, Loss, PermissionMode, PlanInput, Reason, ResourceKind, ReviewInput, Saved, Snapshot,
    Verb, Zone,
};
use proptest::prelude::*;
use work::breaker::Breaker;
use work::discipline::{Compliance, Held, Hydration, HydrationState, Standing};
use work::plan::{Plan, PlanStatus};
use work::reviews::{Issue, ReviewHistory, Reviews};
use work::tickets::{Ticket, TicketState, Tickets};

use super::shell;

/// An event and what is known, whole enough to be judged.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) kind: EventKind<'static>,
    pub(super) actor: Actor,
    pub(super) attended: bool,
    pub(super) is_planning: bool,
    pub(super) known: Snapshot,
}

impl Seen {
    pub(super) fn event(&self) -> model::Event<'_> {
        model::Event {
            actor: self.actor.clone(),
            attended: self.attended,
            asks: self.attended,
            mode: match self.is_planning {
                true => PermissionMode::Plan,
                false => PermissionMode::Default,
            },
            ..super::event(self.kind.clone())
        }
    }
}

pub(super) fn one_of<T: Copy + std::fmt::Debug + 'static>(
    names: &'static [(&'static str, T)],
) -> impl Strategy<Value = T> {
    (0..names.len()).prop_map(move |at| names[at].1)
}

fn losses() -> impl Strategy<Value = Fact<Loss>> {
    let some = Loss {
        other: vec!["4 commits on no other branch".into()],
        ..Loss::default()
    };
    prop_oneof![
        Just(Fact::Known(Loss::default())),
        Just(Fact::Known(some)),
        Just(Fact::Unknown("out of time".into())),
    ]
}

const NAMES: &[&str] = &[
    "",
    "/",
    "/home/dev",
    "/home/dev/proj/a.txt",
    "/home/dev/proj/.env",
    "/etc/passwd",
    "/dev/sda",
    "/home/dev/.bashrc",
    "origin/main",
    "restart/deployment/api",
    "owner-command",
    "switch",
    "pull/42",
];

const PROGRAMS: &[&str] = &[
    "",
    "python3.12",
    "rm",
    "git push",
    "docker compose",
    "kubectl rollout",
    "write",
];

pub(super) fn actions() -> impl Strategy<Value = Action> {
    let what = (
        one_of(Verb::NAMES),
        one_of(ResourceKind::NAMES),
        one_of(Zone::NAMES),
        one_of(Certainty::NAMES),
    );
    let how = (
        0..NAMES.len(),
        0..PROGRAMS.len(),
        0u32..1 << Flag::NAMES.len(),
        any::<u32>(),
        losses(),
        prop_oneof![Just(""), Just("main"), Just("feat/x")],
    );
    (what, how).prop_map(|((verb, kind, zone, certainty), how)| {
        let (name, program, bits, mask, loss, branch) = how;
        let mut action = Action::new(verb, kind, NAMES[name]);
        action.zone = zone;
        action.certainty = certainty;
        // Few flags at a time, as in life.
        action.flags = Flags::from_bits(bits & mask & (mask >> 7));
        if loss != Fact::Known(Loss::default()) {
            action.backups = vec![BackupItem::File("/home/dev/proj/a.txt".into())];
        }
        action.loss = loss;
        action.branch = branch.into();
        action.program = PROGRAMS[program].into();
        action.text = format!("{} {}", PROGRAMS[program], NAMES[name]);
        action
    })
}

fn kinds() -> impl Strategy<Value = EventKind<'static>> {
    let call = prop_oneof![
        Just(shell("x")),
        Just(Call::Read { path: "a".into() }),
        Just(super::plan_exit()),
        Just(Call::Spawn {
            kind: "explore".into(),
            prompt: Content::default()
        }),
        Just(Call::Spawn {
            kind: "x:compliance".into(),
            prompt: Content::default()
        }),
        Just(Call::Message {
            to: "a".into(),
            text: Content::default(),
        }),
        Just(Call::Malformed {
            name: "x".into(),
            what: "no command".into()
        }),
    ];
    prop_oneof![
        6 => call.clone().prop_map(EventKind::ToolBefore),
        1 => call.clone().prop_map(EventKind::PermissionRequest),
        1 => call.clone().prop_map(|call| EventKind::ToolAfter { call }),
        1 => call.prop_map(|call| EventKind::ToolFailed { call, error: "no such file".into() }),
        2 => (any::<bool>(), 0usize..2)
            .prop_map(|(again, background)| EventKind::Stop { again, background }),
        1 => Just(EventKind::SubagentStop { again: false, last: "done".into() }),
        1 => Just(EventKind::Prompt { text: "x".into(), machine: false }),
        1 => Just(EventKind::SettingsChange { path: String::new(), hooks: HooksLeft::Removed }),
        1 => Just(EventKind::SessionEnd),
    ]
}

/// A yes, a capture, and who called.
fn grants() -> impl Strategy<Value = (Option<Grant>, Saved, Caller)> {
    let grant = (one_of(GrantLevel::NAMES), any::<bool>()).prop_map(|(by, recoverable)| Grant {
        id: "A7F3".into(),
        by,
        recoverable,
    });
    let part = Saved::Part {
        id: String::new(),
        unsaved: "big.bin (too large)".into(),
    };
    let saved = prop_oneof![
        Just(Saved::NotTried),
        Just(Saved::All("u-1".into())),
        Just(part)
    ];
    let caller = prop_oneof![
        Just(Caller::Unproven),
        Just(Caller::Host(Binding::default())),
        Just(Caller::Stranger("by a shell".into())),
        Just(Caller::Judge),
    ];
    (proptest::option::weighted(0.3, grant), saved, caller)
}

/// What reviews are for.
const PURPOSES: &[&str] = &["the parser", "the docs"];

/// Reviews in any state.
fn tickets() -> impl Strategy<Value = Vec<Ticket>> {
    let ticket = (
        one_of(TicketState::NAMES),
        0u64..3,
        0..PURPOSES.len(),
        any::<bool>(),
    );
    let ticket = ticket.prop_map(|(state, tries, purpose, has_agent)| Ticket {
        id: format!("R{tries}"),
        purpose: PURPOSES[purpose].into(),
        kind: "x:reviewer".into(),
        state,
        agent: if has_agent { "a".into() } else { String::new() },
        tries,
        ..Ticket::default()
    });
    proptest::collection::vec(ticket, 0..3)
}

/// A session that is held to its task, and what is known for that.
fn disciplines() -> impl Strategy<Value = ((Hydration, Compliance), DisciplineInput)> {
    let kept = (
        one_of(HydrationState::NAMES),
        0u64..5,
        0u64..9,
        0u64..5,
        one_of(Standing::NAMES),
    );
    let guide = (any::<bool>(), any::<bool>(), "\\PC{0,60}");
    (kept, guide).prop_map(
        |((state, held, calls, late, standing), (hints, drifts, words))| {
            let times = |times| Held {
                times,
                ..Held::default()
            };
            let hydration = Hydration {
                state,
                held: times(held),
                ..Hydration::default()
            };
            let compliance = Compliance {
                calls,
                held: times(late),
                standing,
                words: words.replace(['{', '}'], "").replace("fault", ""),
                ..Compliance::default()
            };
            let hint = Hint {
                reason: Reason::Skill,
                text: "The skill x fits.".into(),
            };
            let drift = Drift {
                skill: "x".into(),
                when: "any work on it".into(),
                source: "REMINDERS.md".into(),
                constraints: words.clone().replace(['{', '}'], "").replace("fault", ""),
                is_asked: false,
            };
            let guide = DisciplineInput {
                hints: if hints { vec![hint] } else { Vec::new() },
                drift: drifts.then_some(drift),
                hydrator: "x:prompt-hydrator".into(),
                check_call: "x:compliance".into(),
                remember: "x:remember".into(),
                threshold: 7,
                trouble: String::new(),
                foreign: String::new(),
                unmarked: drifts,
                hydrator_again: "x:prompt-hydrator".into(),
                answer: if hints {
                    "Grounded: x.".into()
                } else {
                    String::new()
                },
                taken: 0,
                wait_ms: 60_000,
                unasked: "(Begin with `.`.)".into(),
                is_own: false,
                by_changes: drifts,
                outside: false,
            };
            ((hydration, compliance), guide)
        },
    )
}

/// Words as somebody outside may have written them.
fn words() -> impl Strategy<Value = String> {
    "\\PC{0,60}".prop_map(|words| words.replace(['{', '}'], "").replace("fault", ""))
}

/// What is remembered of reviews besides their tickets, and what breakers count.
fn loops() -> impl Strategy<Value = ((Reviews, Breaker), ReviewInput)> {
    let history = (0..PURPOSES.len(), 0u64..6, words(), any::<bool>());
    let history = history.prop_map(|(purpose, open, title, found)| ReviewHistory {
        purpose: PURPOSES[purpose].into(),
        ticket: format!("R{open}"),
        attempts: open,
        open,
        issues: match found {
            true => vec![Issue {
                title,
                ..Issue::default()
            }],
            false => Vec::new(),
        },
        ..ReviewHistory::default()
    });
    const CAUSES: &[&str] = &["failures", "repeats", "turns", "tokens"];
    let kept = (
        proptest::collection::vec(history, 0..3),
        0u64..5,
        0u64..90_000,
    );
    let trips = proptest::collection::vec(proptest::sample::select(CAUSES), 0..4);
    let untold = proptest::sample::select(&["", "failures", "repeats", "odd"][..]);
    let review = (any::<bool>(), any::<bool>());
    (kept, trips, untold, review).prop_map(|((list, held, tokens), trips, untold, told)| {
        let reviews = Reviews {
            list,
            held,
            ..Reviews::default()
        };
        let breaker = Breaker {
            tokens,
            tripped: trips.into_iter().map(str::to_owned).collect(),
            untold: untold.to_owned(),
            ..Breaker::default()
        };
        let text = |is_said, text: &str| {
            if is_said {
                text.to_owned()
            } else {
                String::new()
            }
        };
        let input = ReviewInput {
            way: text(told.0, "Start Agent(subagent_type: \"x:reviewer\")."),
            stale: text(told.1, "R1"),
        };
        ((reviews, breaker), input)
    })
}

/// A plan in any state, and what is found of it.
fn plans() -> impl Strategy<Value = (Plan, PlanInput)> {
    const FILES: &[&str] = &["", "/home/dev/plans/a.md", "/home/dev/plans/b.md"];
    let file = || proptest::sample::select(FILES);
    let hash = || proptest::sample::select(&["", "aa", "bb"][..]);
    let look = || {
        prop_oneof![
            Just(FileLook::Missing),
            Just(FileLook::Unreadable("no rights".into())),
            hash().prop_map(|hash| FileLook::Digest(hash.into())),
        ]
    };
    let switches = (any::<bool>(), any::<bool>(), any::<bool>());
    let kept = (
        file(),
        hash(),
        file(),
        hash(),
        one_of(PlanStatus::NAMES),
        words(),
    );
    let seen = (file(), look(), any::<Option<bool>>(), look(), any::<bool>());
    (switches, kept, seen).prop_map(|((started, waived, required), kept, seen)| {
        let (plan_file, plan_hash, gaps_file, gaps_hash, status, reason) = kept;
        let plan = Plan {
            started: if started {
                "command".into()
            } else {
                String::new()
            },
            waived,
            plan_file: plan_file.into(),
            plan_hash: plan_hash.into(),
            gaps_file: gaps_file.into(),
            gaps_hash: gaps_hash.into(),
            status,
            reason,
            ..Plan::default()
        };
        let (handed, file, is_same_text, gaps, more) = seen;
        let input = PlanInput {
            required,
            handed: handed.into(),
            plan: file,
            is_same_text,
            gaps,
            writable: vec!["/home/dev/proj/a.txt".into()],
            hidden: vec!["/home/dev/plans/gaps/s.gaps.md".into()],
            wants: if more {
                "Write down the gaps.".into()
            } else {
                String::new()
            },
            critic: if more {
                "Agent(critic)".into()
            } else {
                String::new()
            },
            validator: String::new(),
        };
        (plan, input)
    })
}

pub(super) fn scenes() -> impl Strategy<Value = Seen> {
    let fault = one_of(FaultCause::NAMES).prop_map(|cause| Fault {
        cause,
        what: "the disk is full".into(),
    });
    let actor = prop_oneof![
        Just(Actor::Main),
        Just(Actor::Sub {
            id: "a".into(),
            kind: "explore".into()
        }),
        Just(Actor::Sub {
            id: "c".into(),
            kind: "x:plan-critic".into()
        }),
        Just(Actor::Unknown),
    ];
    let lists = (
        proptest::collection::vec(actions(), 0..4),
        proptest::collection::vec(fault, 0..2),
        tickets(),
    );
    let verdicts = (plans(), loops());
    let more = (lists, grants(), disciplines(), verdicts);
    let modes = (any::<bool>(), any::<bool>());
    (kinds(), actor, modes, more).prop_map(|(kind, actor, (attended, is_planning), more)| {
        let ((actions, faults, list), (grant, saved, caller), (kept, guide), verdicts) = more;
        let ((plan, plan_seen), ((reviews, breaker), review)) = verdicts;
        let mut known = Snapshot {
            place: CallEnv {
                cwd: "/home/dev/proj".into(),
                project: "/home/dev/proj".into(),
                home: "/home/dev".into(),
                definitions: vec!["/home/dev/proj/.env".into()],
                ..CallEnv::default()
            },
            faults,
            grant,
            saved,
            caller,
            discipline: guide,
            plan: plan_seen,
            review,
            ..Snapshot::default()
        };
        known.analysis.actions = actions;
        known.session.sections.put(&Tickets { list });
        known.session.sections.put(&kept.0);
        known.session.sections.put(&kept.1);
        known.session.sections.put(&plan);
        known.session.sections.put(&reviews);
        known.session.sections.put(&breaker);
        Seen {
            kind,
            actor,
            attended,
            is_planning,
            known,
        }
    })
}
