//! The answer that stands ready when everything else fails (law 7).
//!
//! Two replies are rendered into static buffers as soon as the event is known: one for a gate that
//! broke, one for time that ran out. Three things may speak them: the panic hook, the deadline
//! alarm, and the handler of fatal signals on its own stack. None of them allocates. Whoever
//! speaks first ends the process; nobody speaks twice.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::time::Duration;

use hosts::Reply;

/// Longest stream that is kept, in bytes; longer ones are cut by whoever renders them.
pub const STREAM_BYTES_MAX: usize = 8192;

/// Stack of the signal handlers, in bytes.
const HANDLER_STACK_BYTES: usize = 64 * 1024;

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A panic, a stack overflow, a failed allocation.
    Broken = 0,
    /// The deadline passed.
    Late = 1,
}

struct Slot {
    stdout: UnsafeCell<[u8; STREAM_BYTES_MAX]>,
    stdout_len: AtomicUsize,
    stderr: UnsafeCell<[u8; STREAM_BYTES_MAX]>,
    stderr_len: AtomicUsize,
    code: AtomicI32,
}

// SAFETY: a slot is written by the one thread of this process and read by a handler that ends the
// process; the length is stored after the bytes, and set to zero before they change.
unsafe impl Sync for Slot {}

impl Slot {
    const fn new() -> Self {
        Self {
            stdout: UnsafeCell::new([0; STREAM_BYTES_MAX]),
            stdout_len: AtomicUsize::new(0),
            stderr: UnsafeCell::new([0; STREAM_BYTES_MAX]),
            stderr_len: AtomicUsize::new(0),
            code: AtomicI32::new(0),
        }
    }

    fn set(&self, reply: &Reply) {
        fill(&self.stdout, &self.stdout_len, &reply.stdout);
        fill(&self.stderr, &self.stderr_len, &reply.stderr);
        self.code.store(reply.code, Ordering::SeqCst);
    }
}

fn fill(buffer: &UnsafeCell<[u8; STREAM_BYTES_MAX]>, length: &AtomicUsize, bytes: &[u8]) {
    length.store(0, Ordering::SeqCst);
    let count = bytes.len().min(STREAM_BYTES_MAX);
    // SAFETY: `count` is within both buffers, they do not overlap, and no handler reads the bytes
    // while the length is zero.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.get().cast::<u8>(), count) };
    length.store(count, Ordering::SeqCst);
}

static SLOTS: [Slot; 2] = [Slot::new(), Slot::new()];
static SPOKEN: AtomicBool = AtomicBool::new(false);

/// Makes a reply the one to give if things go wrong in this way.
pub fn set(cause: Cause, reply: &Reply) {
    if let Some(slot) = SLOTS.get(cause as usize) {
        slot.set(reply);
    }
}

/// Lets panics, fatal signals and the alarm speak the replies that are set.
pub fn arm() {
    std::panic::set_hook(Box::new(|_| speak(Cause::Broken)));
    let stack = Box::leak(vec![0u8; HANDLER_STACK_BYTES].into_boxed_slice());
    // SAFETY: the stack lives for ever; the structures are zeroed and then filled as the system
    // interface demands; the handlers only touch statics, `write` and `_exit`.
    unsafe {
        let alternate = libc::stack_t {
            ss_sp: stack.as_mut_ptr().cast(),
            ss_flags: 0,
            ss_size: HANDLER_STACK_BYTES,
        };
        libc::sigaltstack(&raw const alternate, std::ptr::null_mut());
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_flags = libc::SA_ONSTACK;
        action.sa_sigaction = on_fatal as *const () as usize;
        for signal in [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGILL, libc::SIGFPE] {
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
        action.sa_sigaction = on_alarm as *const () as usize;
        libc::sigaction(libc::SIGALRM, &raw const action, std::ptr::null_mut());
    }
}

/// Sets the alarm. A new deadline replaces the old one.
pub fn deadline(after: Duration) {
    let timer = libc::itimerval {
        it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 },
        it_value: libc::timeval {
            tv_sec: after.as_secs() as libc::time_t,
            tv_usec: libc::suseconds_t::from(after.subsec_micros() as i32),
        },
    };
    // SAFETY: plain system call with a valid structure.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut()) };
}

extern "C" fn on_fatal(_signal: libc::c_int) {
    speak(Cause::Broken);
}

extern "C" fn on_alarm(_signal: libc::c_int) {
    // An answer that is being written already is the better one.
    if !SPOKEN.load(Ordering::SeqCst) {
        speak(Cause::Late);
    }
}

/// Gives the reply set for this cause and ends the process.
fn speak(cause: Cause) -> ! {
    let slot = match cause {
        Cause::Broken => &SLOTS[0],
        Cause::Late => &SLOTS[1],
    };
    let first = !SPOKEN.swap(true, Ordering::SeqCst);
    let code = slot.code.load(Ordering::SeqCst);
    if first {
        let out = slot.stdout_len.load(Ordering::SeqCst);
        let err = slot.stderr_len.load(Ordering::SeqCst);
        // SAFETY: the lengths never exceed the buffers.
        unsafe {
            write_all(2, slot.stderr.get().cast::<u8>(), err);
            write_all(1, slot.stdout.get().cast::<u8>(), out);
        }
    }
    // SAFETY: ends the process without running anything else.
    unsafe { libc::_exit(code) }
}

/// Gives a reply and ends the process. Nothing may print before or after.
pub fn answer(reply: &Reply) -> ! {
    let first = !SPOKEN.swap(true, Ordering::SeqCst);
    let mut delivered = true;
    if first {
        // SAFETY: pointers and lengths belong to live vectors.
        unsafe {
            write_all(2, reply.stderr.as_ptr(), reply.stderr.len());
            delivered = write_all(1, reply.stdout.as_ptr(), reply.stdout.len());
        }
    }
    // A closed stdout must not turn a refusal into silence: exit 2 speaks through stderr.
    let code = if delivered { reply.code } else { 2 };
    // SAFETY: ends the process; there is nothing to unwind or flush.
    unsafe { libc::_exit(code) }
}

/// Writes it all, retrying after interruptions. Whether it arrived.
///
/// # Safety
/// `bytes` must point to `length` readable bytes.
unsafe fn write_all(file: libc::c_int, bytes: *const u8, length: usize) -> bool {
    let mut done = 0;
    while done < length {
        // SAFETY: the caller vouches for the range; `done` stays within it.
        let count = unsafe { libc::write(file, bytes.add(done).cast(), length - done) };
        match usize::try_from(count) {
            Ok(0) => return false,
            Ok(count) => done += count,
            Err(_) if interrupted() => {}
            Err(_) => return false,
        }
    }
    true
}

fn interrupted() -> bool {
    std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
}
