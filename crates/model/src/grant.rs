//! What lowers a verdict, and who may cause it: the caller of the hook, approvals, tickets.
//!
//! Values only. What may follow what is written in the crate `work`; they are changed by
//! compare-and-set ([`crate::Effect::Approval`], [`crate::Effect::Ticket`]), so that of two hooks
//! at once one wins and the other sees it.

use crate::{Helper, Time};

/// A SHA-256 digest.
pub type Digest = [u8; 32];

/// One host process that a session's events come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Binding {
    /// Its process number.
    pub process: u64,
    /// When it started, in the kernel's clock ticks since the machine did.
    pub start: u64,
    /// Whether it was started by a worker (an agent is among its ancestors, or its launch
    /// environment says so): nothing that it says comes from a human.
    pub nested: bool,
}

/// Most host processes that a session remembers; the oldest go first.
pub const BINDINGS_MAX: usize = 8;

/// Who called the hook, as far as the system shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Caller {
    /// The platform or the way of calling shows nothing, and nothing better is known of this
    /// session: events count, but nothing they say is a human's word.
    #[default]
    Unproven,
    /// The host process of this session.
    Host(Binding),
    /// Somebody else, although the session's host is known. Why we think so.
    Stranger(String),
}

impl Caller {
    /// The process whose grants may be used; nothing for who is not known.
    #[must_use]
    pub fn binding(&self) -> Option<Binding> {
        match self {
            Self::Host(binding) => Some(*binding),
            Self::Unproven | Self::Stranger(_) => None,
        }
    }

    /// Whether it is somebody else than the session's host: what they say is judged, and changes
    /// nothing.
    #[must_use]
    pub fn is_stranger(&self) -> bool {
        matches!(self, Self::Stranger(_))
    }
}

/// Under what name a session remembers that a human lifted a fault: for the host process that
/// asked, so that another one which comes to the session later has nothing of it. `host` is the
/// process number and start, zeros if no host is known.
#[must_use]
pub fn lifted_for(fault: &str, host: (u64, u64)) -> String {
    match host {
        (0, _) => fault.to_owned(),
        (process, start) => format!("{fault} for {process}.{start}"),
    }
}

/// How a human says yes as a prompt, before the code.
const OK: [&str; 2] = ["tollgate", "ok"];

/// The code in `tollgate ok kestrel-42`, if a text is nothing but a yes.
#[must_use]
pub fn code_in(text: &str) -> Option<String> {
    let quotes = |c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '.');
    let mut said = text.trim_matches(quotes).split_whitespace();
    let begins = OK.iter().all(|word| {
        let next = said.next();
        next.is_some_and(|next| next.eq_ignore_ascii_case(word))
    });
    let code = said.next().filter(|_| begins && said.next().is_none())?;
    Some(code.to_lowercase())
}

/// Through what channel a human said yes, from the easiest to the hardest to forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum GrantLevel {
    /// The code, typed as a prompt to the agent.
    #[default]
    Prompt,
    /// The code, typed in a terminal.
    Terminal,
    /// A signature with the user's key.
    Key,
    /// Root.
    Sudo,
}

impl GrantLevel {
    /// Every level with the name that rules use for it.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("prompt", Self::Prompt),
        ("terminal", Self::Terminal),
        ("key", Self::Key),
        ("sudo", Self::Sudo),
    ];

    /// The name that rules use.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }
}

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
        crate::action::name_of(Self::NAMES, self)
    }
}

/// Most approvals that a session remembers, the finished ones included.
pub const APPROVALS_MAX: usize = 20;

/// Most hashes of lost things that an approval remembers one by one.
pub const STAKES_MAX: usize = 32;

/// What a call would lose: what a human says yes to, and what is compared when it is used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LossSet {
    /// How many things in all.
    pub total: u64,
    /// Hashes of the first [`STAKES_MAX`], sorted.
    pub first: Vec<u64>,
    /// Digest over all hashes, sorted.
    pub all: Digest,
    /// Whether some of it is not known.
    pub unknown: bool,
}

/// A question to a human about one call, and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Approval {
    /// What the worker sees (`A7F3`).
    pub id: String,
    /// What only the human sees (`kestrel-42`).
    pub code: String,
    /// How it stands.
    pub state: ApprovalState,
    /// The canonical call with its directory and deeds.
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
    pub lifts: String,
    /// How often the call was held since the code was last made.
    pub seen: u64,
    /// What proves the yes where its channel needs proof: a signature, as hex.
    pub proof: String,
}

/// A yes that fits the call which is being judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The approval's id.
    pub id: String,
    /// The channel that it came through.
    pub by: GrantLevel,
    /// Whether the human was told that undo could bring the loss back.
    pub recoverable: bool,
}

/// How a ticket stands. The page in `work` says who may cause which step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TicketState {
    /// Registered: a review is owed.
    #[default]
    Wanted,
    /// The spawn was seen and rewritten.
    Armed,
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

impl TicketState {
    /// Every state with its name.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("wanted", Self::Wanted),
        ("armed", Self::Armed),
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
        crate::action::name_of(Self::NAMES, self)
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
        use TicketState::{Armed, Dropped, Passed, Running, Wanted};
        match self.role() {
            Helper::Reviewer => matches!(self.state, Passed | Dropped),
            _ => !matches!(self.state, Wanted | Armed | Running),
        }
    }
}

/// A compare-and-set: `to` takes the place of `from`, or nothing happens and the event is judged
/// again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<T> {
    /// What was there; `None` if it is new.
    pub from: Option<T>,
    /// What is there afterwards.
    pub to: T,
}

/// Most files and links that one capture for undo keeps.
pub const UNDO_FILES_MAX: u64 = 2_000;

/// Most bytes that one capture for undo keeps.
pub const UNDO_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// What became of a capture for undo.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Saved {
    /// None was needed, or none was tried.
    #[default]
    NotTried,
    /// Everything that would be lost was kept under this id.
    All(String),
    /// Some of it was kept; what was not, in words.
    Part {
        /// The id of what was kept; empty if nothing was.
        id: String,
        /// What was not kept, and why.
        unsaved: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yes_is_nothing_but_a_yes() {
        for text in [
            "tollgate ok kestrel-42",
            " Tollgate  OK Kestrel-42.\n",
            "`tollgate ok kestrel-42`",
        ] {
            assert_eq!(code_in(text).as_deref(), Some("kestrel-42"), "{text}");
        }
        for text in [
            "",
            "ok kestrel-42",
            "tollgate ok",
            "please tollgate ok kestrel-42",
            "tollgate ok kestrel-42 and go on",
            "tollgate approve kestrel-42",
        ] {
            assert_eq!(code_in(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_lifted_is_lifted_for_one_host() {
        assert_eq!(lifted_for("state", (0, 0)), "state");
        assert_eq!(lifted_for("state", (7, 9)), lifted_for("state", (7, 9)));
        for other in [(0, 0), (7, 8), (8, 9)] {
            assert_ne!(lifted_for("state", (7, 9)), lifted_for("state", other));
        }
    }
}
