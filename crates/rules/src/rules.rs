//! All rules and settings that hold for one call: what is compiled in and the layers above it.

use std::borrow::Cow;

use model::{Level, Mode, Profile, Verb};

use crate::layer::{Layer, RAISABLE_GATE, Source, Sourced, Surface, UNTRUSTED_PREFIX};
use crate::rule::{List, Pack, Rule, Text, When};
use crate::settings::Key;

/// Tools that the policy gate does not look at unless settings say otherwise (S2.6). Reading a file
/// is not among them: what is read may be a secret. Nor is fetching: some addresses hand out
/// credentials.
pub(crate) const SKIP_TOOLS: &[Text] = &[
    Text::Borrowed("search"),
    Text::Borrowed("todo"),
    Text::Borrowed("question"),
    Text::Borrowed("plan_enter"),
    Text::Borrowed("harmless"),
];

/// What changes a path, for `protect`.
const CHANGING: &[Verb] = &[Verb::Write, Verb::Delete, Verb::Move, Verb::Reown];

/// All rules and settings that hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    builtin: &'static [Pack],
    layers: Vec<Layer>,
    protect: Option<Rule>,
}

/// One rule with its pack, as `rules list` shows it.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a> {
    /// The pack.
    pub pack: &'a Pack,
    /// The rule.
    pub rule: &'a Rule,
    /// Whether it is on.
    pub on: bool,
    /// Whether its words may be shown as ours.
    pub trusted: bool,
}

impl Rules {
    /// What is compiled in, and the layers above it in rising order.
    #[must_use]
    pub fn new(builtin: &'static [Pack], layers: Vec<Layer>) -> Self {
        let trusted = layers.iter().filter(|layer| layer.source.trusted);
        let protect: Vec<Text> = trusted.flat_map(|l| l.protect.iter().cloned()).collect();
        Self {
            builtin,
            layers,
            protect: protect_rule(protect),
        }
    }

    /// The layers above what is compiled in, in rising order.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The rules that are on: those of people one trusts, then the built-in ones, then the others.
    pub fn active(&self) -> impl Iterator<Item = Listed<'_>> {
        self.list().filter(|listed| listed.on)
    }

    /// [`Rules::active`] without those that are not about a verb. Most are not, so whether they are
    /// on is not looked up.
    pub fn active_about(&self, verb: Verb) -> impl Iterator<Item = Listed<'_>> {
        let about =
            move |rule: &Rule| rule.when.verbs.is_empty() || rule.when.verbs.contains(&verb);
        self.list_of(about).filter(|listed| listed.on)
    }

    /// Every rule, on or off, in the order in which they are asked.
    pub fn list(&self) -> impl Iterator<Item = Listed<'_>> {
        self.list_of(|_| true)
    }

    fn list_of(
        &self,
        is_wanted: impl Fn(&Rule) -> bool + Copy,
    ) -> impl Iterator<Item = Listed<'_>> {
        let layered = |trusted: bool| {
            let layers = self.layers.iter();
            let layers = layers.filter(move |layer| layer.source.trusted == trusted);
            layers.flat_map(move |l| l.packs.iter().map(move |pack| (pack, trusted)))
        };
        let builtin = self.builtin.iter().map(|pack| (pack, true));
        let packs = layered(true).chain(builtin).chain(layered(false));
        packs.flat_map(move |(pack, trusted)| {
            let rules = pack.rules.iter().filter(move |rule| is_wanted(rule));
            rules.map(move |rule| Listed {
                pack,
                rule,
                on: self
                    .switched(&rule.id)
                    .unwrap_or_else(|| self.pack_is_on(pack)),
                trusted,
            })
        })
    }

    /// Every pack, with whether it is on.
    pub fn packs(&self) -> impl Iterator<Item = (&Pack, bool)> {
        let layered = self.layers.iter().flat_map(|layer| layer.packs.iter());
        let all = self.builtin.iter().chain(layered);
        all.map(|pack| (pack, self.pack_is_on(pack)))
    }

    /// Ids that more than one pack has; only the first of them can be looked up or switched.
    #[must_use]
    pub fn clashes(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = self.packs().map(|(pack, _)| pack.id.as_ref()).collect();
        ids.sort_unstable();
        let mut twice: Vec<&str> = ids
            .windows(2)
            .filter(|w| w.first() == w.last())
            .filter_map(|w| w.first().copied())
            .collect();
        twice.dedup();
        twice
    }

    /// The rule of a tag (`policy/git.discard`) or id (`git.discard`).
    #[must_use]
    pub fn find(&self, tag: &str) -> Option<Listed<'_>> {
        let id = tag.rsplit('/').next().unwrap_or(tag);
        self.list().find(|listed| listed.rule.id == id)
    }

    /// The rule made of the `protect` setting, if anything is protected.
    #[must_use]
    pub fn protect(&self) -> Option<&Rule> {
        self.protect.as_ref()
    }

    fn pack_is_on(&self, pack: &Pack) -> bool {
        let untrusted = pack.id.starts_with(UNTRUSTED_PREFIX);
        let whole = if untrusted {
            self.switched("project")
        } else {
            None
        };
        self.switched(&pack.id).or(whole).unwrap_or(pack.on)
    }

    /// What the topmost trusted layer that names an id says about it.
    fn switched(&self, id: &str) -> Option<bool> {
        let switches = self.trusted().flat_map(|layer| layer.switches.iter().rev());
        let mut named = switches.filter(|switch| switch.id == id);
        named.next().map(|switch| switch.on)
    }

    /// The trusted layers, topmost first.
    fn trusted(&self) -> impl Iterator<Item = &Layer> {
        let layers = self.layers.iter().rev();
        layers.filter(|layer| layer.source.trusted)
    }

    fn topmost<T>(&self, get: impl Fn(&Layer) -> Option<T>, otherwise: T) -> Sourced<T> {
        self.set(get).unwrap_or_else(|| Sourced {
            value: otherwise,
            source: Source::built_in(),
        })
    }

    /// What the topmost trusted layer that sets something says.
    fn set<T>(&self, get: impl Fn(&Layer) -> Option<T>) -> Option<Sourced<T>> {
        let mut said = self.trusted();
        said.find_map(|layer| {
            get(layer).map(|value| Sourced {
                value,
                source: layer.source.clone(),
            })
        })
    }

    /// The profile.
    #[must_use]
    pub fn profile(&self) -> Sourced<Profile> {
        self.topmost(|layer| layer.profile, Profile::default())
    }

    /// The tools that the policy gate does not look at.
    #[must_use]
    pub fn skip_tools(&self) -> Sourced<List<Text>> {
        let get = |layer: &Layer| layer.skip_tools.clone();
        self.topmost(get, Cow::Borrowed(SKIP_TOOLS))
    }

    /// What holds for a key of a concern.
    #[must_use]
    pub fn setting<K: Key>(&self, key: &K) -> Sourced<K::Value> {
        self.topmost(|layer| layer.setting(key), key.usual())
    }

    /// A knob of a host, if any layer sets it.
    #[must_use]
    pub fn host_switch(&self, host: &str, key: &str) -> Option<bool> {
        let get = |layer: &Layer| {
            let mut knobs = layer.hosts.iter().rev();
            knobs
                .find(|knob| knob.host == host && knob.key == key)
                .map(|knob| knob.on)
        };
        self.trusted().find_map(get)
    }

    /// The mode of a gate where these surfaces hold, the most telling first, and where nobody set
    /// it, what the profile makes of it. `observe` overrides every other setting.
    #[must_use]
    pub fn mode(
        &self,
        gate: &str,
        surfaces: &[Surface],
        by_profile: fn(Profile) -> Mode,
    ) -> Sourced<Mode> {
        let profile = self.profile();
        if profile.value == Profile::Observe {
            return Sourced {
                value: Mode::Off,
                source: profile.source,
            };
        }
        let value = by_profile(profile.value);
        let is_usual = value == by_profile(Profile::default());
        let source = if is_usual {
            Source::built_in()
        } else {
            profile.source
        };
        let by_profile = Sourced { value, source };
        let mut mode = self
            .set(|layer| mode_in(layer, gate, surfaces))
            .unwrap_or(by_profile);
        let untrusted = self.layers.iter().filter(|layer| !layer.source.trusted);
        for layer in untrusted.filter(|_| gate == RAISABLE_GATE) {
            if let Some(raised) = mode_in(layer, gate, surfaces).filter(|m| *m > mode.value) {
                mode = Sourced {
                    value: raised,
                    source: layer.source.clone(),
                };
            }
        }
        mode
    }
}

/// What one layer says about a gate: a surface's own mode before that for all.
fn mode_in(layer: &Layer, gate: &str, surfaces: &[Surface]) -> Option<Mode> {
    let said = |wanted: Option<Surface>| {
        let mut modes = layer.modes.iter().rev();
        modes.find(|mode| mode.gate == gate && mode.surface == wanted)
    };
    let mut own = surfaces.iter().map(|surface| said(Some(*surface)));
    let found = own.find(Option::is_some).flatten().or_else(|| said(None));
    found.map(|switch| switch.mode)
}

/// Protected paths are one more rule.
fn protect_rule(globs: Vec<Text>) -> Option<Rule> {
    if globs.is_empty() {
        return None;
    }
    Some(Rule {
        id: Text::Borrowed("protect"),
        level: Level::Deny,
        reason: Text::Borrowed("{target} is protected by the user's settings"),
        alternative: Text::Borrowed("Leave it as it is, or ask the user to change it."),
        covers: List::default(),
        unknown: Level::Allow,
        grant: None,
        when: When {
            verbs: Cow::Borrowed(CHANGING),
            names: globs.into(),
            ..When::default()
        },
        line: 0,
    })
}
