//! The rules that hold for a project: what is compiled in, and the bundle of user and project
//! rules. A stale rules bundle judges on while one detached compile runs; the hook itself compiles
//! nothing.

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
    let rules = ProjectRules {
        store,
        project,
        dirs,
    };
    let (layers, wrong) = match rules.layers(wait_max) {
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
        wait_max: Duration,
    ) -> Result<(Vec<Layer>, Option<Fault>), (Unusable, String)> {
        match self.store.bundle(self.project) {
            BundleState::None if !has_settings(self.dirs) => Ok((Vec::new(), None)),
            BundleState::None => Ok(self.first_compile(wait_max)),
            BundleState::Fresh(bundle) => Ok((decode(&bundle)?, None)),
            BundleState::Stale(bundle) => {
                Ok((decode(&bundle)?, Some(self.stale("rules have changed"))))
            }
            BundleState::Corrupt(why) => Err((Unusable::Damaged, why)),
            BundleState::Newer => {
                let why = "the compiled rules were written by a newer tollgate";
                Err((Unusable::Newer, why.to_owned()))
            }
        }
    }

    /// The rules of a project that is seen for the first time: there are no last good ones that
    /// could judge meanwhile, so they are waited for, unless a mistake in them is known.
    fn first_compile(&self, wait_max: Duration) -> (Vec<Layer>, Option<Fault>) {
        if self.store.broken_rules(self.project).is_none()
            && let Some(layers) = self.compiled_anew(Unusable::Damaged, wait_max)
        {
            return (layers, None);
        }
        (Vec::new(), Some(self.stale("rules are not compiled yet")))
    }

    /// Has the rules compiled while the last good ones judge.
    fn stale(&self, what: &str) -> Fault {
        let started = command::start(self.store, self.dirs, &["compile", "--if-stale"]);
        let how = if started {
            "; compiling them now"
        } else {
            "; nothing could compile them"
        };
        Fault {
            cause: FaultCause::BundleStale,
            what: format!("{what}{how}"),
        }
    }

    /// What a compile makes of a damaged rules bundle, if it does so in time.
    fn compiled_anew(&self, cause: Unusable, wait_max: Duration) -> Option<Vec<Layer>> {
        let end = Instant::now() + wait_max;
        if cause == Unusable::Newer || !command::start(self.store, self.dirs, &["compile"]) {
            return None;
        }
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
