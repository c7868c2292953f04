//! What calls leave and what is said of it later: through the installed hook and the command line.

use serde_json::{Value, json};

use crate::player::{BROKEN, Player, machine};

#[test]
fn what_failed_in_two_sessions_is_told_in_the_third_with_what_worked() {
    let machine = machine();
    for session in ["one", "two"] {
        let mut player = Player::new(&machine, session);
        assert_eq!(player.fails("npm test", BROKEN), "");
        assert_eq!(player.works("pnpm test"), "");
    }
    let mut third = Player::new(&machine, "three");
    for other in [
        "npm test -- a",
        "npm install",
        "git commit -m 'npm test'",
        "pnpm test",
    ] {
        assert_eq!(third.before(other), "", "{other}");
    }
    let told = third.before("npm test");
    for part in [
        "`npm test` failed the same way the last 2 times, in 2 sessions since ",
        "with: Error: Cannot find module '/x/vitest.mjs'.",
        "What worked afterwards: `pnpm test`.",
    ] {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(third.before("npm test"), "", "once a session");
    let list = [
        "1 command has been failing here for ",
        "npm test",
        "2 times in 2 sessions",
    ];
    machine
        .tollgate("failing")
        .shows(&list)
        .shows(&["afterwards worked: pnpm test"])
        .run();
    machine
        .tollgate("status")
        .shows(&["failing", "1 command has been failing here"])
        .run();
    // It is mended: the row ends at its first success, and nobody hears of it again.
    third.works("npm test");
    assert_eq!(Player::new(&machine, "four").before("npm test"), "");
    machine
        .tollgate("failing")
        .shows(&["nothing keeps failing", "told: 0 failed again"])
        .run();
}

#[test]
fn a_row_that_is_dropped_is_not_told() {
    let machine = machine();
    for session in ["one", "two"] {
        Player::new(&machine, session).fails("npm test", BROKEN);
    }
    let said = machine.tollgate("failing").json();
    assert_eq!(said[0]["command"], "npm test");
    assert_eq!(
        (&said[0]["times"], &said[0]["error"]),
        (&json!(2), &json!("missing_module"))
    );
    machine
        .tollgate("failing drop 2")
        .status(1)
        .complains(&["there is no number 2"])
        .run();
    machine
        .tollgate("failing drop 1")
        .shows(&["npm test is not told of any more"])
        .run();
    assert_eq!(Player::new(&machine, "three").before("npm test"), "");
}

#[test]
fn red_tests_and_empty_searches_never_say_anything() {
    let machine = machine();
    let red = "Exit code 1\nE   assert 1 == 2\n=== 1 failed, 3 passed in 0.12s ===";
    for session in ["one", "two", "three", "four"] {
        let mut player = Player::new(&machine, session);
        assert_eq!(player.fails("pytest -q", red), "", "{session}");
        assert_eq!(player.fails("grep x y", "Exit code 1"), "", "{session}");
        assert_eq!(
            player.fails("npm run slow", "Exit code 124\nstill at it"),
            "",
            "{session}"
        );
    }
    machine
        .tollgate("failing")
        .shows(&["nothing keeps failing"])
        .run();
}

#[test]
fn observations_are_printed_and_exported_without_secrets() {
    let machine = machine();
    let mut player = Player::new(&machine, "one");
    player.works("npm run build && npm test");
    player.fails(
        "cd src; npm run x --token hunter2hunter2",
        "Exit code 1\nnpm ERR! Missing script: \"x\"",
    );
    machine
        .tollgate("observations")
        .shows(&["ok", "npm test", "failed", "npm run x", "(1)"])
        .run();
    let all = machine.tollgate("observations").json();
    let [good, bad] = all.as_slice() else {
        panic!("{all:?}");
    };
    assert_eq!(
        (&good["outcome"]["status"], &good["action_type"]),
        (&json!("success"), &json!("test_run"))
    );
    assert_eq!(good["also"], json!(["npm run build"]));
    assert_eq!(
        (&bad["outcome"]["status"], &bad["outcome"]["exit"]),
        (&json!("failure"), &json!(1))
    );
    assert_eq!(
        (&bad["error"], &bad["agent_id"]),
        (&json!("missing_target"), &json!("claude"))
    );
    assert_eq!(
        (&bad["dir"], &bad["millis"]),
        (&json!("src"), &json!(1_500))
    );
    let text = Value::from(all).to_string();
    assert!(!text.contains("hunter2"), "{text}");
    machine
        .tollgate("observations --failed")
        .shows(&["npm run x"])
        .run();
    machine
        .tollgate("log verify")
        .shows(&["records whole, 0 damaged or missing", "integrity"])
        .run();
}

#[test]
fn every_host_that_tells_an_end_is_observed() {
    let machine = machine();
    let cwd = machine.at("home/app");
    for (host, event, payload, outcome) in [
        (
            "codex",
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_use_id": "c", "tool_input": {"command": "rg x"},
                "tool_response": "bash: line 1: rg: command not found\n"}),
            ("failure", "missing_program"),
        ),
        (
            "copilot",
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_input": {"command": "ls x"}, "tool_result": {
                "result_type": "success", "text_result_for_llm":
                "ls: cannot access 'x': No such file\n<shellId: 1 completed with exit code 2>"}}),
            ("failure", "missing_file"),
        ),
        (
            "gemini",
            "AfterTool",
            json!({"tool_name": "run_shell_command", "tool_input": {"command": "ls"},
                "tool_response": {"llmContent": "Output: a\nProcess Group PGID: 2"}}),
            ("success", ""),
        ),
        (
            "opencode",
            "tool_failed",
            json!({"tool_name": "bash", "call_id": "o", "tool_input": {"command": "just x"},
                "exit": 127, "output": "sh: 1: just: not found"}),
            ("failure", "missing_program"),
        ),
        (
            "qwen",
            "PostToolUseFailure",
            json!({"tool_name": "run_shell_command", "tool_use_id": "q",
                "tool_input": {"command": "git pull"},
                "error": "Output: fatal: not a git repository\nError: (none)\nExit Code: 128"}),
            ("failure", "wrong_directory"),
        ),
    ] {
        let mut payload = payload;
        payload["session_id"] = format!("s-{host}").into();
        payload["cwd"] = cwd.to_str().unwrap().into();
        payload["hook_event_name"] = event.into();
        let out = machine.hook_of((host, event), &payload, &[]);
        assert!(out.status.success(), "{host}: {out:?}");
        let all = machine.tollgate("observations").json();
        let one = all.iter().find(|one| one["agent_id"] == host);
        let one = one.unwrap_or_else(|| panic!("nothing of {host} in {all:?}"));
        let seen = (one["outcome"]["status"].as_str(), one["error"].as_str());
        assert_eq!(seen, (Some(outcome.0), Some(outcome.1)), "{one}");
    }
}

#[test]
fn what_is_not_there_is_told_before_any_memory() {
    let machine = machine();
    machine.write(
        "home/app/package.json",
        r#"{"scripts":{"build":"x","lint":"y"}}"#,
    );
    machine.write("home/app/Makefile", "all:\n\ttrue\n");
    machine.script("path/make", "true");
    machine.script("path/brew", "true");
    machine.script("home/app/node_modules/.bin/frobtool", "true");
    let mut player = Player::new(&machine, "one");
    for (command, told) in [
        ("frobnicate --x", "`frobnicate` is not on the PATH here."),
        (
            "frobtool x",
            "`frobtool` is not on the PATH here; `npx frobtool` is there.",
        ),
        (
            "npm run biuld",
            "package.json has no `biuld`; it has: build, lint.",
        ),
        ("make test", "Makefile has no `test`; it has: all."),
        ("cd nowhere && ls", "There is no directory `nowhere` here."),
    ] {
        assert_eq!(player.before(command), told, "{command}");
    }
    for fine in [
        "frobnicate --x",
        "npm run build",
        "make all",
        "cd sub && ls",
        "mkdir new && cd new",
        "command -v frob2 && frob2",
        "brew install frob3 && frob3",
        "frob4() { true; }; frob4",
        "cat nofile",
        "cat <<'E' > x\nfrob5\nE",
        "echo \"frob6 x\"",
        "PATH=/opt/x frob7",
        "npx frob10 --x",
        "timeout 5 uvx frob11",
        "if false; then frob8; fi",
        "./frob9",
    ] {
        assert_eq!(player.before(fine), "", "{fine}");
    }
    // A function of the shell's: it worked, so nobody is told again.
    player.works("frobnicate --x");
    assert_eq!(Player::new(&machine, "two").before("frobnicate --x"), "");
}

#[test]
fn a_lock_that_was_left_behind_is_told() {
    let machine = machine();
    machine.write("home/app/.git/index.lock", "");
    let lock = machine.at("home/app/.git/index.lock");
    let file = std::fs::File::options().write(true).open(&lock).unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
    file.set_modified(old).unwrap();
    let mut player = Player::new(&machine, "one");
    let told = player.before("git add .");
    // Other tests may run git right now; then it is not left behind.
    assert!(
        told.is_empty() || told.contains("index.lock is there, and no git is running"),
        "{told}"
    );
    assert_eq!(player.before("git status"), "");
    std::fs::remove_file(lock).unwrap();
    assert_eq!(player.before("git add ."), "");
}

#[test]
fn a_host_that_keeps_the_status_in_its_session_file_is_told_too() {
    let machine = machine();
    let transcript = machine.at("home/.codex/sessions/rollout.jsonl");
    let send = |session: &str, event: &str, more: Value| {
        let mut payload = json!({
            "session_id": session, "cwd": machine.at("home/app"), "hook_event_name": event,
            "transcript_path": transcript, "tool_name": "Bash",
            "tool_input": {"command": "npm test"}, "tool_use_id": format!("call_{session}"),
        });
        let fields = payload.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        let out = machine.hook_of(("codex", event), &payload, &[]);
        String::from_utf8(out.stdout).unwrap()
    };
    for session in ["one", "two"] {
        assert_eq!(send(session, "PreToolUse", json!({})), "");
        let item = json!({"type": "CommandExecution", "id": format!("call_{session}"),
            "status": "failed", "exit_code": 1});
        let line =
            json!({"type": "event_msg", "payload": {"type": "item_completed", "item": item}});
        machine.write("home/.codex/sessions/rollout.jsonl", format!("{line}\n"));
        let printed = "Error: Cannot find module 'x'\n    at main\nNode.js v22";
        send(session, "PostToolUse", json!({"tool_response": printed}));
    }
    send("three", "SessionStart", json!({"source": "startup"}));
    let told = send("three", "PreToolUse", json!({}));
    assert!(
        told.contains("`npm test` failed the same way the last 2 times"),
        "{told}"
    );
}

#[test]
fn nothing_is_published_that_was_changed_and_not_tested() {
    let machine = machine();
    machine.make_dirty();
    let push = "git push origin topic";
    let changes = |player: &mut Player<'_>, path: &str| {
        player.writes(path);
    };
    // Nobody has asked for it: then it is not there.
    let mut player = Player::new(&machine, "zero");
    changes(&mut player, "src/a.rs");
    assert_eq!(player.judged(push).0, "");
    let settings = "[gates]\ntest_evidence = \"block\"\n[test_evidence]\npaths = [\"src/**\"]\n";
    machine.write("home/.config/tollgate/config.toml", settings);
    machine.tollgate("compile").shows(&["compiled"]).run();
    let mut player = Player::new(&machine, "one");
    assert_eq!(player.judged(push).0, "", "nothing was changed");
    changes(&mut player, "docs/a.md");
    assert_eq!(player.judged(push).0, "", "nothing that counts was changed");
    changes(&mut player, "src/a.rs");
    let (verdict, why) = player.judged(push);
    assert_eq!(verdict, "deny");
    assert!(
        why.contains("src/a.rs was changed, and no test has gone well since"),
        "{why}"
    );
    player.fails("pytest", "Exit code 1\n1 failed in 0.1s");
    player.works("pytest | tail -1");
    player.works("echo pytest");
    assert_eq!(
        player.judged(push).0,
        "deny",
        "none of these is a test that went well"
    );
    player.works("pytest");
    assert_eq!(player.judged(push).0, "");
    player.works("sed -i s/a/b/ src/a.rs");
    assert_eq!(player.judged(push).0, "deny", "changed again");
    assert_eq!(
        player.judged("git commit -m x").0,
        "",
        "only what is published is held"
    );
}

/// The prompt names what keeps failing here: said with it, before the call.
#[test]
fn a_prompt_that_names_what_keeps_failing_is_told_so() {
    let machine = machine();
    let config = "profile = \"coach\"\n";
    machine.write("home/.config/tollgate/config.toml", config);
    machine.tollgate("compile").shows(&["compiled"]).run();
    for session in ["one", "two"] {
        let mut player = Player::new(&machine, session);
        player.fails("npm test", BROKEN);
        player.works("pnpm test");
    }
    let prompt = |session: &str, text: &str| {
        let payload = json!({"session_id": session, "cwd": machine.at("home/app"),
            "permission_mode": "default", "hook_event_name": "UserPromptSubmit", "prompt": text});
        let out = machine.hook("UserPromptSubmit", &payload);
        String::from_utf8(out.stdout).unwrap()
    };
    // Of the hints one in five is withheld.
    let told = ["a", "b", "c", "d"].map(|session| prompt(session, "please run `npm test` again."));
    let said = "what failed before: 'npm test the last 2 times, in 2 sessions, with: Error";
    let said = said.replace('\'', "");
    let count = told
        .iter()
        .filter(|told| told.replace(['\\', '"'], "").contains(&said))
        .count();
    assert!(count > 1, "{told:?}");
    assert!(
        told.iter()
            .any(|told| told.contains("afterwards pnpm test worked")),
        "{told:?}"
    );
    for other in ["please run npm test:unit again", "what does npm do?"] {
        assert!(!prompt("e", other).contains("failed before"), "{other}");
    }
}
