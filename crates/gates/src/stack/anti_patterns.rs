//! The gate that tells of what a call is about to run into. Only a pattern that a person has
//! written or confirmed stops anything.

use model::{EventKind, Finding, Foreseen, GrantLevel, LetBy, Level, PatternAction, PatternMatch};

use crate::gate::{self, Gate, GateInput};

/// Most targets that are named.
const TARGETS_SHOWN_MAX: usize = 12;

/// What failed before, or cannot start as it stands, is said before it runs.
pub const GATE: Gate = Gate {
    id: "anti_patterns",
    summary: "Tells of what a call is about to run into: a command that keeps failing here, a \
              program that is not there; stops what the index of patterns says.",
    page: include_str!("anti_patterns.md"),
    mode: gate::always,
    check,
};

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    if !matches!(input.event.kind, EventKind::ToolBefore(_)) {
        return Vec::new();
    }
    let foreseen = &input.known.foreseen;
    let told = foreseen.iter().filter(|one| !is_covered(one, foreseen));
    told.map(finding).collect()
}

/// Whether a pattern speaks of the same row of failures.
fn is_covered(one: &Foreseen, all: &[Foreseen]) -> bool {
    let Foreseen::Failing { command, .. } = one else {
        return false;
    };
    let speaks = |other: &Foreseen| match other {
        Foreseen::Pattern(found) => {
            found.command == *command && found.action > PatternAction::Shadow
        }
        _ => false,
    };
    all.iter().any(speaks)
}

fn finding(foreseen: &Foreseen) -> Finding {
    let (level, reason) = match foreseen {
        Foreseen::Pattern(found) => against(found),
        _ => (Level::Allow, String::new()),
    };
    let mut finding = Finding::new(GATE.id, foreseen.name(), level, reason);
    match (foreseen, level) {
        (_, Level::Allow) => finding.advice = words(foreseen),
        (Foreseen::Pattern(found), _) => {
            finding.alternative = way_on(found);
            // Who has another way needs no yes.
            let has_way = found.is_learned && found.can_be_tried;
            let asks = !has_way || found.action != PatternAction::Suggest;
            finding.overridable = asks.then_some(GrantLevel::Prompt);
        }
        _ => {}
    }
    finding
}

/// How far a pattern goes against a call, and why.
fn against(found: &PatternMatch) -> (Level, String) {
    let level = match found.action {
        PatternAction::Shadow | PatternAction::Warn => Level::Allow,
        // What cannot be tried in a copy is a person's to decide.
        PatternAction::Prove if found.is_learned && !found.can_be_tried => Level::Ask,
        PatternAction::Suggest | PatternAction::Prove | PatternAction::Block => Level::Deny,
    };
    let PatternMatch {
        command, reason, ..
    } = found;
    (level, format!("`{command}`: {reason}"))
}

/// What to do where a pattern stops a call.
fn way_on(found: &PatternMatch) -> String {
    let PatternMatch {
        pattern,
        alternative,
        ..
    } = found;
    let mut ways = Vec::new();
    if !alternative.is_empty() {
        ways.push(format!("{alternative}."));
    }
    match (found.action, found.can_be_tried) {
        _ if !found.is_learned => {}
        (PatternAction::Prove, true) => ways.push(format!(
            "It takes a proof that it works by now: `tollgate prove {pattern}` runs it in a copy \
             of the project."
        )),
        (PatternAction::Prove, false) => {
            ways.push("It does more than can be tried in a copy, so the user decides.".to_owned());
        }
        (_, true) => ways.push(format!(
            "Mended by now? `tollgate prove {pattern}` tries it."
        )),
        (_, false) => {}
    }
    ways.push(format!("Why: `tollgate index show {pattern}`."));
    ways.join(" ")
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
        Foreseen::Pattern(found) => warning(found),
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

/// The warning of a pattern that lets the call run; nothing of one that is only counted.
fn warning(found: &PatternMatch) -> String {
    let PatternMatch {
        pattern,
        command,
        reason,
        alternative,
        ..
    } = found;
    if found.action == PatternAction::Shadow || found.let_by == LetBy::Proof {
        return String::new();
    }
    let instead = match alternative.is_empty() {
        true => String::new(),
        false => format!(" {alternative}."),
    };
    format!("`{command}`: {reason}.{instead} (pattern {pattern})")
}
