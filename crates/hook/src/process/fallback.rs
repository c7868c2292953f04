//! The answer that is given when everything else fails (law 7).
//!
//! Three things may give it: the panic hook, the deadline alarm, and the handler of fatal signals
//! on its own stack. As soon as the event is known, so is what to say; it is put into the host's
//! words only where it is needed, in memory that is kept for that. Until the event is known, and
//! if putting it into words breaks too, fixed words stand in. A reply that rests on more than the
//! event is [`set`] in words. Whoever speaks first ends the process; nobody speaks twice.

use std::cell::UnsafeCell;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

use super::heap;
use super::sys::{self, Handlers, Stream};
use edge::fallback::{Cause, Fallback, Response, Unspoken};

/// Longest stream that is kept, in bytes; longer ones are cut by whoever renders them.
pub const STREAM_BYTES_MAX: usize = 8192;

/// How long an answer that is being written may take beyond the deadline.
const WRITE_TIME_MAX: Duration = Duration::from_millis(250);

/// The exit status that every host takes for "no".
const REFUSED: i32 = 2;

/// Said for each cause if it strikes before the event is known.
const UNPREPARED: [&str; 2] = [
    "tollgate fault, not a policy decision: the gate broke before it knew the call. \
     This call was not let through. Next: run tollgate doctor. [fault/gate]\n",
    "tollgate fault, not a policy decision: the call did not arrive in time. \
     This call was not let through. Next: repeat the call. [fault/time]\n",
];

/// How the part that judges tells us what to say.
pub const FALLBACK: Fallback = Fallback {
    prepare,
    set,
    deadline,
    ends: true,
};

/// The exit status, and the one if the streams do not arrive: a refusal must not turn into
/// silence, and lost advice must not turn into a refusal.
fn codes(response: &Response) -> [i32; 2] {
    let code = response.reply.code;
    let if_lost = if response.refuses { REFUSED } else { code };
    let is_lost = if_lost != code && !sys::is_heard();
    [if is_lost { if_lost } else { code }, if_lost]
}

/// Bytes of both streams of both replies, one after the other: written densely, since every page
/// that is touched costs a microsecond; aligned, so that they begin on a page of their own.
#[repr(align(4096))]
struct ReplyBuffer(UnsafeCell<[u8; REPLY_BUFFER_BYTES]>);

/// Room for two streams of two replies.
const REPLY_BUFFER_BYTES: usize = 4 * STREAM_BYTES_MAX;

// SAFETY: it is written by the one thread of this process and read by a handler that ends the
// process, and only within a span of `Span`, which is stored after the bytes.
unsafe impl Sync for ReplyBuffer {}

static REPLY_BUFFER: ReplyBuffer = ReplyBuffer(UnsafeCell::new([0; REPLY_BUFFER_BYTES]));
static REPLY_BUFFER_LENGTH: AtomicUsize = AtomicUsize::new(0);

/// Where a stream is kept, which handlers can read at any moment.
struct Span {
    begin: AtomicUsize,
    length: AtomicUsize,
}

impl Span {
    const fn new() -> Self {
        Self {
            begin: AtomicUsize::new(0),
            length: AtomicUsize::new(0),
        }
    }

    /// Keeps a stream, where there is room for what fits.
    fn set(&self, bytes: &[u8]) {
        self.length.store(0, Ordering::SeqCst);
        let begin = REPLY_BUFFER_LENGTH.load(Ordering::SeqCst);
        let room = REPLY_BUFFER_BYTES
            .saturating_sub(begin)
            .min(STREAM_BYTES_MAX);
        let count = bytes.len().min(room);
        // SAFETY: `begin + count` is within the buffer, the two do not overlap, and no span that a
        // handler reads reaches beyond `begin`.
        unsafe {
            let kept = REPLY_BUFFER.0.get().cast::<u8>().add(begin);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), kept, count);
        }
        self.begin.store(begin, Ordering::SeqCst);
        self.length.store(count, Ordering::SeqCst);
        REPLY_BUFFER_LENGTH.store(begin + count, Ordering::SeqCst);
    }

    fn get(&self) -> &[u8] {
        let begin = self.begin.load(Ordering::SeqCst);
        let length = self.length.load(Ordering::SeqCst);
        // SAFETY: these bytes are written and never change.
        unsafe { std::slice::from_raw_parts(REPLY_BUFFER.0.get().cast::<u8>().add(begin), length) }
    }
}

/// All zeros until it is set, so that it costs no page of the program's file.
struct Slot {
    stdout: Span,
    stderr: Span,
    code: AtomicI32,
    code_if_lost: AtomicI32,
    is_set: AtomicBool,
}

impl Slot {
    const fn new() -> Self {
        Self {
            stdout: Span::new(),
            stderr: Span::new(),
            code: AtomicI32::new(0),
            code_if_lost: AtomicI32::new(0),
            is_set: AtomicBool::new(false),
        }
    }
}

static SLOTS: [Slot; 2] = [Slot::new(), Slot::new()];
/// What is to be put into words where nothing is set; never freed.
static PREPARED: AtomicPtr<Unspoken> = AtomicPtr::new(ptr::null_mut());
static IS_PUT_INTO_WORDS: AtomicBool = AtomicBool::new(false);
static REFUSES_BY_DEFAULT: AtomicBool = AtomicBool::new(true);
static SPOKEN: AtomicBool = AtomicBool::new(false);
static CODE_IF_LOST: AtomicI32 = AtomicI32::new(REFUSED);
static IS_READING: AtomicBool = AtomicBool::new(false);
static IS_LATE: AtomicBool = AtomicBool::new(false);
static CALLED_AGAIN: AtomicBool = AtomicBool::new(false);

/// Says whether to refuse or to be silent if things go wrong before a reply is [`set`].
pub fn refuse_by_default(refuses: bool) {
    REFUSES_BY_DEFAULT.store(refuses, Ordering::SeqCst);
}

/// Makes what fits an event the answer to give if things go wrong, unless another is [`set`].
pub fn prepare(unspoken: Unspoken) {
    PREPARED.store(Box::into_raw(Box::new(unspoken)), Ordering::SeqCst);
}

/// Makes a reply the one to give if things go wrong in this way.
pub fn set(cause: Cause, response: &Response) {
    let Some(slot) = SLOTS.get(cause as usize) else {
        return;
    };
    slot.stdout.set(&response.reply.stdout);
    slot.stderr.set(&response.reply.stderr);
    let [code, code_if_lost] = codes(response);
    slot.code.store(code, Ordering::SeqCst);
    slot.code_if_lost.store(code_if_lost, Ordering::SeqCst);
    slot.is_set.store(true, Ordering::SeqCst);
}

/// Lets panics, fatal signals and the alarm speak the replies that are set.
pub fn arm() {
    std::panic::set_hook(Box::new(|_| speak(Cause::Broken)));
    sys::arm(Handlers {
        fatal: on_fatal,
        late: on_late,
    });
}

/// Reads standard input whole, within a time: who waits for an answer gets one though the input has
/// no end. Where nothing has come at all, whoever calls is slow, as on a machine with much to do,
/// and has twice the time besides.
///
/// # Errors
/// If it cannot be read, there is no memory for it, or the time is over.
pub fn read_input(bytes: &mut Vec<u8>, bytes_max: usize, within: Duration) -> io::Result<()> {
    IS_READING.store(true, Ordering::SeqCst);
    deadline(within);
    let is_late = || IS_LATE.load(Ordering::SeqCst);
    let mut read = sys::read_input(bytes, bytes_max, is_late);
    let is_timeout = |error: &io::Error| error.kind() == io::ErrorKind::TimedOut;
    if bytes.is_empty() && read.as_ref().is_err_and(is_timeout) {
        IS_LATE.store(false, Ordering::SeqCst);
        deadline(within * 2);
        read = sys::read_input(bytes, bytes_max, is_late);
    }
    IS_READING.store(false, Ordering::SeqCst);
    read
}

/// How many bytes of the payload wait already; 0 if nobody knows.
pub fn waiting() -> usize {
    sys::waiting()
}

/// Sets the alarm. A new deadline replaces the old one.
pub fn deadline(after: Duration) {
    sys::alarm(after, WRITE_TIME_MAX);
}

extern "C" fn on_fatal(_signal: i32) {
    speak(Cause::Broken);
}

extern "C" fn on_late(_signal: i32) {
    // Reading is interrupted, and what reads has an answer; else the next alarm comes soon.
    if IS_READING.load(Ordering::SeqCst) && !IS_LATE.swap(true, Ordering::SeqCst) {
        return;
    }
    if !SPOKEN.load(Ordering::SeqCst) {
        speak(Cause::Late);
    }
    // An answer that is being written is the better one, for as long as somebody takes it.
    if CALLED_AGAIN.swap(true, Ordering::SeqCst) {
        sys::exit(CODE_IF_LOST.load(Ordering::SeqCst));
    }
}

/// Gives the reply set for this cause and ends the process.
fn speak(cause: Cause) -> ! {
    let [broken, late] = &SLOTS;
    let [unprepared_broken, unprepared_late] = UNPREPARED;
    let (slot, unprepared) = match cause {
        Cause::Broken => (broken, unprepared_broken),
        Cause::Late => (late, unprepared_late),
    };
    if slot.is_set.load(Ordering::SeqCst) {
        let codes = [&slot.code, &slot.code_if_lost].map(|code| code.load(Ordering::SeqCst));
        say(slot.stdout.get(), slot.stderr.get(), codes);
    }
    if let Some(response) = prepared(cause) {
        answer(&response);
    }
    if REFUSES_BY_DEFAULT.load(Ordering::SeqCst) {
        say(&[], unprepared.as_bytes(), [REFUSED; 2]);
    }
    say(&[], &[], [0; 2])
}

/// What was prepared, in words; nothing before the event is known, and nothing where putting it
/// into words is what broke.
fn prepared(cause: Cause) -> Option<Response> {
    // SAFETY: it is null or what `prepare` left there, which is never freed.
    let unspoken = unsafe { PREPARED.load(Ordering::SeqCst).as_ref() }?;
    if IS_PUT_INTO_WORDS.swap(true, Ordering::SeqCst) {
        return None;
    }
    heap::start_over();
    sys::guard_handlers();
    Some(unspoken.response(cause))
}

/// Gives a reply and ends the process. Nothing may print before or after.
pub fn answer(response: &Response) -> ! {
    say(
        &response.reply.stdout,
        &response.reply.stderr,
        codes(response),
    )
}

/// The one place that prints. The second who comes here finds the first at it, or broken by it.
fn say(stdout: &[u8], stderr: &[u8], [code, code_if_lost]: [i32; 2]) -> ! {
    if SPOKEN.swap(true, Ordering::SeqCst) {
        sys::exit(CODE_IF_LOST.load(Ordering::SeqCst));
    }
    CODE_IF_LOST.store(code_if_lost, Ordering::SeqCst);
    let delivered = sys::write_all(Stream::Out, stdout);
    sys::write_all(Stream::Err, stderr);
    sys::exit(if delivered { code } else { code_if_lost })
}
