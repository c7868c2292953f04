//! What a client says when its model may not go on for now: that it is such a limit, and when it
//! passes. Pure: the words alone. Must not know any host's names.

use super::times;
pub use super::times::Passes;

/// Words that say that it is a limit which passes by itself.
const SAYS_SO: &[&str] = &[
    "usage limit",
    "session limit",
    "weekly limit",
    "hit your limit",
    "rate limit",
    "rate-limit",
    "rate_limit",
    "ratelimit",
    "limit reached",
    "too many requests",
    "quota",
    "exhausted your capacity",
    "overloaded",
];
/// Words of limits that only a person ends, if nothing says when they pass.
const LASTS: &[&str] = &["insufficient_quota", "billing", "credit", "spend"];
/// Words of limits of another kind.
const OTHER: &[&str] = &["disk quota"];
/// How a failure says that there were too many requests.
const STATUS: &str = "429";
/// Words of a failure that are looked at, from its end.
const CHARS_MAX: usize = 4_096;

/// What is said of a limit in the words of a failure; nothing if it is no limit that passes.
#[must_use]
pub fn limited(words: &str) -> Option<Passes> {
    let words = plain(words);
    let has = |any: &[&str]| any.iter().any(|one| words.contains(one));
    let mut numbers = words.split(|letter: char| !letter.is_ascii_alphanumeric());
    let is_one = has(SAYS_SO) || numbers.any(|number| number == STATUS);
    if !is_one || has(OTHER) {
        return None;
    }
    match times::named(&words) {
        None if has(LASTS) => None,
        None => Some(Passes::Unsaid),
        some => some,
    }
}

/// When a limit passes of which is known by other means that it is one.
#[must_use]
pub fn passes(words: &str) -> Passes {
    times::named(&plain(words)).unwrap_or(Passes::Unsaid)
}

/// The end of a text, with small letters and plain blanks.
fn plain(words: &str) -> String {
    let count = words.chars().count();
    let end = words.chars().skip(count.saturating_sub(CHARS_MAX));
    let small = end.collect::<String>().to_lowercase();
    small.replace(['\u{a0}', '\u{202f}', '\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::times::{Day, Wall};

    fn clock(second: u64) -> Passes {
        Passes::Wall(Wall {
            day: Day::Next,
            second,
            east: None,
        })
    }

    #[test]
    fn what_passes_by_itself_is_known_with_its_time() {
        for (words, passes) in [
            (
                "Claude AI usage limit reached|1751000000",
                Passes::At(1_751_000_000),
            ),
            (
                "You've hit your session limit · resets 3pm (UTC)",
                Passes::Wall(Wall {
                    day: Day::Next,
                    second: 54_000,
                    east: Some(0),
                }),
            ),
            ("You've hit your limit · resets 12:30am", clock(1_800)),
            (
                "You've hit your usage limit. Visit the site to purchase more credits or try \
                 again at 3:05 PM.",
                clock(54_300),
            ),
            (
                "You've hit your usage limit. Try again in 3 days 4 hours 5 minutes.",
                Passes::In(273_901),
            ),
            ("Rate limit reached. Please retry in 34.07s", Passes::In(35)),
            ("Your quota will reset after 3h4m5s.", Passes::In(11_046)),
            ("HTTP 429: retry-after: 20", Passes::In(21)),
            (
                "5 hour usage limit reached. It will reset in 2 hours 5 minutes.",
                Passes::In(7_501),
            ),
            ("Rate limit exceeded. Try again later.", Passes::Unsaid),
            ("API Error: 529 overloaded_error", Passes::Unsaid),
            ("litellm.RateLimitError: too fast", Passes::Unsaid),
        ] {
            assert_eq!(limited(words), Some(passes), "{words}");
        }
    }

    #[test]
    fn what_does_not_is_a_failure() {
        for words in [
            "",
            "it ended with 7: out of memory",
            "write failed: Disk quota exceeded",
            "You exceeded your current quota (insufficient_quota)",
            "usage limit: buy more credits",
            "assertion failed: 4290 != 1",
        ] {
            assert_eq!(limited(words), None, "{words}");
        }
    }
}
