//! Reviews besides their tickets: the user's words, attempts, what was found, stops that were held
//! up. The page `reviews.md` has the steps and the order at a stop.

use model::section::{Section, Step, StepError, Telling};
use model::{Session, Time, fields, one_line, steps};

use crate::tickets::verdict::{FINDING, VERDICT};
use crate::tickets::{Ticket, TicketState, Tickets};

crate::sections::sections! { ReviewStep }

/// Who may cause which step, and what happens at a stop.
pub const PAGE: &str = include_str!("reviews.md");

/// Most of what the user said that is kept: the first and the latest, each so long, in characters.
const WORDS_MAX: usize = 6;
const WORDS_CHARS_MAX: usize = 2_000;
/// Most reviews that are remembered, and most of what one found.
const REVIEWS_MAX: usize = 8;
const ISSUES_MAX: usize = 20;
/// Longest title and path of an issue, in characters.
const ISSUE_CHARS_MAX: usize = 160;

/// How a review stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It is owed, and nobody judges.
    Pending,
    /// A reviewer is at it.
    InReview,
    /// The work, as it was then, is approved.
    Approved,
    /// It is rejected.
    Rejected,
    /// A human said that it is not owed.
    Dropped,
}

impl Status {
    /// That of a ticket.
    #[must_use]
    pub fn of(ticket: &Ticket) -> Self {
        match ticket.state {
            TicketState::Wanted | TicketState::Void | TicketState::Released => Self::Pending,
            TicketState::Prepared | TicketState::Running => Self::InReview,
            TicketState::Passed => Self::Approved,
            TicketState::Failed => Self::Rejected,
            TicketState::Dropped => Self::Dropped,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InReview => "in_review",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Dropped => "dropped",
        }
    }
}

/// Something that a reviewer found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Issue {
    /// `high`, `medium`, `low`; empty if the reviewer did not say.
    pub severity: String,
    /// The file, from the top of the work; empty if none was named.
    pub file: String,
    /// The line; 0 if none was named.
    pub line: u64,
    /// What, in a few words.
    pub title: String,
}

fields!(Issue {
    severity,
    file,
    line,
    title,
});

impl Issue {
    /// `high src/a.rs:12 the title`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let place = match self.line {
            0 => self.file.clone(),
            line => format!("{}:{line}", self.file),
        };
        let parts = [self.severity.as_str(), &place, &self.title];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" ")
    }

    /// As a step carries it.
    fn packed(&self) -> String {
        let Self {
            severity,
            file,
            line,
            title,
        } = self;
        format!("{severity}\t{file}\t{line}\t{title}")
    }

    fn unpacked(text: &str) -> Self {
        let mut parts = text.splitn(4, '\t');
        let mut next = || parts.next().unwrap_or_default().to_owned();
        let (severity, file, line, title) = (next(), next(), next(), next());
        Self {
            severity,
            file,
            line: line.parse().unwrap_or(0),
            title,
        }
    }
}

/// The findings of a reviewer's last words, with what it says of each: a line `severity: …` and a
/// line `where: path:line`.
#[must_use]
pub fn issues(last: &str) -> Vec<Issue> {
    let mut found: Vec<Issue> = Vec::new();
    for line in last.lines() {
        if line.starts_with(VERDICT) {
            break;
        }
        if let Some((_, title)) = line.strip_prefix(FINDING).and_then(|l| l.split_once(':')) {
            found.push(Issue {
                title: short(title),
                ..Issue::default()
            });
            continue;
        }
        let (Some(issue), Some((key, value))) = (found.last_mut(), line.split_once(':')) else {
            continue;
        };
        match key.trim().to_lowercase().as_str() {
            "severity" if issue.severity.is_empty() => issue.severity = severity(value),
            "where" if issue.file.is_empty() => (issue.file, issue.line) = place(value),
            _ => {}
        }
    }
    found.truncate(ISSUES_MAX);
    found
}

pub(crate) fn short(text: &str) -> String {
    one_line(text.trim(), ISSUE_CHARS_MAX)
}

pub(crate) fn severity(value: &str) -> String {
    let value = value.trim().to_lowercase();
    let known = ["high", "medium", "low"].into_iter();
    let mut known = known.filter(|known| value.starts_with(known));
    known.next().unwrap_or_default().to_owned()
}

/// `path:line`, with whatever stands around it.
pub(crate) fn place(value: &str) -> (String, u64) {
    let value = value.trim().trim_matches('`');
    let Some((path, rest)) = value.split_once(':') else {
        return (short(value), 0);
    };
    let digits: String = rest
        .trim_start()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    (short(path), digits.parse().unwrap_or(0))
}

/// What is remembered of one review.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReviewHistory {
    /// What for: what its tickets say.
    pub purpose: String,
    /// The newest ticket for which a reviewer was asked.
    pub ticket: String,
    /// Who was asked last.
    pub reviewer: String,
    /// How often one was asked.
    pub attempts: u64,
    /// How often since the last approval, or since the user last spoke.
    pub open: u64,
    /// When the first of those was.
    pub began: Time,
    /// What the last verdict found.
    pub issues: Vec<Issue>,
}

fields!(ReviewHistory {
    purpose,
    ticket,
    reviewer,
    attempts,
    open,
    began,
    issues,
});

/// What a session knows of its reviews.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reviews {
    /// One for each purpose, oldest first.
    pub list: Vec<ReviewHistory>,
    /// Stops that were held up since the user last spoke.
    pub held: u64,
    /// What the user said: the first, and the latest.
    pub words: Vec<String>,
    /// The commit that the session began at, where that is wanted; else empty.
    pub base: String,
}

fields!(Reviews {
    list,
    held,
    words,
    base,
});

impl Section for Reviews {
    const NAME: &'static str = "reviews";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;
}

impl Reviews {
    /// Those of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }

    /// What is remembered of the review of a ticket.
    #[must_use]
    pub fn review(&self, ticket: &Ticket) -> Option<&ReviewHistory> {
        let mut list = self.list.iter();
        list.find(|review| review.purpose == ticket.purpose)
    }

    /// What the last verdict on the review of a ticket found, a line each.
    #[must_use]
    pub fn found(&self, ticket: &Ticket) -> Vec<String> {
        let issues = self.review(ticket).map(|review| review.issues.iter());
        issues.into_iter().flatten().map(Issue::in_words).collect()
    }
}

steps! {
    /// A change of what is known of reviews.
    pub enum ReviewStep of Reviews {
        /// The user said something.
        "spoke" => Spoke {
            /// What.
            @hidden text: String,
        },
        /// What the user said before the review was registered.
        "recalled" => Recalled {
            /// What, oldest first.
            @hidden words: Vec<String>,
        },
        /// The session began at a commit.
        "based" => Based {
            /// Which.
            commit: String,
        },
        /// A reviewer was asked.
        "began" => Began {
            /// For what.
            @hidden purpose: String,
            /// The ticket.
            ticket: String,
            /// Who.
            reviewer: String,
            /// When.
            time: Time,
        },
        /// It gave a verdict.
        "judged" => Judged {
            /// The ticket.
            ticket: String,
            /// What it found, each packed.
            @hidden issues: Vec<String>,
        },
        /// A stop was held up.
        "held" => Held {},
    }
}

impl ReviewStep {
    /// A ticket came to a verdict with these last words.
    #[must_use]
    pub fn judged(ticket: &Ticket, last: &str) -> Self {
        let found = match ticket.state {
            TicketState::Failed => issues(last),
            _ => Vec::new(),
        };
        Self::Judged {
            ticket: ticket.id.clone(),
            issues: found.iter().map(Issue::packed).collect(),
        }
    }
}

impl Step for ReviewStep {
    type Section = Reviews;

    fn apply(&self, reviews: &mut Reviews) -> Result<(), StepError> {
        match self {
            Self::Spoke { text } => {
                reviews.held = 0;
                reviews.list.iter_mut().for_each(|review| review.open = 0);
                keep(&mut reviews.words, text);
            }
            Self::Recalled { words } => {
                let later = std::mem::take(&mut reviews.words);
                words
                    .iter()
                    .chain(&later)
                    .for_each(|text| keep(&mut reviews.words, text));
            }
            Self::Based { commit } => reviews.base.clone_from(commit),
            Self::Began {
                purpose,
                ticket,
                reviewer,
                time,
            } => {
                let now = ReviewHistory {
                    purpose: purpose.clone(),
                    ticket: ticket.clone(),
                    reviewer: reviewer.clone(),
                    attempts: 1,
                    open: 1,
                    began: *time,
                    issues: Vec::new(),
                };
                began(&mut reviews.list, now);
            }
            Self::Judged { ticket, issues } => {
                let mut list = reviews.list.iter_mut();
                if let Some(review) = list.find(|review| review.ticket == *ticket) {
                    review.issues = issues.iter().map(|text| Issue::unpacked(text)).collect();
                    if issues.is_empty() {
                        review.open = 0;
                    }
                }
            }
            Self::Held {} => reviews.held += 1,
        }
        Ok(())
    }

    /// A stop right after another is another, be they as like as they may: else a quick worker
    /// would be held more often than is counted.
    fn is_claim(&self) -> bool {
        matches!(self, Self::Held {})
    }

    fn told(&self) -> Telling {
        match self {
            Self::Began {
                ticket, reviewer, ..
            } => Telling::Beside(format!("{reviewer} was asked to review {ticket}")),
            Self::Held {} => Telling::Beside("held up until a review passes".to_owned()),
            // The ticket says what came of it.
            Self::Judged { .. } | Self::Spoke { .. } | Self::Recalled { .. } => Telling::Silent,
            Self::Based { .. } => Telling::Silent,
        }
    }
}

/// Keeps what the user said: the first says what it is about, the latest what it is about now.
fn keep(words: &mut Vec<String>, text: &str) {
    let text: String = text.trim().chars().take(WORDS_CHARS_MAX).collect();
    if !text.is_empty() && words.last() != Some(&text) {
        words.push(text);
    }
    if words.len() > WORDS_MAX {
        words.remove(1);
    }
}

/// Takes up that a reviewer was asked once more: what this review was before goes on.
fn began(list: &mut Vec<ReviewHistory>, now: ReviewHistory) {
    let at = list.iter().position(|known| known.purpose == now.purpose);
    let before = at.map(|at| list.remove(at));
    let review = match before {
        None => now,
        Some(before) => ReviewHistory {
            attempts: before.attempts + 1,
            open: before.open + 1,
            began: if before.open == 0 {
                now.began
            } else {
                before.began
            },
            issues: before.issues,
            ..now
        },
    };
    list.push(review);
    let surplus = list.len().saturating_sub(REVIEWS_MAX);
    list.drain(..surplus);
}

/// What holds up a stop: the owed tickets that were not released, oldest first.
pub fn holding(all: &Tickets) -> impl Iterator<Item = &Ticket> {
    crate::tickets::owed(all).filter(|ticket| ticket.state != TicketState::Released)
}

/// Whether reviews hold up the stops of a session.
#[must_use]
pub fn hold(session: &Session) -> bool {
    holding(&Tickets::of(session)).next().is_some()
}

#[cfg(test)]
mod tests;
