//! The programs that are installed small and static: the hook, which starts at every call, and the
//! proxy, of which one runs for each server of tools.

use std::path::PathBuf;

use anyhow::Result;

use crate::shell;

/// The target of small static programs.
#[cfg(target_arch = "aarch64")]
pub const MUSL: &str = "aarch64-unknown-linux-musl";
/// The target of small static programs.
#[cfg(not(target_arch = "aarch64"))]
pub const MUSL: &str = "x86_64-unknown-linux-musl";

/// Builds the hook as it is installed, and says where it is.
///
/// # Errors
/// If it does not build.
pub fn build() -> Result<PathBuf> {
    small("tollgate-hook", "hook")
}

/// Builds the proxy as it is installed, and says where it is.
///
/// # Errors
/// If it does not build.
pub fn build_proxy() -> Result<PathBuf> {
    small("tollgate-proxy", "proxy")
}

fn small(package: &str, profile: &str) -> Result<PathBuf> {
    let named = ["--package", package, "--target", MUSL];
    let build = ["build", "--quiet", "--profile", profile];
    shell::run("cargo", &[&build[..], &named[..]].concat())?;
    Ok(shell::target().join(MUSL).join(profile).join(package))
}
