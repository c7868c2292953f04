//! Every value of the settings: who says it last, and what holds if nobody does.

use model::{Action, Actor, CallEnv, GrantLevel};

use super::*;

fn texts_of(texts: &[&str]) -> List<Text> {
    let texts: Vec<Text> = texts.iter().map(|text| text.to_string().into()).collect();
    texts.into()
}

/// A layer that says nothing.
fn silent(scope: Scope) -> Layer {
    Layer {
        source: source(scope, true),
        ..Layer::default()
    }
}

/// A layer that sets every plain value; what it says differs by `number`.
fn loud(scope: Scope, number: u32) -> Layer {
    let text = |what: &str| Text::from(format!("{what}{number}"));
    let one = |what: &str| texts_of(&[&format!("{what}{number}")]);
    Layer {
        profile: Some(Profile::Coach),
        skip_tools: Some(one("tool")),
        settings: vec![
            settings::undo::ALLOW.set_to(number == 1),
            settings::approvals::MINUTES.set_to(number),
            settings::approvals::WEBHOOK.set_to(text("https://")),
            settings::hydration::DIR.set_to(text("/dir")),
            settings::hydration::SKIP.set_to(one("skip")),
            settings::compliance::AFTER.set_to(100 + number),
            settings::memory::USER.set_to(text("/user")),
            settings::memory::PROJECT.set_to(text("/project")),
        ]
        .into(),
        ..silent(scope)
    }
}

/// Everything that is set, in words, with whom it is from.
fn said(rules: &Rules) -> Vec<String> {
    fn shown<T: std::fmt::Debug>(value: &Sourced<T>) -> String {
        format!("{:?} ({})", value.value, value.source.scope.name())
    }
    vec![
        shown(&rules.profile()),
        shown(&rules.skip_tools()),
        shown(&rules.setting(&settings::undo::ALLOW)),
        shown(&rules.setting(&settings::approvals::MINUTES)),
        shown(&rules.setting(&settings::approvals::WEBHOOK)),
        shown(&rules.setting(&settings::hydration::DIR)),
        shown(&rules.setting(&settings::hydration::SKIP)),
        shown(&rules.setting(&settings::compliance::AFTER)),
        shown(&rules.setting(&settings::memory::USER)),
        shown(&rules.setting(&settings::memory::PROJECT)),
    ]
}

fn loudly(number: u32, scope: &str) -> Vec<String> {
    let shown = |value: String| format!("{value} ({scope})");
    [
        "Coach".to_owned(),
        format!("[\"tool{number}\"]"),
        (number == 1).to_string(),
        number.to_string(),
        format!("\"https://{number}\""),
        format!("\"/dir{number}\""),
        format!("[\"skip{number}\"]"),
        (100 + number).to_string(),
        format!("\"/user{number}\""),
        format!("\"/project{number}\""),
    ]
    .map(shown)
    .to_vec()
}

#[test]
fn what_nobody_sets_is_built_in() {
    let expected = [
        "Guard",
        "[\"search\", \"todo\", \"question\", \"plan_enter\", \"harmless\"]",
        "false",
        "30",
        "\"\"",
        "\"\"",
        "[\"/\", \".\"]",
        "7",
        "\"\"",
        "\"\"",
    ];
    let expected = expected.map(|value| format!("{value} (built in)"));
    assert_eq!(said(&Rules::new(&[], vec![])), expected);
    assert!(Rules::new(&[], vec![]).profile().source.trusted);
    let none = vec![silent(Scope::System), silent(Scope::User)];
    assert_eq!(said(&Rules::new(&[], none)), expected);
}

#[test]
fn a_toggle_that_nobody_sets_is_as_its_table_says() {
    let rules = Rules::new(&[], vec![]);
    assert!(rules.setting(&settings::approvals::DESKTOP).value);
    assert!(!rules.setting(&settings::undo::ALLOW).value);
}

#[test]
fn the_topmost_that_says_it_is_heard() {
    let system = || loud(Scope::System, 1);
    let of = |layers| said(&Rules::new(&[], layers));
    assert_eq!(of(vec![system(), silent(Scope::User)]), loudly(1, "system"));
    assert_eq!(of(vec![system(), loud(Scope::User, 2)]), loudly(2, "user"));
    let mut stranger = loud(Scope::Project, 3);
    stranger.source.trusted = false;
    assert_eq!(of(vec![system(), stranger]), loudly(1, "system"));
    let layers = vec![system(), silent(Scope::User)];
    assert_eq!(Rules::new(&[], layers.clone()).layers(), layers);
}

#[test]
fn a_knob_is_of_one_host_and_one_name() {
    let knob = |host: &str, key: &str, on| HostSwitch {
        host: host.to_owned().into(),
        key: key.to_owned().into(),
        on,
    };
    let layer = |scope, knobs: Vec<HostSwitch>| Layer {
        hosts: knobs.into(),
        ..silent(scope)
    };
    let system = layer(
        Scope::System,
        vec![knob("a", "ask", true), knob("b", "ask", true)],
    );
    let user = layer(
        Scope::User,
        vec![
            knob("a", "ask", true),
            knob("a", "ask", false),
            knob("a", "other", true),
        ],
    );
    let rules = Rules::new(&[], vec![system, user]);
    for (host, key, expected) in [
        ("a", "ask", Some(false)),
        ("a", "other", Some(true)),
        ("b", "ask", Some(true)),
        ("b", "other", None),
        ("c", "ask", None),
    ] {
        assert_eq!(rules.host_switch(host, key), expected, "{host} {key}");
    }
}

/// A gate that is off but where prompts must be grounded.
fn disciplined(profile: Profile) -> Mode {
    match profile {
        Profile::Discipline => Mode::Block,
        Profile::Coach => Mode::Warn,
        Profile::Observe | Profile::Guard => Mode::Off,
    }
}

#[test]
fn a_profile_says_what_nobody_set() {
    let with = |profile, modes: Vec<ModeSwitch>| {
        let layer = Layer {
            profile: Some(profile),
            modes: modes.into(),
            ..silent(Scope::User)
        };
        let rules = Rules::new(&[], vec![layer]);
        let mode = rules.mode("policy", &[Surface::Main], disciplined);
        (mode.value, mode.source.scope)
    };
    let set = || ModeSwitch {
        gate: "policy".into(),
        surface: None,
        mode: Mode::Warn,
    };
    let (built_in, user) = (Scope::BuiltIn, Scope::User);
    assert_eq!(with(Profile::Guard, vec![]), (Mode::Off, built_in));
    assert_eq!(with(Profile::Coach, vec![]), (Mode::Warn, user));
    assert_eq!(with(Profile::Discipline, vec![]), (Mode::Block, user));
    assert_eq!(with(Profile::Discipline, vec![set()]), (Mode::Warn, user));
    assert_eq!(with(Profile::Observe, vec![]), (Mode::Off, user));
    assert_eq!(with(Profile::Observe, vec![set()]), (Mode::Off, user));
}

#[test]
fn a_mode_is_of_its_gate_and_of_the_most_telling_surface() {
    let switch = |gate: &str, surface, mode| ModeSwitch {
        gate: gate.to_owned().into(),
        surface,
        mode,
    };
    let modes = vec![
        switch("policy", Some(Surface::Main), Mode::Block),
        switch("policy", Some(Surface::Main), Mode::Warn),
        switch("policy", Some(Surface::Subagent), Mode::Block),
        switch("fault", Some(Surface::Unattended), Mode::Warn),
    ];
    let user = Layer {
        modes: modes.into(),
        ..silent(Scope::User)
    };
    let rules = Rules::new(&[], vec![user]);
    for (gate, surfaces, expected) in [
        ("policy", vec![Surface::Main], Mode::Warn),
        (
            "policy",
            vec![Surface::Subagent, Surface::Main],
            Mode::Block,
        ),
        (
            "policy",
            vec![Surface::Unattended, Surface::Main],
            Mode::Warn,
        ),
        ("policy", vec![Surface::Unattended], Mode::Off),
        ("fault", vec![Surface::Unattended], Mode::Warn),
        ("fault", vec![Surface::Main], Mode::Off),
        ("other", vec![Surface::Main], Mode::Off),
    ] {
        let found = rules.mode(gate, &surfaces, |_| Mode::Off).value;
        assert_eq!(found, expected, "{gate} {surfaces:?}");
    }
}

#[test]
fn a_stranger_that_raises_nothing_is_not_named() {
    let with = |mode| {
        let layer = |scope, mode| Layer {
            modes: vec![ModeSwitch {
                gate: "policy".into(),
                surface: None,
                mode,
            }]
            .into(),
            ..silent(scope)
        };
        let mut project = layer(Scope::Project, mode);
        project.source.trusted = false;
        let rules = Rules::new(&[], vec![layer(Scope::User, Mode::Warn), project]);
        let found = rules.mode("policy", &[Surface::Main], |_| Mode::Off);
        (found.value, found.source.scope)
    };
    assert_eq!(with(Mode::Off), (Mode::Warn, Scope::User));
    assert_eq!(with(Mode::Warn), (Mode::Warn, Scope::User));
    assert_eq!(with(Mode::Block), (Mode::Block, Scope::Project));
}

/// Compiled in for these tests.
static BUILTIN: &[Pack] = &[Pack {
    id: Text::Borrowed("base"),
    summary: Text::Borrowed("Base."),
    on: false,
    file: Text::Borrowed(""),
    rules: List::Borrowed(&[]),
}];

fn about(verbs: &[Verb]) -> When {
    When {
        verbs: verbs.to_vec().into(),
        ..When::default()
    }
}

#[test]
fn rules_are_asked_from_those_one_trusts_to_those_of_strangers() {
    let with_rule = |scope, id: &str, verbs: &[Verb]| Layer {
        packs: vec![pack(id, vec![rule(&format!("{id}.r"), about(verbs))])].into(),
        ..silent(scope)
    };
    let mut project = with_rule(Scope::Project, "p", &[]);
    project.distrust();
    let user = with_rule(Scope::User, "u", &[Verb::Delete]);
    let system = with_rule(Scope::System, "s", &[Verb::Write, Verb::Move]);
    let rules = Rules::new(BUILTIN, vec![project, system, user]);
    let all: Vec<_> = rules
        .list()
        .map(|found| (&*found.rule.id, found.trusted))
        .collect();
    assert_eq!(all, [("s.r", true), ("u.r", true), ("project:p.r", false)]);
    let about = |verb| -> Vec<&str> {
        rules
            .active_about(verb)
            .map(|found| &*found.rule.id)
            .collect()
    };
    assert_eq!(about(Verb::Delete), ["u.r", "project:p.r"]);
    assert_eq!(about(Verb::Move), ["s.r", "project:p.r"]);
    assert_eq!(about(Verb::Read), ["project:p.r"]);
    let packs: Vec<_> = rules.packs().map(|(pack, on)| (&*pack.id, on)).collect();
    let expected = [
        ("base", false),
        ("project:p", true),
        ("s", true),
        ("u", true),
    ];
    assert_eq!(packs, expected);
}

#[test]
fn what_is_off_is_listed_and_not_asked() {
    let off = Layer {
        packs: vec![Pack {
            on: false,
            ..pack("p", vec![rule("p.a", When::default())])
        }]
        .into(),
        ..silent(Scope::User)
    };
    let rules = Rules::new(&[], vec![off.clone()]);
    assert_eq!((rules.list().count(), rules.active().count()), (1, 0));
    assert_eq!(rules.active_about(Verb::Write).count(), 0);
    assert!(rules.find("policy/p.a").is_some_and(|found| !found.on));
    assert!(rules.find("p.a").is_some() && rules.find("p.b").is_none());
    let switch = |id: &str, on| Switch {
        id: id.to_owned().into(),
        on,
    };
    // What is said last in one file counts, and the topmost file before that.
    for (below, above, expected) in [
        (vec![], vec![switch("p", true)], true),
        (vec![], vec![switch("p", true), switch("p", false)], false),
        (vec![switch("p", true)], vec![switch("q", false)], true),
        (vec![switch("p", true)], vec![switch("p", false)], false),
        (vec![], vec![switch("project", true)], false),
    ] {
        let system = Layer {
            switches: below.into(),
            ..silent(Scope::System)
        };
        let user = Layer {
            switches: above.into(),
            ..off.clone()
        };
        let rules = Rules::new(&[], vec![system, user]);
        assert_eq!(rules.active().count() == 1, expected);
    }
}

#[test]
fn a_strangers_pack_is_switched_by_its_own_id_before_all_of_them() {
    let mut project = Layer {
        packs: vec![pack("p", vec![]), pack("q", vec![])].into(),
        ..silent(Scope::Project)
    };
    project.distrust();
    let switch = |id: &str, on| Switch {
        id: id.to_owned().into(),
        on,
    };
    let user = Layer {
        switches: vec![switch("project:q", true), switch("project", false)].into(),
        ..silent(Scope::User)
    };
    let rules = Rules::new(&[], vec![user, project]);
    let packs: Vec<_> = rules.packs().map(|(pack, on)| (&*pack.id, on)).collect();
    assert_eq!(packs, [("project:p", false), ("project:q", true)]);
}

#[test]
fn an_id_that_is_there_three_times_clashes_once() {
    let ids = ["a", "b", "a", "c", "b", "a"];
    let user = Layer {
        packs: ids.map(|id| pack(id, vec![])).to_vec().into(),
        ..silent(Scope::User)
    };
    assert_eq!(Rules::new(BUILTIN, vec![user]).clashes(), ["a", "b"]);
}

#[test]
fn what_is_protected_may_be_read_and_not_changed() {
    let layer = |scope, glob: &str| Layer {
        protect: texts_of(&[glob]),
        ..silent(scope)
    };
    let mut project = layer(Scope::Project, "c.txt");
    project.source.trusted = false;
    let layers = vec![
        layer(Scope::System, "a.txt"),
        layer(Scope::User, "b.txt"),
        project,
    ];
    let rules = Rules::new(&[], layers);
    let judged = |verb, name: &str| {
        let action = Action::new(verb, ResourceKind::File, ["/p/", name].concat());
        rules.protect().unwrap().judge(&Subject {
            action: &action,
            place: &CallEnv::default(),
            tool: "write",
            actor: &Actor::Main,
        })
    };
    for verb in [Verb::Write, Verb::Delete, Verb::Move, Verb::Reown] {
        assert_eq!(judged(verb, "a.txt"), Level::Deny, "{verb:?}");
        assert_eq!(judged(verb, "b.txt"), Level::Deny, "{verb:?}");
        assert_eq!(judged(verb, "c.txt"), Level::Allow, "{verb:?}");
    }
    assert_eq!(judged(Verb::Read, "a.txt"), Level::Allow);
    assert_eq!(Rules::new(&[], vec![silent(Scope::User)]).protect(), None);
}

#[test]
fn a_refusal_is_overridden_in_a_terminal_at_least() {
    use GrantLevel::{Key, Prompt, Sudo, Terminal};
    for (grant, asked, denied) in [
        (None, Prompt, Terminal),
        (Some(Prompt), Prompt, Terminal),
        (Some(Terminal), Terminal, Terminal),
        (Some(Key), Key, Key),
        (Some(Sudo), Sudo, Sudo),
    ] {
        let rule = Rule {
            grant,
            ..rule("p.r", When::default())
        };
        assert_eq!(rule.override_level(Level::Ask), asked, "{grant:?}");
        assert_eq!(rule.override_level(Level::Deny), denied, "{grant:?}");
    }
}

fn modes_of(gate: &'static str) -> List<ModeSwitch> {
    vec![ModeSwitch {
        gate: gate.into(),
        surface: None,
        mode: Mode::Block,
    }]
    .into()
}

fn a_switch() -> List<Switch> {
    vec![Switch {
        id: "p".into(),
        on: true,
    }]
    .into()
}

fn a_knob() -> List<HostSwitch> {
    vec![HostSwitch {
        host: "h".into(),
        key: "ask".into(),
        on: true,
    }]
    .into()
}

fn set(layer: &mut Layer, setting: settings::Setting) {
    layer.settings = vec![setting].into();
}

/// Something that a layer may say, and under what key a stranger is told that it is ignored.
type Said = (fn(&mut Layer), Option<&'static str>);

const SAID: &[Said] = &[
    (|_| {}, None),
    (|layer| layer.modes = modes_of("policy"), None),
    (|layer| layer.packs = vec![pack("p", vec![])].into(), None),
    (
        |layer| layer.modes = modes_of("fault"),
        Some("gates (other than policy)"),
    ),
    (
        |layer| layer.profile = Some(Profile::Coach),
        Some("profile"),
    ),
    (
        |layer| layer.skip_tools = Some(texts_of(&[])),
        Some("skip_tools"),
    ),
    (|layer| layer.protect = texts_of(&["x"]), Some("protect")),
    (|layer| layer.switches = a_switch(), Some("packs")),
    (|layer| layer.hosts = a_knob(), Some("hosts")),
    (
        |layer| set(layer, settings::undo::ALLOW.set_to(false)),
        Some("undo"),
    ),
    (
        |layer| set(layer, settings::approvals::MINUTES.set_to(1)),
        Some("approvals"),
    ),
    (
        |layer| set(layer, settings::approvals::WEBHOOK.set_to("x".into())),
        Some("approvals"),
    ),
    (
        |layer| set(layer, settings::hydration::DIR.set_to("x".into())),
        Some("hydration"),
    ),
    (
        |layer| set(layer, settings::hydration::SKIP.set_to(texts_of(&[]))),
        Some("hydration"),
    ),
    (
        |layer| set(layer, settings::compliance::AFTER.set_to(1)),
        Some("compliance"),
    ),
    (
        |layer| set(layer, settings::memory::USER.set_to("x".into())),
        Some("memory"),
    ),
    (
        |layer| set(layer, settings::memory::PROJECT.set_to("x".into())),
        Some("memory"),
    ),
];

#[test]
fn each_thing_that_a_stranger_may_not_say_is_told() {
    let project = "the project is not trusted (tollgate trust)";
    let hardened = "in a hardened install only root's settings may loosen";
    for (say, key) in SAID {
        for (scope, why) in [(Scope::Project, project), (Scope::User, hardened)] {
            let mut layer = silent(scope);
            say(&mut layer);
            let told = |key| format!("config.toml: `{key}` is ignored: {why}");
            let expected: Vec<String> = key.map(told).into_iter().collect();
            assert_eq!(layer.distrust(), expected);
            assert!(!layer.source.trusted);
        }
    }
}
