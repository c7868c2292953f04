//! When something passes, as failures name it: a span, a date, a time of day, seconds since 1970.
//! Pure: the words alone; what the clock shows is told by whoever asks. Must not know any host's
//! names.

use text::date;

/// When a limit passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    /// At this time, in seconds since 1970.
    At(u64),
    /// After so many seconds.
    In(u64),
    /// When a clock on the wall shows this.
    Wall(Wall),
    /// It does not say.
    Unsaid,
}

/// What a clock on the wall shows, with the calendar beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wall {
    /// On which day.
    pub day: Day,
    /// So many seconds after midnight.
    pub second: u64,
    /// So many minutes east of Greenwich; here, if it does not say.
    pub east: Option<i64>,
}

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Day {
    /// Whichever shows that time next.
    Next,
    /// So many days from now.
    After(u64),
    /// The next of its name, Monday being 0.
    OfWeek(u64),
    /// A date; without a year the one that is nearest to come.
    Date {
        /// The year, if it is said.
        year: Option<u64>,
        /// The month, from 1.
        month: u64,
        /// The day, from 1.
        date: u64,
    },
}

const HOUR: i64 = 60;
const DAY: u64 = date::DAY_MILLIS;
/// The day that 1970 began with, Monday being 0.
const FIRST_DAY: u64 = 3;
/// How long ago a date without a year may be, to be of this year.
const PAST_MAX: u64 = 30 * DAY;

impl Wall {
    /// When that is after a time, in milliseconds since 1970; `local` is what the clock here shows
    /// at a time. A date may be over.
    #[must_use]
    pub fn at(self, now: u64, local: impl Fn(u64) -> u64) -> u64 {
        let shows = |time: u64| match self.east {
            Some(minutes) => time.saturating_add_signed(minutes * 60_000),
            None => local(time),
        };
        let here = shows(now);
        let target = self.target(here);
        // What it shows then may differ: summer begins or ends between.
        let near = (now + target).saturating_sub(here);
        (near + target).saturating_sub(shows(near))
    }

    /// What the clock shows then, where it shows this now.
    fn target(self, here: u64) -> u64 {
        let (today, time) = (here - here % DAY, self.second * 1_000);
        let or_later = |first: u64, step: u64| match first + time > here {
            true => first + time,
            false => first + step + time,
        };
        match self.day {
            Day::Next => or_later(today, DAY),
            Day::After(days) => today + days * DAY + time,
            Day::OfWeek(day) => {
                let of_week = (today / DAY + FIRST_DAY) % 7;
                or_later(today + (day + 7 - of_week) % 7 * DAY, 7 * DAY)
            }
            Day::Date { year, month, date } => {
                let text = date::day(here);
                let this: u64 = text
                    .get(..4)
                    .and_then(|year| year.parse().ok())
                    .unwrap_or(0);
                let of = |year: u64| date::of_day(year, month, date).unwrap_or(today);
                match year {
                    Some(year) => of(year) + time,
                    None if of(this) + time + PAST_MAX < here => of(this + 1) + time,
                    None => of(this) + time,
                }
            }
        }
    }
}

/// What stands before a span.
const BEFORE_SPAN: &[&str] = &[
    "try again in",
    "try again after",
    "retry after",
    "retry-after",
    "retry_after",
    "retrydelay",
    "retry in",
    "reset in",
    "resets in",
    "reset_in",
    "resets_in",
    "reset after",
    "resets after",
    "available in",
    "available again in",
    "back in",
];
/// What stands before a time.
const BEFORE_TIME: &[&str] = &[
    "try again",
    "retry after",
    "retry-after",
    "retry at",
    "reset_at",
    "resets_at",
    "resetsat",
    "reset_time",
    "-reset",
    "reset on",
    "reset at",
    "will reset",
    "resets",
    "available again",
    "available at",
    "available on",
    "come back",
    "until",
];
/// What may stand between those and what they name.
const BETWEEN: &[&str] = &[
    "seconds\"",
    "_seconds\"",
    "on ",
    "at ",
    "by ",
    "after ",
    "around ",
    "about ",
    "the ",
    "~",
];

/// The first time that is named in small letters.
pub fn named(words: &str) -> Option<Passes> {
    if let Some((_, seconds)) = words.split_once('|')
        && let Some(at) = epoch(seconds)
    {
        return Some(at);
    }
    let after = |before: &'static [&'static str]| {
        let found = before.iter().flat_map(|before| {
            let found = words.match_indices(before);
            found.map(|(at, before)| (at, words.get(at + before.len()..).unwrap_or_default()))
        });
        let mut found: Vec<(usize, &str)> = found.collect();
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, rest)| begun(rest))
    };
    let dated = after(BEFORE_TIME).find_map(|rest| epoch(rest).or_else(|| wall(rest)));
    dated.or_else(|| after(BEFORE_SPAN).find_map(span))
}

/// Without what stands before what is named.
fn begun(rest: &str) -> &str {
    let mut rest = rest;
    loop {
        let before = rest;
        rest = rest.trim_start_matches([' ', ':', '"', '\'', '=', '(', ',']);
        for between in BETWEEN {
            rest = rest.strip_prefix(between).unwrap_or(rest);
        }
        if rest == before {
            return rest;
        }
    }
}

/// `1751000000`, `1751000000000`
fn epoch(rest: &str) -> Option<Passes> {
    let (number, after) = number(rest)?;
    let digits = rest.len() - after.len();
    let is_alone = !after.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    match digits {
        10 if is_alone && rest.starts_with('1') => Some(Passes::At(number)),
        13 if is_alone && rest.starts_with('1') => Some(Passes::At(number / 1_000)),
        _ => None,
    }
}

/// A day, a time of day, or both.
fn wall(rest: &str) -> Option<Passes> {
    let (day, after) = match day(rest) {
        Some((day, after)) => (Some(day), after),
        None => (None, rest),
    };
    let between = after.trim_start_matches([' ', ',', 't']);
    let between = between.strip_prefix("at ").unwrap_or(between).trim_start();
    match (day, clock(between)) {
        (None, None) => None,
        (Some(day), None) => Some(wall_of(day, 0, zone(after))),
        (day, Some((second, after))) => {
            Some(wall_of(day.unwrap_or(Day::Next), second, zone(after)))
        }
    }
}

fn wall_of(day: Day, second: u64, east: Option<i64>) -> Passes {
    Passes::Wall(Wall { day, second, east })
}

const DAYS: &[&str] = &["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const MONTHS: &[&str] = &[
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// `2026-12-03`, `dec 3rd, 2026`, `3 december`, `thu, 03 dec 2026`, `thursday`, `tomorrow`
fn day(rest: &str) -> Option<(Day, &str)> {
    for (name, days) in [("today", 0), ("tomorrow", 1)] {
        if let Some(after) = rest.strip_prefix(name) {
            return Some((Day::After(days), after));
        }
    }
    if let Some((day, after)) = name(rest, DAYS) {
        let next = after.trim_start_matches([' ', ',']);
        return Some(dated(next).unwrap_or((Day::OfWeek(day), after)));
    }
    dated(rest)
}

fn dated(rest: &str) -> Option<(Day, &str)> {
    let (month, first, after) = match name(rest, MONTHS) {
        Some((month, after)) => {
            let (first, after) = number(after.trim_start())?;
            (month + 1, first, ordinal(after))
        }
        None => {
            let (first, after) = number(rest)?;
            if let Some(rest) = after.strip_prefix(['-', '/'])
                && first > 1_000
            {
                let (month, rest) = number(rest)?;
                let (last, rest) = number(rest.strip_prefix(['-', '/'])?)?;
                return valid(Some(first), month, last).map(|day| (day, rest));
            }
            let after = ordinal(after).trim_start();
            let (month, after) = name(after.strip_prefix("of ").unwrap_or(after), MONTHS)?;
            (month + 1, first, after)
        }
    };
    // Four digits are a year, if no clock goes on from them.
    let year = number(after.trim_start_matches([' ', ',']));
    let year = year.filter(|(year, rest)| *year > 1_000 && !rest.starts_with(':'));
    let (year, after) = year.map_or((None, after), |(year, after)| (Some(year), after));
    valid(year, month, first).map(|day| (day, after))
}

fn valid(year: Option<u64>, month: u64, first: u64) -> Option<Day> {
    // A leap year has every day.
    date::of_day(year.unwrap_or(2_000), month, first)?;
    Some(Day::Date {
        year,
        month,
        date: first,
    })
}

fn ordinal(rest: &str) -> &str {
    let mut endings = ["st", "nd", "rd", "th"].iter();
    let after = endings.find_map(|ending| rest.strip_prefix(ending));
    after.unwrap_or(rest)
}

/// Which of these names a text begins with, in full or in its first letters.
fn name<'t>(rest: &'t str, names: &[&str]) -> Option<(u64, &'t str)> {
    let found = names.iter().position(|name| rest.starts_with(name))?;
    let letters = |letter: char| letter.is_ascii_alphabetic() || letter == '.';
    Some((found as u64, rest.trim_start_matches(letters)))
}

/// `3pm`, `3:05 pm`, `17:00`, `17:00:30.5`, `noon`; and what follows.
fn clock(rest: &str) -> Option<(u64, &str)> {
    for (name, second) in [("midnight", 0), ("noon", 43_200)] {
        if let Some(after) = rest.strip_prefix(name) {
            return Some((second, after));
        }
    }
    let (hour, rest) = number(rest)?;
    let (minute, mut rest) = match rest.strip_prefix(':') {
        Some(rest) => number(rest).map(|(minute, rest)| (Some(minute), rest))?,
        None => (None, rest),
    };
    let mut seconds = 0;
    if let Some((count, after)) = rest.strip_prefix(':').and_then(number) {
        (seconds, rest) = (count, after);
        // Parts of a second are no wait.
        let part = rest.strip_prefix('.').and_then(number);
        rest = part.map_or(rest, |(_, after)| after);
    }
    let half = rest.trim_start().replacen('.', "", 2);
    let of_half = |name: &str| {
        let is_it = half.strip_prefix(name)?;
        let ends = !is_it.starts_with(|letter: char| letter.is_ascii_alphanumeric());
        let letters = |letter: char| letter.is_ascii_alphabetic() || letter == '.';
        ends.then(|| rest.trim_start().trim_start_matches(letters))
    };
    let minutes = minute.unwrap_or(0);
    let (hour, rest) = match (of_half("am"), of_half("pm"), minute) {
        (Some(after), ..) if (1..=12).contains(&hour) => (hour % 12, after),
        (_, Some(after), _) if (1..=12).contains(&hour) => (hour % 12 + 12, after),
        (None, None, Some(_)) if hour < 24 => (hour, rest),
        _ => return None,
    };
    let is_time = minutes < 60 && seconds <= 60;
    is_time.then_some(((hour * 60 + minutes) * 60 + seconds, rest))
}

/// Zones by the names that are usual, in hours east of Greenwich.
const ZONES: &[(&str, i64)] = &[
    ("utc", 0),
    ("gmt", 0),
    ("z", 0),
    ("pst", -8),
    ("pdt", -7),
    ("pt", -8),
    ("pacific", -8),
    ("mst", -7),
    ("mdt", -6),
    ("cst", -6),
    ("cdt", -5),
    ("est", -5),
    ("edt", -4),
    ("et", -5),
    ("cet", 1),
    ("cest", 2),
];

/// Places that zones are named after, in minutes east of Greenwich. Where summer has a time of its
/// own, it is that of winter: an hour late, never early.
const PLACES: &[(&str, i64)] = &[
    ("america/chicago", -360),
    ("america/denver", -420),
    ("america/los_angeles", -480),
    ("america/new_york", -300),
    ("america/sao_paulo", -180),
    ("america/toronto", -300),
    ("asia/calcutta", 330),
    ("asia/hong_kong", 480),
    ("asia/kolkata", 330),
    ("asia/seoul", 540),
    ("asia/shanghai", 480),
    ("asia/singapore", 480),
    ("asia/tokyo", 540),
    ("australia/sydney", 600),
    ("europe/amsterdam", 60),
    ("europe/berlin", 60),
    ("europe/london", 0),
    ("europe/madrid", 60),
    ("europe/paris", 60),
    ("europe/rome", 60),
    ("europe/stockholm", 60),
    ("europe/vienna", 60),
    ("europe/warsaw", 60),
    ("europe/zurich", 60),
];

/// How many minutes east of Greenwich a clock stands, if what follows it says so.
fn zone(rest: &str) -> Option<i64> {
    let rest = rest.trim_start_matches([' ', '(', ',']);
    if let Some((_, minutes)) = PLACES.iter().find(|(place, _)| rest.starts_with(place)) {
        return Some(*minutes);
    }
    let letters = rest.chars().take_while(char::is_ascii_alphabetic);
    let name: String = letters.collect();
    let after = rest.strip_prefix(name.as_str())?;
    let known = ZONES.iter().find(|(known, _)| *known == name);
    match (known, name.as_str()) {
        (Some((_, hours)), _) => Some(hours * HOUR + shift(after).unwrap_or(0)),
        (None, "") => shift(after),
        _ => None,
    }
}

/// `+01:00`, `-0530`, `+2`
fn shift(rest: &str) -> Option<i64> {
    let sign = match rest.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let (first, after) = number(rest.get(1..)?)?;
    let (hours, minutes) = match after.strip_prefix(':').and_then(number) {
        Some((minutes, _)) => (first, minutes),
        None if first >= 100 => (first / 100, first % 100),
        None => (first, 0),
    };
    let minutes = i64::try_from(hours * 60 + minutes).ok()?;
    (hours <= 14).then_some(sign * minutes)
}

/// `3 days 4 hours`, `3h4m5s`, `34.07s`, `20`, `an hour`
fn span(rest: &str) -> Option<Passes> {
    let one = ["an ", "a "].iter().find_map(|one| rest.strip_prefix(one));
    if let Some(rest) = one {
        let (millis, _) = of_unit(rest)?;
        return Some(Passes::In(millis / 1_000 + 1));
    }
    let (mut rest, mut millis, mut is_any) = (rest, 0_u64, false);
    while let Some((count, after)) = number(rest) {
        let (tenths, after) = match after.strip_prefix('.').and_then(number) {
            Some((_, after)) => (after_point(rest), after),
            None => (0, after),
        };
        let after = after.trim_start();
        let (unit, after) = of_unit(after).unwrap_or((1_000, after));
        millis = millis.saturating_add(count.saturating_mul(unit));
        millis = millis.saturating_add(unit / 10 * tenths);
        is_any = true;
        rest = after.trim_start_matches([' ', ',']);
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    is_any.then_some(Passes::In((millis / 1_000).saturating_add(1)))
}

/// The first digit behind the point of a number.
fn after_point(text: &str) -> u64 {
    let digit = text.split_once('.').and_then(|(_, part)| part.get(..1));
    digit.and_then(|digit| digit.parse().ok()).unwrap_or(0)
}

/// How long a unit is, in milliseconds, and what follows its name.
fn of_unit(text: &str) -> Option<(u64, &str)> {
    let letters = text.chars().take_while(char::is_ascii_alphabetic);
    let name: String = letters.collect();
    let millis = match name.as_str() {
        "ms" | "milliseconds" => 1,
        "s" | "sec" | "secs" | "second" | "seconds" => 1_000,
        "m" | "min" | "mins" | "minute" | "minutes" => 60_000,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600_000,
        "d" | "day" | "days" => DAY,
        "w" | "week" | "weeks" => 7 * DAY,
        _ => return None,
    };
    Some((millis, text.strip_prefix(name.as_str())?))
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

    /// 30 November 2026, a Monday, 12:00 in Greenwich.
    const NOW: u64 = 1_796_040_000_000;

    /// The time that words name, here one hour east of Greenwich, as it is there.
    fn there(words: &str) -> Option<String> {
        let at = match named(words)? {
            Passes::At(seconds) => seconds * 1_000,
            Passes::In(seconds) => NOW + seconds * 1_000,
            Passes::Wall(wall) => wall.at(NOW, |time| time + 3_600_000),
            Passes::Unsaid => return None,
        };
        Some(date::second(at))
    }

    #[test]
    fn times_are_read_however_they_are_named() {
        assert_eq!(date::second(NOW), "2026-11-30T12:00:00Z");
        for (words, time) in [
            ("resets dec 3 at 5pm", "2026-12-03T16:00:00Z"),
            ("resets dec 3, 5pm (utc)", "2026-12-03T17:00:00Z"),
            (
                "try again at dec 3rd, 2026 5:00 pm.",
                "2026-12-03T16:00:00Z",
            ),
            ("try again at 2026-12-03t17:00z", "2026-12-03T17:00:00Z"),
            (
                "try again at 2026-12-03t17:00:00.000+02:00",
                "2026-12-03T15:00:00Z",
            ),
            ("try again at 2026-12-03 17:00 utc", "2026-12-03T17:00:00Z"),
            (
                "your limit will reset on 3 december at 17:00",
                "2026-12-03T16:00:00Z",
            ),
            (
                "retry-after: thu, 03 dec 2026 17:00:00 gmt",
                "2026-12-03T17:00:00Z",
            ),
            ("resets thursday 9am", "2026-12-03T08:00:00Z"),
            ("resets monday at 12:30", "2026-12-07T11:30:00Z"),
            ("try again tomorrow at 9:15 am", "2026-12-01T08:15:00Z"),
            ("resets jan 2 at 10am est", "2027-01-02T15:00:00Z"),
            ("available again on dec 3", "2026-12-02T23:00:00Z"),
            ("try again at 17:00:30.5", "2026-11-30T16:00:30Z"),
            ("resets at 17:00", "2026-11-30T16:00:00Z"),
            ("resets at 12:30 (utc+2)", "2026-12-01T10:30:00Z"),
            ("quota resets at midnight utc", "2026-12-01T00:00:00Z"),
            ("rate limited until 3 p.m.", "2026-11-30T14:00:00Z"),
            ("resets at 1796100000", "2026-12-01T04:40:00Z"),
            ("\"resets_at\": 1796100000000,", "2026-12-01T04:40:00Z"),
            ("x-ratelimit-reset: 1796100000", "2026-12-01T04:40:00Z"),
            ("resets 5pm (america/new_york)", "2026-11-30T22:00:00Z"),
            ("resets dec 3, 9:30am asia/kolkata", "2026-12-03T04:00:00Z"),
            ("try again in 2 days", "2026-12-02T12:00:01Z"),
            ("resets in 1.5 hours", "2026-11-30T13:30:01Z"),
            ("try again in an hour", "2026-11-30T13:00:01Z"),
            ("\"resets_in_seconds\": 60", "2026-11-30T12:01:01Z"),
            ("\"retrydelay\": \"34.07s\"", "2026-11-30T12:00:35Z"),
        ] {
            assert_eq!(there(words).as_deref(), Some(time), "{words}");
        }
    }

    #[test]
    fn what_names_no_time_is_none() {
        for words in [
            "",
            "try again later",
            "resets soon",
            "try again at the counter",
            "until 3 files are left",
            "resets feb 30",
            "resets at 25:00",
            "try again in fewer words",
        ] {
            assert_eq!(named(words), None, "{words}");
        }
    }

    #[test]
    fn summer_may_begin_meanwhile() {
        let change = NOW + DAY;
        let local = |time: u64| match time < change {
            true => time,
            false => time + 3_600_000,
        };
        let Some(Passes::Wall(wall)) = named("resets dec 3 at 5pm") else {
            panic!("no time");
        };
        assert_eq!(date::second(wall.at(NOW, local)), "2026-12-03T16:00:00Z");
    }
}
