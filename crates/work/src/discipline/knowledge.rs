//! What is worth keeping of what was said in a session, and whether it was offered to be written
//! down.

use model::section::{Section, Sections, Step, StepError};
use model::{Actor, Event, EventKind, Project, Session, fields, steps};

use super::before::Before;
use super::lines::keep;
use super::{Observation, is_humans_prompt, is_main};

/// Longest line that is worth keeping, in characters.
const LEARNED_CHARS_MAX: usize = 300;

/// What is worth keeping.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Knowledge {
    /// Said since the worker last stopped, oldest first.
    pub learned: Vec<String>,
    /// Said before: to be offered at the next prompt.
    pub offer: Vec<String>,
}

fields!(Knowledge { learned, offer });

impl Knowledge {
    /// That of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }
}

impl Section for Knowledge {
    const NAME: &'static str = "knowledge";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;

    fn read_before(sections: &Sections) -> Option<Self> {
        Some(Before::of(sections)?.knowledge)
    }
}

steps! {
    /// A change of what is worth keeping.
    pub enum KnowledgeStep of Knowledge {
        /// Something was said that is worth keeping.
        "learned" => Learned {
            /// What.
            @hidden line: String,
        },
        /// The worker stopped: what was said until then is offered at the next prompt.
        "stopped" => Stopped {},
        /// An earlier session of the project ended before it could offer this.
        "found" => Found {
            /// What.
            @hidden lines: Vec<String>,
        },
        /// The worker was offered to write down what was learned.
        "offered" => Offered {},
        /// This is written down, and not to be offered any more.
        "written" => Written {
            /// What.
            @hidden lines: Vec<String>,
        },
    }
}

impl Step for KnowledgeStep {
    type Section = Knowledge;

    fn apply(&self, knowledge: &mut Knowledge) -> Result<(), StepError> {
        match self {
            Self::Learned { line } => keep(&mut knowledge.learned, line, LEARNED_CHARS_MAX),
            Self::Stopped {} => {
                for line in std::mem::take(&mut knowledge.learned) {
                    keep(&mut knowledge.offer, &line, LEARNED_CHARS_MAX);
                }
            }
            Self::Found { lines } => {
                for line in lines {
                    keep(&mut knowledge.offer, line, LEARNED_CHARS_MAX);
                }
            }
            Self::Offered {} => knowledge.offer.clear(),
            Self::Written { lines } => knowledge.offer.retain(|line| !lines.contains(line)),
        }
        Ok(())
    }
}

/// What is still to be offered when a session of the project ends, for the next one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Handed {
    /// Each thing once, oldest first.
    pub lines: Vec<String>,
}

fields!(Handed { lines });

impl Handed {
    /// That of a project.
    #[must_use]
    pub fn of(project: &Project) -> Self {
        project.sections.get()
    }
}

impl Section for Handed {
    const NAME: &'static str = "handed";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;
}

steps! {
    /// A change of what is handed on.
    pub enum HandedStep of Handed {
        /// A session stopped with this to be offered.
        "left" => Left {
            /// What.
            @hidden lines: Vec<String>,
        },
        /// It was offered, or is another session's to offer.
        "taken" => Taken {
            /// What.
            @hidden lines: Vec<String>,
        },
    }
}

impl Step for HandedStep {
    type Section = Handed;

    fn apply(&self, handed: &mut Handed) -> Result<(), StepError> {
        match self {
            Self::Left { lines } => {
                for line in lines {
                    keep(&mut handed.lines, line, LEARNED_CHARS_MAX);
                }
            }
            Self::Taken { lines } => handed.lines.retain(|line| !lines.contains(line)),
        }
        Ok(())
    }
}

/// The steps that an event causes before it is judged.
#[must_use]
pub fn steps(event: &Event<'_>, kept: &Knowledge, observation: &Observation) -> Vec<KnowledgeStep> {
    // Whoever says something new has seen the worker stop.
    let stops = matches!(event.kind, EventKind::Stop { .. } | EventKind::SessionEnd)
        && is_main(event)
        || is_humans_prompt(event);
    let speaks = is_humans_prompt(event)
        || matches!(event.kind, EventKind::SubagentStop { .. })
            && matches!(event.actor, Actor::Sub { .. });
    let stopped = (stops && !kept.learned.is_empty()).then_some(KnowledgeStep::Stopped {});
    let learned = observation.learned.iter().filter(|_| speaks).cloned();
    let learned = learned.map(|line| KnowledgeStep::Learned { line });
    stopped.into_iter().chain(learned).collect()
}
