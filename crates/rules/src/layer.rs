//! Layers of settings: built in < system < user < project, and who may say what.
//!
//! A project's file may only add Ask and Deny rules and raise the mode of the policy gate, unless
//! the user trusted it. That rule is kept here, where values are looked up, so no reader can
//! forget it.

use model::{Mode, Profile};

use crate::rule::{List, Pack, Text};

/// Where a layer comes from. Later scopes win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Scope {
    /// Compiled in.
    #[default]
    BuiltIn,
    /// Owned by root.
    System,
    /// The user's own.
    User,
    /// In the repository.
    Project,
}

impl Scope {
    /// Every scope with its name.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("built in", Self::BuiltIn),
        ("system", Self::System),
        ("user", Self::User),
        ("project", Self::Project),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(_, scope)| *scope == self);
        found.map_or("?", |(name, _)| name)
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// Which layer.
    pub scope: Scope,
    /// Which file; empty for what is compiled in.
    pub file: Text,
    /// Whether its words may do more than tighten.
    pub trusted: bool,
}

impl Source {
    /// What is compiled in.
    #[must_use]
    pub fn built_in() -> Self {
        Self {
            scope: Scope::BuiltIn,
            file: Text::Borrowed(""),
            trusted: true,
        }
    }
}

/// A value with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub source: Source,
}

/// On which surface a mode holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Surface {
    /// The worker the human talks to.
    Main,
    /// A helper.
    Subagent,
    /// Nobody is there to answer the host's prompts.
    Unattended,
}

impl Surface {
    /// Every surface with its name in settings.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("main", Self::Main),
        ("subagent", Self::Subagent),
        ("unattended", Self::Unattended),
    ];
}

/// The mode of one gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeSwitch {
    /// The gate's id.
    pub gate: Text,
    /// On one surface only; `None` = on all.
    pub surface: Option<Surface>,
    /// The mode.
    pub mode: Mode,
}

/// A pack or rule that is switched on or off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// Id of a pack or rule, or `project` for all packs of untrusted projects.
    pub id: Text,
    /// On or off.
    pub on: bool,
}

/// A knob of one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostSwitch {
    /// The host's id.
    pub host: Text,
    /// The knob's name.
    pub key: Text,
    /// Its value.
    pub on: bool,
}

/// What one file of settings says, with the packs that stand beside it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layer {
    /// Where it comes from.
    pub source: Source,
    /// The profile.
    pub profile: Option<Profile>,
    /// Modes of gates.
    pub modes: List<ModeSwitch>,
    /// Tools (neutral names) that the policy gate does not look at.
    pub skip_tools: Option<List<Text>>,
    /// Globs of paths that nobody may change.
    pub protect: List<Text>,
    /// Packs and rules switched on or off.
    pub switches: List<Switch>,
    /// Whether a loss that undo can bring back passes instead of being asked about.
    pub undo_allow: Option<bool>,
    /// How long a question to a human stays open, in minutes.
    pub approval_minutes: Option<u32>,
    /// Where questions to a human are sent; empty = nowhere.
    pub webhook: Option<Text>,
    /// Where requests to the hydrator are written; empty = with our own state.
    pub hydration_dir: Option<Text>,
    /// Beginnings of prompts that are not hydrated.
    pub hydration_skip: Option<List<Text>>,
    /// Ordinary calls after which a compliance check is due.
    pub compliance_calls: Option<u32>,
    /// Where the user's facts are kept; empty = with our own settings.
    pub memory_user: Option<Text>,
    /// Where a project's facts are kept; empty = with our own settings.
    pub memory_project: Option<Text>,
    /// Knobs of hosts.
    pub hosts: List<HostSwitch>,
    /// Packs of rules.
    pub packs: List<Pack>,
}

/// The one gate whose mode an untrusted layer may raise.
pub(crate) const RAISABLE_GATE: &str = "policy";

/// What the id of a pack begins with that comes with an untrusted project.
pub(crate) const UNTRUSTED_PREFIX: &str = "project:";

impl Layer {
    /// Marks the layer as untrusted: its packs get ids that say so. Gives a notice for each thing
    /// in it that is ignored from now on.
    pub fn distrust(&mut self) -> Vec<String> {
        self.source.trusted = false;
        let whose = self.source.scope.name();
        for pack in self.packs.to_mut() {
            pack.id = format!("{whose}:{}", pack.id).into();
            for rule in pack.rules.to_mut() {
                rule.id = format!("{whose}:{}", rule.id).into();
            }
        }
        let other_gates = self.modes.iter().any(|mode| mode.gate != RAISABLE_GATE);
        let ignored = [
            ("profile", self.profile.is_some()),
            ("skip_tools", self.skip_tools.is_some()),
            ("protect", !self.protect.is_empty()),
            ("packs", !self.switches.is_empty()),
            ("hosts", !self.hosts.is_empty()),
            ("undo", self.undo_allow.is_some()),
            (
                "approvals",
                self.approval_minutes.is_some() || self.webhook.is_some(),
            ),
            (
                "hydration",
                self.hydration_dir.is_some() || self.hydration_skip.is_some(),
            ),
            ("compliance", self.compliance_calls.is_some()),
            (
                "memory",
                self.memory_user.is_some() || self.memory_project.is_some(),
            ),
            ("gates (other than policy)", other_gates),
        ];
        let ignored = ignored.iter().filter(|(_, said)| *said);
        let file = &self.source.file;
        let why = match self.source.scope {
            Scope::Project => "the project is not trusted (tollgate trust)",
            _ => "in a hardened install only root's settings may loosen",
        };
        let notice = |(key, _): &(&str, bool)| format!("{file}: `{key}` is ignored: {why}");
        ignored.map(notice).collect()
    }
}
