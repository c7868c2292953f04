//! One event judged: the call read with its facts, the gates asked. Writes nothing, so `check` and
//! `explain` use it just as the hook does. Knows no concern but the yes that a human gave.

use model::{
    Caller, Decision, Event, Facts, Fault, Guide, Place, Project, Reading, Saved, Session, Snapshot,
};
use rules::Rules;

use crate::concerns::approvals;
use crate::concerns::shape::Steps;
use crate::facts::{self, Budget};

/// What is known before a call is read.
#[derive(Debug, Clone, Default)]
pub struct Inputs {
    /// The surroundings, with what this session made and saw.
    pub place: Place,
    /// The session's record.
    pub session: Session,
    /// The project's record.
    pub project: Project,
    /// What failed on the way here.
    pub faults: Vec<Fault>,
    /// Who called.
    pub caller: Caller,
    /// What was found out for the gates that keep a session to its task.
    pub guide: Guide,
    /// Whether the record says already that this stop is held up, in case we break.
    pub stop_guarded: bool,
}

impl Inputs {
    /// What the gates see of it, with what the call would do.
    #[must_use]
    pub fn into_snapshot(self, reading: Reading) -> Snapshot {
        Snapshot {
            place: self.place,
            session: self.session,
            project: self.project,
            reading,
            faults: self.faults,
            caller: self.caller,
            grant: None,
            saved: Saved::NotTried,
            guide: self.guide,
        }
    }
}

/// What a call would do, and the facts that this rests on.
#[derive(Debug, Clone, Default)]
pub struct Analysis {
    /// The actions; empty for events without a call.
    pub reading: Reading,
    /// What was learned about the world.
    pub facts: Facts,
}

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

/// Reads the call of an event, looking up what that takes.
#[must_use]
pub fn analyse(event: &Event<'_>, place: &Place, budget: &mut Budget) -> Analysis {
    let (reading, facts) = match event.call() {
        Some(call) if event.is_before_call() => actions::read_with(call, place, |wants, facts| {
            facts::collect(wants, place, budget, facts);
        }),
        Some(call) => {
            let facts = Facts::default();
            (actions::read(call, place, &facts).0, facts)
        }
        None => (Reading::default(), Facts::default()),
    };
    Analysis { reading, facts }
}

/// Judges an event.
#[must_use]
pub fn judge(event: &Event<'_>, inputs: Inputs, rules: &Rules, budget: &mut Budget) -> Judged {
    let Analysis { reading, facts } = analyse(event, &inputs.place, budget);
    let mut snapshot = inputs.into_snapshot(reading);
    snapshot.grant = approvals::fitting(event, &snapshot, &facts);
    let decision = gates::decide(event, &snapshot, rules);
    Judged {
        snapshot,
        facts,
        decision,
        steps: Steps::default(),
    }
}
