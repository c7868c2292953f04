//! What conditions mean, and what an unknown fact means to them.

use super::*;
use model::{Action, Actor, Certainty, Flag, Known, Loss, Place};

struct Case {
    name: &'static str,
    when: When,
    action: fn(&mut Action),
    level: Level,
}

fn judged(when: When, action: &Action) -> Level {
    let mut rule = rule("p.r", when);
    rule.level = Level::Deny;
    rule.unknown = Level::Ask;
    let place = Place {
        project: "/p".into(),
        home: "/h".into(),
        ..Place::default()
    };
    rule.judge(&Subject {
        action,
        place: &place,
        tool: "shell",
        actor: &Actor::Main,
    })
}

fn some() -> Known<Loss> {
    Known::Known(Loss {
        files_total: 1,
        ..Loss::default()
    })
}

fn zones(zones: &[Zone]) -> List<Zone> {
    zones.to_vec().into()
}

fn list(texts: &[&str]) -> List<Text> {
    let texts: Vec<Text> = texts.iter().map(|text| text.to_string().into()).collect();
    texts.into()
}

#[test]
fn conditions() {
    let when = When::default;
    let cases = [
        Case {
            name: "loss some",
            when: When {
                loss: true,
                ..when()
            },
            action: |action| action.loss = some(),
            level: Level::Deny,
        },
        Case {
            name: "loss none",
            when: When {
                loss: true,
                ..when()
            },
            action: |_| {},
            level: Level::Allow,
        },
        Case {
            name: "loss unknown",
            when: When {
                loss: true,
                ..when()
            },
            action: |action| action.loss = Known::Unknown("slow".into()),
            level: Level::Ask,
        },
        Case {
            name: "zone unknown",
            when: When {
                zones: zones(&[Zone::System]),
                ..when()
            },
            action: |action| action.zone = Zone::Unknown,
            level: Level::Ask,
        },
        Case {
            name: "zone unknown is named",
            when: When {
                zones: zones(&[Zone::Unknown]),
                ..when()
            },
            action: |action| action.zone = Zone::Unknown,
            level: Level::Deny,
        },
        Case {
            name: "zone excluded",
            when: When {
                not_zones: zones(&[Zone::Project]),
                ..when()
            },
            action: |_| {},
            level: Level::Allow,
        },
        Case {
            name: "name unknown",
            when: When {
                names: list(&["x"]),
                ..when()
            },
            action: |action| action.certainty = Certainty::Unknown,
            level: Level::Ask,
        },
        Case {
            name: "name excluded",
            when: When {
                not_names: list(&["a.txt"]),
                ..when()
            },
            action: |_| {},
            level: Level::Allow,
        },
        Case {
            name: "branch",
            when: When {
                branches: list(&["release/*"]),
                ..when()
            },
            action: |action| action.branch = "release/1".into(),
            level: Level::Deny,
        },
        Case {
            name: "branch unknown",
            when: When {
                branches: list(&["main"]),
                ..when()
            },
            action: |_| {},
            level: Level::Ask,
        },
        Case {
            name: "program and subcommand",
            when: When {
                programs: list(&["git"]),
                ..when()
            },
            action: |action| action.program = "git push".into(),
            level: Level::Deny,
        },
        Case {
            name: "program by whole words",
            when: When {
                programs: list(&["gi"]),
                ..when()
            },
            action: |action| action.program = "git".into(),
            level: Level::Allow,
        },
        Case {
            name: "args",
            when: When {
                args: list(&["-a", "-b"]),
                ..when()
            },
            action: |action| action.argv = vec!["x".into(), "-b".into(), "-a".into()],
            level: Level::Deny,
        },
        Case {
            name: "flags",
            when: When {
                flags: Flags::NONE.with(Flag::Force),
                ..when()
            },
            action: |_| {},
            level: Level::Allow,
        },
        Case {
            name: "not flags",
            when: When {
                not_flags: Flags::NONE.with(Flag::DryRun),
                ..when()
            },
            action: |action| action.flags = Flags::NONE.with(Flag::DryRun),
            level: Level::Allow,
        },
        Case {
            name: "certainty",
            when: When {
                certainty_at_most: Some(Certainty::Derived),
                ..when()
            },
            action: |action| action.certainty = Certainty::Guessed,
            level: Level::Allow,
        },
        Case {
            name: "actor",
            when: When {
                actor: Some(ActorKind::Sub),
                ..when()
            },
            action: |_| {},
            level: Level::Allow,
        },
        Case {
            name: "via",
            when: When {
                via: list(&["ssh"]),
                ..when()
            },
            action: |action| action.via = vec!["sudo".into(), "ssh host".into()],
            level: Level::Deny,
        },
        Case {
            name: "tool",
            when: When {
                tools: list(&["write"]),
                ..when()
            },
            action: |_| {},
            level: Level::Allow,
        },
        Case {
            name: "no before maybe",
            when: When {
                loss: true,
                verbs: vec![Verb::Delete].into(),
                ..when()
            },
            action: |action| action.loss = Known::Unknown("slow".into()),
            level: Level::Allow,
        },
    ];
    for case in cases {
        let mut action = Action::new(Verb::Write, ResourceKind::File, "/p/a.txt");
        action.zone = Zone::Project;
        (case.action)(&mut action);
        assert_eq!(judged(case.when, &action), case.level, "{}", case.name);
    }
}
