//! `tollgate-hook HOST EVENT`: one event on stdin, one answer on stdout.
//!
//! Where there is a C start, std's own is left out: what it prepares (threads, a guard below the
//! stack, a handler for it) takes a sixth of the life of an empty process, and the hook arms
//! itself against all that breaks.

#![cfg_attr(unix, no_main)]

use hook::heap::Heap;

#[global_allocator]
static HEAP: Heap = Heap::new();

#[cfg(unix)]
#[unsafe(no_mangle)]
extern "C" fn main(count: i32, words: *const *const std::ffi::c_char) -> i32 {
    // SAFETY: they are what the system passes to the start of a program.
    let words = unsafe { hook::start::words(count, words) };
    hook::start::open_streams();
    hook::run(&words)
}

#[cfg(not(unix))]
fn main() {
    let words: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    hook::run(&words)
}
