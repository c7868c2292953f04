//! Every step of every concern: written by the store, read by the command line.

use model::section::{AnyStep, Fields, Telling};
use model::{EventKind, GrantLevel, Time};
use work::approvals::{Approval, ApprovalState, ApprovalStep, Seal};
use work::breaker::BreakerStep;
use work::change::Change;
use work::discipline::{ComplianceStep, KnowledgeStep, Standing, TaskStep};
use work::plan::PlanStep;
use work::reviews::ReviewStep;
use work::tickets::{Ticket, TicketState, TicketStep};

use super::{event_record, shell};
use crate::records::journal::Record;

/// What must never stand in a journal.
const SECRET: &str = "what a person said";

fn approvals() -> Vec<AnyStep> {
    let states = ApprovalState::NAMES.iter().flat_map(|(_, state)| {
        [0, 2].map(|tries| Approval {
            id: "A7F3".into(),
            code: Seal::of(SECRET, [1; 32]),
            state: *state,
            tries,
            by: GrantLevel::Terminal,
            needs: GrantLevel::Key,
            tag: "rules/git.discard".into(),
            ..Approval::default()
        })
    });
    let step = |to| ApprovalStep(Change { from: None, to }).into();
    states.map(step).collect()
}

fn tickets() -> Vec<AnyStep> {
    let states = TicketState::NAMES.iter().map(|(_, state)| Ticket {
        id: "R1".into(),
        state: *state,
        kind: "a reviewer".into(),
        why: "two \"findings\"".into(),
        ..Ticket::default()
    });
    let step = |to| TicketStep(Change { from: None, to }).into();
    states.map(step).collect()
}

/// Some of every step of every section, and what is said by people and programs.
fn all() -> Vec<AnyStep> {
    let told = TaskStep::Prompted {
        text: SECRET.into(),
        scope: true,
    };
    let called = TaskStep::Called {
        line: SECRET.into(),
        error: SECRET.into(),
        touched: SECRET.into(),
        failed: true,
    };
    let checked = ComplianceStep::Checked {
        standing: Standing::Warn,
        words: SECRET.into(),
        time: Time(7),
    };
    let learned = KnowledgeStep::Learned {
        line: SECRET.into(),
    };
    let said = [told.into(), called.into(), checked.into(), learned.into()];
    let samples = work::all_sections().flat_map(|kind| (kind.samples)());
    let all = samples.chain(said).chain(approvals()).chain(tickets());
    all.collect()
}

fn sorted(mut fields: Fields) -> Fields {
    fields.values.sort_by(|(one, _), (other, _)| one.cmp(other));
    fields
}

#[test]
fn every_step_comes_back_from_the_journal() {
    let given: Vec<Fields> = all().iter().map(AnyStep::fields).collect();
    for step in all() {
        let record = event_record(
            EventKind::ToolBefore(shell("ls")),
            std::slice::from_ref(&step),
        );
        assert!(!record.text.contains(SECRET), "{}", record.text);
        let read = <[Fields; 1]>::try_from(record.steps()).unwrap();
        let [read] = read.map(sorted);
        assert_eq!(read, sorted(step.fields()), "{}", record.text);
        let kind = work::all_sections().find(|kind| kind.name == read.section);
        let echoed = (kind.unwrap().echo)(&read).map(sorted);
        assert_eq!(echoed.as_ref(), Some(&read));
    }
    // Nobody adds a kind of step that is not tried here.
    for kind in work::all_sections() {
        let missing = kind.steps.iter().find(|name| {
            let is_it = |step: &Fields| step.section == kind.name && step.step == **name;
            !given.iter().any(is_it)
        });
        assert_eq!(missing, None, "{}", kind.name);
    }
}

#[test]
fn steps_of_one_line_stay_in_order() {
    let mut steps = all();
    // A line holds no more than so many.
    steps.truncate(60);
    let record = event_record(EventKind::ToolBefore(shell("ls")), &steps);
    let given: Vec<Fields> = steps.iter().map(|step| sorted(step.fields())).collect();
    let read: Vec<Fields> = record.steps().into_iter().map(sorted).collect();
    assert_eq!(read, given);
}

/// What people are told of an event's steps.
fn words(record: &Record) -> Vec<String> {
    let told = record.told().filter_map(|told| match told {
        Telling::Beside(words) | Telling::Happened(words) => Some(words),
        Telling::Silent => None,
    });
    told.collect()
}

#[test]
fn people_are_told_what_the_store_wrote() {
    let steps: Vec<AnyStep> = approvals().into_iter().chain(tickets()).collect();
    let record = event_record(EventKind::ToolBefore(shell("ls")), &steps);
    let told = words(&record);
    for expected in [
        "A7F3 waits",
        "A7F3 wrong code",
        "A7F3 granted by terminal",
        "A7F3 refused",
        "A7F3 spent by terminal",
        "A7F3 void",
        "R1 wanted: two \"findings\"",
        "R1 passed: two \"findings\"",
    ] {
        assert!(
            told.iter().any(|told| told == expected),
            "{expected}: {told:?}"
        );
    }
    assert_eq!(record.way_on().as_deref(), Some("tollgate approve A7F3"));
}

#[test]
fn people_are_told_how_plans_reviews_and_breakers_went_on() {
    let time = Time(1);
    let steps: Vec<AnyStep> = vec![
        PlanStep::Started {
            by: "command".into(),
        }
        .into(),
        PlanStep::Assessed {
            plan: "aa".into(),
            gaps: String::new(),
            status: "fail".into(),
            reason: "Not covered: FINDING-1".into(),
            source: "outside: codex".into(),
            time,
        }
        .into(),
        ReviewStep::Began {
            purpose: "the parser".into(),
            ticket: "R1".into(),
            reviewer: "codex".into(),
            time,
        }
        .into(),
        ReviewStep::Held {}.into(),
        BreakerStep::Tripped {
            cause: "attempts".into(),
        }
        .into(),
        BreakerStep::Begun {}.into(),
    ];
    let record = event_record(EventKind::ToolBefore(shell("ls")), &steps);
    assert_eq!(
        words(&record),
        [
            "the plan must be assessed (command)",
            "plan fail (outside: codex): Not covered: FINDING-1",
            "codex was asked to review R1",
            "held up until a review passes",
            "the turn is let go: reviewers were asked as often as may be",
        ]
    );
}

#[test]
fn people_are_told_of_a_step_that_no_section_knows() {
    let line = r#"{"seq":1,"event":"other","steps":[
        {"of":"weather","step":"rained","litres":3,"heavy":true,"where":["here","there\u001b[2J"]},
        {"of":"approvals","step":"postponed","id":"A7F3"},
        {"of":"task","step":"called"}]}"#;
    let record = Record {
        session: "s".to_owned(),
        fields: serde_json::from_str(line).unwrap(),
        text: line.to_owned(),
    };
    let told = words(&record);
    assert_eq!(
        told,
        [
            "weather rained heavy=true litres=3 where=here, there [2J",
            "approvals postponed id=A7F3",
        ]
    );
}

/// Lines that were written when steps were in words.
const OLD: &str = include_str!("../../../../tests/fixtures/journal-in-words.jsonl");

#[test]
fn steps_in_words_are_read_as_steps() {
    let mut told = Vec::new();
    for line in OLD.lines() {
        let record = Record {
            session: "s".to_owned(),
            fields: serde_json::from_str(line).unwrap(),
            text: line.to_owned(),
        };
        let words = ["approvals", "tickets", "discipline"];
        let count: usize = words.iter().map(|key| record.list(key).len()).sum();
        let steps = record.steps();
        assert_eq!(steps.len(), count, "{line}");
        let given = words.iter().take(2).flat_map(|key| record.list(key));
        let given: Vec<&str> = given.filter_map(|words| words.as_str()).collect();
        assert_eq!(self::words(&record), given);
        told.extend(steps);
    }
    for step in &told {
        let kind = work::all_sections().find(|kind| kind.name == step.section);
        assert!((kind.unwrap().echo)(step).is_some(), "{step:?}");
    }
    let names = told
        .iter()
        .map(|step| (step.section.as_str(), step.step.as_str()));
    let names: Vec<(&str, &str)> = names.collect();
    for wanted in [
        ("approvals", "asked"),
        ("approvals", "wrong code"),
        ("approvals", "granted"),
        ("approvals", "spent"),
        ("tickets", "wanted"),
        ("tickets", "dropped"),
        ("hydration", "armed"),
        ("hydration", "held"),
        ("hydration", "released"),
        ("hydration", "started"),
        ("hydration", "runs"),
        ("hydration", "answered"),
        ("compliance", "held"),
        ("compliance", "checked"),
        ("task", "prompted"),
        ("task", "called"),
        ("skills", "loaded"),
        ("skills", "drifted"),
        ("hints", "hinted"),
        ("knowledge", "learned"),
        ("knowledge", "stopped"),
        ("knowledge", "offered"),
    ] {
        assert!(names.contains(&wanted), "{wanted:?} in {names:?}");
    }
}
