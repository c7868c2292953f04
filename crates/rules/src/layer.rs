//! Layers of settings: built in < system < user < project, and who may say what.
//!
//! A project's file may only add Ask and Deny rules and raise the mode of the policy gate, unless
//! the user trusted it. That rule is kept here, where values are looked up, so no reader can
//! forget it.

use model::{Mode, Profile};

use crate::rule::{List, Pack, Text};
use crate::settings::{Key, Setting, TABLES};

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
    /// What is set in tables of concerns.
    pub settings: List<Setting>,
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
        let own = [
            ("profile", self.profile.is_some()),
            ("skip_tools", self.skip_tools.is_some()),
            ("protect", !self.protect.is_empty()),
            ("packs", !self.switches.is_empty()),
            ("hosts", !self.hosts.is_empty()),
        ];
        let gates = [("gates (other than policy)", other_gates)];
        let all = own.into_iter().chain(self.tables(true));
        let all = all.chain(self.tables(false)).chain(gates);
        let ignored = all.filter(|(_, said)| *said);
        let file = &self.source.file;
        let why = match self.source.scope {
            Scope::Project => "the project is not trusted (tollgate trust)",
            _ => "in a hardened install only root's settings may loosen",
        };
        let notice = |(key, _)| format!("{file}: `{key}` is ignored: {why}");
        ignored.map(notice).collect()
    }

    /// The tables of concerns that loosen, or the others, and whether anything is set in each.
    fn tables(&self, loosening: bool) -> impl Iterator<Item = (&'static str, bool)> {
        let tables = TABLES
            .iter()
            .filter(move |table| table.loosens == loosening);
        tables.map(|table| {
            let mut keys = self.settings.iter().map(|setting| &setting.key);
            (table.name, keys.any(|key| table.has(key)))
        })
    }

    /// What it says about a key of a concern.
    pub(crate) fn setting<K: Key>(&self, key: &K) -> Option<K::Value> {
        let mut set = self.settings.iter();
        let set = set.find(|setting| setting.key == key.id())?;
        K::of(&set.value)
    }
}
