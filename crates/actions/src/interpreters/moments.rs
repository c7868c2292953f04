//! Calls that give the time: a part of a name by which the name is new.

use super::calls::is_one_of;

/// Calls that give the time, or a number that is another one each time.
const MOMENTS: &[&str] = &[
    "Date.getTime",
    "Date.now",
    "Date.toISOString",
    "Time.now",
    "getpid",
    "isoformat",
    "now",
    "randomUUID",
    "strftime",
    "time.time",
    "time.time_ns",
    "utcnow",
    "uuid4",
];

/// Methods that give the same in another form.
const FORMS: &[&str] = &[
    ".replace",
    ".replaceAll",
    ".slice",
    ".substring",
    ".timestamp",
    ".to_i",
    ".toString",
];

/// Whether what a call of this name gives is the time, in whatever form.
pub(super) fn is_moment(call: &str) -> bool {
    let mut call = call;
    while let Some(rest) = FORMS.iter().find_map(|form| call.strip_suffix(form)) {
        call = rest;
    }
    is_one_of(call, MOMENTS)
}
