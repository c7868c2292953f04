//! The nouns of Tollgate: what a host told us, what a call would do, what we know about the
//! world, and what the gates said about it.
//!
//! This crate has no dependencies and does no I/O. It knows nothing of wire formats (`hosts`
//! does), of files (`store` and the edge do), or of any rule (`rules` and `gates` do).
//! Paths are text: a byte that is not UTF-8 was replaced before it got here, and the word that
//! held it is [`Certainty::Unknown`].

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods))]
#![cfg_attr(not(test), forbid(clippy::disallowed_types))]
#![cfg_attr(not(test), forbid(clippy::disallowed_macros))]

mod action;
mod call;
mod command_line;
mod ending;
mod environment;
mod event;
mod fact;
mod finding;
mod foreseen;
mod grant;
mod guide;
mod helper;
mod mode;
mod own;
mod past;
mod patch;
mod place;
mod plan;
mod record;
pub mod section;
mod simple_command;
mod sum;

pub use action::*;
pub use call::*;
pub use command_line::*;
pub use ending::*;
pub use environment::*;
pub use event::*;
pub use fact::*;
pub use finding::*;
pub use foreseen::*;
pub use grant::*;
pub use guide::*;
pub use helper::*;
pub use mode::*;
pub use own::*;
pub use past::*;
pub use patch::*;
pub use place::*;
pub use plan::*;
pub use record::*;
pub use simple_command::*;
pub use sum::*;

/// Fowler–Noll–Vo 1a, 64 bit: a stable name for a short text. Not a defence against forgery.
#[must_use]
pub fn fnv64(bytes: &[u8]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in bytes {
        hash ^= u64::from(*byte);
        hash = hash.wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

/// A number as sixteen hex digits: nearly every call writes one, and most need no other formatting.
#[must_use]
pub fn hex64(number: u64) -> String {
    let digits = (0..16).rev().map(|at| (number >> (4 * at)) & 0xf);
    // Below sixteen.
    digits
        .filter_map(|digit| char::from_digit(digit as u32, 16))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_sixteen_hex_digits() {
        for number in [0, 0xabc, 0x0123_4567_89ab_cdef, u64::MAX] {
            assert_eq!(hex64(number), format!("{number:016x}"));
        }
    }
}
