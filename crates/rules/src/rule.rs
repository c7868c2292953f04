//! A rule and a pack of rules, as values. Knows nothing of how they were written.

use std::borrow::Cow;

use model::{Certainty, Flags, GrantLevel, Level, ResourceKind, Verb, Zone};

/// Text that is compiled in or was read.
pub type Text = Cow<'static, str>;

/// A list that is compiled in or was read.
pub type List<T> = Cow<'static, [T]>;

/// Longest `reason` or `alternative` of a rule, in characters.
pub const RULE_TEXT_CHARS_MAX: usize = 200;

/// What a text of a rule may stand in braces for.
pub const PLACEHOLDERS: &[&str] = &["command", "target", "loss", "program", "branch", "machine"];

/// Verbs whose effect cannot be taken back: by default an unknown fact asks for them.
pub const IRREVERSIBLE: &[Verb] = &[Verb::Delete, Verb::Discard, Verb::Destroy, Verb::Rewrite];

/// One rule: when it holds for an action, its level counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its full id: pack and rule (`git.discard`).
    pub id: Text,
    /// Ask or Deny.
    pub level: Level,
    /// Why, in one sentence without a full stop. May hold [`PLACEHOLDERS`] in braces.
    pub reason: Text,
    /// What to do instead, as one or two sentences; may be empty.
    pub alternative: Text,
    /// Requirement ids it covers.
    pub covers: List<Text>,
    /// The level if a fact that a condition needs is not known.
    pub unknown: Level,
    /// The channel that a human's yes needs at least; `None` = what its level needs.
    pub grant: Option<GrantLevel>,
    /// Its conditions.
    pub when: When,
    /// The line it starts at in its file; 1-based.
    pub line: u32,
}

impl Rule {
    /// The channel through which a human can lift a finding of this rule at a level. To override a
    /// refusal takes more than a word typed to the agent.
    #[must_use]
    pub fn override_level(&self, level: Level) -> GrantLevel {
        let least = match level {
            Level::Deny => GrantLevel::Terminal,
            Level::Allow | Level::Ask => GrantLevel::Prompt,
        };
        self.grant.map_or(least, |grant| grant.max(least))
    }
}

/// The conditions of a rule. All that are given must hold; an empty list is no condition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct When {
    /// One of these verbs.
    pub verbs: List<Verb>,
    /// One of these kinds of resource.
    pub kinds: List<ResourceKind>,
    /// In one of these parts of the machine.
    pub zones: List<Zone>,
    /// In none of these parts.
    pub not_zones: List<Zone>,
    /// The resource's name matches one of these globs.
    pub names: List<Text>,
    /// The resource's name matches none of these globs.
    pub not_names: List<Text>,
    /// The program (or program and subcommand) is one of these.
    pub programs: List<Text>,
    /// The program is none of these.
    pub not_programs: List<Text>,
    /// Each of these words stands in the command.
    pub args: List<Text>,
    /// All of these flags are set.
    pub flags: Flags,
    /// None of these flags is set.
    pub not_flags: Flags,
    /// Something would be lost.
    pub loss: bool,
    /// The action is at least this sure.
    pub certainty_at_most: Option<Certainty>,
    /// The branch matches one of these globs.
    pub branches: List<Text>,
    /// The call is one of these tools (neutral names).
    pub tools: List<Text>,
    /// Who acts.
    pub actor: Option<ActorKind>,
    /// One of these stands between the call and the action (`sudo`, `ssh`).
    pub via: List<Text>,
}

impl When {
    /// Whether it is the tool's name alone that counts, whatever it is called with.
    #[must_use]
    pub fn is_by_name(&self) -> bool {
        let rest = Self {
            verbs: List::default(),
            kinds: List::default(),
            names: List::default(),
            not_names: List::default(),
            tools: List::default(),
            ..self.clone()
        };
        rest == Self::default() && !self.names.is_empty()
    }
}

/// Who acts, as rules tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActorKind {
    /// The worker the human talks to.
    Main,
    /// A helper.
    Sub,
}

impl ActorKind {
    /// Every kind with the name that rules use for it.
    pub const NAMES: &'static [(&'static str, Self)] = &[("main", Self::Main), ("sub", Self::Sub)];
}

/// Rules that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pack {
    /// Its id (`git`); those of an untrusted project begin with `project:`.
    pub id: Text,
    /// What it is for, in one sentence.
    pub summary: Text,
    /// Whether it is on if no setting names it.
    pub on: bool,
    /// The file it was read from.
    pub file: Text,
    /// Its rules, in the order written.
    pub rules: List<Rule>,
}
