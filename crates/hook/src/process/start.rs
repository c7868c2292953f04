//! What std's start does for a program and `main` without it must do itself.

use std::ffi::{CStr, c_char};

/// Most words of the command line that are looked at.
const WORDS_MAX: usize = 2;

/// The words of the command line after the program's name; what is not UTF-8 is replaced.
///
/// # Safety
/// The arguments are those of a C `main`: `count` pointers to texts that end in NUL.
#[must_use]
pub unsafe fn words(count: i32, words: *const *const c_char) -> Vec<String> {
    let count = usize::try_from(count).unwrap_or_default();
    let word = |at: usize| {
        // SAFETY: as the caller promises; `at` is below the count.
        let text = unsafe { CStr::from_ptr(*words.add(at)) };
        text.to_string_lossy().into_owned()
    };
    (1..count).take(WORDS_MAX).map(word).collect()
}

/// Puts the null device in the place of standard streams that are closed: what is opened later
/// must not be taken for one of them.
pub fn open_streams() {
    let stream = |fd| libc::pollfd {
        fd,
        events: 0,
        revents: 0,
    };
    let mut streams = [stream(0), stream(1), stream(2)];
    // SAFETY: the array is valid and its length is right; the path ends in NUL.
    unsafe {
        libc::poll(streams.as_mut_ptr(), 3, 0);
        for stream in streams
            .iter()
            .filter(|stream| stream.revents & libc::POLLNVAL != 0)
        {
            // The lowest free number is the one that was closed.
            if libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) != stream.fd {
                libc::_exit(2);
            }
        }
    }
}
