//! Who may say what: root for the user, the user for himself.

use crate::machine::{Machine, SESSION, can_run, pack};

/// What only root may say.
const ROOTS: &[&[&str]] = &[
    &["off", "--for", "30m"],
    &["on"],
    &["trust"],
    &["uninstall"],
    &["uninstall", "--scope", "managed"],
    &["init", "--yes"],
    &["init", "--scope", "managed", "--yes"],
];

#[test]
fn the_owners_commands_are_roots() {
    if !can_run() {
        return;
    }
    let machine = Machine::new();
    machine.call("touch notes").said();
    let before = machine.snapshot(&machine.place(""));
    for words in ROOTS {
        let said = machine.user_tollgate(words).failed();
        assert!(said.contains("sudo tollgate"), "{words:?}: {said}");
        assert_eq!(machine.snapshot(&machine.place("")), before, "{words:?}");
    }
    let said = machine
        .user_tollgate(&["--user", "root", "status"])
        .failed();
    assert!(said.contains("is for root"), "{said}");
    let with_variable = machine.user_tollgate(&["log"]).env("SUDO_UID", "0");
    assert!(with_variable.worked().contains("touch notes"));
}

#[test]
fn root_acts_for_the_user() {
    if !can_run() {
        return;
    }
    let machine = Machine::new();
    let is_refused = || machine.call("rm -rf ~/").said().contains("\"deny\"");
    assert!(is_refused());
    machine.sudo(&["off", "--for", "30m"]).worked();
    assert!(!is_refused(), "off does not reach the user's hook");
    let said = machine.user_tollgate(&["status"]).said();
    assert!(said.to_lowercase().contains("off"), "{said}");
    machine.sudo(&["on"]).worked();
    assert!(is_refused());
    // The same by name, without sudo's variable.
    let name = machine.user_name();
    let script = ["off", "--for", "30m", "--user", name];
    machine.sudo(&script).env("SUDO_UID", "0").worked();
    assert!(!is_refused());
    machine
        .sudo(&["on", "--user", name])
        .env("SUDO_UID", "")
        .worked();
    assert!(is_refused());
    let said = machine
        .sudo(&["on", "--user", "nobody-of-this-name"])
        .failed();
    assert!(said.contains("there is no user"), "{said}");
    // What root made there stays the user's to go on with.
    machine.call("touch notes").said();
    assert!(machine.journal().contains("touch notes"));
}

#[test]
fn only_roots_rules_loosen() {
    if !can_run() {
        return;
    }
    let machine = Machine::new();
    let loosen = "profile = \"observe\"\n[gates]\npolicy = \"off\"\n";
    machine.write_as_user(".config/tollgate/config.toml", loosen);
    machine.write_as_user(".config/tollgate/packs/mine.toml", &pack("mine", "frob"));
    let said = machine.user_tollgate(&["compile"]).in_app().worked();
    assert!(said.contains("only root's settings may loosen"), "{said}");
    let said = machine.call("rm -rf ~/").said();
    assert!(said.contains("\"deny\""), "{said}");
    let said = machine.user_tollgate(&["status"]).said();
    assert!(
        said.contains("guard") && !said.contains("observe"),
        "{said}"
    );
    // Root's do: and the profile that root chose is root's.
    let init = ["--scope", "managed", "--yes", "--profile", "observe"];
    machine.by_root("init", &init).worked();
    machine.user_tollgate(&["compile"]).in_app().worked();
    let said = machine.call("rm -rf ~/").said();
    assert!(!said.contains("\"deny\""), "{said}");
}

#[test]
fn a_code_reaches_the_human_and_no_list() {
    if !can_run() {
        return;
    }
    let machine = Machine::new();
    machine.write_as_user("app/notes", "three hours of work\n");
    let said = machine.call_of_a_person("rm notes").said();
    let Some(code) = code_in(&said) else {
        panic!("no code in {said}");
    };
    let listed = machine.user_tollgate(&["approvals"]).said();
    assert!(!listed.contains(&code), "{listed}");
    let listed = machine.user_tollgate(&["approvals", "--json"]).said();
    assert!(!listed.contains(&code), "{listed}");
    let listed = machine.sudo(&["approvals"]).worked();
    assert!(
        listed.contains("CODE") && !listed.contains(&code),
        "{listed}"
    );
    for words in [
        &["session", SESSION][..],
        &["log"],
        &["log", "--json"],
        &["status"],
    ] {
        let said = machine.user_tollgate(words).said();
        assert!(!said.contains(&code), "{words:?}: {said}");
    }
    // Root's yes for the user, used by the user's hook once.
    let id = said.split("request ").nth(1).unwrap()[..4].to_owned();
    machine.sudo(&["approve", &id, &code]).worked();
    let payload = machine.payload("rm notes");
    let said = machine.event("PreToolUse", &payload).said();
    assert!(!said.contains("\"deny\""), "{said}");
    assert!(machine.call("rm notes").said().contains("\"deny\""));
}

/// The code in a notice to the human: `word-NN` after `approve ID` or `ok`.
fn code_in(said: &str) -> Option<String> {
    let after = said
        .split("tollgate ok ")
        .nth(1)
        .or_else(|| Some(said.split("tollgate approve ").nth(1)?.split_once(' ')?.1))?;
    let end = after.find(|c: char| !c.is_alphanumeric() && c != '-')?;
    Some(after[..end].to_owned())
}
