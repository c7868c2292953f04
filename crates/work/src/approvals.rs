//! Approvals: a human's yes to one call. The page `approvals.md` has states and transitions.

use model::{
    Action, Approval, Binding, Call, Change, Digest, Facts, Grant, GrantLevel, LossSet, Reading,
    Session, Time,
};

/// A call that is being judged, as approvals know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The canonical call with its directory and deeds.
    pub digest: Digest,
    /// What it would lose.
    pub loss: LossSet,
    /// Hash of the host's id of the call.
    pub call: u64,
    /// The host process that asks, if it is known.
    pub binding: Option<Binding>,
    /// When, by the session's clock.
    pub time: Time,
}

/// What an approval is about, for people, and what it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held<'a> {
    /// The call on one line, without secrets.
    pub what: &'a str,
    /// Why it was held.
    pub why: &'a str,
    /// The rule or fault.
    pub tag: &'a str,
    /// The channel that a yes needs at least.
    pub needs: GrantLevel,
    /// Whether undo could bring the loss back.
    pub recoverable: bool,
    /// How long the question stays open, in minutes.
    pub minutes: u32,
}

/// The digest of a call: what it is (words, paths, contents), where, and which deeds it does.
#[must_use]
pub fn digest(call: &Call<'_>, cwd: &str, actions: &[Action]) -> Digest {
    let _ = (call, cwd, actions);
    Digest::default()
}

/// What a call would lose, from its stakes and what was learned about them.
#[must_use]
pub fn loss(reading: &Reading, facts: &Facts) -> LossSet {
    let _ = (reading, facts);
    LossSet::default()
}

/// The yes that fits a call, if there is one.
#[must_use]
pub fn grant(session: &Session, question: &Question) -> Option<Grant> {
    let _ = (session, question);
    None
}

/// The question to a human about a call: a new one, or the one that is open already. `random` are
/// fresh bytes from the system.
#[must_use]
pub fn ask(
    session: &Session,
    question: &Question,
    held: &Held<'_>,
    random: &[u8; 16],
) -> Change<Approval> {
    let _ = (session, question, held, random);
    Change {
        from: None,
        to: Approval::default(),
    }
}

/// The yes is used up by a call.
#[must_use]
pub fn spend(session: &Session, id: &str, call: u64) -> Option<Change<Approval>> {
    let _ = (session, id, call);
    None
}
