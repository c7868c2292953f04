//! Ids of items that a person can type: a prefix and some letters of a hash.

use sha2::{Digest, Sha256};

use crate::Stamp;

/// The prefix where a project has none of its own.
pub const PREFIX: &str = "tg";
/// Letters of a new id: 60 million ids, so that two clones that each make a thousand items apart
/// from one another meet in one case of sixty, and then the later item gets a longer one.
const LETTERS: usize = 5;
/// Most letters.
const LETTERS_MAX: usize = 12;

/// The id of the item that an event made: the shortest that is free.
pub fn name(prefix: &str, made: Stamp, is_taken: impl Fn(&str) -> bool) -> String {
    let letters = letters(made);
    let ids = (LETTERS..=LETTERS_MAX).filter_map(|count| {
        let some = letters.get(..count)?;
        Some([prefix, "-", some].concat())
    });
    let mut ids = ids.skip_while(|id| is_taken(id));
    ids.next()
        .unwrap_or_else(|| [prefix, "-", &letters].concat())
}

fn letters(made: Stamp) -> String {
    const BASE: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let digest = Sha256::digest(made.to_string());
    let bytes = digest.iter().take(16);
    let mut number = bytes.fold(0u128, |all, byte| all << 8 | u128::from(*byte));
    let mut letters = String::with_capacity(LETTERS_MAX);
    for _ in 0..LETTERS_MAX + 8 {
        let digit = usize::try_from(number % 36).unwrap_or_default();
        letters.push(BASE.get(digit).copied().unwrap_or(b'0').into());
        number /= 36;
    }
    letters
}

/// Whether a word has the form of an id: a prefix, a hyphen, and more.
#[must_use]
pub fn is_id(word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let (first, last) = word.split_once('-').unwrap_or_default();
    !first.is_empty() && !last.is_empty() && word.chars().all(is_letter)
}

/// The prefix of an id: all before its last hyphen.
#[must_use]
pub fn prefix_of(id: &str) -> Option<&str> {
    id.rsplit_once('-').map(|(prefix, _)| prefix)
}

/// What the names of an item have in common, the first one and longer ones that it got since.
#[must_use]
pub fn stem(id: &str) -> &str {
    let letters = id.rfind('-').map_or(0, |at| at + 1);
    id.get(..letters + LETTERS).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_free_name_is_taken() {
        let made = Stamp::new(9, [3; 10]);
        let short = name("tg", made, |_| false);
        assert!(is_id(&short) && short.len() == 3 + LETTERS);
        let longer = name("tg", made, |id| id == short);
        assert!(longer.starts_with(&short) && longer.len() == short.len() + 1);
        assert_eq!(name("tg", made, |_| false), short);
        assert!(name("tg", made, |_| true).len() > 3 + LETTERS_MAX);
    }

    #[test]
    fn ids_are_words_with_a_hyphen() {
        for id in ["bd-1", "my-app-a3f.1.2", "x_y-z"] {
            assert!(is_id(id), "{id}");
        }
        for word in ["bd", "-x", "x-", "a b-c", "review:x", ""] {
            assert!(!is_id(word), "{word}");
        }
        assert_eq!(prefix_of("my-app-a3f.1"), Some("my-app"));
        assert_eq!((stem("tg-abcdefg"), stem("tg-abc")), ("tg-abcde", "tg-abc"));
    }
}
