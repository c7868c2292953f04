//! What is said if we break or run out of time, and how the process that judges is told. The
//! process itself must not be known here: it holds the replies where its handlers find them.

use std::time::Duration;

use hosts::Reply;

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A panic, a stack overflow, a failed allocation.
    Broken = 0,
    /// The deadline passed.
    Late = 1,
}

/// What is said, and whether that stops anything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Response {
    /// The streams and the exit status.
    pub reply: Reply,
    /// Whether silence would let through what this stops.
    pub refuses: bool,
}

/// How the process is told. Where nobody waits for an answer, nothing has to be done.
#[derive(Debug, Clone, Copy)]
pub struct Fallback {
    /// Makes a response the one to give if things go wrong in this way.
    pub set: fn(Cause, &Response),
    /// The time that an answer may take from now on.
    pub deadline: fn(Duration),
}

impl Fallback {
    /// For whoever does not break while somebody waits.
    pub const NONE: Self = Self {
        set: |_, _| {},
        deadline: |_| {},
    };
}
