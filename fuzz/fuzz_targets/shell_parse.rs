//! Feeds the shell parser with any bytes. What must hold is in the parser's own tests.

#![no_main]

#[path = "../../crates/shell/tests/shell/check.rs"]
mod check;
#[expect(dead_code, reason = "only words are rendered here")]
#[path = "../../crates/shell/tests/shell/render.rs"]
mod render;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::check(bytes));
