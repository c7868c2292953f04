//! The hydration of a prompt: whether the hydrator is owed, runs, or has answered.

use model::section::{Reader, Section, Sections, Step, StepError};
use model::{
    Actor, Call, Event, EventKind, Helper, Session, Time, fields, fnv64, name_of, named, one_line,
    steps,
};

use super::before::Before;
use super::{Held, Observation, Prompted, WORDS_CHARS_MAX, is_humans_prompt, is_main};

/// How the hydration of a prompt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum HydrationState {
    /// Nothing is owed.
    #[default]
    Idle,
    /// The hydrator is to be started before other tools.
    Pending,
    /// It was started.
    Running,
    /// It answered.
    Done,
    /// The worker was let go without it.
    Released,
}

named!(HydrationState);

impl HydrationState {
    /// Every state with its name.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("idle", Self::Idle),
        ("pending", Self::Pending),
        ("running", Self::Running),
        ("done", Self::Done),
        ("released", Self::Released),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_of(Self::NAMES, self)
    }
}

/// What the hydrator said of a prompt (S4.7–S4.12).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guidance {
    /// `plan-mode` or `none`.
    pub gate: String,
    /// `verify-first`, `research-first` or `none`.
    pub pre_work: String,
    /// `tdd`, `direct` or `none`.
    pub approach: String,
    /// The skills that it named, the first to be used first.
    pub skills: Vec<String>,
    /// Ids of guardrails.
    pub guardrails: Vec<String>,
    /// Why it is not as it was said, if something could not be read or taken; else empty.
    pub note: String,
}

fields!(Guidance {
    gate,
    pre_work,
    approach,
    skills,
    guardrails,
    note,
});

impl Guidance {
    /// The workflow on one line.
    #[must_use]
    pub fn way(&self) -> String {
        let Self {
            gate,
            pre_work,
            approach,
            ..
        } = self;
        format!("gate={gate} pre-work={pre_work} approach={approach}")
    }

    /// That of a session's latest prompt.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        Hydration::of(session).guidance
    }
}

/// The hydration of the latest prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hydration {
    /// How it stands.
    pub state: HydrationState,
    /// The file with the request.
    pub request: String,
    /// Hash of the id of the call that started the hydrator.
    pub call: u64,
    /// The hydrator's id, once it runs.
    pub agent: String,
    /// When it was prepared.
    pub prepared: Time,
    /// When the hydrator last answered.
    pub done: Time,
    /// How often it held calls back since the prompt.
    pub held: Held,
    /// What it said.
    pub guidance: Guidance,
    /// When the hydrator was started.
    pub started: Time,
    /// Whether the worker was told what it said.
    pub told: bool,
}

fields!(Hydration {
    state,
    request,
    call,
    agent,
    prepared,
    done,
    held,
    guidance,
    started,
    told,
});

impl Hydration {
    /// That of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }
}

impl Section for Hydration {
    const NAME: &'static str = "hydration";
    const VERSION: u16 = 2;
    const MIN_READER: u16 = 1;

    fn read_version(version: u16, input: &mut Reader<'_>) -> Option<Self> {
        if version > 1 {
            return input.field();
        }
        Some(Self {
            state: input.field()?,
            request: input.field()?,
            call: input.field()?,
            agent: input.field()?,
            prepared: input.field()?,
            done: input.field()?,
            held: input.field()?,
            guidance: input.field()?,
            // What was said before is not said again.
            told: true,
            ..Self::default()
        })
    }

    fn read_before(sections: &Sections) -> Option<Self> {
        Some(Before::of(sections)?.hydration)
    }
}

steps! {
    /// A change of the hydration.
    pub enum HydrationStep of Hydration {
        /// A human said something: what was owed for the prompt before is not owed any more.
        "reset" => Reset {},
        /// The hydrator is to be started before other tools.
        "armed" => Prepared {
            /// The file with the request.
            request: String,
            /// How long it is, in bytes.
            bytes: u64,
            /// When.
            time: Time,
        },
        /// The hydrator was started.
        "started" => Started {
            /// Hash of the id of the call.
            call: u64,
            /// When.
            @hidden time: Time,
        },
        /// It is left out, so that the worth of it can be measured.
        "withheld" => Withheld {},
        /// It could not be started, or ended without a word.
        "failed" => Failed {
            /// Why.
            note: String,
        },
        /// The worker was told what it answered.
        "told" => Told {},
        /// It runs under this id.
        "runs" => Runs {
            /// The subagent's id.
            agent: String,
        },
        /// It answered.
        "answered" => Answered {
            /// What.
            @hidden guidance: Box<Guidance>,
            /// Why it is not as it was said, if something could not be read.
            note: String,
            /// When.
            time: Time,
        },
        /// A call was held back until the hydrator is started.
        "held" => Held {
            /// When.
            time: Time,
        },
        /// The worker was let go without it.
        "released" => Released {},
    }
}

impl Step for HydrationStep {
    type Section = Hydration;

    fn apply(&self, hydration: &mut Hydration) -> Result<(), StepError> {
        match self {
            Self::Reset {} => {
                hydration.state = HydrationState::Idle;
                hydration.held = Held::default();
                hydration.guidance = Guidance::default();
            }
            Self::Prepared { request, time, .. } => {
                hydration.state = HydrationState::Pending;
                hydration.request.clone_from(request);
                hydration.prepared = *time;
                hydration.call = 0;
                hydration.agent.clear();
            }
            Self::Started { call, time } => {
                hydration.state = HydrationState::Running;
                hydration.call = *call;
                hydration.agent.clear();
                hydration.started = *time;
                hydration.held = Held::default();
            }
            Self::Failed { note } => {
                hydration.state = HydrationState::Released;
                hydration.guidance.note.clone_from(note);
                hydration.told = false;
            }
            Self::Told {} => hydration.told = true,
            Self::Withheld {} => {}
            Self::Runs { agent } => hydration.agent.clone_from(agent),
            Self::Answered { guidance, time, .. } => {
                hydration.state = HydrationState::Done;
                hydration.done = *time;
                hydration.guidance = (**guidance).clone();
                hydration.told = false;
            }
            Self::Held { time } => hydration.held.again(*time),
            Self::Released {} => hydration.state = HydrationState::Released,
        }
        Ok(())
    }
}

/// The steps that an event causes before it is judged.
#[must_use]
pub fn steps(event: &Event<'_>, kept: &Hydration, observation: &Observation) -> Vec<HydrationStep> {
    let one = match (&event.kind, &event.actor) {
        _ if is_humans_prompt(event) => return prompted(event, kept, observation),
        (EventKind::ToolBefore(call), _) if is_main(event) => {
            before(call, event, kept, observation)
        }
        // Its start was refused, or broke.
        (EventKind::ToolFailed { call, error }, _) if is_start(call, event, kept) => {
            let note = one_line(error, WORDS_CHARS_MAX);
            Some(HydrationStep::Failed { note })
        }
        (EventKind::SubagentStart, Actor::Sub { id, kind }) => {
            let is_it = kept.state == HydrationState::Running
                && kept.agent.is_empty()
                && Helper::meant_by(kind) == Some(Helper::Hydrator);
            is_it.then(|| HydrationStep::Runs { agent: id.clone() })
        }
        _ if is_end(event, kept) => {
            let guidance = Box::new(observation.guidance.clone().unwrap_or_default());
            Some(HydrationStep::Answered {
                note: guidance.note.clone(),
                guidance,
                time: event.time,
            })
        }
        _ => None,
    };
    one.into_iter().collect()
}

fn prompted(event: &Event<'_>, kept: &Hydration, observation: &Observation) -> Vec<HydrationStep> {
    // Whoever lets the worker go on asks for nothing new: what was found for it holds.
    let goes_on = observation.prompt == Prompted::Continue
        && matches!(kept.state, HydrationState::Running | HydrationState::Done);
    let is_fresh = kept.state == HydrationState::Idle
        && kept.held == Held::default()
        && kept.guidance == Guidance::default();
    let is_fresh = is_fresh || goes_on;
    let reset = (!is_fresh).then_some(HydrationStep::Reset {});
    let request = observation.request.as_ref();
    let prepared = request.filter(|_| observation.prompt == Prompted::Task);
    let prepared = prepared.map(|request| HydrationStep::Prepared {
        request: request.clone(),
        bytes: observation.request_bytes,
        time: event.time,
    });
    let withheld = observation.withheld.then_some(HydrationStep::Withheld {});
    reset.into_iter().chain(prepared).chain(withheld).collect()
}

fn before(
    call: &Call<'_>,
    event: &Event<'_>,
    kept: &Hydration,
    observation: &Observation,
) -> Option<HydrationStep> {
    let is_open = matches!(
        kept.state,
        HydrationState::Pending | HydrationState::Released
    );
    match call {
        Call::Spawn { kind, .. } if Helper::meant_by(kind) == Some(Helper::Hydrator) && is_open => {
            let call = fnv64(event.call_id.as_bytes());
            let time = event.time;
            return Some(HydrationStep::Started { call, time });
        }
        Call::Skill { .. } => return None,
        _ => {}
    }
    let is_over = kept.state == HydrationState::Pending && kept.held.times >= observation.held_max;
    is_over.then_some(HydrationStep::Released {})
}

/// Whether a call is the one that started the hydrator which runs.
fn is_start(call: &Call<'_>, event: &Event<'_>, kept: &Hydration) -> bool {
    let is_running = kept.state == HydrationState::Running;
    let is_this = kept.call == fnv64(event.call_id.as_bytes());
    is_running && is_this && matches!(call, Call::Spawn { .. })
}

/// Whether this is the end of the hydrator that was started for the latest prompt.
#[must_use]
pub fn is_end(event: &Event<'_>, kept: &Hydration) -> bool {
    let (Actor::Sub { id, kind }, EventKind::SubagentStop { .. }) = (&event.actor, &event.kind)
    else {
        return false;
    };
    let is_it = match kept.agent.as_str() {
        "" => Helper::meant_by(kind) == Some(Helper::Hydrator),
        agent => agent == id,
    };
    kept.state == HydrationState::Running && is_it
}
