//! Which texts fit a query: words weighted by how rare they are (BM25). Small collections, so
//! nothing is indexed.

use std::collections::{HashMap, HashSet};

/// How soon more of the same word counts for less.
const SATURATION: f32 = 1.2;
/// How much longer texts are held back.
const LENGTH_WEIGHT: f32 = 0.75;
/// Shortest word that is compared, in characters.
const WORD_CHARS_MIN: usize = 2;

/// A text that fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Its place in what was given.
    pub at: usize,
    /// How well it fits.
    pub score: f32,
}

/// The texts that share a telling word with the query, the best first, in given order where they
/// fit equally well.
#[must_use]
pub fn rank<T: AsRef<str>>(texts: &[T], query: &str) -> Vec<Ranked> {
    let wanted: HashSet<String> = words(query).into_iter().filter(|w| !is_common(w)).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let counted: Vec<(HashMap<String, f32>, f32)> = texts
        .iter()
        .map(|text| count(text.as_ref(), &wanted))
        .collect();
    let all = texts.len() as f32;
    let total: f32 = counted.iter().map(|(_, length)| length).sum();
    let mean = (total / all.max(1.0)).max(1.0);
    let rarity: HashMap<&String, f32> = wanted
        .iter()
        .map(|word| {
            let holding = counted
                .iter()
                .filter(|(counts, _)| counts.contains_key(word))
                .count();
            let holding = holding as f32;
            (word, (1.0 + (all - holding + 0.5) / (holding + 0.5)).ln())
        })
        .collect();
    let score = |(counts, length): &(HashMap<String, f32>, f32)| -> f32 {
        let held = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length / mean;
        let parts = counts.iter().map(|(word, times)| {
            let rarity = rarity.get(word).copied().unwrap_or_default();
            rarity * times * (SATURATION + 1.0) / (times + SATURATION * held)
        });
        parts.sum()
    };
    let scores = counted.iter().map(score).enumerate();
    let mut ranked: Vec<Ranked> = scores
        .map(|(at, score)| Ranked { at, score })
        .filter(|one| one.score > 0.0)
        .collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
    ranked
}

/// How often each wanted word occurs, and how many words there are.
fn count(text: &str, wanted: &HashSet<String>) -> (HashMap<String, f32>, f32) {
    let mut counts = HashMap::new();
    let mut length = 0.0;
    for word in words(text) {
        length += 1.0;
        if wanted.contains(&word) {
            *counts.entry(word).or_insert(0.0) += 1.0;
        }
    }
    (counts, length)
}

/// Words in lower case and without their commonest endings; the parts of a name of code are words.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for chunk in text.split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        let mut was_lower = false;
        for character in chunk.chars() {
            if character.is_uppercase() && was_lower {
                words.push(std::mem::take(&mut word));
            }
            was_lower = character.is_lowercase();
            word.extend(character.to_lowercase());
        }
        words.push(word);
    }
    words.retain(|word| word.chars().count() >= WORD_CHARS_MIN);
    words.into_iter().map(stem).collect()
}

/// `tests`, `tested` and `testing` are one word; good enough to compare, never shown.
fn stem(word: String) -> String {
    let endings = [("ing", 4), ("ies", 3), ("ed", 4), ("es", 4), ("s", 3)];
    let stem = endings.iter().find_map(|(ending, left_min)| {
        let stem = word.strip_suffix(ending)?;
        (stem.len() >= *left_min && !stem.ends_with('s')).then_some(stem)
    });
    let stem = stem.unwrap_or(&word);
    // `committing`, `commit`
    let mut ends = stem.chars().rev();
    let (last, before) = (ends.next(), ends.next());
    let is_double = stem.len() > 3 && last == before && last.is_some_and(char::is_alphabetic);
    let end = stem.len() - last.filter(|_| is_double).map_or(0, char::len_utf8);
    stem.get(..end).unwrap_or(stem).to_owned()
}

/// Words of every sentence. [`rank`] weighs rare words more, but among a handful of facts no word
/// is rare.
fn is_common(word: &str) -> bool {
    const COMMON: &str = "\
        all an and any are as at be but by can do doe for from get had has have how if in into \
        is it \
        its just let make may me my need no not now of on or our out please shal should so some \
        than that the them then there these they thi this to up use want wa was we what when \
        which who why wil with would you your";
    COMMON.split(' ').any(|common| common == word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FACTS: &[&str] = &[
        "The release runs on Fridays and needs a tag",
        "Tests use proptest; never sleep in a test",
        "The parser lives in lexer.rs and parse_config reads it",
        "Use tabs",
    ];

    fn best(query: &str) -> Vec<usize> {
        rank(FACTS, query).iter().map(|one| one.at).collect()
    }

    #[test]
    fn what_shares_rare_words_comes_first() {
        assert_eq!(best("why is testing so slow in the parser tests?"), [1, 2]);
        assert_eq!(best("parseConfig is broken"), [2]);
        assert_eq!(best("tagging releases"), [0]);
        assert_eq!(best("sleeping"), [1]);
        assert_eq!(best("what is it that you use?"), Vec::<usize>::new());
        assert_eq!(best(""), Vec::<usize>::new());
    }

    #[test]
    fn shorter_texts_win_and_equal_ones_keep_their_order() {
        let texts = ["cargo and a long tail of other words", "cargo", "cargo"];
        let order: Vec<usize> = rank(&texts, "cargo").iter().map(|one| one.at).collect();
        assert_eq!(order, [1, 2, 0]);
        assert!(rank::<&str>(&[], "cargo").is_empty());
    }

    proptest! {
        #[test]
        fn scores_are_numbers_in_falling_order(
            texts in proptest::collection::vec("[a-c ]{0,12}", 0..8), query in "[a-c ]{0,12}",
        ) {
            let ranked = rank(&texts, &query);
            prop_assert!(ranked.iter().all(|one| one.score.is_finite() && one.score > 0.0));
            prop_assert!(ranked.windows(2).all(|two| two[0].score >= two[1].score));
            prop_assert!(ranked.iter().all(|one| one.at < texts.len()));
        }
    }
}
