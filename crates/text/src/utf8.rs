//! Bytes that are meant to be text.

use std::borrow::Cow;

/// Bytes as text, with what is none replaced. Nearly all are text, which is seen at once; looking
/// for what to replace takes several times as long.
#[must_use]
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_replaced() {
        assert!(matches!(lossy("naïve".as_bytes()), Cow::Borrowed("naïve")));
        assert_eq!(lossy(b"a\xffb"), "a\u{fffd}b");
    }
}
