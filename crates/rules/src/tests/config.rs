//! Every setting: what is read of it, and what is refused.

use super::*;

const WORDS: Vocabulary<'static> = Vocabulary {
    gates: &[("policy", Mode::Block), ("fault", Mode::Warn)],
    hosts: &["one", "two"],
    packs: &[("git", "Git.", true)],
};

fn read(text: &str) -> Layer {
    read_config(text, "config.toml", &WORDS).unwrap()
}

fn texts_of(texts: &[&str]) -> List<Text> {
    let texts: Vec<Text> = texts.iter().map(|text| text.to_string().into()).collect();
    texts.into()
}

fn said() -> Layer {
    Layer {
        source: Source {
            file: "config.toml".into(),
            ..Source::default()
        },
        ..Layer::default()
    }
}

#[test]
fn nothing_is_read_of_nothing() {
    assert_eq!(read(""), said());
}

#[test]
fn work_items_are_kept_where_somebody_knows() {
    for name in ["tollgate", "beads", "bd"] {
        read(&format!("[work]\nbackend = \"{name}\"\n"));
    }
    let found = read_config("[work]\nbackend = \"jira\"\n", "config.toml", &WORDS);
    let said = found.unwrap_err().to_string();
    assert!(said.contains("there is no backend \"jira\""), "{said}");
}

#[test]
fn every_setting_sets_what_it_names_and_nothing_else() {
    let text = |text: &str| Text::from(text.to_owned());
    let setting = |setting| Layer {
        settings: vec![setting].into(),
        ..said()
    };
    let knob = |host: &str, key: &str, on| HostSwitch {
        host: host.to_owned().into(),
        key: key.to_owned().into(),
        on,
    };
    let mode = |gate: &str, surface, mode| ModeSwitch {
        gate: gate.to_owned().into(),
        surface,
        mode,
    };
    let switch = |id: &str, on| Switch {
        id: id.to_owned().into(),
        on,
    };
    let knobs = vec![
        knob("two", "ask", true),
        knob("two", "x", false),
        knob("one", "x", true),
    ];
    let modes = vec![
        mode("fault", None, Mode::Block),
        mode("policy", Some(Surface::Unattended), Mode::Off),
        mode("policy", Some(Surface::Main), Mode::Warn),
    ];
    let switches = vec![switch("a", true), switch("b", false), switch("c", false)];
    let cases = [
        (
            "profile = \"coach\"",
            Layer {
                profile: Some(Profile::Coach),
                ..said()
            },
        ),
        (
            "skip_tools = [\"read\", \"fetch\"]",
            Layer {
                skip_tools: Some(texts_of(&["read", "fetch"])),
                ..said()
            },
        ),
        (
            "skip_tools = \"read\"",
            Layer {
                skip_tools: Some(texts_of(&["read"])),
                ..said()
            },
        ),
        (
            "skip_tools = []",
            Layer {
                skip_tools: Some(texts_of(&[])),
                ..said()
            },
        ),
        (
            "protect = \"a/**\"",
            Layer {
                protect: texts_of(&["a/**"]),
                ..said()
            },
        ),
        (
            "[gates]\nfault = \"block\"\npolicy = { unattended = \"off\", main = \"warn\" }",
            Layer {
                modes: modes.into(),
                ..said()
            },
        ),
        (
            "[packs]\non = \"a\"\noff = [\"b\", \"c\"]",
            Layer {
                switches: switches.into(),
                ..said()
            },
        ),
        (
            "[approvals]\nminutes = 5",
            setting(settings::approvals::MINUTES.set_to(5)),
        ),
        (
            "[approvals]\nwebhook = \"https://a\"",
            setting(settings::approvals::WEBHOOK.set_to(text("https://a"))),
        ),
        (
            "[undo]\nallow = true",
            setting(settings::undo::ALLOW.set_to(true)),
        ),
        (
            "[undo]\nallow = false",
            setting(settings::undo::ALLOW.set_to(false)),
        ),
        (
            "[hydration]\ndir = \"/d\"",
            setting(settings::hydration::DIR.set_to(text("/d"))),
        ),
        (
            "[hydration]\nskip = [\"!\"]",
            setting(settings::hydration::SKIP.set_to(texts_of(&["!"]))),
        ),
        (
            "[compliance]\nafter = 0x10",
            setting(settings::compliance::AFTER.set_to(16)),
        ),
        (
            "[memory]\nuser = \"~/m\"",
            setting(settings::memory::USER.set_to(text("~/m"))),
        ),
        (
            "[memory]\nproject = \"\"",
            setting(settings::memory::PROJECT.set_to(text(""))),
        ),
        (
            "[hosts.two]\nask = true\nx = false\n[hosts.one]\nx = true",
            Layer {
                hosts: knobs.into(),
                ..said()
            },
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    for (text, words) in [
        ("profile = 3", "3:"),
        ("gates = 3", "expected a table, found integer"),
        ("gates = { policy = 3 }", "expected a table, found integer"),
        (
            "gates = { policy = \"of\" }",
            "unknown mode \"of\"; did you mean \"off\"?",
        ),
        ("skip_tools = [3]", "expected a string, found integer"),
        ("protect = [[]]", "expected a string, found array"),
        ("packs = { on = true }", "expected a string, found boolean"),
        (
            "undo = { allow = \"yes\" }",
            "expected true or false, found string",
        ),
        (
            "undo = { alow = true }",
            "unknown key \"alow\"; did you mean \"allow\"?",
        ),
        (
            "hydration = { dirs = \"/d\" }",
            "unknown key \"dirs\"; did you mean \"dir\"?",
        ),
        (
            "compliance = { afte = 3 }",
            "unknown key \"afte\"; did you mean \"after\"?",
        ),
        (
            "memory = { use = \"/d\" }",
            "unknown key \"use\"; did you mean \"user\"?",
        ),
        (
            "approvals = { minute = 3 }",
            "unknown key \"minute\"; did you mean \"minutes\"?",
        ),
        (
            "hosts = { on = { ask = true } }",
            "unknown host \"on\"; did you mean \"one\"?",
        ),
        (
            "hosts = { one = { ask = 1 } }",
            "expected true or false, found integer",
        ),
    ] {
        let found = read_config(text, "file 3", &WORDS).unwrap_err();
        assert!(found.to_string().contains(words), "{found}");
        assert!(found.to_string().starts_with("file 3:1:"), "{found}");
    }
}

#[test]
fn numbers_have_a_least_and_a_most() {
    for (key, most) in [
        ("approvals = { minutes", 1_440),
        ("compliance = { after", 1_000),
    ] {
        for (number, is_good) in [
            ("0".to_owned(), false),
            ("1".to_owned(), true),
            (most.to_string(), true),
            ((most + 1).to_string(), false),
            ("-1".to_owned(), false),
            ("1.5".to_owned(), false),
            ("99999999999".to_owned(), false),
            ("\"5\"".to_owned(), false),
        ] {
            let text = format!("{key} = {number} }}");
            let found = read_config(&text, "x", &WORDS);
            assert_eq!(found.is_ok(), is_good, "{text}");
            if let Err(problem) = found {
                let words = format!("a whole number from 1 to {most}");
                assert!(only(&problem).what.contains(&words), "{problem}");
            }
        }
    }
}

#[test]
fn a_directory_does_not_depend_on_where_the_agent_is() {
    for (path, is_good) in [
        ("", true),
        ("/", true),
        ("/a", true),
        ("~/a", true),
        ("a", false),
        ("./a", false),
        ("~", false),
        ("~a/b", false),
    ] {
        for key in ["hydration = { dir", "memory = { user", "memory = { project"] {
            let text = format!("{key} = {path:?} }}");
            let found = read_config(&text, "x", &WORDS);
            assert_eq!(found.is_ok(), is_good, "{text}");
        }
    }
}

#[test]
fn a_word_that_no_setting_knows_is_refused_with_those_it_knows() {
    for (key, good, help) in [
        (
            "breaker = { then",
            &["", "escalate", "abort", "continue"][..],
            "write escalate, abort or continue",
        ),
        (
            "compliance = { count",
            &["", "calls", "changes"],
            "say \"calls\" or \"changes\"",
        ),
        (
            "patterns = { arithmetic",
            &["", "wilson", "documents"],
            "write wilson or documents",
        ),
    ] {
        let read = |word: &str| read_config(&format!("{key} = {word:?} }}"), "x", &WORDS);
        for word in good {
            assert!(read(word).is_ok(), "{key} {word:?}");
        }
        for word in ["other", "Escalate", "calls "] {
            let found = read(word).unwrap_err();
            let told = only(&found);
            assert!(told.what.contains(&format!("{word:?} is no")), "{told:?}");
            assert!(found.to_string().contains(help), "{found}");
        }
    }
}

#[test]
fn an_instruction_says_once_where_its_call_stands_and_is_short() {
    let long = |count: usize| format!("{{start}}{}", "ä".repeat(count - 7));
    for (text, wrong) in [
        (String::new(), None),
        ("{start}".to_owned(), None),
        ("Now start it: {start}. Then go on.".to_owned(), None),
        (long(200), None),
        (long(201), Some("it is longer than 200 characters")),
        ("Start it.".to_owned(), Some("it does not say {start}")),
        ("start".to_owned(), Some("it does not say {start}")),
        ("{start} {start}".to_owned(), Some("but {start}, once")),
        ("{start} {kind}".to_owned(), Some("but {start}, once")),
        ("{start} }".to_owned(), Some("but {start}, once")),
    ] {
        let text = format!("compliance = {{ instruction = {text:?} }}");
        let found = read_config(&text, "x", &WORDS).err();
        let found = found.map(|found| only(&found).what.clone());
        match wrong {
            None => assert_eq!(found, None, "{text}"),
            Some(words) => assert!(found.unwrap().contains(words), "{text}"),
        }
    }
}

#[test]
fn codes_are_sent_where_nobody_on_the_way_can_read_them() {
    for (address, is_good) in [
        ("", true),
        ("https://example.org/x", true),
        ("http://localhost", true),
        ("http://localhost:80/x", true),
        ("http://127.0.0.1?x", true),
        ("http://127.0.0.1#x", true),
        ("http://[::1]:80", true),
        ("http://example.org", false),
        ("http://localhost.example.org", false),
        ("http://example.org/localhost", false),
        ("localhost", false),
        ("ftp://localhost", false),
    ] {
        let text = format!("approvals = {{ webhook = {address:?} }}");
        let found = read_config(&text, "x", &WORDS);
        assert_eq!(found.is_ok(), is_good, "{address}");
    }
}

#[test]
fn the_reference_shows_every_setting_with_what_it_is_for() {
    let text = reference(&WORDS);
    let layer = read(&text);
    assert_eq!(layer.profile, Some(Profile::Guard));
    let modes: Vec<_> = layer
        .modes
        .iter()
        .map(|mode| (&*mode.gate, mode.mode))
        .collect();
    assert_eq!(modes, [("policy", Mode::Block), ("fault", Mode::Warn)]);
    let knobs: Vec<_> = layer
        .hosts
        .iter()
        .map(|knob| (&*knob.host, knob.on))
        .collect();
    assert_eq!(knobs, [("one", true), ("two", true)]);
    for setting in [
        settings::approvals::MINUTES.set_to(30),
        settings::compliance::AFTER.set_to(7),
    ] {
        assert!(layer.settings.contains(&setting), "{setting:?}");
    }
    assert!(text.starts_with("# Settings of Tollgate."));
    assert!(text.contains("\n# What is on. `guard`"));
}
