//! Which skill a call or a prompt belongs to, by the table that people may write. Knows no verdict.

use std::path::Path;

use context::tables::{self, Name, Trigger};
use hosts::Roots;
use model::{Call, Drift, EventKind, Snapshot, one_line};
use work::discipline::{CALL_CHARS_MAX, SkillStep, Skills};

use crate::concerns::discipline::effect;
use crate::concerns::shape::{Concern, EventContext, Steps};
use crate::{facts, surroundings};

/// Longest table that is read, in bytes.
const TABLE_BYTES_MAX: u64 = 256 * 1024;

/// The skill that fits is used.
pub const CONCERN: Concern = Concern {
    id: "skills",
    gates: &[&gates::stack::skill_monitor::GATE],
    before: Some(before),
    ..Concern::PLAIN
};

/// A call that belongs to a skill which was neither loaded nor named before.
fn before(context: &EventContext<'_>, known: &mut Snapshot) -> Steps {
    known.discipline.drift = drift(context, known);
    let drift = known.discipline.drift.as_ref();
    let step = drift.map(|drift| SkillStep::Drifted {
        name: drift.skill.clone(),
    });
    let step = step.map(effect);
    Steps::lasting(step.into_iter().collect())
}

fn drift(context: &EventContext<'_>, known: &Snapshot) -> Option<Drift> {
    if !matches!(context.event.kind, EventKind::ToolBefore(_)) {
        return None;
    }
    let fit = skill_of(context)?;
    let skill = one_line(&fit.trigger.skill, CALL_CHARS_MAX);
    let kept = Skills::of(&known.session);
    let mut told = kept.loaded.iter().chain(&kept.drifts);
    let is_told = told.any(|known| known.eq_ignore_ascii_case(&skill));
    (!is_told).then(|| Drift {
        skill,
        when: one_line(&fit.trigger.when, CALL_CHARS_MAX),
        source: fit.source,
    })
}

/// A table of people's, or ours.
pub struct Table {
    /// What it says.
    pub text: String,
    /// Where it stands.
    pub source: String,
}

/// A table: the project's before the user's before ours.
pub fn table(context: &EventContext<'_>, name: Name) -> Table {
    for dir in [&context.dirs.project, &context.dirs.user] {
        let source = name.below(dir);
        if let (false, Ok(text)) = (
            dir.is_empty(),
            facts::head_of(Path::new(&source), TABLE_BYTES_MAX),
        ) {
            return Table { text, source };
        }
    }
    Table {
        text: name.default_text().to_owned(),
        source: format!("tollgate's own {}", name.file()),
    }
}

/// A row of the table that fits.
pub struct Fit {
    /// The row.
    pub trigger: Trigger,
    /// Where the table stands.
    pub source: String,
}

/// The skill that a call or a prompt belongs to.
pub fn skill_of(context: &EventContext<'_>) -> Option<Fit> {
    let (text, paths) = match &context.event.kind {
        EventKind::Prompt { text, .. } => (text.clone(), Vec::new()),
        EventKind::ToolBefore(call) => match call {
            Call::Read { path } | Call::Write { path, .. } | Call::Edit { path, .. } => {
                (String::new(), vec![path.as_ref()])
            }
            Call::Patch { files } => {
                let names = files.iter().map(|file| file.path.as_ref());
                (String::new(), names.collect())
            }
            Call::Shell { .. } | Call::Search { .. } => (call.summary(1_000), Vec::new()),
            _ => return None,
        },
        _ => return None,
    };
    let table = table(context, Name::Reminders);
    let (triggers, _) = tables::reminders(&table.text);
    let found = tables::matching(&triggers, &text, &paths)?;
    // Our own table names skills that nobody may have.
    let is_there = table.source.starts_with('/') || is_installed(context, &found.skill);
    is_there.then(|| Fit {
        trigger: found.clone(),
        source: table.source,
    })
}

/// Whether a skill lies where the host looks for skills.
fn is_installed(context: &EventContext<'_>, skill: &str) -> bool {
    let project = Path::new(&context.dirs.project).parent();
    let project = project.map_or(String::new(), |dir| dir.to_string_lossy().into_owned());
    let home = surroundings::env("HOME").unwrap_or_default();
    let roots = Roots {
        home: &home,
        project: &project,
        env: &surroundings::env,
    };
    let files = roots.expand_all(context.host.skills).into_iter();
    let is_plain = !skill.is_empty() && !skill.contains(['/', '.', '*']);
    is_plain
        && files
            .into_iter()
            .any(|file| Path::new(&file.replace('*', skill)).is_file())
}
