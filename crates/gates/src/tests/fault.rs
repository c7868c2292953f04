//! The failure table and its words.

use model::{EventClass, FaultCause, Finding, Level};
use proptest::prelude::*;
use work::approvals::Approval;

use crate::fault::{Answer, CLASSES, answer, answer_of, held_up};
use crate::words::{self, Manner, WORDS_CHARS_MAX};

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

/// Whether words are those of a failure, and of nothing else.
fn is_of_a_fault(said: &str, cause: FaultCause) -> bool {
    said.starts_with("tollgate fault, not a policy decision: ")
        && said.contains(". Next: ")
        && said.ends_with(&format!(" [fault/{}]", cause.name()))
        && !said.contains("Not run: ")
        && !said.contains("Careful: ")
        && said.chars().count() <= WORDS_CHARS_MAX
}

proptest! {
    /// The gate is broken never looks like the policy says no, whatever broke, before whatever, in
    /// whatever manner it is told, and however often it was told before.
    #[test]
    fn a_failure_never_reads_like_a_rule(what in "\\PC{0,600}", seen in 0u64..5) {
        for (name, cause) in FaultCause::NAMES {
            for class in CLASSES {
                if let Some((_, said)) = answer(*cause, class, &what) {
                    prop_assert!(is_of_a_fault(&said, *cause), "{}", said);
                }
            }
            let held = held_up(*cause, &what);
            prop_assert!(is_of_a_fault(&held, *cause), "{}", held);
            let mut finding = Finding::new("fault", name, Level::Ask, what.clone());
            finding.fault = true;
            for manner in [Manner::Denied, Manner::Asked, Manner::CannotAsk, Manner::Advised] {
                let said = words::of(&finding, manner);
                prop_assert!(is_of_a_fault(&said, *cause), "{}", said);
            }
            let approval = Approval { id: "A7F3".into(), times_held: seen, ..Approval::default() };
            let said = words::held(&finding, &approval);
            prop_assert!(is_of_a_fault(&said, *cause), "{}", said);
        }
    }

    /// And the other way round: a rule that speaks of failures is still a rule.
    #[test]
    fn a_rule_never_reads_like_a_failure(reason in "[a-z ]{1,300}", seen in 0u64..5) {
        let finding = Finding::new("policy", "git.discard", Level::Ask, reason);
        let approval = Approval { id: "A7F3".into(), times_held: seen, ..Approval::default() };
        for said in [words::of(&finding, Manner::CannotAsk), words::held(&finding, &approval)] {
            prop_assert!(said.starts_with("Not run") && said.ends_with(" [policy/git.discard]"));
            prop_assert!(!said.contains("not a policy decision"), "{}", said);
        }
    }
}
