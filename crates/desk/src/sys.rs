//! What std does not have of Unix: two directories that change places, orphans that come to us,
//! process groups by number. `sys_elsewhere.rs` is its twin.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Has two directories change places in one step.
///
/// # Errors
/// If the file system cannot do that, or one is not there.
#[cfg(target_os = "linux")]
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    let text = |path: &Path| CString::new(path.as_os_str().as_bytes());
    let (one, other) = (text(one)?, text(other)?);
    let here = libc::AT_FDCWD;
    // SAFETY: both are texts with an end, and stay alive through the call.
    let result = unsafe {
        let flags = libc::RENAME_EXCHANGE;
        libc::renameat2(here, one.as_ptr(), here, other.as_ptr(), flags)
    };
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
