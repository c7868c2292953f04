//! Text that an agent may have written, as a page shows it: nothing in it is markup, and what would
//! not be seen, or would make other text look otherwise, is.

use maud::{Markup, Render, html};

/// Text of whoever.
pub struct Visible<'a>(pub &'a str);

impl Render for Visible<'_> {
    fn render(&self) -> Markup {
        html! {
            @for (plain, odd) in parts(self.0) {
                (plain)
                @if let Some(letter) = odd {
                    span.odd { (format!("U+{:04X}", u32::from(letter))) }
                }
            }
        }
    }
}

/// A text in parts, each with the odd letter that ends it.
fn parts(text: &str) -> impl Iterator<Item = (&str, Option<char>)> {
    text.split_inclusive(is_odd).map(|part| {
        let odd = part.chars().next_back().filter(|letter| is_odd(*letter));
        let end = part.len() - odd.map_or(0, char::len_utf8);
        (part.get(..end).unwrap_or_default(), odd)
    })
}

/// Whether a letter is not seen as itself: it controls, it turns the direction of text, it takes no
/// room, or it has no agreed form.
fn is_odd(letter: char) -> bool {
    let is_kept = matches!(letter, '\n' | '\t');
    let is_hidden = matches!(
        u32::from(letter),
        0x00ad
            | 0x034f
            | 0x061c
            | 0x115f..=0x1160
            | 0x17b4..=0x17b5
            | 0x180b..=0x180f
            | 0x200b..=0x200f
            | 0x2028..=0x202e
            | 0x2060..=0x206f
            | 0x3164
            | 0xe000..=0xf8ff
            | 0xfe00..=0xfe0f
            | 0xfeff
            | 0xffa0
            | 0xfff0..=0xfffb
            | 0xe_0000..=0x10_ffff
    );
    !is_kept && (letter.is_control() || is_hidden)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        Visible(text).render().into_string()
    }

    #[test]
    fn nothing_of_a_text_is_markup_and_nothing_is_unseen() {
        assert_eq!(shown("plain text\n"), "plain text\n");
        assert_eq!(shown("<script>\"&"), "&lt;script&gt;&quot;&amp;");
        let odd = |code: &str| format!("a<span class=\"odd\">U+{code}</span>b");
        for (text, code) in [
            ("a\u{1b}b", "001B"),
            ("a\u{202e}b", "202E"),
            ("a\u{2066}b", "2066"),
            ("a\u{200b}b", "200B"),
            ("a\u{feff}b", "FEFF"),
            ("a\u{e0041}b", "E0041"),
            ("a\rb", "000D"),
            ("a\0b", "0000"),
            ("a\u{2028}b", "2028"),
        ] {
            assert_eq!(shown(text), odd(code));
        }
        assert_eq!(shown(""), "");
    }
}
