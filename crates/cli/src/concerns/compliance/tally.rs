//! What checks found, and how often a turn waited for one.

use model::Helper;
use serde_json::{Value, json};
use work::discipline::{ComplianceStep, Standing};
use work::tickets::{TicketState, TicketStep};

use crate::concerns::tally::latency::Latency;
use crate::concerns::tally::repeated::Repeated;
use crate::concerns::tally::{Held, Moment, Part, Tally};

/// What a check is usually due after, and what is offered in its place.
pub const CALLS: u64 = 7;
pub const CHANGES: u64 = 20;

#[derive(Default)]
pub struct ComplianceTally {
    held: u64,
    ok: u64,
    warn: u64,
    block: u64,
    /// Calls and changes of this session, and how often a check would have been due of all.
    calls: u64,
    changes: u64,
    due: (u64, u64),
    latency: Latency,
    /// Checks that were made, or left out.
    repeated: Repeated,
}

impl ComplianceTally {
    /// How often a check said this.
    fn of(&mut self, standing: Standing) -> &mut u64 {
        match standing {
            Standing::Ok => &mut self.ok,
            Standing::Warn => &mut self.warn,
            Standing::Block => &mut self.block,
        }
    }

    /// A call that counts.
    fn count(&mut self, changes: bool) {
        self.calls += 1;
        self.changes += u64::from(changes);
        self.due.0 += u64::from(self.calls.is_multiple_of(CALLS));
        let is_due = changes && self.changes.is_multiple_of(CHANGES);
        self.due.1 += u64::from(is_due);
    }
}

impl Tally for ComplianceTally {
    fn take(&mut self, moment: &Moment<'_>) {
        self.repeated.take(moment);
        for step in moment.steps() {
            match step {
                ComplianceStep::Held { .. } => self.held += 1,
                ComplianceStep::Spared { .. } => self.repeated.begin(true),
                ComplianceStep::Checked { standing, .. } => {
                    self.repeated.begin(false);
                    *self.of(standing) += 1;
                }
                ComplianceStep::Asked { .. } => self.latency.begin(moment.time),
                ComplianceStep::FromOutside {} => self.latency.end(moment.time),
                ComplianceStep::Unanswered { .. } => self.latency.drop(),
                ComplianceStep::Reset {} => {}
                ComplianceStep::Counted {} => self.count(false),
                ComplianceStep::Changed {} => self.count(true),
            }
        }
        for TicketStep(change) in moment.steps() {
            if change.to.role() == Helper::Checker {
                match change.to.state {
                    TicketState::Prepared => self.latency.begin(moment.time),
                    TicketState::Passed | TicketState::Failed => self.latency.end(moment.time),
                    TicketState::Void | TicketState::Released => self.latency.drop(),
                    TicketState::Wanted | TicketState::Running | TicketState::Dropped => {}
                }
            }
        }
    }

    fn end(&mut self) {
        (self.calls, self.changes) = (0, 0);
        self.latency.drop();
        self.repeated.end();
    }

    fn held(&self) -> Option<Held> {
        Some(Held {
            times: self.held,
            what_for: "for a check",
            let_go: 0,
        })
    }

    fn lines(&self, part: Part<'_>) -> Vec<String> {
        let Self {
            ok, warn, block, ..
        } = self;
        match part {
            Part::Found => vec![
                format!("checks           {ok} OK, {warn} WARN, {block} BLOCK"),
                format!(
                    "would be due     {} times after {CALLS} calls each, {} times after {CHANGES} \
                     changes each",
                    self.due.0, self.due.1
                ),
            ],
            Part::Cost => vec![format!("checkers         {}", self.latency.in_words())],
            Part::Help => self
                .repeated
                .lines("checks, made or not, after which the same call failed twice"),
            Part::Off(_) => Vec::new(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "held_for_compliance": self.held,
            "would_be_due": {"after_7_calls": self.due.0, "after_20_changes": self.due.1},
            "checking": self.repeated.json(),
            "checker": self.latency.json(),
            "checks": {"ok": self.ok, "warn": self.warn, "block": self.block},
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use model::Time;

    use crate::concerns::tally::tests::{play, record};

    #[test]
    fn demands_and_verdicts_are_counted() {
        let mut tally = ComplianceTally::default();
        let held = ComplianceStep::Held { time: Time(3) };
        let checked = ComplianceStep::Checked {
            standing: Standing::Warn,
            words: String::new(),
            time: Time(4),
        };
        let records = [
            record("tool_before", "x", &[held.into()]),
            record("tool_after", "x", &[checked.into()]),
        ];
        play(&mut tally, &records);
        let counted: Vec<_> = (0..45)
            .map(|number| match number % 2 {
                0 => ComplianceStep::Counted {},
                _ => ComplianceStep::Changed {},
            })
            .map(|step| record("tool_after", "x", &[step.into()]))
            .collect();
        play(&mut tally, &counted);
        assert_eq!(tally.due, (6, 1));
        assert_eq!(tally.held, 1);
        assert_eq!((tally.ok, tally.warn, tally.block), (0, 1, 0));
    }
}
