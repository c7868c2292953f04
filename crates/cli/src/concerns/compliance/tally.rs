//! What checks found, and how often a turn waited for one.

use serde_json::{Value, json};
use work::discipline::{ComplianceStep, Standing};

use crate::concerns::tally::{Held, Moment, Part, Tally};

#[derive(Default)]
pub struct ComplianceTally {
    held: u64,
    ok: u64,
    warn: u64,
    block: u64,
}

impl Tally for ComplianceTally {
    fn take(&mut self, moment: &Moment<'_>) {
        for step in moment.steps() {
            match step {
                ComplianceStep::Held { .. } => self.held += 1,
                ComplianceStep::Checked { standing, .. } => match standing {
                    Standing::Ok => self.ok += 1,
                    Standing::Warn => self.warn += 1,
                    Standing::Block => self.block += 1,
                },
                ComplianceStep::Reset {} | ComplianceStep::Counted {} => {}
            }
        }
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
            Part::Found => vec![format!(
                "checks           {ok} OK, {warn} WARN, {block} BLOCK"
            )],
            Part::Help | Part::Cost | Part::Off(_) => Vec::new(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "held_for_compliance": self.held,
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
        assert_eq!(tally.held, 1);
        assert_eq!((tally.ok, tally.warn, tally.block), (0, 1, 0));
    }
}
