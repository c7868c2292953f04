//! Has the linker put first what every judgement runs, so that few pages are touched. Only for the
//! proxy as it is installed on Linux; without it, it does the same in more memory.

use std::env;

fn main() {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    println!("cargo::rerun-if-changed=src/order.ld");
    if is("CARGO_CFG_TARGET_ENV", "musl") && is("CARGO_CFG_TARGET_OS", "linux") {
        let dir = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        println!("cargo::rustc-link-arg-bins=-Wl,-T,{dir}/src/order.ld");
    }
}
