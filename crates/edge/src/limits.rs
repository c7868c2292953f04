//! How long each part of an answer may take. All times count from when the payload was read.

use std::time::Duration;

use model::EventClass;

/// Longest time until the whole payload is there.
pub const READ_TIME_MAX: Duration = Duration::from_millis(1_700);
/// No fact is looked up later than this.
pub const FACTS_END: Duration = Duration::from_millis(900);
/// No capture for undo goes on longer than this.
pub const CAPTURE_END: Duration = Duration::from_millis(1_300);

/// Longest time for an event of a class.
#[must_use]
pub fn time_max(class: EventClass) -> Duration {
    Duration::from_millis(match class {
        EventClass::ReadOnly | EventClass::Mutating | EventClass::Verdict => 1_500,
        EventClass::Lifecycle => 300,
        _ => 800,
    })
}

/// No wait for the lock of a record begins later than this: what is left is for the answer.
#[must_use]
pub fn commit_time_max(class: EventClass) -> Duration {
    time_max(class) / 2
}

/// Longest wait for rules to be compiled anew. It takes some 30 ms; a call waits for longer only
/// where a machine is busy.
#[must_use]
pub fn compile_time_max(class: EventClass) -> Duration {
    match class {
        EventClass::Mutating | EventClass::Verdict => Duration::from_millis(600),
        EventClass::ReadOnly => Duration::from_millis(300),
        _ => Duration::ZERO,
    }
}
