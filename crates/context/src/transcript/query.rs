//! What is asked of a transcript. Must not know how any of it is found.

/// A part of what can be told about a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// The last prompts of a human.
    Prompts,
    /// The skill used last.
    Skill,
    /// What is to be done.
    Todos,
    /// The first prompt of a human.
    Intent,
    /// Calls that went wrong lately.
    Errors,
    /// The last calls.
    Tools,
    /// The files that were changed.
    Files,
    /// What a human decided, in their words.
    Decisions,
}

impl Section {
    /// All, in the order in which they are told.
    pub const ALL: [Self; 8] = [
        Self::Intent,
        Self::Prompts,
        Self::Skill,
        Self::Todos,
        Self::Errors,
        Self::Tools,
        Self::Files,
        Self::Decisions,
    ];

    /// Its name on the command line and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Prompts => "prompts",
            Self::Skill => "skill",
            Self::Todos => "todos",
            Self::Intent => "intent",
            Self::Errors => "errors",
            Self::Tools => "tools",
            Self::Files => "files",
            Self::Decisions => "decisions",
        }
    }

    /// The section of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.name() == name)
    }
}

/// Turns that are looked back on, unless somebody wants others.
pub const TURNS: usize = 5;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The sections wanted.
    pub sections: Vec<Section>,
    /// How many turns are looked back on. A turn begins with a human's prompt.
    pub turns: usize,
    /// Whether what subagents did is told too.
    pub subagents: bool,
    /// Most bytes that are read from either end; what lies between is not known then.
    pub bytes_max: Option<u64>,
}

impl Query {
    /// These sections of the last [`TURNS`] turns.
    #[must_use]
    pub fn of(sections: &[Section]) -> Self {
        Self {
            sections: sections.to_vec(),
            turns: TURNS,
            subagents: false,
            bytes_max: None,
        }
    }

    /// Whether a section is wanted.
    #[must_use]
    pub fn has(&self, section: Section) -> bool {
        self.sections.contains(&section)
    }

    /// Whether the whole file must be read.
    pub(super) fn needs_all(&self) -> bool {
        self.has(Section::Files) || self.has(Section::Decisions)
    }
}
