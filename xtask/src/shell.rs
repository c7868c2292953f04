//! Running other programs, with their words shown and their failures named.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The workspace's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// Where Cargo puts what it builds.
pub fn target() -> PathBuf {
    let given = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root().join(given)
}

/// A command in the workspace's root.
pub fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::null());
    command
}

/// Runs a command; its output goes to ours.
///
/// # Errors
/// If it cannot be started or does not succeed.
pub fn run(program: &str, arguments: &[&str]) -> Result<()> {
    check(program, arguments, &mut command(program, arguments))
}

/// Runs a prepared command; `program` and `arguments` are for the message.
///
/// # Errors
/// If it cannot be started or does not succeed.
pub fn check(program: &str, arguments: &[&str], command: &mut Command) -> Result<()> {
    let shown = format!("{program} {}", arguments.join(" "));
    println!("$ {shown}");
    let status = command
        .status()
        .with_context(|| format!("cannot start `{program}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Runs a command and gives what it printed on stdout.
///
/// # Errors
/// If it cannot be started or does not succeed.
pub fn output(program: &str, arguments: &[&str]) -> Result<String> {
    let out = command(program, arguments)
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{program}`"))?;
    if !out.status.success() {
        bail!(
            "`{program} {}` failed ({})",
            arguments.join(" "),
            out.status
        );
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// Whether a program can be started at all.
pub fn exists(program: &str, argument: &str) -> bool {
    command(program, &[argument])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Has the machine's own package manager install something.
///
/// # Errors
/// If there is none, or it cannot.
pub fn install(packages: &[&str]) -> Result<()> {
    run("apt-get", &["update", "--quiet"])?;
    let install = ["install", "--yes", "--quiet", "--no-install-recommends"];
    run("apt-get", &[&install[..], packages].concat())
}
