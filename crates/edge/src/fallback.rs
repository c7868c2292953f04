//! What is said if we break or run out of time, and how the process that judges is told. The
//! process itself must not be known here: it holds the replies where its handlers find them.

use std::time::Duration;

use hosts::Reply;
use model::FaultCause;

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A panic, a stack overflow, a failed allocation.
    Broken = 0,
    /// The deadline passed.
    Late = 1,
}

/// How we may end without a verdict, the row of the failure table, and what is said of it.
pub const BREAKS: [(Cause, FaultCause, &str); 2] = [
    (Cause::Broken, FaultCause::Gate, "the gate broke"),
    (Cause::Late, FaultCause::Time, "judging took too long"),
];

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

/// How the process is told. Where nobody waits for an answer, nothing has to be done.
#[derive(Debug, Clone, Copy)]
pub struct Fallback {
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
        set: |_, _| {},
        deadline: |_| {},
        ends: false,
    };
}
