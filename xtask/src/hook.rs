//! The hook as it is installed: small and static.

use std::path::PathBuf;

use anyhow::Result;

use crate::shell;

/// The target of the small static hook.
#[cfg(target_arch = "aarch64")]
pub const MUSL: &str = "aarch64-unknown-linux-musl";
/// The target of the small static hook.
#[cfg(not(target_arch = "aarch64"))]
pub const MUSL: &str = "x86_64-unknown-linux-musl";

/// Builds the hook as it is installed, and says where it is.
///
/// # Errors
/// If it does not build.
pub fn build() -> Result<PathBuf> {
    let package = ["--package", "tollgate-hook", "--target", MUSL];
    let build = ["build", "--quiet", "--profile", "hook"];
    shell::run("cargo", &[&build[..], &package[..]].concat())?;
    Ok(shell::target().join(MUSL).join("hook/tollgate-hook"))
}
