//! How long a client waits for a server's answer to a call, before it gives the call up. Measured
//! with the real clients in their own settings; `cargo xtask clients --holds` measures it anew.

/// When a client gives a call up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// After so many seconds, whatever it is told.
    After(u64),
    /// After so many seconds of silence: progress begins them anew.
    Silent(u64),
    /// It was not seen to give up.
    Never,
}

/// How long a client waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// What it calls itself to a server, at the beginning.
    pub names: &'static [&'static str],
    /// For a server over standard input and output.
    pub pipe: Limit,
    /// For a server over HTTP.
    pub http: Limit,
    /// How its user says it of a server, where they can: the key, and how many are a second.
    pub setting: Option<(&'static str, u64)>,
}

impl Patience {
    /// What is taken of a client that nobody has measured.
    pub const UNKNOWN: Self = Self {
        names: &[],
        pipe: Limit::After(60),
        http: Limit::After(60),
        setting: None,
    };
}

impl Limit {
    /// Seconds that a call may wait if its client is told of it now and then, or not.
    #[must_use]
    pub fn seconds(self, is_told: bool) -> Option<u64> {
        match self {
            Self::After(seconds) => Some(seconds),
            Self::Silent(seconds) => (!is_told).then_some(seconds),
            Self::Never => None,
        }
    }
}
