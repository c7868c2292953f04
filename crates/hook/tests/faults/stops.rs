//! A stop while a review is open: a failure of ours holds it up once, and only if that could be
//! remembered.

use std::fs::File;

use model::{Effect, Time};
use serde_json::json;
use work::change::Change;
use work::tickets::{Ticket, TicketStep};

use crate::broken;
use crate::common::World;
use crate::common::client::{self, Run};
use crate::common::damage::{damage, used_world};
use crate::common::remember::remember;

/// What every held stop says.
const HELD: &str = ". This stop is held up once, because a review is open. Next: ";

/// Ways to fail, the row of the failure table, and whether the hook itself breaks. A damaged record
/// is missing: with it, the review is forgotten.
const WAYS: &[(&str, &str, bool)] = &[
    ("garbage bundle", "[fault/bundle]", false),
    ("panic", "[fault/gate]", true),
    ("abort", "[fault/gate]", true),
    ("sleep", "[fault/time]", true),
];

/// A world whose session owes a review.
fn owing() -> World {
    let world = used_world("stops");
    // The project's record is read at stops.
    let payload = client::payload(&world, "SessionStart", json!({"source": "startup"}));
    client::send(
        &mut world.hook("SessionStart"),
        payload.to_string().as_bytes(),
    );
    let ticket = Ticket {
        id: String::from("R1"),
        purpose: String::from("a test"),
        asked: Time(1),
        changed: Time(1),
        ..Ticket::default()
    };
    let change = Change {
        from: None,
        to: ticket,
    };
    let owed = Effect::Step(TicketStep(change).into());
    remember(&world, edge::surroundings::now(), vec![owed]);
    world
}

/// Sends a stop; `turn` tells stops apart, and `again` says that it was held up in this turn.
fn stop(world: &World, turn: usize, again: bool, how: Option<&str>) -> Run {
    let more = json!({"stop_hook_active": again, "background_tasks": [], "turn": turn});
    let payload = client::payload(world, "Stop", more);
    // Equal events without an id are one event for two seconds.
    std::thread::sleep(std::time::Duration::from_millis(if turn > 0 {
        4_100
    } else {
        0
    }));
    match how {
        None => client::send(&mut world.hook("Stop"), payload.to_string().as_bytes()),
        Some(how) => {
            let test = "broken::a_broken_gate_is_answered_by_the_failure_table";
            broken::send(&mut broken::broken_hook(world, test, how, "Stop"), &payload)
        }
    }
}

fn is_held(run: &Run, tag: &str) {
    assert_eq!(run.outcome(), "DENY", "{run:?}");
    let words = run.words();
    assert!(
        words.contains("tollgate fault, not a policy decision: "),
        "{words}"
    );
    assert!(words.contains(HELD) && words.contains(tag), "{words}");
}

fn check(&(how, tag, breaks): &(&str, &str, bool)) {
    let world = owing();
    let broken = breaks.then_some(how);
    // Nothing is wrong yet: the review alone holds it up, and nothing of ours is used up.
    let sound = stop(&world, 0, false, None);
    assert!(sound.words().contains("[reviews/owed]"), "{how}: {sound:?}");
    if !breaks {
        assert!(damage(&world, how));
    }
    let in_turn = stop(&world, 1, true, broken);
    match breaks {
        true => assert_eq!(in_turn.outcome(), "-", "{how}: {in_turn:?}"),
        // What failed is no reason to let an owed review go.
        false => assert!(
            in_turn.words().contains("[reviews/owed]"),
            "{how}: {in_turn:?}"
        ),
    }
    is_held(&stop(&world, 2, false, broken), tag);
    let later = stop(&world, 3, false, broken);
    match breaks {
        true => assert_eq!(later.outcome(), "-", "{how}: {later:?}"),
        // It was held up as often as may be.
        false => assert!(
            later.answer.stdout.contains("released-unreviewed"),
            "{how}: {later:?}"
        ),
    }
}

#[test]
fn a_stop_while_a_review_is_open_is_held_up_once() {
    std::thread::scope(|scope| {
        for way in WAYS {
            scope.spawn(|| check(way));
        }
    });
}

#[test]
fn what_cannot_be_remembered_holds_nothing_up() {
    for how in ["panic", "garbage bundle"] {
        let world = owing();
        let broken = (how == "panic").then_some(how);
        if broken.is_none() {
            assert!(damage(&world, how));
        }
        let record = File::options()
            .write(true)
            .open(world.kept("record"))
            .unwrap();
        record.lock().unwrap();
        let run = stop(&world, 0, false, broken);
        assert_eq!(run.outcome(), "-", "{how}: {run:?}");
    }
}
