//! What commands say where discipline, or something small around it, is asked about.

use serde_json::json;

use super::common::{Machine, SESSION};
use super::discipline::{Session, is_denied, machine, said};

fn session(machine: &Machine) -> Session<'_> {
    Session {
        machine,
        id: SESSION,
    }
}

#[test]
fn a_refusal_for_want_of_grounding_is_explained_by_its_own_ways() {
    let machine = machine("discipline", "");
    let session = session(&machine);
    session.prompt("Rewrite the parser in main.rs");
    session.writes("a.rs");
    machine
        .tollgate("explain last")
        .shows(&[
            "this prompt is not grounded yet",
            "Start Agent(subagent_type: \"tollgate:prompt-hydrator\"",
            "begin the next prompt with `.`",
            "[gates] hydration = \"off\"",
        ])
        .run();
}

#[test]
fn advice_is_explained_in_its_words() {
    let machine = machine("coach", "");
    session(&machine).prompt("It fails: thread 'main' panicked at main.rs:1:1");
    let records = machine.tollgate(&format!("log --session {SESSION}")).json();
    let mut prompts = records.iter().filter(|record| record["event"] == "prompt");
    let id = format!("explain 5e55104e-{}", prompts.next().unwrap()["seq"]);
    let said = machine
        .tollgate(&id)
        .shows(&[
            "[hydration] said:",
            "and reproduce it before changing anything",
        ])
        .run();
    assert!(!said.contains("nothing against it"), "{said}");
}

#[test]
fn an_event_that_is_asked_about_must_say_what_and_where() {
    let machine = machine("discipline", "");
    let asked = |name: &str, event: serde_json::Value| {
        machine.write(&format!("home/app/{name}.json"), event.to_string());
        format!("check --call {name}.json")
    };
    let empty = asked("empty", json!({}));
    machine
        .tollgate(&empty)
        .status(1)
        .complains(&["empty.json does not say which event it is"])
        .run();
    let call = json!({"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash",
        "tool_input": {"command": "ls"}});
    let nowhere = asked("nowhere", call);
    machine
        .tollgate(&nowhere)
        .status(1)
        .complains(&["nowhere.json does not say where (cwd)"])
        .run();
    let odd = asked("odd", json!({"hook_event_name": "Nonsense", "cwd": "/tmp"}));
    machine
        .tollgate(&odd)
        .status(1)
        .complains(&["Claude Code has no event \"Nonsense\" that is judged"])
        .run();
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s",
        "cwd": machine.at("home/app"), "prompt": "rename the field"});
    let prompt = asked("prompt", prompt);
    machine
        .tollgate(&prompt)
        .shows(&["is told to ground a prompt that asks for something"])
        .run();
}

#[test]
fn what_is_not_there_or_cannot_be_is_said() {
    let machine = machine("guard", "");
    let out = machine
        .tollgate("hydrate --session nope")
        .stdin("rename the field")
        .shows(&["no session nope is remembered"])
        .run();
    assert_eq!(out.lines().count(), 1, "{out}");
    machine
        .tollgate("tables check")
        .shows(&["none of the 14 rows of REMINDERS.md can take effect"])
        .run();
    machine.write("home/.config/tollgate/memory", "a file");
    machine
        .tollgate("memory list")
        .status(1)
        .complains(&["~/.config/tollgate/memory is no directory"])
        .run();
}

#[test]
fn a_reviewer_that_is_installed_needs_no_option() {
    let machine = Machine::new();
    machine.make_dirty();
    machine
        .tollgate("init --yes --agent claude --profile discipline")
        .shows(&["Will make"])
        .run();
    session(&machine).event("SessionStart", json!({"source": "startup"}));
    let said = machine
        .tollgate("review start 'the parser'")
        .shows(&["finds it when it is started again"])
        .run();
    assert!(!said.contains("--plugin-dir"), "{said}");
}

#[test]
fn helpers_are_timed_and_checks_are_counted_by_calls_and_by_changes() {
    let machine = machine("discipline", "[compliance]\nafter = 1000\n");
    let session = session(&machine);
    session.prompt("Rewrite the parser in main.rs");
    session.spawns("tollgate:prompt-hydrator");
    let mut helper = json!({"agent_id": "h1", "agent_type": "tollgate:prompt-hydrator"});
    session.event("SubagentStart", helper.clone());
    helper["last_assistant_message"] = "Gate: none\nPre-work: none\nApproach: direct".into();
    session.event("SubagentStop", helper);
    for number in 0..21 {
        let path = machine.at("home/app").join(format!("{number}.rs"));
        session.call(
            "PostToolUse",
            "Write",
            json!({"file_path": path, "content": "x"}),
        );
    }
    machine
        .tollgate("stats")
        .shows(&[
            "would be due     3 times after 7 calls each, 1 times after 20 changes each",
            "hydrators        1 answered: ",
            "checkers         none answered",
        ])
        .run();
}

/// The worth of grounding and of checks is measured by those that are left out.
#[test]
fn one_prompt_and_one_check_of_so_many_go_without_and_are_compared() {
    let settings = "[hydration]\nholdout = 1\n[compliance]\nafter = 3\nholdout = 1\n";
    let machine = machine("discipline", settings);
    let session = session(&machine);
    session.prompt("Rewrite the parser in main.rs");
    assert_eq!(session.kept("hydration")["hydration_pending"], false);
    for number in 0..8 {
        assert!(!is_denied(&session.writes(&format!("{number}.rs"))));
        let path = machine.at("home/app").join(format!("{number}.rs"));
        session.call(
            "PostToolUse",
            "Write",
            json!({"file_path": path, "content": "x"}),
        );
    }
    machine
        .tollgate("stats")
        .shows(&[
            "prompts, grounded or not, after which the same call failed twice",
            "withheld  ",
            "checks, made or not, after which the same call failed twice",
            "withheld  ",
        ])
        .run();
    let told = machine.tollgate("stats").json();
    assert_eq!(told[0]["grounding"]["withheld"]["n"], 1);
    assert_eq!(told[0]["checking"]["withheld"]["n"], 2);
}

#[test]
fn a_call_that_a_yes_let_run_is_explained_by_that_yes() {
    let machine = machine("guard", "");
    let session = session(&machine);
    let reset = |id: &str| {
        let more = json!({"tool_name": "Bash", "tool_input": {"command": "git reset --hard"},
            "tool_use_id": id, "permission_mode": "bypassPermissions"});
        said(&session.event("PreToolUse", more))
    };
    let notice = reset("toolu_1")["systemMessage"].to_string();
    let (_, rest) = notice.split_once("approve ").unwrap();
    let words: Vec<&str> = rest.split([' ', '"', '\\']).take(2).collect();
    let approve = format!("approve {}", words.join(" "));
    machine.tollgate(&approve).shows(&["granted"]).run();
    reset("toolu_2");
    let told = machine
        .tollgate("explain last")
        .shows(&["git reset --hard", "let through"])
        .run();
    assert!(told.contains("because of your yes"), "{told}");
    assert!(!told.contains("would be held"), "{told}");
}

#[test]
fn a_state_folder_that_cannot_be_made_is_broken_and_not_merely_empty() {
    let machine = machine("guard", "");
    machine.write("home/a-file", "no directory");
    let told = machine
        .tollgate("doctor")
        .env("TOLLGATE_HOME", machine.at("home/a-file/state"))
        .status(1)
        .shows(&["broken   state: could not open ~/a-file/state", "fix: "])
        .run();
    assert!(!told.contains("nothing is remembered in"), "{told}");
}

/// Who calls by another way than the host does is a stranger, and the log says why.
#[cfg(target_os = "linux")]
#[test]
fn the_log_says_why_a_caller_is_a_stranger() {
    let machine = machine("guard", "");
    let payload = machine.payload("git commit -m x");
    machine.hook_by_host("PreToolUse", &payload, &[]);
    machine.bash("git commit -m y");
    let told = machine.tollgate("log").shows(&["git commit"]).run();
    assert!(
        told.contains("not through a socket or pipe of its own: that shows nothing"),
        "{told}"
    );
}
