//! `demo`: the first command that anybody runs.

use std::fs;

use crate::common::Machine;

#[test]
fn it_works_anywhere_with_nothing_installed() {
    let machine = Machine::new();
    fs::create_dir(machine.at("elsewhere")).unwrap();
    let test = machine.tollgate("demo").cwd("elsewhere");
    let output = test
        .env("HOME", machine.at("nobody"))
        .env("TOLLGATE_HOME", machine.at("no-state"))
        .shows(&[
            "# a clean tree has nothing to lose\n$ git reset --hard\n",
            "→ let through",
            "# the same command, now with uncommitted work\n$ git reset --hard\n  → asks a human",
            "(src/main.rs +1 −0)",
            "→ refused",
            "7 calls passed, 7 were stopped; median ",
            "Next: tollgate init",
        ])
        .run();
    assert!(
        output.lines().all(|line| line.chars().count() <= 100),
        "{output}"
    );
    let led_away = machine
        .tollgate("demo")
        .env("GIT_DIR", "/nowhere")
        .status(1);
    led_away
        .complains(&["GIT_DIR is set", "env -u GIT_DIR tollgate demo"])
        .run();
    for left in ["nobody", "no-state"] {
        assert!(!machine.at(left).exists());
    }
    assert_eq!(fs::read_dir(machine.at("tmp")).unwrap().count(), 0);
}
