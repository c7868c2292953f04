//! Cleans and cuts words of the past, so that they are short, and cannot end a block of text that
//! they are put into. Cuts lie between characters.

/// Longest prompt, in characters.
pub(super) const PROMPT_CHARS_MAX: usize = 400;
/// Longest first prompt, in characters.
pub(super) const INTENT_CHARS_MAX: usize = 500;
/// Longest prompt that says nothing without the question before it, in characters.
pub(super) const SHORT_CHARS: usize = 10;
/// Longest part of an answer in which questions are looked for, in bytes.
pub(super) const ANSWER_BYTES_MAX: usize = 2_000;
/// Longest question, in characters.
const QUESTION_CHARS_MAX: usize = 400;

/// How what Tollgate itself says or is told begins, where a host keeps it as a prompt.
const OWN: &[&str] = &[
    "tollgate: ",
    "tollgate held ",
    "tollgate fault, ",
    "tollgate stays on",
    "tollgate ok ",
    "tollgate no ",
];

/// Whether a prompt is a word of ours, or an answer to a question of ours: neither is a task.
pub(super) fn is_ours(text: &str) -> bool {
    OWN.iter().any(|start| text.starts_with(start))
}

/// The text with its ends trimmed, fences made harmless, control characters gone, at most so many
/// characters long.
pub(super) fn clean(text: &str, chars_max: usize) -> String {
    let text = text.trim();
    let mut kept = String::with_capacity(text.len().min(chars_max * 4));
    for (count, character) in text.chars().enumerate() {
        if count == chars_max {
            kept.truncate(kept.trim_end().len());
            kept.push('…');
            break;
        }
        kept.push(match character {
            '\n' | '\t' => character,
            '\u{2028}' | '\u{2029}' => '\n',
            control if control.is_control() => ' ',
            other => other,
        });
    }
    kept.replace("```", "'''")
}

/// The text on one line, its middle left out if it is longer than so many characters: the start
/// says what it is, the end how it went.
pub(super) fn both_ends(text: &str, chars_max: usize) -> String {
    let line: Vec<char> = model::one_line(text, usize::MAX).chars().collect();
    if line.len() <= chars_max {
        return line.into_iter().collect();
    }
    let tail = chars_max / 2;
    let head = chars_max.saturating_sub(tail + 3);
    let start = line.iter().take(head);
    let end = line.iter().skip(line.len() - tail);
    start.chain(&[' ', '…', ' ']).chain(end).collect()
}

/// The end of a text, at most so many bytes.
pub(super) fn tail(text: &str, bytes_max: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(bytes_max));
    text.get(start..).unwrap_or_default()
}

/// What an answer asks: its lines with a question, else its last line.
pub(super) fn question(answer: &str) -> String {
    let lines = || {
        answer
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    };
    let questions: Vec<&str> = lines().filter(|line| line.contains('?')).collect();
    let asked = match questions.as_slice() {
        [] => lines().next_back().unwrap_or_default().to_owned(),
        questions => questions.join(" "),
    };
    both_ends(&asked.replace("```", "'''"), QUESTION_CHARS_MAX)
}
