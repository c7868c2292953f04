//! Modes and profiles: how much a gate may do.

/// What a gate may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Mode {
    /// Judge and log, say nothing ("would have").
    Off,
    /// Say it as advice, stop nothing.
    Warn,
    /// Stop.
    #[default]
    Block,
}

impl Mode {
    /// Every mode with its name in settings.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("off", Self::Off),
        ("warn", Self::Warn),
        ("block", Self::Block),
    ];

    /// Its name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }
}

/// A named set of modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Profile {
    /// Everything judged and logged, nothing said or blocked.
    Observe,
    /// Safety gates block.
    #[default]
    Guard,
    /// As [`Self::Guard`], and the worker is told what helps it.
    Coach,
    /// As [`Self::Coach`], and it must have its prompts grounded and its work checked.
    Discipline,
}

impl Profile {
    /// Every profile with its name in settings.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("observe", Self::Observe),
        ("guard", Self::Guard),
        ("coach", Self::Coach),
        ("discipline", Self::Discipline),
    ];

    /// Its name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }
}
