//! What people look at while agents work: calls as they are judged, and a desktop that tells of
//! what waits; and what `doctor` mends by itself.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use crate::common::{Machine, SESSION, SETTINGS};

#[test]
fn tail_shows_each_call_as_it_is_judged() {
    let machine = Machine::new();
    machine.init();
    machine.make_dirty();
    machine.bash("touch first.txt");
    let watch = |line: &str| {
        let mut child = machine.tollgate(line).start();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        (child, lines.map(Result::unwrap))
    };
    let (mut all, mut lines) = watch("tail");
    let line = lines.next().unwrap();
    assert!(line.contains("passed") && line.contains("claude"), "{line}");
    let (mut held, mut refused) = watch("tail -n 0 --level refused --here");
    let (mut other, _) = watch("tail -n 0 --agent gemini");
    std::thread::sleep(std::time::Duration::from_millis(700));
    machine.bash("touch second.txt");
    let mut payload = machine.payload("git reset --hard");
    payload["permission_mode"] = "bypassPermissions".into();
    machine.hook("PreToolUse", &payload);
    assert!(lines.next().unwrap().contains("touch second.txt"));
    let line = refused.next().unwrap();
    assert!(
        line.contains("refused") && line.contains("git reset --hard"),
        "{line}"
    );
    assert!(lines.next().unwrap().contains("git reset --hard"));
    for child in [&mut all, &mut held, &mut other] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    machine
        .tollgate("tail --agent nobody")
        .status(1)
        .complains(&["no host is called"])
        .run();
}

/// A request that waits; its session and id.
fn request(machine: &Machine) -> (String, String) {
    let mut payload = machine.payload("git reset --hard");
    payload["permission_mode"] = "bypassPermissions".into();
    machine.hook("PreToolUse", &payload);
    let asked: Value = machine.tollgate("approvals").json().remove(0);
    let text = |name: &str| asked[name].as_str().unwrap().to_owned();
    (text("session"), text("id"))
}

#[test]
fn the_desktop_tells_of_a_held_call_and_never_its_code() {
    let machine = Machine::new();
    machine.init();
    machine.make_dirty();
    let shown = machine.at("shown");
    let script = format!("printf '%s\\n' \"$@\" > {}", shown.display());
    machine.script("path/notify-send", &script);
    let (session, id) = request(&machine);
    let notify = format!("notify tell {session} {id}");
    // Where there is no desktop, nothing is started.
    machine.tollgate(&notify).run();
    assert!(!shown.exists());
    machine.tollgate(&notify).env("DISPLAY", ":0").run();
    let said = machine.read("shown");
    assert!(said.contains("tollgate holds git reset --hard"), "{said}");
    assert!(said.contains(&format!("tollgate approve {id}")), "{said}");
    assert!(
        !said.split_whitespace().any(work::approvals::is_code),
        "{said}"
    );
    std::fs::remove_file(&shown).unwrap();
    machine.write(
        "home/.config/tollgate/config.toml",
        "[approvals]\ndesktop = false\n",
    );
    machine.tollgate(&notify).env("DISPLAY", ":0").run();
    assert!(!shown.exists());
}

#[test]
fn doctor_mends_what_needs_no_question() {
    let machine = Machine::new();
    machine.init();
    let mut settings: Value = serde_json::from_str(&machine.read(SETTINGS)).unwrap();
    settings["hooks"]["PreToolUse"] = json!([]);
    settings["mine"] = "stays".into();
    machine.write(SETTINGS, settings.to_string());
    machine
        .tollgate("doctor")
        .status(1)
        .shows(&["broken"])
        .run();
    machine
        .tollgate("doctor --fix")
        .shows(&["a refused call stayed undone", "The gate is alive."])
        .run();
    assert!(machine.read(SETTINGS).contains("stays"));
    // Where nothing is broken, nothing is done.
    let said = machine
        .tollgate("doctor --fix")
        .shows(&["The gate is alive."])
        .run();
    assert!(!said.contains("Will change"), "{said}");
}

#[test]
fn a_schema_is_printed_for_editors() {
    let machine = Machine::new();
    for (line, key) in [
        ("rules settings --schema", "approvals"),
        ("rules settings --schema pack", "rule"),
    ] {
        let said = machine.tollgate(line).shows(&["$schema"]).run();
        let schema: Value = serde_json::from_str(&said).unwrap();
        assert!(schema["properties"][key].is_object(), "{said}");
    }
}

#[test]
fn what_happens_to_a_run_is_in_the_journal_with_all_else() {
    let machine = Machine::new();
    machine.init();
    machine.make_dirty();
    machine.bash("touch first.txt");
    let store = store::Store::open(&machine.at("state")).unwrap();
    let project = machine.at("home/app").display().to_string();
    let note = |by: &str, state: &str, words: &str| {
        let time = edge::surroundings::now().0;
        let note = store::RunNote {
            run: "7K2",
            time,
            by,
            state,
            dir: &project,
            words: &format!("7K2 {words}"),
        };
        store.note_run(&note).unwrap();
    };
    note("human", "queued", "begun");
    let mut child = machine.tollgate("tail -n 1 --here").start();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("7K2 begun"));
    std::thread::sleep(std::time::Duration::from_millis(700));
    note(
        "runner",
        "feeding",
        "review FAIL by x: high a.rs:1 not good, password=hunter2hunter2",
    );
    let line = lines.next().unwrap().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        line.contains("run-7K2-2") && line.contains("7K2 review FAIL by x"),
        "{line}"
    );
    let said =
        machine
            .tollgate("log --here")
            .shows(&["touch first.txt", "7K2 begun", "7K2 review FAIL"]);
    assert!(!said.run().contains("hunter2"));
    machine
        .tollgate("explain run-7K2-2")
        .shows(&[
            "runner: run 7K2 review FAIL",
            "It is feeding since",
            "tollgate run show 7K2",
        ])
        .run();
    machine
        .tollgate("log verify")
        .shows(&["0 damaged or missing"])
        .run();
}

#[test]
fn a_run_that_its_runner_left_is_told_at_every_host_and_in_status() {
    let machine = Machine::new();
    machine.init();
    let told = "the runner of run 7K2 has ended in the middle of it";
    let say = || machine.told_with_a_prompt(SESSION);
    // As long as the process is there, it drives it.
    let mut runner = std::process::Command::new("sleep")
        .arg("60")
        .spawn()
        .unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", runner.id())).unwrap();
    let start = stat
        .rsplit(") ")
        .next()
        .unwrap()
        .split(' ')
        .nth(19)
        .unwrap();
    let driver = format!("{} {start}", runner.id());
    machine.write("state/runs/7K2/driver", &driver);
    assert!(!say().contains(told));
    runner.kill().unwrap();
    runner.wait().unwrap();
    let said = say();
    assert!(
        said.contains(told) && said.contains("tollgate run resume 7K2"),
        "{said}"
    );
    assert!(!say().contains(told), "once a session");
    machine.tollgate("status").shows(&[told]).run();
    std::fs::remove_file(machine.at("state/runs/7K2/driver")).unwrap();
    assert!(!machine.tollgate("status").shows(&[""]).run().contains(told));
}
