//! Feeds the reading of command lines with any text. What must hold is in its own tests.

#![no_main]

#[path = "../../crates/actions/tests/reading/any.rs"]
mod any;

libfuzzer_sys::fuzz_target!(|text: &str| any::check(text));
