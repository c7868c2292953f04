//! `tollgate-hook HOST EVENT`: one event on stdin, one answer on stdout.
//!
//! Where there is a C start, std's own is left out: what it prepares (threads, a guard below the
//! stack, a handler for it) takes a sixth of the life of an empty process, and the hook arms
//! itself against all that breaks.

#![cfg_attr(unix, no_main)]

use hook::process::heap::Heap;

#[global_allocator]
static HEAP: Heap = Heap::new();

/// What the static C library does slowly, under the names by which all code calls it.
#[cfg(all(target_env = "musl", target_arch = "x86_64", not(debug_assertions)))]
mod in_place_of_libc {
    use hook::process::memory;

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcpy(into: *mut u8, from: *const u8, count: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { memory::copy(into, from, count) };
        into
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memmove(into: *mut u8, from: *const u8, count: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { memory::copy_within(into, from, count) };
        into
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, count: usize) -> i32 {
        // SAFETY: as the caller promises.
        unsafe { memory::compare(left, right, count) }
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn bcmp(left: *const u8, right: *const u8, count: usize) -> i32 {
        // SAFETY: as the caller promises.
        unsafe { memory::compare(left, right, count) }
    }
}

#[cfg(unix)]
#[unsafe(no_mangle)]
extern "C" fn main(count: i32, words: *const *const std::ffi::c_char) -> i32 {
    HEAP.claim();
    store::hardened::begin(None);
    // SAFETY: they are what the system passes to the start of a program.
    let words = unsafe { hook::process::start::words(count, words) };
    hook::process::start::open_streams();
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
