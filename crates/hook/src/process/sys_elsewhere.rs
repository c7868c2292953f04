//! The twin of `sys.rs` for systems without Unix signals: a thread is the alarm, and panics are
//! the only breakage that is noticed.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
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
    #[expect(dead_code, reason = "there are no signals here to call it")]
    /// A fatal signal.
    pub fatal: extern "C" fn(i32),
    /// The alarm.
    pub late: extern "C" fn(i32),
}

/// Counts alarms, so that an old one knows that it was replaced.
static ALARM: AtomicU64 = AtomicU64::new(0);
static HANDLERS: std::sync::OnceLock<Handlers> = std::sync::OnceLock::new();

/// Has the handlers called.
pub fn arm(handlers: Handlers) {
    HANDLERS.get_or_init(|| handlers);
}

/// No address space of our own: the system's allocator is used.
pub fn address_space(_bytes: usize) -> Option<*mut u8> {
    None
}

/// There are no handlers here that have a stack of their own.
pub fn guard_handlers() {}

/// Sets the alarm, and again every `every` from then on. Replaces the alarm that was set.
pub fn alarm(after: Duration, every: Duration) {
    let number = ALARM.fetch_add(1, Ordering::SeqCst) + 1;
    std::thread::spawn(move || {
        std::thread::sleep(after);
        while ALARM.load(Ordering::SeqCst) == number {
            if let Some(handlers) = HANDLERS.get() {
                (handlers.late)(0);
            }
            std::thread::sleep(every);
        }
    });
}

/// Writes it all. Whether it arrived.
pub fn write_all(stream: Stream, bytes: &[u8]) -> bool {
    let written = match stream {
        Stream::Out => std::io::stdout()
            .write_all(bytes)
            .and_then(|()| std::io::stdout().flush()),
        Stream::Err => std::io::stderr().write_all(bytes),
    };
    bytes.is_empty() || written.is_ok()
}

/// How many bytes wait on standard input; 0 where the system does not say.
pub fn waiting() -> usize {
    0
}

/// Appends standard input, up to `bytes_max` in all.
///
/// # Errors
/// If it cannot be read, or there is no memory for it.
pub fn read_input(
    bytes: &mut Vec<u8>,
    bytes_max: usize,
    _is_late: fn() -> bool,
) -> std::io::Result<()> {
    std::io::stdin()
        .lock()
        .take(bytes_max as u64)
        .read_to_end(bytes)
        .map(drop)
}

/// Whether anybody may be listening to standard output; not known here.
pub fn is_heard() -> bool {
    true
}

/// Ends the process without running anything else.
pub fn exit(code: i32) -> ! {
    std::process::exit(code)
}
