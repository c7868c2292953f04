//! The empty program: what starting a process costs. `cargo xtask bench` builds it twice.
fn main() {}
