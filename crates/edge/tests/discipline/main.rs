//! A session that is held to its task, played by random hosts: events in any order, events that
//! are lost, helpers that never end. From every state, something that the worker can do leads on.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use std::cell::Cell;

use edge::concerns::shape::{Concern, EventContext, Modes, ProjectName};
use edge::concerns::{self, compliance, hydration, knowledge};
use edge::fallback::Fallback;
use edge::judge::Judged;
use edge::surroundings::ConfigDirs;
use gates::conduct::HELD_MAX;
use hosts::Wire;
use model::section::AnyStep;
use model::{
    Actor, Call, Content, Decision, DisciplineInput, Effect, Event, EventKind, Facts, Level,
    PermissionMode, Profile, Session, Snapshot, Time,
};
use proptest::prelude::*;
use rules::{Layer, Rules};
use work::discipline::{
    self, Compliance, ComplianceStep, Guidance, Hydration, HydrationState, Observation, Prompted,
    Standing,
};
use work::tickets::{Ticket, TicketState, Tickets};

/// One move of the host, the human or the worker.
#[derive(Debug, Clone, Copy)]
enum Move {
    Prompt { written: bool, machine: bool },
    Continue,
    Write,
    Read,
    Explore,
    Hydrator,
    Check,
    HelperStarts(u8),
    HelperEnds(u8),
    CheckEnds(Standing),
    Ran,
    RanByHelper,
    Compacted,
    Stop,
}

fn moves() -> impl Strategy<Value = Move> {
    use Move::*;
    prop_oneof![
        3 => (any::<bool>(), any::<bool>())
            .prop_map(|(written, machine)| Prompt { written, machine }),
        1 => Just(Continue),
        4 => Just(Write),
        2 => Just(Read),
        1 => Just(Explore),
        2 => Just(Hydrator),
        2 => Just(Check),
        1 => (0u8..3).prop_map(HelperStarts),
        1 => (0u8..3).prop_map(HelperEnds),
        1 => prop_oneof![Just(Standing::Ok), Just(Standing::Warn), Just(Standing::Block)]
            .prop_map(CheckEnds),
        6 => Just(Ran),
        1 => Just(RanByHelper),
        1 => Just(Compacted),
        1 => Just(Stop),
    ]
}

/// What is on, and what is remembered.
struct World {
    rules: Rules,
    session: Session,
    calls: u64,
}

fn disciplined() -> Rules {
    let mut layer = Layer {
        profile: Some(Profile::Discipline),
        ..Layer::default()
    };
    layer.source.trusted = true;
    Rules::new(gates::builtin(), vec![layer])
}

fn spawn(kind: &'static str) -> EventKind<'static> {
    EventKind::ToolBefore(Call::Spawn {
        kind: kind.into(),
        prompt: Content::default(),
    })
}

fn write() -> EventKind<'static> {
    EventKind::ToolBefore(Call::Write {
        path: "/home/dev/proj/new.rs".into(),
        content: Content::default(),
    })
}

impl World {
    fn new() -> Self {
        Self {
            rules: disciplined(),
            session: Session::default(),
            calls: 0,
        }
    }

    fn compliance(&self) -> Compliance {
        Compliance::of(&self.session)
    }

    fn hydration(&self) -> Hydration {
        Hydration::of(&self.session)
    }

    fn take(&mut self, step: &AnyStep) {
        step.apply(&mut self.session.sections).unwrap();
    }

    /// One event, as the edge treats it: its steps are made, it is judged, and what follows from
    /// that is remembered.
    fn play(&mut self, kind: EventKind<'static>, actor: Actor, observation: Observation) -> Level {
        self.calls += 1;
        let event = Event {
            host: "test",
            session: "s".into(),
            call_id: format!("c{}", self.calls),
            actor,
            mode: PermissionMode::Default,
            attended: true,
            asks: false,
            cwd: "/home/dev/proj".into(),
            transcript: String::new(),
            // No two calls come at once here.
            time: Time(self.calls * 10_000),
            kind,
        };
        let observation = Observation {
            held_max: HELD_MAX,
            ..observation
        };
        let steps = discipline::steps(&event, &self.session, &observation);
        let steps = concerns::discipline::made_of(&event, steps);
        let mut session = self.session.clone();
        steps.make(&mut session);
        let guide = DisciplineInput {
            threshold: 7,
            hydrator: "x:prompt-hydrator".into(),
            hydrator_again: "x:prompt-hydrator".into(),
            wait_ms: 60_000,
            check_call: "x:compliance".into(),
            remember: "x:remember".into(),
            ..DisciplineInput::default()
        };
        let snapshot = Snapshot {
            session,
            discipline: guide,
            ..Snapshot::default()
        };
        let decision = gates::decide(&event, &snapshot, &self.rules);
        let mut judged = Judged {
            snapshot,
            facts: Facts::default(),
            decision: Decision {
                effects: Vec::new(),
                ..decision
            },
            steps,
        };
        self.conclude(&event, &mut judged);
        for effect in &judged.decision.effects {
            if let Effect::Step(step) = effect {
                self.take(step);
            }
        }
        judged.decision.level()
    }

    /// What follows from a verdict for those that hold the session to its task.
    fn conclude(&self, event: &Event<'_>, judged: &mut Judged) {
        let parts: [&Concern; 3] = [
            &hydration::CONCERN,
            &compliance::CONCERN,
            &knowledge::CONCERN,
        ];
        let wire = Wire {
            event: "",
            bytes: b"",
            env: &|_| None,
            time: event.time,
        };
        let dirs = ConfigDirs {
            system: String::new(),
            user: String::new(),
            project: String::new(),
        };
        let context = EventContext {
            host: hosts::find("claude").unwrap(),
            wire: &wire,
            called: wire.event,
            event,
            rules: &self.rules,
            store: None,
            dirs: &dirs,
            project: &ProjectName::default(),
            modes: &Modes::of(&parts, &self.rules),
            fallback: &Fallback::NONE,
            stop_guarded: &Cell::default(),
        };
        concerns::after(&parts, &context, judged);
    }

    fn main(&mut self, kind: EventKind<'static>, observation: Observation) -> Level {
        self.play(kind, Actor::Main, observation)
    }

    fn make(&mut self, step: Move) {
        let plain = Observation::default();
        match step {
            Move::Prompt { written, machine } => {
                let text = "do it".to_owned();
                let request = written.then(|| "/r.md".to_owned());
                let observation = Observation { request, ..plain };
                self.main(EventKind::Prompt { text, machine }, observation);
            }
            Move::Continue => {
                let text = "go on".to_owned();
                let prompt = Prompted::Continue;
                let observation = Observation { prompt, ..plain };
                let machine = false;
                self.main(EventKind::Prompt { text, machine }, observation);
            }
            Move::Write => drop(self.main(write(), plain)),
            Move::Read => {
                let call = Call::Read { path: "/a".into() };
                self.main(EventKind::ToolBefore(call), plain);
            }
            Move::Explore => drop(self.main(spawn("explore"), plain)),
            Move::Hydrator => drop(self.main(spawn("x:prompt-hydrator"), plain)),
            Move::Check => {
                if self.main(spawn("x:compliance"), plain) == Level::Allow {
                    let ticket = Ticket {
                        kind: "x:compliance".into(),
                        state: TicketState::Running,
                        agent: "c".into(),
                        ..Ticket::default()
                    };
                    let list = vec![ticket];
                    self.session.sections.put(&Tickets { list });
                }
            }
            Move::Compacted => {
                let source = "compact".to_owned();
                self.main(EventKind::SessionStart { source }, plain);
            }
            Move::Stop => {
                let again = false;
                let level = self.main(
                    EventKind::Stop {
                        again,
                        background: 1,
                    },
                    plain,
                );
                assert_eq!(level, Level::Allow, "a stop was held");
            }
            _ => self.make_beside(step),
        }
    }

    /// What happens beside the worker: helpers, and calls that ended.
    fn make_beside(&mut self, step: Move) {
        let plain = Observation::default();
        let helper = |id: u8, kind: &str| Actor::Sub {
            id: format!("a{id}"),
            kind: kind.into(),
        };
        match step {
            Move::HelperStarts(id) => {
                let actor = helper(id, "x:prompt-hydrator");
                self.play(EventKind::SubagentStart, actor, plain);
            }
            Move::HelperEnds(id) => {
                let last = "Workflow".to_owned();
                let kind = EventKind::SubagentStop { again: false, last };
                let guidance = Some(Guidance::default());
                let observation = Observation { guidance, ..plain };
                self.play(kind, helper(id, "x:prompt-hydrator"), observation);
            }
            Move::CheckEnds(standing) => {
                // A verdict comes from a ticket alone.
                let runs = |ticket: &Ticket| ticket.state == TicketState::Running;
                if Tickets::of(&self.session).list.iter().any(runs) {
                    self.session.sections.put(&Tickets::default());
                    let (words, time) = ("drift".to_owned(), Time(self.calls));
                    let checked = ComplianceStep::Checked {
                        standing,
                        words,
                        time,
                    };
                    self.take(&checked.into());
                }
            }
            Move::Ran | Move::RanByHelper => {
                let actor = match step {
                    Move::Ran => Actor::Main,
                    _ => helper(9, "explore"),
                };
                let call = Call::Read { path: "/a".into() };
                let observation = Observation {
                    line: format!("read {}", self.calls),
                    counts: true,
                    ..plain
                };
                self.play(EventKind::ToolAfter { call }, actor, observation);
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, ..ProptestConfig::default() })]

    /// Whoever insists is let go after a few refusals; only a check that said stop waits for the
    /// human, and whoever is stopped may still ask.
    #[test]
    fn nobody_is_locked_out(history in proptest::collection::vec(moves(), 0..40)) {
        let mut world = World::new();
        for step in history {
            world.make(step);
        }
        let asks = world.main(EventKind::ToolBefore(Call::Question), Observation::default());
        prop_assert_eq!(asks, Level::Allow);
        if world.compliance().standing == Standing::Block {
            world.make(Move::Continue);
        }
        // Two demands, each with its refusals.
        let tries = 2 * HELD_MAX + 1;
        let went = (0..tries).any(|_| world.main(write(), Observation::default()) == Level::Allow);
        prop_assert!(went, "{:?}", world.session.sections);
    }

    /// What a demand asks for is let through by every gate, whatever else is owed.
    #[test]
    fn what_is_demanded_passes(history in proptest::collection::vec(moves(), 0..40)) {
        let mut world = World::new();
        for step in history {
            world.make(step);
        }
        if world.hydration().state == HydrationState::Pending {
            let level = world.main(spawn("x:prompt-hydrator"), Observation::default());
            prop_assert_eq!(level, Level::Allow);
            prop_assert_eq!(world.hydration().state, HydrationState::Running);
        }
        let level = world.main(spawn("x:compliance"), Observation::default());
        prop_assert!(level == Level::Allow);
    }

    /// No helper of the worker is ever held, and no helper of the worker clears anything.
    #[test]
    fn helpers_are_never_held(history in proptest::collection::vec(moves(), 0..40)) {
        let mut world = World::new();
        for step in history {
            world.make(step);
        }
        let helper = Actor::Sub { id: "a9".into(), kind: "x:compliance".into() };
        let before = world.session.clone();
        let level = world.play(write(), helper, Observation::default());
        prop_assert_eq!(level, Level::Allow);
        prop_assert_eq!(world.session, before);
    }

    /// A prompt of a machine and a cut context prepare nothing and clear nothing.
    #[test]
    fn machines_arm_nothing(history in proptest::collection::vec(moves(), 0..40)) {
        let mut world = World::new();
        for step in history {
            world.make(step);
        }
        let before = world.session.clone();
        world.make(Move::Prompt { written: true, machine: true });
        world.make(Move::Compacted);
        prop_assert_eq!(world.session, before);
    }
}
