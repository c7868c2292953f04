//! A gate that is broken locks nobody out: a human's yes lifts the failure for the session, and for
//! no other.

use std::fs;
use std::process::Output;

use serde_json::Value;

use crate::common::Machine;

/// A machine whose rules are damaged and cannot be made again.
fn broken() -> Machine {
    let machine = Machine::new();
    machine.init();
    machine.make_dirty();
    let pack = "id = \"mine\"\nsummary = \"x\"\n[[rule]]\nid = \"all\"\nlevel = \"ask\"\n\
                reason = \"ends programs\"\n[rule.when]\nverb = [\"kill\"]\n";
    machine.write("home/.config/tollgate/packs/mine.toml", pack);
    machine.tollgate("compile").shows(&[""]).run();
    machine.script("state/bin/tollgate", "exit 1");
    for entry in fs::read_dir(machine.at("state/bundles")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "bundle") {
            fs::write(path, "damaged").unwrap();
        }
    }
    machine
}

/// What the hook says about a command in a session, where the host would not ask.
fn call(machine: &Machine, session: &str, command: &str) -> Output {
    let mut payload = machine.payload(command);
    payload["session_id"] = session.into();
    payload["permission_mode"] = "bypassPermissions".into();
    machine.hook("PreToolUse", &payload)
}

fn field(answer: &Output, name: &str) -> String {
    let said: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
    let found = [&said[name], &said["hookSpecificOutput"][name]];
    let found = found.iter().find_map(|value| value.as_str());
    found.unwrap_or_default().to_owned()
}

#[test]
fn a_yes_lifts_a_broken_gate_for_the_session() {
    let machine = broken();
    let mine = "5e55104e-0000-4000-8000-0000000000aa";
    let other = "5e55104e-0000-4000-8000-0000000000bb";
    // Looking around is possible whatever is broken.
    assert_eq!(call(&machine, mine, "ls -la").status.code(), Some(0));
    let held = call(&machine, mine, "touch witness");
    assert_eq!(held.status.code(), Some(2), "{held:?}");
    let reason = field(&held, "permissionDecisionReason");
    assert!(
        reason.starts_with("tollgate fault, not a policy decision: ")
            && reason.contains("This call needs a person until it is fixed. Next: ")
            && reason.ends_with(". [fault/bundle]"),
        "{reason}"
    );
    let notice = field(&held, "systemMessage");
    let words: Vec<&str> = notice.split_whitespace().collect();
    let at = words.iter().rposition(|word| *word == "approve").unwrap();
    let (id, code) = (words[at + 1], words[at + 2]);
    assert!(reason.contains(&format!("request {id}")), "{reason}");
    assert!(!reason.contains(code), "{reason}");
    machine
        .tollgate(&format!("approve {id} {code}"))
        .shows(&["granted:", id])
        .complains(&["is not the program that tollgate init put there"])
        .run();
    // It stays lifted: not the one call alone, and not what it would destroy.
    for command in ["touch witness", "mkdir out", "touch witness"] {
        let answer = call(&machine, mine, command);
        assert_eq!(answer.status.code(), Some(0), "{command}: {answer:?}");
    }
    let lost = call(&machine, mine, "git reset --hard");
    assert_eq!(lost.status.code(), Some(2), "{lost:?}");
    assert!(
        field(&lost, "permissionDecisionReason").contains("[policy/"),
        "{lost:?}"
    );
    let again = call(&machine, other, "touch witness");
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    let reason = field(&again, "permissionDecisionReason");
    assert!(
        reason.ends_with(". [fault/bundle]") && !reason.contains(id),
        "{reason}"
    );
}
