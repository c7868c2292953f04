//! The rules that hold for a project: what is compiled in, and the bundle of user and project
//! rules. The hook itself compiles nothing: it has a compile started and waits for it a moment; the
//! last good rules judge where that does not suffice.

use std::path::Path;
use std::time::{Duration, Instant};

use model::{Fault, FaultCause};
use rules::{Layer, Rules};
use store::{Bundle, BundleState, Store};

use crate::command;
use crate::surroundings::ConfigDirs;

/// How often a compile that is waited for is looked after.
const COMPILE_PAUSE: Duration = Duration::from_millis(10);

/// Rules with what is wrong about them.
#[derive(Debug)]
pub struct RulesBundle {
    /// The rules to judge with.
    pub rules: Rules,
    /// What failed, for the failure table.
    pub faults: Vec<Fault>,
}

/// The rules for a project. Without a store, only what is compiled in judges.
#[must_use]
pub fn load(store: Option<&Store>, project: &str, dirs: &ConfigDirs) -> RulesBundle {
    load_within(store, project, dirs, Duration::ZERO)
}

/// [`load`], waiting for a compile if the rules bundle is damaged or was never made.
#[must_use]
pub fn load_within(
    store: Option<&Store>,
    project: &str,
    dirs: &ConfigDirs,
    wait_max: Duration,
) -> RulesBundle {
    let Some(store) = store else {
        return RulesBundle {
            rules: Rules::new(gates::builtin(), Vec::new()),
            faults: out_of_reach(dirs).into_iter().collect(),
        };
    };
    let bundle = store.bundle(project);
    if matches!(bundle, BundleState::None) && !has_settings(dirs) {
        return RulesBundle {
            rules: Rules::new(gates::builtin(), Vec::new()),
            faults: Vec::new(),
        };
    }
    let rules = ProjectRules {
        store,
        project,
        dirs,
    };
    let (layers, wrong) = match rules.layers(bundle, wait_max) {
        Err((cause, why)) => match rules.compiled_anew(cause, wait_max) {
            Some(layers) => (layers, None),
            None => (
                Vec::new(),
                Some(Fault {
                    cause: FaultCause::BundleCorrupt,
                    what: why,
                }),
            ),
        },
        Ok(found) => found,
    };
    let mut faults: Vec<Fault> = wrong.into_iter().collect();
    if let Some(note) = store.broken_rules(project) {
        faults.push(Fault {
            cause: FaultCause::BundleStale,
            what: note,
        });
    }
    RulesBundle {
        rules: Rules::new(gates::builtin(), layers),
        faults,
    }
}

/// Why a rules bundle cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unusable {
    /// A compile makes a new one.
    Damaged,
    /// It is not ours to replace.
    Newer,
}

/// Where a project's rules bundle is, and what it is made from.
#[derive(Clone, Copy)]
struct ProjectRules<'a> {
    store: &'a Store,
    project: &'a str,
    dirs: &'a ConfigDirs,
}

impl ProjectRules<'_> {
    /// The layers that hold, with what is not as it should be about them.
    fn layers(
        &self,
        bundle: BundleState,
        wait_max: Duration,
    ) -> Result<(Vec<Layer>, Option<Fault>), (Unusable, String)> {
        match bundle {
            BundleState::None => Ok(self.first_compile(wait_max)),
            BundleState::Fresh(bundle) => Ok((decode(&bundle)?, None)),
            BundleState::Stale(bundle) => {
                let last_good = decode(&bundle)?;
                Ok(self.compiled_or(last_good, "rules have changed", wait_max))
            }
            BundleState::Corrupt(why) => Err((Unusable::Damaged, why)),
            BundleState::Newer => {
                let why = "the compiled rules were written by a newer tollgate";
                Err((Unusable::Newer, why.to_owned()))
            }
        }
    }

    /// The rules of a project that is seen for the first time: there are no last good ones that
    /// could judge meanwhile.
    fn first_compile(&self, wait_max: Duration) -> (Vec<Layer>, Option<Fault>) {
        let wait_max = match self.store.broken_rules(self.project) {
            Some(_) => Duration::ZERO,
            None => wait_max,
        };
        self.compiled_or(Vec::new(), "rules are not compiled yet", wait_max)
    }

    /// The rules as their files say now, if a compile makes them in time, else others; that is
    /// nobody's fault where it was not waited for.
    fn compiled_or(
        &self,
        others: Vec<Layer>,
        why: &str,
        wait_max: Duration,
    ) -> (Vec<Layer>, Option<Fault>) {
        let fault = |how: &str| Fault {
            cause: FaultCause::BundleStale,
            what: format!("{why}; {how}"),
        };
        if !command::start(self.store, self.dirs, &["compile", "--if-stale"]) {
            return (others, Some(fault("nothing could compile them")));
        }
        match self.compiled(wait_max) {
            Some(layers) => (layers, None),
            None if wait_max.is_zero() || self.store.broken_rules(self.project).is_some() => {
                (others, None)
            }
            None => (others, Some(fault("compiling them takes long"))),
        }
    }

    /// What a compile makes of a damaged rules bundle, if it does so in time.
    fn compiled_anew(&self, cause: Unusable, wait_max: Duration) -> Option<Vec<Layer>> {
        let starts = || command::start(self.store, self.dirs, &["compile"]);
        let started = cause == Unusable::Damaged && starts();
        started.then(|| self.compiled(wait_max)).flatten()
    }

    /// What a compile that was started makes, if it does so in time.
    fn compiled(&self, wait_max: Duration) -> Option<Vec<Layer>> {
        let end = Instant::now() + wait_max;
        // A mistake that is found now ends the wait.
        let note = self.store.broken_rules(self.project);
        while Instant::now() < end && self.store.broken_rules(self.project) == note {
            std::thread::sleep(COMPILE_PAUSE);
            if let BundleState::Fresh(bundle) = self.store.bundle(self.project)
                && let Ok(layers) = decode(&bundle)
            {
                return Some(layers);
            }
        }
        None
    }
}

fn decode(bundle: &Bundle) -> Result<Vec<Layer>, (Unusable, String)> {
    rules::decode(bundle.payload()).map_err(|damage| (Unusable::Damaged, damage.to_string()))
}

/// What is wrong where root's rules are kept with a state that is closed to us: in a hardened
/// install nobody but root may take them away.
fn out_of_reach(dirs: &ConfigDirs) -> Option<Fault> {
    let is_lost = store::hardened::layout().is_some() && is_written(&dirs.system);
    is_lost.then(|| Fault {
        cause: FaultCause::BundleCorrupt,
        what: format!("the rules of {} are compiled out of reach", dirs.system),
    })
}

/// Whether anybody has written settings or rules.
fn has_settings(dirs: &ConfigDirs) -> bool {
    let all = [&dirs.system, &dirs.user, &dirs.project];
    let mut files = all.iter().filter(|dir| !dir.is_empty());
    files.any(|dir| is_written(dir))
}

/// Whether settings or rules are in a directory.
fn is_written(dir: &str) -> bool {
    let dir = Path::new(dir);
    // Most often there is not even the directory.
    dir.is_dir() && (dir.join("config.toml").exists() || dir.join("packs").exists())
}
