//! `tollgate run`: a worker is driven until its work is ready, or a person must decide. What is to
//! be done next is what the fold over the events says; here it is done.

mod base;
mod drive;
pub mod log;
pub mod needs;
mod order;
mod person;
mod review;
mod show;
mod touched;
mod waits;

use std::path::Path;

use anyhow::{Context, Result, bail};
use edge::provenance;
use store::Store;
use text::words;
use work::runs::events::Begin;
use work::runs::{Kind, Limits};

use crate::args::{NewRunArgs, RunArgs, RunVerb};
use crate::drivers::Driver;
use crate::git::WorkTree;
use crate::{items, worktree};
use drive::Drive;
use log::Log;
use order::Order;

/// The command.
///
/// # Errors
/// If what is named is not there, or something of the machine fails.
pub fn run(args: &RunArgs) -> Result<u8> {
    let store = crate::store()?;
    match &args.what {
        Some(RunVerb::List { json }) => {
            looked(&store);
            show::list(&store, *json)
        }
        Some(RunVerb::Show { id, json }) => {
            let log = Log::open(&store, id)?;
            if looked(&store) {
                needs::seen(&log);
            }
            show::show(&log, *json)
        }
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

/// Notes that somebody looks, if that is a person.
fn looked(store: &Store) -> bool {
    let is_person = provenance::below_worker(Some(store)).is_none();
    // Who is told of what they have seen has lost little.
    is_person && store.note_looking().is_ok()
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
    let project = WorkTree::around(Path::new("."))?;
    let base = project
        .commit_of("HEAD")
        .context("a run begins at a commit, and there is none; make one first")?;
    let order = Order::of(store, args, &project)?;
    let driver = Driver::named(&order.about.worker)?;
    let has_checks = !order.spec.is_empty();
    let begin = Begin {
        limits: order.limits,
        has_checks,
        has_reviewer: !order.about.reviewers.is_empty(),
    };
    let spec = has_checks.then_some(order.spec.as_str());
    let mut log = Log::begin(store, order.about, spec)?;
    let place = match args.here {
        true => project.top().to_owned(),
        false => worktree::place(project.top(), &log.id),
    };
    log.about.dir = place.to_string_lossy().into_owned();
    log.keep_about()?;
    log.add(Kind::Queued(begin))?;
    greet(&log, &driver, (&base, order.limits))?;
    log.take_up()?;
    let ended = Drive::new(&log, driver, args.json)?.on()?;
    if !log.about.item.is_empty() {
        let words = format!("run {}: {}", log.id, show::in_short(&log, &log.run()?));
        items::tell(store, &log.about.item, &words);
    }
    Ok(ended)
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
        let count = words::count(own.lines().count() as u64, "uncommitted file");
        say!("  {count} of yours are not in it; --here works on them.");
    }
    Ok(())
}
