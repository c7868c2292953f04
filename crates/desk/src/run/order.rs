//! What a run is told when it begins: by the command line, and by an earlier run whose work is to
//! be done again on what there is now.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use edge::surroundings;
use store::Store;
use work::runs::{Limits, State};

use super::log::{About, Log, SPEC};
use crate::args::NewRunArgs;
use crate::drivers::Driver;
use crate::git::WorkTree;
use crate::validate::spec::Spec;
use crate::{items, worktree};

/// Longest task, in bytes.
const TASK_BYTES_MAX: usize = 64 * 1024;

/// What a run is told.
pub struct Order {
    /// All but where it works.
    pub about: About,
    /// The text of the specification that it is held to; empty if there is none.
    pub spec: String,
    /// How far it may go.
    pub limits: Limits,
}

impl Order {
    /// What the command line says, and the earlier run that it names.
    ///
    /// # Errors
    /// If something of it is not there, or nothing says what is to be done.
    pub fn of(store: &Store, args: &NewRunArgs, project: &WorkTree) -> Result<Self> {
        let earlier = args.again.as_deref().map(|id| Self::again(store, id));
        let mut order = earlier.transpose()?.unwrap_or(Self {
            about: About::PLAIN,
            spec: String::new(),
            limits: Limits::USUAL,
        });
        let about = &mut order.about;
        if let Some(worker) = &args.worker {
            about.worker.clone_from(worker);
        }
        Driver::named(&about.worker)?;
        if !args.reviewer.is_empty() {
            about.reviewers.clone_from(&args.reviewer);
        }
        for words in &about.reviewers {
            runner::Who::named(words).map_err(|why| anyhow!(why))?;
        }
        for setting in &args.budget {
            let set = order.limits.with(setting);
            order.limits = set.map_err(|why| anyhow!("--budget: {why}"))?;
        }
        if let Some(path) = &args.validate {
            (order.spec, about.spec_dir) = spec(path)?;
        }
        about.project.clone_from(&project.dirs.root);
        about.is_here = args.here;
        about.begun = surroundings::now().0;
        // Last: who claims an item begins with it.
        if let Some(id) = &args.item {
            (about.item, about.task) = items::claim(store, id)?;
        } else if args.again.is_none() {
            about.task = task(args)?;
        }
        Ok(order)
    }

    /// What an earlier run was told.
    fn again(store: &Store, id: &str) -> Result<Self> {
        let log = Log::open(store, id)?;
        let run = log.run()?;
        let is_done = matches!(run.state, State::Ready | State::AcceptedUnreviewed);
        ensure!(
            is_done && !log.about.is_here,
            "run {} has no branch that could be brought onto what there is now: it is {}",
            log.id,
            run.state.name()
        );
        let spec = store.load_of_run(&log.id, SPEC)?.unwrap_or_default();
        Ok(Self {
            spec: String::from_utf8_lossy(&spec).into_owned(),
            limits: run.limits,
            about: About {
                over: worktree::branch(&log.id),
                ..log.about
            },
        })
    }
}

/// What is to be done.
fn task(args: &NewRunArgs) -> Result<String> {
    let text = match (&args.task, &args.file) {
        (Some(task), _) => task.clone(),
        (None, Some(file)) => {
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?
        }
        (None, None) => bail!(
            "nothing says what is to be done: tollgate run --worker WHO \"what is to be done\""
        ),
    };
    ensure!(
        !text.trim().is_empty(),
        "the task is empty; say what is to be done"
    );
    ensure!(
        text.len() <= TASK_BYTES_MAX,
        "the task is longer than {TASK_BYTES_MAX} bytes; put it into a file of the project"
    );
    Ok(text.trim().to_owned())
}

/// A specification as it is now, and where it lies: the worker does not change what it is held to.
fn spec(path: &Path) -> Result<(String, String)> {
    Spec::read(path)?;
    let dir = fs::canonicalize(path)?;
    let dir = dir.parent().unwrap_or(Path::new("/")).to_string_lossy();
    Ok((fs::read_to_string(path)?, dir.into_owned()))
}
