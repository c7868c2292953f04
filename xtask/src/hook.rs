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
    small(machine, "tollgate-hook", "hook")
}

/// Builds the proxy as it is installed, and says where it is.
///
/// # Errors
/// If it does not build.
pub fn build_proxy(machine: &Machine) -> Result<PathBuf> {
    small(machine, "tollgate-proxy", "proxy")
}

fn small(machine: &Machine, package: &str, profile: &str) -> Result<PathBuf> {
    machine.build(&["--profile", profile, "--package", package])?;
    Ok(machine.program(profile, package))
}
