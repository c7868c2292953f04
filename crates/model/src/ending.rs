//! How a call ended, as far as its host says.

/// What a host says of whether a call went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum EndingWord {
    /// Nothing: only what was printed tells.
    #[default]
    Unsaid,
    /// It went well.
    Well,
    /// It failed.
    Failed,
    /// It was broken off, or runs on in the background.
    Open,
}

/// How a call ended, as its host tells it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ending {
    /// The host's own word for it.
    pub word: EndingWord,
    /// The exit status, where the host tells it.
    pub status: Option<i64>,
    /// What was printed: the beginning and the end, if it is long.
    pub output: String,
    /// How long it took, in milliseconds, where the host tells it.
    pub millis: Option<u64>,
}

/// Most of what a call printed that is looked at, in bytes: so much of the beginning …
pub const OUTPUT_HEAD_BYTES_MAX: usize = 2_000;
/// … and so much of the end.
pub const OUTPUT_TAIL_BYTES_MAX: usize = 6_000;

impl Ending {
    /// Adds what was printed, the middle of a long text left out.
    #[must_use]
    pub fn printed(mut self, text: &str) -> Self {
        if !self.output.is_empty() && !text.is_empty() && !self.output.ends_with('\n') {
            self.output.push('\n');
        }
        if text.len() <= OUTPUT_HEAD_BYTES_MAX + OUTPUT_TAIL_BYTES_MAX {
            self.output.push_str(text);
            return self;
        }
        let head = floor(text, OUTPUT_HEAD_BYTES_MAX);
        let tail = floor(text, text.len() - OUTPUT_TAIL_BYTES_MAX);
        let (head, tail) = (text.get(..head), text.get(tail..));
        self.output.push_str(head.unwrap_or_default());
        self.output.push('\n');
        self.output.push_str(tail.unwrap_or_default());
        self
    }
}

/// The end of the last whole character that ends here or before.
fn floor(text: &str, at: usize) -> usize {
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        let text = format!("first{}last", "é".repeat(10_000));
        let ending = Ending::default().printed(&text);
        assert!(ending.output.starts_with("first") && ending.output.ends_with("last"));
        assert!(ending.output.len() <= OUTPUT_HEAD_BYTES_MAX + OUTPUT_TAIL_BYTES_MAX + 2);
    }

    #[test]
    fn two_streams_stand_on_lines_of_their_own() {
        let ending = Ending::default().printed("out").printed("").printed("err");
        assert_eq!(ending.output, "out\nerr");
    }
}
