//! Feeds the readers of records with any bytes. What must hold is in the store's own tests.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(wrong) = store::check_record(bytes) {
        panic!("{wrong}");
    }
});
