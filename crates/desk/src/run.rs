//! `tollgate run`: a worker is driven until its work is ready, or a person must decide. What is to
//! be done next is what the fold over the events says; here it is done.

mod drive;
pub mod log;
mod person;
mod review;
mod show;
mod touched;
mod waits;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use edge::{provenance, surroundings};
use store::Store;
use work::runs::events::Begin;
use work::runs::{Kind, Limits};

use crate::args::{NewRunArgs, RunArgs, RunVerb};
use crate::drivers::Driver;
use crate::git::WorkTree;
use crate::validate::spec::Spec;
use crate::{items, say, worktree};
use drive::Drive;
use log::{About, Log};

/// Longest task, in bytes.
const TASK_BYTES_MAX: usize = 64 * 1024;

/// The command.
///
/// # Errors
/// If what is named is not there, or something of the machine fails.
pub fn run(args: &RunArgs) -> Result<u8> {
    let store = crate::store()?;
    match &args.what {
        Some(RunVerb::List { json }) => show::list(&store, *json),
        Some(RunVerb::Show { id, json }) => show::show(&Log::open(&store, id)?, *json),
        Some(RunVerb::Attach { id }) => show::attach(&Log::open(&store, id)?),
        what => {
            of_a_person(&store)?;
            match what {
                Some(RunVerb::Resume { id }) => person::resume(&Log::open(&store, id)?),
                Some(RunVerb::Stop { id }) => person::stop(&Log::open(&store, id)?),
                Some(RunVerb::Accept { id }) => person::accept(&Log::open(&store, id)?),
                Some(RunVerb::Discard { id }) => person::discard(&Log::open(&store, id)?),
                _ => begin(&store, &args.new),
            }
        }
    }
}

/// What an agent may not do, where no hook sees that it does.
///
/// # Errors
/// If one does.
pub fn of_a_person(store: &Store) -> Result<()> {
    match provenance::below_worker(Some(store)) {
        None => Ok(()),
        Some(provenance::Worker::Below(host)) => bail!(
            "runs are yours, not an agent's: one runs this terminal (process {}); use your own",
            host.number
        ),
        Some(provenance::Worker::Marked(mark)) => bail!(
            "runs are yours, not an agent's: {mark} is set here; use a terminal of your own, or \
             unset it if this is yours"
        ),
    }
}

/// Begins a run and drives it.
fn begin(store: &Store, args: &NewRunArgs) -> Result<u8> {
    if let Some(slots) = args.queue {
        Driver::named(args.worker.as_deref().unwrap_or_default())?;
        return items::queue(args, slots);
    }
    let worker = args.worker.as_deref().unwrap_or_default();
    let driver = Driver::named(worker)?;
    for words in &args.reviewer {
        runner::Who::named(words).map_err(|why| anyhow::anyhow!(why))?;
    }
    let mut limits = Limits::USUAL;
    for setting in &args.budget {
        limits = limits
            .with(setting)
            .map_err(|why| anyhow::anyhow!("--budget: {why}"))?;
    }
    let spec = args.validate.as_deref().map(spec).transpose()?;
    let project = WorkTree::around(Path::new("."))?;
    let base = project
        .commit_of("HEAD")
        .context("a run begins at a commit, and there is none; make one first")?;
    let (text, spec_dir) = spec.unwrap_or_default();
    // Last: who claims an item begins with it.
    let (item, task) = match &args.item {
        Some(id) => items::claim(store, id)?,
        None => (String::new(), task(args)?),
    };
    let about = About {
        task,
        worker: worker.to_owned(),
        reviewers: args.reviewer.clone(),
        project: project.dirs.root.clone(),
        is_here: args.here,
        spec_dir,
        item,
        begun: surroundings::now().0,
        ..About::PLAIN
    };
    let has_checks = !text.is_empty();
    let mut log = Log::begin(store, about, has_checks.then_some(text.as_str()))?;
    let place = match args.here {
        true => project.top().to_owned(),
        false => worktree::place(project.top(), &log.id),
    };
    log.about.dir = place.to_string_lossy().into_owned();
    log.keep_about()?;
    let begin = Begin {
        limits,
        has_checks,
        has_reviewer: !args.reviewer.is_empty(),
    };
    log.add(Kind::Queued(begin))?;
    greet(&log, &driver, (&base, limits))?;
    log.take_up()?;
    let ended = Drive::new(&log, driver, args.json)?.on()?;
    if !log.about.item.is_empty() {
        let words = format!("run {}: {}", log.id, show::in_short(&log, &log.run()?));
        items::tell(store, &log.about.item, &words);
    }
    Ok(ended)
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

/// The first words of a run.
fn greet(log: &Log<'_>, driver: &Driver, (base, limits): (&str, Limits)) -> Result<()> {
    let about = &log.about;
    let project = WorkTree::around(Path::new(&about.project))?;
    let short = base.get(..7).unwrap_or(base);
    let reviewers = match about.reviewers.is_empty() {
        true => "no reviewer".to_owned(),
        false => format!("reviewer {}", about.reviewers.join(", ")),
    };
    say!(
        "run {} · {} at {short} · worker {} · {reviewers} · limits {} attempts, {} tokens, {} s",
        log.id,
        about.dir,
        driver.title(),
        limits.attempts,
        limits.tokens,
        limits.millis / 1_000
    );
    let lacks = driver.lacks();
    if !lacks.is_empty() {
        say!("  {}: {lacks}", driver.title());
    }
    if about.reviewers.is_empty() {
        say!(
            "  Nobody reviews: it can only end as ready, not reviewed. Name one with --reviewer: \
             {}, or a command.",
            runner::clients().join(", ")
        );
    }
    let own = project.git(&["status", "--porcelain", "--untracked-files=normal"])?;
    if !about.is_here && !own.is_empty() {
        let count = say::count(own.lines().count() as u64, "uncommitted file");
        say!("  {count} of yours are not in it; --here works on them.");
    }
    Ok(())
}
