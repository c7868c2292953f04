//! Has the linker put first what nearly every call runs, so that few pages are touched. Only for
//! the hook as it is installed on Linux; without it, the hook does the same in more time. Tests
//! start another some ten thousand times: that one is not relocated either.

use std::env;

fn main() {
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    println!("cargo::rerun-if-changed=src/process/order.ld");
    // What counts itself, for the order's sake, is in none.
    let counts =
        env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|it| it.contains("profile-generate"));
    if is("CARGO_CFG_TARGET_ENV", "musl") && is("CARGO_CFG_TARGET_OS", "linux") && !counts {
        let dir = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        for argument in [
            // Nothing is relocated, so there is nothing to protect once it is done.
            "-Wl,-z,norelro".to_owned(),
            // One segment less to map.
            "-Wl,-z,noseparate-code".to_owned(),
            format!("-Wl,-T,{dir}/src/process/order.ld"),
        ] {
            println!("cargo::rustc-link-arg-bins={argument}");
        }
    } else if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
