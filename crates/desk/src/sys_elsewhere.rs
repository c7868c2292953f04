//! The twin of `sys.rs` where there is no Unix: nothing of it is there.

use std::io;
use std::path::Path;

/// There is no such step here.
///
/// # Errors
/// Always.
pub fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Orphans are nobody's here.
pub fn adopt_orphans() {}

/// A signal that a process is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// It is asked to end.
    Ask,
    /// It is ended.
    End,
}

/// There are none here.
pub fn signal(_: u64, _: Signal) {}

/// Nothing is to be noted.
pub fn reap() {}

/// It ends as it would.
pub fn heed_requests() {}

/// Nobody asks.
pub fn is_asked() -> bool {
    false
}
