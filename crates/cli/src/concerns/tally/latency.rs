//! How long helpers took, from their start to their answer.

use serde_json::{Value, json};

/// A helper that did not answer within so long did not answer.
const LATE_MS: u64 = 60 * 60 * 1_000;

/// How long helpers of one kind took.
#[derive(Debug, Default)]
pub struct Latency {
    began: Option<u64>,
    all: Vec<u64>,
}

impl Latency {
    /// One starts at this time, in milliseconds.
    pub fn begin(&mut self, time: u64) {
        self.began = Some(time);
    }

    /// It answered.
    pub fn end(&mut self, time: u64) {
        let took = self.began.take().and_then(|began| time.checked_sub(began));
        self.all.extend(took.filter(|took| *took < LATE_MS));
    }

    /// There will be no answer.
    pub fn drop(&mut self) {
        self.began = None;
    }

    /// So many of a hundred took no longer.
    fn within(&self, of_hundred: usize) -> u64 {
        let mut all = self.all.clone();
        all.sort_unstable();
        let at = all.len() * of_hundred / 100;
        all.get(at.min(all.len().saturating_sub(1)))
            .copied()
            .unwrap_or_default()
    }

    /// `3 helpers: 8 s, 19 of 20 within 14 s`.
    pub fn in_words(&self) -> String {
        let seconds = |millis: u64| format!("{}.{} s", millis / 1_000, millis % 1_000 / 100);
        match self.all.len() {
            0 => "none answered".to_owned(),
            count => format!(
                "{count} answered: {} in the middle, 19 of 20 within {}",
                seconds(self.within(50)),
                seconds(self.within(95))
            ),
        }
    }

    pub fn json(&self) -> Value {
        json!({"n": self.all.len(), "median_ms": self.within(50), "p95_ms": self.within(95)})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_slow_ones_are_told() {
        let mut latency = Latency::default();
        assert_eq!(latency.in_words(), "none answered");
        latency.end(5);
        for took in [4_000, 9_000, 30_000] {
            latency.begin(1_000);
            latency.end(1_000 + took);
        }
        latency.begin(1);
        latency.drop();
        latency.end(9);
        let said = "3 answered: 9.0 s in the middle, 19 of 20 within 30.0 s";
        assert_eq!(latency.in_words(), said);
    }
}
