//! The skills that a session loaded, and those that its calls belonged to meanwhile.

use model::section::{Section, Sections, Step, StepError};
use model::{Call, Event, EventKind, Session, fields, one_line, steps};

use super::before::Before;
use super::lines::{CALL_CHARS_MAX, keep};
use super::{Observation, is_main};

/// Most skills and guardrails that are remembered.
pub const SKILLS_MAX: usize = 16;

/// The skills of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Skills {
    /// The one loaded last, or named since for what is asked now.
    pub active: String,
    /// Those loaded, oldest first.
    pub loaded: Vec<String>,
    /// Those that a call belonged to while another was active, oldest first.
    pub drifts: Vec<String>,
}

fields!(Skills {
    active,
    loaded,
    drifts,
});

impl Skills {
    /// Those of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }
}

impl Section for Skills {
    const NAME: &'static str = "skills";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;

    fn read_before(sections: &Sections) -> Option<Self> {
        Some(Before::of(sections)?.skills)
    }
}

steps! {
    /// A change of the skills.
    pub enum SkillStep of Skills {
        /// A skill was loaded.
        "loaded" => Loaded {
            /// Its name.
            name: String,
        },
        /// The hydrator named it for what is asked now (S0.18).
        "named" => Named {
            /// Its name.
            name: String,
        },
        /// A call belonged to this skill while another was active.
        "drifted" => Drifted {
            /// Its name.
            name: String,
        },
    }
}

impl Step for SkillStep {
    type Section = Skills;

    fn apply(&self, skills: &mut Skills) -> Result<(), StepError> {
        match self {
            Self::Loaded { name } => {
                skills.active = one_line(name, CALL_CHARS_MAX);
                keep(&mut skills.loaded, name, CALL_CHARS_MAX);
            }
            Self::Named { name } => skills.active = one_line(name, CALL_CHARS_MAX),
            Self::Drifted { name } => keep(&mut skills.drifts, name, CALL_CHARS_MAX),
        }
        Ok(())
    }
}

/// The step that an event causes before it is judged.
#[must_use]
pub fn steps(event: &Event<'_>, observation: &Observation) -> Option<SkillStep> {
    if let Some(guidance) = &observation.guidance {
        let first = guidance.skills.first().cloned();
        return first.map(|name| SkillStep::Named { name });
    }
    match &event.kind {
        EventKind::ToolBefore(Call::Skill { name }) if is_main(event) => Some(SkillStep::Loaded {
            name: name.to_string(),
        }),
        _ => None,
    }
}

/// A skill's own name, without the plugin that brings it.
#[must_use]
pub fn bare(skill: &str) -> &str {
    skill.rsplit(':').next().unwrap_or(skill)
}

/// Whether two names mean the same skill: one of them may leave its plugin out.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    let is_short = one.contains(':') != other.contains(':');
    one.eq_ignore_ascii_case(other) || is_short && bare(one).eq_ignore_ascii_case(bare(other))
}
