//! Every section that concerns keep in a session's record: the registry over which their laws hold,
//! and by which a record is checked when it is loaded.

use model::section::{AnyStep, Fields, Logged, Section, Sections, Step, Telling, Unreadable};

/// A section, as far as it is the same for all.
#[derive(Debug, Clone, Copy)]
pub struct SectionKind {
    /// Its name.
    pub name: &'static str,
    /// The names of its steps.
    pub steps: &'static [&'static str],
    /// A step's fields read and told again; `None` if they are none of its steps.
    pub echo: fn(&Fields) -> Option<Fields>,
    /// A step as people are told of it; `None` if it is none of these.
    pub told: fn(&Fields) -> Option<Telling>,
    /// Some of every step, for the tests of whoever writes or reads them.
    pub samples: fn() -> Vec<AnyStep>,
}

impl SectionKind {
    /// The section that a kind of step changes.
    pub(crate) const fn of<T: Step>() -> Self {
        Self {
            name: T::Section::NAME,
            steps: T::NAMES,
            echo: |fields| T::read_fields(fields).map(|step| Logged::fields(&step)),
            told: |fields| T::read_fields(fields).map(|step| step.told()),
            samples: || T::samples().into_iter().map(AnyStep::from).collect(),
        }
    }
}

/// Finds a section that cannot be read.
pub(crate) type Check = fn(&Sections) -> Option<(&'static str, Unreadable)>;

/// What checks one.
pub(crate) const fn check<T: Section>() -> Check {
    |sections| Some((T::NAME, sections.read::<T>().err()?))
}

/// The sections of a room, by their steps. What the hook asks of a section stands apart from what
/// others ask, which it then does not link.
macro_rules! sections {
    ($($step:ty),* $(,)?) => {
        /// The sections of this room.
        pub(crate) const SECTIONS: &[$crate::SectionKind] =
            &[$($crate::SectionKind::of::<$step>()),*];
        /// What finds one that cannot be read.
        pub(crate) const CHECKS: &[$crate::sections::Check] =
            &[$($crate::sections::check::<<$step as model::section::Step>::Section>()),*];
    };
}

pub(crate) use sections;

/// What the rooms register, in one list.
macro_rules! rooms {
    ($($room:ident),* $(,)?) => {
        const ROOMS: &[&[SectionKind]] = &[$($crate::$room::SECTIONS),*];
        const CHECKS: &[&[Check]] = &[$($crate::$room::CHECKS),*];
    };
}

rooms! {
    altered,
    approvals,
    edits,
    moved,
    overrides,
    repeats,
    tickets,
    reviews,
    breaker,
    discipline,
    observations,
    streaks,
    strikes,
    test_evidence,
    plan,
}

/// Every section.
pub fn all() -> impl Iterator<Item = &'static SectionKind> {
    ROOMS.iter().copied().flatten()
}

/// The first section of a record that cannot be read, and why.
#[must_use]
pub fn unreadable(sections: &Sections) -> Option<(&'static str, Unreadable)> {
    let mut checks = CHECKS.iter().copied().flatten();
    checks.find_map(|check| check(sections))
}

/// A step as people are told of it; `None` if no section knows it.
#[must_use]
pub fn told(fields: &Fields) -> Option<Telling> {
    all().find_map(|kind| (kind.told)(fields))
}

#[cfg(test)]
mod tests;
