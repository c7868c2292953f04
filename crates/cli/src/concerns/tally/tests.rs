//! Sessions to be counted, as the store writes them.

use model::EventKind;
use model::section::AnyStep;
use work::discipline::{SkillStep, TaskStep};

use super::{Moment, Tally};
use crate::commands::stats::may_count;
use crate::records::journal::Record;
use crate::records::journal::tests::{event_record, shell};

/// A record as the store writes it.
pub fn record(event: &str, command: &str, steps: &[AnyStep]) -> Record {
    let call = shell(command);
    let kind = match event {
        "prompt" => EventKind::Prompt {
            text: "x".to_owned(),
            machine: false,
        },
        "tool_after" => EventKind::ToolAfter { call },
        "tool_failed" => EventKind::ToolFailed {
            call,
            error: String::new(),
        },
        _ => EventKind::ToolBefore(call),
    };
    let record = event_record(kind, steps);
    assert_eq!(record.text("event"), event);
    record
}

/// Counts a session from its beginning to its end.
pub fn play(tally: &mut dyn Tally, records: &[Record]) {
    for record in records {
        assert!(may_count(&record.text), "{}", record.text);
        tally.take(&Moment::of(record));
    }
    tally.end();
}

pub fn prompt(steps: &[AnyStep]) -> Record {
    let prompted = TaskStep::Prompted {
        text: "x".into(),
        scope: true,
    };
    record("prompt", "", &[&[prompted.into()], steps].concat())
}

pub fn called() -> AnyStep {
    AnyStep::from(TaskStep::Called {
        line: "ls".into(),
        error: String::new(),
        touched: String::new(),
        failed: false,
    })
}

pub fn loaded(name: &str) -> AnyStep {
    SkillStep::Loaded { name: name.into() }.into()
}

pub fn calls(count: usize) -> Vec<Record> {
    (0..count)
        .map(|_| record("tool_after", "ls", &[called()]))
        .collect()
}
