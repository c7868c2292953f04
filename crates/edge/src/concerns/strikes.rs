//! Calls that run into a pattern of the index: which of them speak, how far each goes by the
//! strikes of its project, and what became of the calls that ran all the same. Decides nothing.

use hosts::PROBE_SESSION;
use model::{
    Analysis, Call, Effect, Event, EventKind, Facts, Foreseen, LetBy, Level, Mode, PatternAction,
    PatternMatch, Project, ResourceKind, Snapshot, Time, Verb, fnv64,
};
use patterns::{Asked, Entry, Origin, Table};
use rules::{IRREVERSIBLE, Rules, settings};
use text::date::DAY_MILLIS;
use work::observations::{ObservationStep, Observations, Outcome as Ended, category};
use work::streaks::Streaks;
use work::strikes::{Strike, StrikeStep, Strikes};

use crate::command;
use crate::concerns::discipline::effect;
use crate::concerns::earlier;
use crate::concerns::observations::{self, Known};
use crate::concerns::shape::{Concern, EventContext, Outcome, Steps};
use crate::judge::Judged;
use crate::surroundings;

/// Of so many stops of what was learned one is let run, to see whether it still holds.
const PROBE_EVERY: u64 = 8;

/// Calls that run into a pattern.
pub const CONCERN: Concern = Concern {
    id: "strikes",
    inform: Some(inform),
    after: Some(after),
    ..Concern::PLAIN
};

fn inform(context: &EventContext<'_>, snapshot: &mut Snapshot, _: &Facts) -> Steps {
    let EventKind::ToolBefore(call @ Call::Shell { .. }) = &context.event.kind else {
        return Steps::default();
    };
    let Some(store) = context.store else {
        return Steps::default();
    };
    // Most have no index.
    let Some(index) = store.index_table() else {
        return Steps::default();
    };
    if !index.is_fresh {
        command::start(store, context.dirs, &["compile", "--if-stale"]);
    }
    let part = |at: u64, count: usize| index.part(at, count);
    let Some(table) = Table::open(&part) else {
        command::start(store, context.dirs, &["compile"]);
        return Steps::default();
    };
    if table.head().entries == 0 || context.event.session == PROBE_SESSION {
        return Steps::default();
    }
    let found = observations::known(context.event, call, &snapshot.place.project);
    let hits = found.iter().flat_map(|one| {
        let hits = hits(context, &table, one);
        hits.into_iter().map(move |entry| (one, entry))
    });
    let hits: Vec<(&Known, Entry)> = hits.collect();
    if hits.is_empty() {
        return Steps::default();
    }
    // What became of it the last times; without that nothing is said.
    let Ok(project) = store.project(&context.project.id) else {
        return Steps::default();
    };
    let asking = Asking {
        context,
        project: &project.value,
        strikes: Strikes::of(&project.value),
        are_strikes_off: surroundings::are_strikes_off(context.host, context.store),
    };
    for (one, entry) in hits {
        if let Some(told) = asking.told(snapshot, one, &entry) {
            snapshot.foreseen.push(Foreseen::Pattern(told));
        }
    }
    Steps::default()
}

/// The entries that are about a command.
fn hits(context: &EventContext<'_>, table: &Table<'_>, one: &Known) -> Vec<Entry> {
    let asked = Asked {
        command: &one.command,
        text: &patterns::text_of(&one.command.words),
        project: &context.project.id,
        seat: context.event.host,
        dir: &one.dir,
        action_type: category::of_command(&one.command).name(),
    };
    let found = table.matches(&asked);
    if let (None, Some(store)) = (&found, context.store) {
        command::start(store, context.dirs, &["compile"]);
    }
    found.unwrap_or_default()
}

/// What it takes to say how far an entry goes.
struct Asking<'a> {
    context: &'a EventContext<'a>,
    project: &'a Project,
    strikes: Strikes,
    are_strikes_off: bool,
}

impl Asking<'_> {
    fn told(&self, snapshot: &Snapshot, one: &Known, entry: &Entry) -> Option<PatternMatch> {
        let event = self.context.event;
        if !self.holds(snapshot, one, entry) {
            return None;
        }
        let days = u64::from(number(self.context.rules, &settings::patterns::WINDOW_DAYS));
        let since = Time(event.time.0.saturating_sub(days * DAY_MILLIS));
        let new = Strike {
            pattern: entry.id.clone(),
            seat: event.host.to_owned(),
            session: fnv64(event.session.as_bytes()),
            time: event.time,
            ..Strike::default()
        };
        let strike = self.strikes.next(&new, since);
        let is_learned = entry.origin == Origin::Learned;
        let mut action = self.action(entry.action, strike);
        let mut let_by = LetBy::Nothing;
        let is_stop = action > PatternAction::Warn;
        if is_learned && is_stop {
            let_by = self.let_by(snapshot, one, entry);
        }
        if let_by != LetBy::Nothing {
            action = PatternAction::Warn;
        }
        Some(PatternMatch {
            pattern: entry.id.clone(),
            is_learned,
            command: one.text(),
            key: one.key,
            action,
            let_by,
            strike,
            can_be_tried: can_be_tried(&snapshot.analysis, &snapshot.place.project),
            reason: entry.reason.clone(),
            alternative: entry.alternative.clone(),
        })
    }

    /// Whether what the entry says is so now.
    fn holds(&self, snapshot: &Snapshot, one: &Known, entry: &Entry) -> bool {
        let event = self.context.event;
        let is_learned = entry.origin == Origin::Learned;
        if entry.min_recent_failures == 0 && !is_learned {
            return true;
        }
        let streaks = Streaks::of(self.project);
        let Some(streak) = streaks.get(one.key) else {
            return false;
        };
        let is_row = streak.run >= entry.min_recent_failures && !streak.is_stale(event.time);
        if !is_learned || !is_row {
            return is_row;
        }
        // It speaks once a session where it only warns, and not to who saw it fail.
        let session = fnv64(event.session.as_bytes());
        let knows = streak.sessions.contains(&session)
            || Observations::of(&snapshot.session).told.contains(&one.key);
        let only_warns = entry.action <= PatternAction::Warn;
        streak.stamp == one.stamp(&snapshot.place) && !(only_warns && knows)
    }

    /// What follows from a strike, below what the entry may do.
    fn action(&self, most: PatternAction, strike: u64) -> PatternAction {
        let reaches = |key| strike >= u64::from(number(self.context.rules, key));
        let by_strikes = if reaches(&settings::patterns::PROVE) {
            PatternAction::Prove
        } else if reaches(&settings::patterns::SUGGEST) {
            PatternAction::Suggest
        } else {
            PatternAction::Warn
        };
        match most {
            PatternAction::Block => PatternAction::Block,
            most if self.are_strikes_off => most.min(PatternAction::Warn),
            most => most.min(by_strikes),
        }
    }

    /// Why a call is let run that would be stopped.
    fn let_by(&self, snapshot: &Snapshot, one: &Known, entry: &Entry) -> LetBy {
        let event = self.context.event;
        let proof = self.strikes.proof(&entry.id, one.key, event.time);
        if proof.is_some() {
            return LetBy::Proof;
        }
        let actions = &snapshot.analysis.actions;
        let is_final = actions
            .iter()
            .any(|action| IRREVERSIBLE.contains(&action.verb));
        let is_probe = call_of(event, one).is_multiple_of(PROBE_EVERY);
        match is_probe && !is_final && snapshot.analysis.unread.is_empty() {
            true => LetBy::Probe,
            false => LetBy::Nothing,
        }
    }
}

fn number(rules: &Rules, key: &rules::settings::Number) -> u32 {
    rules.setting(key).value
}

/// Whether all that a call does can be tried in a copy of the project: it looks, runs what it is
/// told to, and changes files of the project alone.
#[must_use]
pub fn can_be_tried(analysis: &Analysis, project: &str) -> bool {
    let inside = |name: &str| {
        let name = name.strip_prefix("file:").unwrap_or(name);
        text::path::relative_to(name, project).is_some()
    };
    analysis.actions.iter().all(|action| match action.verb {
        Verb::Read | Verb::Execute | Verb::Fetch => true,
        Verb::Write | Verb::Delete | Verb::Move => {
            action.kind == ResourceKind::File && inside(&action.name)
        }
        _ => false,
    })
}

fn call_of(event: &Event<'_>, one: &Known) -> u64 {
    observations::call_of(event, &one.command.words.join(" "))
}

fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    match &context.event.kind {
        EventKind::ToolBefore(call) => Outcome::remember(struck(context, call, judged)),
        EventKind::ToolAfter { call } | EventKind::ToolFailed { call, .. } => {
            Outcome::remember(ended(context, call, judged))
        }
        EventKind::SessionStart { .. } | EventKind::SessionEnd => Outcome {
            commands: due(context, judged).into_iter().collect(),
            ..Outcome::default()
        },
        _ => Outcome::default(),
    }
}

/// What is to be made anew: the table, where somebody has written an index; the index, where a row
/// of failures could belong into it.
fn due(context: &EventContext<'_>, judged: &Judged) -> Option<Vec<String>> {
    let store = context.store?;
    if context.event.session == PROBE_SESSION {
        return None;
    }
    if store.index_table().is_none() && store.index_stamp().stamp.is_some() {
        return Some(vec!["compile".to_owned()]);
    }
    let failures = u64::from(number(context.rules, &settings::patterns::FAILURES));
    let streaks = Streaks::of(&judged.snapshot.project);
    let is_long = streaks.list.iter().any(|streak| streak.run >= failures);
    let is_end = context.event.kind == EventKind::SessionEnd;
    (is_end && is_long).then(|| vec!["learn".to_owned(), "--quiet".to_owned()])
}

/// The strikes of a call, where its patterns may do anything.
fn struck(context: &EventContext<'_>, call: &Call<'_>, judged: &Judged) -> Vec<Effect> {
    let told = judged.snapshot.foreseen.iter().filter_map(|one| match one {
        Foreseen::Pattern(told) => Some(told),
        _ => None,
    });
    let told: Vec<&PatternMatch> = told.collect();
    if told.is_empty() {
        return Vec::new();
    }
    let found = observations::known(context.event, call, &judged.snapshot.place.project);
    let is_denied = judged.decision.level() == Level::Deny;
    let mut effects = Vec::new();
    for told in told {
        let weighed = judged.decision.findings.iter();
        let weighed = weighed
            .filter(|weighed| weighed.finding.rule == told.pattern)
            .find(|weighed| weighed.mode == Mode::Block);
        let stops = weighed
            .is_some_and(|weighed| weighed.finding.level > Level::Allow && !weighed.overridden);
        let (Some(one), Some(_)) = (found.iter().find(|one| one.key == told.key), weighed) else {
            continue;
        };
        // Something else stops it: it tells nothing of the pattern.
        if is_denied && !stops {
            continue;
        }
        let step = match (told.let_by, stops) {
            (LetBy::Probe, _) => "probe",
            (LetBy::Proof, _) => "proved",
            (LetBy::Nothing, true) => told.action.name(),
            (LetBy::Nothing, false) => told.action.min(PatternAction::Warn).name(),
        };
        let strike = StrikeStep::Struck {
            pattern: told.pattern.clone(),
            seat: context.event.host.to_owned(),
            command: told.key,
            call: call_of(context.event, one),
            session: fnv64(context.event.session.as_bytes()),
            time: context.event.time,
            done: step.to_owned(),
        };
        effects.push(Effect::Shared(strike.into()));
        if told.action == PatternAction::Warn {
            effects.push(effect(ObservationStep::Told { command: told.key }));
        }
    }
    effects
}

/// What became of a call that ran into a pattern and was let run.
fn ended(context: &EventContext<'_>, call: &Call<'_>, judged: &Judged) -> Vec<Effect> {
    let strikes = Strikes::of(&judged.snapshot.project);
    let is_open = strikes.list.iter().any(|strike| strike.runs);
    if !is_open || !matches!(call, Call::Shell { .. }) {
        return Vec::new();
    }
    let found = observations::known(context.event, call, &judged.snapshot.place.project);
    let ending = earlier::ending(context);
    let Some(seen) = observations::seen(call, &found, &ending) else {
        return Vec::new();
    };
    let mut effects = Vec::new();
    for one in &found {
        let call = call_of(context.event, one);
        let is_main = Some(&one.command) == seen.command.as_ref();
        let right = match seen.outcome {
            Ended::Failed if is_main => true,
            Ended::Ok if is_main || seen.also.contains(&one.command) => false,
            _ => continue,
        };
        let open = strikes
            .list
            .iter()
            .filter(|strike| strike.runs && strike.call == call);
        effects.extend(open.map(|strike| {
            let judged = StrikeStep::Judged {
                pattern: strike.pattern.clone(),
                call,
                right,
            };
            Effect::Shared(judged.into())
        }));
    }
    effects
}
