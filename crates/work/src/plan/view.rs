//! What people see of a plan in the files beside it: the document's own keys. Nothing reads them
//! back.

use super::state::Plan;

/// The directory beside the plans.
pub const DIR: &str = "rodin-plan-gate";
/// What the name of a gaps file ends in.
pub const GAPS: &str = ".gaps.md";

/// The name of a session's gaps file.
#[must_use]
pub fn gaps_name(session: &str) -> String {
    [session, GAPS].concat()
}

/// The session that a gaps file is of, by its name.
#[must_use]
pub fn session_of(name: &str) -> Option<&str> {
    name.strip_suffix(GAPS)
        .filter(|session| !session.is_empty())
}

/// The name of a session's view.
#[must_use]
pub fn gate_name(session: &str) -> String {
    [session, ".gate.yml"].concat()
}

/// The name of the file that says which session a plan is of.
#[must_use]
pub fn session_name(slug: &str) -> String {
    [slug, ".session"].concat()
}

/// The text of `gate.yml`; `time` is when it came to stand so, as `2026-01-21T20:00:00Z`.
#[must_use]
pub fn gate(plan: &Plan, time: &str) -> String {
    let lines = [
        ("plan_file", plain(&plan.plan_file)),
        ("plan_hash", plan.plan_hash.clone()),
        ("gaps_file", plain(&plan.gaps_file)),
        ("gaps_hash", plan.gaps_hash.clone()),
        ("status", plan.status.name().to_owned()),
        ("reason", quoted(&plan.reason)),
        ("timestamp", time.to_owned()),
    ];
    let lines = lines.map(|(key, value)| match value.as_str() {
        "" => format!("{key}:\n"),
        value => format!("{key}: {value}\n"),
    });
    lines.concat()
}

/// A path as it is, where YAML takes it so; else in quotes.
fn plain(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if path.chars().all(is_plain) {
        return path.to_owned();
    }
    quoted(path)
}

/// Words that YAML reads as they are; none are `null`.
fn quoted(words: &str) -> String {
    if words.is_empty() {
        return "null".to_owned();
    }
    let escaped = words.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}
