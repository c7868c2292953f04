//! The copies of our programs that hosts are told of: where they are, and whether they are ours.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use store::hardened::layout;
use store::{InstallRecord, Store};

use crate::here::Here;

/// The hook's file name, by which hosts' settings name it.
pub const HOOK: &str = "tollgate-hook";
/// How much of a program is looked at for the loader's name.
const HEAD_BYTES: u64 = 4_096;
/// How much of two programs is compared at once.
const PART_BYTES: usize = 64 * 1024;
/// This program's file name.
pub const SELF: &str = "tollgate";
/// The file name of what stands before a server of tools that is a program.
pub const PROXY: &str = "tollgate-proxy";

/// Where our copies are.
fn dir(here: &Here) -> PathBuf {
    match layout() {
        Some(layout) => layout.programs(),
        None => here.state.join("bin"),
    }
}

/// The copy that hosts start.
pub fn installed_hook(here: &Here) -> PathBuf {
    dir(here).join(HOOK)
}

/// The copy of this program that hosts start.
pub fn installed_self(here: &Here) -> PathBuf {
    dir(here).join(SELF)
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
    match source(here) {
        _ if !installed.is_file() => Copy::Missing,
        Ok(source) if is_same(&source, &installed) => Copy::Same,
        _ => Copy::Other,
    }
}

/// Copies the programs to the stable place that hosts are told of; how the hook stood before. A
/// hook that is named is remembered: the next time the copy is made from it, too.
///
/// # Errors
/// If a program is not there or cannot be copied.
pub fn install(here: &Here, named: Option<&Path>) -> Result<Copy> {
    let store = here.shared_store()?;
    if let Some(named) = named {
        let path = std::path::absolute(named)?;
        ensure!(path.is_file(), "{} is not a program", path.display());
        store.set_hook_source(&path.to_string_lossy())?;
    }
    if layout().is_none() {
        note_house(here, &store)?;
    }
    let before = copy(here);
    for (name, from) in [(HOOK, source(here)?), (SELF, own()?)] {
        let is_same = match name == HOOK {
            true => before == Copy::Same,
            false => is_same(&from, &dir(here).join(name)),
        };
        match (layout(), is_same) {
            (Some(layout), false) => layout.install_program(name, &from)?,
            (Some(layout), true) => layout.settle_program(name)?,
            (None, false) => drop(store.install_program(name, &from)?),
            (None, true) => {}
        }
    }
    if layout().is_none() {
        store.seal_programs()?;
    }
    Ok(before)
}

/// Copies this program and the proxy to where hosts start them.
///
/// # Errors
/// If one is not there or cannot be copied.
pub fn install_proxy(here: &Here) -> Result<()> {
    let store = here.shared_store()?;
    let own = own()?;
    let proxy = fs::canonicalize(&own)?.with_file_name(PROXY);
    ensure!(
        proxy.is_file(),
        "{PROXY} is not installed: it should stand beside {}; install Tollgate anew, whole",
        own.display()
    );
    for (name, from) in [(SELF, own), (PROXY, proxy)] {
        if !is_same(&from, &dir(here).join(name)) {
            store.install_program(name, &from)?;
        }
    }
    store.seal_programs()?;
    Ok(())
}

/// Notes whose hook it is, for itself to read.
fn note_house(here: &Here, store: &Store) -> Result<()> {
    let known = store::install_record(&here.state).unwrap_or_default();
    let record = InstallRecord {
        home: here.place.home.clone(),
        config: here.dirs.user.clone(),
        settings: known.settings.clone(),
    };
    if record != known {
        store.set_install_record(&record)?;
    }
    Ok(())
}

/// The hook to install: the one that was named once, or stands beside this program, or this
/// program, which does the same work and starts slower.
fn source(here: &Here) -> Result<PathBuf> {
    let noted = match layout() {
        Some(layout) => Store::open_existing(&layout.state(0)).ok(),
        None => here.remembered().ok(),
    };
    let named = noted
        .flatten()
        .and_then(|store| store.hook_source())
        .map(PathBuf::from);
    if let Some(named) = named.filter(|named| named.is_file()) {
        return Ok(named);
    }
    let own = own()?;
    let beside = own.with_file_name(HOOK);
    Ok(if beside.is_file() { beside } else { own })
}

/// What a person must do so that their shell finds this program, where it does not.
pub fn how_to_find(here: &Here) -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).map(|dir| dir.join(SELF));
    if found.any(|found| found.is_file()) {
        return None;
    }
    let own = installed_self(here);
    let bin = Path::new(&here.place.home).join(".local/bin");
    let (own, bin) = (own.display(), bin.display());
    Some(format!(
        "Your shell does not find tollgate yet: mkdir -p {bin} && ln -sf {own} {bin}/{SELF}, and \
         have {bin} in your PATH."
    ))
}

/// Whether the hook that would be installed is this whole program.
pub fn is_slow(here: &Here) -> bool {
    source(here).ok() == own().ok()
}

/// Whether the hook that would be installed is linked anew at each start, where a static one is to
/// be had.
pub fn is_linked(here: &Here) -> bool {
    cfg!(target_os = "linux") && source(here).is_ok_and(|source| is_linked_at_start(&source))
}

/// Whether a program names the loader that links it: near its beginning, where that stands.
fn is_linked_at_start(program: &Path) -> bool {
    let mut head = Vec::new();
    let read =
        fs::File::open(program).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    let loaders: [&[u8]; 2] = [b"/ld-linux", b"/ld-musl"];
    let names = |loader: &[u8]| head.windows(loader.len()).any(|part| part == loader);
    read.is_ok() && loaders.into_iter().any(names)
}

fn own() -> Result<PathBuf> {
    std::env::current_exe().context("where this program is, is not known")
}

/// Whether two files hold the same. Most builds differ in size already.
fn is_same(a: &Path, b: &Path) -> bool {
    let size = |path: &Path| fs::metadata(path).map(|metadata| metadata.len()).ok();
    let sizes = (size(a), size(b));
    sizes.0.is_some() && sizes.0 == sizes.1 && holds_same(a, b).unwrap_or(false)
}

/// Whether two files of one size hold the same, a part at a time.
fn holds_same(a: &Path, b: &Path) -> io::Result<bool> {
    let open = |path| fs::File::open(path).map(|file| BufReader::with_capacity(PART_BYTES, file));
    let (mut a, mut b) = (open(a)?, open(b)?);
    loop {
        let (left, right) = (a.fill_buf()?, b.fill_buf()?);
        let length = left.len().min(right.len());
        if left.get(..length) != right.get(..length) {
            return Ok(false);
        }
        if length == 0 {
            return Ok(left.is_empty() && right.is_empty());
        }
        a.consume(length);
        b.consume(length);
    }
}
