//! The failure table and its words.

use model::{EventClass, FaultCause, Level};

use crate::fault::{Answer, answer, answer_of};

#[test]
fn the_words_are_fixed() {
    let what =
        "rules in .tollgate/packs/db.toml could not be loaded (line 14: unknown verb \"drop\")";
    let (level, words) =
        answer(FaultCause::BundleCorrupt, EventClass::Mutating, what).expect("a person is needed");
    assert_eq!(level, Level::Ask);
    assert_eq!(
        words,
        "tollgate fault, not a policy decision: rules in .tollgate/packs/db.toml could not be \
         loaded (line 14: unknown verb \"drop\"). This call needs a person until it is fixed. \
         Next: run tollgate rules test, then tollgate compile. [fault/bundle]"
    );
}

#[test]
fn a_payload_that_cannot_be_read_is_refused_before_calls_only() {
    for (class, expected) in [
        (EventClass::ReadOnly, Some(Level::Deny)),
        (EventClass::Mutating, Some(Level::Deny)),
        (EventClass::Verdict, Some(Level::Deny)),
        (EventClass::Prompt, None),
        (EventClass::After, None),
        (EventClass::Stop, None),
        (EventClass::Settings, Some(Level::Deny)),
        (EventClass::Lifecycle, None),
    ] {
        let found = answer(FaultCause::Payload, class, "the payload is no JSON");
        assert_eq!(found.map(|(level, _)| level), expected, "{class:?}");
    }
}

#[test]
fn reads_are_locked_out_by_nothing_but_an_unreadable_payload() {
    for (name, cause) in FaultCause::NAMES {
        let read = answer_of(*cause, EventClass::ReadOnly);
        let may_stop = *cause == FaultCause::Payload;
        assert_eq!(
            matches!(read, Answer::Ask | Answer::Deny),
            may_stop,
            "{name}"
        );
    }
}

#[test]
fn nothing_is_stopped_after_the_fact_and_verdicts_never_fall_open() {
    for (name, cause) in FaultCause::NAMES {
        for class in [EventClass::After, EventClass::Lifecycle, EventClass::Prompt] {
            let level = answer_of(*cause, class).spoken().map(|(level, _)| level);
            assert!(
                level.unwrap_or_default() == Level::Allow,
                "{name} {class:?}"
            );
        }
        let verdict = answer_of(*cause, EventClass::Verdict);
        let rules_or_log = matches!(cause, FaultCause::BundleStale | FaultCause::Journal);
        assert_eq!(verdict == Answer::Deny, !rules_or_log, "{name}");
    }
}
