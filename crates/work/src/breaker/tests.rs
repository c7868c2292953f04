//! What trips and what does not.

use super::*;

fn after(steps: &[BreakerStep]) -> Breaker {
    let mut breaker = Breaker::default();
    for step in steps {
        assert_eq!(step.apply(&mut breaker), Ok(()));
    }
    breaker
}

fn fails(tool: u64, how: &str) -> BreakerStep {
    BreakerStep::Failed {
        tool,
        failure: failure("make", how),
    }
}

fn says(text: &str) -> BreakerStep {
    BreakerStep::Said { text: text.into() }
}

#[test]
fn the_third_failure_in_a_row_trips_and_the_count_begins_anew() {
    let once = fails(1, "error: no rule after 12 ms");
    let other = fails(1, "error: out of memory");
    let elsewhere = fails(2, "error: no rule after 12 ms");
    let again = fails(1, "error: no rule after 9876 ms");
    for (steps, trips) in [
        (vec![&once, &once], 0),
        (vec![&once, &once, &again], 1),
        (vec![&once, &once, &other, &once], 0),
        (vec![&once, &other, &once, &other, &once], 0),
        (vec![&once, &elsewhere, &once, &elsewhere, &again], 1),
        (vec![&once, &once, &once, &once, &once], 1),
        (vec![&once, &once, &once, &once, &once, &once], 2),
        (vec![&other, &once, &once, &once], 1),
    ] {
        let steps: Vec<BreakerStep> = steps.into_iter().cloned().collect();
        let breaker = after(&steps);
        assert_eq!(breaker.tripped.len(), trips, "{steps:?}");
        assert_eq!(breaker.untold.is_empty(), trips == 0, "{steps:?}");
    }
    let told = after(&[once.clone(), once.clone(), once, BreakerStep::Told {}]);
    assert_eq!((told.untold.as_str(), told.tripped.len()), ("", 1));
    let many: Vec<BreakerStep> = (0..40).map(|tool| fails(tool, "x")).collect();
    assert_eq!(after(&many).failures.len(), TOOLS_MAX);
}

#[test]
fn another_call_is_another_failure_and_numbers_are_none() {
    assert_ne!(failure("a", "x"), failure("b", "x"));
    assert_ne!(failure("a", "x"), failure("a", "y"));
    assert_eq!(
        failure("a", " at 0x12, 34 s\n"),
        failure("a", "at 0x9, 5 s")
    );
    assert_ne!(failure("a", "line"), failure("a", "line 3"));
    assert_ne!(failure("a", "e3x"), failure("a", "ex"));
}

#[test]
fn three_messages_that_say_the_same_trip() {
    let same = "I have fixed the parser and all tests pass now. The work is done.";
    let nearly = "I have fixed the parser and all tests  pass now. The work is DONE.";
    let other = "The last line was dropped since the loop ended early; I now read to the end.";
    for (messages, trips) in [
        (vec![same, same], 0),
        (vec![same, nearly, same], 1),
        (vec![same, other, same], 0),
        (vec![other, same, same], 0),
        (vec![other, same, same, same], 1),
        (vec![other, same, other, same, same, same], 1),
        (vec!["", "", ""], 0),
        (vec![same, same, same, same, same], 1),
        (vec![same, same, same, same, same, same], 2),
    ] {
        let steps: Vec<BreakerStep> = messages.iter().map(|text| says(text)).collect();
        assert_eq!(after(&steps).tripped.len(), trips, "{messages:?}");
    }
    assert!((cosine(&vector(same), &vector(same)) - 1.0).abs() < 1e-9);
    assert!(cosine(&vector(same), &vector(other)) < 0.9);
    assert!(cosine(&vector("a"), &vector("a")).abs() < 1e-9);
    // Each triple counts, the blank behind a word with it.
    for (text, triples) in [
        ("", 0.0),
        ("a", 0.0),
        ("ab", 1.0),
        ("abcd", 3.0),
        ("aaaa", 3.0),
    ] {
        let all: f64 = vector(text).iter().sum();
        assert!((all - triples).abs() < 1e-9, "{text}: {all}");
    }
}

const LIMITS: Limits = Limits {
    turns: 3,
    attempts: 3,
    tokens: 50_000,
    millis: 1_800_000,
    goes_on: false,
};

#[test]
fn limits_are_reached_at_their_number_and_not_before() {
    let ticket = |state| Ticket {
        purpose: "p".into(),
        state,
        ..Ticket::default()
    };
    let failed = ticket(TicketState::Failed);
    let reviews = |held, attempts| Reviews {
        held,
        list: vec![ReviewHistory {
            purpose: "p".into(),
            open: attempts,
            began: Time(1_000),
            ..ReviewHistory::default()
        }],
        ..Reviews::default()
    };
    let spent = |tokens| Breaker {
        tokens,
        ..Breaker::default()
    };
    for (held, attempts, tokens, time, cause) in [
        (0, 1, 0, 1_000, None),
        (2, 2, 49_999, 1_800_999, None),
        // Nobody was asked since the user spoke.
        (0, 0, 60_000, 9_000_000, None),
        (3, 0, 0, 1_000, Some("turns")),
        (0, 3, 0, 1_000, Some("attempts")),
        (0, 1, 50_000, 1_000, Some("tokens")),
        (0, 1, 0, 1_801_000, Some("time")),
    ] {
        let counted = Counted {
            reviews: &reviews(held, attempts),
            breaker: &spent(tokens),
            time: Time(time),
        };
        let found = LIMITS.reached(&failed, &counted);
        assert_eq!(found, cause, "{held} {attempts} {tokens} {time}");
        let goes_on = Limits {
            goes_on: true,
            ..LIMITS
        };
        let found = goes_on.reached(&failed, &counted);
        assert_eq!(found, cause.filter(|cause| *cause == "turns"));
        assert!(cause.is_none_or(|cause| !in_words(cause).contains("a limit")));
    }
    // The last attempt may end.
    let running = ticket(TicketState::Running);
    let counted = Counted {
        reviews: &reviews(0, 3),
        breaker: &spent(0),
        time: Time(1_000),
    };
    assert_eq!(LIMITS.reached(&running, &counted), None);
    let counted = Counted {
        reviews: &Reviews::default(),
        breaker: &spent(60_000),
        time: Time(1),
    };
    let asked = LIMITS.reached(&failed, &counted);
    assert_eq!(asked, None, "no reviewer was asked yet");
}

#[test]
fn every_cause_of_the_page_has_words() {
    let rows = PAGE.lines().filter(|row| row.starts_with("| `"));
    let causes: Vec<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    let words = |cause: &&str| !in_words(cause).contains("a limit");
    assert_eq!(causes.iter().filter(|cause| words(cause)).count(), 6);
}
