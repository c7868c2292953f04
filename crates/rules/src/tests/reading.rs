//! Reading: what is understood, and how mistakes are told.

use super::*;

const HEAD: &str = "id = \"db\"\nsummary = \"Databases.\"\n";

const RULE: &str = "[[rule]]\nid = \"drop\"\nlevel = \"ask\"\nreason = \"it drops {target}\"\n";

const WORDS: Vocabulary<'static> = Vocabulary {
    gates: &[("policy", Mode::Block), ("fault", Mode::Block)],
    hosts: &["some-host"],
    packs: &[("git", "Git.", true), ("deploy", "Deploys.", false)],
};

#[test]
fn a_pack_is_read() {
    let text = format!(
        "{HEAD}{RULE}covers = [\"S2.9\"]\nmatch = [{{ call = \"x\", world = \"dirty\" }}]\n\
         not_match = [{{ write = \"y\", actor = \"sub\" }}]\n\
         [rule.when]\nverb = [\"destroy\", \"delete\"]\nkind = \"db\"\nflags = [\"force\"]\n\
         loss = \"some\"\ncertainty_at_most = \"derived\"\nname = \"prod*\"\n"
    );
    let source = read_pack(&text, "db.toml").unwrap();
    let rule = &source.pack.rules[0];
    assert_eq!(rule.id, "db.drop");
    assert_eq!(rule.unknown, Level::Ask, "destroying cannot be taken back");
    assert_eq!(rule.line, 3);
    assert_eq!(rule.when.verbs.as_ref(), [Verb::Destroy, Verb::Delete]);
    assert_eq!(rule.when.names.as_ref(), ["prod*"]);
    assert!(rule.when.loss && rule.when.flags.has(model::Flag::Force));
    let [first, second] = &source.examples[..] else {
        panic!("two examples: {:?}", source.examples);
    };
    assert_eq!(first.call, ExampleCall::Shell("x".into()));
    assert_eq!(
        (first.world.as_ref(), first.matches, first.line),
        ("dirty", true, 8)
    );
    assert_eq!(second.call, ExampleCall::Write("y".into()));
    assert_eq!((second.actor, second.matches), (ActorKind::Sub, false));
}

/// Checks that a text is refused at a place, with these words.
fn refused(text: &str, place: (usize, usize), words: &str) {
    let found = read_pack(text, "db.toml").unwrap_err();
    assert_eq!((only(&found).line, only(&found).column), place, "{found}");
    assert!(found.to_string().contains(words), "{found}");
}

#[test]
fn mistakes_in_packs_are_told_with_their_place() {
    let with = |tail: &str| format!("{HEAD}{RULE}{tail}");
    let long = format!("{HEAD}[[rule]]\nreason = \"{}\"\n", "x".repeat(201));
    for (text, place, words) in [
        (
            with("[rule.when]\nverb = \"drop\"\n"),
            (8, 8),
            "unknown verb \"drop\"; it is one of: read, write",
        ),
        (
            with("[rule.when]\nverb = \"delte\"\n"),
            (8, 8),
            "unknown verb \"delte\"; did you mean \"delete\"?",
        ),
        (
            with("[rule.when]\ntool = [\"shell\", \"reed\"]\n"),
            (8, 18),
            "unknown tool \"reed\"; did you mean \"read\"?",
        ),
        (
            with("[rule.when]\nverbs = \"delete\"\n"),
            (8, 1),
            "unknown key \"verbs\"; did you mean \"verb\"?",
        ),
        (
            with("[rule.when]\nverb = 3\n"),
            (8, 8),
            "expected a string, found integer",
        ),
        (with(""), (3, 1), "the rule has no conditions"),
        (
            with("match = [{ world = \"x\" }]\n[rule.when]\nkind = \"db\"\n"),
            (7, 10),
            "no call",
        ),
        ("summary = \"x\"\n".to_owned(), (1, 1), "the pack has no id"),
        ("id = \"A b\"\n".to_owned(), (1, 6), "cannot be an id"),
        ("id = \n".to_owned(), (1, 6), "not valid TOML"),
        (long, (4, 10), "201 characters; at most 200"),
        (
            format!("{HEAD}[[rule]]\nreason = \"{{targt}}\"\n"),
            (4, 10),
            "unknown placeholder {targt}; did you mean \"target\"?",
        ),
        (
            format!("{HEAD}[[rule]]\nreason = \"a\\nb\"\n"),
            (4, 10),
            "on one line",
        ),
        (
            format!("{HEAD}[[rule]]\nid = \"x\"\n"),
            (3, 1),
            "the rule has no level",
        ),
    ] {
        refused(&text, place, words);
    }
}

#[test]
fn a_rule_cannot_be_there_twice() {
    let one = format!("{RULE}[rule.when]\nkind = \"db\"\n");
    refused(&format!("{HEAD}{one}{one}"), (9, 1), "there twice");
}

#[test]
fn all_mistakes_are_told_at_once() {
    let bad = "[[rule]]\nid = \"a b\"\nlevel = \"maybe\"\nreson = \"x\"\n[rule.when]\nverb = \"drop\"\n\
               kind = \"nothing\"\n";
    let found = read_pack(&format!("{HEAD}{bad}{bad}"), "db.toml").unwrap_err();
    let lines: Vec<usize> = found.iter().map(|mistake| mistake.line).collect();
    assert_eq!(lines, [4, 5, 6, 8, 9, 11, 12, 13, 15, 16], "{found}");
    let unfinished = "[[rule]]\nid = \"one\"\n[[rule]]\nid = \"two\"\nlevel = \"ask\"\n";
    let found = read_pack(&format!("{HEAD}{unfinished}"), "db.toml").unwrap_err();
    let told: Vec<&str> = found.iter().map(|mistake| mistake.what.as_str()).collect();
    assert_eq!(told, ["the rule has no level", "the rule has no reason"]);
    let settings = "profil = 1\nprotect = 2\n[gates]\nfault = \"on\"\n[undo]\nallow = 3\n";
    let found = read_config(settings, "config.toml", &WORDS).unwrap_err();
    let lines: Vec<usize> = found.iter().map(|mistake| mistake.line).collect();
    assert_eq!(lines, [1, 2, 4, 6], "{found}");
}

#[test]
fn a_condition_that_no_call_meets_is_a_mistake() {
    let found = |when: &str| {
        let text = format!("{HEAD}{RULE}[rule.when]\n{when}\n");
        read_pack(&text, "db.toml")
            .err()
            .map(|found| found.to_string())
    };
    for when in [
        "program = \"docker compose down\"",
        "kind = \"file\"\nzone = \"home\"\nnot_zone = [\"home\", \"temp\"]",
        "kind = \"file\"\nname = \"a\"\nnot_name = \"a\"",
        "program = \"rm\"\nnot_program = [\"rm\"]",
        "kind = \"file\"\nflags = \"secret\"\nnot_flags = [\"secret\"]",
    ] {
        let told = found(when).unwrap_or_default();
        assert!(told.contains("the rule would never hold"), "{when}: {told}");
    }
    for when in [
        "program = \"docker compose\"\nargs = \"down\"",
        "kind = \"file\"\nzone = [\"home\", \"project\"]\nnot_zone = \"home\"",
    ] {
        assert_eq!(found(when), None, "{when}");
    }
}

#[test]
fn the_words_of_a_failure_name_file_line_and_mistake() {
    let text = format!("{HEAD}{RULE}[rule.when]\nverb = \"drop\"\n");
    let found = read_pack(&text, ".tollgate/packs/db.toml").unwrap_err();
    assert_eq!(
        only(&found).as_fault(),
        "rules in .tollgate/packs/db.toml could not be loaded (line 8: unknown verb \"drop\")"
    );
}

#[test]
fn several_mistakes_stand_on_lines_of_their_own() {
    let text = "profil = 1\ngate = 2\n";
    let found = read_config(text, "config.toml", &WORDS).unwrap_err();
    let told: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2);
    assert_eq!(found.to_string(), told.join("\n"));
}

#[test]
fn a_text_that_is_no_toml_is_told_with_its_place() {
    let told = toml_mistake("a = 1\nb = = 2\n", "mine.toml").unwrap();
    assert!(told.to_string().starts_with("mine.toml:2:"), "{told}");
    assert_eq!(toml_mistake("a = 1\n", "mine.toml"), None);
}

#[test]
fn settings_are_read() {
    let text = "profile = \"observe\"\nskip_tools = [\"read\"]\nprotect = [\"review/**\"]\n\
        [gates]\nfault = \"warn\"\npolicy = { main = \"off\", subagent = \"block\" }\n\
        [packs]\noff = [\"git\"]\non = [\"deploy\"]\n[hosts.some-host]\nask = false\n";
    let layer = read_config(text, "config.toml", &WORDS).unwrap();
    assert_eq!(layer.profile, Some(Profile::Observe));
    assert_eq!(layer.protect.as_ref(), ["review/**"]);
    let modes: Vec<_> = layer
        .modes
        .iter()
        .map(|m| (&*m.gate, m.surface, m.mode))
        .collect();
    assert_eq!(
        modes,
        [
            ("fault", None, Mode::Warn),
            ("policy", Some(Surface::Main), Mode::Off),
            ("policy", Some(Surface::Subagent), Mode::Block),
        ]
    );
    let switches: Vec<_> = layer.switches.iter().map(|s| (&*s.id, s.on)).collect();
    assert_eq!(switches, [("git", false), ("deploy", true)]);
    assert!(!layer.hosts[0].on);
}

#[test]
fn mistakes_in_settings_are_told() {
    for (text, place, words) in [
        (
            "profil = \"x\"\n",
            (1, 1),
            "unknown setting \"profil\"; did you mean \"profile\"?",
        ),
        (
            "skip_tools = [\"Read\"]\n",
            (1, 15),
            "did you mean \"read\"?",
        ),
        ("profile = \"gard\"\n", (1, 11), "did you mean \"guard\"?"),
        (
            "[gates]\npolcy = \"off\"\n",
            (2, 1),
            "did you mean \"policy\"?",
        ),
        (
            "[gates]\npolicy = { sub = \"off\" }\n",
            (2, 12),
            "unknown surface",
        ),
        ("[packs]\nof = []\n", (2, 1), "did you mean \"off\"?"),
        ("[hosts.x]\nask = true\n", (1, 8), "unknown host \"x\""),
    ] {
        let found = read_config(text, "config.toml", &WORDS).unwrap_err();
        assert_eq!((only(&found).line, only(&found).column), place, "{found}");
        assert!(found.to_string().contains(words), "{found}");
    }
}

#[test]
fn the_reference_says_what_holds_anyway() {
    let text = reference(&WORDS);
    let layer = read_config(&text, "reference", &WORDS).unwrap();
    let with = Rules::new(
        &[],
        vec![Layer {
            source: Source::built_in(),
            ..layer
        }],
    );
    let without = Rules::new(&[], Vec::new());
    assert_eq!(with.profile().value, without.profile().value);
    assert_eq!(with.skip_tools().value, without.skip_tools().value);
    assert_eq!(with.protect(), without.protect());
    assert_eq!(
        with.setting(&settings::hydration::SKIP).value,
        without.setting(&settings::hydration::SKIP).value
    );
    assert_eq!(
        with.setting(&settings::compliance::AFTER).value,
        without.setting(&settings::compliance::AFTER).value
    );
    for (gate, _) in WORDS.gates {
        let surfaces = &[Surface::Main];
        assert_eq!(
            with.mode(gate, surfaces, |_| Mode::Block).value,
            without.mode(gate, surfaces, |_| Mode::Block).value
        );
    }
    for part in [
        "# off deploy: Deploys.",
        "# on  git: Git.",
        "[hosts.some-host]",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[a-z\\[\\]= \"\n#{},.0-9ä]{0,200}") {
        let told = |found: &Mistakes| {
            let mut all = found.iter().peekable();
            let is_there = all.peek().is_some();
            is_there && all.all(|problem| problem.line > 0 && !problem.what.is_empty())
        };
        if let Err(problem) = read_pack(&text, "x") {
            prop_assert!(told(&problem));
        }
        if let Err(problem) = read_config(&text, "x", &WORDS) {
            prop_assert!(told(&problem));
        }
    }

    #[test]
    fn a_spelled_pack_names_every_rule(layers in layers_any()) {
        let packs = layers.iter().flat_map(|layer| layer.packs.iter().cloned());
        let packs: Vec<Pack> = packs.collect();
        let source = rust_source(&packs);
        for rule in packs.iter().flat_map(|pack| pack.rules.iter()) {
            let spelled = format!("{:?}", rule.id);
            prop_assert!(source.contains(&spelled));
        }
    }
}
