//! Text that an agent may have written, as a page shows it: nothing in it is markup, and what would
//! not be seen, or would make other text look otherwise, is.

use maud::{Markup, Render, html};

/// Text of whoever.
pub struct Visible<'a>(pub &'a str);

impl Render for Visible<'_> {
    fn render(&self) -> Markup {
        let mut rest = self.0;
        html! {
            @while !rest.is_empty() {
                @let end = rest.find(is_odd).unwrap_or(rest.len());
                @let (plain, odd) = rest.split_at(end);
                (plain)
                @let letter = odd.chars().next();
                @if let Some(letter) = letter {
                    span.odd { (format!("U+{:04X}", u32::from(letter))) }
                }
                @let length = letter.map_or(0, char::len_utf8);
                @let _ = { rest = odd.get(length..).unwrap_or_default(); };
            }
        }
    }
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
