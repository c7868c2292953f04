//! What the gates said, and what follows from it.

use crate::section::AnyStep;
use crate::{Binding, GrantLevel, Mode};

/// How strict. The order of the variants is the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Level {
    /// Nothing against it.
    #[default]
    Allow,
    /// A human should say yes first.
    Ask,
    /// No.
    Deny,
}

impl Level {
    /// Every level with the name that rules use for it.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("allow", Self::Allow),
        ("ask", Self::Ask),
        ("deny", Self::Deny),
    ];

    /// The name that rules use.
    #[must_use]
    pub fn name(self) -> &'static str {
        crate::action::name_of(Self::NAMES, self)
    }
}

/// What one gate said about one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The gate's id.
    pub gate: &'static str,
    /// The rule inside the gate (`git.discard`), or empty.
    pub rule: String,
    /// How strict.
    pub level: Level,
    /// Why, in one sentence. Never empty for Ask and Deny.
    pub reason: String,
    /// What to do instead; empty if there is nothing better to do.
    pub alternative: String,
    /// Words for the worker that stop nothing; empty if none. Advice is never a level.
    pub advice: String,
    /// Whether the gate itself failed (`fault`), as opposed to saying no.
    pub fault: bool,
    /// The channel through which a human can lift it for one call; `None` = nobody can.
    pub overridable: Option<GrantLevel>,
    /// Under what its advice is remembered as said, once; 0 = under its words, and it is said again
    /// some time later.
    pub said_as: u64,
    /// Whether its alternative is what lifts it: it is said whole, each time.
    pub is_demand: bool,
}

impl Finding {
    /// A finding without alternative or advice.
    #[must_use]
    pub fn new(gate: &'static str, rule: &str, level: Level, reason: impl Into<String>) -> Self {
        Self {
            gate,
            rule: rule.to_owned(),
            level,
            reason: reason.into(),
            alternative: String::new(),
            advice: String::new(),
            fault: false,
            overridable: None,
            said_as: 0,
            is_demand: false,
        }
    }

    /// `policy/git.discard`, as shown in brackets at the end of a message.
    #[must_use]
    pub fn tag(&self) -> String {
        if self.rule.is_empty() {
            self.gate.to_owned()
        } else {
            [self.gate, "/", &self.rule].concat()
        }
    }
}

/// A finding with the mode it was judged in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighed {
    /// What the gate said.
    pub finding: Finding,
    /// The mode of its gate: only [`Mode::Block`] lets its level count.
    pub mode: Mode,
    /// Whether a human lifted it for this call: its level does not count.
    pub overridden: bool,
}

impl Weighed {
    /// Whether its level counts.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.mode == Mode::Block && !self.overridden
    }
}

/// A change of state that the decision causes. Applied in one transaction before the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// If this call runs, it creates and rewrites these paths (hashes). Kept until the host says
    /// that the call ran.
    Intends {
        /// Paths that did not exist before.
        created_paths: Vec<u64>,
        /// Paths whose content the worker then knows.
        read_paths: Vec<u64>,
    },
    /// The call ran: what it intended has happened.
    Happened,
    /// The worker has read these paths (hashes).
    Seen(Vec<u64>),
    /// This advice was given (hash of its text).
    Said(u64),
    /// This is not to count as given any more.
    Unsaid(u64),
    /// A call was judged.
    Counted {
        /// How strict the answer was.
        level: Level,
    },
    /// The session's events come from this host process.
    Bound(Binding),
    /// A change of what a concern remembers of the session.
    Step(AnyStep),
    /// A change of what a concern remembers of the project. Made before the session's, under a lock
    /// of its own: made twice, it must be as if it were made once.
    Shared(AnyStep),
}

/// All that was decided about one event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decision {
    /// Every finding, strictest first, ties in stack order.
    pub findings: Vec<Weighed>,
    /// State changes that follow.
    pub effects: Vec<Effect>,
}

impl Decision {
    /// The level that counts: the strictest of the blocking gates.
    #[must_use]
    pub fn level(&self) -> Level {
        let counted = self.findings.iter().filter(|w| w.counts());
        counted.map(|w| w.finding.level).max().unwrap_or_default()
    }

    /// The level that the gates would have wanted, whatever their mode.
    #[must_use]
    pub fn would_be(&self) -> Level {
        let levels = self.findings.iter().map(|w| w.finding.level);
        levels.max().unwrap_or_default()
    }

    /// The channel through which a human can lift everything that stops the call; `None` if
    /// something cannot be lifted, or nothing stops it.
    #[must_use]
    pub fn overridable(&self) -> Option<GrantLevel> {
        let stops = self.findings.iter();
        let stops = stops.filter(|w| w.counts() && w.finding.level > Level::Allow);
        let mut needs = None;
        for weighed in stops {
            needs = needs.max(Some(weighed.finding.overridable?));
        }
        needs
    }

    /// The finding to show: of the strictest that count, the first with a way out.
    #[must_use]
    pub fn shown(&self) -> Option<&Finding> {
        let level = self.level();
        if level == Level::Allow {
            return None;
        }
        let counted = || {
            let counted = self.findings.iter().filter(|w| w.counts());
            counted.map(|w| &w.finding).filter(|f| f.level == level)
        };
        counted()
            .find(|finding| !finding.alternative.is_empty())
            .or_else(|| counted().next())
    }

    /// All advice that is to be said, in stack order.
    pub fn advice(&self) -> impl Iterator<Item = &str> {
        let spoken = self.findings.iter().filter(|w| w.mode != Mode::Off);
        spoken
            .map(|w| w.finding.advice.as_str())
            .filter(|a| !a.is_empty())
    }
}
