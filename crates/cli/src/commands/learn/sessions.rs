//! How calls of the past ended, from the hosts' own session files: what a new user starts with.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use edge::concerns::observations::{Known, known};
use edge::facts::programs;
use model::section::AnyStep;
use model::{Call, Ending, EndingWord, Event, SimpleCommand, fnv64, one_line};
use store::Store;
use text::Redactor;
use work::learning::{Learned, Limits, Seen, learn};
use work::observations::{LINE_CHARS_MAX, Outcome, observe};
use work::streaks::{RUN_MIN, SESSIONS_MIN, StreakStep, Streaks, TEXT_CHARS_MAX};

use crate::commands::replay::past::{self, OldCall};
use crate::here::Here;

/// What session files tell of one project.
#[derive(Default)]
pub struct Past {
    /// The directory that the project was worked on in last.
    cwd: String,
    /// Its calls.
    pub seen: Vec<Seen>,
}

/// The calls of session files, by project. Sessions that we have observed ourselves are left out.
pub fn read(here: &Here, store: &Store, host: Option<&str>, days: u64) -> Result<Vec<Past>> {
    let own: BTreeSet<String> = store
        .newest_journals()?
        .into_iter()
        .map(|journal| journal.session)
        .collect();
    let files = past::files(here, host, days);
    let (workers, _) = past::each(&files, None, BTreeMap::new, |projects, file| {
        for old in past::read(file) {
            if !own.contains(&old.call.session) {
                take(here, projects, file.host.id, old);
            }
        }
    });
    let mut all: BTreeMap<String, Past> = BTreeMap::new();
    for (project, past) in workers.into_iter().flatten() {
        let known = all.entry(project).or_default();
        known.cwd.clone_from(&past.cwd);
        known.seen.extend(past.seen);
    }
    Ok(all.into_values().collect())
}

/// The project of each, as its directory says now.
pub fn project_of(past: &Past) -> Option<Here> {
    Here::find(Some(&past.cwd)).ok()
}

fn take(here: &Here, projects: &mut BTreeMap<String, Past>, host: &'static str, old: OldCall) {
    let Call::Shell { .. } = &old.call.call else {
        return;
    };
    let is_told = old.has_ended || old.failed.is_some();
    if old.is_stopped || !is_told || old.call.cwd.is_empty() {
        return;
    }
    let cwd = old.call.cwd.clone();
    let top = edge::surroundings::place(&cwd).project;
    let project = edge::facts::project_dir(&top);
    let event = Event {
        host,
        cwd: cwd.clone(),
        ..here.event(old.call.call.clone())
    };
    let found = known(&event, &old.call.call, &top);
    if let Some(seen) = seen(&old, host, &found) {
        let past = projects.entry(project).or_default();
        past.cwd = cwd;
        past.seen.push(seen);
    }
}

fn seen(old: &OldCall, host: &str, found: &[Known]) -> Option<Seen> {
    let text = old.failed.clone().unwrap_or_default();
    let ending = Ending {
        word: match old.failed {
            Some(_) => EndingWord::Failed,
            None => EndingWord::Well,
        },
        status: old.failed.as_ref().and_then(|text| status_in(text)),
        ..Ending::default()
    };
    let ending = ending.printed(&text);
    let commands: Vec<SimpleCommand> = found.iter().map(|one| one.command.clone()).collect();
    let ended = observe(&old.call.call, &commands, &ending)?;
    let own = found
        .iter()
        .find(|one| Some(&one.command) == ended.command.as_ref())?;
    let is_ok = ended.outcome == Outcome::Ok;
    if ended.has_hard_error || !is_ok && !own.command.is_literal {
        return None;
    }
    if is_ok && !own.command.is_proved {
        return None;
    }
    let mut redactor = Redactor::default();
    Some(Seen {
        id: old.call.call_id.clone(),
        time: old.call.time,
        session: fnv64(old.call.session.as_bytes()),
        seat: host.to_owned(),
        dir: own.dir.clone(),
        words: own.command.words.clone(),
        also: ended.also.iter().map(|one| one.words.clone()).collect(),
        is_ok,
        kind: ended.error.kind,
        class: redactor.text(&ended.error.text),
        line: one_line(&redactor.text(&ended.error.line), LINE_CHARS_MAX),
    })
}

/// `Exit code: 3`, as hosts begin what they say of a failure.
fn status_in(text: &str) -> Option<i64> {
    let at = text.to_ascii_lowercase().find("exit code")?;
    let rest = text.get(at + "exit code".len()..)?;
    let number = rest.trim_start_matches([':', ' ']);
    let end = number
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(number.len());
    number.get(..end)?.parse().ok()
}

/// Tells the project of the rows of failures that go on, so that its next session is told of them.
pub fn share(store: &Store, here: &Here, past: &Past) -> Result<usize> {
    let limits = Limits {
        failures: RUN_MIN,
        sessions: SESSIONS_MIN as u64,
    };
    let rows: Vec<Learned> = learn(&past.seen, limits)
        .into_iter()
        .filter(|row| row.is_on)
        .collect();
    // What the project knows of already is counted there.
    let known = Streaks::of(&store.project(&here.project)?.value);
    let fresh = rows.iter().filter(|row| known.get(row.key).is_none());
    let steps: Vec<AnyStep> = fresh.flat_map(|row| steps(here, row)).collect();
    if !steps.is_empty() {
        store.share(&here.project, &steps)?;
    }
    Ok(rows.len())
}

fn steps(here: &Here, row: &Learned) -> Vec<AnyStep> {
    let dir = text::path::join(&here.place.project, &row.dir);
    let program = row.words.first().map_or("", String::as_str);
    let stamp = programs::stamp(&here.place, &dir, program);
    let failed = row.row.iter().map(|(session, time)| {
        AnyStep::from(StreakStep::Failed {
            key: row.key,
            command: one_line(&row.words.join(" "), TEXT_CHARS_MAX),
            seat: row.seat.clone(),
            kind: row.kind,
            class: one_line(&row.class, TEXT_CHARS_MAX),
            line: one_line(&row.line, TEXT_CHARS_MAX),
            session: *session,
            call: fnv64(format!("{session} {}", time.0).as_bytes()).max(1),
            time: *time,
            stamp,
            millis: 0,
            told: false,
        })
    });
    let mut steps: Vec<AnyStep> = failed.collect();
    for times in 0..if row.worked.is_empty() { 0 } else { 2 } {
        steps.push(AnyStep::from(StreakStep::Worked {
            key: row.key,
            command: row.worked.clone(),
            session: times + 1,
        }));
    }
    steps
}
