//! What is remembered of tickets. How they change is in the module above; how they are written is
//! here.

use model::section::{Fields, Logged, Reader, Section, Step, StepError, Telling};
use model::{Digest, Helper, Session, Time, fields, name_of, named};

use crate::change::{self, Change};

/// How a ticket stands. The page in `work` says who may cause which step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TicketState {
    /// Registered: a review is owed.
    #[default]
    Wanted,
    /// The spawn was seen and rewritten.
    Prepared,
    /// The subagent runs.
    Running,
    /// It said yes.
    Passed,
    /// It said no.
    Failed,
    /// What it says does not count.
    Void,
    /// The turn was let go without a verdict.
    Released,
    /// A human said that no verdict is owed any more.
    Dropped,
}

named!(TicketState);

impl TicketState {
    /// Every state with its name.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("wanted", Self::Wanted),
        ("prepared", Self::Prepared),
        ("running", Self::Running),
        ("passed", Self::Passed),
        ("failed", Self::Failed),
        ("void", Self::Void),
        ("released", Self::Released),
        ("dropped", Self::Dropped),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_of(Self::NAMES, self)
    }
}

/// Most tickets that a session remembers.
pub const TICKETS_MAX: usize = 8;

/// A verdict that is owed, under way, or given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ticket {
    /// Its id (`R1`), unique in the session.
    pub id: String,
    /// What for, in the words of who registered it; at most 120 characters.
    pub purpose: String,
    /// The kind of subagent that alone may answer, in the host's spelling.
    pub kind: String,
    /// How it stands.
    pub state: TicketState,
    /// Hash of the nonce that the verdict line must repeat.
    pub nonce: Digest,
    /// Hash of the prompt that we wrote.
    pub prompt: Digest,
    /// Hash of what is reviewed.
    pub material: Digest,
    /// Top of the work tree that is reviewed.
    pub dir: String,
    /// The commit that the work began at; empty if there was none.
    pub base: String,
    /// Hash of the id of the spawning call.
    pub call: u64,
    /// The subagent's id, once it runs.
    pub agent: String,
    /// Answers that could not be read.
    pub tries: u64,
    /// When it was registered.
    pub asked: Time,
    /// When it came to its state.
    pub changed: Time,
    /// Why it is void or failed; at most 160 characters.
    pub why: String,
}

impl Ticket {
    /// Whose verdict it is, by the kind that we registered it with.
    #[must_use]
    pub fn role(&self) -> Helper {
        Helper::meant_by(&self.kind).unwrap_or(Helper::Reviewer)
    }

    /// Whether nothing is owed for it any more: it passed, a human dropped it, or one of `all` that
    /// was made later is for the same purpose. Only such tickets may be forgotten.
    #[must_use]
    pub fn is_settled(&self, all: &[Self]) -> bool {
        let mut later = all.iter().skip_while(|other| other.id != self.id).skip(1);
        self.is_over() || later.any(|other| other.purpose == self.purpose)
    }

    /// Whether nothing more can be owed for it. A check of the session is owed by a count, and not
    /// by its ticket.
    fn is_over(&self) -> bool {
        use TicketState::{Dropped, Passed, Prepared, Running, Wanted};
        match self.role() {
            Helper::Reviewer => matches!(self.state, Passed | Dropped),
            _ => !matches!(self.state, Wanted | Prepared | Running),
        }
    }
}

fields!(Ticket {
    id,
    purpose,
    kind,
    state,
    nonce,
    prompt,
    material,
    dir,
    base,
    call,
    agent,
    tries,
    asked,
    changed,
    why,
});

/// The verdicts of a session that are owed, under way or given, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tickets {
    /// At most [`TICKETS_MAX`].
    pub list: Vec<Ticket>,
}

impl Tickets {
    /// Those of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }
}

fields!(Tickets { list });

impl Section for Tickets {
    const NAME: &'static str = "tickets";
    const VERSION: u16 = 2;
    const MIN_READER: u16 = 2;

    fn read_version(version: u16, input: &mut Reader<'_>) -> Option<Self> {
        match version {
            1 => input.list(first_version).map(|list| Self { list }),
            _ => input.field(),
        }
    }
}

/// A ticket before it knew what its work tree is.
fn first_version(input: &mut Reader<'_>) -> Option<Ticket> {
    Some(Ticket {
        id: input.field()?,
        purpose: input.field()?,
        kind: input.field()?,
        state: input.field()?,
        nonce: input.field()?,
        prompt: input.field()?,
        material: input.field()?,
        call: input.field()?,
        agent: input.field()?,
        tries: input.field()?,
        asked: input.field()?,
        changed: input.field()?,
        why: input.field()?,
        ..Ticket::default()
    })
}

/// What older journals call a prepared ticket.
const OLD_PREPARED: &str = "armed";

/// A step of a ticket: a compare-and-set of all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TicketStep(pub Change<Ticket>);

impl Logged for TicketStep {
    const NAMES: &'static [&'static str] = &[
        "wanted", "prepared", "running", "passed", "failed", "void", "released", "dropped",
    ];

    fn fields(&self) -> Fields {
        let to = &self.0.to;
        let mut fields = Fields::new(Tickets::NAME, to.state.name());
        fields.add("id", &to.id);
        fields.add("kind", &to.kind);
        if !to.why.is_empty() {
            fields.add("why", &to.why);
        }
        fields
    }

    fn read_fields(fields: &Fields) -> Option<Self> {
        let mut states = TicketState::NAMES.iter();
        let state = match fields.step.as_str() {
            OLD_PREPARED => TicketState::Prepared,
            word => states.find(|(name, _)| *name == word)?.1,
        };
        let to = Ticket {
            id: fields.get("id")?,
            kind: fields.get("kind")?,
            why: fields.get("why").unwrap_or_default(),
            state,
            ..Ticket::default()
        };
        (fields.section == Tickets::NAME).then_some(Self(Change { from: None, to }))
    }

    fn samples() -> Vec<Self> {
        let states = TicketState::NAMES.iter().map(|(_, state)| Ticket {
            id: "R1".to_owned(),
            kind: "a reviewer".to_owned(),
            state: *state,
            why: "two \"findings\"".to_owned(),
            ..Ticket::default()
        });
        states.map(|to| Self(Change { from: None, to })).collect()
    }
}

impl Step for TicketStep {
    type Section = Tickets;

    fn apply(&self, section: &mut Tickets) -> Result<(), StepError> {
        let list = &mut section.list;
        let at = list.iter().position(|known| known.id == self.0.to.id);
        change::set(list, at, &self.0)?;
        // What is still owed is never forgotten: only a human may say that it is not.
        while list.len() > TICKETS_MAX {
            let at = list.iter().position(|ticket| ticket.is_settled(list));
            list.remove(at.ok_or(StepError::Overtaken)?);
        }
        Ok(())
    }

    fn is_claim(&self) -> bool {
        true
    }

    /// `R1 void: what is reviewed changed during the review`.
    fn told(&self) -> Telling {
        let Ticket { id, state, why, .. } = &self.0.to;
        let colon = if why.is_empty() { "" } else { ": " };
        Telling::Happened([id, " ", state.name(), colon, why].concat())
    }
}
