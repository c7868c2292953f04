//! What std does not have of Unix: requests to end, waiting for input until one comes.

use std::os::fd::RawFd;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether somebody asked this process to end.
static ASKED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_: libc::c_int) {
    ASKED.store(true, Ordering::Relaxed);
}

/// From now on this process does not end by itself when it is asked to.
pub fn heed_requests() {
    let handler = note as extern "C" fn(libc::c_int);
    for number in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
        // SAFETY: the handler does nothing but store a value.
        unsafe { libc::signal(number, handler as libc::sighandler_t) };
    }
}

/// Whether it was asked to.
#[must_use]
pub fn is_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Asks a child to end.
pub fn ask_to_end(child: &Child) {
    if let Ok(process) = libc::pid_t::try_from(child.id()) {
        // SAFETY: no memory is touched. The child was not waited for, so its number is its own.
        unsafe { libc::kill(process, libc::SIGTERM) };
    }
}

/// Waits until something can be read, or the other side is gone. No, if this process was asked to
/// end.
#[must_use]
pub fn waits_for(file: RawFd) -> bool {
    /// A request that comes just before the wait is seen after so many milliseconds.
    const TURN: libc::c_int = 1_000;

    while !is_asked() {
        let mut waiting = libc::pollfd {
            fd: file,
            events: libc::POLLIN,
            revents: 0,
        };
        // SAFETY: it points to one entry, which lives through the call.
        if unsafe { libc::poll(&raw mut waiting, 1, TURN) } > 0 {
            return true;
        }
    }
    false
}
