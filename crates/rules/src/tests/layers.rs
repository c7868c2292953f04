//! Which layer wins, and what a layer that is not trusted cannot do.

use super::*;

/// Compiled in for these tests.
static BUILTIN: &[Pack] = &[Pack {
    id: Text::Borrowed("base"),
    summary: Text::Borrowed("Base."),
    on: true,
    file: Text::Borrowed(""),
    rules: List::Borrowed(&[]),
}];

const MAIN: &[Surface] = &[Surface::Main];

fn mode(mode: Mode, surface: Option<Surface>) -> List<ModeSwitch> {
    let gate = Text::Borrowed("policy");
    vec![ModeSwitch {
        gate,
        surface,
        mode,
    }]
    .into()
}

fn layer(scope: Scope, modes: List<ModeSwitch>) -> Layer {
    Layer {
        source: source(scope, true),
        modes,
        ..Layer::default()
    }
}

#[test]
fn the_topmost_layer_wins_and_is_named() {
    let rules = Rules::new(
        BUILTIN,
        vec![
            layer(Scope::System, mode(Mode::Warn, None)),
            layer(Scope::User, mode(Mode::Off, None)),
        ],
    );
    let found = rules.mode("policy", MAIN, |_| Mode::Block);
    assert_eq!((found.value, found.source.scope), (Mode::Off, Scope::User));
    let other = rules.mode("fault", MAIN, |_| Mode::Block);
    assert_eq!(
        (other.value, other.source.scope),
        (Mode::Block, Scope::BuiltIn)
    );
}

#[test]
fn a_surface_of_its_own_wins_over_all_surfaces() {
    let mut modes = mode(Mode::Warn, None).into_owned();
    modes.extend(mode(Mode::Block, Some(Surface::Unattended)).into_owned());
    let rules = Rules::new(BUILTIN, vec![layer(Scope::User, modes.into())]);
    let unattended = [Surface::Unattended, Surface::Main];
    assert_eq!(
        rules.mode("policy", MAIN, |_| Mode::Block).value,
        Mode::Warn
    );
    assert_eq!(
        rules.mode("policy", &unattended, |_| Mode::Block).value,
        Mode::Block
    );
}

#[test]
fn a_distrusted_layer_only_adds() {
    let when = When {
        verbs: vec![Verb::Delete].into(),
        ..When::default()
    };
    let mut project = Layer {
        source: source(Scope::Project, true),
        profile: Some(Profile::Observe),
        modes: mode(Mode::Off, None),
        skip_tools: Some(vec!["shell".into()].into()),
        protect: vec!["**".into()].into(),
        switches: vec![Switch {
            id: "base".into(),
            on: false,
        }]
        .into(),
        hosts: vec![HostSwitch {
            host: "h".into(),
            key: "ask".into(),
            on: true,
        }]
        .into(),
        settings: vec![
            settings::undo::ALLOW.set_to(true),
            settings::approvals::MINUTES.set_to(1_000),
            settings::approvals::WEBHOOK.set_to("https://example.org".into()),
            settings::hydration::DIR.set_to("/tmp/x".into()),
            settings::hydration::SKIP.set_to(vec!["".into()].into()),
            settings::compliance::AFTER.set_to(1_000),
            settings::memory::USER.set_to("/tmp/x".into()),
            settings::memory::PROJECT.set_to("/tmp/x".into()),
        ]
        .into(),
        packs: vec![pack("base", vec![rule("base.x", when)])].into(),
    };
    let trusted = Rules::new(BUILTIN, vec![project.clone()]);
    assert_eq!(trusted.profile().value, Profile::Observe);

    let notices = project.distrust();
    assert_eq!(notices.len(), 10, "{notices:?}");
    let rules = Rules::new(BUILTIN, vec![project]);
    assert_eq!(rules.profile().value, Profile::Guard);
    assert_eq!(
        rules.mode("policy", MAIN, |_| Mode::Block).value,
        Mode::Block
    );
    assert_eq!(rules.skip_tools().source.scope, Scope::BuiltIn);
    assert_eq!(rules.protect(), None);
    assert_eq!(rules.host_switch("h", "ask"), None);
    assert!(
        !rules.setting(&settings::undo::ALLOW).value
            && rules
                .setting(&settings::approvals::WEBHOOK)
                .value
                .is_empty()
    );
    assert_eq!(rules.setting(&settings::approvals::MINUTES).value, 30);
    assert!(
        rules.setting(&settings::hydration::DIR).value.is_empty()
            && rules.setting(&settings::memory::USER).value.is_empty()
    );
    assert_eq!(rules.setting(&settings::compliance::AFTER).value, 7);
    assert_eq!(rules.setting(&settings::hydration::SKIP).value.len(), 2);
    assert!(rules.packs().all(|(_, on)| on));
    let found = rules.find("policy/project:base.x").unwrap();
    assert!(found.on && !found.trusted);
}

#[test]
fn a_distrusted_layer_may_raise_only_the_policy_gate() {
    let user = layer(Scope::User, mode(Mode::Off, None));
    let mut fault = mode(Mode::Warn, None).into_owned();
    fault[0].gate = "fault".into();
    let user_fault = layer(Scope::User, fault.clone().into());
    fault[0].mode = Mode::Block;
    let mut modes = mode(Mode::Block, None).into_owned();
    modes.extend(fault);
    let mut project = layer(Scope::Project, modes.into());
    project.source.trusted = false;
    let rules = Rules::new(BUILTIN, vec![user, user_fault, project]);
    assert_eq!(
        rules.mode("policy", MAIN, |_| Mode::Block).value,
        Mode::Block
    );
    assert_eq!(rules.mode("fault", MAIN, |_| Mode::Block).value, Mode::Warn);
}

#[test]
fn packs_and_rules_are_switched_by_id() {
    let rules = vec![rule("p.a", When::default()), rule("p.b", When::default())];
    let switch = |id: &str, on| Switch {
        id: id.to_owned().into(),
        on,
    };
    let cases: [(Vec<Switch>, Vec<&str>); 4] = [
        (vec![], vec!["p.a", "p.b"]),
        (vec![switch("p", false)], vec![]),
        (vec![switch("p.a", false)], vec!["p.b"]),
        (vec![switch("p", false), switch("p.a", true)], vec!["p.a"]),
    ];
    for (switches, expected) in cases {
        let user = Layer {
            source: source(Scope::User, true),
            switches: switches.clone().into(),
            packs: vec![pack("p", rules.clone())].into(),
            ..Layer::default()
        };
        let all = Rules::new(BUILTIN, vec![user]);
        let active: Vec<&str> = all.active().map(|found| found.rule.id.as_ref()).collect();
        assert_eq!(active, expected, "{switches:?}");
    }
}

#[test]
fn two_packs_with_one_id_are_told() {
    let user = |id: &str| Layer {
        source: source(Scope::User, true),
        packs: vec![pack(id, Vec::new())].into(),
        ..Layer::default()
    };
    assert_eq!(Rules::new(BUILTIN, vec![user("base")]).clashes(), ["base"]);
    assert!(Rules::new(BUILTIN, vec![user("mine")]).clashes().is_empty());
}

#[test]
fn the_user_switches_off_all_packs_of_strangers() {
    let mut project = Layer {
        source: source(Scope::Project, true),
        packs: vec![pack("p", vec![rule("p.a", When::default())])].into(),
        ..Layer::default()
    };
    project.distrust();
    let user = Layer {
        source: source(Scope::User, true),
        switches: vec![Switch {
            id: "project".into(),
            on: false,
        }]
        .into(),
        ..Layer::default()
    };
    assert_eq!(
        Rules::new(BUILTIN, vec![project.clone()]).active().count(),
        1
    );
    assert_eq!(Rules::new(BUILTIN, vec![user, project]).active().count(), 0);
}

proptest! {
    /// A layer that is not trusted never lowers a mode, never changes the profile.
    #[test]
    fn distrust_never_loosens(below in layers_any(), mut more in layers_any()) {
        for layer in &mut more {
            layer.distrust();
        }
        let before = Rules::new(BUILTIN, below.clone());
        let after = Rules::new(BUILTIN, [below, more].concat());
        prop_assert_eq!(before.profile(), after.profile());
        prop_assert_eq!(before.protect(), after.protect());
        for gate in ["policy", "fault"] {
            prop_assert!(after.mode(gate, MAIN, |_| Mode::Block).value >= before.mode(gate, MAIN, |_| Mode::Block).value);
        }
        for found in before.list() {
            let same = after.list().filter(|other| other.rule == found.rule);
            prop_assert!(same.map(|other| other.on).any(|on| on == found.on));
        }
    }
}
