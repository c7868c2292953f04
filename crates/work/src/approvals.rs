//! Owns every step of an approval. Must not know hosts, words, files or the time.
#![doc = include_str!("approvals.md")]

mod canonical;
mod codes;
pub mod evidence;
mod state;
mod words;

use std::collections::BTreeSet;

use model::section::AnyStep;
use model::{Binding, Digest, FaultCause, Grant, GrantLevel, LossSet, Time, one_line};
use text::hex;

use crate::overrides::{OverrideStep, overridden_for};
pub use canonical::{Seen, canonical, digest, loss};
pub use state::{APPROVALS_MAX, Approval, ApprovalState, ApprovalStep, Approvals};

use crate::change::Change;

pub use codes::{CANDIDATES_MAX, Seal, candidates, is_code};

crate::sections::sections! { ApprovalStep }

/// Wrong codes after which a question is void.
pub const TRIES_MAX: u64 = 3;

/// Questions that wrong codes ended, after which a session gets no more: who guesses would have
/// three tries at each.
pub const GUESSED_MAX: usize = 3;

/// How long the host may ask its own human about a call that a yes was spent on, where it names no
/// call, in milliseconds.
const SAME_CALL_MS: u64 = 10_000;

/// Longest `what`, in characters.
pub const WHAT_CHARS_MAX: usize = 120;

/// Longest `why`, in characters.
pub const WHY_CHARS_MAX: usize = 160;

/// Longest words of a refusal, in characters.
pub const WORDS_CHARS_MAX: usize = 160;

/// How long the words of a refusal are told to who repeats the call, in milliseconds.
const WORDS_MS: u64 = 24 * 60 * 60 * 1_000;

/// A call that is being judged, as approvals know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The canonical call with its directory and actions.
    pub digest: Digest,
    /// What it would lose.
    pub loss: LossSet,
    /// Hash of the host's id of the call; 0 if it gave none.
    pub call: u64,
    /// The host process that asks, if it is known.
    pub binding: Option<Binding>,
    /// Host processes of this session that have ended, where a person has taken it up again.
    pub ended: Vec<Binding>,
    /// Whether the host, which does not say which call it means, is about to ask its own human.
    pub again: bool,
    /// When, by our clock.
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
    /// The fault's id; empty if it is none.
    pub fault: &'a str,
    /// The channel that a yes needs at least.
    pub needs: GrantLevel,
    /// Whether undo could bring the loss back.
    pub recoverable: bool,
    /// How long the question stays open, in minutes.
    pub minutes: u32,
    /// Whether a human is told the code. Where nobody would hear it, there is none.
    pub told: bool,
}

/// A question as it is remembered, with what only the human may hear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// What becomes of the record.
    pub change: Change<Approval>,
    /// The code, if there is a new one: it is nowhere else.
    pub code: Option<String>,
}

/// Who answers a question, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answerer {
    /// The channel.
    pub by: GrantLevel,
    /// The host process through which a prompt came; a terminal needs none.
    pub binding: Option<Binding>,
    /// When, by our clock.
    pub time: Time,
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// Yes: the call may run once.
    Granted(Box<Change<Approval>>),
    /// No open question has this code. Each question that it could have been meant for has one
    /// try less.
    Wrong(Vec<Change<Approval>>),
    /// It was the right code through too weak a channel, where the worker saw it: void.
    TooWeak(Box<Change<Approval>>),
    /// It is over already: how it stands.
    Over(ApprovalState),
    /// Its time has ended.
    Expired,
    /// There is no such question.
    Unknown,
}

/// The time by which things end: a clock that was set back revives nothing.
#[must_use]
pub fn now(all: &Approvals, time: Time) -> Time {
    time.max(all.last)
}

/// How an approval stands at a time: what nobody answered or used ends by itself.
#[must_use]
pub fn is_open(approval: &Approval, now: Time) -> bool {
    let waits = matches!(
        approval.state,
        ApprovalState::Pending | ApprovalState::Granted
    );
    waits && now < approval.ends
}

/// The yes that fits a call, if there is one.
#[must_use]
pub fn grant(all: &Approvals, question: &Question) -> Option<Grant> {
    let now = now(all, question.time);
    let fits = |approval: &&Approval| {
        let same_call = question.call != 0 && question.call == approval.call;
        let asked_at_once = question.again && now.0 < approval.spent.0 + SAME_CALL_MS;
        let usable = match approval.state {
            ApprovalState::Granted => now < approval.ends,
            ApprovalState::Spent => same_call || asked_at_once,
            ApprovalState::Pending | ApprovalState::Refused | ApprovalState::Void => false,
        };
        usable && is_about(approval, question) && may_use(approval, question)
    };
    let approval = all.list.iter().rev().find(fits)?;
    Some(to_grant(approval, approval.by))
}

/// The open question about a call, which root may answer whoever else may, if there is one. The
/// edge looks whether root has spoken.
#[must_use]
pub fn awaits_root<'a>(all: &'a Approvals, question: &Question) -> Option<&'a Approval> {
    let now = now(all, question.time);
    all.list.iter().rev().find(|approval| {
        let is_pending = approval.state == ApprovalState::Pending && now < approval.ends;
        let by_root = Approval {
            by: GrantLevel::Sudo,
            process: approval.process,
            start: approval.start,
            ..Approval::default()
        };
        is_pending && is_about(approval, question) && may_use(&by_root, question)
    })
}

/// A yes to an approval through a channel.
#[must_use]
pub fn to_grant(approval: &Approval, by: GrantLevel) -> Grant {
    Grant {
        id: approval.id.clone(),
        by,
        recoverable: approval.recoverable,
    }
}

/// Whether an approval is about a call that loses no more than was said.
fn is_about(approval: &Approval, question: &Question) -> bool {
    approval.digest == question.digest && within(&question.loss, &approval.loss)
}

/// Whether a host process may use a yes: the one that it was asked of, or the one in which a person
/// goes on with its session, for a yes that came from outside of both. Where no process is known, a
/// code typed as a prompt proves nothing, and only a harder channel counts.
fn may_use(approval: &Approval, question: &Question) -> bool {
    let is_outside = approval.by >= GrantLevel::Terminal;
    let is_inherited = || is_outside && question.ended.iter().any(|ended| is_of(approval, *ended));
    match question.binding {
        Some(binding) if approval.process != 0 => is_of(approval, binding) || is_inherited(),
        None if approval.process != 0 => false,
        _ => is_outside,
    }
}

fn is_of(approval: &Approval, binding: Binding) -> bool {
    (approval.process, approval.start) == (binding.process, binding.start)
}

/// Whether a loss is at most the one that was said yes to.
#[must_use]
pub fn within(loss: &LossSet, asked: &LossSet) -> bool {
    let whole = |set: &LossSet| set.first.len() as u64 == set.total;
    let known = !loss.unknown || asked.unknown;
    let contained = if whole(loss) && whole(asked) {
        let asked: BTreeSet<u64> = asked.first.iter().copied().collect();
        loss.first.iter().all(|hash| asked.contains(hash))
    } else {
        loss.all == asked.all
    };
    known && loss.total <= asked.total && contained
}

/// Whether somebody guesses at codes in this session.
#[must_use]
pub fn is_guessed_at(all: &Approvals) -> bool {
    let guessed = |one: &&Approval| one.state == ApprovalState::Void && one.tries >= TRIES_MAX;
    all.list.iter().filter(guessed).count() >= GUESSED_MAX
}

/// The question to a human about a call: a new one, or the one that is open already. `random` are
/// fresh bytes from the system.
#[must_use]
pub fn ask(all: &Approvals, question: &Question, held: &Held<'_>, random: &[u8; 32]) -> Asking {
    let now = now(all, question.time);
    let (process, start) = question
        .binding
        .map_or((0, 0), |binding| (binding.process, binding.start));
    let open = all.list.iter().find(|approval| {
        approval.state == ApprovalState::Pending
            && now < approval.ends
            && approval.digest == question.digest
            && (approval.process, approval.start) == (process, start)
    });
    let ends = Time(now.0 + u64::from(held.minutes) * 60_000);
    let known = open.cloned().unwrap_or_else(|| Approval {
        id: codes::id(all, random),
        digest: question.digest,
        process,
        start,
        asked: now,
        ..Approval::default()
    });
    let mut to = Approval {
        needs: held.needs.max(known.needs),
        recoverable: held.recoverable,
        what: one_line(held.what, WHAT_CHARS_MAX),
        why: one_line(held.why, WHY_CHARS_MAX),
        tag: held.tag.to_owned(),
        overrides: lifted_by(held.fault).to_owned(),
        times_held: known.times_held + 1,
        ends,
        ..known.clone()
    };
    // A human who types the code that they were shown says yes to what they were shown.
    let is_other = !within(&question.loss, &known.loss) || held.recoverable != known.recoverable;
    if open.is_none() || is_other {
        to.loss = question.loss.clone();
        to.code = Seal::default();
        to.times_held = 1;
    }
    let code = (held.told && !to.code.is_told()).then(|| codes::code(random));
    if let Some(code) = &code {
        to.code = Seal::of(code, codes::salt(all, random));
    }
    Asking {
        change: Change {
            from: open.cloned(),
            to,
        },
        code,
    }
}

/// A human typed a code, for one question or for whichever has it.
#[must_use]
pub fn answer(all: &Approvals, id: Option<&str>, code: &str, who: &Answerer) -> Answered {
    let now = now(all, who.time);
    let heard = |approval: &&Approval| match who.binding {
        Some(binding) => is_of(approval, binding),
        None => who.by >= GrantLevel::Terminal,
    };
    let meant: Vec<&Approval> = all
        .list
        .iter()
        .filter(|approval| id.is_none_or(|id| approval.id.eq_ignore_ascii_case(id)))
        .filter(heard)
        .collect();
    let fitting = Fitting::of(meant.iter().copied(), code);
    let has_code = |approval: &&&Approval| fitting.has(approval);
    // Whatever is open comes first: an old question may have had the same code.
    let is_pending = |approval: &Approval| approval.state == ApprovalState::Pending;
    let found = meant.iter().filter(has_code);
    match found.max_by_key(|approval| is_pending(approval) && now < approval.ends) {
        Some(approval) if !is_pending(approval) => Answered::Over(approval.state),
        Some(approval) if approval.ends <= now => Answered::Expired,
        Some(approval) if approval.needs > who.by => {
            Answered::TooWeak(Box::new(to_state(approval, ApprovalState::Void)))
        }
        Some(approval) => Answered::Granted(Box::new(granted(approval, who.by, ""))),
        None => {
            let open = |approval: &&Approval| is_pending(approval) && now < approval.ends;
            let open: Vec<_> = meant.iter().copied().filter(open).map(tried).collect();
            match meant.as_slice() {
                [] => Answered::Unknown,
                [one] if id.is_some() && !is_pending(one) => Answered::Over(one.state),
                [one] if id.is_some() && one.ends <= now => Answered::Expired,
                _ => Answered::Wrong(open),
            }
        }
    }
}

/// Which of some questions a text is the code of. A session hashes all its codes alike, so this is
/// one slow hash.
struct Fitting(Vec<Seal>);

impl Fitting {
    fn of<'a>(list: impl Iterator<Item = &'a Approval>, code: &str) -> Self {
        let mut hashed: Vec<Seal> = Vec::new();
        for approval in list.filter(|approval| approval.code.is_told()) {
            let salt = approval.code.salt;
            if !hashed.iter().any(|seal| seal.salt == salt) {
                hashed.push(Seal::of(code, salt));
            }
        }
        Self(hashed)
    }

    fn has(&self, approval: &Approval) -> bool {
        self.0.contains(&approval.code)
    }
}

/// One try less.
fn tried(approval: &Approval) -> Change<Approval> {
    let tries = approval.tries + 1;
    let state = if tries >= TRIES_MAX {
        ApprovalState::Void
    } else {
        approval.state
    };
    Change {
        from: Some(approval.clone()),
        to: Approval {
            tries,
            state,
            ..approval.clone()
        },
    }
}

/// A yes by a channel, with its proof where the channel has one.
#[must_use]
pub fn granted(approval: &Approval, by: GrantLevel, proof: &str) -> Change<Approval> {
    Change {
        from: Some(approval.clone()),
        to: Approval {
            state: ApprovalState::Granted,
            by,
            proof: proof.to_owned(),
            ..approval.clone()
        },
    }
}

fn to_state(approval: &Approval, state: ApprovalState) -> Change<Approval> {
    Change {
        from: Some(approval.clone()),
        to: Approval {
            state,
            ..approval.clone()
        },
    }
}

/// What follows from a yes: the approval, and for a fault that it is overridden for the session's
/// host that asked, so that nobody is locked out.
#[must_use]
pub fn steps_of_yes(change: Change<Approval>) -> Vec<AnyStep> {
    let Approval {
        overrides,
        process,
        start,
        ..
    } = &change.to;
    let fault = (!overrides.is_empty()).then(|| overridden_for(overrides, (*process, *start)));
    let overridden = fault.map(|fault| AnyStep::from(OverrideStep::Overridden { fault }));
    let yes = AnyStep::from(ApprovalStep(change));
    [yes].into_iter().chain(overridden).collect()
}

/// The fault that a yes lifts. What was lost without being kept is one call's question each time,
/// and so is who called.
fn lifted_by(fault: &str) -> &str {
    let mut causes = FaultCause::NAMES.iter();
    let known = causes.any(|(name, cause)| {
        *name == fault && !matches!(cause, FaultCause::Undo | FaultCause::Caller)
    });
    if known { fault } else { "" }
}

/// A human says no, with words for the worker or none; also to what they said yes to, as long as
/// it was not used.
#[must_use]
pub fn refuse(all: &Approvals, id: &str, words: &str, time: Time) -> Option<Change<Approval>> {
    let now = now(all, time);
    let mut all = all.list.iter().rev();
    let approval = all.find(|approval| approval.id.eq_ignore_ascii_case(id))?;
    is_open(approval, now).then(|| {
        let mut change = to_state(approval, ApprovalState::Refused);
        change.to.words = one_line(words, WORDS_CHARS_MAX);
        change
    })
}

/// What a human said when they last refused this very call, if they said anything.
#[must_use]
pub fn refused_with<'a>(all: &'a Approvals, digest: &Digest, time: Time) -> Option<&'a str> {
    let since = now(all, time).0.saturating_sub(WORDS_MS);
    let mut all = all.list.iter().rev();
    let said = all.find(|one| one.digest == *digest && one.state == ApprovalState::Refused)?;
    let is_recent = said.asked.0 >= since && !said.words.is_empty();
    is_recent.then_some(said.words.as_str())
}

/// Codes that stand where the worker can read them are void: open ones, and those that a harder
/// channel than a prompt answered, since the worker could have been that channel. A code that a
/// human typed as a prompt is no secret any more. A list of guesses ends all of them.
#[must_use]
pub fn expose(all: &Approvals, text: &[u8], time: Time) -> Vec<Change<Approval>> {
    let secret = secret(all, time);
    if secret.is_empty() {
        return Vec::new();
    }
    let candidates = codes::candidates(text);
    if candidates.len() > CANDIDATES_MAX {
        return secret.into_iter().map(voided).collect();
    }
    let fitting = candidates.iter();
    let fitting: Vec<Fitting> = fitting
        .map(|code| Fitting::of(secret.iter().copied(), code))
        .collect();
    let is_seen = |approval: &&Approval| fitting.iter().any(|one| one.has(approval));
    secret.into_iter().filter(is_seen).map(voided).collect()
}

/// The worker could have read what the human was told: every code that still lets something run
/// is void.
#[must_use]
pub fn expose_all(all: &Approvals, time: Time) -> Vec<Change<Approval>> {
    secret(all, time).into_iter().map(voided).collect()
}

/// The questions whose codes the worker must not know.
fn secret(all: &Approvals, time: Time) -> Vec<&Approval> {
    let now = now(all, time);
    let is_secret = |approval: &&Approval| {
        let state = match approval.state {
            ApprovalState::Pending => true,
            ApprovalState::Granted => approval.by == GrantLevel::Terminal,
            ApprovalState::Refused | ApprovalState::Spent | ApprovalState::Void => false,
        };
        state && approval.code.is_told() && now < approval.ends
    };
    all.list.iter().filter(is_secret).collect()
}

fn voided(approval: &Approval) -> Change<Approval> {
    to_state(approval, ApprovalState::Void)
}

/// The yes is used up by a call. Nothing to do if this very call has used it already.
#[must_use]
pub fn spend(all: &Approvals, grant: &Grant, call: u64, time: Time) -> Option<Change<Approval>> {
    let now = now(all, time);
    let mut all = all.list.iter().rev();
    let approval = all.find(|approval| approval.id == grant.id)?;
    // Root's word is not in the record: root must not have to write a user's files.
    let by_root = approval.state == ApprovalState::Pending && grant.by == GrantLevel::Sudo;
    (approval.state == ApprovalState::Granted || by_root).then(|| Change {
        from: Some(approval.clone()),
        to: Approval {
            state: ApprovalState::Spent,
            by: grant.by,
            call,
            spent: now,
            ..approval.clone()
        },
    })
}

/// What a signature or root's word is bound to: it is about this call, this loss, on this machine,
/// until this end.
#[must_use]
pub fn statement(machine: &str, session: &str, approval: &Approval) -> String {
    let (call, loss) = (
        hex::encode(&approval.digest),
        hex::encode(&approval.loss.all),
    );
    let (id, ends) = (&approval.id, approval.ends.0);
    format!("tollgate approval 2 {machine} {session} {id} {call}{loss} {ends}\n")
}

#[cfg(test)]
mod tests;
