//! The twin of `sys.rs` for systems that are not Unix: nobody is known there by a process.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();

/// Time since the epoch; zero if the clock is wrong.
pub fn since_epoch() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

/// Time since some moment that stays the same as long as the process runs.
pub fn uptime() -> Duration {
    START.get_or_init(Instant::now).elapsed()
}

/// How far the clocks here are ahead of Greenwich; not known here.
pub fn zone(_seconds: u64) -> i64 {
    0
}

/// The number of the process that started this one; not known here.
pub fn parent() -> u64 {
    0
}

/// The process at the other end of our standard input; not known here.
pub fn peer_of_input() -> Option<u64> {
    None
}

/// Whether our standard input is a pipe; not known here.
pub fn input_is_pipe() -> bool {
    false
}

/// Bytes that nobody can guess: the standard library seeds its hashes with such.
pub fn random() -> Option<[u8; 16]> {
    use std::hash::{BuildHasher, RandomState};
    let mut bytes = [0; 16];
    for half in bytes.chunks_mut(8) {
        half.copy_from_slice(&RandomState::new().hash_one(0).to_le_bytes());
    }
    Some(bytes)
}
