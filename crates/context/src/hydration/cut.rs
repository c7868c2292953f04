//! Budgets: how much text is, and cutting it where a character ends. Knows no content.

/// Bytes that are counted as one token: what English and code come to, rounded down a little.
pub const TOKEN_BYTES: usize = 4;

/// What stands where something was cut off.
const CUT: &str = "…";

/// About how many tokens a text is.
#[must_use]
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(TOKEN_BYTES)
}

/// The text, or as much of its beginning as fits into so many tokens with a sign that it was cut.
#[must_use]
pub fn cut(text: &str, tokens_max: usize) -> String {
    let bytes_max = tokens_max.saturating_mul(TOKEN_BYTES);
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let mut end = bytes_max.saturating_sub(CUT.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let kept = text.get(..end).unwrap_or_default().trim_end();
    if bytes_max < CUT.len() {
        return kept.to_owned();
    }
    [kept, CUT].concat()
}

/// As many of the lines, from the first on, as fit; each at most so many bytes long, and one that
/// does not fit is left out with all that follow. How many were kept.
pub(super) fn fit(lines: &[String], tokens_max: usize) -> (String, usize) {
    let bytes_max = tokens_max.saturating_mul(TOKEN_BYTES);
    let mut text = String::new();
    let mut kept = 0;
    for line in lines {
        if text.len() + line.len() + 1 > bytes_max {
            break;
        }
        text.push_str(line);
        text.push('\n');
        kept += 1;
    }
    (text, kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_that_fits_stays_as_it_is() {
        assert_eq!(cut("abcd", 1), "abcd");
        assert_eq!(cut("abcdefgh ijkl", 2), "abcde…");
        assert_eq!(cut("abcde", 0), "");
        assert_eq!((tokens(""), tokens("abcd"), tokens("abcde")), (0, 1, 2));
    }

    proptest! {
        #[test]
        fn no_cut_is_over_budget_or_splits_a_character(
            text in "\\PC{0,200}", tokens_max in 0_usize..40,
        ) {
            let short = cut(&text, tokens_max);
            prop_assert!(tokens(&short) <= tokens_max);
            prop_assert!(text.starts_with(short.trim_end_matches('…').trim_end()));
        }

        #[test]
        fn lines_fit_into_their_budget(
            lines in proptest::collection::vec("\\PC{0,60}", 0..12), tokens_max in 0_usize..80,
        ) {
            let (text, kept) = fit(&lines, tokens_max);
            prop_assert!(tokens(&text) <= tokens_max);
            prop_assert!(kept <= lines.len());
        }
    }
}
