//! Every section that concerns keep in a session's record: the registry over which their laws hold,
//! and by which a record is checked when it is loaded.

use model::section::{AnyStep, Fields, Logged, Section, Sections, Step, Telling, Unreadable};

use crate::approvals::ApprovalStep;
use crate::discipline::{
    ComplianceStep, HintStep, HydrationStep, KnowledgeStep, SkillStep, TaskStep,
};
use crate::overrides::OverrideStep;
use crate::tickets::TicketStep;

/// A section, as far as it is the same for all.
#[derive(Debug, Clone, Copy)]
pub struct SectionKind {
    /// Its name.
    pub name: &'static str,
    /// The names of its steps.
    pub steps: &'static [&'static str],
    /// Whether what a record holds of it can be read.
    pub check: fn(&Sections) -> Result<(), Unreadable>,
    /// A step's fields read and told again; `None` if they are none of its steps.
    pub echo: fn(&Fields) -> Option<Fields>,
    /// A step as people are told of it; `None` if it is none of these.
    pub told: fn(&Fields) -> Option<Telling>,
    /// Some of every step, for the tests of whoever writes or reads them.
    pub samples: fn() -> Vec<AnyStep>,
}

impl SectionKind {
    /// The section that a kind of step changes.
    const fn of<T: Step>() -> Self {
        Self {
            name: T::Section::NAME,
            steps: T::NAMES,
            check: |sections| sections.read::<T::Section>().map(drop),
            echo: |fields| T::read_fields(fields).map(|step| Logged::fields(&step)),
            told: |fields| T::read_fields(fields).map(|step| step.told()),
            samples: || T::samples().into_iter().map(AnyStep::from).collect(),
        }
    }
}

/// Every section.
pub const SECTIONS: &[SectionKind] = &[
    SectionKind::of::<ApprovalStep>(),
    SectionKind::of::<OverrideStep>(),
    SectionKind::of::<TicketStep>(),
    SectionKind::of::<TaskStep>(),
    SectionKind::of::<HydrationStep>(),
    SectionKind::of::<SkillStep>(),
    SectionKind::of::<ComplianceStep>(),
    SectionKind::of::<KnowledgeStep>(),
    SectionKind::of::<HintStep>(),
];

/// The first section of a record that cannot be read, and why.
#[must_use]
pub fn unreadable(sections: &Sections) -> Option<(&'static str, Unreadable)> {
    let mut all = SECTIONS.iter();
    all.find_map(|kind| Some((kind.name, (kind.check)(sections).err()?)))
}

/// A step as people are told of it; `None` if no section knows it.
#[must_use]
pub fn told(fields: &Fields) -> Option<Telling> {
    SECTIONS.iter().find_map(|kind| (kind.told)(fields))
}

#[cfg(test)]
mod tests;
