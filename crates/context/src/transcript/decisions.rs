//! Finds where a human says that something is decided, by markers that stand in a closed list. The
//! words are quoted and never made up; a model's words are not looked at.

/// Words that mark a decision.
pub const MARKERS: &[&str] = &[
    "let's use",
    "let us use",
    "let's go with",
    "we'll use",
    "we will use",
    "we decided",
    "i decided",
    "decided to",
    "decided on",
    "decided against",
    "from now on",
    "always",
    "never",
    "instead of",
    "rather than",
    "prefer",
    "stick with",
    "stick to",
    "go with",
    "don't use",
    "do not use",
];

/// Longest line that is looked at, in bytes: longer ones are pasted.
const LINE_BYTES_MAX: usize = 1_000;
/// Longest quote, in characters.
const QUOTE_CHARS_MAX: usize = 200;
/// Most decisions that one prompt states.
const EACH_MAX: usize = 10;

/// The sentences of a prompt that state a decision, each with its marker. What is quoted, fenced,
/// or asked states none.
pub(super) fn stated(text: &str) -> Vec<(&'static str, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines().map(str::trim) {
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        fenced ^= is_fence;
        let is_foreign = is_fence || fenced || line.starts_with(['>', '<', '|', '{', '$']);
        if is_foreign || line.len() > LINE_BYTES_MAX {
            continue;
        }
        for sentence in sentences(line) {
            if let Some(marker) = marker(sentence) {
                found.push((marker, super::clean::clean(sentence, QUOTE_CHARS_MAX)));
            }
        }
        if found.len() >= EACH_MAX {
            break;
        }
    }
    found.truncate(EACH_MAX);
    found
}

/// A line cut behind every `.`, `!`, `?` or `;` that a blank follows. A dot inside a name is none.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut ends_before = false;
    line.split_inclusive(move |character: char| {
        let ends = ends_before && character.is_whitespace();
        ends_before = matches!(character, '.' | '!' | '?' | ';' | '。' | '！' | '？');
        ends
    })
    .map(str::trim)
}

fn marker(sentence: &str) -> Option<&'static str> {
    if sentence.ends_with(['?', '？']) {
        return None;
    }
    let lower = sentence.to_lowercase().replace('’', "'");
    let stands = |marker: &&&str| {
        lower.match_indices(**marker).any(|(start, found)| {
            let before = lower
                .get(..start)
                .and_then(|before| before.chars().next_back());
            let after = lower.get(start + found.len()..);
            let after = after.and_then(|after| after.chars().next());
            let is_word =
                |side: Option<char>| side.is_some_and(|c| c.is_alphanumeric() || c == '_');
            !is_word(before) && !is_word(after)
        })
    };
    MARKERS.iter().find(stands).copied()
}
