//! Hidden verbs: a loss stays a loss however its verb is spelled, and what is harmless stays so.
//!
//! Every command of the corpus that is answered rightly is hidden in some way (`hidden/ways.rs`)
//! and sent again. What was to be stopped must be stopped or asked about, what was to go must go.
//! Every second command is hidden in one way, which its id says and `CORPUS_SEED`. With
//! `CORPUS_HIDDEN` set, all commands are hidden in all ways whose name holds that text (`all` is
//! every way); of these one in `CORPUS_EVERY`.

mod sight;
mod ways;

use std::collections::BTreeMap;
use std::env;

use crate::cases::{Case, Corpus, Want};
use crate::common::World;
use crate::play::{self, Level};

use sight::Sight;
use ways::{Row, WAYS};

/// One of so many commands is hidden where not all are.
const SHARE: u64 = 2;

/// A hidden command that was answered.
pub struct Hidden<'a> {
    pub case: &'a Case,
    pub way: &'static str,
    /// As it was sent.
    command: String,
    said: (Level, Level),
    reason: String,
    pub is_right: bool,
}

impl Hidden<'_> {
    /// What went wrong, and how it is seen again.
    pub fn line(&self) -> String {
        let (plain, hidden) = self.said;
        let (id, way) = (&self.case.id, self.way);
        let reason = self.reason.split_whitespace().collect::<Vec<_>>().join(" ");
        format!(
            "{id} by {way}: {plain:?} became {hidden:?}: {:?} {reason}\n  \
             cargo xtask corpus --hidden {way} {id}",
            self.command
        )
    }
}

/// Whether it can be hidden at all: a command for the shell that is answered rightly.
fn can_be_hidden(case: &Case, corpus: &Corpus) -> bool {
    case.value["command"].is_string()
        && case.value["filler"].is_null()
        && case.text("spoiled").is_empty()
        // What this session made, another has not.
        && !case.lines.iter().any(|line| line.starts_with("born "))
        && case.text("event").is_empty()
        && !corpus.known.contains_key(&case.id)
        && !matches!(case.want, Want::Any | Want::AskAtMost)
}

/// A number that is the same wherever a test runs (FNV-1a).
pub fn number(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// One in how many is played.
pub fn every() -> u64 {
    env::var("CORPUS_EVERY").map_or(1, |every| every.parse().unwrap())
}

/// The ways that this case takes.
fn ways(case: &Case, sight: &Sight<'_>) -> Vec<(&'static Row, String)> {
    let fits = |row: &'static Row| Some((row, row.hide(sight)?));
    let is_judged = |row: &&Row| row.is_read || case.want.is_stop();
    let seed = env::var("CORPUS_SEED").unwrap_or_default();
    if let Ok(name) = env::var("CORPUS_HIDDEN") {
        let every = every();
        let is_taken = |row: &&Row| {
            let chance = number(&format!("{}{}{seed}", case.id, row.name)) >> 8;
            (name == "all" || row.name.contains(&name)) && chance.is_multiple_of(every)
        };
        let rows = WAYS.iter().filter(is_judged).filter(is_taken);
        return rows.filter_map(fits).collect();
    }
    let chance = number(&format!("{}{seed}", case.id)) >> 8;
    if !chance.is_multiple_of(SHARE) {
        return Vec::new();
    }
    let fitting: Vec<_> = WAYS.iter().filter(is_judged).filter_map(fits).collect();
    let chosen = usize::try_from(chance / SHARE).unwrap() % fitting.len().max(1);
    fitting.into_iter().skip(chosen).take(1).collect()
}

/// Plays a case hidden, in its world.
pub fn play<'a>(case: &'a Case, corpus: &Corpus, world: &World) -> Vec<Hidden<'a>> {
    if !can_be_hidden(case, corpus) {
        return Vec::new();
    }
    let command = world.map(case.text("command"));
    let Some(sight) = Sight::new(&command) else {
        return Vec::new();
    };
    let mut played = Vec::new();
    for (row, hidden) in ways(case, &sight) {
        let session = format!(
            "{:08x}-0000-4000-8000-{:012x}",
            number(row.name) >> 32,
            number(&case.id) >> 16
        );
        let outcome = play::command(case, world, &session, &hidden);
        let is_stopped = matches!(outcome.level, Level::Question | Level::Refusal);
        let is_right = is_stopped == case.want.is_stop();
        let plain = match is_right {
            true => outcome.level,
            false => {
                play::command(case, world, &session.replace("-0000-", "-0001-"), &command).level
            }
        };
        let root = world.root.to_str().unwrap();
        played.push(Hidden {
            case,
            way: row.name,
            command: hidden.replace(root, ""),
            said: (plain, outcome.level),
            reason: outcome.reason,
            is_right,
        });
    }
    played
}

impl Hidden<'_> {
    fn key(&self) -> (String, String) {
        (self.case.id.clone(), self.way.to_owned())
    }
}

/// What is known to be wrong and is right again.
pub fn right_again(hidden: &[Hidden<'_>], corpus: &Corpus) -> Vec<(String, String)> {
    let right = hidden.iter().filter(|one| one.is_right).map(Hidden::key);
    right
        .filter(|key| corpus.known_hidden.contains_key(key))
        .collect()
}

/// What must not be: another answer than to the command that is not hidden, unless it is known.
pub fn complaints(hidden: &[Hidden<'_>], corpus: &Corpus) -> Vec<String> {
    let wrong = hidden.iter().filter(|one| !one.is_right);
    let wrong = wrong.filter(|one| !corpus.known_hidden.contains_key(&one.key()));
    let again = right_again(hidden, corpus).into_iter();
    wrong
        .map(Hidden::line)
        .chain(
            again.map(|(id, way)| format!("{id} by {way} is right again: known-hidden lists it")),
        )
        .collect()
}

/// How many were hidden in each way, and how many of those were answered wrong.
pub fn table(hidden: &[Hidden<'_>]) -> String {
    let mut rows: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for one in hidden {
        for name in [one.way, "~ all"] {
            let row = rows.entry(name).or_default();
            let at = if one.case.want.is_stop() { 0 } else { 2 };
            row[at] += 1;
            row[at + 1] += usize::from(!one.is_right);
        }
    }
    let mut lines = vec![format!(
        "{:<24} {:>8} {:>8} {:>8} {:>8}",
        "hidden by", "to stop", "missed", "to go", "stopped"
    )];
    for (name, [stop, missed, go, stopped]) in rows {
        let name = name.trim_start_matches("~ ");
        lines.push(format!(
            "{name:<24} {stop:>8} {missed:>8} {go:>8} {stopped:>8}"
        ));
    }
    lines.join("\n")
}
