//! The programs that are installed small and static: the hook, which starts at every call, and the
//! proxy, of which one runs for each server of tools.

use std::path::PathBuf;

use anyhow::Result;

use crate::machine::{HERE, Machine};

/// Builds the hook as it is installed, and says where it is.
///
/// # Errors
/// If it does not build.
pub fn build() -> Result<PathBuf> {
    build_for(HERE)
}

/// The hook of another kind of machine.
///
/// # Errors
/// If it does not build.
pub fn build_for(machine: &Machine) -> Result<PathBuf> {
    let apart = apart(machine);
    let (package, profile) = ("tollgate-hook", "hook");
    machine.build(&[
        "--config",
        &apart,
        "--profile",
        profile,
        "--package",
        package,
    ])?;
    Ok(machine.program(profile, package))
}

/// Builds the proxy as it is installed, and says where it is.
///
/// # Errors
/// If it does not build.
pub fn build_proxy(machine: &Machine) -> Result<PathBuf> {
    let (package, profile) = ("tollgate-proxy", "proxy");
    machine.build(&["--profile", profile, "--package", package])?;
    Ok(machine.program(profile, package))
}

/// What has the compiler leave functions apart that one place calls, if they are long: most calls
/// of the hook end before they come to most of them, and what lies in between is touched all the
/// same. `--config` for cargo, since a profile cannot say it.
pub fn apart(machine: &Machine) -> String {
    format!(
        "target.{}.rustflags=[\"-Cllvm-args=-inline-instr-cost=100 -inline-threshold=1000\"]",
        machine.musl
    )
}
