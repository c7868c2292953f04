//! Breakers: what ends a loop that does not end by itself. The page `breaker.md` has the causes.

use model::section::{Section, Step, StepError, Telling};
use model::{Session, Time, fields, fnv64, steps};

use crate::reviews::{ReviewHistory, Reviews};
use crate::tickets::{Ticket, TicketState};

crate::sections::sections! { BreakerStep }

/// What is counted, and when it trips.
pub const PAGE: &str = include_str!("breaker.md");

/// Failures in a row of one tool, all alike, after which the worker is told to stop.
const STRIKES: usize = 3;
/// Tools whose failures are remembered.
const TOOLS_MAX: usize = 8;
/// Messages that are compared.
const MESSAGES: usize = 3;
/// Longest message that is compared, in characters.
const MESSAGE_CHARS_MAX: usize = 600;
/// Cosine above which two messages say the same.
const ALIKE: f64 = 0.95;
/// Into how many counts the triples of a message fall.
const BUCKETS: u64 = 512;

/// The last failures of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failures {
    /// Which tool.
    pub tool: u64,
    /// What failed and how, latest last: as many as can be part of a row.
    pub last: Vec<u64>,
}

fields!(Failures { tool, last });

/// What is counted of a session, and what the worker is still to be told.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Breaker {
    /// By tool, latest last.
    pub failures: Vec<Failures>,
    /// What was said last at the latest stops, latest last: as many as are compared.
    pub messages: Vec<String>,
    /// Tokens that are known of.
    pub tokens: u64,
    /// The causes that tripped, oldest first.
    pub tripped: Vec<String>,
    /// The cause that the worker is to be told of; empty if there is none.
    pub untold: String,
}

fields!(Breaker {
    failures,
    messages,
    tokens,
    tripped,
    untold,
});

/// Most trips that are remembered.
const TRIPS_MAX: usize = 16;

impl Breaker {
    /// That of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }

    /// Whether one more failure is the third of its kind.
    #[must_use]
    pub fn is_third(&self, tool: u64, failure: u64) -> bool {
        let known = self.failures.iter().find(|known| known.tool == tool);
        let before = known.map_or(&[][..], |known| known.last.as_slice());
        before.len() + 1 >= STRIKES && before.iter().all(|known| *known == failure)
    }

    /// Whether one more message says what the two before it said.
    #[must_use]
    pub fn repeats(&self, message: &str) -> bool {
        let now = short(message);
        let mut texts: Vec<&str> = self.messages.iter().map(String::as_str).collect();
        texts.push(&now);
        if texts.len() < MESSAGES || texts.iter().any(|text| text.is_empty()) {
            return false;
        }
        let vectors: Vec<Vec<f64>> = texts.iter().map(|text| vector(text)).collect();
        let alike = |one: &Vec<f64>| vectors.iter().all(|other| cosine(one, other) > ALIKE);
        vectors.iter().all(alike)
    }
}

/// What a failure is known by: the call and what was said of it. Numbers in that are times and
/// addresses.
#[must_use]
pub fn failure(call: &str, error: &str) -> u64 {
    let mut said = String::new();
    for letter in error.trim().chars() {
        match letter {
            '0'..='9' if said.ends_with('0') => {}
            '0'..='9' => said.push('0'),
            other => said.push(other),
        }
    }
    fnv64([call, "\0", &said].concat().as_bytes())
}

fn short(message: &str) -> String {
    message.trim().chars().take(MESSAGE_CHARS_MAX).collect()
}

/// How often each triple of characters is in a text, blanks and case aside.
fn vector(text: &str) -> Vec<f64> {
    let letters: Vec<char> = text
        .split_whitespace()
        .flat_map(|word| word.chars().chain([' ']))
        .flat_map(char::to_lowercase)
        .collect();
    let mut counts = vec![0.0; usize::try_from(BUCKETS).unwrap_or(1)];
    for triple in letters.windows(3) {
        let text: String = triple.iter().collect();
        let bucket = usize::try_from(fnv64(text.as_bytes()) % BUCKETS).unwrap_or(0);
        if let Some(count) = counts.get_mut(bucket) {
            *count += 1.0;
        }
    }
    counts
}

fn cosine(one: &[f64], other: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    if lengths == 0.0 {
        return 0.0;
    }
    dot(one, other) / lengths
}

/// How far a review may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Stops that are held up since the user last spoke.
    pub turns: u64,
    /// Reviewers that are asked.
    pub attempts: u64,
    /// Tokens, as far as they are known.
    pub tokens: u64,
    /// Time since a reviewer was first asked, in milliseconds.
    pub millis: u64,
    /// Whether only the turns count.
    pub goes_on: bool,
}

/// What is counted of a session, at a moment.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'a> {
    /// Of its reviews.
    pub reviews: &'a Reviews,
    /// Of what they took.
    pub breaker: &'a Breaker,
    /// When.
    pub time: Time,
}

impl Limits {
    /// The first that a review has reached; nothing if none.
    #[must_use]
    pub fn reached(&self, ticket: &Ticket, counted: &Counted<'_>) -> Option<&'static str> {
        let Counted {
            reviews,
            breaker,
            time,
        } = counted;
        if reviews.held >= self.turns {
            return Some("turns");
        }
        let is_at_work = matches!(ticket.state, TicketState::Prepared | TicketState::Running);
        let known = reviews.review(ticket);
        let known = known.filter(|known| !self.goes_on && known.open > 0);
        let attempts = |known: &ReviewHistory| known.open >= self.attempts && !is_at_work;
        let took = |known: &ReviewHistory| time.0.saturating_sub(known.began.0) >= self.millis;
        match known? {
            known if attempts(known) => Some("attempts"),
            _ if breaker.tokens >= self.tokens => Some("tokens"),
            known if took(known) => Some("time"),
            _ => None,
        }
    }
}

/// A cause in words.
#[must_use]
pub fn in_words(cause: &str) -> &'static str {
    match cause {
        "turns" => "it was held up as often as may be",
        "attempts" => "reviewers were asked as often as may be",
        "tokens" => "it took as many tokens as it may",
        "time" => "it took as long as it may",
        "failures" => "the same call failed three times in the same way",
        "repeats" => "the last three messages say the same",
        _ => "a limit was reached",
    }
}

steps! {
    /// A change of what is counted.
    pub enum BreakerStep of Breaker {
        /// A call failed.
        "failed" => Failed {
            /// Of which tool.
            tool: u64,
            /// What [`failure`] says.
            failure: u64,
        },
        /// The worker said something and stopped.
        "said" => Said {
            /// What.
            @hidden text: String,
        },
        /// Tokens were taken.
        "spent" => Spent {
            /// How many.
            tokens: u64,
        },
        /// A task begins anew: the user spoke, or a review passed.
        "begun" => Begun {},
        /// A breaker tripped.
        "tripped" => Tripped {
            /// Why.
            cause: String,
        },
        /// The worker was told.
        "told" => Told {},
    }
}

impl Step for BreakerStep {
    type Section = Breaker;

    fn apply(&self, breaker: &mut Breaker) -> Result<(), StepError> {
        match self {
            Self::Failed { tool, failure } => failed(breaker, *tool, *failure),
            Self::Said { text } => {
                if breaker.repeats(text) {
                    trip(breaker, "repeats");
                    breaker.messages.clear();
                } else {
                    breaker.messages.push(short(text));
                    let surplus = breaker.messages.len().saturating_sub(MESSAGES - 1);
                    breaker.messages.drain(..surplus);
                }
            }
            Self::Spent { tokens } => breaker.tokens = breaker.tokens.saturating_add(*tokens),
            Self::Begun {} => {
                breaker.tokens = 0;
                breaker.messages.clear();
            }
            Self::Tripped { cause } => note(breaker, cause),
            Self::Told {} => breaker.untold.clear(),
        }
        Ok(())
    }

    fn told(&self) -> Telling {
        match self {
            Self::Spent { tokens } => Telling::Beside(format!("{tokens} tokens spent")),
            Self::Tripped { cause } => {
                Telling::Beside(format!("the turn is let go: {}", in_words(cause)))
            }
            Self::Told {} => Telling::Beside("the worker was told to stop".to_owned()),
            Self::Failed { .. } | Self::Said { .. } | Self::Begun {} => Telling::Silent,
        }
    }
}

fn failed(breaker: &mut Breaker, tool: u64, failure: u64) {
    let is_third = breaker.is_third(tool, failure);
    let list = &mut breaker.failures;
    let at = list.iter().position(|known| known.tool == tool);
    let mut known = at.map_or_else(
        || Failures {
            tool,
            ..Failures::default()
        },
        |at| list.remove(at),
    );
    if is_third {
        return trip(breaker, "failures");
    }
    known.last.push(failure);
    let surplus = known.last.len().saturating_sub(STRIKES - 1);
    known.last.drain(..surplus);
    list.push(known);
    let surplus = list.len().saturating_sub(TOOLS_MAX);
    list.drain(..surplus);
}

/// It tripped, and the worker is to be told.
fn trip(breaker: &mut Breaker, cause: &str) {
    note(breaker, cause);
    cause.clone_into(&mut breaker.untold);
}

fn note(breaker: &mut Breaker, cause: &str) {
    breaker.tripped.push(cause.to_owned());
    let surplus = breaker.tripped.len().saturating_sub(TRIPS_MAX);
    breaker.tripped.drain(..surplus);
}

impl Section for Breaker {
    const NAME: &'static str = "breaker";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;
}

#[cfg(test)]
mod tests;
