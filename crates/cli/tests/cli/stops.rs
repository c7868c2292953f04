//! The end of a turn while a review is owed, event by event through the installed hook, and the
//! verdicts through the command line.

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use super::common::{Machine, SESSION};

const PASS: &str = "### NO ISSUES FOUND\n### VERDICT: PASS WORD";
const FAIL: &str = "### FINDING-1: the last line is lost\nseverity: high\nwhere: main.rs:2\n\
                    It is dropped.\n### VERDICT: FAIL WORD";

/// A gated machine with work in progress, a session, and these settings.
fn machine(config: &str) -> Machine {
    let machine = Machine::new();
    machine.make_dirty();
    machine.init();
    if !config.is_empty() {
        machine.write("home/.config/tollgate/config.toml", config);
        machine.tollgate("compile").shows(&["compiled:"]).run();
    }
    event(&machine, "SessionStart", json!({"source": "startup"}));
    machine
}

fn registered(config: &str) -> Machine {
    let machine = machine(config);
    machine
        .tollgate("review request 'the parser'")
        .shows(&["R1 is owed", "tollgate review run"])
        .run();
    machine
}

fn event(machine: &Machine, name: &str, more: Value) -> Output {
    let mut payload = json!({
        "session_id": SESSION, "cwd": machine.at("home/app"),
        "permission_mode": "default", "hook_event_name": name,
    });
    let members = payload.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    machine.hook(name, &payload)
}

fn said(out: &Output) -> Value {
    match out.stdout.as_slice() {
        [] => Value::Null,
        text => serde_json::from_slice(text).unwrap(),
    }
}

/// What a stop is told that is held up; nothing if it goes.
fn stop(machine: &Machine) -> Option<String> {
    let said = said(&event(machine, "Stop", json!({"stop_hook_active": false})));
    let is_held = said["decision"] == "block";
    is_held.then(|| said["reason"].as_str().unwrap_or_default().to_owned())
}

fn prompt(machine: &Machine, text: &str) {
    event(machine, "UserPromptSubmit", json!({ "prompt": text }));
}

/// How the verdict of a command that answers with these lines is run.
fn judge(machine: &Machine, lines: &str) -> String {
    let file = machine.at("judge.sh");
    let word = "all=$(cat); printf '%s' \"$all\" > \"$HOME/asked\"\n\
                word=$(printf '%s\\n' \"$all\" | sed -n 's/^### VERDICT: PASS //p')";
    let script = format!("{word}\nsed \"s/WORD/$word/\" <<'END'\n{lines}\nEND\n");
    fs::write(&file, script).unwrap();
    format!("review run --with 'sh {}'", file.display())
}

fn approve(machine: &Machine) {
    let run = judge(machine, PASS);
    machine.tollgate(&run).shows(&["passed"]).run();
}

fn check(machine: &Machine, status: i32, part: &str) {
    machine
        .tollgate("review check")
        .status(status)
        .shows(&[part])
        .run();
}

#[test]
fn without_a_review_a_turn_ends() {
    let machine = machine("");
    assert_eq!(stop(&machine), None);
    check(&machine, 0, "no review is registered");
    machine
        .tollgate("review list")
        .shows(&["no review was registered here"])
        .run();
}

#[test]
fn a_turn_ends_when_the_work_is_approved_as_it_is() {
    let machine = registered("");
    prompt(&machine, "Make parse() keep the last line.");
    let told = stop(&machine).unwrap();
    for part in [
        "Not finished: review R1 of \"the parser\" is owed",
        "tollgate:reviewer",
        "review R1",
        "tollgate review run",
        "[reviews/owed]",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    check(
        &machine,
        4,
        "BLOCKED: review R1 of \"the parser\" is not approved: pending",
    );
    approve(&machine);
    let asked = machine.read("home/asked");
    assert!(
        asked.contains("Make parse() keep the last line."),
        "{asked}"
    );
    assert!(asked.contains("+three hours of work"), "{asked}");
    assert_eq!(stop(&machine), None);
    check(&machine, 0, "approved");
    machine.git(&["commit", "-qam", "as reviewed"]);
    assert_eq!(stop(&machine), None, "a commit of what was approved");
    machine.write("home/app/main.rs", "one\nmore\n");
    check(&machine, 4, "the work changed after it was approved");
    let told = stop(&machine).unwrap();
    assert!(
        told.contains("R2") && told.contains("changed after it was approved"),
        "{told}"
    );
    approve(&machine);
    assert_eq!(stop(&machine), None);
    machine.tollgate("log verify").shows(&["0 damaged"]).run();
}

#[test]
fn an_approval_may_be_made_to_stand() {
    let machine = registered("[review]\nsticky = true\n");
    approve(&machine);
    machine.write("home/app/main.rs", "one\nmore\n");
    assert_eq!(stop(&machine), None);
    check(&machine, 0, "approved");
}

#[test]
fn a_rejection_is_told_with_what_was_found() {
    let machine = registered("");
    let run = judge(&machine, FAIL);
    machine
        .tollgate(&run)
        .status(4)
        .shows(&["R1", "rejected", "high main.rs:2 the last line is lost"])
        .run();
    let told = stop(&machine).unwrap();
    let found = "rejected the work: high main.rs:2 the last line is lost";
    assert!(told.contains(found) && told.contains("Fix that."), "{told}");
    check(&machine, 4, "rejected");
    let state = machine.tollgate("review show R1").json().remove(0);
    assert_eq!(state["status"], "rejected");
    assert_eq!(state["worker_agent"], "claude");
    assert_eq!(state["reviewer_agent"], "command");
    assert_eq!(
        (&state["attempts"], &state["session_id"]),
        (&1.into(), &SESSION.into())
    );
    assert!(state["created_at"].as_u64() <= state["updated_at"].as_u64());
    let issue = json!({
        "severity": "high", "file": "main.rs", "line": 2, "title": "the last line is lost"
    });
    assert_eq!(state["issues_found"], json!([issue]));
    // The next reviewer is told what the last one found.
    approve(&machine);
    assert!(
        machine
            .read("home/asked")
            .contains("high main.rs:2 the last line is lost")
    );
    machine
        .tollgate("review list")
        .shows(&["R1", "rejected", "R2", "approved"])
        .run();
    let state = machine.tollgate("review show r2").json().remove(0);
    assert_eq!(
        (&state["attempts"], &state["issues_found"]),
        (&2.into(), &json!([]))
    );
}

#[test]
fn a_reviewer_that_failed_has_not_rejected() {
    let machine = registered("");
    machine
        .tollgate("review run --with 'echo no credit >&2; exit 3'")
        .status(1)
        .shows(&["no verdict", "the reviewer failed"])
        .run();
    let told = stop(&machine).unwrap();
    assert!(
        told.contains("is owed (the reviewer failed: it ended with"),
        "{told}"
    );
    assert!(!told.contains("rejected"), "{told}");
    check(&machine, 4, "pending");
}

#[test]
fn a_turn_is_let_go_in_the_end_and_publishing_asks() {
    let machine = registered("");
    machine.git(&["remote", "add", "origin", "https://example.test/x.git"]);
    for time in 0..3 {
        assert!(stop(&machine).is_some(), "{time}");
    }
    let last = said(&event(&machine, "Stop", json!({"stop_hook_active": true})));
    assert_ne!(last["decision"], "block");
    let notice = last["systemMessage"].as_str().unwrap_or_default();
    assert!(notice.contains("released-unreviewed"), "{last}");
    assert_eq!(stop(&machine), None, "what was released holds nothing up");
    check(&machine, 4, "released-unreviewed");
    machine.tollgate("status").shows(&["1 verdict"]).run();
    let pushed = machine.bash("git push origin main");
    let reason = String::from_utf8_lossy(&pushed.stdout);
    assert!(reason.contains("reviews/publish"), "{reason}");
    assert!(reason.contains("review R1 is owed"), "{reason}");
    let quiet = machine.bash("git status");
    assert!(!String::from_utf8_lossy(&quiet.stdout).contains("review"));
    approve(&machine);
    let pushed = machine.bash("git push origin main");
    assert!(!String::from_utf8_lossy(&pushed.stdout).contains("reviews/publish"));
    machine.write("home/app/main.rs", "one\nand a back door\n");
    let pushed = machine.bash("git push origin main");
    let reason = String::from_utf8_lossy(&pushed.stdout);
    assert!(
        reason.contains("it changed after review R2 approved it"),
        "{reason}"
    );
}

#[test]
fn a_human_begins_a_turn_and_a_machine_does_not() {
    let machine = registered("[review]\nturns = 1\n");
    assert!(stop(&machine).is_some());
    // Some hosts hand our own words back as a prompt.
    prompt(
        &machine,
        "Not finished: review R1 of \"x\" is owed. [reviews/owed]",
    );
    assert_eq!(stop(&machine), None);
    machine
        .tollgate("review request 'something else'")
        .shows(&["R2 is owed"])
        .run();
    assert_eq!(stop(&machine), None, "it was held as often as may be");
    machine
        .tollgate("review request 'a third'")
        .shows(&["R3 is owed"])
        .run();
    prompt(&machine, "go on");
    assert!(stop(&machine).is_some());
}

#[test]
fn background_work_and_helpers_are_not_held() {
    let machine = registered("");
    let task = json!({"id": "b1", "type": "shell", "status": "running", "command": "sleep 9"});
    let more = json!({"stop_hook_active": false, "background_tasks": [task]});
    assert_ne!(said(&event(&machine, "Stop", more))["decision"], "block");
    let helper = json!({
        "agent_id": "a1", "agent_type": "explore", "last_assistant_message": "done",
        "stop_hook_active": false,
    });
    assert_ne!(
        said(&event(&machine, "SubagentStop", helper))["decision"],
        "block"
    );
    assert!(stop(&machine).is_some());
}

#[test]
fn settings_say_what_must_be_reviewed() {
    for (config, is_asked) in [
        ("[review]\npaths = [\"*.rs\"]\n", true),
        ("[review]\npaths = [\"docs/**\"]\n", false),
        ("[review]\nlines = 1\n", true),
        ("[review]\nlines = 500\n", false),
    ] {
        let machine = machine(config);
        let told = stop(&machine);
        assert_eq!(told.is_some(), is_asked, "{config}: {told:?}");
        if is_asked {
            assert!(told.unwrap().contains("as [review] asks"));
            approve(&machine);
            assert_eq!(stop(&machine), None);
        }
    }
}

#[test]
fn what_must_be_reviewed_is_not_committed_or_pushed_past_it() {
    let machine = machine("[review]\npaths = [\"*.rs\"]\n");
    machine.git(&["commit", "-qam", "quick"]);
    let pushed = machine.bash("git push origin main");
    let reason = String::from_utf8_lossy(&pushed.stdout);
    assert!(reason.contains("reviews/publish"), "{reason}");
    assert!(stop(&machine).unwrap().contains("R1"));
}

#[test]
fn a_verdict_is_not_forgotten_over_a_compaction() {
    let machine = registered("");
    assert!(stop(&machine).is_some());
    event(&machine, "PreCompact", json!({"trigger": "auto"}));
    event(&machine, "SessionStart", json!({"source": "compact"}));
    assert!(stop(&machine).is_some());
    assert!(stop(&machine).is_some());
    assert_eq!(stop(&machine), None, "three in all");
}

fn fails(machine: &Machine, command: &str, error: &str) -> String {
    let mut payload = machine.payload(command);
    payload["hook_event_name"] = "PostToolUseFailure".into();
    payload["error"] = error.into();
    let out = machine.hook("PostToolUseFailure", &payload);
    assert!(out.status.success());
    let told = &said(&out)["hookSpecificOutput"]["additionalContext"];
    told.as_str().unwrap_or_default().to_owned()
}

#[test]
fn the_third_same_failure_is_told_once_and_nothing_is_refused() {
    let machine = machine("");
    for round in 0..2 {
        for time in 0..2 {
            let told = fails(&machine, "make all", &format!("no rule, after {time} ms"));
            assert_eq!(told, "", "{round} {time}");
            let out = machine.bash("make all");
            assert!(out.stdout.is_empty(), "{out:?}");
        }
        let told = fails(&machine, "make all", "no rule, after 7 ms");
        let times = ["STOP: ", "STOP (2): "][round];
        let stop = [times, "the same call failed three times"].concat();
        assert!(told.contains(&stop), "{told}");
    }
    fails(&machine, "make all", "x");
    fails(&machine, "make all", "x");
    assert_eq!(fails(&machine, "make all", "y"), "", "another error");
    assert_eq!(fails(&machine, "make one", "x"), "", "another call");
    machine.tollgate("log verify").shows(&["0 damaged"]).run();
}

#[test]
fn three_reviews_end_it_and_what_then_is_set() {
    for (then, level) in [("escalate", "ask"), ("abort", "deny")] {
        let machine = registered(&format!("[breaker]\nthen = {then:?}\n"));
        let run = judge(&machine, FAIL);
        for _ in 0..3 {
            machine.tollgate(&run).status(4).shows(&["rejected"]).run();
        }
        machine
            .tollgate("review run")
            .env("CLAUDECODE", "1")
            .status(1)
            .complains(&["asked as often as may be", "let them decide"])
            .run();
        assert_eq!(stop(&machine), None);
        check(&machine, 4, "released-unreviewed");
        let state = machine.tollgate("review show R3").json().remove(0);
        assert_eq!(
            (&state["status"], &state["released_unreviewed"]),
            (&"rejected".into(), &true.into())
        );
        let status = machine.tollgate("review status").status(4);
        let parts = ["R3", "released", "asked as often as may be"];
        status.shows(&parts).run();
        let pushed = said(&machine.bash("git push origin main"));
        let decision = &pushed["hookSpecificOutput"]["permissionDecision"];
        assert_eq!(decision, level, "{then}: {pushed}");
        assert!(pushed.to_string().contains("reviews/publish"), "{pushed}");
    }
    let machine = registered("[breaker]\nthen = \"continue\"\n");
    let run = judge(&machine, FAIL);
    for _ in 0..3 {
        machine.tollgate(&run).status(4).shows(&["rejected"]).run();
    }
    assert!(stop(&machine).is_some());
    machine
        .tollgate("review show R3")
        .shows(&["asked 3 times of command"])
        .run();
}

#[test]
fn who_says_the_same_three_times_is_told_to_try_another_way() {
    let machine = registered("[review]\nturns = 9\n");
    let more = json!({
        "stop_hook_active": false,
        "last_assistant_message": "All of it is done now, and every test of the parser passes.",
    });
    let after = || {
        let mut payload = machine.payload("ls");
        payload["hook_event_name"] = "PostToolUse".into();
        payload["tool_response"] = json!({"stdout": "", "stderr": ""});
        let out = machine.hook("PostToolUse", &payload);
        let told = &said(&out)["hookSpecificOutput"]["additionalContext"];
        told.as_str().unwrap_or_default().to_owned()
    };
    for time in 0..3 {
        assert_eq!(after(), "", "{time}");
        assert_eq!(
            said(&event(&machine, "Stop", more.clone()))["decision"],
            "block"
        );
    }
    assert!(after().contains("completely different approach"));
    assert_eq!(after(), "");
}

#[test]
fn tokens_that_the_transcript_tells_of_are_counted_from_the_first_reviewer_on() {
    let machine = registered("");
    let transcript = machine.at("home/transcript.jsonl");
    let line = |id: &str, tokens: u64, year: u64| {
        json!({
            "type": "assistant", "timestamp": format!("{year}-01-01T00:00:00.000Z"),
            "message": {"id": id, "usage": {"input_tokens": tokens, "output_tokens": 1}},
        })
        .to_string()
    };
    let run = judge(&machine, FAIL);
    machine.tollgate(&run).status(4).shows(&["rejected"]).run();
    let held = |lines: &[String]| {
        fs::write(&transcript, lines.join("\n")).unwrap();
        let more = json!({"stop_hook_active": false, "transcript_path": transcript});
        said(&event(&machine, "Stop", more))["decision"] == "block"
    };
    let before = line("m1", 900_000, 2_020);
    assert!(held(std::slice::from_ref(&before)));
    // A message is written in several lines.
    let twice = [
        before.clone(),
        line("m2", 30_000, 2_099),
        line("m2", 30_000, 2_099),
    ];
    assert!(held(&twice));
    assert!(!held(&[
        before,
        line("m2", 30_000, 2_099),
        line("m3", 19_998, 2_099)
    ]));
    let status = machine.tollgate("review status").status(4);
    status.shows(&["it took as many tokens as it may"]).run();
}
