//! Whether the same call failed twice after something was done, or was left out so that it can be
//! compared.

use std::collections::HashMap;

use serde_json::Value;

use super::Moment;
use super::worth::Worth;

/// What became of the cases of one kind.
#[derive(Default)]
pub struct Repeated {
    worth: Worth,
    /// The present case: whether it was left out.
    case: Option<bool>,
    failed: HashMap<String, u64>,
}

impl Repeated {
    /// A case begins; the one before has ended.
    pub fn begin(&mut self, withheld: bool) {
        self.end();
        self.case = Some(withheld);
    }

    /// What happened in it.
    pub fn take(&mut self, moment: &Moment<'_>) {
        if let (Some(call), Some(_)) = (moment.failed, self.case) {
            *self.failed.entry(call.to_owned()).or_default() += 1;
        }
    }

    /// It has ended.
    pub fn end(&mut self) {
        let failed = std::mem::take(&mut self.failed);
        if let Some(withheld) = self.case.take() {
            let is_repeated = failed.into_values().any(|times| times > 1);
            self.worth.of(withheld).add(is_repeated);
        }
    }

    /// For people, where any case was left out.
    pub fn lines(&self, what: &str) -> Vec<String> {
        match self.worth.withheld.all {
            0 => Vec::new(),
            _ => self.worth.lines(what).to_vec(),
        }
    }

    pub fn json(&self) -> Value {
        self.worth.json()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::concerns::tally::tests::record;

    #[test]
    fn cases_are_compared_by_what_failed_twice() {
        let mut repeated = Repeated::default();
        let fails = record("tool_failed", "make", &[]);
        for (withheld, times) in [(false, 2), (true, 1), (true, 3)] {
            repeated.begin(withheld);
            (0..times).for_each(|_| repeated.take(&Moment::of(&fails)));
        }
        repeated.end();
        assert_eq!((repeated.worth.told.some, repeated.worth.told.all), (1, 1));
        assert_eq!(
            (repeated.worth.withheld.some, repeated.worth.withheld.all),
            (1, 2)
        );
        assert_eq!(repeated.lines("x").len(), 4);
        assert!(Repeated::default().lines("x").is_empty());
    }
}
