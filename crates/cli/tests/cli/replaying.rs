//! Our own journals judged anew: with what was known when each call was made, by other rules.

use serde_json::json;

use crate::common::Machine;

/// Two calls that lose something and one that does not, judged and remembered.
fn judged() -> Machine {
    let machine = Machine::new();
    machine.init();
    machine.make_dirty();
    machine.bash("git reset --hard");
    machine.bash("rm -rf ~/");
    machine.bash("cargo build x");
    machine
}

#[test]
fn a_journal_is_judged_with_what_was_known_then() {
    let machine = judged();
    // What was at stake is gone by now, and what was judged stands.
    machine.git(&["checkout", "-q", "--", "."]);
    machine
        .tollgate("replay --journal")
        .shows(&["3 calls in 1 session, judged with what was known when each was made"])
        .shows(&["Now 1 would be refused and 1 asked about."])
        .shows(&["rm -rf ~/", "git reset --hard"])
        .run();
    // What a person thinks of: what it would have changed of what was.
    let entry = json!([{"id": "slow", "action": "block", "reason": "slow",
        "match": {"tool_name": "Bash", "pattern": "^cargo build"}}]);
    machine.write("home/other/anti_pattern_index.json", entry.to_string());
    let other = machine.at("home/other");
    let line = format!("replay --journal --against {}", other.display());
    let changed = machine.tollgate(&line).json();
    let [one] = changed.as_slice() else {
        panic!("{changed:?}");
    };
    assert_eq!(one["call"], "cargo build x");
    assert_eq!(
        (&one["before"], &one["level"]),
        (&"allow".into(), &"deny".into())
    );
}

#[test]
fn what_the_journal_does_not_hold_whole_is_left_out_and_counted() {
    let machine = judged();
    let secret = format!("deploy --token ghp_{}", "a1B2".repeat(9));
    machine.bash(&secret);
    machine
        .tollgate("replay --journal")
        .shows(&["4 calls in 1 session", "1 call left out"])
        .run();
    machine
        .tollgate("replay --journal --host codex")
        .shows(&["No past calls were found", "without --journal"])
        .run();
    machine
        .tollgate("replay --journal x.jsonl")
        .status(2)
        .complains(&["cannot be used with"])
        .run();
}
