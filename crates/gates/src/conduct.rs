//! What the gates share that keep a session to its task: whom they may ask for something, and what
//! a call means to them. They judge turns, not actions: none of them ever holds a subagent.

use model::{Actor, Analysis, Call, FaultCause, Finding, Helper, Mode, Profile, Verb, fnv64};
use work::discipline::Task;

use crate::gate::GateInput;

/// Calls that one demand holds back before the worker is let go (law 6).
pub const HELD_MAX: u64 = 3;

/// Whether a demand can be made here at all: of the worker that the human talks to, and only where
/// it can be remembered that it was made.
pub fn may_demand(input: &GateInput<'_>) -> bool {
    let mut faults = input.known.faults.iter();
    let forgets = faults.any(|fault| matches!(fault.cause, FaultCause::State | FaultCause::Record));
    let is_main = match input.event.actor {
        Actor::Main => true,
        Actor::Unknown => input.known.discipline.unmarked,
        Actor::Sub { .. } => false,
    };
    is_main && !forgets && !input.known.caller.is_stranger()
}

/// Under what advice is remembered that is given once a prompt, whatever stands in it.
pub fn once_a_prompt(input: &GateInput<'_>, finding: &Finding) -> u64 {
    let prompts = Task::of(&input.known.session).prompts;
    fnv64(format!("{} {prompts}", finding.tag()).as_bytes())
}

/// What the gates say of their own accord with one prompt, all of it, in bytes: 150 tokens of a
/// real tokenizer (S4.38), which a test counts.
pub const PROMPT_BYTES_MAX: usize = 520;

/// The rule under which a worker is told what the helper answered that grounds its prompt.
pub const ANSWERED: &str = "answered";

/// What the instruction to ground a prompt takes beside the start of the helper, in bytes.
pub const GROUNDS_BYTES: usize = 160;

/// The role of a call in the eyes of a demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallRole {
    /// It serves the session itself: asking the user, a plan, a list, a search for tools.
    Session,
    /// It starts one of our own helpers.
    Helper(Helper),
    /// It looks.
    Look,
    /// It changes something, or may: a command, a write, work for a helper.
    Change,
    /// Nobody knows.
    Unclear,
}

/// The role of a call in the eyes of a demand.
pub fn role(call: &Call<'_>, analysis: &Analysis) -> CallRole {
    match call {
        Call::Todo
        | Call::Question
        | Call::PlanEnter
        | Call::PlanExit { .. }
        | Call::Harmless { .. }
        | Call::Malformed { .. } => CallRole::Session,
        Call::Spawn { kind, .. } => match Helper::meant_by(kind) {
            Some(helper) => CallRole::Helper(helper),
            None => CallRole::Change,
        },
        Call::Read { .. } | Call::Search { .. } | Call::Fetch { .. } | Call::Skill { .. } => {
            CallRole::Look
        }
        Call::Write { .. } | Call::Edit { .. } | Call::Patch { .. } | Call::Message { .. } => {
            CallRole::Change
        }
        Call::Shell { .. } if does_nothing_but_look(analysis) => CallRole::Look,
        Call::Shell { .. } => CallRole::Change,
        // A name says nothing: what is not known to write is not held for it.
        Call::Mcp { .. } | Call::Other { .. } => match changes(analysis) {
            Some(true) => CallRole::Change,
            Some(false) => CallRole::Look,
            None => CallRole::Unclear,
        },
    }
}

/// Whether a command is known to do nothing but look.
pub fn does_nothing_but_look(analysis: &Analysis) -> bool {
    let mut actions = analysis.actions.iter();
    let looks = actions.all(|action| matches!(action.verb, Verb::Read | Verb::Fetch));
    looks && analysis.unread.is_empty() && !analysis.cut
}

/// Whether something is changed; nothing where nobody knows.
fn changes(analysis: &Analysis) -> Option<bool> {
    let verbs = || analysis.actions.iter().map(|action| action.verb);
    let looks = |verb| matches!(verb, Verb::Read | Verb::Fetch);
    if verbs().any(|verb| !looks(verb) && !matches!(verb, Verb::Unknown | Verb::Execute)) {
        return Some(true);
    }
    (verbs().next().is_some() && verbs().all(looks)).then_some(false)
}

/// Whether a verb hands work to others.
#[must_use]
pub fn publishes(verb: Verb) -> bool {
    matches!(verb, Verb::Publish | Verb::Deploy)
}

/// An instruction with the call that starts a helper in its place: the user's own, else ours.
#[must_use]
pub fn instruction(ours: &str, own: &str, start: &str) -> String {
    let template = if own.is_empty() { ours.trim_end() } else { own };
    template.replacen("{start}", start, 1)
}

/// Off unless the worker is disciplined: who is only advised is not checked.
pub fn demands_alone(profile: Profile) -> Mode {
    match profile {
        Profile::Discipline => Mode::Block,
        Profile::Coach | Profile::Observe | Profile::Guard => Mode::Off,
    }
}

/// Off unless the worker is to be coached or disciplined.
pub fn advises(profile: Profile) -> Mode {
    match profile {
        Profile::Coach | Profile::Discipline => Mode::Warn,
        Profile::Observe | Profile::Guard => Mode::Off,
    }
}

/// Advice where the worker is coached; a demand where it is disciplined.
pub fn demands(profile: Profile) -> Mode {
    match profile {
        Profile::Discipline => Mode::Block,
        other => advises(other),
    }
}

/// Whether a call counts for the next check; a helper's own looking around does not (law 5).
#[must_use]
pub fn is_counted(role: CallRole, by: Option<Helper>) -> bool {
    match role {
        CallRole::Session | CallRole::Helper(_) => false,
        CallRole::Look => by.is_none(),
        CallRole::Change | CallRole::Unclear => true,
    }
}
