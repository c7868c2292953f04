//! What is said to a host, before it is put into its words. Must not know any host's names.

use model::{Event, Level};
use std::borrow::Cow;

/// Longest reason or advice that is passed on, in bytes; hosts cut or hide longer ones.
pub const REASON_BYTES_MAX: usize = 4_000;

/// Said when a level that stops comes without words: no host is given an empty reason.
const NO_REASON: &str = "stopped by tollgate, which gave no reason. Ask the user how to go on.";

/// Who is to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked<'a> {
    /// The event's name on our command line, as the host spells it.
    pub event: &'a str,
    /// Whether the host's own prompt would reach a human now.
    pub asks: bool,
}

impl<'a> Asked<'a> {
    /// For an event that was read.
    #[must_use]
    pub fn by(event_name: &'a str, event: &Event<'_>) -> Self {
        Self {
            event: event_name,
            asks: event.asks,
        }
    }

    /// For an event that could not be read: nobody is known to be there to be asked.
    #[must_use]
    pub fn unread(event_name: &'a str) -> Self {
        Self {
            event: event_name,
            asks: false,
        }
    }
}

/// What is to be said, in neutral words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answer<'a> {
    /// How strict.
    pub level: Level,
    /// Why, for the worker. Used when the level is above Allow.
    pub reason: &'a str,
    /// Words for the worker that stop nothing; empty if none.
    pub advice: &'a str,
    /// Words for the human that stop nothing; empty if none. May hold a code: a host says them
    /// only where the worker does not read them.
    pub notice: &'a str,
    /// The whole input that the call is to run with instead of the worker's, as the host's JSON;
    /// empty = as it is. Used only when nothing stops the call.
    pub input: &'a str,
}

impl Answer<'_> {
    /// The reason, never empty, cut and without control characters.
    pub(crate) fn reason(&self) -> String {
        let reason = said(self.reason);
        if reason.is_empty() {
            return NO_REASON.to_owned();
        }
        reason
    }
}

/// What the hook prints, and how it ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// Bytes for standard output.
    pub stdout: Vec<u8>,
    /// Bytes for standard error.
    pub stderr: Vec<u8>,
    /// Exit status.
    pub code: i32,
}

/// Text as it may be said: cut to [`REASON_BYTES_MAX`], and without control characters, since
/// names of files end up in it and it ends up on terminals.
pub(crate) fn said(text: &str) -> String {
    let harmless = |c: char| matches!(c, '\n' | '\t') || !c.is_control();
    // Most texts are plain, and bytes are quickly looked at, many at once if none ends it.
    let is_odd = |byte| !matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    let is_plain = !text.bytes().fold(false, |odd, byte| odd | is_odd(byte));
    let text = if is_plain {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.replace(|c: char| !harmless(c), " "))
    };
    let text = text.trim();
    match text.get(..text.floor_char_boundary(REASON_BYTES_MAX)) {
        Some(cut) if cut.len() < text.len() => format!("{cut}…"),
        _ => text.to_owned(),
    }
}
