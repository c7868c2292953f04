//! How often a demand held calls back.

use model::{Time, fields};

/// Refusals within so long are one: the calls of one message come at once.
const SAME_REFUSAL_MS: u64 = 2_000;

/// How often a demand held calls back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Held {
    /// How often.
    pub times: u64,
    /// When it last did.
    pub last: Time,
}

fields!(Held { times, last });

impl Held {
    /// Once more. Calls that come at once are one refusal.
    pub(super) fn again(&mut self, time: Time) {
        let is_same = self.times > 0 && time.0.abs_diff(self.last.0) < SAME_REFUSAL_MS;
        self.times += u64::from(!is_same);
        self.last = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_at_once_is_held_once() {
        let mut held = Held::default();
        for time in [10_000, 10_001, 10_900, 12_000, 15_000, 15_001] {
            held.again(Time(time));
        }
        assert_eq!(held.times, 2);
    }

    #[test]
    fn the_first_is_one_at_any_time_and_so_is_what_comes_later() {
        let mut held = Held::default();
        held.again(Time(0));
        assert_eq!(held.times, 1);
        held.again(Time(SAME_REFUSAL_MS - 1));
        assert_eq!(held.times, 1);
        let last = Time(2 * SAME_REFUSAL_MS - 1);
        held.again(last);
        assert_eq!(held, Held { times: 2, last });
    }
}
