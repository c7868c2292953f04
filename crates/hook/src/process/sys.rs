//! System calls that std does not have, for Unix: signals, the timer, plain writes, ending at once.
//! What a signal handler may call is here and touches no heap. `sys_elsewhere.rs` is its twin.

use std::cell::UnsafeCell;
use std::ffi::CStr;
use std::io;
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

/// Room for what is read when there is none, in bytes.
const READ_BYTES_MIN: usize = 4 * 1024;

/// Longest wait for room in a stream that does not block, in milliseconds.
const ROOM_WAIT_MS: libc::c_int = 50;

/// What lies below that stack and can be closed, in bytes: a page, most often.
const GUARD_BYTES: usize = 4 * 1024;

#[repr(align(4096))]
struct HandlerStack(UnsafeCell<[u8; GUARD_BYTES + HANDLER_STACK_BYTES]>);

// SAFETY: only the kernel writes it, and only while a handler runs.
unsafe impl Sync for HandlerStack {}

/// Static, so that no failed allocation keeps the handlers from having it.
static HANDLER_STACK: HandlerStack =
    HandlerStack(UnsafeCell::new([0; GUARD_BYTES + HANDLER_STACK_BYTES]));

/// Has the handlers called, on a stack of their own.
pub fn arm(handlers: Handlers) {
    // SAFETY: the stack lives for ever; the structures are zeroed and then filled as the system
    // interface demands; what the handlers may do is their owner's promise.
    unsafe {
        let alternate = libc::stack_t {
            ss_sp: HANDLER_STACK.0.get().byte_add(GUARD_BYTES).cast(),
            ss_flags: 0,
            ss_size: HANDLER_STACK_BYTES,
        };
        libc::sigaltstack(&raw const alternate, std::ptr::null_mut());
        let mut action: libc::sigaction = std::mem::zeroed();
        // Whatever breaks in a handler has to be answered as well.
        action.sa_flags = libc::SA_ONSTACK | libc::SA_NODEFER;
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

/// Has a handler that needs more than its stack break instead of writing over what lies below; the
/// next one begins at the top again. Where pages are larger, it changes nothing.
pub fn guard_handlers() {
    // SAFETY: nothing is kept there.
    unsafe { libc::mprotect(HANDLER_STACK.0.get().cast(), GUARD_BYTES, libc::PROT_NONE) };
}

extern "C" fn ignored(_signal: i32) {}

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

/// How many bytes wait on standard input; 0 where the system does not say.
pub fn waiting() -> usize {
    let mut count: libc::c_int = 0;
    // SAFETY: the call writes one number, into `count`.
    let told = unsafe { libc::ioctl(libc::STDIN_FILENO, libc::FIONREAD, &raw mut count) };
    match told {
        0 => usize::try_from(count).unwrap_or(0),
        _ => 0,
    }
}

/// Appends standard input, up to `bytes_max` in all. `is_late` is asked whenever a signal came in
/// between.
///
/// # Errors
/// If it cannot be read, there is no memory for it, or it is late.
pub fn read_input(bytes: &mut Vec<u8>, bytes_max: usize, is_late: fn() -> bool) -> io::Result<()> {
    while bytes.len() < bytes_max {
        if bytes.capacity() == bytes.len() {
            bytes.try_reserve(bytes.len().max(READ_BYTES_MIN))?;
        }
        let room = bytes.capacity().min(bytes_max) - bytes.len();
        // SAFETY: so much room is behind what is there, and only what was read is kept.
        let count = unsafe {
            let end = bytes.as_mut_ptr().add(bytes.len());
            libc::read(0, end.cast(), room)
        };
        match usize::try_from(count) {
            Ok(0) => break,
            // SAFETY: the system has written these.
            Ok(count) => unsafe { bytes.set_len(bytes.len() + count) },
            Err(_) => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
                if is_late() {
                    return Err(io::ErrorKind::TimedOut.into());
                }
            }
        }
    }
    Ok(())
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

/// Ends the process without running anything else. Safe in a handler.
pub fn exit(code: i32) -> ! {
    // SAFETY: there is nothing to unwind or flush.
    unsafe { libc::_exit(code) }
}
