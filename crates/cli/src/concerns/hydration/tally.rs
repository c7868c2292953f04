//! What requests cost, and how often a call waited for one.

use context::hydration::TOKEN_BYTES;
use serde_json::{Value, json};
use work::discipline::{HydrationStep, TaskStep};

use crate::concerns::tally::latency::Latency;
use crate::concerns::tally::repeated::Repeated;
use crate::concerns::tally::{Held, Moment, Part, Tally};

#[derive(Default)]
pub struct HydrationTally {
    held: u64,
    let_go: u64,
    requests: u64,
    bytes: u64,
    micros: u64,
    latency: Latency,
    /// Prompts that were grounded, or left out.
    repeated: Repeated,
}

impl HydrationTally {
    /// Tokens of a request, on average.
    fn tokens(&self) -> u64 {
        self.bytes / TOKEN_BYTES as u64 / self.requests.max(1)
    }

    /// Time that a request took, on average.
    fn micros_each(&self) -> u64 {
        self.micros / self.requests.max(1)
    }
}

impl Tally for HydrationTally {
    fn take(&mut self, moment: &Moment<'_>) {
        for step in moment.steps() {
            if let TaskStep::Prompted { .. } = step {
                self.repeated.end();
            }
        }
        self.repeated.take(moment);
        for step in moment.steps() {
            match step {
                HydrationStep::Withheld {} => self.repeated.begin(true),
                HydrationStep::Prepared { bytes, .. } => {
                    self.repeated.begin(false);
                    self.requests += 1;
                    self.bytes += bytes;
                    self.micros += moment.micros;
                }
                HydrationStep::Held { .. } => self.held += 1,
                HydrationStep::Released {} => self.let_go += 1,
                HydrationStep::Started { .. } => self.latency.begin(moment.time),
                HydrationStep::Answered { .. } => self.latency.end(moment.time),
                HydrationStep::Reset {} | HydrationStep::Failed { .. } => self.latency.drop(),
                HydrationStep::Runs { .. } | HydrationStep::Told {} => {}
            }
        }
    }

    fn end(&mut self) {
        self.repeated.end();
        self.latency.drop();
    }

    fn held(&self) -> Option<Held> {
        Some(Held {
            times: self.held,
            what_for: "for grounding",
            let_go: self.let_go,
        })
    }

    fn lines(&self, part: Part<'_>) -> Vec<String> {
        let (requests, tokens) = (self.requests, self.tokens());
        let millis = self.micros_each() / 1_000;
        match part {
            Part::Cost => vec![
                format!("requests         {requests}: {tokens} tokens and {millis} ms each"),
                format!("hydrators        {}", self.latency.in_words()),
            ],
            Part::Help => self
                .repeated
                .lines("prompts, grounded or not, after which the same call failed twice"),
            Part::Found | Part::Off(_) => Vec::new(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "held_for_hydration": self.held, "let_go": self.let_go,
            "grounding": self.repeated.json(),
            "hydrator": self.latency.json(),
            "requests": {"n": self.requests, "tokens": self.tokens(),
                "micros": self.micros_each()},
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use model::Time;

    use crate::concerns::tally::tests::{play, prompt, record};

    #[test]
    fn costs_and_demands_are_counted() {
        let mut tally = HydrationTally::default();
        let prepared = HydrationStep::Prepared {
            request: "/r".into(),
            bytes: 4_000,
            time: Time(1),
        };
        let held = HydrationStep::Held { time: Time(2) };
        let records = [
            prompt(&[prepared.into()]),
            record("tool_before", "x", &[held.into()]),
            record("tool_before", "x", &[HydrationStep::Released {}.into()]),
        ];
        play(&mut tally, &records);
        assert_eq!((tally.tokens(), tally.micros_each()), (1_000, 2_000));
        assert_eq!((tally.held, tally.let_go), (1, 1));
    }
}
