//! Who gives a command of the owner's: a person at a terminal of their own, or what an agent could
//! have started.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use edge::presence::{self, Presence};
use model::{Binding, Effect};
use serde_json::Value;
use store::Store;

use crate::common::{Machine, SESSION};

const OFF: &str = "off --for 5m";

/// How long two clocks may differ, and a little more.
const LATER: Duration = Duration::from_millis(2_300);

/// A machine where an agent has made a call, whose host has ended.
fn judged(machine: &Machine) {
    machine.bash("true");
    let host = Binding {
        process: 4_194_305,
        start: 1,
        nested: false,
    };
    let store = Store::open(&machine.at("state")).unwrap();
    store.note_said(SESSION, &[Effect::Bound(host)]).unwrap();
}

fn is_off(machine: &Machine) -> bool {
    let store = Store::open(&machine.at("state")).unwrap();
    store.switched_off(edge::surroundings::now()).is_some()
}

/// A terminal with a shell that waits until it is told what to run.
struct Terminal {
    script: Child,
}

impl Terminal {
    fn open(machine: &Machine) -> Self {
        let mut script = Command::new("script");
        script.args(["-qefc", "exec sh", "/dev/null"]);
        script
            .env_clear()
            .env("PATH", std::env::var("PATH").unwrap());
        script.env("HOME", machine.at("home"));
        script.env("TOLLGATE_HOME", machine.at("state"));
        script.current_dir(machine.at("home/app"));
        let script = script.stdin(Stdio::piped()).stdout(Stdio::piped());
        Self {
            script: script.stderr(Stdio::null()).spawn().unwrap(),
        }
    }

    /// What stands on the screen once these lines were typed.
    fn says(mut self, lines: &[&str]) -> String {
        let mut keys = self.script.stdin.take().unwrap();
        for line in lines {
            writeln!(keys, "{line}").unwrap();
        }
        writeln!(keys, "exit").unwrap();
        let out = self.script.wait_with_output().unwrap();
        drop(keys);
        String::from_utf8(out.stdout).unwrap()
    }
}

/// An agent that runs these tests leaves its mark above us, and is rightly refused.
fn is_below_agent() -> bool {
    let own = edge::processes::look(std::process::id().into()).unwrap();
    edge::processes::ancestors(&own).iter().any(|process| {
        let environment = edge::processes::environment(process.number).unwrap_or_default();
        let marks = hosts::HOSTS.iter().flat_map(|host| host.marks);
        let text = String::from_utf8_lossy(&environment).into_owned();
        marks
            .into_iter()
            .any(|mark| text.split('\0').any(|entry| entry == *mark))
    })
}

fn tollgate(machine: &Machine, line: &str) -> String {
    format!("{} {line}", machine.at("bin/tollgate").display())
}

#[test]
fn without_a_terminal_nothing_shows_a_person() {
    let machine = Machine::new();
    machine.init();
    judged(&machine);
    for line in [
        OFF,
        "trust",
        "uninstall",
        "init --yes",
        "undo drop x",
        "key create",
    ] {
        let test = machine.tollgate(line).stdin("correct horse\n").status(4);
        let words = [
            "is for you, not for an agent",
            "there is no terminal",
            "tollgate key create",
        ];
        test.complains(&words).run();
    }
    for line in ["on", "status", "init --dry-run"] {
        machine.tollgate(line).shows(&[""]).run();
    }
    assert!(!is_off(&machine) && !machine.at("state/key").exists());
    // Where no agent has worked, scripts may install and remove us.
    let other = Machine::new();
    other.init();
    other.bash("true");
    other.tollgate(OFF).shows(&["off"]).run();
}

#[test]
fn a_terminal_from_before_shows_a_person_and_one_from_meanwhile_does_not() {
    let machine = Machine::new();
    machine.init();
    let before = Terminal::open(&machine);
    std::thread::sleep(LATER);
    judged(&machine);
    let off = tollgate(&machine, OFF);
    let said = Terminal::open(&machine).says(&[&off]);
    let opened = said.contains("this terminal was opened while an agent worked");
    assert!(opened || is_below_agent(), "{said}");
    assert!(!is_off(&machine));
    if !is_below_agent() {
        let left = format!("( ( sleep 0.2; {off} ) & ); sleep 2");
        let said = before.says(&[&left, "echo so far", &off]);
        let (left, stayed) = said.rsplit_once("so far").unwrap();
        assert!(
            left.contains("it left the terminal that it came from"),
            "{said}"
        );
        assert!(!stayed.contains("not for an agent"), "{said}");
        assert!(is_off(&machine));
    }
}

#[test]
fn the_passphrase_shows_a_person_everywhere() {
    let machine = Machine::new();
    machine.init();
    let create = machine.tollgate("key create").stdin("correct horse\n");
    create.shows(&["made:"]).run();
    judged(&machine);
    let off = |stdin: &str| machine.tollgate(OFF).stdin(stdin);
    let wrong = off("wrong horse\n").status(4);
    wrong
        .complains(&["it takes your passphrase", "wrong passphrase"])
        .run();
    off("").status(4).complains(&["passphrase"]).run();
    assert!(!is_off(&machine));
    off("correct horse\n").shows(&["off"]).run();
    assert!(is_off(&machine));
    // It is told everywhere, once a session.
    let told = "tollgate off was given by process ";
    let status = machine.tollgate("status");
    status.shows(&[told, "without a terminal"]).run();
    machine.tollgate("on").shows(&["on"]).run();
    let say = || machine.told_with_a_prompt("00000000-0000-4000-8000-00000000000f");
    assert!(say().contains(told));
    assert!(!say().contains(told), "once");
}

#[test]
fn what_nobody_was_told_a_code_of_takes_a_person() {
    let machine = Machine::new();
    machine.init();
    machine.make_dirty();
    let before = Terminal::open(&machine);
    std::thread::sleep(LATER);
    let call = |machine: &Machine| {
        let payload = machine.payload("git reset --hard");
        let alone = [("CLAUDE_CODE_SESSION_ATTENDED", "0")];
        machine.hook_with("PreToolUse", &payload, &alone)
    };
    let answer = call(&machine);
    assert_eq!(answer.status.code(), Some(2), "{answer:?}");
    let listed = machine.tollgate("approvals").json();
    assert_eq!(listed[0]["code_told"], Value::Bool(false));
    let id = listed[0]["id"].as_str().unwrap().to_owned();
    let said = String::from_utf8_lossy(&answer.stdout).into_owned();
    assert!(
        said.contains(&format!("in a terminal of your own: tollgate approve {id}")),
        "{said}"
    );
    let approve = format!("approve {id}");
    let nobody = machine.tollgate(&approve).stdin("y\n").status(1);
    let nobody = nobody.shows(&["git reset --hard"]);
    nobody
        .complains(&[
            "no code was shown to anybody",
            "tollgate key create",
            "sudo",
        ])
        .run();
    assert_eq!(call(&machine).status.code(), Some(2));
    let said = before.says(&[&tollgate(&machine, &approve), "y"]);
    assert!(said.contains("may run once: git reset --hard"), "{said}");
    assert_eq!(call(&machine).status.code(), Some(0));
}

#[test]
fn this_test_is_no_person() {
    let machine = Machine::new();
    machine.init();
    judged(&machine);
    let store = Store::open(&machine.at("state")).unwrap();
    assert_ne!(presence::look(Some(&store)), Presence::NoWorkers);
    assert!(matches!(
        presence::look(None),
        Presence::NoWorkers | Presence::Person | Presence::Worker(_)
    ));
}
