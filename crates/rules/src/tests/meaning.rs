//! What conditions mean, and what an unknown fact means to them.

use super::*;
use model::{Action, Actor, CallEnv, Certainty, Fact, Flag, Loss};

fn judged(when: When, action: &Action) -> Level {
    let mut rule = rule("p.r", when);
    rule.level = Level::Deny;
    rule.unknown = Level::Ask;
    let place = CallEnv {
        project: "/p".into(),
        home: "/h".into(),
        ..CallEnv::default()
    };
    rule.judge(&Subject {
        action,
        place: &place,
        tool: "shell",
        actor: &Actor::Main,
    })
}

fn some() -> Fact<Loss> {
    Fact::Known(Loss {
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

/// Checks the level that one condition gives to a write of `/p/a.txt` that was changed a little.
fn check(when: When, change: fn(&mut Action), level: Level) {
    let mut action = Action::new(Verb::Write, ResourceKind::File, "/p/a.txt");
    action.zone = Zone::Project;
    change(&mut action);
    assert_eq!(
        judged(when.clone(), &action),
        level,
        "{when:?} on {action:?}"
    );
}

/// No condition yet.
fn when() -> When {
    When::default()
}

#[test]
fn loss() {
    let some_lost = || When {
        loss: true,
        ..when()
    };
    check(some_lost(), |action| action.loss = some(), Level::Deny);
    check(some_lost(), |_| {}, Level::Allow);
    let slow = |action: &mut Action| action.loss = Fact::Unknown("slow".into());
    check(some_lost(), slow, Level::Ask);
    let of_delete = When {
        verbs: vec![Verb::Delete].into(),
        ..some_lost()
    };
    check(of_delete, slow, Level::Allow);
}

#[test]
fn zone() {
    let inside = |zone| When {
        zones: zones(&[zone]),
        ..when()
    };
    let outside = |zone| When {
        not_zones: zones(&[zone]),
        ..when()
    };
    let unknown = |action: &mut Action| action.zone = Zone::Unknown;
    check(inside(Zone::Project), |_| {}, Level::Deny);
    check(inside(Zone::System), |_| {}, Level::Allow);
    check(inside(Zone::System), unknown, Level::Ask);
    check(inside(Zone::Unknown), unknown, Level::Deny);
    check(outside(Zone::Project), |_| {}, Level::Allow);
    check(outside(Zone::System), |_| {}, Level::Deny);
    check(outside(Zone::System), unknown, Level::Ask);
}

#[test]
fn name() {
    let named = |glob| When {
        names: list(&[glob]),
        ..when()
    };
    let unknown = |action: &mut Action| action.certainty = Certainty::Unknown;
    check(named("a.*"), |_| {}, Level::Deny);
    check(named("x"), |_| {}, Level::Allow);
    check(named("x"), unknown, Level::Ask);
    check(
        When {
            not_names: list(&["a.txt"]),
            ..when()
        },
        |_| {},
        Level::Allow,
    );
    check(
        When {
            not_names: list(&["x"]),
            ..when()
        },
        |_| {},
        Level::Deny,
    );
}

#[test]
fn branch() {
    let on = |glob| When {
        branches: list(&[glob]),
        ..when()
    };
    let release = |action: &mut Action| action.branch = "release/1".into();
    check(on("release/*"), release, Level::Deny);
    check(on("main"), release, Level::Allow);
    check(on("main"), |_| {}, Level::Ask);
}

#[test]
fn program() {
    let run = |program| When {
        programs: list(&[program]),
        ..when()
    };
    let push = |action: &mut Action| action.program = "git push".into();
    check(run("git"), push, Level::Deny);
    check(run("git push"), push, Level::Deny);
    check(run("gi"), push, Level::Allow);
    check(
        When {
            not_programs: list(&["git"]),
            ..when()
        },
        push,
        Level::Allow,
    );
}

#[test]
fn words_of_the_call() {
    let args = When {
        args: list(&["-a", "-b"]),
        ..when()
    };
    check(
        args.clone(),
        |action| action.argv = vec!["-b".into(), "-a".into()],
        Level::Deny,
    );
    check(
        args.clone(),
        |action| action.argv = vec!["-x".into(), "-y".into()],
        Level::Allow,
    );
    check(args, |action| action.argv = vec!["-a".into()], Level::Allow);
    let via = When {
        via: list(&["ssh"]),
        ..when()
    };
    let over = |action: &mut Action| action.via = vec!["sudo".into(), "ssh host".into()];
    check(via.clone(), over, Level::Deny);
    check(via, |_| {}, Level::Allow);
    check(
        When {
            tools: list(&["shell"]),
            ..when()
        },
        |_| {},
        Level::Deny,
    );
    check(
        When {
            tools: list(&["write"]),
            ..when()
        },
        |_| {},
        Level::Allow,
    );
    check(
        When {
            actor: Some(ActorKind::Main),
            ..when()
        },
        |_| {},
        Level::Deny,
    );
    check(
        When {
            actor: Some(ActorKind::Sub),
            ..when()
        },
        |_| {},
        Level::Allow,
    );
}

#[test]
fn flags_and_certainty() {
    let dry = |action: &mut Action| action.flags = Flags::NONE.with(Flag::DryRun);
    let flags = Flags::NONE.with(Flag::DryRun);
    check(When { flags, ..when() }, dry, Level::Deny);
    check(When { flags, ..when() }, |_| {}, Level::Allow);
    check(
        When {
            not_flags: flags,
            ..when()
        },
        dry,
        Level::Allow,
    );
    let sure = When {
        certainty_at_most: Some(Certainty::Derived),
        ..when()
    };
    check(sure.clone(), |_| {}, Level::Deny);
    check(
        sure,
        |action| action.certainty = Certainty::Guessed,
        Level::Allow,
    );
}

#[test]
fn an_actor_that_is_not_told_is_maybe_the_one() {
    let judged = |wanted, actor: &Actor| {
        let when = When {
            actor: Some(wanted),
            ..when()
        };
        let rule = Rule {
            level: Level::Deny,
            unknown: Level::Ask,
            ..rule("p.r", when)
        };
        rule.judge(&Subject {
            action: &Action::new(Verb::Write, ResourceKind::File, "/p/a.txt"),
            place: &CallEnv::default(),
            tool: "shell",
            actor,
        })
    };
    let helper = Actor::Sub {
        id: "a1".into(),
        kind: "explore".into(),
    };
    for (wanted, actor, level) in [
        (ActorKind::Main, &Actor::Main, Level::Deny),
        (ActorKind::Main, &helper, Level::Allow),
        (ActorKind::Main, &Actor::Unknown, Level::Ask),
        (ActorKind::Sub, &Actor::Main, Level::Allow),
        (ActorKind::Sub, &helper, Level::Deny),
        (ActorKind::Sub, &Actor::Unknown, Level::Ask),
    ] {
        assert_eq!(judged(wanted, actor), level, "{wanted:?} {actor:?}");
    }
}

#[test]
fn one_of_several_is_enough() {
    let verbs = |verbs: &[Verb]| When {
        verbs: verbs.to_vec().into(),
        ..when()
    };
    check(verbs(&[Verb::Read, Verb::Write]), |_| {}, Level::Deny);
    check(verbs(&[Verb::Read]), |_| {}, Level::Allow);
    let kinds = |kinds: &[ResourceKind]| When {
        kinds: kinds.to_vec().into(),
        ..when()
    };
    check(
        kinds(&[ResourceKind::Git, ResourceKind::File]),
        |_| {},
        Level::Deny,
    );
    check(kinds(&[ResourceKind::Git]), |_| {}, Level::Allow);
}

#[test]
fn one_of_several_texts_is_enough() {
    let push = |action: &mut Action| {
        action.program = "git push".into();
        action.via = vec!["ssh host".into()];
        action.branch = "main".into();
    };
    for (texts, level) in [
        (&["git", "ssh", "main", "shell", "a.txt"][..], Level::Deny),
        (&["other"], Level::Allow),
    ] {
        let some = || list(texts);
        check(
            When {
                programs: some(),
                ..when()
            },
            push,
            level,
        );
        check(
            When {
                via: some(),
                ..when()
            },
            push,
            level,
        );
        check(
            When {
                branches: some(),
                ..when()
            },
            push,
            level,
        );
        check(
            When {
                tools: some(),
                ..when()
            },
            push,
            level,
        );
        check(
            When {
                names: some(),
                ..when()
            },
            push,
            level,
        );
    }
    let but = When {
        programs: list(&["git"]),
        not_programs: list(&["git push"]),
        ..when()
    };
    check(but.clone(), push, Level::Allow);
    check(
        but,
        |action| action.program = "git pull".into(),
        Level::Deny,
    );
}

#[test]
fn a_part_of_the_machine_is_asked_for_inside_and_outside() {
    let both = |inside: &[Zone], outside: &[Zone]| When {
        zones: zones(inside),
        not_zones: zones(outside),
        ..when()
    };
    let unknown = |action: &mut Action| action.zone = Zone::Unknown;
    let (project, system) = (Zone::Project, Zone::System);
    check(both(&[project], &[system]), |_| {}, Level::Deny);
    check(both(&[project, system], &[project]), |_| {}, Level::Allow);
    check(both(&[system], &[project]), |_| {}, Level::Allow);
    check(both(&[], &[]), unknown, Level::Deny);
    check(both(&[project], &[system]), unknown, Level::Ask);
    check(both(&[], &[Zone::Unknown]), unknown, Level::Allow);
    check(both(&[project], &[Zone::Unknown]), unknown, Level::Allow);
    check(both(&[Zone::Unknown], &[system]), unknown, Level::Deny);
}

#[test]
fn a_name_is_a_path_where_it_names_a_file() {
    let named = |glob| When {
        names: list(&[glob]),
        ..when()
    };
    let autorun = |action: &mut Action| action.kind = ResourceKind::Autorun;
    let table = |action: &mut Action| {
        action.kind = ResourceKind::Db;
        action.name = "/p/a.txt".into();
    };
    for file in ["a.txt", "*.txt", "/p/*"] {
        check(named(file), |_| {}, Level::Deny);
        check(named(file), autorun, Level::Deny);
    }
    check(named("a.txt"), table, Level::Allow);
    check(named("/p/a.txt"), table, Level::Deny);
    let nameless = |action: &mut Action| action.name = String::new();
    check(named("x"), nameless, Level::Ask);
    let but = When {
        not_names: list(&["a.*"]),
        ..named("*.txt")
    };
    check(but.clone(), |_| {}, Level::Allow);
    check(but, |action| action.name = "/p/b.txt".into(), Level::Deny);
}

#[test]
fn what_is_lost_may_have_no_files() {
    let lost = When {
        loss: true,
        ..when()
    };
    let commits = |action: &mut Action| {
        let other = vec!["3 commits".into()];
        action.loss = Fact::Known(Loss {
            other,
            ..Loss::default()
        });
    };
    check(lost, commits, Level::Deny);
    check(
        when(),
        |action| action.loss = Fact::Unknown("slow".into()),
        Level::Deny,
    );
}

#[test]
fn a_tool_is_meant_by_its_name_alone_where_nothing_else_is_asked() {
    type Change = fn(&mut When);
    let changes: [(Change, bool); 9] = [
        (|_| {}, true),
        (|when| when.verbs = vec![Verb::Delete].into(), true),
        (|when| when.kinds = vec![ResourceKind::File].into(), true),
        (|when| when.tools = list(&["shell"]), true),
        (|when| when.not_names = list(&["drop_view"]), true),
        (|when| when.branches = list(&["main"]), false),
        (|when| when.programs = list(&["rm"]), false),
        (|when| when.zones = zones(&[Zone::Project]), false),
        (|when| when.names = List::default(), false),
    ];
    for (change, is) in changes {
        let mut when = When {
            names: list(&["drop_table"]),
            ..when()
        };
        change(&mut when);
        assert_eq!(when.is_by_name(), is, "{when:?}");
    }
    let verbs = vec![Verb::Delete].into();
    assert!(!When { verbs, ..when() }.is_by_name());
}
