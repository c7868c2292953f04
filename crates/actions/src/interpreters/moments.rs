//! Calls that give the time: a part of a name by which the name is new, or of this day.

use super::calls::is_one_of;
use crate::Arg;

/// Calls that give the time, or a number that is another one each time.
const MOMENTS: &[&str] = &[
    "Date.getTime",
    "Date.now",
    "Date.toISOString",
    "Time.now",
    "getpid",
    "now",
    "randomUUID",
    "time.time",
    "time.time_ns",
    "utcnow",
    "uuid4",
];

/// Methods that give the same in another form.
const FORMS: &[&str] = &[".replaceAll", ".timestamp", ".to_i", ".toString"];

/// Methods that give the time in a form, or a part of it: perhaps the day alone.
const PARTS: &[&str] = &[
    ".date",
    ".format",
    ".isoformat",
    ".replace",
    ".slice",
    ".strftime",
    ".substring",
    ".toISOString",
];

/// What else gives the day.
const DAYS: &[&str] = &["date.today", "datetime.today", "time.strftime"];

/// Whether what a call of this name gives is the time, in whatever form.
pub(super) fn is_moment(call: &str) -> bool {
    shortened(call, FORMS).any(|call| is_one_of(call, MOMENTS))
}

/// What stands for the time that a call of this name gives, as a part of a name.
pub(super) fn stamp(call: &str) -> Option<&'static str> {
    if is_moment(call) {
        return Some(Arg::STAMP);
    }
    let mut wholes = shortened(call, PARTS);
    let is_day = wholes.any(|whole| is_moment(whole) || is_one_of(whole, DAYS));
    is_day.then_some(Arg::DAY_STAMP)
}

/// A call, and what is left of it as one after the other of these methods goes from its end.
fn shortened<'c>(call: &'c str, methods: &'static [&str]) -> impl Iterator<Item = &'c str> {
    std::iter::successors(Some(call), |call| {
        methods.iter().find_map(|method| call.strip_suffix(method))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_of_the_time_may_be_the_day_alone() {
        let check =
            |call: &str, expected: Option<&str>| assert_eq!(stamp(call), expected, "{call}");
        check("datetime.now", Some(Arg::STAMP));
        check("Date.now.toString", Some(Arg::STAMP));
        check("Date.toISOString", Some(Arg::STAMP));
        check("Date.toISOString.slice", Some(Arg::DAY_STAMP));
        check("Date.toISOString.replace.slice", Some(Arg::DAY_STAMP));
        check("datetime.now.strftime", Some(Arg::DAY_STAMP));
        check("datetime.date.today.isoformat", Some(Arg::DAY_STAMP));
        check("time.strftime", Some(Arg::DAY_STAMP));
        check("name.replace", None);
        check("config.load", None);
    }
}
