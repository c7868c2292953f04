//! Dates in UTC: of milliseconds since 1970, and back. Reads no clock.

/// Days from 1 March of year 0 to 1 January 1970. Years are counted from March, so that the leap
/// day is the last of its year.
const DAYS_TO_1970: u64 = 719_468;
/// Days of 400 years.
const ERA_DAYS: u64 = 146_097;
/// A day, in milliseconds.
pub const DAY_MILLIS: u64 = 86_400_000;

/// The day of a time in milliseconds since 1970: `2026-11-12`.
#[must_use]
pub fn day(millis: u64) -> String {
    let days = millis / DAY_MILLIS + DAYS_TO_1970;
    let era_day = days % ERA_DAYS;
    let year_of_era = (era_day - era_day / 1_460 + era_day / 36_524 - era_day / 146_096) / 365;
    let day_of_year = era_day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = days / ERA_DAYS * 400 + year_of_era + carry;
    format!("{year:04}-{month:02}-{day:02}")
}

/// The minute of a time in milliseconds since 1970: `2026-11-12 09:30`.
#[must_use]
pub fn minute(millis: u64) -> String {
    let minutes = millis / 60_000 % 1_440;
    format!("{} {:02}:{:02}", day(millis), minutes / 60, minutes % 60)
}

/// A time in milliseconds since 1970: `2026-11-27T21:21:13.895Z`.
#[must_use]
pub fn timestamp(millis: u64) -> String {
    let second = second(millis);
    let second = second.trim_end_matches('Z');
    format!("{second}.{:03}Z", millis % 1_000)
}

/// The second of a time in milliseconds since 1970: `2026-11-12T09:30:05Z`.
#[must_use]
pub fn second(millis: u64) -> String {
    let seconds = millis / 1_000 % 86_400;
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{}T{hour:02}:{minute:02}:{second:02}Z", day(millis))
}

/// Milliseconds since 1970 of `2026-11-27T21:21:13.895Z`, or of a time with another zone at its
/// end (`+01:00`).
#[must_use]
pub fn millis(timestamp: &str) -> Option<u64> {
    let zone_at = timestamp.len().checked_sub(6);
    let zone = zone_at.and_then(|at| timestamp.split_at_checked(at));
    if let Some((local, zone)) = zone
        && let Some((hours, minutes)) = zone.get(1..).and_then(|zone| zone.split_once(':'))
        && let (Ok(hours), Ok(minutes)) = (hours.parse::<u64>(), minutes.parse::<u64>())
    {
        let offset = (hours * 60 + minutes) * 60_000;
        let local = millis(&[local, "Z"].concat())?;
        return match zone.get(..1)? {
            "+" => local.checked_sub(offset),
            "-" => local.checked_add(offset),
            _ => None,
        };
    }
    let (date, time) = timestamp.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.split('-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut time = time.split(':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    let millis: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let in_range = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !in_range {
        return None;
    }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    Some(seconds * 1_000 + millis)
}

/// Milliseconds since 1970 of the beginning of a day, if there is one of that name.
#[must_use]
pub fn of_day(year: u64, month: u64, date: u64) -> Option<u64> {
    let in_range = (1970..=9999).contains(&year) && (1..=12).contains(&month) && date <= 31;
    let millis = in_range.then(|| days(year, month, date) * DAY_MILLIS)?;
    // The thirtieth of February is none.
    (day(millis) == format!("{year:04}-{month:02}-{date:02}")).then_some(millis)
}

/// Days since 1970.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month < 3 {
        (year.saturating_sub(1), month + 9)
    } else {
        (year, month.saturating_sub(3))
    };
    let of_years = year * 365 + year / 4 - year / 100 + year / 400;
    let of_months = (month * 153 + 2) / 5;
    (of_years + of_months + day).saturating_sub(1 + DAYS_TO_1970)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_come_back() {
        for time in [0, 895, 1_795_814_473_895] {
            assert_eq!(millis(&timestamp(time)), Some(time));
        }
        assert_eq!(timestamp(1_795_814_473_895), "2026-11-27T21:21:13.895Z");
    }

    #[test]
    fn days_of_the_calendar() {
        for (millis, text) in [
            (0, "1970-01-01"),
            (951_825_600_000, "2000-02-29"),
            (951_868_800_000, "2000-03-01"),
            (1_795_814_473_895, "2026-11-27"),
            (4_107_542_400_000, "2100-03-01"),
        ] {
            assert_eq!(day(millis), text);
        }
        assert_eq!(minute(1_795_814_473_895), "2026-11-27 21:21");
        assert_eq!(second(1_795_814_473_895), "2026-11-27T21:21:13Z");
        assert_eq!(timestamp(1_795_814_473_895), "2026-11-27T21:21:13.895Z");
    }

    #[test]
    fn both_ways_agree() {
        for number in 0..50_000 {
            let start = number * DAY_MILLIS;
            let timestamp = format!("{}T00:00:00Z", day(start));
            assert_eq!(millis(&timestamp), Some(start), "{timestamp}");
        }
    }

    #[test]
    fn only_days_of_the_calendar_begin() {
        assert_eq!(of_day(2000, 2, 29), Some(951_782_400_000));
        for (year, month, date) in [(2026, 2, 29), (2026, 4, 31), (2026, 13, 1), (2026, 1, 0)] {
            assert_eq!(of_day(year, month, date), None, "{year}-{month}-{date}");
        }
    }

    #[test]
    fn timestamps_are_read() {
        let check = |timestamp: &str, expected: Option<u64>| {
            assert_eq!(millis(timestamp), expected, "{timestamp}");
        };
        check("1970-01-01T00:00:00.000Z", Some(0));
        check("2000-02-29T12:00:00Z", Some(951_825_600_000));
        check("2026-11-27T21:21:13.895Z", Some(1_795_814_473_895));
        check("2026-11-27T21:21:13.8Z", Some(1_795_814_473_800));
        check("2026-11-27T22:21:13.895+01:00", Some(1_795_814_473_895));
        check("2026-11-27T15:51:13.895123-05:30", Some(1_795_814_473_895));
        check("2026-11-27T15:51:13-05:3x", None);
        check("1970-01-01T00:00:00+01:00", None);
        check("2026-13-01T00:00:00Z", None);
        check("99999999999999-01-01T00:00:00Z", None);
        check("18446744073709551615-01-01T00:00:00Z", None);
        check("yesterday", None);
        check("", None);
    }
}
