//! Which skill a call or a prompt belongs to, by the table that people may write. Knows no verdict.

use std::path::{Path, PathBuf};

use context::tables::{self, Name, Trigger};
use hosts::Roots;
use model::{Call, Drift, EventKind, Session, Snapshot, one_line};
use work::discipline::skills as steps;
use work::discipline::{CALL_CHARS_MAX, SkillStep, Skills, Task};

use crate::concerns::discipline::effect;
use crate::concerns::shape::{Concern, EventContext, Steps};
use crate::{facts, surroundings};

/// Most directories that are looked into for a skill, and longest description that is read.
const DIRS_MAX: usize = 200;
const SKILL_BYTES_MAX: u64 = 16 * 1024;
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
    // What was named for this task was told with it.
    let mut told = kept.loaded.iter().chain(&kept.drifts).chain([&kept.active]);
    if told.any(|known| steps::is_same(known, &skill)) {
        return None;
    }
    let file = file_of(context, &skill);
    let text = file.and_then(|file| facts::head_of(&file, SKILL_BYTES_MAX).ok());
    Some(Drift {
        skill,
        when: one_line(&fit.trigger.when, CALL_CHARS_MAX),
        source: fit.source,
        constraints: text.map_or(String::new(), |text| tables::constraints(&text)),
        is_asked: hosts::task_done_by_command(&Task::of(&known.session).intent).is_some(),
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
    let is_there = table.source.starts_with('/') || file_of(context, &found.skill).is_some();
    is_there.then(|| Fit {
        trigger: found.clone(),
        source: table.source,
    })
}

/// Whether there is a skill of this name: it lies where the host looks for skills, or people's own
/// table names it, or the session has loaded it.
pub fn is_known(context: &EventContext<'_>, session: &Session, skill: &str) -> bool {
    let is_same = |known: &String| steps::is_same(known, skill);
    if Skills::of(session).loaded.iter().any(is_same) || file_of(context, skill).is_some() {
        return true;
    }
    let table = table(context, Name::Reminders);
    let (triggers, _) = tables::reminders(&table.text);
    let mut rows = triggers.iter();
    table.source.starts_with('/') && rows.any(|row| steps::is_same(&row.skill, skill))
}

/// The description of a skill, where the host looks for skills; a plugin's by its own name.
fn file_of(context: &EventContext<'_>, skill: &str) -> Option<PathBuf> {
    let project = Path::new(&context.dirs.project).parent();
    let project = project.map_or(String::new(), |dir| dir.to_string_lossy().into_owned());
    let home = surroundings::env("HOME").unwrap_or_default();
    let roots = Roots {
        home: &home,
        project: &project,
        env: &surroundings::env,
    };
    let name = steps::bare(skill);
    if name.is_empty() || name.contains(['/', '.', '*']) {
        return None;
    }
    let templates = roots.expand_all(context.host.skills);
    templates.iter().find_map(|template| below(template, name))
}

/// The file that a template names with this in the place of its last `*`; any directory in that of
/// an earlier one.
fn below(template: &str, name: &str) -> Option<PathBuf> {
    let (head, tail) = template.rsplit_once('*')?;
    let mut dirs = vec![PathBuf::from("/")];
    for part in head.split('/').filter(|part| !part.is_empty()) {
        dirs = match part {
            "*" => dirs.iter().flat_map(|dir| within(dir)).collect(),
            part => dirs.iter().map(|dir| dir.join(part)).collect(),
        };
        dirs.truncate(DIRS_MAX);
    }
    let files = dirs.iter().map(|dir| dir.join([name, tail].concat()));
    files.into_iter().find(|file| file.is_file())
}

fn within(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.take(DIRS_MAX).map(|entry| entry.path()).collect()
}
