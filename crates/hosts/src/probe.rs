//! Asking our own hook the way a host would. Must not know any host's names.

/// The session that such a call says it is of, so that it is not taken for somebody's.
pub const PROBE_SESSION: &str = "tollgate-doctor";

/// A call to send to a hook that is to be tried.
#[derive(Debug, Clone, Copy)]
pub struct Probe<'a> {
    /// The shell command.
    pub command: &'a str,
    /// Where it would run; absolute.
    pub cwd: &'a str,
}
