//! Every key of a pack: what is read of it, and what is refused.

use model::{Certainty, Flag, GrantLevel};

use super::*;

const HEAD: &str = "id = \"db\"\nsummary = \"Databases.\"\n";
const RULE: &str = "[[rule]]\nid = \"drop\"\nlevel = \"deny\"\nreason = \"it drops\"\n";

fn texts_of(texts: &[&str]) -> List<Text> {
    let texts: Vec<Text> = texts.iter().map(|text| text.to_string().into()).collect();
    texts.into()
}

/// The first rule of a pack with these lines in it and these conditions.
fn read_rule(lines: &str, conditions: &str) -> Rule {
    let text = format!("{HEAD}{RULE}{lines}\n[rule.when]\n{conditions}\n");
    let source = read_pack(&text, "db.toml").unwrap();
    source.pack.rules[0].clone()
}

/// A condition, a value of it, and what it sets.
type Set = (&'static str, &'static str, fn(&mut When));

/// Every condition.
const SETS: &[Set] = &[
    ("verb", "\"move\"", |when| {
        when.verbs = vec![Verb::Move].into()
    }),
    ("kind", "\"git\"", |when| {
        when.kinds = vec![ResourceKind::Git].into()
    }),
    ("zone", "\"system\"", |when| {
        when.zones = vec![Zone::System].into()
    }),
    ("not_zone", "\"system\"", |when| {
        when.not_zones = vec![Zone::System].into()
    }),
    ("name", "\"a\"", |when| when.names = texts_of(&["a"])),
    ("not_name", "[\"a\", \"b\"]", |when| {
        when.not_names = texts_of(&["a", "b"])
    }),
    ("program", "\"a\"", |when| when.programs = texts_of(&["a"])),
    ("not_program", "\"a\"", |when| {
        when.not_programs = texts_of(&["a"])
    }),
    ("args", "\"a\"", |when| when.args = texts_of(&["a"])),
    ("flags", "[\"force\", \"dry_run\"]", |when| {
        when.flags = Flags::NONE.with(Flag::Force).with(Flag::DryRun);
    }),
    ("not_flags", "\"force\"", |when| {
        when.not_flags = Flags::NONE.with(Flag::Force)
    }),
    ("loss", "\"some\"", |when| when.loss = true),
    ("certainty_at_most", "\"guessed\"", |when| {
        when.certainty_at_most = Some(Certainty::Guessed);
    }),
    ("branch", "\"a\"", |when| when.branches = texts_of(&["a"])),
    ("tool", "[\"read\"]", |when| {
        when.tools = texts_of(&["read"])
    }),
    ("actor", "\"sub\"", |when| when.actor = Some(ActorKind::Sub)),
    ("via", "\"ssh\"", |when| when.via = texts_of(&["ssh"])),
];

#[test]
fn every_condition_sets_what_it_names_and_nothing_else() {
    let names: Vec<&str> = SETS.iter().map(|(name, ..)| *name).collect();
    assert_eq!(condition_names().collect::<Vec<_>>(), names);
    for (name, value, set) in SETS {
        let mut expected = When::default();
        set(&mut expected);
        let rule = read_rule("", &format!("{name} = {value}"));
        assert_eq!(rule.when, expected, "{name}");
    }
}

#[test]
fn a_rule_is_read_whole() {
    let lines = "alternative = \"Do less.\"\ncovers = [\"S1\", \"S2\"]\nunknown = \"deny\"\n\
                 grant = \"key\"";
    let expected = Rule {
        id: "db.drop".into(),
        level: Level::Deny,
        reason: "it drops".into(),
        alternative: "Do less.".into(),
        covers: texts_of(&["S1", "S2"]),
        unknown: Level::Deny,
        grant: Some(GrantLevel::Key),
        when: When {
            verbs: vec![Verb::Write].into(),
            ..When::default()
        },
        line: 3,
    };
    assert_eq!(read_rule(lines, "verb = \"write\""), expected);
}

#[test]
fn what_cannot_be_taken_back_is_asked_about_where_it_is_not_known() {
    for (_, verb) in Verb::NAMES {
        let name = Verb::NAMES
            .iter()
            .find(|(_, known)| known == verb)
            .unwrap()
            .0;
        let rule = read_rule("", &format!("verb = [\"read\", {name:?}]"));
        let asks = IRREVERSIBLE.contains(verb);
        let expected = if asks { Level::Ask } else { Level::Allow };
        assert_eq!(rule.unknown, expected, "{name}");
        let said = read_rule("unknown = \"allow\"", &format!("verb = {name:?}"));
        assert_eq!(said.unknown, Level::Allow, "{name}");
    }
}

#[test]
fn a_pack_is_on_unless_it_says_otherwise() {
    for (line, on) in [("", true), ("on = true\n", true), ("on = false\n", false)] {
        let text = format!("{HEAD}{line}");
        let PackSource { pack, examples } = read_pack(&text, "db.toml").unwrap();
        let expected = Pack {
            id: "db".into(),
            summary: "Databases.".into(),
            on,
            file: "db.toml".into(),
            rules: List::default(),
        };
        assert_eq!((pack, examples), (expected, vec![]));
    }
}

#[test]
fn an_example_is_a_call_in_a_world() {
    let lines = "match = [\n{ call = \"a\" },\n{ write = \"b\", world = \"dirty\" },\n\
                 { edit = \"c\", actor = \"sub\" },\n]\nnot_match = [{ read = \"d\" }, \
                 { fetch = \"e\" }]";
    let text = format!("{HEAD}{RULE}{lines}\n[rule.when]\nkind = \"db\"\n");
    let found = read_pack(&text, "db.toml").unwrap().examples;
    let example = |call, line, matches| Example {
        rule: "db.drop".into(),
        call,
        world: "clean".into(),
        actor: ActorKind::Main,
        matches,
        line,
    };
    let expected = [
        example(ExampleCall::Shell("a".into()), 8, true),
        Example {
            world: "dirty".into(),
            ..example(ExampleCall::Write("b".into()), 9, true)
        },
        Example {
            actor: ActorKind::Sub,
            ..example(ExampleCall::Edit("c".into()), 10, true)
        },
        example(ExampleCall::Read("d".into()), 12, false),
        example(ExampleCall::Fetch("e".into()), 12, false),
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_a_rule_lacks_is_told() {
    let complete = [
        "id = \"x\"",
        "level = \"ask\"",
        "reason = \"y\"",
        "when = { kind = \"db\" }",
    ];
    let of = |lines: &[&str]| {
        let text = format!("{HEAD}[[rule]]\n{}\n", lines.join("\n"));
        read_pack(&text, "db.toml")
    };
    assert!(of(&complete).is_ok());
    for (at, name) in ["id", "level", "reason", "conditions"].iter().enumerate() {
        let mut lines = complete.to_vec();
        lines.remove(at);
        let found = of(&lines).unwrap_err();
        assert_eq!((only(&found).line, only(&found).column), (3, 1), "{found}");
        assert_eq!(only(&found).what, format!("the rule has no {name}"));
        assert!(!only(&found).help.is_empty());
    }
}

#[test]
fn an_id_is_plain() {
    for (id, is_good) in [
        ("a", true),
        ("a-b_c9", true),
        ("9", true),
        ("", false),
        ("A", false),
        ("a b", false),
        ("a.b", false),
        ("ä", false),
    ] {
        let found = read_pack(&format!("id = {id:?}\n"), "x");
        assert_eq!(found.is_ok(), is_good, "{id}");
    }
}

#[test]
fn a_text_is_one_short_line_with_known_placeholders() {
    for (text, is_good) in [
        ("x".repeat(200), true),
        ("x".repeat(201), false),
        ("ä".repeat(200), true),
        ("a {target} and {loss}".to_owned(), true),
        ("a {target} and {lost}".to_owned(), false),
        ("a {target".to_owned(), true),
        ("a {} b".to_owned(), false),
        ("a } b".to_owned(), true),
        ("a\\tb".to_owned(), false),
    ] {
        let found = read_pack(&format!("id = \"x\"\nsummary = \"{text}\"\n"), "x");
        assert_eq!(found.is_ok(), is_good, "{text}");
    }
}

#[test]
fn a_key_of_the_wrong_kind_is_told() {
    for (text, words) in [
        ("on = 1", "expected true or false, found integer"),
        ("rule = 1", "expected an array, found integer"),
        ("rule = [1]", "expected a table, found integer"),
        ("[[rule]]\nmatch = 1", "expected an array, found integer"),
        (
            "[[rule]]\nmatch = [{ cal = \"x\" }]",
            "unknown key \"cal\"; did you mean \"call\"?",
        ),
        (
            "[[rule]]\nlevel = \"allow\"",
            "unknown level \"allow\"; it is one of: ask, deny",
        ),
        ("[[rule]]\ngrant = \"root\"", "unknown grant level \"root\""),
        (
            "[[rule]]\nwhen = { loss = \"none\" }",
            "unknown loss \"none\"",
        ),
        (
            "[[rule]]\nwhen = { flags = \"forced\" }",
            "unknown flag \"forced\"",
        ),
        (
            "[[rule]]\nwhen = { actor = \"man\" }",
            "unknown actor \"man\"; did you mean \"main\"?",
        ),
    ] {
        let found = read_pack(text, "x").unwrap_err();
        assert!(found.to_string().contains(words), "{found}");
    }
}

#[test]
fn the_template_is_a_pack_to_start_from() {
    let source = read_pack(&template("mine"), "mine.toml").unwrap();
    assert_eq!(source.pack.id, "mine");
    let ids: Vec<&str> = source.pack.rules.iter().map(|rule| &*rule.id).collect();
    assert_eq!(ids, ["mine.generated"]);
    let matched = source
        .examples
        .iter()
        .filter(|example| example.matches)
        .count();
    assert_eq!((matched, source.examples.len()), (2, 4));
}
