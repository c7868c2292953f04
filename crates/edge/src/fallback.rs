//! What is said if we break or run out of time, and how the process that judges is told. The
//! process itself must not be known here: it holds the replies where its handlers find them.

use std::time::Duration;

use hosts::{Answer, Asked, Host, Reply};
use model::{EventClass, FaultCause, Level};

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A panic, a stack overflow, a failed allocation.
    Broken = 0,
    /// The deadline passed.
    Late = 1,
}

impl Cause {
    /// How we may end without a verdict.
    pub const ALL: [Self; 2] = [Self::Broken, Self::Late];

    /// The row of the failure table, and what is said of it.
    #[must_use]
    pub const fn fault(self) -> (FaultCause, &'static str) {
        match self {
            Self::Broken => (FaultCause::Gate, "the gate broke"),
            Self::Late => (FaultCause::Time, "judging took too long"),
        }
    }
}

/// What is said, and whether that stops anything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Response {
    /// The streams and the exit status.
    pub reply: Reply,
    /// Whether silence would let through what this stops.
    pub refuses: bool,
    /// The id of the question to a human that the refusal became; empty if it is none.
    pub held: String,
    /// Whether what it rests on could not be remembered.
    pub is_unkept: bool,
}

/// An event, as far as the answer to it if we break depends on it. Nearly every call ends without
/// one, so it is put into words only then.
#[derive(Debug, Clone)]
pub struct Unspoken {
    /// Who sent it.
    pub host: &'static Host,
    /// Its name, as the host spells it.
    pub event: String,
    /// Whether the host's own prompt would reach a human now.
    pub asks: bool,
    /// Its row of the failure table.
    pub class: EventClass,
}

impl Unspoken {
    /// The answer, if we break in this way.
    #[must_use]
    pub fn response(&self, cause: Cause) -> Response {
        self.in_words(cause.fault())
    }

    /// The failure table's answer to a failure, in the host's words.
    pub(crate) fn in_words(&self, (cause, what): (FaultCause, &str)) -> Response {
        let answer = gates::stack::fault::answer(cause, self.class, what);
        let (level, words) = answer.unwrap_or_default();
        let answer = match level {
            Level::Allow => Answer {
                advice: &words,
                ..Answer::default()
            },
            _ => Answer {
                level,
                reason: &words,
                ..Answer::default()
            },
        };
        let asked = Asked {
            event: &self.event,
            asks: self.asks,
        };
        Response {
            reply: (self.host.reply)(&asked, &answer),
            refuses: level > Level::Allow,
            ..Response::default()
        }
    }
}

/// How the process is told. Where nobody waits for an answer, nothing has to be done.
#[derive(Debug, Clone, Copy)]
pub struct Fallback {
    /// Makes what fits an event the answer to give if things go wrong, unless another is [`set`]
    /// later.
    ///
    /// [`set`]: Self::set
    pub prepare: fn(Unspoken),
    /// Makes a response the one to give if things go wrong in this way.
    pub set: fn(Cause, &Response),
    /// The time that an answer may take from now on.
    pub deadline: fn(Duration),
    /// Whether the process ends with its answer: freeing anything would only take time.
    pub ends: bool,
}

impl Fallback {
    /// For whoever does not break while somebody waits.
    pub const NONE: Self = Self {
        prepare: |_| {},
        set: |_, _| {},
        deadline: |_| {},
        ends: false,
    };
}
