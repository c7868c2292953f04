//! Plays seeded fleets of workers against the real store and the product's own rules: what they are
//! told, what that saves, and what of it is wrong. `cargo xtask simulate` starts it.
//!
//! What is assumed and not measured: a worker that is told runs what worked afterwards in seven of
//! ten cases. One call in fourteen fails, as in the calls that the rules were played on.

use anyhow::Result;
use model::section::AnyStep;
use model::{Time, fnv64};
use patterns::wilson;
use store::Store;
use work::learning::{Limits, Seen, learn};
use work::observations::{ErrorKind, command_key};
use work::streaks::{StreakStep, Streaks};

/// The only project, and the seat of all workers.
const PROJECT: &str = "p0000000000000001";
const SEAT: &str = "claude";
/// Of ten workers that are told, so many do otherwise.
const OBEY_OF_TEN: u64 = 7;
/// Calls of a session, and sessions of a worker.
const CALLS: u64 = 16;
const SESSIONS: u64 = 6;

/// A family of commands and how it behaves.
struct Family {
    name: &'static str,
    /// How often it is called, of a thousand calls.
    share: u64,
    kind: ErrorKind,
    behaviour: Behaviour,
}

#[derive(Clone, Copy, PartialEq)]
enum Behaviour {
    /// Fails so often, of a thousand, each time in its own way.
    Healthy(u64),
    /// Cannot start until so much of the time has passed, in hundredths; then it is mended.
    Broken(u64),
}

const FAMILIES: &[Family] = &[
    family("git status", 400, ErrorKind::Other, Behaviour::Healthy(20)),
    family(
        "cargo test",
        250,
        ErrorKind::RedRun,
        Behaviour::Healthy(120),
    ),
    family("rg word", 150, ErrorKind::NoMatch, Behaviour::Healthy(100)),
    family("make build", 160, ErrorKind::Other, Behaviour::Healthy(40)),
    family(
        "npm test",
        15,
        ErrorKind::MissingModule,
        Behaviour::Broken(100),
    ),
    family(
        "python run.py",
        10,
        ErrorKind::MissingProgram,
        Behaviour::Broken(60),
    ),
    family("just fmt", 15, ErrorKind::Version, Behaviour::Broken(40)),
];

const fn family(name: &'static str, share: u64, kind: ErrorKind, behaviour: Behaviour) -> Family {
    Family {
        name,
        share,
        kind,
        behaviour,
    }
}

/// Numbers that are the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

#[derive(Default)]
struct Counts {
    calls: u64,
    failed: u64,
    /// Failures of what cannot start, after the first in the project.
    repeats: u64,
    told: u64,
    /// Told of a command that would have gone well.
    wrong: u64,
    /// Told after a success that ended the row.
    after_mended: u64,
    learned: usize,
    /// Learned of what is healthy.
    false_learned: usize,
    sure: f64,
}

/// One worker at one call.
struct Turn {
    worker: u64,
    session: u64,
    at: u64,
    /// How much of the time has passed, in hundredths.
    passed: u64,
}

/// One call that is made.
struct Made<'f> {
    family: &'f Family,
    words: Vec<String>,
    key: u64,
    fails: bool,
    time: Time,
}

struct Fleet<'s> {
    store: &'s Store,
    random: Random,
    is_told: bool,
    counts: Counts,
    seen: Vec<Seen>,
    told: std::collections::HashSet<(u64, u64)>,
    ended: std::collections::HashSet<u64>,
}

impl Fleet<'_> {
    fn play(&mut self, workers: u64) -> Result<()> {
        let all = workers * SESSIONS * CALLS;
        for at in 0..all {
            // Sessions of all workers run side by side, a round of them after another.
            let round = at / (workers * CALLS);
            let worker = self.random.below(workers);
            let turn = Turn {
                worker,
                session: fnv64(format!("{worker} {round}").as_bytes()),
                at,
                passed: at * 100 / all,
            };
            self.call(&turn)?;
        }
        Ok(())
    }

    fn call(&mut self, turn: &Turn) -> Result<()> {
        let mut pick = self.random.below(1_000);
        let family = FAMILIES.iter().find(|family| {
            let is_it = pick < family.share;
            pick = pick.saturating_sub(family.share);
            is_it
        });
        let Some(family) = family else {
            return Ok(());
        };
        self.counts.calls += 1;
        let fails = match family.behaviour {
            // The worker that poisons has a command fail that nobody else's does.
            Behaviour::Healthy(_) if turn.worker == 0 && family.name == "git status" => true,
            Behaviour::Healthy(often) => self.random.below(1_000) < often,
            Behaviour::Broken(until) => turn.passed < until,
        };
        let words: Vec<String> = family.name.split(' ').map(str::to_owned).collect();
        let key = command_key(SEAT, "", &words);
        let time = Time(1_000_000_000_000 + turn.at * 1_000);
        if self.tells(key, turn.session, time)? {
            self.counts.told += 1;
            self.counts.wrong += u64::from(!fails);
            self.counts.after_mended += u64::from(!fails && self.ended.contains(&key));
            self.told.insert((turn.session, key));
            if self.random.below(10) < OBEY_OF_TEN {
                // Runs what works instead.
                return Ok(());
            }
        }
        let made = Made {
            family,
            words,
            key,
            fails,
            time,
        };
        self.end(turn, made)
    }

    /// Whether the worker is told, by the product's rule on the product's record.
    fn tells(&self, key: u64, session: u64, time: Time) -> Result<bool> {
        if !self.is_told || self.told.contains(&(session, key)) {
            return Ok(false);
        }
        let streaks = Streaks::of(&self.store.project(PROJECT)?.value);
        Ok(streaks
            .get(key)
            .is_some_and(|streak| streak.is_due(session, time, 0)))
    }

    fn end(&mut self, turn: &Turn, made: Made<'_>) -> Result<()> {
        let Made {
            family,
            words,
            key,
            fails,
            time,
        } = made;
        let class = match family.behaviour {
            Behaviour::Healthy(_) if turn.worker != 0 => format!("error {}", self.random.below(9)),
            _ => family.name.to_owned(),
        };
        self.counts.failed += u64::from(fails);
        let is_broken = matches!(family.behaviour, Behaviour::Broken(_));
        let known = Streaks::of(&self.store.project(PROJECT)?.value);
        self.counts.repeats += u64::from(fails && is_broken && known.get(key).is_some());
        let step = match fails && !family.kind.is_news() {
            true => Some(StreakStep::Failed {
                key,
                command: family.name.to_owned(),
                seat: SEAT.to_owned(),
                kind: family.kind,
                class: class.clone(),
                line: class.clone(),
                session: turn.session,
                call: turn.at + 1,
                time,
                stamp: 0,
                millis: 0,
                told: self.told.contains(&(turn.session, key)),
            }),
            false => known
                .get(key)
                .map(|_| StreakStep::Ended { key, wrong: false }),
        };
        if !fails && is_broken {
            self.ended.insert(key);
        }
        if let Some(step) = step {
            self.store.share(PROJECT, &[AnyStep::from(step)])?;
        }
        self.seen.push(Seen {
            id: turn.at.to_string(),
            time,
            session: turn.session,
            seat: SEAT.to_owned(),
            words,
            is_ok: !fails,
            kind: family.kind,
            class,
            ..Seen::default()
        });
        Ok(())
    }

    /// What the learner makes of all that was seen.
    fn learn(&mut self) {
        let limits = Limits {
            failures: 3,
            sessions: 2,
        };
        let sure = learn(&self.seen, limits)
            .into_iter()
            .filter(|one| wilson(one.right, one.matches) >= 0.5);
        for one in sure {
            let name = one.words.join(" ");
            let family = FAMILIES.iter().find(|family| family.name == name);
            let is_healthy =
                family.is_some_and(|family| matches!(family.behaviour, Behaviour::Healthy(_)));
            self.counts.learned += 1;
            self.counts.false_learned += usize::from(is_healthy);
            self.counts.sure = self.counts.sure.max(wilson(one.right, one.matches));
        }
    }
}

fn play(workers: u64, is_told: bool) -> Result<Counts> {
    let dir = tempfile::tempdir()?;
    let store = Store::open(&dir.path().join("state"))?;
    let mut fleet = Fleet {
        store: &store,
        random: Random(workers + 7),
        is_told,
        counts: Counts::default(),
        seen: Vec::new(),
        told: std::collections::HashSet::new(),
        ended: std::collections::HashSet::new(),
    };
    fleet.play(workers)?;
    fleet.learn();
    Ok(fleet.counts)
}

fn main() -> Result<()> {
    println!(
        "| workers | calls | failed | repeats untold | repeats told | fewer | told | wrong | after \
         it was mended | learned | of healthy |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let mut is_good = true;
    for workers in [1, 10, 1_000] {
        let (untold, told) = (play(workers, false)?, play(workers, true)?);
        let share = |part: u64, all: u64| part as f64 * 100.0 / all.max(1) as f64;
        let fewer = 100.0 - share(told.repeats, untold.repeats);
        println!(
            "| {workers} | {} | {:.1} % | {} | {} | {fewer:.0} % | {} | {:.1} % | {} | {} | {} |",
            untold.calls,
            share(untold.failed, untold.calls),
            untold.repeats,
            told.repeats,
            told.told,
            share(told.wrong, told.told),
            told.after_mended,
            told.learned,
            told.false_learned,
        );
        if workers == 1_000 {
            is_good = fewer >= 50.0 && share(told.wrong, told.told) < 5.0;
        }
    }
    anyhow::ensure!(
        is_good,
        "a thousand workers are not helped as they should be"
    );
    Ok(())
}
