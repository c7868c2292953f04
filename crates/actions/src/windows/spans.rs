//! Places in a text of PowerShell: where a bracket closes, where a word or a variable stands. Must
//! not know what any of it means.

/// Where a bracket that is open at the beginning of a text closes.
pub(super) fn closes(text: &str, (open, close): (char, char)) -> Option<usize> {
    let (mut depth, mut quote) = (1_usize, None);
    for (at, letter) in text.char_indices() {
        match quote {
            Some(mark) if letter == mark => quote = None,
            Some(_) => {}
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            None if letter == open => depth += 1,
            None if letter == close => depth -= 1,
            None => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The places at which a word stands in a text, capitals being letters like others.
pub(super) fn places<'t>(text: &'t str, word: &str) -> Vec<(&'t str, &'t str)> {
    let lower = text.to_ascii_lowercase();
    let found = lower.match_indices(word);
    let cuts = found.filter_map(|(at, _)| Some((text.get(..at)?, text.get(at + word.len()..)?)));
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == '_';
    cuts.filter(|(before, after)| !before.ends_with(is_part) && !after.starts_with(is_part))
        .collect()
}

/// A name at the beginning of a text, and what follows.
pub(super) fn named(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    text.split_at_checked(end.unwrap_or(text.len()))
        .unwrap_or((text, ""))
}

/// A text with a variable replaced, where it is not the beginning of a longer name.
pub(super) fn with_value(text: &str, variable: &str, value: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let variable = variable.to_ascii_lowercase();
    let mut made = String::new();
    let mut from = 0;
    for (at, _) in lower.match_indices(&variable) {
        let end = at + variable.len();
        let after = text.get(end..).unwrap_or_default();
        if after.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_') {
            continue;
        }
        made.push_str(text.get(from..at).unwrap_or_default());
        made.push_str(value);
        from = end;
    }
    made.push_str(text.get(from..).unwrap_or_default());
    made
}
