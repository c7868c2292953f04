//! Tests of a search that a file's size and time of change answer.

use crate::{Arg, World};
use model::PathKind;
use std::cmp::Ordering;
use text::date;

/// Milliseconds of a minute and of a day.
const MINUTE: u64 = 60_000;
const DAY: u64 = 24 * 60 * MINUTE;

/// A day that is named begins at another time in another zone, by so much at the most.
const ZONES: u64 = DAY;

/// A test of a file's size or time.
#[derive(Debug)]
pub(super) enum Measure {
    /// So many units, rounded up; more or less than that.
    Size {
        than: Ordering,
        count: u64,
        unit: u64,
    },
    /// So many whole units ago; more or less than that.
    Age {
        than: Ordering,
        count: u64,
        unit: u64,
    },
    /// Changed after this file was.
    Newer(Arg),
    /// Changed after this day began.
    Since(u64),
}

/// A file's size, its age in milliseconds, and when each of the files of [`Measure::Newer`] was
/// changed, as far as that is known.
#[derive(Debug, Clone)]
pub(super) struct Measured {
    bytes: u64,
    /// Whether begun units count as whole ones; on a Mac bytes are counted.
    is_rounded: bool,
    /// In nanoseconds since 1970.
    modified: Option<u64>,
    /// In milliseconds since 1970.
    now: Option<u64>,
    others: Vec<(String, u64)>,
}

impl Measured {
    /// What is known of a file; `None` if it is none.
    pub(super) fn of(world: &mut World<'_>, path: &str, measures: &[&Measure]) -> Option<Self> {
        let fact = world.path(path).known().cloned()?;
        if fact.kind != PathKind::File {
            return None;
        }
        let mut others = Vec::new();
        for measure in measures {
            if let Measure::Newer(other) = measure {
                let target = world.target(other);
                let found = world.path(&target.path);
                let modified = found.known().map_or(0, |found| found.modified);
                others.push((other.text.clone(), modified));
            }
        }
        Some(Self {
            bytes: fact.bytes,
            is_rounded: !world.place().folds_case,
            modified: Some(fact.modified).filter(|modified| *modified != 0),
            now: Some(world.place().time).filter(|now| *now != 0),
            others,
        })
    }
}

impl Measure {
    /// `-size +10k`, `-mtime +7`, `-newer FILE`
    pub(super) fn read(test: &str, value: &Arg) -> Option<Self> {
        match test {
            "-newer" => Some(Self::Newer(value.clone())),
            "-newermt" => day(&value.text).map(Self::Since),
            "-size" => size(&value.text),
            "-mtime" => age(&value.text, DAY),
            "-mmin" => age(&value.text, MINUTE),
            _ => None,
        }
    }

    /// A file that is empty.
    pub(super) fn nothing() -> Self {
        Self::Size {
            than: Ordering::Equal,
            count: 0,
            unit: 1,
        }
    }

    /// Whether a file passes; `None` if that is not known.
    pub(super) fn passes(&self, file: &Measured) -> Option<bool> {
        match self {
            Self::Size { than, count, unit } => {
                let is_so = match file.is_rounded {
                    true => file.bytes.div_ceil(*unit).cmp(count) == *than,
                    false => file.bytes.cmp(&count.saturating_mul(*unit)) == *than,
                };
                Some(is_so)
            }
            Self::Age { than, count, unit } => {
                let age = file.now?.saturating_sub(file.modified? / 1_000_000);
                // When the search runs, it is a little older.
                let [first, later] = [age, age + MINUTE].map(|age| (age / unit).cmp(count));
                ((first == *than) == (later == *than)).then_some(first == *than)
            }
            Self::Newer(other) => {
                let mut others = file.others.iter();
                let (_, other) = others.find(|(name, _)| *name == other.text)?;
                (*other != 0).then_some(file.modified? > *other)
            }
            Self::Since(begin) => {
                let modified = file.modified? / 1_000_000;
                (modified.abs_diff(*begin) > ZONES).then_some(modified > *begin)
            }
        }
    }
}

/// Whether more, less or just so many are meant, and the rest.
fn compared(text: &str) -> (Ordering, &str) {
    match (text.strip_prefix('+'), text.strip_prefix('-')) {
        (Some(rest), _) => (Ordering::Greater, rest),
        (None, Some(rest)) => (Ordering::Less, rest),
        (None, None) => (Ordering::Equal, text),
    }
}

fn age(text: &str, unit: u64) -> Option<Measure> {
    let (than, rest) = compared(text);
    let count: u64 = rest.parse().ok()?;
    // Of minutes the begun one counts, where more of them are asked for.
    let count = match than {
        Ordering::Greater if unit == MINUTE => count.checked_sub(1)?,
        _ => count,
    };
    Some(Measure::Age { than, count, unit })
}

fn size(text: &str) -> Option<Measure> {
    let (than, rest) = compared(text);
    let digits = rest.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match rest.strip_prefix(digits)? {
        "c" => 1,
        "w" => 2,
        "" | "b" => 512,
        "k" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    let count = digits.parse().ok()?;
    Some(Measure::Size { than, count, unit })
}

/// `2026-11-30`
fn day(text: &str) -> Option<u64> {
    let mut parts = text.get(..10)?.splitn(3, '-').map(|part| part.parse().ok());
    date::of_day(parts.next()??, parts.next()??, parts.next()??)
}
