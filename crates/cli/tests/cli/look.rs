//! What only looks: `check`, `explain`, `status`, and how output behaves.

use std::fs;
use std::io::Read;

use crate::common::{Machine, files};

#[test]
fn check_answers_by_its_status() {
    let machine = Machine::new();
    machine.make_dirty();
    let check = |line: &str, status: i32, parts: &[&str]| {
        machine
            .tollgate(&format!("check '{line}'"))
            .status(status)
            .shows(parts)
            .run();
    };
    check("git status", 0, &["let through\n"]);
    check("git commit -m \"rm -rf / is bad\"", 0, &["let through\n"]);
    check(
        "git reset --hard",
        3,
        &["asks a human\n", "would discard", "[policy/git.discard]"],
    );
    check("rm -rf ~/", 4, &["refused\n", "Not run: "]);
    let elsewhere = machine.tollgate("check --cwd /").arg("git reset --hard");
    elsewhere.shows(&["let through"]).run();
    let missing = machine.tollgate("check --call no-such-file").status(1);
    missing
        .complains(&["tollgate: cannot read no-such-file: "])
        .run();
}

#[test]
fn check_reads_a_hosts_event() {
    let machine = Machine::new();
    machine.make_dirty();
    machine.write(
        "home/app/call.json",
        machine.payload("git reset --hard").to_string(),
    );
    let test = machine.tollgate("check --call call.json").status(3);
    let answer = test.json().remove(0);
    assert_eq!(
        (&answer["level"], &answer["would_be"]),
        (&"ask".into(), &"ask".into())
    );
    assert_eq!(answer["findings"][0], "policy/git.discard");
    machine.write("home/app/call.json", "{ \"tool");
    machine
        .tollgate("check --call call.json")
        .status(1)
        .complains(&["tollgate: "])
        .run();
    for line in [
        "check --call call.json --agent nobody",
        "check ls --agent nobody",
    ] {
        let host = machine.tollgate(line).status(1);
        host.complains(&["no host is called `nobody`; known: claude"])
            .run();
    }
}

#[test]
fn check_remembers_nothing() {
    let machine = Machine::new();
    machine.init();
    let before = files(&machine.at("state"));
    machine
        .tollgate("check")
        .arg("rm -rf ~/")
        .status(4)
        .shows(&["refused"])
        .run();
    machine
        .tollgate("explain")
        .arg("rm -rf ~/")
        .shows(&["refused"])
        .run();
    assert_eq!(files(&machine.at("state")), before);
}

#[test]
fn who_only_looks_makes_nothing() {
    let machine = Machine::new();
    let before = files(&machine.root);
    let looks = [
        ("status", 0, "not gated"),
        ("check ls", 0, "let through"),
        ("explain ls", 0, "let through"),
        ("log", 0, "nothing was judged yet"),
        ("log verify", 0, "0 records whole"),
        ("rules list", 0, "git.discard"),
        ("doctor", 1, "nothing is remembered in [ROOT]/state yet"),
    ];
    for (line, status, shown) in looks {
        machine.tollgate(line).status(status).shows(&[shown]).run();
        assert!(
            !machine.at("state").exists(),
            "{line} made the state directory"
        );
    }
    let nothing = [
        ("explain", "no call was judged yet"),
        ("session show", "no session is remembered"),
    ];
    for (line, complaint) in nothing {
        machine
            .tollgate(line)
            .status(1)
            .complains(&[complaint])
            .run();
        assert!(
            !machine.at("state").exists(),
            "{line} made the state directory"
        );
    }
    assert_eq!(files(&machine.root), before);
}

#[test]
fn a_directory_that_is_not_there_is_said() {
    let machine = Machine::new();
    for command in ["check ls", "explain ls"] {
        machine
            .tollgate(&format!("{command} --cwd gone"))
            .status(1)
            .complains(&["there is no directory gone"])
            .run();
    }
}

#[test]
fn a_reason_is_said_once() {
    let machine = Machine::new();
    machine.write("state", "a file");
    let shown = machine
        .tollgate("status")
        .shows(&["state: could not open"])
        .run();
    assert_eq!(shown.matches("Not a directory").count(), 1, "{shown}");
    machine
        .tollgate("explain last")
        .status(1)
        .complains(&[
            "could not open [ROOT]/state",
            "move away what is in its place",
        ])
        .run();
}

/// One screen.
fn is_one_screen(text: &str) {
    assert!(text.lines().count() <= 24, "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
}

#[test]
fn explain_last_is_one_screen_for_a_newcomer() {
    let machine = Machine::new();
    machine.init();
    let nothing = machine.tollgate("explain").status(1);
    nothing
        .complains(&["no call was judged yet; to see one: tollgate demo"])
        .run();
    machine.make_dirty();
    machine.bash("git reset --hard");
    machine.bash("git status");
    let text = machine.tollgate("explain last");
    let text = text.shows(&[
        "What was seen\n  git reset --hard\n",
        "in ~/app, by the worker, ",
        "It was held: a person should say yes first.",
        "What it would do\n  discard uncommitted work in ~/app",
        "1 file that exists nowhere else (main.rs +1 −0)",
        "What was looked up\n",
        "Why it is held\n",
        "[policy/git.discard]",
        "How to go on\n",
        "First: `git stash push",
        "run it yourself in a terminal",
        "tollgate rules show git.discard",
        "Answer: ask",
    ]);
    let told = text.run();
    is_one_screen(&told);
    assert!(!told.contains("not found"), "{told}");
    let record = machine.tollgate("explain last").json().remove(0);
    assert_eq!(record["summary"], "git reset --hard");
    let id = format!("5e55104e-{}", record["seq"]);
    let wrong = machine.tollgate("explain 5e55104e-99").status(1);
    wrong
        .complains(&["there is no record 5e55104e-99; tollgate log lists them"])
        .run();
    machine
        .tollgate("explain")
        .arg(&id)
        .shows(&[&format!("record {id}"), "Answer: ask"])
        .run();
}

#[test]
fn explain_shows_what_the_host_is_told() {
    let machine = Machine::new();
    machine.make_dirty();
    for command in [
        "git reset --hard",
        "rm -rf ~/",
        "bash -c 'eval \"rm -rf ~\"' && git push --force origin main; rm -rf /etc /usr > /dev/sda",
        "ls",
    ] {
        let test = machine.tollgate("explain").arg(command);
        let text = test.shows(&[
            "What is asked about",
            "Answer: ",
            "Claude Code is told: exit ",
        ]);
        is_one_screen(&text.run());
    }
    let json = machine
        .tollgate("explain")
        .arg("git reset --hard")
        .json()
        .remove(0);
    assert_eq!(json["judged"]["level"], "ask");
    assert_eq!(json["reply"]["exit"], 0);
    assert_eq!(json["parsed"]["commands"], 1);
}

#[test]
fn status_says_how_things_stand() {
    let machine = Machine::new();
    machine
        .tollgate("")
        .shows(&["not gated", "nothing yet", "Next: tollgate demo"])
        .run();
    machine.init();
    machine.bash("git push --force origin main");
    let status = machine.tollgate("status");
    status
        .shows(&[
            "tollgate  profile guard, built in",
            "Claude Code          gated by ~/.claude/settings.json",
            "gate policy          block  built in",
            "sessions             1: 1 call, 0 asked, 1 refused",
            "last seen            tool_before 0 s ago",
            "speed                median ",
            "Next: tollgate log · tollgate explain last · tollgate doctor",
        ])
        .run();
    let json = machine.tollgate("status").json().remove(0);
    assert_eq!((&json["calls"], &json["refused"]), (&1.into(), &1.into()));
    assert_eq!(json["profile"]["name"], "guard");
    assert!(json["micros"]["p95"].as_u64() > Some(0));
}

#[test]
fn status_survives_a_state_that_cannot_be_used() {
    let machine = Machine::new();
    machine.write("no-directory", "");
    let status = machine
        .tollgate("status")
        .env("TOLLGATE_HOME", machine.at("no-directory"));
    status
        .shows(&["broken", "state: ", "no-directory", "Next: "])
        .run();
}

#[test]
fn the_gate_goes_off_and_on() {
    let machine = Machine::new();
    machine.init();
    machine
        .tollgate("off --for 30m --reason lunch")
        .shows(&["off: nothing is judged for "])
        .run();
    assert_eq!(machine.bash("rm -rf ~/").status.code(), Some(0));
    let status = machine.tollgate("status");
    status
        .shows(&[
            "switched off",
            "for another 29 min: lunch",
            "Next: tollgate on",
        ])
        .run();
    machine
        .tollgate("on")
        .shows(&["on: every call is judged again"])
        .run();
    assert_eq!(machine.bash("rm -rf ~/").status.code(), Some(2));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let machine = Machine::new();
    for line in ["rules list", "rules settings", "demo", "--help"] {
        let mut child = machine.tollgate(line).start();
        drop(child.stdout.take());
        let mut complaint = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut complaint)
            .unwrap();
        assert_eq!(
            (child.wait().unwrap().code(), complaint.as_str()),
            (Some(0), ""),
            "{line}"
        );
    }
}

#[test]
fn hook_mode_never_speaks_of_usage() {
    let machine = Machine::new();
    let payload = machine.payload("rm -rf ~/").to_string();
    let denied = machine
        .tollgate("hook claude PreToolUse")
        .stdin(&payload)
        .status(2);
    denied
        .shows(&["\"permissionDecision\":\"deny\""])
        .complains(&["Not run: "])
        .run();
    for line in [
        "hook",
        "hook nobody",
        "hook --nothing x",
        "hook nobody PreToolUse and more",
    ] {
        let test = machine.tollgate(line).stdin(&payload).status(2);
        test.complains(&["tollgate fault, not a policy decision: no host is called"])
            .run();
    }
}

#[test]
fn a_present_directory_that_is_gone_is_said() {
    let machine = Machine::new();
    let sub = machine.at("home/app/sub");
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", "rmdir \"$PWD\"; exec \"$0\" status"])
        .arg(machine.at("bin/tollgate"));
    let out = shell
        .current_dir(&sub)
        .env("TOLLGATE_HOME", machine.at("state"))
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        complaint.contains("the present directory is gone; cd elsewhere"),
        "{complaint}"
    );
    assert!(!fs::exists(sub).unwrap());
}

#[test]
fn check_in_observe_says_what_guard_would_do() {
    let machine = Machine::new();
    machine.make_dirty();
    machine.write(
        "home/.config/tollgate/config.toml",
        "profile = \"observe\"\n",
    );
    machine
        .tollgate("compile")
        .shows(&["compiled: 1 layer"])
        .run();
    let check = machine.tollgate("check").arg("git reset --hard");
    check
        .shows(&[
            "let through",
            "in profile guard it would be held:",
            "would discard",
        ])
        .run();
}

#[test]
fn check_knows_what_the_session_made() {
    let machine = Machine::new();
    machine.init();
    let made = machine.payload("echo draft > draft.txt");
    machine.hook("PreToolUse", &made);
    machine.write("home/app/draft.txt", "draft\n");
    let mut done = made.clone();
    done["hook_event_name"] = "PostToolUse".into();
    done["tool_response"] = serde_json::json!({});
    machine.hook("PostToolUse", &done);
    machine.write(
        "home/app/call.json",
        machine.payload("rm draft.txt").to_string(),
    );
    machine
        .tollgate("check --call call.json")
        .shows(&["let through"])
        .run();
    machine
        .tollgate("check")
        .arg("rm draft.txt")
        .status(3)
        .shows(&["asks a human"])
        .run();
}

#[test]
fn where_nobody_can_be_asked_a_question_is_a_refusal() {
    let machine = Machine::new();
    machine.make_dirty();
    let payload = machine.payload("git reset --hard").to_string();
    let hook = machine
        .tollgate("hook claude PreToolUse")
        .stdin(payload)
        .status(2);
    hook.shows(&["\"deny\""]).complains(&["Not run: "]).run();
    machine
        .tollgate("log")
        .shows(&["refused git reset --hard"])
        .run();
    let explain = machine.tollgate("explain last");
    explain
        .shows(&["It was refused: a person should say yes first, and nobody was there to ask."])
        .shows(&["Why it is refused", "Answer: ask"])
        .run();
}
