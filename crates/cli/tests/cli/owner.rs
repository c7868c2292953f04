//! Owner commands below a host, as a hidden script of a worker would call them; and how a call in
//! the host's place is shown to the owner.

use model::{Binding, Effect};
use store::Store;

use crate::common::{Machine, SESSION};

/// Binds this test's process, which starts all commands, as some session's host.
fn bind(machine: &Machine) {
    let own = edge::processes::look(std::process::id().into()).unwrap();
    let host = Binding {
        process: own.number,
        start: own.start,
        nested: false,
    };
    let store = Store::open(&machine.at("state")).unwrap();
    store.remember_host(host).unwrap();
}

const OWNER: &[&str] = &["off --for 5m", "uninstall", "trust", "init --yes"];

#[test]
fn nothing_of_the_owners_runs_below_a_bound_host() {
    let machine = Machine::new();
    machine.init();
    machine.bash("true");
    bind(&machine);
    let settings = machine.read(crate::common::SETTINGS);
    for line in OWNER {
        let test = machine.tollgate(line).status(4);
        test.complains(&["is for you, not for an agent", "a terminal of your own"])
            .run();
    }
    assert_eq!(machine.read(crate::common::SETTINGS), settings);
    let store = Store::open(&machine.at("state")).unwrap();
    assert_eq!(store.switched_off(edge::surroundings::now()), None);
    for line in ["init --dry-run", "status", "on"] {
        machine.tollgate(line).shows(&[""]).run();
    }
}

#[test]
fn a_host_that_ended_keeps_nobody_out() {
    let machine = Machine::new();
    machine.init();
    let store = Store::open(&machine.at("state")).unwrap();
    let own = edge::processes::look(std::process::id().into()).unwrap();
    store
        .remember_host(Binding {
            process: own.number,
            start: own.start + 1,
            nested: false,
        })
        .unwrap();
    machine.tollgate("off --for 5m").shows(&["off"]).run();
}

#[test]
fn an_agents_mark_keeps_out_until_it_is_taken_away() {
    let machine = Machine::new();
    // Agents are asked to install us.
    let init = machine.tollgate("init --yes").env("CLAUDECODE", "1");
    init.shows(&["Found"]).run();
    for line in ["off --for 5m", "uninstall", "trust"] {
        let test = machine.tollgate(line).env("CLAUDECODE", "1").status(4);
        test.complains(&["CLAUDECODE=1 is set", "unset CLAUDECODE"])
            .run();
    }
    machine.tollgate("off --for 5m").shows(&["off"]).run();
}

#[test]
fn who_called_in_the_hosts_place_is_shown() {
    let machine = Machine::new();
    machine.init();
    let host = Binding {
        process: 4_194_305,
        start: 1,
        nested: false,
    };
    let store = Store::open(&machine.at("state")).unwrap();
    store.note_said(SESSION, &[Effect::Bound(host)]).unwrap();
    // A pipe is not what this host hands to its hooks.
    machine.bash("touch ok");
    let who = "called by process ";
    let log = machine.tollgate("log");
    log.shows(&["touch ok", "tampering:", who, "not by the session's host"])
        .run();
    let explain = machine.tollgate("explain last");
    explain
        .shows(&["touch ok", "Tampering:", who, "nothing that it says counts"])
        .run();
}
