//! What a host has of plans. Must not know any host's names.

/// The plans of one host.
#[derive(Debug)]
pub struct Plans {
    /// Path templates of the directories in which they lie; the first that expands is where what
    /// belongs to them goes.
    pub dirs: &'static [&'static str],
    /// Whether its events say that it is in plan mode. Where they do not, a file that is written
    /// there is a plan at any time.
    pub says_mode: bool,
}
