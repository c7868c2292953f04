//! Hosts that run no hook before they are told to trust it: how they are asked which hooks they
//! know, and where the trust is written. Must not know any host's names.

use crate::shared::settings::{Edit, SettingsError};

/// How a host is brought to trust our hook. The host itself says what it knows of each hook; we
/// never compute it.
#[derive(Debug)]
pub struct Trust {
    /// What the host's program is started with, to be asked.
    pub ask: &'static [&'static str],
    /// What it is told on standard input, a line each, about hooks in this directory. It is told
    /// the next line when it has answered.
    pub lines: fn(&str) -> Vec<String>,
    /// The hooks that a line of its output names, if that is the answer.
    pub answer: fn(&str) -> Option<Vec<HookTrust>>,
    /// Path templates of the file that trust is written into; the first that expands counts.
    pub file: &'static [&'static str],
    /// Writes the trust of these hooks into the text of that file.
    pub grant: fn(Option<&str>, &[HookTrust]) -> Result<Edit, SettingsError>,
    /// Takes the trust of the hooks of ours that a settings file names, by its path and text, out
    /// of the text of that file.
    pub revoke: fn(&str, (&str, &str)) -> Result<Edit, SettingsError>,
    /// Whether the text of that file says that a directory is trusted, where that counts.
    pub trusts: fn(&str, &str) -> bool,
    /// What a person does about it without us.
    pub by_hand: &'static str,
}

/// What a host knows of one hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookTrust {
    /// The host's name for the hook.
    pub key: String,
    /// The event, as the host spells it in settings.
    pub event: String,
    /// What it runs.
    pub command: String,
    /// The settings file that names it.
    pub source: String,
    /// The host's sum over what it would run; trust holds for it alone.
    pub hash: String,
    /// Whether the host runs it.
    pub runs: bool,
}
