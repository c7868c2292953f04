//! Rules of one's own: written, tested, compiled by themselves, trusted or not.

use std::time::{Duration, Instant};

use crate::common::Machine;

const USER: &str = "home/.config/tollgate/packs/mine.toml";
const PROJECT: &str = "home/app/.tollgate/packs/ours.toml";

/// A pack with one rule that refuses to delete `treasure*`.
fn pack(id: &str) -> String {
    format!(
        r#"id = "{id}"
summary = "Treasure stays."

[[rule]]
id = "treasure"
level = "deny"
reason = "{{command}} would take the treasure"
match = [{{ call = "rm treasure.txt" }}]
not_match = [{{ call = "rm other.txt" }}]
[rule.when]
verb = ["delete"]
name = "treasure*"
"#
    )
}

fn code(machine: &Machine) -> Option<i32> {
    machine.bash("rm treasure.txt").status.code()
}

/// Waits until a call gets this status: a compile was started, and ends when it ends.
fn comes_to(machine: &Machine, wanted: i32) {
    let end = Instant::now() + Duration::from_secs(60);
    while code(machine) != Some(wanted) {
        assert!(Instant::now() < end, "no answer {wanted}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_is_there_can_be_looked_at() {
    let machine = Machine::new();
    machine
        .tollgate("rules list")
        .shows(&["files", "files.delete-root", "git.discard"])
        .run();
    let rules = machine.tollgate("rules list").json();
    assert!(
        rules
            .iter()
            .any(|rule| rule["id"] == "git.discard" && rule["on"] == true)
    );
    let show = machine.tollgate("rules show policy/git.discard");
    show.shows(&[
        "git.discard  ask",
        "because",
        "instead",
        "git.toml line",
        "off = [\"git.discard\"]",
    ])
    .run();
    machine
        .tollgate("rules show policy")
        .shows(&["policy"])
        .run();
    for (id, title) in [
        ("self_protection/path", "# self_protection"),
        ("fault/state", "# fault"),
    ] {
        let page = machine
            .tollgate(&format!("rules show {id}"))
            .shows(&[title])
            .run();
        assert!(!page.contains("covers:"), "{page}");
    }
    let none = machine.tollgate("rules show nothing").status(1);
    none.complains(&["there is no rule or gate `nothing`; tollgate rules list shows all"])
        .run();
    machine
        .tollgate("rules settings")
        .shows(&["# Settings of Tollgate", "profile"])
        .run();
}

#[test]
fn a_pack_begins_as_one_that_works() {
    let machine = Machine::new();
    let new = machine.tollgate("rules new mine");
    new.shows(&["~/.config/tollgate/packs/mine.toml: edit it"])
        .run();
    machine
        .tollgate("rules test")
        .shows(&["1 pack, 4 examples, 0 mistakes"])
        .run();
    let again = machine.tollgate("rules new mine").status(1);
    again.complains(&["mine.toml", "it is there already"]).run();
    let name = machine.tollgate("rules new Mine/../x").status(1);
    name.complains(&["a pack's name has small letters, digits, - and _ only"])
        .run();
    machine
        .tollgate("rules new ours --project")
        .shows(&["~/app/.tollgate/packs/ours.toml"])
        .run();
}

#[test]
fn examples_are_checked() {
    let machine = Machine::new();
    machine.write(
        USER,
        pack("mine").replace("rm other.txt", "rm treasure.map"),
    );
    let test = machine.tollgate("rules test").status(1);
    test.shows(&["wrong: ~/.config/tollgate/packs/mine.toml:9:", "1 mistake"])
        .run();
    let mistakes = machine.tollgate("rules test").status(1).json();
    assert_eq!(mistakes[0]["line"], 9);
    machine
        .tollgate("compile")
        .status(1)
        .shows(&["not compiled:", "last good rules"])
        .run();
}

#[test]
fn the_first_rules_of_a_project_hold_at_once() {
    let machine = Machine::new();
    machine.init();
    assert_eq!(code(&machine), Some(0));
    machine.write(USER, pack("mine"));
    // Nothing older could judge meanwhile, so the compile is waited for; a busy machine may need
    // another call.
    comes_to(&machine, 2);
    let show = machine.tollgate("explain last");
    show.shows(&[
        "would take the treasure",
        "[policy/mine.treasure]",
        "Answer: deny",
    ])
    .run();
    machine
        .tollgate("rules list")
        .shows(&["mine.treasure"])
        .run();
}

#[test]
fn a_broken_pack_keeps_the_last_good_rules() {
    let machine = Machine::new();
    machine.init();
    machine.write(USER, pack("mine"));
    machine
        .tollgate("compile")
        .shows(&["compiled: 1 layer, 1 pack, 1 rule"])
        .run();
    assert_eq!(code(&machine), Some(2));
    machine.write(USER, pack("mine").replace("\"delete\"", "\"delet\""));
    let broken = "~/.config/tollgate/packs/mine.toml:11:";
    let compile = machine.tollgate("compile").status(1);
    compile
        .shows(&[
            "not compiled:",
            broken,
            "did you mean \"delete\"?",
            "last good",
        ])
        .run();
    assert_eq!(code(&machine), Some(2));
    machine
        .tollgate("status")
        .shows(&["broken", "mine.toml could not be loaded (line 11"])
        .run();
    machine
        .tollgate("rules test")
        .status(1)
        .shows(&["wrong:", broken, "1 mistake"])
        .run();
    machine.write(USER, pack("mine"));
    machine.tollgate("compile").shows(&["compiled:"]).run();
    machine
        .tollgate("doctor")
        .shows(&["The gate is alive."])
        .run();
}

#[test]
fn an_edit_holds_for_the_next_call_and_is_no_fault() {
    let machine = Machine::new();
    machine.init();
    machine.write(USER, pack("mine"));
    machine
        .tollgate("rules test")
        .shows(&["1 pack, 2 examples, 0 mistakes"])
        .run();
    assert_eq!(code(&machine), Some(2), "what was tested holds");
    machine.write(USER, pack("mine").replace("treasure", "jewels"));
    comes_to(&machine, 0);
    machine.write(USER, pack("mine"));
    comes_to(&machine, 2);
    let log = machine.tollgate("log").json();
    let is_fault = |line: &serde_json::Value| line.to_string().contains("compiling them now");
    assert!(!log.iter().any(is_fault), "{log:?}");
}

#[test]
fn the_human_hears_once_of_rules_that_are_broken() {
    let machine = Machine::new();
    machine.init();
    machine.write(USER, pack("mine"));
    machine.tollgate("rules test").shows(&["0 mistakes"]).run();
    machine.write(USER, pack("mine").replace("\"delete\"", "\"delet\""));
    machine
        .tollgate("compile")
        .status(1)
        .shows(&["not compiled:"])
        .run();
    let said = |command: &str| {
        let out = machine.bash(command).stdout;
        String::from_utf8_lossy(&out).into_owned()
    };
    let first: serde_json::Value = serde_json::from_str(&said("touch a")).unwrap();
    let told = first["systemMessage"].as_str().unwrap_or_default();
    assert!(
        told.contains("mine.toml could not be loaded (line 11"),
        "{first}"
    );
    assert_eq!(said("touch b"), "");
    assert_eq!(code(&machine), Some(2), "the last good rules hold");
}

#[test]
fn a_file_that_cannot_be_read_is_a_mistake() {
    let machine = Machine::new();
    machine.write(USER, b"id = \"\xff\"\n");
    let test = machine.tollgate("rules test").status(1);
    test.shows(&["wrong: ~/.config/tollgate/packs/mine.toml:1:1: the file cannot be read"])
        .run();
}

#[test]
fn a_project_may_only_tighten() {
    let machine = Machine::new();
    machine.init();
    machine.write(PROJECT, pack("ours"));
    let config = "profile = \"observe\"\n[packs]\noff = [\"git\"]\n";
    machine.write("home/app/.tollgate/config.toml", config);
    let compile = machine.tollgate("compile");
    compile
        .shows(&[
            "note:",
            "`profile` is ignored: the project is not trusted",
            "`packs` is ignored",
        ])
        .run();
    assert_eq!(
        machine.bash("git push --force origin main").status.code(),
        Some(2)
    );
    assert_eq!(code(&machine), Some(2));
    machine
        .tollgate("rules list")
        .shows(&["project:ours.treasure", "(untrusted)"])
        .run();
    let show = machine.tollgate("rules show project:ours.treasure");
    show.shows(&["it comes with the project, so it can only ask and refuse"])
        .run();
    machine
        .tollgate("status")
        .shows(&["profile guard, built in"])
        .run();
}

#[test]
fn trust_is_in_these_very_words() {
    let machine = Machine::new();
    machine.init();
    machine
        .tollgate("trust")
        .status(1)
        .complains(&["there is nothing to trust"])
        .run();
    machine.write("home/app/.tollgate/config.toml", "profile = \"observe\"\n");
    let trust = machine.tollgate("trust");
    let said = trust
        .shows(&["is trusted as it stands now", "SHA-256 of its files: "])
        .run();
    assert_eq!(said.trim_end().rsplit(' ').next().map(str::len), Some(64));
    machine.tollgate("status").shows(&["profile observe"]).run();
    machine.write(
        "home/app/.tollgate/config.toml",
        "profile = \"observe\" # changed\n",
    );
    let compile = machine.tollgate("compile");
    compile
        .shows(&[
            "`profile` is ignored: the project is not trusted",
            "compiled:",
        ])
        .run();
    machine.tollgate("status").shows(&["profile guard"]).run();
    machine.tollgate("trust").shows(&["is trusted"]).run();
    machine
        .tollgate("trust --revoke")
        .shows(&["is not trusted any more"])
        .run();
    machine.tollgate("status").shows(&["profile guard"]).run();
}

#[test]
fn an_empty_directory_of_packs_is_compiled_once() {
    let machine = Machine::new();
    machine.init();
    std::fs::create_dir_all(machine.at("home/.config/tollgate/packs")).unwrap();
    machine
        .tollgate("compile")
        .shows(&["compiled: 0 layers"])
        .run();
    machine
        .tollgate("doctor")
        .shows(&["The gate is alive."])
        .run();
}

#[test]
fn what_was_just_written_is_what_people_see() {
    let machine = Machine::new();
    machine.write("home/app/treasure.txt", "gold\n");
    machine.write(USER, pack("mine"));
    let check = machine.tollgate("check").arg("rm treasure.txt").status(4);
    check
        .shows(&[
            "refused",
            "would take the treasure",
            "[policy/mine.treasure]",
        ])
        .run();
    std::fs::remove_file(machine.at(USER)).unwrap();
    machine
        .tollgate("check")
        .arg("rm treasure.txt")
        .status(3)
        .shows(&["asks a human"])
        .run();
}

#[test]
fn many_calls_at_once_notice_the_same_change() {
    let machine = Machine::new();
    machine.init();
    machine.write(USER, pack("mine"));
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| assert!(matches!(code(&machine), Some(0 | 2))));
        }
    });
    comes_to(&machine, 2);
    machine
        .tollgate("doctor")
        .shows(&["The gate is alive."])
        .run();
}
