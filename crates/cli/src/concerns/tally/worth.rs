//! Whether a line was worth telling: what came of it, against where it was withheld.

use serde_json::{Value, json};

use super::share::{ENOUGH, Share};

/// Prompts without which nothing is found to be of no use.
const USELESS_PROMPTS: u64 = 200;

/// How often something went wrong where a line was told, and where it was withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Worth {
    pub told: Share,
    pub withheld: Share,
}

impl Worth {
    /// One of the two.
    pub fn of(&mut self, withheld: bool) -> &mut Share {
        match withheld {
            true => &mut self.withheld,
            false => &mut self.told,
        }
    }

    /// Whether it went no better where the line was told, with cases enough to say so.
    pub fn is_useless(&self) -> bool {
        let enough = self.told.all + self.withheld.all >= USELESS_PROMPTS;
        enough && self.withheld.all * 10 >= ENOUGH && self.told.rate() >= self.withheld.rate()
    }

    pub fn verdict(&self) -> &'static str {
        if !self.told.is_enough() || !self.withheld.is_enough() {
            return "not enough yet to say whether it helps";
        }
        let ((low, high), (from, to)) = (self.told.interval(), self.withheld.interval());
        match (high < from, low > to) {
            (true, _) => "it helps",
            (_, true) => "it does harm",
            _ => "no difference can be shown",
        }
    }

    /// For people, below what went wrong.
    pub fn lines(&self, what: &str) -> [String; 4] {
        [
            what.to_owned(),
            format!("  told      {}", self.told.in_words()),
            format!("  withheld  {}", self.withheld.in_words()),
            format!("  {}", self.verdict()),
        ]
    }

    pub fn json(&self) -> Value {
        json!({"told": self.told.json(), "withheld": self.withheld.json()})
    }
}
