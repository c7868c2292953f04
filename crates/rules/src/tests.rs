//! Tests of meaning, layering, the flat form and reading.

#[cfg(feature = "toml")]
mod config;
mod flat;
mod layers;
mod meaning;
#[cfg(feature = "toml")]
mod packs;
#[cfg(feature = "toml")]
mod reading;
mod tables;
mod values;

use proptest::prelude::*;

use crate::*;
use model::{Flags, Level, Mode, Profile, ResourceKind, Verb, Zone};

/// The only mistake of a file.
#[cfg(feature = "toml")]
fn only(found: &Mistakes) -> &Diagnostic {
    let all: Vec<&Diagnostic> = found.iter().collect();
    assert_eq!(all.len(), 1, "{found}");
    all[0]
}

/// A rule that asks, with conditions to be filled in.
fn rule(id: &str, when: When) -> Rule {
    Rule {
        id: id.to_owned().into(),
        level: Level::Ask,
        reason: "it would hurt".into(),
        alternative: "Do less.".into(),
        covers: List::default(),
        unknown: Level::Allow,
        grant: None,
        when,
        line: 1,
    }
}

fn pack(id: &str, rules: Vec<Rule>) -> Pack {
    Pack {
        id: id.to_owned().into(),
        summary: "Made for a test.".into(),
        on: true,
        file: "test.toml".into(),
        rules: rules.into(),
    }
}

fn source(scope: Scope, trusted: bool) -> Source {
    Source {
        scope,
        file: "config.toml".into(),
        trusted,
    }
}

fn one_of<T: Copy + std::fmt::Debug + 'static>(
    names: &'static [(&'static str, T)],
) -> impl Strategy<Value = T> {
    (0..names.len()).prop_map(move |at| names[at].1)
}

fn texts() -> impl Strategy<Value = List<Text>> {
    proptest::collection::vec("[a-z*/ä{}]{0,12}", 0..3)
        .prop_map(|texts| texts.into_iter().map(Text::from).collect::<Vec<_>>().into())
}

fn whens() -> impl Strategy<Value = When> {
    let enums = (
        proptest::collection::vec(one_of(Verb::NAMES), 0..3),
        proptest::collection::vec(one_of(ResourceKind::NAMES), 0..3),
        proptest::collection::vec(one_of(Zone::NAMES), 0..3),
        proptest::option::of(one_of(ActorKind::NAMES)),
        any::<bool>(),
        0u32..1 << model::Flag::NAMES.len(),
    );
    (enums, texts(), texts(), texts()).prop_map(|((v, k, z, actor, loss, bits), a, b, c)| When {
        verbs: v.into(),
        kinds: k.into(),
        zones: z.into(),
        names: a,
        programs: b,
        branches: c,
        flags: Flags::from_bits(bits),
        actor,
        loss,
        ..When::default()
    })
}

fn layers_any() -> impl Strategy<Value = Vec<Layer>> {
    let rules = proptest::collection::vec((whens(), one_of(Level::NAMES)), 0..4);
    let layer = (
        rules,
        proptest::option::of(one_of(Profile::NAMES)),
        one_of(Mode::NAMES),
        texts(),
        any::<bool>(),
        one_of(Scope::NAMES),
    );
    let layer = layer.prop_map(|(rules, profile, mode, protect, trusted, scope)| Layer {
        source: source(scope, trusted),
        profile,
        modes: vec![ModeSwitch {
            gate: "policy".into(),
            surface: None,
            mode,
        }]
        .into(),
        protect,
        packs: vec![pack(
            "p",
            rules
                .into_iter()
                .enumerate()
                .map(|(at, (when, level))| Rule {
                    level,
                    ..rule(&format!("p.r{at}"), when)
                })
                .collect(),
        )]
        .into(),
        ..Layer::default()
    });
    proptest::collection::vec(layer, 0..4)
}
