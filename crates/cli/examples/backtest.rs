//! Plays the observations of a file against the rule that tells of rows of failures: how often it
//! would have spoken, and what became of the call. `cargo xtask backtest FILE` starts it.
//!
//! It reads what `tollgate observations --json` prints, and a shorter form in which commands are
//! masked (`p`, `s`, `h`, `key`, `argv`, `also`, `ok`, `cls`, `err`).

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use anyhow::{Context, Result};
use model::section::Step;
use model::{Time, fnv64};
use patterns::wilson;
use serde_json::Value;
use work::learning::{Limits, Seen, learn};
use work::observations::{ErrorKind, command_key};
use work::streaks::{StreakStep, Streaks};

/// One call that ended.
struct Row {
    project: String,
    session: u64,
    time: Time,
    seat: String,
    words: Vec<String>,
    also: Vec<Vec<String>>,
    is_ok: bool,
    kind: ErrorKind,
    class: String,
}

/// What became of calls of which the rule spoke.
#[derive(Default, Clone, Copy)]
struct Counts {
    same: u64,
    other: u64,
    well: u64,
}

/// The kinds of the shorter form, by their names there.
const KINDS: &[(&str, ErrorKind)] = &[
    ("red run", ErrorKind::RedRun),
    ("no match (exit 1)", ErrorKind::NoMatch),
    ("no output", ErrorKind::NoOutput),
    ("sandbox denial", ErrorKind::Sandbox),
    ("timeout", ErrorKind::Timeout),
    ("missing program", ErrorKind::MissingProgram),
    ("missing module", ErrorKind::MissingModule),
    ("unsupported version", ErrorKind::Version),
    ("unknown option / subcommand", ErrorKind::UnknownOption),
    ("missing npm script", ErrorKind::MissingTarget),
    ("authentication / rights", ErrorKind::Access),
    ("git state", ErrorKind::GitState),
    ("git lock", ErrorKind::GitLock),
    ("commit hook / commit refused", ErrorKind::CommitHook),
    (
        "not a git repository / wrong dir",
        ErrorKind::WrongDirectory,
    ),
    ("missing file", ErrorKind::MissingFile),
    ("service not running / network", ErrorKind::ServiceDown),
    ("shell quoting / syntax", ErrorKind::Quoting),
    ("script exception", ErrorKind::Exception),
];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().context("which file of observations?")?;
    let file = std::fs::File::open(&path).with_context(|| format!("cannot open {path}"))?;
    let mut rows: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    let mut count = 0;
    for line in std::io::BufReader::new(file).lines() {
        let value: Value = serde_json::from_str(&line?)?;
        count += 1;
        if let Some(row) = own(&value).or_else(|| short(&value)) {
            rows.entry(row.project.clone()).or_default().push(row);
        }
    }
    println!("{count} calls of {} projects in {path}", rows.len());
    println!("\nAs the product does:\n");
    report(&rows, ErrorKind::is_news);
    println!("\nWith refusals of commit hooks and states of repositories:\n");
    report(&rows, |kind| {
        let is_also = matches!(kind, ErrorKind::CommitHook | ErrorKind::GitState);
        kind.is_news() && !is_also
    });
    println!(
        "\nPatterns (3 failures in 2 sessions, sure to 0.5), and what became of them later:\n"
    );
    learned(&rows);
    Ok(())
}

/// What patterns would have said of the calls that came after them, each once a session.
fn learned(rows: &BTreeMap<String, Vec<Row>>) {
    println!("| projects | patterns | told | failed the same way | otherwise | right |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let number = |name: &str| name.parse().unwrap_or_else(|_| fnv64(name.as_bytes()));
    let played: Vec<(u64, [u64; 3])> = rows
        .iter()
        .map(|(name, rows)| (number(name), patterns_of(rows)))
        .collect();
    let mut richest: Vec<(u64, u64)> = played
        .iter()
        .map(|(name, [_, same, _])| (*same, *name))
        .collect();
    richest.sort_unstable();
    let two: Vec<u64> = richest
        .iter()
        .rev()
        .take(2)
        .map(|(_, name)| *name)
        .collect();
    let line = |title: &str, wanted: &dyn Fn(u64) -> bool| {
        let own = played.iter().filter(|(name, _)| wanted(*name));
        let [patterns, same, other] =
            own.fold([0; 3], |[a, b, c], (_, [d, e, f])| [a + d, b + e, c + f]);
        let told = same + other;
        let right = match told {
            0 => "-".to_owned(),
            _ => format!("{:.2}", same as f64 / told as f64),
        };
        println!("| {title} | {patterns} | {told} | {same} | {other} | {right} |");
    };
    line("all", &|_| true);
    line("even numbers", &|name| name % 2 == 0);
    line("odd numbers", &|name| name % 2 == 1);
    line("without the two richest", &|name| !two.contains(&name));
}

/// Patterns of one project, and how often what they said came true, and not.
fn patterns_of(rows: &[Row]) -> [u64; 3] {
    let seen: Vec<Seen> = rows.iter().enumerate().map(seen).collect();
    let (mut patterns, mut same, mut other) = (0, 0, 0);
    for candidate in learn(&seen, LIMITS) {
        let own = seen.iter().filter(|one| {
            let is_it = one.words == candidate.words && one.seat == candidate.seat;
            is_it || one.also.contains(&candidate.words)
        });
        let own: Vec<Seen> = own.cloned().collect();
        let mut told: BTreeSet<u64> = BTreeSet::new();
        let mut was_there = false;
        for (at, one) in own.iter().enumerate() {
            let past = learn(own.get(..at).unwrap_or_default(), LIMITS);
            let known = past.iter().find(|known| known.key == candidate.key);
            let Some(known) = known.filter(|known| wilson(known.right, known.matches) >= 0.5)
            else {
                continue;
            };
            was_there = true;
            let saw_it = known.row.iter().any(|(session, _)| *session == one.session);
            if !known.is_on || saw_it || one.words != candidate.words || !told.insert(one.session) {
                continue;
            }
            let is_same = !one.is_ok && one.kind == known.kind;
            same += u64::from(is_same);
            other += u64::from(!is_same);
        }
        patterns += u64::from(was_there);
    }
    [patterns, same, other]
}

const LIMITS: Limits = Limits {
    failures: 3,
    sessions: 2,
};

fn seen((at, row): (usize, &Row)) -> Seen {
    Seen {
        id: format!("{at:08}"),
        time: row.time,
        session: row.session,
        seat: row.seat.clone(),
        words: row.words.clone(),
        also: row.also.clone(),
        is_ok: row.is_ok,
        kind: row.kind,
        class: row.class.clone(),
        ..Seen::default()
    }
}

/// Plays all projects and prints what came of it.
fn report(rows: &BTreeMap<String, Vec<Row>>, is_news: fn(ErrorKind) -> bool) {
    let played = rows.iter();
    let played = played.map(|(project, rows)| (project.as_str(), play(rows, is_news)));
    let played: BTreeMap<&str, Counts> = played.collect();
    let mut richest: Vec<(&str, u64)> = played
        .iter()
        .map(|(name, counts)| (*name, counts.same))
        .collect();
    richest.sort_by_key(|(_, same)| std::cmp::Reverse(*same));
    let two: BTreeSet<&str> = richest.iter().take(2).map(|(name, _)| *name).collect();
    println!("| projects | told | failed the same way | another way | went well | right |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let number = |name: &str| name.parse().unwrap_or_else(|_| fnv64(name.as_bytes()));
    let is_odd = |name: &str| number(name) % 2 == 1;
    let line = |title: &str, wanted: &dyn Fn(&str) -> bool| {
        let all = played
            .iter()
            .filter(|(name, _)| wanted(name))
            .map(|(_, counts)| counts);
        print(title, all);
    };
    line("all", &|_| true);
    line("even numbers", &|name| !is_odd(name));
    line("odd numbers", &is_odd);
    line("without the two richest", &|name| !two.contains(name));
    line("odd, without the two richest", &|name| {
        is_odd(name) && !two.contains(name)
    });
    let told = richest.iter().filter(|(_, same)| *same > 0);
    let told: Vec<String> = told.map(|(_, same)| same.to_string()).collect();
    println!("\nRight by project: {}.", told.join(", "));
}

fn print<'a>(title: &str, all: impl Iterator<Item = &'a Counts>) {
    let sum = all.fold(Counts::default(), |sum, one| Counts {
        same: sum.same + one.same,
        other: sum.other + one.other,
        well: sum.well + one.well,
    });
    let told = sum.same + sum.other + sum.well;
    let right = match told {
        0 => "-".to_owned(),
        _ => format!("{:.2}", sum.same as f64 / told as f64),
    };
    println!(
        "| {title} | {told} | {} | {} | {} | {right} |",
        sum.same, sum.other, sum.well
    );
}

fn text(value: &Value, key: &str) -> String {
    value
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(|one| Some(one.as_str()?.to_owned()))
        .collect()
}

/// A line that we exported.
fn own(value: &Value) -> Option<Row> {
    let outcome = value.get("outcome")?;
    let status = text(outcome, "status");
    let error = text(value, "error");
    let mut kinds = ErrorKind::NAMES.iter();
    let known = kinds.find(|(name, _)| *name == error);
    let also = texts(value.get("also")?);
    Some(Row {
        project: text(value, "project"),
        session: fnv64(text(value, "session").as_bytes()),
        time: Time(text::date::millis(&text(value, "timestamp"))?),
        seat: text(value, "agent_id"),
        words: texts(value.get("argv")?),
        also: also
            .iter()
            .map(|one| one.split(' ').map(str::to_owned).collect())
            .collect(),
        is_ok: (status != "unknown").then_some(status == "success")?,
        kind: known.map_or(ErrorKind::Other, |(_, kind)| *kind),
        class: text(value, "class"),
    })
}

/// A line of the shorter form.
fn short(value: &Value) -> Option<Row> {
    let words = |list: &Value| -> Vec<String> {
        texts(list)
            .iter()
            .flat_map(|word| word.split(' ').map(str::to_owned).collect::<Vec<_>>())
            .collect()
    };
    let mut own = vec![text(value, "key")];
    own.extend(texts(value.get("argv")?));
    let also = value.get("also").and_then(Value::as_array);
    let class = text(value, "cls");
    let known = KINDS.iter().find(|(name, _)| *name == class);
    let hours = value.get("h").and_then(Value::as_f64).unwrap_or_default();
    Some(Row {
        project: value.get("p")?.to_string(),
        session: value.get("s")?.as_u64()?,
        time: Time((hours * 3_600_000.0) as u64 + 1),
        seat: text(value, "agent"),
        words: own
            .iter()
            .flat_map(|word| word.split(' ').map(str::to_owned).collect::<Vec<_>>())
            .collect(),
        also: also.into_iter().flatten().map(words).collect(),
        is_ok: value.get("ok")?.as_bool()?,
        kind: known.map_or(ErrorKind::Other, |(_, kind)| *kind),
        class: text(value, "err"),
    })
}

/// Plays one project, call by call.
fn play(rows: &[Row], is_news: fn(ErrorKind) -> bool) -> Counts {
    let mut counts = Counts::default();
    let mut kept = Streaks::default();
    // Commands that a session was told of, or ran itself: it knows how they end.
    let mut seen: BTreeSet<(u64, u64)> = BTreeSet::new();
    for (at, row) in rows.iter().enumerate() {
        let key = command_key(&row.seat, "", &row.words);
        let streak = kept
            .get(key)
            .filter(|streak| streak.is_due(row.session, row.time, 0));
        let is_told = streak.is_some() && !seen.contains(&(row.session, key));
        if let Some(streak) = streak.filter(|_| is_told) {
            match (row.is_ok, streak.is_same(row.kind, &row.class)) {
                (true, _) => counts.well += 1,
                (false, true) => counts.same += 1,
                (false, false) => counts.other += 1,
            }
        }
        seen.insert((row.session, key));
        let step = match row.is_ok || is_news(row.kind) {
            true => StreakStep::Ended { key, wrong: false },
            false => StreakStep::Failed {
                key,
                command: row.words.join(" "),
                seat: row.seat.clone(),
                kind: row.kind,
                class: row.class.clone(),
                line: row.class.clone(),
                session: row.session,
                call: at as u64 + 1,
                time: row.time,
                stamp: 0,
                millis: 0,
                told: is_told,
            },
        };
        let also = row.also.iter().filter(|_| row.is_ok);
        let also = also.map(|words| command_key(&row.seat, "", words));
        let ended: Vec<StreakStep> = also
            .inspect(|key| {
                seen.insert((row.session, *key));
            })
            .map(|key| StreakStep::Ended { key, wrong: false })
            .collect();
        for step in std::iter::once(step).chain(ended) {
            // Nobody else writes here.
            let applied = Step::apply(&step, &mut kept);
            debug_assert!(applied.is_ok());
        }
    }
    counts
}
