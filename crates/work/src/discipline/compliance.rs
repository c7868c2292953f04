//! Whether the session is checked against what it was asked, every so many calls.

use model::section::{Reader, Section, Sections, Step, StepError};
use model::{Event, EventKind, Session, Time, fields, name_of, named, one_line, steps};

use super::before::Before;
use super::{Held, Observation, WORDS_CHARS_MAX, is_humans_prompt};

/// What a compliance check said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Standing {
    /// Nothing against it, or never checked.
    #[default]
    Ok,
    /// Goes on, with a warning.
    Warn,
    /// Stops until a human speaks.
    Block,
}

named!(Standing);

impl Standing {
    /// Every standing with its word in a verdict.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("OK", Self::Ok),
        ("WARN", Self::Warn),
        ("BLOCK", Self::Block),
    ];

    /// Its word in a verdict.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_of(Self::NAMES, self)
    }
}

/// Whether the session is checked against what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compliance {
    /// Ordinary calls since the last verdict.
    pub calls: u64,
    /// When the last verdict was given.
    pub checked: Time,
    /// What it was.
    pub standing: Standing,
    /// Why, in the checker's words; shown as a quotation.
    pub words: String,
    /// How often calls were held back for want of a check since the last prompt or verdict.
    pub held: Held,
    /// Those of the calls that changed something, or may have.
    pub changes: u64,
    /// When a judge outside of the session was asked for the check that is due; zero = not asked.
    pub asked: Time,
    /// Whether that judge gave no verdict: the check is the worker's to start.
    pub unanswered: bool,
    /// Whether the last verdict is such a judge's, of whom the worker has heard nothing.
    pub outside: bool,
}

fields!(Compliance {
    calls,
    checked,
    standing,
    words,
    held,
    changes,
    asked,
    unanswered,
    outside,
});

impl Compliance {
    /// That of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }
}

impl Section for Compliance {
    const NAME: &'static str = "compliance";
    const VERSION: u16 = 3;
    const MIN_READER: u16 = 1;

    fn read_version(version: u16, input: &mut Reader<'_>) -> Option<Self> {
        if version > 2 {
            return input.field();
        }
        Some(Self {
            calls: input.field()?,
            checked: input.field()?,
            standing: input.field()?,
            words: input.field()?,
            held: input.field()?,
            changes: if version > 1 { input.field()? } else { 0 },
            ..Self::default()
        })
    }

    fn read_before(sections: &Sections) -> Option<Self> {
        Some(Before::of(sections)?.compliance)
    }
}

steps! {
    /// A change of the compliance.
    pub enum ComplianceStep of Compliance {
        /// A human has spoken: what stopped the worker until then is answered.
        "reset" => Reset {},
        /// A call ended that counts for the next check.
        "counted" => Counted {},
        /// The same of one that changed something, or may have.
        "changed" => Changed {},
        /// A call was held back until the session is checked.
        "held" => Held {
            /// When.
            time: Time,
        },
        /// A check was due and is left out, so that the worth of it can be measured.
        "spared" => Spared {
            /// When.
            time: Time,
        },
        /// A judge outside of the session was asked for a check.
        "asked" => Asked {
            /// When.
            time: Time,
        },
        /// It gave no verdict.
        "unanswered" => Unanswered {
            /// Why.
            @hidden why: String,
        },
        /// The verdict was such a judge's.
        "outside" => FromOutside {},
        /// A check gave its verdict.
        "checked" => Checked {
            /// What.
            standing: Standing,
            /// Why.
            @hidden words: String,
            /// When.
            time: Time,
        },
    }
}

impl Step for ComplianceStep {
    type Section = Compliance;

    fn apply(&self, compliance: &mut Compliance) -> Result<(), StepError> {
        match self {
            Self::Reset {} => {
                compliance.held = Held::default();
                if compliance.standing == Standing::Block {
                    compliance.standing = Standing::Ok;
                }
            }
            Self::Counted {} => compliance.calls += 1,
            Self::Changed {} => {
                compliance.calls += 1;
                compliance.changes += 1;
            }
            Self::Held { time } => compliance.held.again(*time),
            Self::Spared { time } => {
                (compliance.calls, compliance.changes) = (0, 0);
                compliance.checked = *time;
                compliance.held = Held::default();
            }
            Self::Asked { time } => compliance.asked = *time,
            Self::Unanswered { .. } => {
                compliance.asked = Time::default();
                compliance.unanswered = true;
            }
            Self::FromOutside {} => compliance.outside = true,
            Self::Checked {
                standing,
                words,
                time,
            } => {
                *compliance = Compliance {
                    checked: *time,
                    standing: *standing,
                    words: one_line(words, WORDS_CHARS_MAX),
                    ..Compliance::default()
                };
            }
        }
        Ok(())
    }
}

/// The steps that an event causes before it is judged.
#[must_use]
pub fn steps(
    event: &Event<'_>,
    kept: &Compliance,
    observation: &Observation,
) -> Option<ComplianceStep> {
    match &event.kind {
        _ if is_humans_prompt(event) => {
            let is_fresh = kept.held == Held::default() && kept.standing != Standing::Block;
            (!is_fresh).then_some(ComplianceStep::Reset {})
        }
        EventKind::ToolAfter { .. } | EventKind::ToolFailed { .. } => {
            let counts = observation.counts && !observation.line.is_empty();
            counts.then_some(match observation.changes {
                true => ComplianceStep::Changed {},
                false => ComplianceStep::Counted {},
            })
        }
        _ => None,
    }
}
