//! One event judged: the call read with its facts, the gates asked. Writes nothing, so `check` and
//! `explain` use it just as the hook does. Knows no concern but the yes that a human gave.

use model::{Analysis, Decision, Event, Facts, Snapshot};
use rules::Rules;

use crate::concerns::approvals;
use crate::concerns::shape::Steps;
use crate::facts::{Budget, Collector};

/// An event with all that was learned and decided about it.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    /// What the gates saw.
    pub snapshot: Snapshot,
    /// What was learned about the world.
    pub facts: Facts,
    /// What was decided.
    pub decision: Decision,
    /// What the event changed before it was judged; the gates saw what is so afterwards.
    pub steps: Steps,
}

/// Reads the call of an event, looking up what that takes: what is known of the surroundings
/// becomes what the call would do there.
pub fn analyse(event: &Event<'_>, judged: &mut Judged, budget: &mut Budget) {
    judged.snapshot.place.time = event.time.0;
    let place = &judged.snapshot.place;
    (judged.snapshot.analysis, judged.facts) = match event.call() {
        Some(call) if event.is_before_call() => {
            let mut collector = Collector::new(place, budget);
            actions::read_with(call, place, |wants, facts| collector.collect(wants, facts))
        }
        Some(call) => {
            let facts = Facts::default();
            (actions::read(call, place, &facts).0, facts)
        }
        None => (Analysis::default(), Facts::default()),
    };
}

/// Judges an event. `known` is what is known before its call is read.
#[must_use]
pub fn judge(event: &Event<'_>, known: Snapshot, rules: &Rules, budget: &mut Budget) -> Judged {
    let mut judged = Judged {
        snapshot: known,
        ..Judged::default()
    };
    analyse(event, &mut judged, budget);
    judged.snapshot.grant = approvals::fitting(event, &judged.snapshot, &judged.facts);
    judged.decision = gates::decide(event, &judged.snapshot, rules);
    judged
}
