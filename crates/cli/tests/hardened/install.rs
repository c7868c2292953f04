//! Putting the install there, again, and taking it away.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use crate::machine::{Machine, can_run};

const MANAGED: &str = "etc/claude-code/managed-settings.json";
const PROGRAMS: &str = "usr/local/libexec/tollgate";

fn mode_and_group(path: &str) -> (u32, u32, u32) {
    let metadata = Path::new(path).symlink_metadata().unwrap();
    (metadata.mode() & 0o7777, metadata.uid(), metadata.gid())
}

#[test]
fn everything_has_its_owner_and_permissions() {
    if !can_run() {
        return;
    }
    let machine = Machine::new();
    let group = machine.state_group();
    assert!(machine.has_group() && group != 0);
    machine.call("touch notes").said();
    for (path, expected) in [
        (PROGRAMS, (0o755, 0, 0)),
        (
            "usr/local/libexec/tollgate/tollgate-hook",
            (0o2755, 0, group),
        ),
        ("usr/local/libexec/tollgate/tollgate", (0o2755, 0, group)),
        ("var/lib/tollgate", (0o3770, 0, group)),
        ("etc/claude-code", (0o755, 0, 0)),
        (MANAGED, (0o644, 0, 0)),
    ] {
        assert_eq!(mode_and_group(&machine.place(path)), expected, "{path}");
    }
    assert_eq!(
        mode_and_group(&machine.state()),
        (0o2770, machine.user, group)
    );
    let session = format!(
        "{}/sessions/{}.st",
        machine.state(),
        crate::machine::SESSION
    );
    assert_eq!(mode_and_group(&session), (0o660, machine.user, group));
    let said = machine.user_tollgate(&["doctor"]).said();
    assert!(
        said.contains("hardened: programs and state are root's"),
        "{said}"
    );
    assert!(said.contains("a refused call stayed undone"), "{said}");
}

#[test]
fn a_second_time_changes_nothing_and_mends_what_was_damaged() {
    if !can_run() {
        return;
    }
    let machine = Machine::bare();
    let theirs = "{\n  \"model\": \"opus\"\n}\n";
    machine.write(&format!("root/{MANAGED}"), theirs);
    let init = || {
        machine
            .by_root("init", &["--scope", "managed", "--yes"])
            .worked()
    };
    init();
    let settings = fs::read_to_string(machine.place(MANAGED)).unwrap();
    assert!(settings.contains("\"model\": \"opus\"") && settings.contains("tollgate-hook"));
    let backup = machine.place(&format!("{MANAGED}.tollgate-backup"));
    assert_eq!(fs::read_to_string(backup).unwrap(), theirs);
    let hook = machine.hook();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(
        machine.place("var/lib/tollgate"),
        fs::Permissions::from_mode(0o777),
    )
    .unwrap();
    let said = machine.sudo(&["doctor"]).failed();
    assert!(
        said.contains("does not run with the group of the state"),
        "{said}"
    );
    assert!(said.contains("is open to everybody"), "{said}");
    assert!(init().contains("already as it should be"));
    assert_eq!(mode_and_group(&hook).0, 0o2755);
    assert_eq!(mode_and_group(&machine.place("var/lib/tollgate")).0, 0o3770);
    assert_eq!(
        fs::read_to_string(machine.place(MANAGED)).unwrap(),
        settings
    );

    machine.call("touch notes").said();
    let said = machine
        .by_root("uninstall", &["--scope", "managed"])
        .worked();
    assert!(
        said.contains("as it was before tollgate init, to the byte"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(machine.place(MANAGED)).unwrap(), theirs);
    assert!(!Path::new(&machine.place(PROGRAMS)).exists());
    assert!(fs::symlink_metadata(machine.tollgate()).is_err());
    assert!(Path::new(&machine.state()).is_dir() && machine.has_group());
    machine
        .by_root("uninstall", &["--scope", "managed", "--purge"])
        .worked();
    assert!(!Path::new(&machine.place("var/lib/tollgate")).exists());
    assert!(!machine.has_group());
}

#[test]
fn it_says_what_it_would_do_and_who_may() {
    if !can_run() {
        return;
    }
    let machine = Machine::bare();
    let before = machine.snapshot(&machine.place(""));
    let said = machine
        .by_root("init", &["--scope", "managed", "--dry-run"])
        .worked();
    for part in [
        "managed-settings.json",
        PROGRAMS,
        "var/lib/tollgate",
        "Nothing was changed",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(machine.snapshot(&machine.place("")), before);
    let program = machine.at("bin/tollgate").display().to_string();
    let root = machine.at("root").display().to_string();
    let script = format!("{program} init --scope managed --yes --root {root}");
    assert!(machine.by_user(&script).failed().contains("sudo tollgate"));
    assert_eq!(machine.snapshot(&machine.place("")), before);
}

#[test]
fn what_lies_in_the_place_of_the_link_stays() {
    if !can_run() {
        return;
    }
    let machine = Machine::bare();
    machine.write("root/usr/local/bin/tollgate", "another program");
    let said = machine
        .by_root("init", &["--scope", "managed", "--yes"])
        .worked();
    assert!(said.contains("is another program"), "{said}");
    assert_eq!(
        fs::read_to_string(machine.tollgate()).unwrap(),
        "another program"
    );
    machine
        .by_root("uninstall", &["--scope", "managed", "--purge"])
        .worked();
    assert!(Path::new(&machine.tollgate()).exists());
}

/// As where a tool makes a user's settings: a link into what only root may write.
#[test]
fn settings_that_a_tool_makes_are_left_with_advice_that_helps() {
    if !can_run() {
        return;
    }
    let machine = Machine::bare();
    let made = machine.at("root/made/settings.json");
    machine.write("root/made/settings.json", "{\"theme\": \"dark\"}\n");
    let link = format!(
        "mkdir ~/.claude && ln -s {} ~/.claude/settings.json",
        made.display()
    );
    machine.by_user(&link).worked();
    let program = machine.at("bin/tollgate");
    let init = format!("{} init --yes --agent claude", program.display());
    let said = machine.by_user(&init).failed();
    for words in [
        "its directory is not to be written to",
        "tollgate init --dry-run shows",
        "is a link to",
    ] {
        assert!(said.contains(words), "no {words:?} in: {said}");
    }
    assert!(!said.contains("TOLLGATE_HOME"), "{said}");
    assert_eq!(
        fs::read_to_string(&made).unwrap(),
        "{\"theme\": \"dark\"}\n"
    );
    // What it says to do shows the lines.
    let shown = machine.by_user(&format!("{init} --dry-run")).worked();
    assert!(shown.contains("PreToolUse"), "{shown}");
}
