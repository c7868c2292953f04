//! Ids for workers and codes for people: made, and found in a text.

use std::ops::RangeInclusive;

use super::Approvals;
use super::words::WORDS;

/// Letters of an id that cannot be taken for another or for a digit.
const LETTERS: &[u8] = b"ABCDEFGHJKMNPQRTUVWXY";

/// Digits of an id that cannot be taken for a letter.
const DIGITS: &[u8] = b"2346789";

/// Numbers of a code: two digits, without a zero in front.
const NUMBERS: RangeInclusive<u64> = 10..=99;

/// Digits of a code.
const NUMBER_DIGITS: usize = 2;

/// An id that no approval of the session has.
pub fn id(all: &Approvals, random: &[u8; 16]) -> String {
    let taken = |id: &str| all.list.iter().any(|known| known.id == id);
    fresh(half(random, 0), taken, |mut number| {
        let mut pick = |from: &[u8]| {
            let at = number % from.len() as u64;
            number /= from.len() as u64;
            let byte = usize::try_from(at).ok().and_then(|at| from.get(at));
            byte.map_or('A', |byte| char::from(*byte))
        };
        // A letter and a digit by turns are never a word.
        [LETTERS, DIGITS, LETTERS, DIGITS]
            .map(&mut pick)
            .iter()
            .collect()
    })
}

/// A code that no approval of the session has.
pub fn code(all: &Approvals, random: &[u8; 16]) -> String {
    let taken = |code: &str| all.list.iter().any(|known| known.code == code);
    fresh(half(random, 8), taken, |number| {
        let count = NUMBERS.end() - NUMBERS.start() + 1;
        let word = (number / count) % WORDS.len() as u64;
        let word = usize::try_from(word).ok().and_then(|at| WORDS.get(at));
        let number = NUMBERS.start() + number % count;
        format!("{}-{number}", word.copied().unwrap_or_default())
    })
}

/// The first name from a number on that is not taken. What is taken is at most a handful.
fn fresh(start: u64, taken: impl Fn(&str) -> bool, name: impl Fn(u64) -> String) -> String {
    let mut number = start;
    loop {
        let made = name(number);
        if !taken(&made) {
            return made;
        }
        // Odd, so every number comes once before one comes again.
        number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    }
}

fn half(random: &[u8; 16], from: usize) -> u64 {
    let bytes = random.iter().skip(from).take(8);
    bytes.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Whether a text has the form of a code, be it one of ours or not.
#[must_use]
pub fn is_code(text: &str) -> bool {
    let Some((word, number)) = text.split_once('-') else {
        return false;
    };
    let letters = word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let digits = number.bytes().all(|byte| byte.is_ascii_digit());
    letters && digits && !word.is_empty() && number.len() == NUMBER_DIGITS
}

/// Whether a code stands in a text, in upper or lower case.
#[must_use]
pub fn contains(text: &[u8], code: &str) -> bool {
    let code = code.as_bytes();
    let Some(hyphen) = code.iter().position(|byte| *byte == b'-') else {
        return false;
    };
    let mut from = 0;
    while let Some(rest) = text.get(from..) {
        let Some(at) = rest.iter().position(|byte| *byte == b'-') else {
            return false;
        };
        let start = (from + at).checked_sub(hyphen);
        let found = start.and_then(|start| text.get(start..start + code.len()));
        if found.is_some_and(|found| found.eq_ignore_ascii_case(code)) {
            return true;
        }
        from += at + 1;
    }
    false
}
