//! What std does not have of Unix: two directories that change places, orphans that come to us,
//! process groups by number.

use std::io;
use std::path::Path;

/// Has two directories change places in one step.
///
/// # Errors
/// If the file system cannot do that, or one is not there.
#[cfg(target_os = "linux")]
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt as _;

    let text = |path: &Path| std::ffi::CString::new(path.as_os_str().as_bytes());
    let (one, other) = (text(one)?, text(other)?);
    let here = libc::AT_FDCWD;
    let (call, flags) = (libc::SYS_renameat2, libc::RENAME_EXCHANGE);
    // musl has no function for it.
    // SAFETY: both are texts with an end, and stay alive through the call.
    let result = unsafe { libc::syscall(call, here, one.as_ptr(), here, other.as_ptr(), flags) };
    match result {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Other systems have no such step.
#[cfg(not(target_os = "linux"))]
pub fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Has orphans below this process come to it, not to the first process of the machine.
#[cfg(target_os = "linux")]
pub fn adopt_orphans() {
    // SAFETY: no memory is touched. Where it fails, what is left behind is found by its mark.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Other systems give orphans to the first process.
#[cfg(not(target_os = "linux"))]
pub fn adopt_orphans() {}

/// A signal that a process is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// It is asked to end.
    Ask,
    /// It is ended.
    End,
}

/// Sends a process a signal.
pub fn signal(process: u64, signal: Signal) {
    let number = match signal {
        Signal::Ask => libc::SIGTERM,
        Signal::End => libc::SIGKILL,
    };
    if let Ok(process) = libc::pid_t::try_from(process)
        && process > 1
    {
        // SAFETY: no memory is touched; the number is one process, never a group.
        unsafe { libc::kill(process, number) };
    }
}

/// Takes note of the ends of all children that have ended.
pub fn reap() {
    // SAFETY: the status is not asked for.
    while unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) } > 0 {}
}

/// Whether somebody asked this process to end.
static ASKED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

extern "C" fn note(_: libc::c_int) {
    ASKED.store(true, std::sync::atomic::Ordering::Relaxed);
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
pub fn is_asked() -> bool {
    ASKED.load(std::sync::atomic::Ordering::Relaxed)
}

/// Waits until something can be read, or the other side is gone. No, if this process was asked to
/// end.
pub fn waits_for(file: std::os::fd::RawFd) -> bool {
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
