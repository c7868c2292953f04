//! A simple command of a call, as it is written.

/// One simple command of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimpleCommand {
    /// Its words, wrappers and assignments left out. What only the shell knows stands as it is
    /// written (`$HOME`, `$(…)`); a here-document is a word that names its text.
    pub words: Vec<String>,
    /// Whether the program is spelled out.
    pub is_literal: bool,
    /// Whether a status of 0 of the whole call says that it went well.
    pub is_proved: bool,
    /// Whether its failure can be what the status of the whole call says.
    pub decides: bool,
    /// Whether it is sure to run, and with the names that the shell had before the call.
    pub is_plain: bool,
    /// Whether what starts it knows where it is (`npx`): it need not be on the `PATH`.
    pub is_found: bool,
    /// The directory that a `cd` before it in this call names; empty if there is none.
    pub dir: String,
}

impl SimpleCommand {
    /// Its program by name, without a directory.
    #[must_use]
    pub fn program(&self) -> &str {
        let first = self.words.first().map_or("", String::as_str);
        first.rsplit('/').next().unwrap_or_default()
    }
}
