//! System calls that std does not have, for Unix: clocks, the environment as it was at the start,
//! who is at the other end of standard input, chance. `sys_elsewhere.rs` is its twin.

#[cfg(target_os = "linux")]
use std::ffi::{CStr, c_char};
use std::time::Duration;
#[cfg(not(target_os = "linux"))]
use std::{fs::File, io::Read};

/// Time since the epoch; zero if the clock is wrong.
pub fn since_epoch() -> Duration {
    clock(libc::CLOCK_REALTIME)
}

/// Time since some moment that stays the same as long as the machine runs.
pub fn uptime() -> Duration {
    clock(libc::CLOCK_MONOTONIC)
}

/// Asks the kernel itself: to find its faster answer in the vdso costs a process that asks only a
/// few times more than all those questions.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn clock(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for the answer; on failure it stays zero.
    unsafe { libc::syscall(libc::SYS_clock_gettime, clock, &raw mut time) };
    duration(&time)
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn clock(clock: libc::clockid_t) -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a valid place for the answer; on failure it stays zero.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    duration(&time)
}

fn duration(time: &libc::timespec) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// The variables that this process was started with, each as `NAME=value`.
#[cfg(target_os = "linux")]
pub fn environment() -> impl Iterator<Item = &'static CStr> {
    let mut at = 0;
    std::iter::from_fn(move || {
        // SAFETY: as in `variable`; each entry before the null pointer is a text that ends in NUL.
        unsafe {
            let entry = (!environ.is_null()).then(|| *environ.add(at))?;
            at += 1;
            (!entry.is_null()).then(|| CStr::from_ptr(entry))
        }
    })
}

/// The value of a variable that this process was started with. Looks at no more of each than it
/// needs: there are many.
#[cfg(target_os = "linux")]
pub fn variable(name: &str) -> Option<&'static CStr> {
    let (first, rest) = name.as_bytes().split_first()?;
    if *first == 0 {
        return None;
    }
    let mut at = 0;
    loop {
        // SAFETY: the list ends in a null pointer, which is not passed. Nobody changes it: std's
        // way to do so is unsafe, and no file of ours does.
        let entry = unsafe { (!environ.is_null()).then(|| *environ.add(at))? };
        if entry.is_null() {
            return None;
        }
        at += 1;
        // SAFETY: an entry is a text that ends in NUL and stays as long as the process; `after`
        // passes no NUL.
        unsafe {
            if *entry.cast::<u8>() == *first
                && let Some(value) = after(entry.add(1), rest)
            {
                return Some(CStr::from_ptr(value));
            }
        }
    }
}

/// What follows a name and `=`, if a text begins with both.
///
/// # Safety
/// The text ends in NUL.
#[cfg(target_os = "linux")]
unsafe fn after(mut text: *const c_char, name: &[u8]) -> Option<*const c_char> {
    for byte in name.iter().chain(b"=") {
        // SAFETY: whatever was compared so far was no NUL, so the text goes on.
        unsafe {
            if *byte == 0 || *text.cast::<u8>() != *byte {
                return None;
            }
            text = text.add(1);
        }
    }
    Some(text)
}

#[cfg(target_os = "linux")]
unsafe extern "C" {
    static environ: *const *const c_char;
}

/// How far the clocks here are ahead of Greenwich at a time in seconds since 1970, in seconds.
pub fn zone(seconds: u64) -> i64 {
    let Ok(time) = seconds.try_into() else {
        return 0;
    };
    let mut parts = std::mem::MaybeUninit::<libc::tm>::zeroed();
    // SAFETY: both places are valid for the call, and zeros are a valid `tm`.
    let parts = unsafe {
        libc::localtime_r(&raw const time, parts.as_mut_ptr());
        parts.assume_init()
    };
    #[allow(
        clippy::useless_conversion,
        reason = "a `long` is shorter on some machines"
    )]
    i64::from(parts.tm_gmtoff)
}

/// The number of the process that started this one.
pub fn parent() -> u64 {
    std::os::unix::process::parent_id().into()
}

/// The process that made the socket which is our standard input; nothing if it is none, or of
/// another machine or container.
#[cfg(target_os = "linux")]
pub fn peer_of_input() -> Option<u64> {
    let mut peer = libc::ucred {
        pid: 0,
        uid: 0,
        gid: 0,
    };
    let mut length = libc::socklen_t::try_from(size_of::<libc::ucred>()).ok()?;
    // SAFETY: the structure is valid and its length is right; on failure nothing is written.
    let failed = unsafe {
        libc::getsockopt(
            0,
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut peer).cast(),
            &raw mut length,
        )
    };
    let number = u64::try_from(peer.pid).ok();
    number.filter(|number| failed == 0 && *number > 0)
}

/// Not shown, or not tried here.
#[cfg(not(target_os = "linux"))]
pub fn peer_of_input() -> Option<u64> {
    None
}

/// Whether our standard input is a pipe.
pub fn input_is_pipe() -> bool {
    // SAFETY: `fstat` fills the structure, which is valid as zeros; it is read only on success.
    let mode = unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        (libc::fstat(0, &raw mut stat) == 0).then_some(stat.st_mode)
    };
    mode.is_some_and(|mode| mode & libc::S_IFMT == libc::S_IFIFO)
}

/// Bytes that nobody can guess; nothing where the system gives none.
#[cfg(target_os = "linux")]
pub fn random() -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    // SAFETY: the range is a live array.
    let count = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    (usize::try_from(count) == Ok(bytes.len())).then_some(bytes)
}

/// Bytes that nobody can guess; nothing where the system gives none.
#[cfg(not(target_os = "linux"))]
pub fn random() -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    let mut source = File::open("/dev/urandom").ok()?;
    source.read_exact(&mut bytes).ok()?;
    Some(bytes)
}
