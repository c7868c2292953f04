//! Text as a terminal may be shown it.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with what would act on a terminal, hide, or turn the reading direction shown as
/// `\u{202e}`. Line ends and tabs stay.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_hidden(character) {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn is_hidden(character: char) -> bool {
    let is_control = character.is_control() && !matches!(character, '\n' | '\t');
    is_control
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_deceive_is_shown() {
        assert_eq!(visible("plain: ä 漢 🙂\n\tx"), "plain: ä 漢 🙂\n\tx");
        assert_eq!(
            visible("\u{1b}[2Ja\r\u{202e}b\u{200b}"),
            r"\u{1b}[2Ja\u{d}\u{202e}b\u{200b}"
        );
        assert_eq!(visible("\u{e0041}\u{9b}1m"), r"\u{e0041}\u{9b}1m");
    }
}
