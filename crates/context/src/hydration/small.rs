//! Small talk: prompts that ask for nothing new. What stands in a prompt decides: whoever names a
//! thing, a path or a deed of their own has a task, and what is left are words that every
//! conversation is made of. Those are listed, by language; phrases are not.

/// The small words of languages that put blanks between words, and of those that do not.
const WORDS: &str = include_str!("small.txt");
const UNSPACED: &str = include_str!("small_unspaced.txt");

/// Longest small talk, in bytes and in words.
const BYTES_MAX: usize = 80;
const WORDS_MAX: usize = 8;

/// Whether a prompt is nothing but small talk: thanks, a yes or a no, a choice, a greeting, or a
/// word to go on with what is under way.
pub(super) fn is_small_talk(prompt: &str) -> bool {
    if prompt.len() > BYTES_MAX || prompt.split_whitespace().any(names) {
        return false;
    }
    let text = prompt.to_lowercase();
    let is_break = |c: char| !c.is_alphanumeric() && !is_mark(c);
    let words: Vec<&str> = text
        .split(is_break)
        .filter(|word| !word.is_empty())
        .collect();
    words.len() <= WORDS_MAX && words.iter().all(|word| is_small(word))
}

/// Marks above and below letters, which belong to them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{97f}' | '\u{64b}'..='\u{652}')
}

fn is_small(word: &str) -> bool {
    let is_choice = word.chars().count() <= 2 && word.chars().all(|c| c.is_ascii_alphanumeric());
    is_choice || WORDS.split_whitespace().any(|small| small == word) || is_made_of_small(word)
}

/// Whether a text without blanks is put together of small words.
fn is_made_of_small(text: &str) -> bool {
    if text.is_empty() {
        return true;
    }
    if text.is_ascii() {
        return false;
    }
    let mut starts = UNSPACED
        .split_whitespace()
        .filter_map(|small| text.strip_prefix(small));
    starts.any(|rest| rest.is_empty() || is_made_of_small(rest))
}

/// Whether a word names a thing: a path, a file, an identifier, a version, an option, a quotation.
fn names(word: &str) -> bool {
    let word = word.trim_end_matches(['.', '!', '?', ',', ';', ':', '…']);
    let word = word.trim_start_matches(['¿', '¡', '(']);
    let marks = ['/', '\\', '`', '_', '=', '#', '"', '@', '$', '<', '{'];
    let is_option = word.starts_with("--");
    let mut pairs = word.chars().zip(word.chars().skip(1));
    let is_joined = pairs.any(|(one, next)| {
        let is_dot = one == '.' && next.is_alphanumeric();
        let is_camel = one.is_lowercase() && next.is_uppercase();
        is_dot || is_camel
    });
    word.contains(marks) || is_option || is_joined
}

#[cfg(test)]
mod tests {
    use super::super::{is_continuation, is_hydrated};
    use super::*;

    /// Short prompts in eleven languages, about half of them real tasks: `language, kind, prompt`.
    const PROMPTS: &str = include_str!("../../tests/prompts.tsv");

    #[test]
    fn the_table_of_short_prompts_is_told_apart() {
        let mut wrong = Vec::new();
        let (mut talk, mut tasks) = (0, 0);
        for line in PROMPTS.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            let [language, kind, prompt] = cells[..] else {
                panic!("{line}");
            };
            let is_talk = kind == "talk";
            *(if is_talk { &mut talk } else { &mut tasks }) += 1;
            let goes_on = is_continuation(prompt);
            // What begins as the settings say is left as it is, talk or task.
            let is_plain = prompt.starts_with(['.', '/']);
            let is_grounded = is_hydrated(prompt, &["/", "."]);
            if goes_on != is_talk || (is_grounded == is_talk && !is_plain) {
                wrong.push(format!("{language} {kind}: {prompt}"));
            }
        }
        assert!(talk >= 150 && tasks >= 150, "{talk} {tasks}");
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn what_is_named_is_a_task() {
        for prompt in [
            "ok README.md",
            "go parseArgs",
            "yes --all",
            "do `x`",
            "no 2.0",
        ] {
            assert!(!is_small_talk(prompt), "{prompt}");
        }
        assert!(!is_small_talk(&"yes ".repeat(9)));
    }
}
