//! The gate that tells of what a call is about to run into. It only advises.

use model::{EventKind, Finding, Foreseen, Level};

use crate::gate::{self, Gate, GateInput};

/// Most targets that are named.
const TARGETS_SHOWN_MAX: usize = 12;

/// What failed before, or cannot start as it stands, is said before it runs.
pub const GATE: Gate = Gate {
    id: "anti_patterns",
    summary: "Tells of what a call is about to run into: a command that keeps failing here, a \
              program that is not there.",
    page: include_str!("anti_patterns.md"),
    mode: gate::always,
    check,
};

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    if !matches!(input.event.kind, EventKind::ToolBefore(_)) {
        return Vec::new();
    }
    let foreseen = input.known.foreseen.iter();
    let told = foreseen.map(|one| {
        let mut finding = Finding::new(GATE.id, one.name(), Level::Allow, "");
        finding.advice = words(one);
        finding
    });
    told.collect()
}

fn words(foreseen: &Foreseen) -> String {
    match foreseen {
        Foreseen::Failing {
            command,
            times,
            sessions,
            since,
            error,
            worked,
        } => {
            let what = match error.is_empty() {
                true => "without a word".to_owned(),
                false => format!("with: {error}"),
            };
            let after = match worked.is_empty() {
                true => String::new(),
                false => format!(" What worked afterwards: `{worked}`."),
            };
            format!(
                "`{command}` failed the same way the last {times} times, in {sessions} sessions \
                 since {since}, {what}.{after}"
            )
        }
        Foreseen::NoProgram { program, instead } if instead.is_empty() => {
            format!("`{program}` is not on the PATH here.")
        }
        Foreseen::NoProgram { program, instead } => {
            format!("`{program}` is not on the PATH here; `{instead}` is there.")
        }
        Foreseen::NoTarget {
            target,
            file,
            known,
        } => {
            let shown: Vec<&str> = known
                .iter()
                .take(TARGETS_SHOWN_MAX)
                .map(String::as_str)
                .collect();
            let more = if known.len() > shown.len() {
                ", …"
            } else {
                ""
            };
            match shown.is_empty() {
                true => format!("{file} has no `{target}`, and nothing else to run."),
                false => format!(
                    "{file} has no `{target}`; it has: {}{more}.",
                    shown.join(", ")
                ),
            }
        }
        Foreseen::NoDirectory { dir } => format!("There is no directory `{dir}` here."),
        Foreseen::LeftLock { path } => format!(
            "{path} is there, and no git is running: one was broken off. If nothing else uses this \
             repository, move the lock away first."
        ),
    }
}
