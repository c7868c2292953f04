//! What people type out of habit, and how they are told of time and of what happened.

use serde_json::json;

use crate::common::Machine;

/// A machine with a gate and with work that is nowhere else.
fn machine() -> Machine {
    let machine = Machine::new();
    machine.init();
    machine.make_dirty();
    machine
}

/// Has a call held where the host cannot ask; the words of what the human is told.
fn held(machine: &Machine, command: &str) -> Vec<String> {
    let mut payload = machine.payload(command);
    payload["permission_mode"] = "bypassPermissions".into();
    let answer = machine.hook("PreToolUse", &payload);
    assert_eq!(answer.status.code(), Some(2), "{answer:?}");
    let said: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
    let notice = said["systemMessage"].as_str().unwrap();
    notice.split_whitespace().map(str::to_owned).collect()
}

/// Id and code of a call that is held now.
fn id_and_code(machine: &Machine, command: &str) -> (String, String) {
    let words = held(machine, command);
    let at = words.iter().rposition(|word| word == "approve").unwrap();
    (words[at + 1].clone(), words[at + 2].clone())
}

#[test]
fn a_code_alone_says_which_call_is_meant() {
    let machine = machine();
    let (id, code) = id_and_code(&machine, "git reset --hard");
    let (word, number) = code.rsplit_once('-').unwrap();
    let wrong = format!("{word}-{}", if number == "99" { "98" } else { "99" });
    machine
        .tollgate(&format!("ok {wrong}"))
        .status(1)
        .complains(&["no open request has this code"])
        .run();
    machine
        .tollgate(&format!("ok {code}"))
        .shows(&["granted:", &id])
        .run();
    let (id, code) = id_and_code(&machine, "git checkout -f");
    machine
        .tollgate(&format!("approve {code}"))
        .shows(&["granted:", &id])
        .run();
}

#[test]
fn guesses_without_an_id_end_too() {
    let machine = machine();
    let (_, code) = id_and_code(&machine, "git reset --hard");
    let (word, number) = code.rsplit_once('-').unwrap();
    let wrong = if number == "99" { "98" } else { "99" };
    for _ in 0..3 {
        machine
            .tollgate(&format!("approve {word}-{wrong}"))
            .status(1)
            .complains(&["no open request has this code"])
            .run();
    }
    machine
        .tollgate(&format!("approve {code}"))
        .status(1)
        .complains(&["nothing waits for a code"])
        .run();
}

#[test]
fn a_request_is_explained_by_its_id() {
    let machine = machine();
    let (id, _) = id_and_code(&machine, "git reset --hard");
    for id in [id.clone(), id.to_lowercase()] {
        machine
            .tollgate(&format!("explain {id}"))
            .shows(&["What was seen", "git reset --hard", "tollgate approve"])
            .run();
    }
    let other = if id == "A2A2" { "B3B3" } else { "A2A2" };
    machine
        .tollgate(&format!("explain {other}"))
        .status(1)
        .complains(&["there is no request", "tollgate approvals"])
        .run();
}

#[test]
fn a_command_needs_no_quotes() {
    let machine = machine();
    machine
        .tollgate("check git reset --hard")
        .status(3)
        .shows(&["asks a human"])
        .run();
    machine
        .tollgate("explain git reset --hard")
        .shows(&["What is asked about", "git reset --hard"])
        .run();
    // The words are those that the shell handed over.
    machine
        .tollgate("check git commit -m")
        .arg("git reset --hard;")
        .shows(&["let through"])
        .run();
}

#[test]
fn help_and_version_are_words_too() {
    let machine = Machine::new();
    machine
        .tollgate("help")
        .shows(&["look (changes nothing)", "exit status"])
        .run();
    machine
        .tollgate("help init")
        .shows(&["Usage: tollgate init"])
        .run();
    machine
        .tollgate("help undo restore")
        .shows(&["Usage: tollgate undo restore"])
        .run();
    machine.tollgate("version").shows(&["tollgate 0."]).run();
    machine
        .tollgate("config")
        .shows(&["what holds anyway", "skip_tools"])
        .run();
    machine
        .tollgate("help nonsense")
        .status(2)
        .complains(&["nonsense"])
        .run();
}

#[test]
fn off_takes_its_time_as_it_is_said() {
    let machine = machine();
    machine
        .tollgate("off 10m")
        .shows(&["nothing is judged for", "min"])
        .run();
    machine
        .tollgate("off 3d")
        .shows(&["nothing is judged for 24 h, which is the most"])
        .run();
    machine.tollgate("on").shows(&["on"]).run();
    machine.tollgate("off").status(2).complains(&["TIME"]).run();
}

#[test]
fn the_log_is_filtered_by_its_own_words() {
    let machine = machine();
    held(&machine, "git reset --hard");
    machine.bash("git add .");
    let log = |line: &str| machine.tollgate(line).shows(&[""]).run();
    let lines = log("log --level refused");
    assert!(
        lines.contains("git reset --hard") && !lines.contains("git add"),
        "{lines}"
    );
    let lines = log("log --level passed");
    assert!(
        lines.contains("git add") && !lines.contains("reset"),
        "{lines}"
    );
    assert!(log("log --since 2h").contains("git add"));
    let tomorrow = "log --since 2099-01-01";
    machine
        .tollgate(tomorrow)
        .shows(&["nothing was judged yet that fits"])
        .run();
    machine
        .tollgate("log --since yesterday")
        .shows(&["git reset --hard"])
        .run();
    machine
        .tollgate("log --since tomorrow")
        .status(2)
        .complains(&["14:30"])
        .run();
}

#[test]
fn times_are_those_of_the_clock_on_the_wall() {
    let machine = machine();
    machine.bash("git add .");
    let hour = |zone: &str| {
        let line = machine
            .tollgate("log -n 1")
            .env("TZ", zone)
            .shows(&["git add"])
            .run();
        let time = line
            .split_whitespace()
            .find(|word| word.contains(':'))
            .unwrap();
        let (hour, _) = time.split_once(':').unwrap();
        hour.parse::<u32>().unwrap()
    };
    let (utc, there) = (hour("UTC0"), hour("XXX-3"));
    assert_eq!((utc + 3) % 24, there);
}

#[test]
fn sessions_of_one_moment_have_names_of_their_own() {
    let machine = machine();
    let sessions = [
        "01a22192-0000-7000-8000-00000000aaaa",
        "01a22192-0000-7000-8000-00000000bbbb",
    ];
    for session in sessions {
        let payload = json!({
            "session_id": session, "cwd": machine.at("home/app"), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": "git add ."}, "tool_use_id": session,
        });
        machine.hook("PreToolUse", &payload);
    }
    let lines = machine.tollgate("log").shows(&["git add"]).run();
    let ids: Vec<&str> = lines
        .lines()
        .filter(|line| line.contains("git add"))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(ids.len(), 2, "{lines}");
    assert_ne!(ids[0], ids[1]);
    for id in ids {
        machine
            .tollgate(&format!("explain {id}"))
            .shows(&[&format!("record {id}")])
            .run();
    }
    machine
        .tollgate("explain 01a22192-1")
        .status(1)
        .complains(&["two sessions have a record", sessions[0], sessions[1]])
        .run();
    machine
        .tollgate("session list")
        .shows(&["0000aaaa", "claude", "1 call"])
        .run();
    machine
        .tollgate("log --session 0000bbbb")
        .shows(&["0000bbbb-1"])
        .run();
}

fn message(answer: &std::process::Output) -> String {
    let said: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    said["systemMessage"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// The lines of `undo list` that are captures.
fn captures(machine: &Machine) -> Vec<String> {
    let list = machine.tollgate("undo list").shows(&["ID"]).run();
    let lines = list.lines().filter(|line| line.starts_with("u-"));
    lines.map(str::to_owned).collect()
}

#[test]
fn a_call_that_is_asked_about_is_kept_once_and_named_once() {
    let machine = machine();
    let mut payload = machine.payload("git reset --hard");
    let before = machine.hook("PreToolUse", &payload);
    let kept = captures(&machine);
    assert_eq!(kept.len(), 1, "{kept:?}");
    let id = kept[0].split_whitespace().next().unwrap();
    // The human has read the reason in the dialog.
    assert_eq!(
        message(&before),
        format!("to undo it: tollgate undo restore {id}")
    );
    assert!(String::from_utf8_lossy(&before.stdout).contains("asks") || !before.stdout.is_empty());
    let call = payload["tool_use_id"].take();
    payload["hook_event_name"] = "PermissionRequest".into();
    payload.as_object_mut().unwrap().remove("tool_use_id");
    let asked = machine.hook("PermissionRequest", &payload);
    assert_eq!(message(&asked), "");
    let kept = captures(&machine);
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(kept[0].contains("not run"), "{kept:?}");
    machine.tollgate("undo show last").shows(&[id]).run();
    let log = machine.tollgate("log").shows(&["git reset --hard"]).run();
    assert_eq!(log.matches("git reset --hard").count(), 1, "{log}");
    payload["hook_event_name"] = "PostToolUse".into();
    payload["tool_use_id"] = call;
    payload["tool_response"] = json!({"stdout": "", "stderr": "", "interrupted": false});
    machine.hook("PostToolUse", &payload);
    let kept = captures(&machine);
    assert!(
        kept[0].contains("ran") && !kept[0].contains("not run"),
        "{kept:?}"
    );
}

#[test]
fn what_changed_in_between_is_kept_too() {
    let machine = machine();
    let mut payload = machine.payload("git reset --hard");
    machine.hook("PreToolUse", &payload);
    machine.write("home/app/main.rs", "one\nfour hours of work\n");
    payload["hook_event_name"] = "PermissionRequest".into();
    machine.hook("PermissionRequest", &payload);
    assert_eq!(captures(&machine).len(), 2);
}

#[test]
fn what_the_host_shows_is_not_said_again() {
    let machine = machine();
    let words = held(&machine, "git reset --hard").join(" ");
    assert!(
        words.starts_with("tollgate: ") && words.contains("waits for you."),
        "{words}"
    );
    assert!(!words.contains("git reset"), "{words}");
}

#[test]
fn only_agents_that_are_here_are_spoken_of() {
    let machine = machine();
    let status = machine
        .tollgate("status")
        .shows(&["Claude Code", "gated by"])
        .run();
    assert!(!status.contains("not gated"), "{status}");
    std::fs::create_dir_all(machine.at("home/.gemini")).unwrap();
    machine
        .tollgate("status")
        .shows(&["Gemini CLI", "not gated"])
        .run();
    // Who gates one of them need not want all.
    machine
        .tollgate("doctor")
        .shows(&[
            "note",
            "Gemini CLI is here and not gated",
            "The gate is alive.",
        ])
        .run();
    let said = machine
        .tollgate("uninstall")
        .shows(&["Claude Code is no longer gated"])
        .run();
    assert_eq!(said.matches("no longer gated").count(), 1, "{said}");
    assert!(!said.contains("not there"), "{said}");
}

#[test]
fn a_yes_outlives_the_agent_that_asked() {
    let machine = machine();
    let (id, code) = id_and_code(&machine, "git reset --hard");
    machine.tollgate("approvals").shows(&[&id, "waits"]).run();
    machine
        .tollgate(&format!("approve {id} {code}"))
        .shows(&["granted:"])
        .run();
}
