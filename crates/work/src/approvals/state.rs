//! What is remembered of approvals: the questions of a session and their answers. How they change
//! is in the module above; how they are written is here.

use model::section::{
    Field, FieldValue, Fields, LogField, Logged, Reader, Section, Step, StepError, Telling, Writer,
};
use model::{Digest, GrantLevel, LossSet, Session, Time, fields, name_of, named};

use super::codes::Seal;
use crate::change::{self, Change};

/// How an approval stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ApprovalState {
    /// Nobody has answered yet.
    #[default]
    Pending,
    /// A human said yes; good for one call.
    Granted,
    /// A human said no.
    Refused,
    /// The call ran.
    Spent,
    /// The code was seen where a worker could read it, or guessed at too often.
    Void,
}

named!(ApprovalState);

impl ApprovalState {
    /// Every state with its name in the journal.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("pending", Self::Pending),
        ("granted", Self::Granted),
        ("refused", Self::Refused),
        ("spent", Self::Spent),
        ("void", Self::Void),
    ];

    /// Its name in the journal.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_of(Self::NAMES, self)
    }
}

/// Most approvals that a session remembers, the finished ones included.
pub const APPROVALS_MAX: usize = 20;

/// A question to a human about one call, and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Approval {
    /// What the worker sees (`A7F3`).
    pub id: String,
    /// What only the human was told (`kestrel-maple-42`), so that it fits and cannot be read.
    pub code: Seal,
    /// How it stands.
    pub state: ApprovalState,
    /// The canonical call with its directory and actions.
    pub digest: Digest,
    /// What would be lost.
    pub loss: LossSet,
    /// Whether it was said that undo could bring the loss back.
    pub recoverable: bool,
    /// The channel that a yes needs at least.
    pub needs: GrantLevel,
    /// The channel that the yes came through.
    pub by: GrantLevel,
    /// The host process that it was asked of; 0 if none is known.
    pub process: u64,
    /// When that process started.
    pub start: u64,
    /// When it was asked.
    pub asked: Time,
    /// When it ends.
    pub ends: Time,
    /// Wrong codes so far.
    pub tries: u64,
    /// Hash of the id of the call that spent it.
    pub call: u64,
    /// The call, on one line, without secrets; at most 120 characters.
    pub what: String,
    /// Why it was held, and what would be lost; at most 160 characters.
    pub why: String,
    /// The rule that asked (`policy/git.discard`), or the fault (`fault/bundle`).
    pub tag: String,
    /// The fault that a yes lifts for the session (its id); empty if it lifts none.
    pub overrides: String,
    /// How often the call was held since the code was last made.
    pub times_held: u64,
    /// What proves the yes where its channel needs proof ([`super::evidence`]).
    pub proof: String,
    /// What the human said to the worker when they refused; empty if nothing.
    pub words: String,
    /// When a call spent it. `ends` stays what it was: a yes may be signed, and its end with it.
    pub spent: Time,
}

fields!(Approval {
    id,
    code,
    state,
    digest,
    loss,
    recoverable,
    needs,
    by,
    process,
    start,
    asked,
    ends,
    tries,
    call,
    what,
    why,
    tag,
    overrides,
    times_held,
    proof,
    words,
    spent,
});

/// The questions of a session, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Approvals {
    /// At most [`APPROVALS_MAX`].
    pub list: Vec<Approval>,
    /// The session's clock, which is kept with the session: a clock that was set back revives
    /// nothing.
    pub last: Time,
}

impl Approvals {
    /// Those of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        Self {
            last: session.last,
            ..session.sections.get()
        }
    }

    fn from_record(list: Vec<Approval>) -> Self {
        Self {
            list,
            last: Time::default(),
        }
    }

    fn change(&mut self, change: &Change<Approval>) -> Result<(), StepError> {
        let same = |known: &Approval| {
            let host = (known.process, known.start) == (change.to.process, change.to.start);
            let is_open = known.state == ApprovalState::Pending && change.to.asked < known.ends;
            host && is_open && known.digest == change.to.digest
        };
        // One call is one question, however many hooks ask it at once.
        if change.from.is_none() && self.list.iter().any(same) {
            return Err(StepError::Overtaken);
        }
        let at = self.list.iter().position(|known| known.id == change.to.id);
        change::set(&mut self.list, at, change)?;
        // The oldest that is over makes room, else the oldest.
        while self.list.len() > APPROVALS_MAX {
            let at = self.list.iter().position(is_over).unwrap_or_default();
            self.list.remove(at);
        }
        Ok(())
    }
}

/// Whether nothing can come of an approval any more, but that a second hook of the very call that
/// spent it asks.
fn is_over(approval: &Approval) -> bool {
    !matches!(
        approval.state,
        ApprovalState::Pending | ApprovalState::Granted
    )
}

/// The clock is the session's, and not written.
impl Field for Approvals {
    fn write(&self, out: &mut Writer) {
        self.list.write(out);
    }

    fn read(input: &mut Reader<'_>) -> Option<Self> {
        input.field().map(Self::from_record)
    }
}

impl Section for Approvals {
    const NAME: &'static str = "approvals";
    const VERSION: u16 = 5;
    const MIN_READER: u16 = 5;

    fn read_version(version: u16, input: &mut Reader<'_>) -> Option<Self> {
        match version {
            1 => input.list(with_clear_code).map(Self::from_record),
            2 => input.list(second_version).map(Self::from_record),
            3 => input.list(third_version).map(Self::from_record),
            4 => input.list(fourth_version).map(Self::from_record),
            _ => input.field(),
        }
    }
}

/// An approval whose code stood where the worker may have read it: what was open is void.
fn with_clear_code(input: &mut Reader<'_>) -> Option<Approval> {
    let (id, _code): (String, String) = (input.field()?, input.field()?);
    let state = match input.field()? {
        ApprovalState::Pending => ApprovalState::Void,
        state => state,
    };
    Some(Approval {
        id,
        state,
        ..first_fields(input)?
    })
}

/// What every version holds after the state.
fn first_fields(input: &mut Reader<'_>) -> Option<Approval> {
    Some(Approval {
        digest: input.field()?,
        loss: input.field()?,
        recoverable: input.field()?,
        needs: input.field()?,
        by: input.field()?,
        process: input.field()?,
        start: input.field()?,
        asked: input.field()?,
        ends: input.field()?,
        tries: input.field()?,
        call: input.field()?,
        what: input.field()?,
        why: input.field()?,
        tag: input.field()?,
        ..Approval::default()
    })
}

/// It knew the fault that it lifts, how often it was held, and proofs.
fn second_version(input: &mut Reader<'_>) -> Option<Approval> {
    let before = with_clear_code(input)?;
    with_proof(input, before)
}

fn with_proof(input: &mut Reader<'_>, before: Approval) -> Option<Approval> {
    Some(Approval {
        overrides: input.field()?,
        times_held: input.field()?,
        proof: input.field()?,
        ..before
    })
}

/// It kept codes as they are kept now, and knew no words of a refusal.
fn third_version(input: &mut Reader<'_>) -> Option<Approval> {
    let (id, code, state) = (input.field()?, input.field()?, input.field()?);
    let rest = first_fields(input)?;
    let before = Approval {
        id,
        code,
        state,
        ..rest
    };
    with_proof(input, before)
}

/// It kept the end of the call that spent a yes in place of the end of the yes.
fn fourth_version(input: &mut Reader<'_>) -> Option<Approval> {
    let before = third_version(input)?;
    Some(Approval {
        words: input.field()?,
        ..before
    })
}

/// A step of an approval: a compare-and-set of all of it. The journal is told how the approval
/// stands then, and never its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalStep(pub Change<Approval>);

/// The name of the step that asks, and of the one that counts a wrong code: the approval stays
/// pending.
const ASKED: &str = "asked";
const TRIED: &str = "wrong code";

impl Logged for ApprovalStep {
    const NAMES: &'static [&'static str] = &[ASKED, TRIED, "granted", "refused", "spent", "void"];

    fn fields(&self) -> Fields {
        let to = &self.0.to;
        let name = match to.state {
            ApprovalState::Pending if to.tries > 0 => TRIED,
            ApprovalState::Pending => ASKED,
            state => state.name(),
        };
        let mut fields = Fields::new(Approvals::NAME, name);
        fields.add("id", &to.id);
        fields.add("tag", &to.tag);
        match to.state {
            ApprovalState::Pending => fields.add("needs", &to.needs),
            ApprovalState::Granted | ApprovalState::Spent => fields.add("by", &to.by),
            ApprovalState::Refused | ApprovalState::Void => {}
        }
        if to.tries > 0 {
            fields.add("tries", &to.tries);
        }
        fields
    }

    fn read_fields(fields: &Fields) -> Option<Self> {
        let state = match fields.step.as_str() {
            ASKED | TRIED => ApprovalState::Pending,
            name => ApprovalState::read_log(&FieldValue::Text(name.to_owned()))?,
        };
        let to = Approval {
            id: fields.get("id")?,
            tag: fields.get("tag")?,
            needs: fields.get("needs").unwrap_or_default(),
            by: fields.get("by").unwrap_or_default(),
            tries: fields.get("tries").unwrap_or_default(),
            state,
            ..Approval::default()
        };
        (fields.section == Approvals::NAME).then_some(Self(Change { from: None, to }))
    }

    fn samples() -> Vec<Self> {
        let states = ApprovalState::NAMES.iter().flat_map(|(_, state)| {
            [0, 2].map(|tries| Approval {
                id: "A7F3".to_owned(),
                code: Seal {
                    salt: [1; 32],
                    hash: [2; 32],
                },
                state: *state,
                tries,
                by: GrantLevel::Terminal,
                needs: GrantLevel::Key,
                tag: "rules/git.discard".to_owned(),
                ..Approval::default()
            })
        });
        states.map(|to| Self(Change { from: None, to })).collect()
    }
}

impl Step for ApprovalStep {
    type Section = Approvals;

    fn apply(&self, section: &mut Approvals) -> Result<(), StepError> {
        section.change(&self.0)
    }

    fn is_claim(&self) -> bool {
        true
    }

    /// `A7F3 granted by terminal`.
    fn told(&self) -> Telling {
        let Approval {
            id,
            state,
            by,
            tries,
            ..
        } = &self.0.to;
        let words = match state {
            ApprovalState::Granted | ApprovalState::Spent => {
                format!("{id} {} by {}", state.name(), by.name())
            }
            ApprovalState::Pending if *tries > 0 => format!("{id} {TRIED}"),
            ApprovalState::Pending => format!("{id} waits"),
            ApprovalState::Refused | ApprovalState::Void => format!("{id} {}", state.name()),
        };
        Telling::Beside(words)
    }
}
