//! Ids that sort by time and need nobody's consent: 48 bits of milliseconds, 80 bits of chance,
//! written as 26 letters (Crockford's base 32, small; the form is known as ULID).
//!
//! An id is also the time at which its event counts, so two machines that know the same events
//! agree on their order.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Letters of an id.
const LENGTH: usize = 26;
/// Bits of chance.
const CHANCE_BITS: u32 = 80;

/// An id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Stamp(u128);

impl Stamp {
    /// An id of a time, with chance.
    #[must_use]
    pub fn new(millis: u64, chance: [u8; 10]) -> Self {
        let chance = chance
            .iter()
            .fold(0u128, |all, byte| all << 8 | u128::from(*byte));
        Self(u128::from(millis) << CHANCE_BITS | chance)
    }

    /// The least id of a time.
    #[must_use]
    pub fn first_of(millis: u64) -> Self {
        Self::new(millis, [0; 10])
    }

    /// This id, or one right after `known` where the clock was set back.
    #[must_use]
    pub fn after(self, known: Option<Self>) -> Self {
        match known {
            Some(Self(known)) if known >= self.0 => Self(known.saturating_add(1)),
            _ => self,
        }
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn millis(self) -> u64 {
        u64::try_from(self.0 >> CHANCE_BITS).unwrap_or(u64::MAX)
    }

    pub(crate) fn bytes(self) -> [u8; 16] {
        self.0.to_be_bytes()
    }

    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_be_bytes(bytes))
    }

    /// The id that these letters are, in capitals too.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != LENGTH {
            return None;
        }
        let mut value = 0u128;
        for byte in bytes {
            let digit = digit(*byte)?;
            if value >> 123 != 0 {
                return None;
            }
            value = value << 5 | u128::from(digit);
        }
        Some(Self(value))
    }
}

/// What each byte counts as a letter; 255 for none.
const DIGITS: [u8; 256] = digits();

#[expect(
    clippy::indexing_slicing,
    reason = "made when it is compiled, where nothing else can be"
)]
const fn digits() -> [u8; 256] {
    let mut digits = [255; 256];
    let mut at = 0;
    while at < LETTERS.len() {
        let letter = LETTERS[at];
        digits[letter as usize] = at as u8;
        digits[letter.to_ascii_uppercase() as usize] = at as u8;
        at += 1;
    }
    digits
}

fn digit(letter: u8) -> Option<u8> {
    let digit = DIGITS.get(usize::from(letter)).copied();
    digit.filter(|digit| *digit < 32)
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for at in (0..LENGTH).rev() {
            let digit = usize::try_from(self.0 >> (5 * at) & 31).unwrap_or_default();
            let letter = LETTERS.get(digit).copied().unwrap_or(b'0');
            write!(f, "{}", char::from(letter))?;
        }
        Ok(())
    }
}

impl FromStr for Stamp {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::of(text.as_bytes()).ok_or("an id has 26 letters and digits")
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl serde::de::Visitor<'_> for Text {
            type Value = Stamp;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an id")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Stamp, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_as_their_texts_do() {
        let times = [0, 1, 1_000, 1_764_410_000_123, (1 << 48) - 1];
        let ids = times.iter().flat_map(|time| {
            let chances = [[0; 10], [7; 10], [255; 10]].into_iter();
            chances.map(|chance| Stamp::new(*time, chance))
        });
        let ids: Vec<Stamp> = ids.collect();
        let texts: Vec<String> = ids.iter().map(Stamp::to_string).collect();
        assert!(ids.is_sorted() && texts.is_sorted());
        for (id, text) in ids.iter().zip(&texts) {
            assert_eq!((text.len(), text.parse()), (26, Ok(*id)));
            assert_eq!(text.to_uppercase().parse(), Ok(*id));
        }
        let millis: Vec<u64> = ids.iter().step_by(3).map(|id| id.millis()).collect();
        assert_eq!(millis, times);
    }

    #[test]
    fn what_is_no_id_is_none() {
        let texts = [
            "",
            "0",
            "8zzzzzzzzzzzzzzzzzzzzzzzzz",
            "01k9aaaaaaaaaaaaaaaaaaaaau",
        ];
        for text in texts {
            assert!(text.parse::<Stamp>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_clock_that_was_set_back_changes_no_order() {
        let known = Stamp::new(5_000, [255; 10]);
        let next = Stamp::new(4_000, [9; 10]).after(Some(known));
        assert!(next > known && next.millis() == 5_001);
        let later = Stamp::new(6_000, [0; 10]);
        assert_eq!(later.after(Some(known)), later);
        assert_eq!(later.after(None), later);
    }
}
