//! Times as hosts write them. Must not know any host's names.

/// Milliseconds since 1970 of `2026-11-27T21:21:13.895Z`.
pub(crate) fn millis(timestamp: &str) -> Option<u64> {
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

/// Days since 1970. Years are counted from March, so that the leap day is the last of its year.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let (year, month) = if month < 3 {
        (year.saturating_sub(1), month + 9)
    } else {
        (year, month.saturating_sub(3))
    };
    let of_years = year * 365 + year / 4 - year / 100 + year / 400;
    let of_months = (month * 153 + 2) / 5;
    // 719,468 days lie between 1 March of year 0 and 1 January 1970.
    (of_years + of_months + day).saturating_sub(1 + 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_are_read() {
        let check = |timestamp: &str, expected: Option<u64>| {
            assert_eq!(millis(timestamp), expected, "{timestamp}");
        };
        check("1970-01-01T00:00:00.000Z", Some(0));
        check("2000-02-29T12:00:00Z", Some(951_825_600_000));
        check("2026-11-27T21:21:13.895Z", Some(1_795_814_473_895));
        check("2026-11-27T21:21:13.8Z", Some(1_795_814_473_800));
        check("2026-13-01T00:00:00Z", None);
        check("99999999999999-01-01T00:00:00Z", None);
        check("18446744073709551615-01-01T00:00:00Z", None);
        check("yesterday", None);
        check("", None);
    }
}
