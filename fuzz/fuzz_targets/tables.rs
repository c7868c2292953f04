//! Feeds the readers of tables and of the hydrator's answer with any text. What must hold is in
//! their own tests.

#![no_main]

#[path = "../../crates/context/tests/tables/any.rs"]
mod any;

libfuzzer_sys::fuzz_target!(|text: &str| any::check(text));
