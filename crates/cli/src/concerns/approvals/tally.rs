//! How often a person was asked of late, what they said, and how long the worker waited for that.

use std::collections::BTreeMap;

use edge::surroundings;
use serde_json::{Value, json};
use work::approvals::{ApprovalState, ApprovalStep};

use crate::concerns::tally::{Moment, Part, Tally};
use crate::show;

/// What is counted: the last week, in milliseconds.
const BACK_MS: u64 = 7 * 24 * 60 * 60 * 1_000;

/// Questions to a person.
#[derive(Debug)]
pub struct ApprovalTally {
    since: u64,
    /// Those of the present session that wait, and since when.
    open: BTreeMap<String, u64>,
    asked: u64,
    approved: u64,
    refused: u64,
    /// How long each answer was waited for, in milliseconds.
    waits: Vec<u64>,
}

impl Default for ApprovalTally {
    fn default() -> Self {
        Self {
            since: surroundings::now().0.saturating_sub(BACK_MS),
            open: BTreeMap::new(),
            asked: 0,
            approved: 0,
            refused: 0,
            waits: Vec::new(),
        }
    }
}

impl ApprovalTally {
    /// What half of the answers took at most.
    fn median(&self) -> u64 {
        let mut waits = self.waits.clone();
        waits.sort_unstable();
        waits.get(waits.len() / 2).copied().unwrap_or_default()
    }
}

impl Tally for ApprovalTally {
    fn take(&mut self, moment: &Moment<'_>) {
        if moment.time < self.since {
            return;
        }
        for ApprovalStep(change) in moment.steps() {
            let id = change.to.id;
            match change.to.state {
                // A question that is asked once more with another code is the same one.
                ApprovalState::Pending if change.to.tries == 0 => {
                    let known = self.open.insert(id, moment.time);
                    self.asked += u64::from(known.is_none());
                }
                state @ (ApprovalState::Granted | ApprovalState::Refused) => {
                    let Some(asked) = self.open.remove(&id) else {
                        continue;
                    };
                    self.waits.push(moment.time.saturating_sub(asked));
                    match state {
                        ApprovalState::Granted => self.approved += 1,
                        _ => self.refused += 1,
                    }
                }
                _ => {}
            }
        }
    }

    fn end(&mut self) {
        self.open.clear();
    }

    fn lines(&self, part: Part<'_>) -> Vec<String> {
        if self.asked == 0 || !matches!(part, Part::Cost) {
            return Vec::new();
        }
        let (asked, approved, refused) = (self.asked, self.approved, self.refused);
        let wait = match self.waits.is_empty() {
            true => String::new(),
            false => format!("; median wait {}", show::span(self.median())),
        };
        vec![format!(
            "asked you        {asked} in a week, {approved} approved, {refused} refused{wait}"
        )]
    }

    fn json(&self) -> Value {
        json!({"approvals": {
            "asked": self.asked, "approved": self.approved, "refused": self.refused,
            "median_wait_ms": self.median(),
        }})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use model::section::AnyStep;
    use work::approvals::Approval;
    use work::change::Change;

    use crate::concerns::tally::tests::{play, record};

    fn step(id: &str, state: ApprovalState) -> AnyStep {
        let to = Approval {
            id: id.to_owned(),
            state,
            ..Approval::default()
        };
        ApprovalStep(Change { from: None, to }).into()
    }

    #[test]
    fn a_week_of_questions_is_one_line() {
        let mut tally = ApprovalTally {
            since: 0,
            ..ApprovalTally::default()
        };
        assert!(tally.lines(Part::Cost).is_empty());
        let (pending, granted) = (ApprovalState::Pending, ApprovalState::Granted);
        let of = |steps: &[AnyStep]| record("tool_before", "make", steps);
        play(
            &mut tally,
            &[
                of(&[step("A7F3", pending)]),
                of(&[step("B000", pending), step("A7F3", pending)]),
                of(&[step("A7F3", granted)]),
                of(&[step("A7F3", ApprovalState::Spent)]),
                of(&[step("B000", ApprovalState::Refused)]),
                // Of what was asked before that week nothing is known.
                of(&[step("C111", granted)]),
                of(&[step("D222", pending)]),
            ],
        );
        assert_eq!(
            tally.lines(Part::Cost),
            ["asked you        3 in a week, 1 approved, 1 refused; median wait 0 s"]
        );
        tally.since = u64::MAX;
        play(&mut tally, &[of(&[step("E333", pending)])]);
        assert_eq!(tally.json()["approvals"]["asked"], 3);
    }
}
