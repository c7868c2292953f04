//! Tests of a search that a file's size and time of change answer.

use crate::{Arg, World};
use model::PathKind;

/// Most files whose size and time are asked for.
const ASKED_MAX: usize = 64;

/// A test that all that is found passes.
#[derive(Debug)]
pub(super) struct Narrowing {
    test: Test,
    /// Whether it must not pass.
    is_negated: bool,
}

#[derive(Debug)]
enum Test {
    /// So many units, rounded up; more or less than that.
    Size {
        than: std::cmp::Ordering,
        count: u64,
        unit: u64,
    },
    /// Changed after this file was.
    Newer(Arg),
}

impl Narrowing {
    /// `-size +10k`, `-newer FILE`
    pub(super) fn read(test: &str, value: &Arg, is_negated: bool) -> Option<Self> {
        let test = match test {
            "-newer" => Test::Newer(value.clone()),
            "-size" => size(&value.text)?,
            _ => return None,
        };
        Some(Self { test, is_negated })
    }

    /// Whether a file passes; `None` if that is not known.
    fn passes(&self, world: &mut World<'_>, path: &str) -> Option<bool> {
        let fact = world.path(path).known().cloned()?;
        if fact.kind != PathKind::File {
            return None;
        }
        let passes = match &self.test {
            Test::Size { than, count, unit } => fact.bytes.div_ceil(*unit).cmp(count) == *than,
            Test::Newer(other) => {
                let other = world.target(other);
                let other = world
                    .path(&other.path)
                    .known()
                    .map(|other| other.modified)?;
                (fact.modified != 0 && other != 0).then_some(fact.modified > other)?
            }
        };
        Some(passes != self.is_negated)
    }
}

fn size(text: &str) -> Option<Test> {
    use std::cmp::Ordering;
    let (than, rest) = match text.strip_prefix('+') {
        Some(rest) => (Ordering::Greater, rest),
        None => match text.strip_prefix('-') {
            Some(rest) => (Ordering::Less, rest),
            None => (Ordering::Equal, text),
        },
    };
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
    Some(Test::Size { than, count, unit })
}

/// Those of these files that may pass all tests.
pub(super) fn left(
    world: &mut World<'_>,
    narrowings: &[Narrowing],
    mut files: Vec<String>,
) -> Vec<String> {
    if narrowings.is_empty() || files.len() > ASKED_MAX {
        return files;
    }
    files.retain(|file| {
        narrowings
            .iter()
            .all(|own| own.passes(world, file) != Some(false))
    });
    files
}
