//! An item as it stands, wherever it is kept: what filters ask for.

use std::borrow::Cow;

use super::Dependency;
use crate::Raw;

/// What an item depends on, as far as it decides anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge<'a> {
    /// The other item.
    pub on: Cow<'a, str>,
    /// How.
    pub kind: Cow<'a, str>,
    /// Whether one part of the other is enough to wait for.
    pub any: bool,
}

impl<'a> Edge<'a> {
    /// The one that a dependency tells of.
    #[must_use]
    pub fn of(one: &'a Dependency<'_>) -> Self {
        Self {
            on: one.on(),
            kind: one.kind(),
            any: one.object().text("metadata").contains("any-children"),
        }
    }

    /// It without its origin.
    #[must_use]
    pub fn into_owned(self) -> Edge<'static> {
        Edge {
            on: Cow::Owned(self.on.into_owned()),
            kind: Cow::Owned(self.kind.into_owned()),
            any: self.any,
        }
    }
}

/// The fields of an item in the order in which they are written, by the names that beads gives
/// them. Others stand before the sets.
pub const FIELDS: &[&str] = &[
    "_type",
    "id",
    "title",
    "description",
    "design",
    "acceptance_criteria",
    "notes",
    "spec_id",
    "status",
    "priority",
    "issue_type",
    "assignee",
    "owner",
    "estimated_minutes",
    "created_at",
    "created_by",
    "updated_at",
    "started_at",
    "closed_at",
    "close_reason",
    "closed_by_session",
    "due_at",
    "defer_until",
    "external_ref",
    "source_system",
    "metadata",
    "compaction_level",
    "labels",
    "dependencies",
    "comments",
    "dependency_count",
    "dependent_count",
    "comment_count",
];

/// Priority where none is set.
const PRIORITY: u8 = 2;

/// An item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue<'a> {
    /// Where its source has it.
    pub at: usize,
    /// Its id.
    pub id: Cow<'a, str>,
    /// What it is about, on one line.
    pub title: Cow<'a, str>,
    /// `open`, `in_progress`, `blocked`, `deferred`, `closed`, or a project's own.
    pub status: Cow<'a, str>,
    /// `task`, `bug`, `feature`, …
    pub kind: Cow<'a, str>,
    /// 0 is the most urgent, 4 the least.
    pub priority: u8,
    /// Who works on it; empty if nobody does.
    pub assignee: Cow<'a, str>,
    /// When it is to be taken up, as written; empty if at once.
    pub defer_until: Cow<'a, str>,
    /// Why it was closed.
    pub close_reason: Cow<'a, str>,
    /// When it was made, in milliseconds since 1970; 0 if that is not known.
    pub made: u64,
    /// When it was last changed.
    pub changed: u64,
    /// Words it is filed under.
    pub labels: Vec<Cow<'a, str>>,
    /// What it depends on.
    pub dependencies: Vec<Edge<'a>>,
    /// Everybody who took it up apart from one another; empty if there is no dispute.
    pub claimed_by: Vec<Cow<'a, str>>,
    /// Whether it is nothing to be worked on: a template, or gone tomorrow.
    pub is_aside: bool,
}

impl Issue<'_> {
    /// The item that it belongs to.
    #[must_use]
    pub fn parent(&self) -> Option<Cow<'_, str>> {
        let mut all = self.dependencies.iter();
        all.find(|one| one.kind == "parent-child")
            .map(|one| Cow::Borrowed(&*one.on))
    }
}

/// A priority as people write it: `0` to `4`, or `P0` to `P4`.
///
/// # Errors
/// If it is none.
pub fn priority(word: &str) -> Result<u8, String> {
    let digits = word.trim_start_matches(['p', 'P']);
    let number = digits.parse().ok().filter(|number| *number <= 4);
    number.ok_or_else(|| "a priority is 0 (the most urgent) to 4".to_owned())
}

/// The priority that a value says; others' programs write `2.0` too.
pub(crate) fn priority_or_usual(raw: Option<&Raw<'_>>) -> u8 {
    let digits = raw.map_or("", Raw::as_str);
    let digits = digits.strip_suffix(".0").unwrap_or(digits);
    digits.parse().unwrap_or(PRIORITY)
}

/// Which items are meant. What is empty asks for nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Any of these statuses.
    pub status: Vec<String>,
    /// Any of these types.
    pub kind: Vec<String>,
    /// Any of these priorities.
    pub priority: Vec<u8>,
    /// This assignee; `none` for nobody.
    pub assignee: Option<String>,
    /// All of these labels.
    pub labels: Vec<String>,
    /// Below this item.
    pub parent: Option<String>,
    /// With these words in the title, in any case.
    pub words: Vec<String>,
}

impl Selection {
    /// Whether it means an item.
    #[must_use]
    pub fn has(&self, issue: &Issue<'_>) -> bool {
        let any = |list: &[String], word: &str| {
            list.is_empty() || list.iter().any(|one| one.eq_ignore_ascii_case(word))
        };
        any(&self.status, &issue.status)
            && any(&self.kind, &issue.kind)
            && (self.priority.is_empty() || self.priority.contains(&issue.priority))
            && self.has_assignee(issue)
            && self
                .labels
                .iter()
                .all(|label| issue.labels.iter().any(|one| one == label))
            && self.has_parent(issue)
            && self.has_words(issue)
    }

    fn has_assignee(&self, issue: &Issue<'_>) -> bool {
        match self.assignee.as_deref() {
            None => true,
            Some("none") => issue.assignee.is_empty(),
            Some(name) => issue.assignee == name,
        }
    }

    fn has_parent(&self, issue: &Issue<'_>) -> bool {
        let parent = self.parent.as_deref();
        parent.is_none_or(|parent| issue.parent().is_some_and(|known| known == parent))
    }

    fn has_words(&self, issue: &Issue<'_>) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let title = issue.title.to_lowercase();
        let mut words = self.words.iter();
        words.all(|word| title.contains(&word.to_lowercase()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_read() {
        assert_eq!((priority("0"), priority("P4")), (Ok(0), Ok(4)));
        assert!(priority("5").is_err() && priority("high").is_err() && priority("").is_err());
        let zero = Raw::literal("0.0".to_owned());
        assert_eq!(
            (priority_or_usual(None), priority_or_usual(Some(&zero))),
            (2, 0)
        );
    }
}
