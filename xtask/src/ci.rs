//! Which steps run, and when: everything that must hold before a change lands, or the quick part.
//!
//! Runs on a fresh machine: it installs what it needs with the machine's own package managers and
//! says what could not be had. The last line counts every test that ran. What a step does stands
//! in `steps`.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Error, Result, bail};
use clap::Args;

use crate::steps::{STEPS, Step};
use crate::{corpus, shell, suite};

/// Which steps are run.
#[derive(Args)]
pub struct Arguments {
    /// The only steps that are run, one after the other
    steps: Vec<String>,
    /// What takes hours: mutants, the hook's unsafe code under miri, longer fuzzing
    #[arg(long)]
    long: bool,
    /// A part of the mutants, such as 0/8 for every eighth
    #[arg(long, value_name = "K/N")]
    shard: Option<String>,
}

/// Steps that run side by side: each lane in its order, as a process of its own.
type Phase = &'static [&'static [&'static str]];

/// A whole run. What builds in the same place, or changes the machine, stands in one lane.
const WHOLE: &[Phase] = &[
    &[&["install", "format"]],
    &[
        &["lint", "tidy", "test", "examples", "packages"],
        &[
            "hook",
            "installed",
            "corpus",
            "hardened",
            "targets",
            "clients",
            "fuzz",
        ],
    ],
    // What loads the machine, or is measured, has it to itself.
    &[&["load", "budget"]],
];

/// What a change is tried with while it is made.
const QUICK: &[&str] = &["format", "lint", "tidy", "test"];

/// What takes hours.
const LONG: &[&str] = &[
    "licences",
    "elsewhere",
    "deck",
    "memory",
    "kills",
    "defences",
    "mutants",
    "long-fuzz",
];

/// What has been counted so far.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct StepCounters {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Which part of the mutants is wanted; empty = all.
    pub shard: String,
    /// Whether only what is quick is wanted.
    pub is_quick: bool,
    skipped: Vec<String>,
    times: Vec<String>,
}

impl StepCounters {
    /// Of a run that tries only a part of the mutants; empty = all.
    fn of_shard(shard: &str) -> Self {
        Self {
            shard: shard.to_owned(),
            ..Self::default()
        }
    }

    /// Notes what this machine cannot check, and why.
    pub fn skip(&mut self, what: &str) {
        self.skipped.push(what.to_owned());
    }

    /// Notes how a step ended.
    fn ended(&mut self, step: &str, begin: Instant, result: &Result<()>) {
        let seconds = begin.elapsed().as_secs_f64();
        self.times.push(format!("{step} {seconds:.0}s"));
        // A step that failed without a failed test is one failure.
        self.failed = self.failed.max(u64::from(result.is_err()));
    }

    /// The last lines of a run.
    fn summary(&self) -> String {
        let mut lines = vec![format!("steps: {}", self.times.join(", "))];
        if !self.skipped.is_empty() {
            lines.push(format!("{SKIPPED}{}", self.skipped.join("; ")));
        }
        lines.push(format!("{} passed, {} failed", self.passed, self.failed));
        lines.join("\n")
    }

    /// Takes in what another run's summary says.
    fn add(&mut self, said: &str) {
        let last = said.lines().last().unwrap_or_default();
        self.passed += suite::number(last, " passed");
        self.failed += suite::number(last, " failed");
        let skipped = said.lines().filter_map(|line| line.strip_prefix(SKIPPED));
        let skipped = skipped.flat_map(|line| line.split("; "));
        self.skipped.extend(skipped.map(str::to_owned));
    }
}

const SKIPPED: &str = "not checked here: ";

/// Runs all steps, or those named.
///
/// # Errors
/// If a step fails; the later ones are not run.
pub fn run(arguments: &Arguments) -> Result<()> {
    let shard = arguments.shard.as_deref().unwrap_or_default();
    match (arguments.steps.as_slice(), arguments.long) {
        ([], false) => whole(),
        ([], true) => in_turn(LONG, StepCounters::of_shard(shard)),
        (steps, _) => {
            let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
            in_turn(&steps, StepCounters::of_shard(shard))
        }
    }
}

/// Of the corpus, one case in so many is in the quick part.
const CORPUS_PART: u32 = 8;

/// Runs the quick part, and a part of the corpus through the hook that its tests have built.
///
/// # Errors
/// If a step fails; the later ones are not run.
pub fn quick() -> Result<()> {
    let counters = StepCounters {
        is_quick: true,
        ..StepCounters::default()
    };
    in_turn(QUICK, counters)?;
    corpus::run(&corpus::Arguments::one_in(CORPUS_PART))
}

/// Runs steps one after the other, in this process.
fn in_turn(names: &[&str], mut counters: StepCounters) -> Result<()> {
    let steps = names.iter().map(|name| step(name));
    let steps = steps.collect::<Result<Vec<_>>>()?;
    let mut result = Ok(());
    for step in steps {
        println!("\n== {} ==", step.name);
        let begin = Instant::now();
        result = (step.run)(&mut counters).with_context(|| format!("step `{}`", step.name));
        counters.ended(step.name, begin, &result);
        if result.is_err() {
            break;
        }
    }
    println!("\n{}", counters.summary());
    result
}

fn step(name: &str) -> Result<&'static Step> {
    let step = STEPS.iter().find(|step| step.name == name);
    let known = || STEPS.iter().map(|step| step.name).collect::<Vec<_>>();
    step.with_context(|| format!("no step `{name}`; there are {}", known().join(", ")))
}

/// Runs everything; the output of a step is shown whole when it ends.
fn whole() -> Result<()> {
    let logs = shell::target().join("ci");
    fs::create_dir_all(&logs)?;
    // Tests may build this very program anew while it runs.
    let program = logs.join("xtask");
    fs::copy(std::env::current_exe()?, &program)?;
    let run = Run {
        program,
        logs,
        counters: Mutex::new(StepCounters::default()),
        failure: Mutex::new(None),
    };
    for phase in WHOLE {
        thread::scope(|scope| {
            for lane in *phase {
                scope.spawn(|| run.lane(lane));
            }
        });
    }
    let failure = lock(&run.failure).take();
    if let Some((name, _)) = &failure {
        // The other lane went on, and may have said much since.
        println!("\n== {name} failed; it said last ==\n{}", run.end_of(name));
    }
    println!("\n{}", lock(&run.counters).summary());
    failure.map_or(Ok(()), |(_, error)| Err(error))
}

/// Lines shown once more of a step that failed.
const LAST_LINES: usize = 60;

/// A whole run, under way.
struct Run {
    program: PathBuf,
    logs: PathBuf,
    counters: Mutex<StepCounters>,
    /// The first step that failed, and how.
    failure: Mutex<Option<(&'static str, Error)>>,
}

impl Run {
    /// Runs the steps of a lane, until one fails anywhere.
    fn lane(&self, names: &[&'static str]) {
        for name in names {
            if lock(&self.failure).is_some() {
                return;
            }
            println!("-- {name} begins");
            let begin = Instant::now();
            let result = self.alone(name);
            let mut counters = lock(&self.counters);
            let said = self.said(name);
            // Under the lock, so that nobody else's output comes between.
            println!("{said}");
            counters.add(&said);
            counters.ended(name, begin, &result);
            if let Err(error) = result {
                lock(&self.failure).get_or_insert((name, error));
            }
        }
    }

    /// All that a step printed; programs that it ran may have printed anything.
    fn said(&self, name: &str) -> String {
        let said = fs::read(self.log(name)).unwrap_or_default();
        String::from_utf8_lossy(&said).into_owned()
    }

    /// The last lines that a step printed.
    fn end_of(&self, name: &str) -> String {
        let said = self.said(name);
        let lines: Vec<&str> = said.lines().collect();
        let begin = lines.len().saturating_sub(LAST_LINES);
        lines.get(begin..).unwrap_or_default().join("\n")
    }

    fn log(&self, name: &str) -> PathBuf {
        self.logs.join(format!("{name}.txt"))
    }

    /// Runs a step in a process of its own, its output to its own file.
    fn alone(&self, name: &str) -> Result<()> {
        let log: &Path = &self.log(name);
        let out = File::create(log)?;
        let program = self.program.display().to_string();
        let mut command = shell::command(&program, &["ci", name]);
        let status = command.stdout(out.try_clone()?).stderr(out).status()?;
        if !status.success() {
            bail!("step `{name}` failed; its output is in {}", log.display());
        }
        Ok(())
    }
}

/// What a mutex holds, whoever panicked with it.
pub fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_taken_in_as_it_was_said() {
        let mut one = StepCounters {
            passed: 12,
            failed: 3,
            ..StepCounters::default()
        };
        one.skip("fuzz (no nightly toolchain)");
        one.skip("a-target");
        let mut all = StepCounters::default();
        all.add(&format!("7 passed, 8 failed\n\n{}\n", one.summary()));
        assert_eq!((all.passed, all.failed), (12, 3));
        assert_eq!(all.skipped, one.skipped);
        all.add("it broke\n");
        assert_eq!((all.passed, all.failed), (12, 3));
        assert!(all.summary().ends_with("\n12 passed, 3 failed"));
    }

    #[test]
    fn every_step_that_is_planned_is_there() {
        let whole: Vec<&str> = WHOLE.concat().concat();
        for name in [QUICK, LONG, &whole].concat() {
            assert!(step(name).is_ok(), "{name}");
        }
        assert!(step("nothing").is_err());
        // What is not long is in the whole run, once.
        for step in STEPS {
            let planned = whole.iter().filter(|name| **name == step.name).count();
            let expected = usize::from(!LONG.contains(&step.name));
            assert_eq!(planned, expected, "{}", step.name);
        }
    }
}
