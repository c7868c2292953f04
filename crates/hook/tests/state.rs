//! State that is missing, full, foreign, damaged or contested, and the switch: what the hook
//! answers on top of it. What would destroy something is never let through, and reading is never
//! locked out.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that cannot go on must stop"
)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

use common::World;
use common::client::{self, Run, SESSION};
use common::damage::{self, damage};
use serde_json::Value;
use store::Store;

/// The slowest answer: the longest deadline, and what a busy machine takes to start a process.
const ANSWER_TIME_MAX: Duration = Duration::from_millis(1_500 + 2_500);

/// What the hook says of its own failures begins with this.
const FAULT: &str = "tollgate fault, not a policy decision: ";

/// How each thing that is kept is damaged, and what is then answered before a write and at a
/// prompt. `rm -rf ~/` is refused and reading passes in every row.
const ROWS: &[(&str, &str, &str)] = &[
    ("missing state", "-", "-"),
    ("public state", "-", "adv"),
    ("linked state", "-", "adv"),
    ("plain-file state", "-", "adv"),
    ("foreign state", "-", "adv"),
    ("read-only state", "-", "adv"),
    ("full state", "-", "adv"),
    ("missing record", "-", "-"),
    ("empty record", "-", "-"),
    ("zeroed record", "-", "-"),
    ("garbage record", "-", "-"),
    ("cut record", "-", "-"),
    ("flipped record", "-", "-"),
    ("newer record", "-", "adv"),
    ("partly-newer record", "-", "adv"),
    ("linked record", "-", "adv"),
    ("pipe record", "-", "adv"),
    ("directory record", "-", "adv"),
    ("foreign record", "-", "adv"),
    ("empty project", "-", "-"),
    ("flipped project", "-", "-"),
    ("newer project", "-", "adv"),
    ("pipe project", "-", "adv"),
    ("empty journal", "-", "-"),
    ("cut journal", "-", "-"),
    ("flipped journal", "-", "-"),
    ("linked journal", "adv", "-"),
    ("pipe journal", "adv", "-"),
    ("directory journal", "adv", "-"),
    ("foreign journal", "adv", "-"),
    ("missing bundle", "-", "-"),
    ("empty bundle", "ASK", "adv"),
    ("zeroed bundle", "ASK", "adv"),
    ("garbage bundle", "ASK", "adv"),
    ("cut bundle", "ASK", "adv"),
    ("flipped bundle", "ASK", "adv"),
    ("newer bundle", "ASK", "adv"),
    ("linked bundle", "ASK", "adv"),
    ("pipe bundle", "ASK", "adv"),
    ("directory bundle", "ASK", "adv"),
    ("foreign bundle", "ASK", "adv"),
    ("garbage switch", "-", "-"),
    ("linked switch", "-", "-"),
    ("pipe switch", "-", "-"),
    ("directory switch", "-", "-"),
    ("no rules", "adv", "-"),
    ("stale rules", "adv", "-"),
    ("unread rules", "ASK", "adv"),
    ("older rules", "ASK", "adv"),
    ("broken rules", "adv", "-"),
];

/// Our own failures are told in the fixed words, which name no rule; what is not a failure does
/// not sound like one.
fn check_words(case: &str, run: &Run) {
    let said: Value = serde_json::from_str(&run.answer.stdout).unwrap_or_default();
    let specific = &said["hookSpecificOutput"];
    let fields = ["permissionDecisionReason", "additionalContext"];
    let said = fields.iter().filter_map(|field| specific[field].as_str());
    for words in said
        .chain([run.answer.stderr.as_str()])
        .filter(|words| words.contains("fault"))
    {
        assert!(words.starts_with(FAULT), "{case}: {words}");
        assert!(
            words.contains(". Next: ") && words.contains("[fault/"),
            "{case}: {words}"
        );
        assert!(!words.contains("policy/"), "{case}: {words}");
    }
}

fn check(row: &(&str, &str, &str)) -> bool {
    let (how, write, prompt) = *row;
    let world = damage::used_world("state");
    let done = damage(&world, how);
    if done {
        let outcome = |what: &str, id: &str| {
            let run = damage::send(&world, what, id);
            let case = format!("{how}, {what}: {run:?}");
            check_words(&case, &run);
            assert!(run.is_readable(), "{case}");
            assert!(run.took < ANSWER_TIME_MAX, "{case}");
            (run.outcome(), case)
        };
        // Nobody is there to ask, so a question is a refusal.
        let expected = if write == "ASK" { "DENY" } else { write };
        let (first, case) = outcome("touch witness", "toolu_10");
        assert_eq!(first, expected, "{case}");
        let (read, case) = outcome("Read", "toolu_11");
        assert!(matches!(read, "-" | "adv"), "{case}");
        let (list, case) = outcome("ls -la", "toolu_12");
        assert!(matches!(list, "-" | "adv"), "{case}");
        let (asked, case) = outcome("prompt", "1");
        assert_eq!(asked, prompt, "{case}");
        let (lost, case) = outcome("rm -rf ~/", "toolu_13");
        assert_eq!(lost, "DENY", "{case}");
        let gates = ["[policy/", "[self_protection/"];
        assert!(
            case.contains("Not run: ") && gates.iter().any(|gate| case.contains(gate)),
            "{case}"
        );
    }
    damage::unmount(&world);
    done
}

#[test]
fn damaged_state_is_no_hole_and_no_lockout() {
    let failed: Vec<String> = std::thread::scope(|scope| {
        let check = |row: &'static (&str, &str, &str)| scope.spawn(move || check(row));
        let runs: Vec<_> = ROWS.iter().map(|row| (row.0, check(row))).collect();
        let failed = runs.into_iter().filter_map(|(how, run)| match run.join() {
            Ok(true) => None,
            Ok(false) => {
                println!("SKIPPED: {how} cannot be made by this user");
                assert!(!damage::is_root(), "{how} must be possible for root");
                None
            }
            Err(_) => Some(how.to_owned()),
        });
        failed.collect()
    });
    assert!(failed.is_empty(), "wrong: {failed:?}");
}

/// A disk without room, on every machine: no file may grow.
#[test]
fn a_full_disk_changes_no_verdict() {
    let world = damage::used_world("full");
    let real = world.hook("PreToolUse");
    let send = |command: &str, id: &str| {
        let mut limited = Command::new("sh");
        limited.args(["-c", "ulimit -f 0; exec \"$0\" claude PreToolUse"]);
        limited
            .arg(real.get_program())
            .env_clear()
            .current_dir(&world.cwd);
        limited.envs(
            real.get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        client::send(
            &mut limited,
            client::bash(&world, command, id).to_string().as_bytes(),
        )
    };
    assert_eq!(send("rm -rf ~/", "toolu_20").outcome(), "DENY");
    for id in ["toolu_21", "toolu_22"] {
        let run = send("ls", id);
        assert!(matches!(run.outcome(), "-" | "adv"), "{run:?}");
    }
}

#[test]
fn what_fails_is_said_once_a_session() {
    for how in ["pipe journal", "no rules", "stale rules", "broken rules"] {
        let world = damage::used_world("once");
        assert!(damage(&world, how));
        let calls = ["touch a", "Read", "touch b", "Read", "prompt", "touch c"];
        let ids = (30..).map(|number| format!("toolu_{number}"));
        let said: Vec<&str> = calls
            .iter()
            .zip(ids)
            .map(|(call, id)| damage::send(&world, call, &id).outcome())
            .collect();
        assert_eq!(said, ["adv", "-", "-", "-", "-", "-"], "{how}");
    }
    for how in ["no rules", "stale rules"] {
        let world = damage::used_world("once");
        assert!(damage(&world, how));
        let said = ["40", "41", "42"].map(|id| damage::send(&world, "Read", id).outcome());
        assert_eq!(said, ["adv", "-", "-"], "{how}");
    }
}

#[test]
fn without_a_home_verdicts_stand() {
    for (name, value) in [("HOME", None), ("TOLLGATE_HOME", Some("relative/state"))] {
        let world = damage::used_world("homeless");
        for (command, expected) in [("ls", "-"), ("rm -rf *", "DENY")] {
            let mut hook = world.hook("PreToolUse");
            hook.env("XDG_STATE_HOME", world.root.join("xdg"));
            match value {
                Some(value) => hook.env(name, value),
                None => hook.env_remove(name),
            };
            let payload = client::bash(&world, command, "toolu_1");
            let run = client::send(&mut hook, payload.to_string().as_bytes());
            assert_eq!(run.outcome(), expected, "{name}: {run:?}");
        }
        assert!(!world.cwd.join("relative").exists());
        let kept = if value.is_some() {
            "xdg/tollgate"
        } else {
            "state"
        };
        let store = Store::open(&world.root.join(kept)).unwrap();
        assert!(store.session(SESSION).unwrap().value.calls >= 1, "{name}");
    }
}

#[test]
fn a_damaged_overlay_is_compiled_anew_where_that_is_fast() {
    for (script, expected, first) in [
        ("sleep 0.1; cp \"$GOOD\" \"$BUNDLE\"", "-", "-"),
        ("sleep 5", "DENY", "adv"),
    ] {
        let world = damage::used_world("anew");
        let (good, bundle) = (world.root.join("good"), world.kept("bundle"));
        fs::copy(&bundle, &good).unwrap();
        let program = world.state().join("bin/tollgate");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        let script = script.replace("$GOOD", good.to_str().unwrap());
        let script = script.replace("$BUNDLE", bundle.to_str().unwrap());
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        for how in ["flipped bundle", "unread rules", "older rules"] {
            assert!(damage(&world, how));
            let run = damage::send(&world, "touch witness", how);
            assert_eq!(run.outcome(), expected, "{script}: {run:?}");
            assert!(run.took < ANSWER_TIME_MAX, "{run:?}");
        }
        let lost = damage::send(&world, "rm -rf ~/", "toolu_3");
        assert_eq!(lost.outcome(), "DENY", "{lost:?}");
        // A project that is seen for the first time: nothing older could judge.
        assert!(damage(&world, "no rules"));
        let run = damage::send(&world, "touch witness", "toolu_4");
        assert_eq!(run.outcome(), first, "{script}: {run:?}");
        assert!(run.took < ANSWER_TIME_MAX, "{run:?}");
    }
}

/// Sends calls all at once and gives what became of them.
fn storm(world: &World, ids: &[String]) -> Vec<Run> {
    std::thread::scope(|scope| {
        let send = |id| scope.spawn(move || damage::send(world, "touch witness", id));
        let runs: Vec<_> = ids.iter().map(|id| send(id.as_str())).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    })
}

#[test]
fn hooks_of_one_session_at_once_lose_and_double_nothing() {
    for count in [20_u64, 200] {
        let world = World::new("storm");
        let ids: Vec<String> = (0..count).map(|number| format!("toolu_{number}")).collect();
        for run in storm(&world, &ids) {
            assert_eq!(run.outcome(), "-", "{run:?}");
            assert!(run.took < ANSWER_TIME_MAX, "{run:?}");
        }
        let store = world.store();
        assert_eq!(store.session(SESSION).unwrap().value.calls, count);
        let report = store.verify(SESSION).unwrap();
        let wrong = (report.damaged, report.repeated, report.gaps.len());
        assert_eq!((report.good, wrong), (count, (0, 0, 0)));
    }
}

#[test]
fn a_hook_that_is_registered_twice_counts_once() {
    let world = World::new("twice");
    for round in 0..10 {
        let id = format!("toolu_{round}");
        for run in storm(&world, &[id.clone(), id]) {
            assert_eq!(run.outcome(), "-", "{run:?}");
        }
    }
    assert_eq!(world.store().session(SESSION).unwrap().value.calls, 10);
}

#[test]
fn compaction_keeps_what_was_counted() {
    let world = damage::used_world("compact");
    let again = serde_json::json!({"source": "compact"});
    let payload = client::payload(&world, "SessionStart", again).to_string();
    let run = client::send(&mut world.hook("SessionStart"), payload.as_bytes());
    assert_eq!(run.outcome(), "-", "{run:?}");
    damage::send(&world, "ls", "toolu_2");
    assert_eq!(world.store().session(SESSION).unwrap().value.calls, 2);
}

#[test]
fn a_damaged_record_is_kept_aside_and_made_anew() {
    let world = damage::used_world("aside");
    assert!(damage(&world, "flipped record"));
    damage::send(&world, "ls", "toolu_2");
    let names: Vec<String> = fs::read_dir(world.state().join("sessions"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.iter().any(|name| name.contains(".bad-")), "{names:?}");
    assert_eq!(world.store().session(SESSION).unwrap().value.calls, 1);
}

/// The hook as the child of a host that was started in an environment, directly or through the
/// shell that the host puts in between. `timeout` plays the host.
fn under_host(world: &World, launched_with: &str, own: &str, shell: bool) -> Run {
    let real = world.hook("PreToolUse");
    let mut host = Command::new("timeout");
    host.args(["20", "env"]).args(own.split_whitespace());
    if shell {
        host.args(["sh", "-c", "\"$0\" claude PreToolUse || exit 2"])
            .arg(real.get_program());
    } else {
        host.arg(real.get_program()).args(["claude", "PreToolUse"]);
    }
    host.env_clear().current_dir(&world.cwd);
    host.envs(
        real.get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    host.envs(launched_with.split_once('='));
    client::send(
        &mut host,
        client::bash(world, "rm -rf ~/", "toolu_1")
            .to_string()
            .as_bytes(),
    )
}

#[test]
fn only_the_environment_that_the_host_was_launched_with_switches_off() {
    let world = damage::used_world("switch");
    for (launched_with, own, expected) in [
        ("", "", "DENY"),
        ("", "TOLLGATE_ENABLED=false", "DENY"),
        ("", "POLICY_GATE_ENABLED=false", "DENY"),
        ("TOLLGATE_ENABLED=true", "TOLLGATE_ENABLED=false", "DENY"),
        ("TOLLGATE_ENABLED=false", "", "-"),
        ("POLICY_GATE_ENABLED=false", "", "-"),
        ("TOLLGATE_ENABLED=false", "TOLLGATE_ENABLED=true", "DENY"),
        ("TOLLGATE_ENABLED=0", "", "DENY"),
    ] {
        for shell in [false, true] {
            let run = under_host(&world, launched_with, own, shell);
            assert_eq!(
                run.outcome(),
                expected,
                "{launched_with:?} {own:?} {shell}: {run:?}"
            );
        }
    }
}

#[test]
fn the_owner_switches_off_for_a_time() {
    let world = damage::used_world("off");
    let outcome = |id: &str| damage::send(&world, "rm -rf ~/", id).outcome();
    let now = edge::surroundings::now();
    world.store().switch_off(now, 60_000, "a test").unwrap();
    assert_eq!(outcome("toolu_2"), "-");
    assert_eq!(damage::send(&world, "prompt", "1").outcome(), "-");
    world.store().switch_off(now, 1, "a test").unwrap();
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(outcome("toolu_3"), "DENY");
    world.store().switch_off(now, 60_000, "a test").unwrap();
    world.store().switch_on().unwrap();
    assert_eq!(outcome("toolu_4"), "DENY");
    for how in [
        "flipped switch",
        "cut switch",
        "empty switch",
        "newer switch",
    ] {
        world.store().switch_off(now, 60_000, "a test").unwrap();
        assert!(damage(&world, how));
        assert_eq!(outcome(how), "DENY", "{how}");
    }
}
