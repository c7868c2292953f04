//! `tollgate learn`: what failed often enough becomes a pattern.

mod sessions;

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Result;
use edge::surroundings;
use model::{PatternAction, Time, fnv64, one_line};
use patterns::{Origin, Template, by_documents, wilson};
use rules::{Rules, settings};
use serde_json::{Map, Value, json};
use store::Store;
use text::words;
use work::learning::{Learned, Limits, Seen, learn};
use work::observations::{ErrorKind, ObservationStep};
use work::streaks::FORGOTTEN_MS;
use work::strikes::{PROVED_MAX, Strikes};

use crate::here::Here;
use crate::records::index::{self, Index};
use crate::records::observations::{self, Observed};
use crate::{exit, show};

/// Most observations that are learned from: the newest.
const OBSERVATIONS_MAX: usize = 200_000;
/// How often a pattern has to prove right, once it is known, before it speaks.
const SHADOW_HITS: u64 = 2;
/// After so many sessions of the project without its failure an entry is retired.
const FORGOTTEN_SESSIONS: usize = 200;
/// From how many outcomes of its own, and how many right in a hundred, it may stop calls by itself.
const OWN_OUTCOMES_MIN: u64 = 20;
const OWN_RIGHT_MIN: u64 = 95;
/// Below how many right in a hundred of the last outcomes it does less, and nothing any more.
const LESS_BELOW: u64 = 50;
const RETIRED_BELOW: u64 = 30;
/// How many outcomes that takes.
const RECENT_MIN: u64 = 5;

/// When what is learned does not speak.
const UNLESS: &str =
    "it has gone well since, its program or lockfile has changed, or 30 days have passed";

#[derive(clap::Args)]
pub struct Args {
    /// Say nothing; as the hook starts it
    #[arg(long)]
    quiet: bool,
    /// Learn from the session files of an agent too, or of `all`: what you did before
    #[arg(long, value_name = "AGENT")]
    from: Option<String>,
    /// With --from: how many days back
    #[arg(long, default_value_t = 60)]
    days: u64,
}

/// What was done to the index.
#[derive(Default)]
pub struct Done {
    /// Patterns that were not there before.
    pub new: Vec<String>,
    /// Those that speak no more.
    pub retired: Vec<String>,
    /// All that are learned and speak, or will.
    pub all: usize,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let here = Here::find(None)?;
    if let Some(agent) = &args.from {
        return from_sessions(&here, agent, args.days);
    }
    let Some(store) = here.remembered()? else {
        if !args.quiet {
            say!("no call has ended yet, so there is nothing to learn from");
        }
        return Ok(ExitCode::from(exit::OK));
    };
    let done = from_journals(&store, &here.rules_bundle().rules)?;
    if !args.quiet {
        report(&done);
    }
    Ok(ExitCode::from(exit::OK))
}

/// Learns from what agents did before we were there.
fn from_sessions(here: &Here, agent: &str, days: u64) -> Result<ExitCode> {
    let host = (agent != "all").then_some(agent);
    if let Some(id) = host
        && hosts::find(id).is_none()
    {
        anyhow::bail!("no agent is called {id}; all is every one");
    }
    let store = here.store()?;
    show::moment("Reading past sessions");
    let mut seen = Vec::new();
    let (mut calls, mut rows) = (0, 0);
    for past in sessions::read(here, &store, host, days)? {
        calls += past.seen.len() as u64;
        if let Some(there) = sessions::project_of(&past) {
            rows += sessions::share(&store, &there, &past)?;
            seen.push((there.project, past.seen));
        }
    }
    let projects = words::count(seen.len() as u64, "project");
    say!("{} in {projects} read", words::count(calls, "ended call"));
    say!(
        "{} failing there now; tollgate failing shows those of a project",
        words::count(rows as u64, "command")
    );
    report(&from_all(&store, &here.rules_bundle().rules, seen)?);
    Ok(ExitCode::from(exit::OK))
}

fn report(done: &Done) {
    for id in &done.new {
        say!("new      {id}");
    }
    for id in &done.retired {
        say!("retired  {id}");
    }
    say!(
        "{} learned; tollgate index list shows them",
        words::count(done.all as u64, "pattern")
    );
}

/// Learns from all that was observed.
///
/// # Errors
/// If journals cannot be read, or the index not be written.
pub fn from_journals(store: &Store, rules: &Rules) -> Result<Done> {
    from_all(store, rules, Vec::new())
}

/// Learns from all that was observed, and from more of some projects.
fn from_all(store: &Store, rules: &Rules, more: Vec<(String, Vec<Seen>)>) -> Result<Done> {
    let mut projects: BTreeMap<String, Vec<Seen>> = BTreeMap::new();
    for one in &observations::newest(store, OBSERVATIONS_MAX)? {
        if let Some(seen) = seen(one) {
            projects.entry(one.project.clone()).or_default().push(seen);
        }
    }
    for (project, seen) in more {
        projects.entry(project).or_default().extend(seen);
    }
    let number = |key| u64::from(rules.setting(key).value);
    let limits = Limits {
        failures: number(&settings::patterns::FAILURES),
        sessions: number(&settings::patterns::SESSIONS),
    };
    let mut learned = Vec::new();
    for (project, seen) in &projects {
        let found = learn(seen, limits).into_iter();
        learned.extend(found.map(|one| (project.as_str(), one)));
    }
    let judge = Judge {
        store,
        confidence_min: number(&settings::patterns::CONFIDENCE) as f64 / 100.0,
        is_documents: rules.setting(&settings::patterns::ARITHMETIC).value == "documents",
        recent_min: limits.failures.saturating_sub(1),
        now: surroundings::now(),
        seen: &projects,
    };
    index::change(store, |index| judge.apply(index, &learned))
}

/// An observation as the learner reads it; nothing of what nobody knows the end of, or of which it
/// is a guess which command it was.
pub fn seen(one: &Observed) -> Option<Seen> {
    let ObservationStep::Observed {
        words,
        dir,
        outcome,
        error,
        class,
        line,
        hard_error,
        also,
        ..
    } = &one.step
    else {
        return None;
    };
    let mut kinds = ErrorKind::NAMES.iter();
    let kind = kinds.find(|(name, _)| name == error);
    let is_told = outcome == "fail" || outcome == "ok" && !hard_error;
    (is_told && !words.is_empty()).then(|| Seen {
        id: one.id.clone(),
        time: Time(one.time),
        session: fnv64(one.session.as_bytes()),
        seat: one.seat.clone(),
        dir: dir.clone(),
        words: words.clone(),
        also: also
            .iter()
            .map(|one| one.split(' ').map(str::to_owned).collect())
            .collect(),
        is_ok: outcome == "ok",
        kind: kind.map_or(ErrorKind::Other, |(_, kind)| *kind),
        class: class.clone(),
        line: line.clone(),
    })
}

/// What decides whether something learned is an entry, and how far it goes.
struct Judge<'a> {
    store: &'a Store,
    confidence_min: f64,
    is_documents: bool,
    recent_min: u64,
    now: Time,
    /// What was seen, by project.
    seen: &'a BTreeMap<String, Vec<Seen>>,
}

impl Judge<'_> {
    fn apply(&self, index: &mut Index, learned: &[(&str, Learned)]) -> Result<Done> {
        let mut done = Done::default();
        for (project, one) in learned {
            let Ok(template) = Template::exact(&one.words) else {
                continue;
            };
            let id = id_of(project, one);
            let is_rejected = index
                .rejected()
                .iter()
                .any(|old| index::text(old, "id") == id);
            if is_rejected {
                continue;
            }
            let known = index.get_mut(&id).ok();
            let is_sure = self.confidence(one) >= self.confidence_min;
            match known {
                Some(known) => self.update(known, one),
                None if is_sure && !self.is_old(one) => {
                    let fresh = self.fresh(project, one, &template);
                    index.patterns_mut().push(fresh);
                    done.new.push(id);
                }
                None => {}
            }
        }
        for one in index.patterns_mut() {
            self.settle(one, &mut done)?;
        }
        let all = index.patterns().iter();
        let speaks =
            |one: &&Value| index::origin(one) == Origin::Learned && !index::is_retired(one);
        done.all = all.filter(speaks).count();
        Ok(done)
    }

    fn confidence(&self, one: &Learned) -> f64 {
        match self.is_documents {
            true => by_documents(one.failures, one.calls),
            false => wilson(one.right, one.matches),
        }
    }

    fn is_old(&self, one: &Learned) -> bool {
        self.now.0.saturating_sub(one.last.0) > FORGOTTEN_MS
    }

    fn fresh(&self, project: &str, one: &Learned, template: &Template) -> Value {
        let command = model::SimpleCommand {
            words: one.words.clone(),
            ..model::SimpleCommand::default()
        };
        let mut entry = json!({
            "id": id_of(project, one),
            "origin": Origin::Learned.name(),
            "match": {
                hosts::TOOL_FIELD: "Bash",
                "action_type": work::observations::category::of_command(&command).name(),
                "input_field": "command",
                "pattern": template.expression(),
                "min_recent_failures": self.recent_min,
            },
            "action": PatternAction::Shadow.name(),
            "unless": UNLESS,
            "confirmed": false,
            "project": project, "seat": one.seat, "dir": one.dir,
            "learned": text::date::timestamp(self.now.0),
        });
        if let Some(fields) = entry.as_object_mut() {
            self.update(fields, one);
        }
        entry
    }

    /// What was seen of it by now.
    fn update(&self, entry: &mut Map<String, Value>, one: &Learned) {
        let mut set = |key: &str, value: Value| {
            entry.insert(key.to_owned(), value);
        };
        set("reason", reason(one).into());
        let alternative = match one.worked.is_empty() {
            true => String::new(),
            false => format!("What worked afterwards: `{}`", one_line(&one.worked, 120)),
        };
        set("alternative", alternative.into());
        let confidence = (self.confidence(one) * 1_000.0).round() / 1_000.0;
        set("confidence", confidence.into());
        set(
            "stats",
            json!({
                "matches": one.matches, "true_positives": one.right, "hits": one.hits,
                "calls": one.calls, "failures": one.failures, "sessions": one.sessions,
            }),
        );
        set("class", one.kind.name().into());
        set("evidence", one.evidence.clone().into());
        set("last", text::date::timestamp(one.last.0).into());
        set("last_ms", one.last.0.into());
    }

    /// How many sessions of a project began after that, as far as something was run in them.
    fn sessions_since(&self, project: &str, since: u64) -> usize {
        let mut began: BTreeMap<u64, u64> = BTreeMap::new();
        for one in self.seen.get(project).into_iter().flatten() {
            let first = began.entry(one.session).or_insert(one.time.0);
            *first = (*first).min(one.time.0);
        }
        began.values().filter(|began| **began > since).count()
    }

    /// How far it goes by what became of it, and whether it still speaks.
    fn settle(&self, one: &mut Value, done: &mut Done) -> Result<()> {
        if index::origin(one) != Origin::Learned || index::is_retired(one) {
            return Ok(());
        }
        let id = index::text(one, "id").to_owned();
        let project = self.store.project(index::text(one, "project"))?.value;
        let score = Strikes::of(&project)
            .score(&id)
            .cloned()
            .unwrap_or_default();
        let is_confirmed = one.get("confirmed") == Some(&true.into());
        let mut action = index::action(one).unwrap_or_default();
        let (right, all) = score.lately();
        let share = |right: u64, all: u64| right * 100 / all.max(1);
        let outcomes = score.right + score.wrong;
        if action == PatternAction::Shadow && index::stat(one, "hits") >= SHADOW_HITS {
            action = PatternAction::Warn;
        }
        let is_proven =
            outcomes >= OWN_OUTCOMES_MIN && share(score.right, outcomes) >= OWN_RIGHT_MIN;
        if action == PatternAction::Warn && is_proven {
            action = PatternAction::Suggest;
        }
        if all >= RECENT_MIN && share(right, all) < LESS_BELOW && !is_confirmed {
            action = action.min(PatternAction::Shadow);
        }
        // Who was shown so often that it works need not be told that it fails.
        if score.proved.len() >= PROVED_MAX {
            action = PatternAction::Shadow;
        }
        let last = one
            .get("last_ms")
            .and_then(Value::as_u64)
            .unwrap_or_default();
        let why = if all >= RECENT_MIN && share(right, all) < RETIRED_BELOW {
            format!("of its last {all} outcomes {right} were as it says")
        } else if self.now.0.saturating_sub(last) > FORGOTTEN_MS {
            "it has not failed for 30 days".to_owned()
        } else if self.sessions_since(index::text(one, "project"), last) >= FORGOTTEN_SESSIONS {
            format!("it has not failed in {FORGOTTEN_SESSIONS} sessions")
        } else {
            String::new()
        };
        let Some(fields) = one.as_object_mut() else {
            return Ok(());
        };
        fields.insert("action".to_owned(), action.name().into());
        if !why.is_empty() {
            fields.insert("retired".to_owned(), why.into());
            done.retired.push(id);
        }
        Ok(())
    }
}

fn id_of(project: &str, one: &Learned) -> String {
    let name = one.words.iter().take(2);
    let name = name.flat_map(|word| word.chars().chain(['-']));
    let name: String = name
        .filter(|character| character.is_ascii_alphanumeric() || *character == '-')
        .take(24)
        .collect();
    let hash = fnv64(format!("{project} {:016x}", one.key).as_bytes()) & 0xff_ffff;
    format!("{}-{hash:06x}", name.trim_matches('-').to_ascii_lowercase())
}

fn reason(one: &Learned) -> String {
    let what = match one.line.is_empty() {
        true => "without a word".to_owned(),
        false => format!("with: {}", one_line(&one.line, 160)),
    };
    let sessions = words::count(one.sessions, "session");
    format!(
        "it failed the same way {} of {} times, in {sessions}, {what}",
        one.right, one.matches
    )
}
