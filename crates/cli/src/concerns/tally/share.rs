//! A share of a count, with what can be known of it.

use serde_json::{Value, json};

/// Cases without which nothing is said.
pub const ENOUGH: u64 = 100;

/// How wide an interval is: 95 % of a normal distribution lie within so many deviations.
const DEVIATIONS: f64 = 1.96;

/// Some of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    pub some: u64,
    pub all: u64,
}

impl Share {
    /// Counts one case more.
    pub fn add(&mut self, is_one: bool) {
        self.some += u64::from(is_one);
        self.all += 1;
    }

    /// Whether there are cases enough to say anything.
    pub fn is_enough(self) -> bool {
        self.all >= ENOUGH
    }

    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn rate(self) -> f64 {
        match self.all {
            0 => 0.0,
            all => self.some as f64 / all as f64,
        }
    }

    /// Where the true share lies with 95 % (Wilson's interval).
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn interval(self) -> (f64, f64) {
        if self.all == 0 {
            return (0.0, 1.0);
        }
        let (n, p, z) = (self.all as f64, self.rate(), DEVIATIONS);
        let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
        let spread = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        ((middle - spread).max(0.0), (middle + spread).min(1.0))
    }

    pub fn json(self) -> Value {
        let (low, high) = self.interval();
        json!({"n": self.all, "of": self.some, "rate": self.rate(), "low": low, "high": high,
            "enough": self.is_enough()})
    }

    pub fn in_words(self) -> String {
        if !self.is_enough() {
            return format!(
                "{} of {}: not enough yet ({ENOUGH} are needed)",
                self.some, self.all
            );
        }
        let (low, high) = self.interval();
        let percent = |share: f64| share * 100.0;
        format!(
            "{:.0} % of {} (95 %: {:.0} to {:.0} %)",
            percent(self.rate()),
            self.all,
            percent(low),
            percent(high)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_wilsons() {
        let (low, high) = Share { some: 10, all: 100 }.interval();
        assert!(
            (low - 0.0552).abs() < 1e-3 && (high - 0.1744).abs() < 1e-3,
            "{low} {high}"
        );
        assert_eq!(Share::default().interval(), (0.0, 1.0));
        let none = Share { some: 0, all: 100 };
        assert!(none.interval().0 < 1e-9 && none.interval().1 < 0.04);
    }

    #[test]
    fn few_cases_say_nothing() {
        let few = Share { some: 9, all: 99 };
        assert_eq!(few.in_words(), "9 of 99: not enough yet (100 are needed)");
        let enough = Share { some: 9, all: 100 };
        assert_eq!(enough.in_words(), "9 % of 100 (95 %: 5 to 16 %)");
    }
}
