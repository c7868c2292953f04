//! One event judged: facts collected, gates asked. Writes nothing, so `check` and `explain` use it
//! just as the hook does.

use actions::ROUNDS_MAX;
use model::{Call, Decision, Event, Facts, Fault, Place, Project, Reading, Session, Snapshot};
use rules::Rules;

use crate::facts::{self, Budget};

/// What is known before anything is looked up.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The surroundings, with what this session made and saw.
    pub place: Place,
    /// The session's record.
    pub session: Session,
    /// The project's record.
    pub project: Project,
    /// What failed on the way here.
    pub faults: Vec<Fault>,
}

/// An event with all that was learned and decided about it.
#[derive(Debug, Clone)]
pub struct Judged {
    /// What the gates saw.
    pub snapshot: Snapshot,
    /// What was learned about the world.
    pub facts: Facts,
    /// What was decided.
    pub decision: Decision,
}

impl Judged {
    /// The same facts judged again, after something failed that was not known before.
    pub fn again(&mut self, event: &Event<'_>, rules: &Rules, faults: Vec<Fault>) {
        self.snapshot.faults.extend(faults);
        self.decision = gates::decide(event, &self.snapshot, rules);
    }
}

/// Judges an event.
#[must_use]
pub fn judge(event: &Event<'_>, known: Known, rules: &Rules, budget: &mut Budget) -> Judged {
    let mut facts = Facts::default();
    let reading = match event.call() {
        Some(call) if event.is_before_call() => read(call, &known.place, &mut facts, budget),
        Some(call) => actions::read(call, &known.place, &facts).0,
        None => Reading::default(),
    };
    let Known {
        place,
        session,
        project,
        faults,
    } = known;
    let snapshot = Snapshot {
        place,
        session,
        project,
        reading,
        faults,
    };
    let decision = gates::decide(event, &snapshot, rules);
    Judged {
        snapshot,
        facts,
        decision,
    }
}

/// What a call would do, asking for facts until nothing more can be learned.
#[must_use]
pub fn read(call: &Call<'_>, place: &Place, facts: &mut Facts, budget: &mut Budget) -> Reading {
    for _ in 0..ROUNDS_MAX {
        let (reading, mut wants) = actions::read(call, place, facts);
        wants.retain(|want| !facts.has(want));
        if wants.is_empty() {
            return reading;
        }
        facts::collect(&wants, place, budget, facts);
        for want in wants
            .iter()
            .filter(|want| !facts.has(want))
            .cloned()
            .collect::<Vec<_>>()
        {
            facts.set_unknown(&want, "nothing was learned about it");
        }
    }
    let (_, wants) = actions::read(call, place, facts);
    for want in &wants {
        if !facts.has(want) {
            facts.set_unknown(want, "asked for too late");
        }
    }
    actions::read(call, place, facts).0
}
