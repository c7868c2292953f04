//! Ids for workers and codes for people: made, found in a text, and kept so that nobody reads them.

use std::ops::RangeInclusive;

use argon2::{Algorithm, Argon2, Params, Version};
use model::{Digest, fields};

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

/// What one guess at a code costs, in KiB of memory and passes over them: some milliseconds here,
/// and hours for all codes, which is longer than a question is open. Tests make thousands.
const MEMORY_KIB: u32 = if cfg!(test) { 8 } else { 4 * 1_024 };
const PASSES: u32 = 1;

/// Codes in one text that are compared with those that are open. A text with more of them is a
/// list of guesses.
pub const CANDIDATES_MAX: usize = 4;

/// What is remembered of a code: that it fits, and not what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seal {
    /// What the hash begins with, so that nothing can be computed before the code is made.
    pub salt: Digest,
    /// The slow hash of the code; zeros if nobody was told one.
    pub hash: Digest,
}

fields!(Seal { salt, hash });

impl Seal {
    /// The seal of a code.
    #[must_use]
    pub fn of(code: &str, salt: Digest) -> Self {
        let hash = hash(code, &salt).unwrap_or_default();
        Self { salt, hash }
    }

    /// Whether a human was told a code at all.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.hash != Digest::default()
    }

    /// Whether this is the code.
    #[must_use]
    pub fn fits(&self, code: &str) -> bool {
        self.is_told() && hash(code, &self.salt) == Some(self.hash)
    }
}

fn hash(code: &str, salt: &Digest) -> Option<Digest> {
    let cost = Params::new(MEMORY_KIB, PASSES, 1, Some(32)).ok()?;
    let mut hash = Digest::default();
    let code = code.trim().to_ascii_lowercase();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, cost)
        .hash_password_into(code.as_bytes(), salt, &mut hash)
        .ok()?;
    Some(hash)
}

/// An id that no approval of the session has.
pub fn id(all: &Approvals, random: &[u8; 32]) -> String {
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

/// A code: two words and a number.
pub fn code(random: &[u8; 32]) -> String {
    let mut number = half(random, 8);
    let mut pick = |count: u64| {
        let at = number % count;
        number /= count;
        at
    };
    let number = NUMBERS.start() + pick(NUMBERS.end() - NUMBERS.start() + 1);
    let words = [(); 2].map(|()| {
        let at = usize::try_from(pick(WORDS.len() as u64)).unwrap_or_default();
        WORDS.get(at).copied().unwrap_or_default()
    });
    format!("{}-{number}", words.join("-"))
}

/// What the codes of a session are hashed with: the same for all of them, so that what stands in
/// a text is hashed once.
pub fn salt(all: &Approvals, random: &[u8; 32]) -> Digest {
    let known = all.list.iter().find(|known| known.code.is_told());
    known.map_or_else(
        || {
            let mut salt = Digest::default();
            let fresh = random.iter().skip(16);
            salt.iter_mut()
                .zip(fresh)
                .for_each(|(to, from)| *to = *from);
            salt
        },
        |known| known.code.salt,
    )
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

fn half(random: &[u8; 32], from: usize) -> u64 {
    let bytes = random.iter().skip(from).take(8);
    bytes.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Whether a text has the form of a code, be it one of ours or not.
#[must_use]
pub fn is_code(text: &str) -> bool {
    let is_word = |word: &str| {
        let letters = word.bytes().all(|byte| byte.is_ascii_alphabetic());
        letters && !word.is_empty()
    };
    let parts: Vec<&str> = text.split('-').collect();
    let [first, second, number] = parts.as_slice() else {
        return false;
    };
    let digits = number.bytes().all(|byte| byte.is_ascii_digit());
    is_word(first) && is_word(second) && digits && number.len() == NUMBER_DIGITS
}

/// The different texts of our words that have the form of a code, in lower case; at most one more
/// than are looked at.
#[must_use]
pub fn candidates(text: &[u8]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let hyphens = text.iter().enumerate().filter(|(_, byte)| **byte == b'-');
    for (at, _) in hyphens {
        for code in ending_at(text, at) {
            if found.len() > CANDIDATES_MAX {
                return found;
            }
            if !found.contains(&code) {
                found.push(code);
            }
        }
    }
    found
}

/// The codes whose last hyphen stands here. Letters before the first word do not hide it.
fn ending_at(text: &[u8], at: usize) -> Vec<String> {
    let number = text.get(at + 1..at + 1 + NUMBER_DIGITS);
    let number = number.filter(|number| number.iter().all(u8::is_ascii_digit));
    let (Some(number), Some(before)) = (number, text.get(..at)) else {
        return Vec::new();
    };
    let number = &*String::from_utf8_lossy(number);
    let seconds = WORDS.iter().filter_map(|second| {
        let rest = without_end(before, second)?;
        Some((second, without_end(rest, "-")?))
    });
    let codes = seconds.flat_map(|(second, rest)| {
        let firsts = WORDS
            .iter()
            .filter(|first| without_end(rest, first).is_some());
        firsts.map(move |first| format!("{first}-{second}-{number}"))
    });
    codes.collect()
}

/// What stands before an end, in upper or lower case.
fn without_end<'t>(text: &'t [u8], end: &str) -> Option<&'t [u8]> {
    let (rest, last) = text.split_at_checked(text.len().checked_sub(end.len())?)?;
    last.eq_ignore_ascii_case(end.as_bytes()).then_some(rest)
}
