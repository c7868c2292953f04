//! The copies of our programs that hosts are told of: where they are, and whether they are ours.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::here::Here;

/// The hook's file name, by which hosts' settings name it.
pub const HOOK: &str = "tollgate-hook";
/// This program's file name.
const SELF: &str = "tollgate";

/// The copy that hosts start.
pub fn installed_hook(here: &Here) -> PathBuf {
    here.state.join("bin").join(HOOK)
}

/// How the copy stands to what this program would install.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copy {
    /// There is none.
    Missing,
    /// It is the same build.
    Same,
    /// It is another build.
    Other,
}

/// Looks at the copy that hosts start.
pub fn copy(here: &Here) -> Copy {
    let installed = installed_hook(here);
    match source(None) {
        _ if !installed.is_file() => Copy::Missing,
        Ok(source) if is_same(&source, &installed) => Copy::Same,
        _ => Copy::Other,
    }
}

/// Copies the programs to the stable place that hosts are told of; how the hook stood before.
///
/// # Errors
/// If a program is not there or cannot be copied.
pub fn install(here: &Here, hook_from: Option<&Path>) -> Result<Copy> {
    let store = here.store()?;
    let hook = source(hook_from)?;
    let target = installed_hook(here);
    let before = match target.is_file() {
        false => Copy::Missing,
        true if is_same(&hook, &target) => Copy::Same,
        true => Copy::Other,
    };
    for (name, from) in [(HOOK, hook), (SELF, own()?)] {
        if !is_same(&from, &here.state.join("bin").join(name)) {
            store.install_program(name, &from)?;
        }
    }
    Ok(before)
}

/// The hook to install: the one that was named, or stands beside this program, or this program,
/// which does the same work and starts slower.
fn source(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(named) = named {
        anyhow::ensure!(named.is_file(), "{} is not a program", named.display());
        return Ok(named.to_owned());
    }
    let own = own()?;
    let beside = own.with_file_name(HOOK);
    Ok(if beside.is_file() { beside } else { own })
}

/// Whether the hook that would be installed is this whole program.
pub fn is_slow() -> bool {
    own().is_ok_and(|own| !own.with_file_name(HOOK).is_file())
}

fn own() -> Result<PathBuf> {
    std::env::current_exe().context("where this program is, is not known")
}

/// Whether two files hold the same. Most builds differ in size already.
fn is_same(a: &Path, b: &Path) -> bool {
    let size = |path: &Path| fs::metadata(path).map(|metadata| metadata.len()).ok();
    let bytes = |path: &Path| fs::read(path).ok();
    let sizes = (size(a), size(b));
    sizes.0.is_some() && sizes.0 == sizes.1 && bytes(a) == bytes(b)
}
