//! A clock that was set back: what is remembered lies in the future, as the hook sees it.

use model::{Effect, GrantLevel, Level, Time};
use work::approvals::{Approval, ApprovalState, ApprovalStep, Approvals};
use work::change::Change;

use crate::common::World;
use crate::common::client::SESSION;
use crate::common::damage::{send, used_world};
use crate::common::remember::remember;

/// An hour, in milliseconds.
const HOUR_MS: u64 = 60 * 60 * 1_000;

#[test]
fn time_goes_on_from_what_is_remembered() {
    let world = used_world("clock");
    let later = Time(edge::surroundings::now().0 + 1_000 * HOUR_MS);
    let count = Effect::Counted {
        level: Level::Allow,
    };
    remember(&world, later, vec![count]);
    for (number, (what, expected)) in [
        ("touch a", "-"),
        ("Read", "-"),
        ("ls", "-"),
        ("prompt", "-"),
        ("rm -rf ~/", "DENY"),
        ("touch b", "-"),
    ]
    .iter()
    .enumerate()
    {
        let run = send(&world, what, &format!("toolu_{number}_back"));
        assert_eq!(run.outcome(), *expected, "{what}: {run:?}");
    }
    let store = world.store();
    let session = store.session(SESSION).unwrap().value;
    // The first call of the world, the one of an hour that is not yet, and four since.
    assert_eq!(session.calls, 6);
    assert!(session.last > later);
    let lines = store.journal(SESSION).unwrap();
    assert_eq!(lines.len(), 7);
    let report = store.verify(SESSION).unwrap();
    assert_eq!((report.damaged, report.repeated), (0, 0), "{report:?}");
    assert!(report.gaps.is_empty(), "{report:?}");
}

#[test]
fn what_is_over_does_not_come_back() {
    let world = used_world("switch");
    let now = edge::surroundings::now();
    // Switched off for a minute, two hours from now as the clock stands after it was set back.
    let later = Time(now.0 + 2 * HOUR_MS);
    world.store().switch_off(later, 60_000, "a test").unwrap();
    assert_eq!(send(&world, "rm -rf ~/", "toolu_off").outcome(), "DENY");
}

/// Says yes to the question that is open, at a time of our choice.
fn say_yes(world: &World, time: Time) -> Approval {
    let session = world.store().session(SESSION).unwrap().value;
    let approvals = Approvals::of(&session).list;
    let asked = approvals.last().unwrap().clone();
    assert_eq!(asked.state, ApprovalState::Pending);
    let granted = Approval {
        state: ApprovalState::Granted,
        by: GrantLevel::Terminal,
        ..asked.clone()
    };
    let yes = Change {
        from: Some(asked),
        to: granted.clone(),
    };
    remember(world, time, vec![Effect::Step(ApprovalStep(yes).into())]);
    granted
}

#[test]
fn a_yes_that_has_ended_does_not_come_back() {
    for (ended, expected) in [(false, "-"), (true, "DENY")] {
        let world = used_world("yes");
        let held = send(&world, "rm notes.md", "toolu_held");
        assert_eq!(held.outcome(), "DENY", "{held:?}");
        let granted = say_yes(&world, edge::surroundings::now());
        if ended {
            // Its time passed, then the clock was set back to before that.
            remember(&world, Time(granted.ends.0 + 1), Vec::new());
        }
        let run = send(&world, "rm notes.md", "toolu_again");
        let outcome = if run.outcome() == "adv" {
            "-"
        } else {
            run.outcome()
        };
        assert_eq!(outcome, expected, "{ended}: {run:?}");
    }
}
