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
