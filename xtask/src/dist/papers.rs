//! What goes with packages on paper: checksums, what is inside, whose licences hold. Made by the
//! programs that others trust for it.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::{Made, VERSION, names};
use crate::shell;

/// A program of Cargo's, by the words that install it.
pub type Tool = &'static [&'static str];

/// Makes the notices of all that is linked in.
const ABOUT: Tool = &["cargo-about", "--features", "cli"];
/// Lists all that is linked in.
const CYCLONEDX: Tool = &["cargo-cyclonedx"];
/// Says what may be linked in.
pub const DENY: Tool = &["cargo-deny"];

/// Has a program of Cargo's there.
///
/// # Errors
/// If it cannot be installed.
pub fn tool(words: Tool) -> Result<()> {
    match words.first() {
        Some(name) if shell::exists(name, "--version") => Ok(()),
        _ => shell::run(
            "cargo",
            &[&["install", "--quiet", "--locked"], words].concat(),
        ),
    }
}

/// The licences of dependencies, with their words.
///
/// # Errors
/// If one of them may not be linked in, or the list cannot be made.
pub fn notices(dir: &Path) -> Result<()> {
    tool(ABOUT)?;
    let file = dir.join("THIRD-PARTY.txt").display().to_string();
    let config = ["--config", "packaging/about.toml"];
    let manifest = ["--manifest-path", "crates/cli/Cargo.toml"];
    let made = ["--offline", "-o", &file, "packaging/about.hbs"];
    let arguments = [&["about", "generate"], &config[..], &manifest, &made];
    shell::run("cargo", &arguments.concat())
}

/// The list of all parts, in the form of CycloneDX.
///
/// # Errors
/// If it cannot be made.
pub fn parts(made: &Made) -> Result<()> {
    tool(CYCLONEDX)?;
    let manifest = shell::root().join("crates/cli/Cargo.toml");
    let arguments = [
        "cyclonedx",
        "--quiet",
        "--format",
        "json",
        "--override-filename",
        "tollgate.cdx",
        "--manifest-path",
        &manifest.display().to_string(),
    ];
    shell::run("cargo", &arguments)?;
    // It writes beside every manifest of the workspace.
    let wanted = shell::root().join("crates/cli/tollgate.cdx.json");
    let to = made.at(&format!("tollgate-{VERSION}.cdx.json"));
    fs::copy(&wanted, &to).with_context(|| format!("{} was not made", wanted.display()))?;
    let crates = fs::read_dir(shell::root().join("crates"))?;
    let packages = crates.map(|entry| Ok(entry?.path()));
    let packages = packages.collect::<std::io::Result<Vec<_>>>()?;
    let others = ["e2e", "xtask"].map(|name| shell::root().join(name));
    for package in packages.iter().chain(&others) {
        // Most have none.
        let _ = fs::remove_file(package.join("tollgate.cdx.json"));
    }
    Ok(())
}

/// The sums of all that is published.
///
/// # Errors
/// If they cannot be made.
pub fn sums(out: &Path) -> Result<()> {
    let names = names(out)?;
    let mut command = shell::command("sha256sum", &[]);
    command.args(&names).current_dir(out);
    let sums = command.output().context("cannot start sha256sum")?;
    fs::write(out.join("SHA256SUMS"), sums.stdout)?;
    Ok(())
}
