//! One event judged: facts collected, gates asked. Writes nothing, so `check` and `explain` use it
//! just as the hook does.

use model::{
    Approval, Caller, Decision, Event, Facts, Fault, Guide, Place, Project, Reading, Saved,
    Session, Snapshot,
};
use rules::Rules;

use crate::concerns::approvals;
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
    /// Who called.
    pub caller: Caller,
    /// What was found out for the gates that keep a session to its task.
    pub guide: Guide,
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
    /// What is said besides the findings.
    pub words: Words,
}

/// What grants add to an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// The question to a human that was made of this call.
    pub asked: Option<Approval>,
    /// For the worker; stops nothing.
    pub advice: Vec<String>,
    /// For the human; stops nothing.
    pub notice: Vec<String>,
    /// The input that the call is to run with instead, as the host's JSON; empty = as it is.
    pub input: String,
}

impl Judged {
    /// The same facts judged again, after something failed that was not known before.
    pub fn again(&mut self, event: &Event<'_>, rules: &Rules, faults: Vec<Fault>) {
        self.snapshot.faults.extend(faults);
        self.words = Words::default();
        self.decision = gates::decide(event, &self.snapshot, rules);
    }
}

/// Judges an event.
#[must_use]
pub fn judge(event: &Event<'_>, known: Known, rules: &Rules, budget: &mut Budget) -> Judged {
    let (reading, facts) = match event.call() {
        Some(call) if event.is_before_call() => {
            actions::read_with(call, &known.place, |wants, facts| {
                facts::collect(wants, &known.place, budget, facts);
            })
        }
        Some(call) => {
            let facts = Facts::default();
            (actions::read(call, &known.place, &facts).0, facts)
        }
        None => (Reading::default(), Facts::default()),
    };
    let Known {
        place,
        session,
        project,
        faults,
        caller,
        guide,
    } = known;
    let grant = approvals::fitting(event, (&session, &caller), &reading, &facts);
    let snapshot = Snapshot {
        caller,
        grant,
        saved: Saved::NotTried,
        guide,
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
        words: Words::default(),
    }
}
