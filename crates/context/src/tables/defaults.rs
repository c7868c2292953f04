//! The tables that hold where nobody wrote any, and where those that people write are kept.

use super::Name;

impl Name {
    /// Every table with the name of its file.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("REMINDERS.md", Self::Reminders),
        ("RULES.md", Self::Rules),
        ("AXIOMS.md", Self::Axioms),
        ("HEURISTICS.md", Self::Heuristics),
        ("WORKFLOWS.md", Self::Workflows),
    ];

    /// The name of its file.
    #[must_use]
    pub fn file(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        let found = names.find(|(_, name)| *name == self);
        found.map_or("", |(file, _)| file)
    }

    /// What holds where there is no file.
    #[must_use]
    pub fn default_text(self) -> &'static str {
        match self {
            Self::Reminders => include_str!("../../../../assets/tables/REMINDERS.md"),
            Self::Rules => include_str!("../../../../assets/tables/RULES.md"),
            Self::Axioms => include_str!("../../../../assets/tables/AXIOMS.md"),
            Self::Heuristics => include_str!("../../../../assets/tables/HEURISTICS.md"),
            Self::Workflows => include_str!("../../../../assets/tables/WORKFLOWS.md"),
        }
    }

    /// Its file below a directory of settings: the user's, or a project's.
    #[must_use]
    pub fn below(self, settings: &str) -> String {
        [settings, "/tables/", self.file()].concat()
    }
}
