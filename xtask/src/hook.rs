//! The programs that are installed small and static: the hook, which starts at every call, and the
//! proxy, of which one runs for each server of tools.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::machine::{HERE, Machine};
use crate::shell;

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
    build_with(machine, &config(machine)?, &shell::target())
}

/// Builds a hook that counts what it runs, into a directory of its own.
///
/// # Errors
/// If it does not build.
pub fn build_counting(dir: &Path) -> Result<PathBuf> {
    build_with(HERE, &counting(HERE), dir)
}

/// Builds the hook with flags of the compiler's.
fn build_with(machine: &Machine, config: &str, dir: &Path) -> Result<PathBuf> {
    let (package, profile, shown) = ("tollgate-hook", "hook", dir.display().to_string());
    machine.build(&[
        "--config",
        config,
        "--profile",
        profile,
        "--package",
        package,
        "--target-dir",
        &shown,
    ])?;
    Ok(dir.join(machine.musl).join(profile).join(package))
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

/// How often each part of the hook runs: `cargo xtask bench --order` writes it.
pub const PROFILE: &str = "crates/hook/src/process/hook.profdata";

/// Has the compiler leave functions apart that one place calls, if they are long: most calls of the
/// hook end before they come to most of them, and what lies in between is touched all the same.
const APART: &str = "\"-Cllvm-args=-inline-instr-cost=100 -inline-threshold=1000\"";

/// What ran less often while the [`PROFILE`] was made is put elsewhere: of 523 commands of an
/// ordinary day, less than a fifth ran it.
pub const RUNS_MIN: usize = 100;

/// How the hook is compiled: by the [`PROFILE`], whose names are those of one kind of machine.
/// `--config` for cargo, since a profile of cargo's cannot say it.
///
/// # Errors
/// If the profile cannot be read.
pub fn config(machine: &Machine) -> Result<String> {
    let flags = match machine.is_profiled() {
        true => format!(
            "{APART}, \"-Cprofile-use={}\", \"-Cllvm-args=-enable-split-machine-functions \
             -mfs-psi-cutoff=0 -mfs-count-threshold={RUNS_MIN} \
             -disable-vp -no-pgo-warn-mismatch\"",
            named_by_content()?.display()
        ),
        false => APART.to_owned(),
    };
    Ok(format!("target.{}.rustflags=[{flags}]", machine.musl))
}

/// The [`PROFILE`] under a name that changes with it: cargo sees what flags say, not what is in a
/// file that they name.
fn named_by_content() -> Result<PathBuf> {
    let profile = fs::read(shell::root().join(PROFILE)).context(PROFILE)?;
    let mut hasher = DefaultHasher::new();
    profile.hash(&mut hasher);
    let dir = shell::target().join("profiles");
    let path = dir.join(format!("{:016x}.profdata", hasher.finish()));
    if !path.exists() {
        fs::create_dir_all(&dir)?;
        fs::write(path.with_extension("new"), profile)?;
        fs::rename(path.with_extension("new"), &path)?;
    }
    Ok(path)
}

/// [`config`] for a hook that counts what it runs, whenever it ends.
fn counting(machine: &Machine) -> String {
    format!(
        "target.{}.rustflags=[{APART}, \"-Cprofile-generate\", \
         \"-Cllvm-args=-runtime-counter-relocation -disable-vp\"]",
        machine.musl
    )
}
