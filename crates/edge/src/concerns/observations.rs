//! How calls ended, and what a project remembers of it: the observation of each call, and the rows
//! of commands that keep failing. Decides nothing.

use actions::commands::commands;
use hosts::PROBE_SESSION;
use model::section::Sections;
use model::{
    Call, CallEnv, Effect, Ending, Event, EventClass, EventKind, Facts, Foreseen, Level, Mode,
    SimpleCommand, Snapshot, fnv64, one_line,
};
use text::Redactor;
use work::observations::{
    self, EndedCall, LINE_CHARS_MAX, ObservationStep, Observations, Outcome as Ended,
    WORD_CHARS_MAX, WORDS_MAX, bit, category, command_key,
};
use work::streaks::{AFTER_COMMANDS_MAX, StreakStep, Streaks, TEXT_CHARS_MAX, is_related};

use crate::concerns::discipline::effect;
use crate::concerns::earlier;
use crate::concerns::shape::{Concern, EventContext, Outcome, Steps};
use crate::facts::programs;
use crate::judge::Judged;

/// How calls ended.
pub const CONCERN: Concern = Concern {
    id: "observations",
    inform: Some(inform),
    after: Some(after),
    ..Concern::PLAIN
};

/// A command with what it is known by.
pub struct Known {
    /// The command.
    pub command: SimpleCommand,
    /// The directory that it runs in; absolute.
    pub at: String,
    /// The same, as people read it.
    pub dir: String,
    /// Names it.
    pub key: u64,
}

impl Known {
    /// The command, as people read it.
    #[must_use]
    pub fn text(&self) -> String {
        one_line(&self.command.words.join(" "), TEXT_CHARS_MAX)
    }

    /// What the machine is like now, as far as it matters to the command.
    #[must_use]
    pub fn stamp(&self, place: &CallEnv) -> u64 {
        let program = self.command.words.first().map_or("", String::as_str);
        programs::stamp(place, &self.at, program)
    }
}

/// The simple commands of a call, secrets replaced.
#[must_use]
pub fn known(event: &Event<'_>, call: &Call<'_>, project: &str) -> Vec<Known> {
    let mut redactor = Redactor::default();
    let found = commands(call).into_iter().map(|mut command| {
        command.words.truncate(WORDS_MAX);
        command.words = redactor.words(&command.words);
        for word in &mut command.words {
            if word.len() > WORD_CHARS_MAX {
                // Two that differ behind the cut are two commands.
                let hash = fnv64(word.as_bytes()) & 0xffff_ffff;
                *word = format!("{}#{hash:08x}", one_line(word, WORD_CHARS_MAX));
            }
        }
        let at = text::path::join(&event.cwd, &command.dir);
        let dir = match text::path::relative_to(&at, project) {
            Some(inside) => inside.to_owned(),
            None if at == project => String::new(),
            None => at.clone(),
        };
        let key = command_key(event.host, &dir, &command.words);
        Known {
            command,
            at,
            dir,
            key,
        }
    });
    found.collect()
}

/// Tells of the rows of failures that this call would go on with.
fn inform(context: &EventContext<'_>, snapshot: &mut Snapshot, _: &Facts) -> Steps {
    let EventKind::ToolBefore(call @ Call::Shell { .. }) = &context.event.kind else {
        return Steps::default();
    };
    let kept = Observations::of(&snapshot.session);
    if kept.hot == 0 || !context.host.capabilities.advises_before {
        return Steps::default();
    }
    let found = known(context.event, call, &snapshot.place.project);
    let found: Vec<Known> = found
        .into_iter()
        .filter(|one| kept.hot & bit(one.key) != 0 && !kept.told.contains(&one.key))
        .collect();
    let (Some(store), false) = (context.store, found.is_empty()) else {
        return Steps::default();
    };
    // Others may have changed it since this session was last told.
    let Ok(project) = store.project(&context.project.id) else {
        return Steps::default();
    };
    let streaks = Streaks::of(&project.value);
    let session = fnv64(context.event.session.as_bytes());
    for one in &found {
        let Some(streak) = streaks.get(one.key) else {
            continue;
        };
        let stamp = one.stamp(&snapshot.place);
        if streak.is_due(session, context.event.time, stamp) {
            snapshot.foreseen.push(Foreseen::Failing {
                command: streak.command.clone(),
                times: streak.run,
                sessions: streak.sessions.len(),
                since: text::date::day(streak.first.0),
                error: streak.line.clone(),
                worked: streak
                    .worked()
                    .map_or(String::new(), |after| after.command.clone()),
            });
        }
    }
    Steps::default()
}

fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let event = context.event;
    if event.session == PROBE_SESSION {
        return Outcome::default();
    }
    let mut effects = match &event.kind {
        EventKind::ToolBefore(call) => told(context, call, judged),
        EventKind::ToolAfter { call } | EventKind::ToolFailed { call, .. } => {
            ended(context, call, judged)
        }
        _ => Vec::new(),
    };
    effects.extend(warmed(context, judged, &effects));
    Outcome {
        effects,
        commands: prune(context).into_iter().collect(),
        ..Outcome::default()
    }
}

/// Once a day, has old journals pruned, detached.
fn prune(context: &EventContext<'_>) -> Option<Vec<String>> {
    let is_start = matches!(context.event.kind, EventKind::SessionStart { .. });
    let store = context.store.filter(|_| is_start)?;
    let words = || ["log", "prune"].map(str::to_owned).to_vec();
    store.claim_pruning().then(words)
}

/// That the session was told of a row.
fn told(context: &EventContext<'_>, call: &Call<'_>, judged: &Judged) -> Vec<Effect> {
    let is_said = judged.decision.findings.iter().any(|weighed| {
        let finding = &weighed.finding;
        finding.rule == Foreseen::FAILING && weighed.mode != Mode::Off && !finding.advice.is_empty()
    });
    if !is_said || judged.decision.level() == Level::Deny {
        return Vec::new();
    }
    let kept = Observations::of(&judged.snapshot.session);
    let found = known(context.event, call, &judged.snapshot.place.project);
    let told = found.iter().filter(|one| kept.hot & bit(one.key) != 0);
    told.map(|one| effect(ObservationStep::Told { command: one.key }))
        .collect()
}

/// What a call leaves that ended.
fn ended(context: &EventContext<'_>, call: &Call<'_>, judged: &Judged) -> Vec<Effect> {
    let ending = earlier::ending(context);
    let found = known(context.event, call, &judged.snapshot.place.project);
    let Some(seen) = seen(call, &found, &ending) else {
        return Vec::new();
    };
    let kept = Observations::of(&judged.snapshot.session);
    let mut redactor = Redactor::default();
    let moment = Moment {
        context,
        judged,
        kept: &kept,
        line: one_line(&redactor.text(&seen.error.line), LINE_CHARS_MAX),
        class: redactor.text(&seen.error.text),
        millis: ending.millis.unwrap_or_default(),
    };
    let guilty = found
        .iter()
        .find(|one| Some(&one.command) == seen.command.as_ref());
    let mut effects = vec![effect(moment.observed(
        call,
        &seen,
        (guilty, ending.status),
    ))];
    let is_write = matches!(
        call,
        Call::Write { .. } | Call::Edit { .. } | Call::Patch { .. }
    );
    if is_write && seen.outcome != Ended::Failed {
        effects.push(effect(ObservationStep::Edited {}));
    }
    match seen.outcome {
        Ended::Failed => effects.extend(guilty.and_then(|one| moment.failed(one, &seen))),
        Ended::Ok if !seen.has_hard_error => effects.extend(moment.went(&found, &seen)),
        Ended::Ok | Ended::Unknown => {}
    }
    effects
}

/// A call that ended, observed.
pub(super) fn seen(call: &Call<'_>, found: &[Known], ending: &Ending) -> Option<EndedCall> {
    let commands: Vec<SimpleCommand> = found.iter().map(|one| one.command.clone()).collect();
    observations::observe(call, &commands, ending)
}

/// What all that an ended call leaves is made of.
struct Moment<'a> {
    context: &'a EventContext<'a>,
    judged: &'a Judged,
    kept: &'a Observations,
    line: String,
    class: String,
    millis: u64,
}

impl Moment<'_> {
    fn observed(
        &self,
        call: &Call<'_>,
        seen: &EndedCall,
        (guilty, status): (Option<&Known>, Option<i64>),
    ) -> ObservationStep {
        let failed = seen.outcome == Ended::Failed;
        let command = seen.command.as_ref();
        let is_learned = failed && command.is_some() && !seen.error.kind.is_news();
        let also = seen
            .also
            .iter()
            .map(|one| one_line(&one.words.join(" "), TEXT_CHARS_MAX));
        ObservationStep::Observed {
            tool: call.tool().to_owned(),
            category: seen.category.name().to_owned(),
            key: command.map(category::key).unwrap_or_default(),
            words: command.map(|one| one.words.clone()).unwrap_or_default(),
            dir: guilty.map(|one| one.dir.clone()).unwrap_or_default(),
            outcome: seen.outcome.name().to_owned(),
            by: seen.by.to_owned(),
            status: status.map(|status| status.to_string()).unwrap_or_default(),
            error: if failed {
                seen.error.kind.name().to_owned()
            } else {
                String::new()
            },
            class: self.class.clone(),
            line: self.line.clone(),
            guessed: seen.is_guessed,
            hard_error: seen.has_hard_error,
            changed: self.kept.edited,
            millis: self.millis,
            also: also.collect(),
            command: guilty.filter(|_| is_learned).map_or(0, |one| one.key),
        }
    }

    /// The row of a command that failed goes on, or ends with what is no news.
    fn failed(&self, one: &Known, seen: &EndedCall) -> Option<Effect> {
        let event = self.context.event;
        let told = self.kept.told.contains(&one.key);
        if seen.error.kind.is_news() || !one.command.is_literal {
            let streaks = Streaks::of(&self.judged.snapshot.project);
            let ended = StreakStep::Ended {
                key: one.key,
                wrong: told,
            };
            return streaks.get(one.key).map(|_| Effect::Shared(ended.into()));
        }
        Some(Effect::Shared(
            StreakStep::Failed {
                key: one.key,
                command: one.text(),
                seat: event.host.to_owned(),
                kind: seen.error.kind,
                class: one_line(&self.class, TEXT_CHARS_MAX),
                line: one_line(&self.line, TEXT_CHARS_MAX),
                session: fnv64(event.session.as_bytes()),
                call: call_of(event, &one.command.words.join(" ")),
                time: event.time,
                stamp: one.stamp(&self.judged.snapshot.place),
                millis: self.millis,
                told,
            }
            .into(),
        ))
    }

    /// Rows that end because their command went well, and what worked after a failure.
    fn went(&self, found: &[Known], seen: &EndedCall) -> Vec<Effect> {
        let streaks = Streaks::of(&self.judged.snapshot.project);
        let well = |one: &&Known| {
            let is_main = Some(&one.command) == seen.command.as_ref() && one.command.is_proved;
            is_main || seen.also.contains(&one.command)
        };
        let well: Vec<&Known> = found.iter().filter(well).collect();
        let over = well.iter().filter(|one| streaks.get(one.key).is_some());
        let mut effects: Vec<Effect> = over
            .map(|one| {
                let wrong = self.kept.told.contains(&one.key);
                Effect::Shared(
                    StreakStep::Ended {
                        key: one.key,
                        wrong,
                    }
                    .into(),
                )
            })
            .collect();
        let present = well
            .iter()
            .map(|one| fnv64(one.command.program().as_bytes()));
        let present = present.filter(|program| self.kept.missing.contains(program));
        effects.extend(
            present
                .filter(|program| !streaks.present.contains(program))
                .map(|program| Effect::Shared(StreakStep::Present { program }.into())),
        );
        let failed = streaks
            .get(self.kept.failed)
            .filter(|_| self.kept.failed != 0);
        if let Some(failed) = failed.filter(|_| self.kept.since < AFTER_COMMANDS_MAX)
            && let Some(one) = well.iter().find(|one| {
                one.key != failed.key && is_related(&one.command.words, &failed.command)
            })
        {
            let worked = StreakStep::Worked {
                key: failed.key,
                command: one.text(),
                session: fnv64(self.context.event.session.as_bytes()),
            };
            effects.push(Effect::Shared(worked.into()));
            effects.push(effect(ObservationStep::Recovered {}));
        }
        effects
    }
}

/// Names a call, so that an event that comes twice counts once.
pub(super) fn call_of(event: &Event<'_>, text: &str) -> u64 {
    let id = match event.call_id.as_str() {
        "" => format!("{text} {}", event.time.0 / store::SAME_EVENT_MS),
        id => id.to_owned(),
    };
    fnv64(format!("{} {id}", event.session).as_bytes()).max(1)
}

/// What the project has to say of now, if that is news to the session: only then is its memory
/// looked at before a call.
fn warmed(context: &EventContext<'_>, judged: &Judged, effects: &[Effect]) -> Option<Effect> {
    let event = context.event;
    if matches!(event.class(), EventClass::ReadOnly | EventClass::Mutating) {
        return None;
    }
    let mut sections: Sections = judged.snapshot.project.sections.clone();
    for effect in effects {
        if let Effect::Shared(step) = effect {
            // A newer program's: then nothing is said of it.
            let _ = step.apply(&mut sections);
        }
    }
    let bits = sections.get::<Streaks>().bits(event.host, event.time);
    let known = Observations::of(&judged.snapshot.session).hot;
    (bits != known).then(|| effect(ObservationStep::Hot { bits }))
}
