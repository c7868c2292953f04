//! Times as people say and read them: in the zone of whoever runs the command. What programs read
//! is UTC, and made elsewhere.

use anyhow::{Context, Result, ensure};
use edge::surroundings;
use text::date;

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Units of a length of time, each by its letter.
const UNITS: &[(char, u64)] = &[('s', SECOND), ('m', MINUTE), ('h', HOUR), ('d', DAY)];

/// The day here: `2026-11-12`.
pub fn day(millis: u64) -> String {
    date::day(surroundings::local(millis))
}

/// The minute here: `2026-11-12 09:30`.
pub fn minute(millis: u64) -> String {
    date::minute(surroundings::local(millis))
}

/// The second of a time today, the day and minute of an older one, equally wide.
pub fn short(millis: u64) -> String {
    let local = date::second(surroundings::local(millis));
    let part = |from: usize, to: usize| local.get(from..to).unwrap_or_default().to_owned();
    if day(millis) == day(surroundings::now().0) {
        return format!("   {}", part(11, 19));
    }
    format!("{} {}", part(5, 10), part(11, 16))
}

/// Milliseconds of `30s`, `30m`, `2h`, `1d`.
pub fn span(word: &str) -> Result<u64> {
    let word = word.trim();
    let unit = word.chars().next_back().unwrap_or_default();
    let found = UNITS.iter().find(|(letter, _)| *letter == unit);
    let number = || word.strip_suffix(unit)?.parse::<u64>().ok();
    let millis = found.and_then(|(_, factor)| number()?.checked_mul(*factor));
    millis.context("a number and a unit, like 90s, 30m, 2h or 3d")
}

/// The same, of a time that has to be one.
pub fn some_span(word: &str) -> Result<u64> {
    let millis = span(word)?;
    ensure!(millis > 0, "more than nothing, like 30m");
    Ok(millis)
}

/// A time in the past: a while ago, an hour of today, a day, or a moment.
pub fn moment(word: &str) -> Result<u64> {
    let now = surroundings::now().0;
    if let Ok(span) = span(word) {
        return Ok(now.saturating_sub(span));
    }
    if let Some(time) = date::millis(word) {
        return Ok(time);
    }
    let word = match word {
        "today" => &day(now),
        "yesterday" => &day(now.saturating_sub(DAY)),
        word => word,
    };
    let here = |text: String| {
        let there = date::millis(&text)?;
        // Where it is later than in Greenwich, a time here comes earlier.
        let ahead = surroundings::local(there).checked_signed_diff(there)?;
        there.checked_add_signed(-ahead)
    };
    let clock = match word.matches(':').count() {
        1 => format!("{word}:00"),
        _ => word.to_owned(),
    };
    let today = here(format!("{}T{clock}Z", day(now)));
    let found = today.or_else(|| here(format!("{word}T00:00:00Z")));
    found.with_context(|| {
        format!("{word:?} is no time; write 2h, 14:30, today, 2026-11-12 or 2026-11-12T09:30:00Z")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        for (word, expected) in [("90s", 90_000), ("30m", 1_800_000), ("1d", 86_400_000)] {
            assert_eq!(span(word).unwrap(), expected);
        }
        let huge = "99999999999999999999h";
        for wrong in ["", "m", "30", "-5m", "5 minutes", huge, "5é"] {
            assert!(span(wrong).is_err(), "{wrong}");
        }
        assert!(span("0s").is_ok() && some_span("0s").is_err() && some_span("1s").is_ok());
    }

    #[test]
    fn what_is_said_here_is_meant_here() {
        let now = surroundings::now().0;
        assert!(now - moment("2h").unwrap() >= 2 * HOUR);
        let today = moment(&day(now)).unwrap();
        assert_eq!(minute(today), format!("{} 00:00", day(now)));
        assert_eq!(
            minute(moment("14:30").unwrap()),
            format!("{} 14:30", day(now))
        );
        assert_eq!(moment("1970-01-01T00:00:01Z").unwrap(), 1_000);
        assert_eq!(moment("today").unwrap(), today);
        let yesterday = minute(moment("yesterday").unwrap());
        assert_eq!(yesterday, format!("{} 00:00", day(now - DAY)));
        assert!(moment("tomorrow").is_err() && moment("25:00").is_err());
        assert_eq!(short(now).len(), short(now - 3 * DAY).len());
    }
}
