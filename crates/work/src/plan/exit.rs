//! Whether a plan may be left: the table of the page, row by row. Pure: who asks says what it saw.

use model::FileLook;

use super::state::{Plan, PlanStatus};

/// What is seen when a plan is to be left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaving<'a> {
    /// The file that the host hands over; empty if it names none.
    pub handed: &'a str,
    /// The plan file of the record, as it is now.
    pub plan: &'a FileLook,
    /// Whether the text that the host hands over is what the file holds; nothing if it hands over
    /// none.
    pub is_same_text: Option<bool>,
    /// The gaps file of the record, as it is now.
    pub gaps: &'a FileLook,
}

/// Why a plan is not left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The row.
    pub rule: &'static str,
    /// Why, in a sentence.
    pub reason: String,
    /// What to do, in a sentence; empty where the way is the assessment.
    pub way: String,
}

fn refusal(rule: &'static str, reason: impl Into<String>, way: impl Into<String>) -> Refusal {
    Refusal {
        rule,
        reason: reason.into(),
        way: way.into(),
    }
}

/// The first row that stops the end of a plan; nothing lets it go.
#[must_use]
pub fn refused(plan: &Plan, leaving: &Leaving<'_>) -> Option<Refusal> {
    if plan.plan_file.is_empty() {
        return Some(match plan.status {
            PlanStatus::Pending => refusal("absent", "no assessment of a plan is on record", ""),
            _ => refusal(
                "corrupt",
                "the record of the assessment is damaged: it names no plan file",
                "",
            ),
        });
    }
    let changed = |what: &str| Some(refusal("changed", what, ""));
    if !leaving.handed.is_empty() && leaving.handed != plan.plan_file {
        return changed("this is another plan file than the one that was assessed");
    }
    match leaving.plan {
        FileLook::Missing => {
            let reason = format!("the plan file is missing: {}", plan.plan_file);
            return Some(refusal("unreadable", reason, "Write the plan again."));
        }
        FileLook::Unreadable(why) => {
            let reason = format!("the plan file cannot be read: {why}");
            return Some(refusal("unreadable", reason, "Make it readable."));
        }
        FileLook::Digest(hash) if *hash != plan.plan_hash => {
            return changed("the plan is not the one that was assessed");
        }
        FileLook::Digest(_) => {}
    }
    if leaving.is_same_text == Some(false) {
        return changed("the plan that is handed over is not what its file holds");
    }
    if !plan.gaps_file.is_empty() {
        match leaving.gaps {
            FileLook::Missing => {
                let reason = format!("the gaps file is missing: {}", plan.gaps_file);
                return Some(refusal("gaps", reason, "Write down the known gaps again."));
            }
            FileLook::Unreadable(why) => {
                let reason = format!("the gaps file cannot be read: {why}");
                return Some(refusal("gaps", reason, "Make it readable."));
            }
            FileLook::Digest(hash) if *hash != plan.gaps_hash => {
                return changed("the gaps are not the ones that were assessed");
            }
            FileLook::Digest(_) => {}
        }
    }
    match plan.status {
        PlanStatus::Pass => None,
        PlanStatus::Pending => Some(refusal(
            "pending",
            format!("the assessment is pending: {}", plan.reason),
            "",
        )),
        PlanStatus::Fail => Some(refusal(
            "failed",
            format!("the assessment failed: {}", plan.reason),
            "Write down gaps that cover what was found, or mend the plan.",
        )),
        PlanStatus::Unknown => Some(refusal(
            "unknown",
            format!("nobody knows what the assessment says: {}", plan.reason),
            "",
        )),
    }
}
