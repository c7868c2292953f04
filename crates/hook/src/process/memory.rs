//! Copying and comparing bytes: the functions of the C library that we call most, by far for a few
//! bytes only. The static library's are made for long ones: starting `rep movs` takes longer
//! than all of a short copy, and its comparison looks at one byte at a time.
//!
//! `main` puts these in their place. Nothing here may be written as the loop that a compiler would
//! turn into a call of itself.

use std::arch::asm;
use std::ptr;

/// Copies the first and the last bytes of a range, which may overlap, as two numbers.
macro_rules! copy_ends {
    ($number:ty, $to:ident, $from:ident, $count:ident) => {{
        let last = $count - size_of::<$number>();
        // SAFETY: the range is at least as long as the number; both ends are read before any is
        // written.
        unsafe {
            let head = ptr::read_unaligned($from.cast::<$number>());
            let tail = ptr::read_unaligned($from.add(last).cast::<$number>());
            ptr::write_unaligned($to.cast::<$number>(), head);
            ptr::write_unaligned($to.add(last).cast::<$number>(), tail);
        }
    }};
}

/// Longest copy that is not made by a string instruction, in bytes.
const SHORT_BYTES_MAX: usize = 64;

/// Copies at most [`SHORT_BYTES_MAX`] bytes; the ranges may overlap.
///
/// # Safety
/// Both ranges are valid for `count` bytes.
#[inline(always)]
unsafe fn copy_short(into: *mut u8, from: *const u8, count: usize) {
    if count > 32 {
        copy_ends!([u128; 2], into, from, count);
    } else if count >= 16 {
        copy_ends!(u128, into, from, count);
    } else if count >= 8 {
        copy_ends!(u64, into, from, count);
    } else if count >= 4 {
        copy_ends!(u32, into, from, count);
    } else if count >= 2 {
        copy_ends!(u16, into, from, count);
    } else if count == 1 {
        // SAFETY: as the caller promises.
        unsafe { *into = *from }
    }
}

/// Copies bytes from the first to the last.
///
/// # Safety
/// Both ranges are valid for `count` bytes, and `into` does not begin inside `from`.
unsafe fn copy_long(into: *mut u8, from: *const u8, count: usize) {
    // SAFETY: the direction flag is clear, as the calling convention has it.
    unsafe {
        asm!(
            "rep movsb",
            inout("rcx") count => _,
            inout("rdi") into => _,
            inout("rsi") from => _,
            options(nostack, preserves_flags)
        );
    }
}

/// Copies bytes from the last to the first.
///
/// # Safety
/// Both ranges are valid for `count` bytes, and `from` does not begin inside `into`.
unsafe fn copy_back(into: *mut u8, from: *const u8, count: usize) {
    // SAFETY: the direction flag is set only here.
    unsafe {
        asm!(
            "std",
            "rep movsb",
            "cld",
            inout("rcx") count => _,
            inout("rdi") into.wrapping_add(count).wrapping_sub(1) => _,
            inout("rsi") from.wrapping_add(count).wrapping_sub(1) => _,
            options(nostack)
        );
    }
}

/// Copies bytes between ranges that do not overlap: `memcpy` (C11 7.24.2.1).
///
/// # Safety
/// Both ranges are valid for `count` bytes.
#[inline(always)]
pub unsafe fn copy(into: *mut u8, from: *const u8, count: usize) {
    // SAFETY: as the caller promises.
    unsafe {
        if count <= SHORT_BYTES_MAX {
            copy_short(into, from, count);
        } else {
            copy_long(into, from, count);
        }
    }
}

/// Copies bytes between ranges that may overlap: `memmove` (C11 7.24.2.2).
///
/// # Safety
/// Both ranges are valid for `count` bytes.
#[inline(always)]
pub unsafe fn copy_within(into: *mut u8, from: *const u8, count: usize) {
    let begins_inside = into.addr().wrapping_sub(from.addr()) < count;
    // SAFETY: as the caller promises.
    unsafe {
        if count <= SHORT_BYTES_MAX {
            copy_short(into, from, count);
        } else if begins_inside {
            copy_back(into, from, count);
        } else {
            copy_long(into, from, count);
        }
    }
}

/// Compares bytes as unsigned numbers: `memcmp` (C11 7.24.4.1).
///
/// # Safety
/// Both ranges are valid for `count` bytes.
#[inline(always)]
pub unsafe fn compare(left: *const u8, right: *const u8, count: usize) -> i32 {
    let mut at = 0;
    // SAFETY: all reads end at `count` or before.
    unsafe {
        while count - at >= size_of::<u64>() {
            let a = ptr::read_unaligned(left.add(at).cast::<u64>());
            let b = ptr::read_unaligned(right.add(at).cast::<u64>());
            if a != b {
                return if a.to_be() < b.to_be() { -1 } else { 1 };
            }
            at += size_of::<u64>();
        }
        while at < count {
            let (a, b) = (*left.add(at), *right.add(at));
            if a != b {
                return i32::from(a) - i32::from(b);
            }
            at += 1;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_are_copied_whatever_overlaps(
            bytes in prop::collection::vec(any::<u8>(), 1..400),
            (from, to, count) in (any::<usize>(), any::<usize>(), any::<usize>()),
        ) {
            let (from, to) = (from % bytes.len(), to % bytes.len());
            let count = count % (bytes.len() - from.max(to) + 1);
            let mut expected = bytes.clone();
            expected.copy_within(from..from + count, to);
            let mut moved = bytes.clone();
            let start = moved.as_mut_ptr();
            // SAFETY: both ranges are inside the vector.
            unsafe { copy_within(start.add(to), start.add(from), count) };
            prop_assert_eq!(&moved, &expected);
            let mut copied = vec![0; count];
            // SAFETY: both ranges are as long as that.
            unsafe { copy(copied.as_mut_ptr(), bytes.as_ptr().add(from), count) };
            prop_assert_eq!(copied.as_slice(), &bytes[from..from + count]);
        }

        #[test]
        fn bytes_are_compared_as_numbers(
            left in prop::collection::vec(any::<u8>(), 0..60),
            (at, byte) in (any::<usize>(), any::<u8>()),
        ) {
            let mut right = left.clone();
            if let Some(place) = right.get_mut(at % left.len().max(1)) {
                *place = byte;
            }
            // SAFETY: both are as long as that.
            let order = unsafe { compare(left.as_ptr(), right.as_ptr(), left.len()) };
            prop_assert_eq!(order.cmp(&0), left.cmp(&right));
        }
    }
}
