//! What people write in their settings, from the text to the verdict.

use actions::testing::Fixture;
use model::{Actor, Call, EventKind, Level, Mode, Snapshot};
use rules::{Layer, Rules, Scope, Source, Vocabulary};

use super::{builtin_only, event, shell};
use crate::decide;

/// A user's layer, from the text of their settings.
pub(super) fn user(text: &str) -> Layer {
    let gates = crate::gate_ids();
    let packs = crate::pack_ids();
    let words = Vocabulary {
        gates: &gates,
        hosts: &[],
        packs: &packs,
    };
    let layer = rules::read_config(text, "config.toml", &words);
    let layer = layer.unwrap_or_else(|error| panic!("{error}"));
    Layer {
        source: Source {
            scope: Scope::User,
            file: "config.toml".into(),
            trusted: true,
        },
        ..layer
    }
}

fn level(call: Call<'_>, rules: &Rules, actor: Actor) -> Level {
    let world = Fixture::named("dirty").expect("a world of that name");
    let world = world.own("/home/dev/proj/.tollgate/**");
    let known = Snapshot {
        analysis: world.read_call(&call),
        place: world.place,
        ..Snapshot::default()
    };
    let event = model::Event {
        actor,
        ..event(EventKind::ToolBefore(call))
    };
    decide(&event, &known, rules).level()
}

/// Checks a command under settings: what it gives without and with them.
fn check(settings: &str, command: &str, without: Level, with: Level) {
    let rules = Rules::new(crate::builtin(), vec![user(settings)]);
    let found = level(shell(command), &builtin_only(), Actor::Main);
    assert_eq!(found, without, "{command} without {settings}");
    let found = level(shell(command), &rules, Actor::Main);
    assert_eq!(found, with, "{command} with {settings}");
}

#[test]
fn packs_and_rules_are_switched() {
    let apply = "kubectl apply -f k8s/app.yaml";
    let restart = "kubectl rollout restart deployment/api";
    let delegate = "tmux send-keys -t w 'agent -p \"fix it\"' Enter";
    let tracked = "tmux send-keys -t w 'agent -p \"bd-42: fix it\"' Enter";
    let layers = "[packs]\non = [\"deploy\", \"delegation\"]";
    check(layers, apply, Level::Allow, Level::Deny);
    check(layers, restart, Level::Allow, Level::Allow);
    check(layers, delegate, Level::Allow, Level::Deny);
    check(layers, tracked, Level::Allow, Level::Allow);
    let all = "kubectl rollout restart deployment --all";
    check("[packs]\noff = [\"fleet\"]", all, Level::Deny, Level::Allow);
    let reset = "git reset --hard";
    check(
        "[packs]\noff = [\"git.discard\"]",
        reset,
        Level::Ask,
        Level::Allow,
    );
    let push = "git push --force origin main";
    check(
        "[packs]\noff = [\"git.discard\"]",
        push,
        Level::Deny,
        Level::Deny,
    );
}

#[test]
fn modes_are_per_gate_and_surface() {
    let push = "git push --force origin main";
    check(
        "[gates]\npolicy = \"warn\"",
        push,
        Level::Deny,
        Level::Allow,
    );
    check("profile = \"observe\"", push, Level::Deny, Level::Allow);
    let off = "tollgate off --for 1h";
    check("[gates]\npolicy = \"off\"", off, Level::Deny, Level::Deny);
    let settings = "[gates]\npolicy = { subagent = \"off\" }";
    let rules = Rules::new(crate::builtin(), vec![user(settings)]);
    let helper = Actor::Sub {
        id: "a".into(),
        kind: "explore".into(),
    };
    assert_eq!(level(shell(push), &rules, helper), Level::Allow);
    assert_eq!(level(shell(push), &rules, Actor::Main), Level::Deny);
}

#[test]
fn tools_that_are_skipped_are_not_judged_by_rules() {
    let read = || Call::Read {
        path: ".env".into(),
    };
    let rules = Rules::new(crate::builtin(), vec![user("skip_tools = [\"read\"]")]);
    assert_eq!(level(read(), &builtin_only(), Actor::Main), Level::Ask);
    assert_eq!(level(read(), &rules, Actor::Main), Level::Allow);
    // Whoever guards the gates is not asked to look away.
    let all = user("skip_tools = [\"shell\"]");
    let rules = Rules::new(crate::builtin(), vec![all]);
    let tamper = "rm -rf .tollgate; echo x > .tollgate/config.toml";
    assert_eq!(level(shell("rm -rf ~/"), &rules, Actor::Main), Level::Allow);
    assert_eq!(level(shell(tamper), &rules, Actor::Main), Level::Deny);
}

#[test]
fn protected_paths_are_not_changed_by_any_tool() {
    let settings = "protect = [\"review/**\"]";
    let check = |command: &str, with| check(settings, command, Level::Allow, with);
    check("echo x > review/check.py", Level::Deny);
    check("sed -i s/a/b/ review/check.py", Level::Deny);
    check("cat review/check.py", Level::Allow);
    check("echo x > src/review.py", Level::Allow);
}

#[test]
fn settings_know_every_gate_and_pack_with_its_default() {
    let listed = |names: Vec<&str>| names.join(" ");
    let gates = crate::gate_ids();
    let silent = gates.iter().filter(|(_, mode)| *mode == Mode::Off);
    assert_eq!(
        listed(silent.map(|(id, _)| *id).collect()),
        "hydration skill_monitor compliance knowledge test_evidence"
    );
    assert!(gates.contains(&("policy", Mode::Block)), "{gates:?}");
    let packs = crate::pack_ids();
    let silent = packs.iter().filter(|(_, _, on)| !on);
    assert_eq!(
        listed(silent.map(|(id, _, _)| *id).collect()),
        "delegation deploy servers"
    );
    for (id, summary, on) in packs {
        assert!(crate::builtin().iter().any(|pack| pack.id == id), "{id}");
        assert_eq!(summary.starts_with("Off by default. "), !on, "{id}");
        assert!(summary.ends_with('.') && summary.len() > 10, "{id}");
    }
}
