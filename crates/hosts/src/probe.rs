//! Asking our own hook the way a host would. Must not know any host's names.

/// A call to send to a hook that is to be tried.
#[derive(Debug, Clone, Copy)]
pub struct Probe<'a> {
    /// The shell command.
    pub command: &'a str,
    /// Where it would run; absolute.
    pub cwd: &'a str,
}
