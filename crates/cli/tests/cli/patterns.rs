//! What is learned becomes a pattern, and what a person says of it: through the installed hook and
//! the command line.

use serde_json::{Value, json};

use crate::common::*;
use crate::player::{BROKEN, Player, machine};

const PASSPHRASE: &str = "correct horse battery\n";

/// A machine whose owner has a passphrase.
fn owned() -> Machine {
    let machine = machine();
    machine
        .tollgate("key create")
        .stdin(PASSPHRASE)
        .shows(&["made:"])
        .run();
    machine
}

/// `npm test` cannot start, in so many sessions.
fn broken(machine: &Machine, sessions: std::ops::Range<usize>) {
    for session in sessions {
        let mut player = Player::new(machine, &format!("s{session}"));
        player.fails("npm test", BROKEN);
        player.works("pnpm test");
    }
}

fn learned(machine: &Machine) -> Value {
    machine.tollgate("learn").shows(&["learned"]).run();
    let index = exported(machine);
    let index: Value = serde_json::from_str(&index).unwrap();
    index["patterns"].clone()
}

fn exported(machine: &Machine) -> String {
    machine
        .tollgate("index export")
        .shows(&["\"patterns\""])
        .run()
}

fn id_of(patterns: &Value) -> String {
    assert_eq!(patterns.as_array().map(Vec::len), Some(1), "{patterns}");
    patterns[0]["id"].as_str().unwrap().to_owned()
}

fn owner(machine: &Machine, line: &str) {
    machine.tollgate(line).stdin(PASSPHRASE).shows(&[""]).run();
}

#[test]
fn what_keeps_failing_becomes_a_pattern_that_only_warns() {
    let machine = owned();
    broken(&machine, 0..2);
    assert_eq!(learned(&machine), json!([]));
    broken(&machine, 2..3);
    let patterns = learned(&machine);
    let id = id_of(&patterns);
    let one = &patterns[0];
    for (pointer, expected) in [
        ("/origin", json!("learned")),
        ("/match/tool_name", json!("Bash")),
        ("/match/action_type", json!("test_run")),
        ("/match/input_field", json!("command")),
        ("/match/pattern", json!("^npm\\s+test$")),
        ("/match/min_recent_failures", json!(2)),
        ("/action", json!("shadow")),
        ("/alternative", json!("What worked afterwards: `pnpm test`")),
        ("/stats/matches", json!(3)),
        ("/stats/true_positives", json!(3)),
        ("/confirmed", json!(false)),
    ] {
        assert_eq!(one.pointer(pointer), Some(&expected), "{pointer}");
    }
    assert_eq!(one["confidence"], json!(0.526));
    // Two more of the same: now it speaks, and stops nothing.
    broken(&machine, 3..5);
    assert_eq!(learned(&machine)[0]["action"], json!("warn"));
    for session in ["x", "y", "z"] {
        let mut player = Player::new(&machine, session);
        let (verdict, told) = player.judged("npm test");
        assert_eq!(verdict, "", "{told}");
        let part = format!("What worked afterwards: `pnpm test`. (pattern {id})");
        assert!(told.contains(&part), "{told}");
        assert!(!told.contains("the last 5 times"), "once is enough: {told}");
        assert_eq!(player.before("npm test"), "", "once a session");
        for other in ["npm test -- a", "npm install", "git commit -m 'npm test'"] {
            assert_eq!(player.before(other), "", "{other}");
        }
    }
    machine
        .tollgate(&format!("index show {id}"))
        .shows(&["learned; warns", "confidence   0.65, from 5 of 5"])
        .shows(&["by the documents' arithmetic 0.80, from 5 failures in 5 calls"])
        .shows(&["tollgate explain ", "tollgate index confirm "])
        .run();
}

#[test]
fn a_person_lets_it_stop_calls_by_strikes() {
    let machine = owned();
    broken(&machine, 0..3);
    let id = id_of(&learned(&machine));
    machine
        .tollgate(&format!("index confirm {id}"))
        .stdin("wrong\n")
        .status(4)
        .complains(&["it takes your passphrase"])
        .run();
    owner(&machine, &format!("index confirm {id}"));
    let mut player = Player::new(&machine, "x");
    let (verdict, told) = player.judged("npm test");
    assert_eq!(verdict, "", "the first strike warns: {told}");
    assert!(told.contains(&id), "{told}");
    for strike in 2..8 {
        // A session of its own each time: strikes are the project's.
        let mut player = Player::new(&machine, &format!("x{strike}"));
        let (verdict, why) = player.judged("npm test");
        assert_eq!(verdict, "deny", "{strike}: {why}");
        assert!(
            why.contains("What worked afterwards: `pnpm test`."),
            "{why}"
        );
        assert!(why.contains(&format!("tollgate prove {id}")), "{why}");
        assert_eq!(
            why.contains("takes a proof"),
            strike >= 5,
            "{strike}: {why}"
        );
        assert_eq!(why.contains("Ask the user"), strike >= 5, "{strike}: {why}");
        assert_eq!(player.judged("npm test -- a").0, "");
        assert_eq!(player.judged("git commit -m 'npm test'").0, "");
    }
    machine
        .tollgate("strikes")
        .shows(&[&id, "7 strikes by claude; the next takes a proof"])
        .run();
    machine
        .tollgate(&format!("index show {id}"))
        .shows(&["confirmed by a person", "0 right, 0 wrong, 6 stopped"])
        .run();
    machine
        .tollgate("strikes clear")
        .stdin("wrong\n")
        .status(4)
        .complains(&["it takes your passphrase"])
        .run();
    owner(&machine, "strikes clear");
    machine
        .tollgate("strikes")
        .shows(&["no call has run into"])
        .run();
    // It is mended: at the first success it goes quiet.
    player.works("npm test");
    for session in ["y", "z"] {
        assert_eq!(
            Player::new(&machine, session).judged("npm test"),
            Default::default()
        );
    }
}

#[test]
fn what_a_person_rejects_is_not_learned_again() {
    let machine = owned();
    broken(&machine, 0..3);
    let id = id_of(&learned(&machine));
    owner(&machine, &format!("index retire {id}"));
    machine
        .tollgate("index list")
        .shows(&["no pattern is known"])
        .run();
    machine
        .tollgate("index list --all")
        .shows(&[&id, "retired"])
        .run();
    owner(&machine, &format!("index reject {id}"));
    broken(&machine, 3..6);
    assert_eq!(learned(&machine), json!([]));
    machine
        .tollgate(&format!("index show {id}"))
        .status(1)
        .complains(&["there is no pattern"])
        .run();
}

#[test]
fn patterns_of_a_person_begin_at_their_own_action() {
    let machine = owned();
    let add = "index add --reason slow --instead 'Build one crate' --action block -- cargo build *";
    let words = add.replace("'Build one crate'", "Build-one");
    owner(&machine, &words);
    let mut player = Player::new(&machine, "x");
    for (command, stopped) in [
        ("cargo build x", true),
        ("cargo build", false),
        ("cargo test x", false),
        ("git commit -m 'cargo build x'", false),
        ("cd sub && cargo build --release", true),
    ] {
        let (verdict, why) = player.judged(command);
        assert_eq!(verdict == "deny", stopped, "{command}: {why}");
        assert_eq!(why.contains("Build-one."), stopped, "{why}");
    }
    let log = machine
        .tollgate("log export")
        .shows(&["cargo build x"])
        .run();
    let log: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let first = &log[0];
    for (key, expected) in [
        ("action", json!("deny")),
        ("gate", json!("anti_patterns")),
        ("tool_name", json!("shell")),
        ("input", json!("cargo build x")),
        ("reason", json!("`cargo build x`: slow")),
    ] {
        assert_eq!(first[key], expected, "{first}");
    }
    // From what was stopped to its pattern in one command.
    let id = first["pattern_id"].as_str().unwrap();
    machine
        .tollgate(&format!("index show {id}"))
        .shows(&[
            "written by a person; stops every call",
            "tollgate index reject",
        ])
        .run();
    machine
        .tollgate("index add --reason x --action never -- a")
        .stdin(PASSPHRASE)
        .status(1)
        .complains(&["block_autotest"])
        .run();
}

#[test]
fn patterns_of_others_are_taken_in_as_far_as_they_can_be_matched() {
    let machine = owned();
    let theirs = json!([
        {"id": "obs-1", "match": {"tool_name": "Bash", "action_type": "git_operation",
            "input_field": "command", "pattern": "^git\\s+push\\s+--force$",
            "min_recent_failures": 0},
            "action": "block_suggest", "reason": "it loses others' work",
            "alternative": "git push --force-with-lease", "confidence": 0.9,
            "stats": {"matches": 9, "true_positives": 9}},
        {"id": "obs-2", "match": {"tool_name": "Bash", "pattern": "a(?=b)"}, "action": "warn"},
        {"id": "obs-3", "match": {"tool_name": "Write", "pattern": "^a$"}, "action": "warn"},
    ]);
    machine.write("home/theirs.json", theirs.to_string());
    let file = machine.at("home/theirs.json");
    machine
        .tollgate(&format!("index import {}", file.display()))
        .stdin(PASSPHRASE)
        .shows(&["1 pattern taken in", "not taken: obs-2"])
        .shows(&["look-around", "not taken: obs-3"])
        .run();
    machine
        .tollgate("index list")
        .shows(&["obs-1  block_suggest, imported, right 9 of 9"])
        .run();
    let (_, told) = Player::new(&machine, "x").judged("git push --force");
    assert!(told.contains("it loses others' work"), "{told}");
}

#[test]
fn an_expression_is_held_against_each_command_that_was_read() {
    let machine = owned();
    owner(
        &machine,
        "index add --regex --reason r1 --action block -- kubectl.*apply|kubectl.*create",
    );
    owner(
        &machine,
        "index add --regex --reason r2 --action block --here -- terraform import",
    );
    let test = machine.tollgate("index add --regex --reason r3 --action block -- -x[0-9]$");
    test.stdin(PASSPHRASE)
        .shows(&["regex-", "every command is held", "against it"])
        .run();
    let mut player = Player::new(&machine, "x");
    for (command, why) in [
        ("kubectl -n web apply --dry-run=client -f x", "r1"),
        ("cd k8s && sudo kubectl create ns x", "r1"),
        ("kubectl get pods", ""),
        ("git commit --allow-empty -m 'fix: kubectl apply issue'", ""),
        ("echo kubectl && echo apply", ""),
        ("terraform import a b", "r2"),
        ("terraform plan", ""),
        ("make -x7", "r3"),
    ] {
        let (verdict, said) = player.judged(command);
        assert_eq!(verdict == "deny", !why.is_empty(), "{command}: {said}");
        assert!(said.contains(why), "{command}: {said}");
    }
    for (words, why) in [("a(?=b)", "look-around"), ("[ab]*a[ab]{16}c", "too large")] {
        machine
            .tollgate("index add --regex --reason x --")
            .arg(words)
            .stdin(PASSPHRASE)
            .status(1)
            .complains(&["is refused", why])
            .run();
    }
}

#[test]
fn an_index_that_is_edited_holds_and_one_that_is_broken_does_not() {
    let machine = owned();
    owner(
        &machine,
        "index add --reason slow --action block -- cargo build",
    );
    let path = machine.at("state/index/anti_pattern_index.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let stops = |session: &str| Player::new(&machine, session).judged("cargo build").0 == "deny";
    assert!(stops("a"));
    let compiled = || machine.tollgate("compile");
    std::fs::write(&path, text.replace("\"block\"", "\"warn\"")).unwrap();
    compiled().shows(&["compiled: 1 pattern"]).run();
    assert!(!stops("b"));
    std::fs::write(&path, "{ not json").unwrap();
    compiled()
        .shows(&["index not compiled:", "is no index"])
        .run();
    assert!(!stops("c"), "the last good one holds");
    std::fs::write(&path, &text).unwrap();
    // The next call notices, and the one after it is judged by it.
    stops("d");
    let mut tries = (0..100).map(|n| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        stops(&format!("e{n}"))
    });
    assert!(tries.any(|stopped| stopped), "it is compiled by itself");
    // A damaged table is none, and is made anew.
    std::fs::write(machine.at("state/index/table"), "garbage").unwrap();
    stops("f");
    let mut tries = (0..100).map(|n| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        stops(&format!("g{n}"))
    });
    assert!(tries.any(|stopped| stopped), "it is made anew by itself");
}

#[test]
fn an_index_that_is_gone_is_learned_anew() {
    let machine = owned();
    broken(&machine, 0..3);
    let id = id_of(&learned(&machine));
    std::fs::remove_file(machine.at("state/index/anti_pattern_index.json")).unwrap();
    machine
        .tollgate("compile")
        .shows(&["compiled: 1 pattern"])
        .run();
    machine.tollgate("index list").shows(&[&id]).run();
}

#[test]
fn a_session_that_ends_has_it_learned() {
    let machine = owned();
    broken(&machine, 0..3);
    Player::new(&machine, "s9").ends();
    let mut tries = (0..100).map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        exported(&machine).contains("npm-test-")
    });
    assert!(tries.any(|learned| learned));
}

/// A pattern that stops until it is proved.
fn stopped(machine: &Machine) -> String {
    broken(machine, 0..3);
    let id = id_of(&learned(machine));
    owner(machine, &format!("index confirm {id}"));
    for strike in 0..6 {
        Player::new(machine, &format!("x{strike}")).judged("npm test");
    }
    id
}

#[test]
fn what_works_by_now_is_proved_and_runs() {
    let machine = owned();
    machine.script(
        "path/npm",
        "test -f mended || { echo no module >&2; exit 1; }",
    );
    let id = stopped(&machine);
    let prove = |line: &str| machine.tollgate(line).cwd("home/app");
    let line = format!("prove {id}");
    prove(&line)
        .status(4)
        .shows(&["not proved: it failed in a copy", "no module"])
        .run();
    assert_eq!(Player::new(&machine, "y").judged("npm test").0, "deny");
    machine.write("home/app/mended", "");
    prove(&line)
        .shows(&[
            "proved: it went well in a copy",
            "three times in 30 minutes",
        ])
        .run();
    assert!(!machine.at("home/app/made-by-npm").exists());
    let mut player = Player::new(&machine, "z");
    assert_eq!(player.works("npm test"), "");
    assert_eq!(
        player.judged("npm test").0,
        "",
        "it went well: the row is over"
    );
    machine
        .tollgate(&format!("index show {id}"))
        .shows(&["0 right, 1 wrong"])
        .run();
}

#[test]
fn two_proofs_that_fail_are_enough_for_an_hour() {
    let machine = owned();
    let id = stopped(&machine);
    machine.script("path/npm", "exit 1");
    let prove = || machine.tollgate(&format!("prove {id}")).cwd("home/app");
    for _ in 0..2 {
        prove().status(4).shows(&["not proved"]).run();
    }
    machine.script("path/npm", "true");
    prove()
        .status(4)
        .complains(&["2 proofs", "ask the user"])
        .run();
    owner(&machine, "strikes clear");
    prove().shows(&["proved"]).run();
}

#[test]
fn a_test_shows_something_only_if_it_failed_before() {
    let machine = owned();
    machine.make_dirty();
    let id = stopped(&machine);
    machine.script("path/check", "grep -q mended README.md");
    machine.script("path/always", "true");
    machine.write("home/app/README.md", "mended");
    let prove = |test: &str| {
        let line = format!("prove {id} -- {test}");
        machine.tollgate(&line).cwd("home/app")
    };
    prove("always")
        .status(4)
        .shows(&["passes at ", "it shows nothing"])
        .run();
    prove("check")
        .shows(&["proved: `check` fails at ", "and passes now"])
        .run();
    let (verdict, _) = Player::new(&machine, "y").judged("npm test");
    assert_eq!(verdict, "");
    // A test is held against the gates like any other command.
    machine
        .tollgate(&format!("prove {id} -- rm -rf /"))
        .cwd("home/app")
        .status(1)
        .complains(&["would be held besides"])
        .run();
}

#[test]
fn a_proof_lifts_nothing_that_a_person_wrote() {
    let machine = owned();
    owner(
        &machine,
        "index add --reason no --action block_autotest -- npm test",
    );
    let index: Value = serde_json::from_str(&exported(&machine)).unwrap();
    let id = id_of(&index["patterns"]);
    machine
        .tollgate(&format!("prove {id}"))
        .cwd("home/app")
        .status(1)
        .complains(&["written by a person", "ask the user"])
        .run();
}

/// A session file of the host in which a command failed so often.
fn past_session(machine: &Machine, name: &str, calls: &[(&str, &str)]) {
    let base = |more: Value| {
        let mut line = json!({"sessionId": name, "cwd": machine.at("home/app"),
            "timestamp": "2026-11-20T10:00:00.000Z", "version": "2.1.332"});
        line.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        line.to_string()
    };
    let lines = calls.iter().enumerate().flat_map(|(at, (command, error))| {
        let id = format!("{name}-{at}");
        let used = json!({"type": "tool_use", "id": id, "name": "Bash",
            "input": {"command": command}});
        let mut result = json!({"type": "tool_result", "tool_use_id": id, "content": "fine"});
        if !error.is_empty() {
            result["content"] = (*error).into();
            result["is_error"] = true.into();
        }
        [
            base(json!({"type": "assistant", "message": {"role": "assistant", "content": [used]}})),
            base(json!({"type": "user", "message": {"role": "user", "content": [result]}})),
        ]
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    machine.write(&format!("home/.claude/projects/one/{name}.jsonl"), text);
}

#[test]
fn a_new_user_starts_with_their_own_past() {
    let machine = owned();
    for name in ["a", "b", "c"] {
        past_session(
            &machine,
            name,
            &[
                ("npm test", BROKEN),
                ("pnpm test", ""),
                ("pytest", "Exit code 1\n1 failed in 0.1s"),
            ],
        );
    }
    machine
        .tollgate("learn --from all")
        .shows(&[
            "9 ended calls in 1 project read",
            "1 command failing there now",
        ])
        .shows(&["new      npm-test-", "1 pattern learned"])
        .run();
    machine
        .tollgate("failing")
        .cwd("home/app")
        .shows(&[
            "1 command has been failing here",
            "3 times in 3 sessions",
            "pnpm test",
        ])
        .run();
    let told = Player::new(&machine, "x").before("npm test");
    assert!(
        told.contains("failed the same way the last 3 times"),
        "{told}"
    );
    assert!(
        told.contains("What worked afterwards: `pnpm test`"),
        "{told}"
    );
    // Read twice is as if it were read once.
    machine
        .tollgate("learn --from claude")
        .shows(&["1 pattern learned"])
        .run();
    machine
        .tollgate("failing")
        .cwd("home/app")
        .shows(&["3 times in 3 sessions"])
        .run();
}

#[test]
fn the_past_is_judged_anew() {
    let machine = owned();
    machine.make_dirty();
    past_session(
        &machine,
        "a",
        &[
            ("ls", ""),
            ("rm -rf ~", ""),
            ("git reset --hard", ""),
            ("cargo build x", ""),
        ],
    );
    past_session(
        &machine,
        "b",
        &[("rm -rf ~", ""), ("git commit -m 'cargo build x'", "")],
    );
    machine
        .tollgate("replay")
        .shows(&["6 calls in 2 sessions, judged as your files stand today"])
        .shows(&["Now 2 would be refused and 1 asked about."])
        .shows(&["2 refused", "policy/", "in session a"])
        .shows(&["rm -rf ~  (2×)"])
        .run();
    // A pattern that a person thinks of: what it would have stopped, before it holds.
    machine.write(
        "home/other/anti_pattern_index.json",
        json!([{"id": "slow", "match": {"tool_name": "Bash", "pattern": "^cargo\\s+build\\s+\\S+$"},
            "action": "block", "reason": "slow"}])
        .to_string(),
    );
    let other = machine.at("home/other");
    let line = format!("replay --against {} --json", other.display());
    let changed = {
        let out = machine.tollgate(&line).shows(&["cargo build x"]).run();
        let lines = out
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.collect::<Vec<Value>>()
    };
    let [one] = changed.as_slice() else {
        panic!("{changed:?}");
    };
    assert_eq!(
        (&one["call"], &one["level"], &one["before"]),
        (&json!("cargo build x"), &json!("deny"), &json!("allow"))
    );
    owner(
        &machine,
        "index add --reason slow --action block -- cargo build *",
    );
    machine
        .tollgate("replay")
        .shows(&["Now 3 would be refused", "anti_patterns/cargo-"])
        .run();
    machine
        .tollgate("replay --host nobody")
        .status(1)
        .complains(&["no agent is called nobody"])
        .run();
}

/// What a shell is given as a text is held against patterns like what it is given as words.
#[test]
fn a_pattern_holds_for_what_a_shell_is_given_as_a_text() {
    let machine = owned();
    owner(
        &machine,
        "index add --reason r1 --action block -- cargo build *",
    );
    owner(
        &machine,
        "index add --regex --reason r2 --action block -- kubectl.*apply",
    );
    let mut player = Player::new(&machine, "x");
    for (command, why) in [
        ("bash -c 'cargo build x'", "r1"),
        (
            "timeout 60 sh -ec 'cd k8s; kubectl -n web apply -f x'",
            "r2",
        ),
        (
            "bash -c 'git commit --allow-empty -m \"kubectl apply\"'",
            "",
        ),
        ("bash -c 'cargo check x'", ""),
    ] {
        let (verdict, said) = player.judged(command);
        assert_eq!(verdict == "deny", !why.is_empty(), "{command}: {said}");
        assert!(said.contains(why), "{command}: {said}");
    }
}

/// With strikes switched off where the host was started, everything warns at most; a variable that
/// only reaches the hook (a project's settings can set it) switches nothing off.
#[cfg(target_os = "linux")]
#[test]
fn strikes_are_switched_off_by_what_the_host_was_started_with() {
    const OFF: &str = "STRIKE_TRACKING_ENABLED=false";
    for is_launched_off in [true, false] {
        let machine = owned();
        owner(
            &machine,
            "index add --reason r1 --action block_suggest -- cargo build *",
        );
        for strike in 1..4 {
            let payload = json!({"session_id": format!("s{strike}"),
                "cwd": machine.at("home/app"), "permission_mode": "default",
                "hook_event_name": "PreToolUse", "tool_name": "Bash",
                "tool_input": {"command": "cargo build x"}, "tool_use_id": format!("t{strike}")});
            let real = machine.hook_command("PreToolUse");
            let mut host = std::process::Command::new("timeout");
            host.args(["20", "env", OFF]).arg(real.get_program());
            host.args(real.get_args()).env_clear();
            host.current_dir(machine.at("home/app"));
            let set = real.get_envs();
            host.envs(set.filter_map(|(name, value)| Some((name, value?))));
            let off = OFF.split_once('=').filter(|_| is_launched_off);
            host.envs(off);
            let out = sent(&mut host, payload.to_string().as_bytes());
            let said = String::from_utf8_lossy(&out.stdout).into_owned();
            let is_stopped = said.contains("\"deny\"");
            assert!(said.contains("r1"), "{strike}: {said}");
            assert_eq!(
                is_stopped,
                strike > 1 && !is_launched_off,
                "{strike}: {said}"
            );
        }
    }
}

/// Three proofs that held, each in a session of its own: it is only counted again.
#[test]
fn what_was_proved_three_times_is_only_counted_again() {
    let machine = owned();
    machine.script("path/npm", "test -f mended || exit 1");
    machine.write("home/app/mended", "");
    let id = stopped(&machine);
    for round in 0..3 {
        assert_eq!(learned(&machine)[0]["confirmed"], json!(true));
        assert_ne!(learned(&machine)[0]["action"], json!("shadow"), "{round}");
        for session in 0..2 {
            let mut player = Player::new(&machine, &format!("f{round}{session}"));
            player.fails("npm test", BROKEN);
        }
        let prove = machine.tollgate(&format!("prove {id}")).cwd("home/app");
        prove.shows(&["proved: "]).run();
        assert_eq!(
            Player::new(&machine, &format!("p{round}")).works("npm test"),
            ""
        );
    }
    assert_eq!(learned(&machine)[0]["action"], json!("shadow"));
}

/// Nobody runs it any more: after two hundred sessions it goes.
#[test]
fn what_has_not_failed_in_two_hundred_sessions_is_retired() {
    let machine = owned();
    broken(&machine, 0..3);
    let id = id_of(&learned(&machine));
    let session = |number: usize| {
        let mut player = Player::new(&machine, &format!("later{number}"));
        player.works("pnpm test");
    };
    (0..199).for_each(session);
    assert_eq!(learned(&machine)[0]["retired"], Value::Null);
    session(199);
    let told = machine.tollgate("learn").shows(&["retired", &id]).run();
    assert!(told.contains("0 patterns learned"), "{told}");
    let why = "it has not failed in 200 sessions";
    assert_eq!(learned(&machine)[0]["retired"], json!(why));
}

/// What a message of calls does at once is one strike, whatever stands in it.
#[test]
fn calls_that_come_at_once_in_a_session_are_one_strike() {
    let machine = owned();
    owner(
        &machine,
        "index add --reason r1 --action block_suggest -- cargo build *",
    );
    let mut player = Player::new(&machine, "x");
    let at_once = ["cargo build a", "cargo build b", "cargo build c"];
    let said = at_once.map(|command| player.judged(command));
    // A machine that is slow may have taken longer than that for the last.
    assert_eq!((&*said[0].0, &*said[1].0), ("", ""), "{said:?}");
    assert_eq!(Player::new(&machine, "y").judged("cargo build d").0, "deny");
}
