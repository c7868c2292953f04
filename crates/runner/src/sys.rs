//! Process groups, for Unix. `sys_elsewhere.rs` is its twin.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// Has a command begin a process group.
pub fn own_group(command: &mut Command) {
    command.process_group(0);
}

/// Whether a child has ended. It stays to be waited for, so that its number is not given away.
pub fn has_ended(child: &Child) -> bool {
    // SAFETY: all zero is a valid `siginfo_t`.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: `info` is a valid place for the answer.
    let result = unsafe { libc::waitid(libc::P_PID, child.id(), &raw mut info, options) };
    // SAFETY: the call filled it in, or left it zero.
    result != 0 || unsafe { info.si_pid() } != 0
}

/// Asks a child and its group to end.
pub fn ask_group_to_end(child: &Child) {
    signal(child, libc::SIGTERM);
}

/// Ends a child and its group.
pub fn end_group(child: &Child) {
    signal(child, libc::SIGKILL);
}

fn signal(child: &Child, signal: libc::c_int) {
    if let Ok(group) = libc::pid_t::try_from(child.id()) {
        // SAFETY: no memory is touched. The child was not waited for, so its number, which is also
        // the group's, cannot have been given to another process.
        unsafe { libc::kill(-group, signal) };
    }
}
