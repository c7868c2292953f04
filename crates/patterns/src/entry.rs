//! One entry of the index, as the hook needs it.

use model::{PatternAction, SimpleCommand, fields, named};

use crate::{Expression, Template};

/// Where an entry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// Nobody wrote it: what keeps failing did.
    Learned,
    /// A person.
    #[default]
    Written,
    /// An index of somebody else's.
    Imported,
}

impl Origin {
    /// Every origin with its name in the index.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("learned", Self::Learned),
        ("written", Self::Written),
        ("imported", Self::Imported),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        names
            .find(|(_, origin)| *origin == self)
            .map_or("", |(name, _)| name)
    }
}

named!(Origin);

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// Its name.
    pub id: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The project that it holds for; empty: every one.
    pub project: String,
    /// Whose calls it holds for, by the host's id; empty: everybody's.
    pub seat: String,
    /// The directory in the project that it holds for.
    pub dir: String,
    /// Whether it holds in every directory.
    pub is_everywhere: bool,
    /// The kind of work that it holds for; empty: every kind.
    pub action_type: String,
    /// What the command looks like, word by word.
    pub template: Template,
    /// What its text must hold, where the template says nothing.
    pub expression: Expression,
    /// How often in a row that very command must have failed before.
    pub min_recent_failures: u64,
    /// The most that it may do.
    pub action: PatternAction,
    /// Why, in one sentence.
    pub reason: String,
    /// What to do instead; may be empty.
    pub alternative: String,
}

fields!(Entry {
    id,
    origin,
    project,
    seat,
    dir,
    is_everywhere,
    action_type,
    template,
    expression,
    min_recent_failures,
    action,
    reason,
    alternative,
});

/// A command, and where and by whom it is about to be run.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The command.
    pub command: &'a SimpleCommand,
    /// Its text, for expressions.
    pub text: &'a str,
    /// The project.
    pub project: &'a str,
    /// The host's id.
    pub seat: &'a str,
    /// The directory, in the project.
    pub dir: &'a str,
    /// The kind of work.
    pub action_type: &'a str,
}

impl Entry {
    /// Whether it is about this command.
    #[must_use]
    pub fn fits(&self, asked: &Asked<'_>) -> bool {
        let holds = |own: &str, is: &str| own.is_empty() || own == is;
        holds(&self.project, asked.project)
            && holds(&self.seat, asked.seat)
            && holds(&self.action_type, asked.action_type)
            && (self.is_everywhere || self.dir == asked.dir)
            && match self.expression.is_none() {
                true => self.template.accepts(&asked.command.words),
                false => self.expression.accepts(asked.text),
            }
    }
}
