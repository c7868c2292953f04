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
