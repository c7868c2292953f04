//! What a client says when its model may not go on for now: that it is such a limit, and when it
//! passes. Pure: the words alone. Must not know any host's names.

/// When a limit passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    /// At this time, in seconds since 1970.
    At(u64),
    /// After so many seconds.
    In(u64),
    /// When the clock on the wall shows so many minutes after midnight.
    Clock(u64),
    /// It does not say.
    Unsaid,
}

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
/// What stands before the time.
const BEFORE_TIME: &[&str] = &[
    "try again in",
    "retry after",
    "retry-after",
    "retry in",
    "reset in",
    "resets in",
    "reset after",
    "try again at",
    "reset at",
    "resets at",
    "resets",
];
/// How a failure says that there were too many requests.
const STATUS: &str = "429";
/// Words of a failure that are looked at, from its end.
const CHARS_MAX: usize = 4_096;

/// What is said of a limit in the words of a failure; nothing if it is no limit that passes.
#[must_use]
pub fn limited(words: &str) -> Option<Passes> {
    let count = words.chars().count();
    let end = words.chars().skip(count.saturating_sub(CHARS_MAX));
    let words: String = end
        .collect::<String>()
        .to_lowercase()
        .replace('\u{a0}', " ");
    let has = |any: &[&str]| any.iter().any(|one| words.contains(one));
    let mut numbers = words.split(|letter: char| !letter.is_ascii_alphanumeric());
    let is_one = has(SAYS_SO) || numbers.any(|number| number == STATUS);
    if !is_one || has(OTHER) {
        return None;
    }
    match time(&words) {
        None if has(LASTS) => None,
        None => Some(Passes::Unsaid),
        some => some,
    }
}

/// The first time that is named.
fn time(words: &str) -> Option<Passes> {
    if let Some((_, seconds)) = words.split_once('|') {
        let digits = seconds.chars().take_while(char::is_ascii_digit);
        if let Some(at) = epoch(&digits.collect::<String>()) {
            return Some(at);
        }
    }
    BEFORE_TIME.iter().find_map(|before| {
        let (_, rest) = words.split_once(before)?;
        let rest = rest.trim_start_matches([' ', ':', '"']);
        clock(rest)
            .or_else(|| epoch(rest.split(' ').next()?))
            .or_else(|| span(rest))
    })
}

/// `1751000000`
fn epoch(digits: &str) -> Option<Passes> {
    let is_it = digits.len() == 10 && digits.starts_with('1');
    digits.parse().ok().filter(|_| is_it).map(Passes::At)
}

/// `3pm`, `3:05 pm`
fn clock(rest: &str) -> Option<Passes> {
    let (hour, rest) = number(rest)?;
    let (minute, rest) = match rest.strip_prefix(':') {
        Some(rest) => number(rest)?,
        None => (0, rest),
    };
    let rest = rest.trim_start();
    let half = match (rest.starts_with("am"), rest.starts_with("pm")) {
        (true, _) => 0,
        (_, true) => 12,
        _ => return None,
    };
    let is_time = (1..=12).contains(&hour) && minute < 60;
    is_time.then_some(Passes::Clock((hour % 12 + half) * 60 + minute))
}

/// `3 days 4 hours`, `3h4m5s`, `34.07s`, `20`
fn span(rest: &str) -> Option<Passes> {
    let (mut rest, mut seconds, mut is_any) = (rest, 0_u64, false);
    while let Some((count, after)) = number(rest) {
        // Parts of a second are no wait.
        let after = match after.strip_prefix('.') {
            Some(part) => part.trim_start_matches(|letter: char| letter.is_ascii_digit()),
            None => after,
        };
        let after = after.trim_start();
        let letters = after.chars().take_while(char::is_ascii_alphabetic);
        let unit: String = letters.collect();
        let of_unit = match unit.as_str() {
            "ms" | "milliseconds" => 0,
            "d" | "day" | "days" => 86_400,
            "h" | "hour" | "hours" => 3_600,
            "m" | "min" | "mins" | "minute" | "minutes" => 60,
            _ => 1,
        };
        seconds = seconds.saturating_add(count.saturating_mul(of_unit));
        is_any = true;
        rest = after.strip_prefix(unit.as_str()).unwrap_or(after);
        rest = rest.trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    is_any.then_some(Passes::In(seconds.saturating_add(1)))
}

/// A number at the beginning, and what follows.
fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit());
    let (digits, rest) = text.split_at_checked(end.unwrap_or(text.len()))?;
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_by_itself_is_known_with_its_time() {
        for (words, passes) in [
            (
                "Claude AI usage limit reached|1751000000",
                Passes::At(1_751_000_000),
            ),
            (
                "You've hit your session limit · resets 3pm (UTC)",
                Passes::Clock(900),
            ),
            ("You've hit your limit · resets 12:30am", Passes::Clock(30)),
            (
                "You've hit your usage limit. Visit the site to purchase more credits or try \
                 again at 3:05 PM.",
                Passes::Clock(905),
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
