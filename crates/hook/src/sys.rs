//! System calls that std does not have, for Unix: signals, the timer, plain writes, ending at once.
//! What a signal handler may call is here and touches no heap. `sys_elsewhere.rs` is its twin.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char};
use std::fs::File;
use std::io::{self, Read};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::time::Duration;

/// A stream of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out = 1,
    /// Standard error.
    Err = 2,
}

/// What is told to the handlers of [`arm`].
#[derive(Debug, Clone, Copy)]
pub struct Handlers {
    /// A fatal signal. Must not return.
    pub fatal: extern "C" fn(i32),
    /// The alarm, or somebody wants us to end.
    pub late: extern "C" fn(i32),
}

/// Signals that say that we broke.
const FATAL: &[libc::c_int] = &[
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGABRT,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGSYS,
];

/// Signals that say that there is no time left.
const LATE: &[libc::c_int] = &[
    libc::SIGALRM,
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGHUP,
    libc::SIGXCPU,
];

/// Signals that the failing call itself reports better.
const NOISE: &[libc::c_int] = &[libc::SIGPIPE, libc::SIGXFSZ];

/// Stack of the signal handlers, in bytes.
const HANDLER_STACK_BYTES: usize = 64 * 1024;

/// Longest wait for room in a stream that does not block, in milliseconds.
const ROOM_WAIT_MS: libc::c_int = 50;

struct HandlerStack(UnsafeCell<[u8; HANDLER_STACK_BYTES]>);

// SAFETY: only the kernel writes it, and only while a handler runs.
unsafe impl Sync for HandlerStack {}

/// Static, so that no failed allocation keeps the handlers from having it.
static HANDLER_STACK: HandlerStack = HandlerStack(UnsafeCell::new([0; HANDLER_STACK_BYTES]));

/// Has the handlers called, on a stack of their own.
pub fn arm(handlers: Handlers) {
    // SAFETY: the stack lives for ever; the structures are zeroed and then filled as the system
    // interface demands; what the handlers may do is their owner's promise.
    unsafe {
        let alternate = libc::stack_t {
            ss_sp: HANDLER_STACK.0.get().cast(),
            ss_flags: 0,
            ss_size: HANDLER_STACK_BYTES,
        };
        libc::sigaltstack(&raw const alternate, std::ptr::null_mut());
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_flags = libc::SA_ONSTACK;
        let all = [
            (FATAL, handlers.fatal),
            (LATE, handlers.late),
            (NOISE, ignored),
        ];
        for (signals, handler) in all {
            action.sa_sigaction = handler as *const () as usize;
            for signal in signals {
                libc::sigaction(*signal, &raw const action, std::ptr::null_mut());
            }
        }
        // Whoever started us may have blocked what must wake us.
        libc::sigprocmask(
            libc::SIG_SETMASK,
            &raw const action.sa_mask,
            std::ptr::null_mut(),
        );
    }
}

extern "C" fn ignored(_signal: i32) {}

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

/// Address space of our own, zeroed when it is touched.
pub fn address_space(bytes: usize) -> Option<*mut u8> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new map, which touches no memory that is in use.
    let space = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, kind, -1, 0) };
    (space != libc::MAP_FAILED).then_some(space.cast())
}

/// Sets the alarm, and again every `every` from then on. Replaces the alarm that was set.
pub fn alarm(after: Duration, every: Duration) {
    let time = |duration: Duration| libc::timeval {
        tv_sec: duration.as_secs().try_into().unwrap_or_default(),
        tv_usec: duration.subsec_micros().cast_signed().into(),
    };
    let timer = libc::itimerval {
        it_interval: time(every),
        it_value: time(after),
    };
    // SAFETY: plain system call with a valid structure.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut()) };
}

/// Writes it all, retrying after interruptions. Whether it arrived. Safe in a handler.
pub fn write_all(stream: Stream, bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        // SAFETY: the range is a live slice.
        let count = unsafe { libc::write(stream as libc::c_int, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(count) {
            Ok(0) => return false,
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(_) if !try_again(stream) => return false,
            Err(_) => {}
        }
    }
    true
}

/// Whether the failed write may succeed now.
fn try_again(stream: Stream) -> bool {
    match std::io::Error::last_os_error().raw_os_error() {
        Some(libc::EINTR) => true,
        Some(libc::EAGAIN) => {
            let mut room = libc::pollfd {
                fd: stream as libc::c_int,
                events: libc::POLLOUT,
                revents: 0,
            };
            // SAFETY: the pointer is to one valid `pollfd`.
            unsafe { libc::poll(&raw mut room, 1, ROOM_WAIT_MS) };
            true
        }
        _ => false,
    }
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

/// Appends standard input, up to `bytes_max` in all.
///
/// # Errors
/// If it cannot be read, or there is no memory for it.
pub fn read_input(bytes: &mut Vec<u8>, bytes_max: usize) -> io::Result<()> {
    // SAFETY: the descriptor is not closed, since the file is never dropped.
    let input = ManuallyDrop::new(unsafe { File::from_raw_fd(0) });
    let mut input = (&*input).take(bytes_max as u64);
    input.read_to_end(bytes).map(drop)
}

/// Whether anybody may be listening to standard output: std opens the null device in the place of
/// a stream that was closed.
pub fn is_heard() -> bool {
    // SAFETY: `fstat` fills the structure, which is valid as zeros; it is read only on success.
    let look = |path: Option<&CStr>| unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        let failed = match path {
            Some(path) => libc::stat(path.as_ptr(), &raw mut stat),
            None => libc::fstat(Stream::Out as libc::c_int, &raw mut stat),
        };
        (failed == 0).then_some(stat.st_rdev)
    };
    look(None).is_some_and(|device| device == 0 || Some(device) != look(Some(c"/dev/null")))
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

/// Ends the process without running anything else. Safe in a handler.
pub fn exit(code: i32) -> ! {
    // SAFETY: there is nothing to unwind or flush.
    unsafe { libc::_exit(code) }
}
