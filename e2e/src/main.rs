//! The real clients, driven end to end against a scripted model.
//!
//! The witness is always a file: a denied command must not have made it, an allowed one must have.
//! `cargo xtask clients` builds the programs under test and starts this one. It knows of them what
//! a user does: their commands, and what a client shows.

mod altered;
mod api;
mod assets;
mod board;
mod chat;
mod claude;
mod client;
mod codex;
mod copilot;
mod deck;
mod discipline;
mod drift;
mod gemini;
mod http;
mod kind;
mod learner;
mod losses;
mod opencode;
mod pages;
mod planning;
mod proxied;
mod qwen;
mod review;
mod runs;
mod sandbox;
mod scenarios;
mod shell;
mod tampering;
mod terminal;
mod verdicts;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;
use std::{fs, thread};

use anyhow::{Result, ensure};
use clap::Parser;

use self::client::Client;
use self::kind::{Column, KINDS, Kind};
use self::sandbox::Driver;

/// The programs under test.
#[derive(Clone)]
pub struct Gate {
    /// `tollgate`.
    pub tollgate: PathBuf,
    /// `tollgate-hook`, as it is installed.
    pub hook: PathBuf,
    /// Whether all is played of what otherwise a few stand for.
    pub long: bool,
}

/// One behaviour that must hold with a real client.
#[derive(Clone, Copy)]
pub struct Behaviour {
    /// What it shows.
    pub kinds: &'static [Kind],
    /// What must hold, in words.
    pub name: &'static str,
    /// Plays it; the error says what went wrong.
    pub scenario: fn(&Client, &Gate) -> Result<()>,
}

/// A client that is driven through what is the same with every one.
pub trait Driven {
    /// How.
    const DRIVER: &'static Driver;
}

/// A host whose real client is driven.
pub struct Host {
    /// Its id in `clients.txt`.
    pub id: &'static str,
    /// Its name in the papers.
    pub title: &'static str,
    /// What must hold. The behaviours of a group are played one after the other, groups at once.
    pub groups: &'static [&'static [Behaviour]],
    /// What cannot be shown because the client has it not, each with a word why.
    pub lacks: &'static [(Kind, &'static str)],
}

/// The hosts whose real client is driven.
const HOSTS: &[Host] = &[
    claude::HOST,
    codex::HOST,
    gemini::HOST,
    opencode::HOST,
    copilot::HOST,
    qwen::HOST,
];

/// A group of behaviours, to be played.
struct Job<'a> {
    host: &'a Host,
    client: &'a Client,
    group: &'static [Behaviour],
}

/// What became of one behaviour.
struct Outcome<'a> {
    host: &'a Host,
    behaviour: &'static Behaviour,
    held: bool,
    seconds: f64,
}

/// Drives real clients. Its last line is how many behaviours held.
#[derive(Parser)]
struct Arguments {
    /// The `tollgate` under test.
    #[arg(long)]
    tollgate: PathBuf,
    /// The `tollgate-hook` under test, as it is installed.
    #[arg(long)]
    hook: PathBuf,
    /// The only host whose client is driven.
    #[arg(long, default_value = "")]
    host: String,
    /// Words in the names of the behaviours that are played.
    #[arg(long, default_value = "")]
    only: String,
    /// Plays all of what otherwise a few stand for.
    #[arg(long)]
    long: bool,
    /// Measures how long clients wait for a server of tools, and nothing else.
    #[arg(long)]
    holds: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(held) => {
            println!("{held} behaviours hold");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("clients: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all behaviours of a host, or of every host if none is named; gives how many held.
///
/// # Errors
/// If one does not hold, or the table in `docs/hosts.md` says something else; all are tried first.
fn run(arguments: &Arguments) -> Result<usize> {
    if arguments.holds {
        return proxied::holds::measure().map(|()| 0);
    }
    let (host, only) = (&arguments.host, &arguments.only);
    let is_wanted = |known: &&Host| host.is_empty() || known.id == host;
    let hosts: Vec<&Host> = HOSTS.iter().filter(is_wanted).collect();
    let known: Vec<&str> = HOSTS.iter().map(|host| host.id).collect();
    ensure!(
        !hosts.is_empty(),
        "no behaviours are written for `{host}`; known: {}",
        known.join(", ")
    );
    // They are found beside the other.
    for name in ["tollgate-desk", "tollgate-proxy"] {
        stripped(&arguments.tollgate.with_file_name(name))?;
    }
    let gate = Gate {
        tollgate: stripped(&arguments.tollgate)?,
        hook: arguments.hook.clone(),
        long: arguments.long,
    };
    let clients = hosts.iter().map(|host| client::install(host.id));
    let clients = clients.collect::<Result<Vec<_>>>()?;
    let jobs = hosts.iter().zip(&clients).flat_map(|(host, client)| {
        let groups = host.groups.iter();
        groups.map(move |group| Job {
            host,
            client,
            group,
        })
    });
    let outcomes = play(jobs.collect(), &gate, only);
    report(&hosts, &outcomes, only)
}

/// A program without what debuggers want, where that can be taken off: every sandbox has a copy of
/// its own. One that is there stays as long as it is newer, since others may be at play with it.
fn stripped(built: &Path) -> Result<PathBuf> {
    let dir = shell::target().join("clients-gate");
    let made = dir.join(built.file_name().unwrap_or_default());
    let age = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified());
    if age(&made).is_ok_and(|made| age(built).is_ok_and(|built| built < made)) {
        return Ok(made);
    }
    fs::create_dir_all(&dir)?;
    let new = made.with_extension(std::process::id().to_string());
    let (from, to) = (built.display().to_string(), new.display().to_string());
    if shell::run("strip", &["-o", &to, &from]).is_err() {
        fs::copy(built, &new)?;
    }
    fs::rename(&new, &made)?;
    Ok(made)
}

/// Plays groups, as many at once as this machine bears; those that hold leave nothing behind,
/// unless `KEEP` is set.
fn play<'a>(mut jobs: Vec<Job<'a>>, gate: &Gate, only: &str) -> Vec<Outcome<'a>> {
    // Taken from the end: the longest first, so that nobody waits for one that began last.
    jobs.sort_by_key(|job| job.group.len());
    let (jobs, outcomes) = (Mutex::new(jobs), Mutex::new(Vec::new()));
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).pop();
    // A client waits as often as it works.
    let workers = thread::available_parallelism().map_or(2, usize::from) + 1;
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(job) = next() {
                    let played = play_group(&job, gate, only);
                    let mut outcomes = outcomes.lock().unwrap_or_else(PoisonError::into_inner);
                    outcomes.extend(played);
                }
            });
        }
    });
    outcomes
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Plays the behaviours of a group whose name holds the words.
fn play_group<'a>(job: &Job<'a>, gate: &Gate, only: &str) -> Vec<Outcome<'a>> {
    let wanted = job.group.iter().filter(|one| one.name.contains(only));
    let (mut outcomes, mut done, mut keep) = (Vec::new(), Vec::new(), false);
    for behaviour in wanted {
        let begin = Instant::now();
        let result = (behaviour.scenario)(job.client, gate);
        let seconds = begin.elapsed().as_secs_f64();
        let (id, name) = (job.host.id, behaviour.name);
        let sandboxes = sandbox::built();
        match &result {
            Ok(()) => {
                println!("  holds   {id}: {name} ({seconds:.1} s)");
                done.extend(sandboxes);
            }
            // It may have looked at a sandbox that an earlier one built.
            Err(error) => {
                println!("  BROKEN  {id}: {name} ({seconds:.1} s): {error:#}");
                keep |= sandboxes.is_empty();
            }
        }
        outcomes.push(Outcome {
            host: job.host,
            behaviour,
            held: result.is_ok(),
            seconds,
        });
    }
    keep |= std::env::var_os("KEEP").is_some();
    for sandbox in done.iter().filter(|_| !keep) {
        // What is left costs space and nothing else.
        drop(fs::remove_dir_all(sandbox));
    }
    outcomes
}

/// Counts what held, and compares the table of it with the page that shows it.
fn report(hosts: &[&Host], outcomes: &[Outcome<'_>], only: &str) -> Result<usize> {
    let (mut held, mut broken) = (0, 0);
    let mut columns = Vec::new();
    for host in hosts {
        let own = outcomes.iter().filter(|one| one.host.id == host.id);
        let own: Vec<&Outcome<'_>> = own.collect();
        let seconds: f64 = own.iter().map(|one| one.seconds).sum();
        let holds = own.iter().filter(|one| one.held).count();
        println!(
            "clients: {}: {holds} hold, {} broken, {seconds:.0} s",
            host.id,
            own.len() - holds
        );
        held += holds;
        broken += own.len() - holds;
        columns.push((*host, column(&own)));
    }
    if only.is_empty() {
        kind::compare(&columns)?;
    }
    ensure!(
        broken == 0 && held > 0,
        "{broken} behaviours are broken, {held} hold"
    );
    Ok(held)
}

/// How many behaviours of each kind held, and how many broke.
fn column(outcomes: &[&Outcome<'_>]) -> Column {
    let count = |(kind, _): &(Kind, &str)| {
        let shown = outcomes.iter();
        let shown = shown.filter(|one| one.behaviour.kinds.contains(kind));
        let held = shown.clone().filter(|one| one.held).count();
        (held, shown.count() - held)
    };
    KINDS.iter().map(count).collect()
}
