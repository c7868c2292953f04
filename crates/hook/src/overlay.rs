//! The rules that hold for a project: what is compiled in, and the overlay of user and project
//! rules. A stale overlay judges on while one detached compile runs; the hook itself compiles
//! nothing.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use model::{Fault, FaultCause};
use rules::{Layer, Rules};
use store::{Bundle, BundleState, Store};

use crate::surroundings::ConfigDirs;

/// How often a compile that is waited for is looked after.
const COMPILE_PAUSE: Duration = Duration::from_millis(10);

/// Rules with what is wrong about them.
#[derive(Debug)]
pub struct Overlay {
    /// The rules to judge with.
    pub rules: Rules,
    /// What failed, for the failure table.
    pub faults: Vec<Fault>,
}

/// The rules for a project. Without a store, only what is compiled in judges.
#[must_use]
pub fn load(store: Option<&Store>, project: &str, dirs: &ConfigDirs) -> Overlay {
    load_within(store, project, dirs, Duration::ZERO)
}

/// [`load`], waiting for a compile if the overlay is damaged.
#[must_use]
pub fn load_within(
    store: Option<&Store>,
    project: &str,
    dirs: &ConfigDirs,
    wait_max: Duration,
) -> Overlay {
    let Some(store) = store else {
        return Overlay { rules: Rules::new(gates::builtin(), Vec::new()), faults: Vec::new() };
    };
    let (layers, wrong) = match store.bundle(project) {
        BundleState::None if !has_settings(dirs) => (Vec::new(), None),
        BundleState::None => (Vec::new(), Some(stale(store, dirs, "rules are not compiled yet"))),
        BundleState::Fresh(bundle) => layers(bundle.payload()),
        BundleState::Stale(bundle) => match layers(bundle.payload()) {
            (layers, None) => (layers, Some(stale(store, dirs, "rules have changed"))),
            corrupt => corrupt,
        },
        BundleState::Corrupt(why) => match compiled_anew(store, project, dirs, wait_max) {
            Some(bundle) => layers(bundle.payload()),
            None => (Vec::new(), Some(fault(FaultCause::BundleCorrupt, &why))),
        },
        BundleState::Newer => {
            let why = "the compiled rules were written by a newer tollgate";
            (Vec::new(), Some(fault(FaultCause::BundleCorrupt, why)))
        }
    };
    let mut faults: Vec<Fault> = wrong.into_iter().collect();
    if let Some(note) = store.broken_rules(project) {
        faults.push(fault(FaultCause::BundleStale, &note));
    }
    Overlay { rules: Rules::new(gates::builtin(), layers), faults }
}

fn layers(payload: &[u8]) -> (Vec<Layer>, Option<Fault>) {
    match rules::decode(payload) {
        Ok(layers) => (layers, None),
        Err(damage) => (Vec::new(), Some(fault(FaultCause::BundleCorrupt, &damage.to_string()))),
    }
}

fn fault(cause: FaultCause, what: &str) -> Fault {
    Fault { cause, what: what.to_owned() }
}

fn stale(store: &Store, dirs: &ConfigDirs, what: &str) -> Fault {
    let started = start_compile(store, dirs);
    let how = if started { "; compiling them now" } else { "; nothing could compile them" };
    fault(FaultCause::BundleStale, &format!("{what}{how}"))
}

/// Whether anybody has written settings or rules.
fn has_settings(dirs: &ConfigDirs) -> bool {
    let all = [&dirs.system, &dirs.user, &dirs.project];
    let mut files = all.iter().filter(|dir| !dir.is_empty());
    files.any(|dir| {
        let dir = Path::new(dir);
        // Most often there is not even the directory.
        dir.is_dir() && (dir.join("config.toml").exists() || dir.join("packs").exists())
    })
}

/// What a compile makes of a damaged overlay, if it does so in time.
fn compiled_anew(
    store: &Store,
    project: &str,
    dirs: &ConfigDirs,
    wait_max: Duration,
) -> Option<Bundle> {
    let end = Instant::now() + wait_max;
    if !start_compile(store, dirs) {
        return None;
    }
    while Instant::now() < end {
        std::thread::sleep(COMPILE_PAUSE);
        if let BundleState::Fresh(bundle) = store.bundle(project) {
            return Some(bundle);
        }
    }
    None
}

/// Starts `tollgate compile` for the project, detached. Whether that could be done.
fn start_compile(store: &Store, dirs: &ConfigDirs) -> bool {
    let program = store.path().join("bin/tollgate");
    let project = Path::new(&dirs.project).parent().unwrap_or(Path::new("/"));
    if !program.exists() || !project.is_dir() {
        return false;
    }
    let mut compile = Command::new(program);
    compile.args(["compile", "--if-stale"]).current_dir(project);
    compile.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut compile, 0);
    compile.spawn().is_ok()
}
