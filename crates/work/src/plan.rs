//! A plan that is left only when a critic's findings are covered by gaps that were written down.
//! The page `plan.md` has states and steps.
//!
//! Owns the record of a session's plan, the forms of gaps, findings and verdicts, what a plan says
//! of its own doubts, the prompts, and the table by which a plan is left. Knows no host and no
//! file: who calls says what it saw.

pub mod answers;
pub mod exit;
pub mod gaps;
pub mod leakage;
pub mod prompts;
mod state;
pub mod view;

pub use state::{GAPS_EDITED, NOT_YET, PLAN_EDITED, Plan, PlanStatus, PlanStep, slug};

use gaps::Gap;
use model::{Time, one_line};

use answers::{Coverage, Critique};

crate::sections::sections! { PlanStep }

/// States, steps, and who may cause them.
pub const PAGE: &str = include_str!("plan.md");

/// Longest findings that are kept, in bytes.
pub const FINDINGS_BYTES_MAX: usize = 32 * 1024;

/// Whether a plan says what it is for: a heading `Goals`, of any depth and with more words.
#[must_use]
pub fn has_goals(text: &str) -> bool {
    let is_word = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let wanted = ["goal", "goals", "objective", "objectives"];
        wanted.iter().any(|known| word.eq_ignore_ascii_case(known))
    };
    let mut fenced = false;
    for line in text.lines().map(str::trim_end) {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let heading = line.trim_start_matches('#');
        let is_heading = heading.len() < line.len() && heading.starts_with(' ');
        let is_success = heading.to_lowercase().contains("success criteria");
        if !fenced && is_heading && (is_success || heading.split_whitespace().any(is_word)) {
            return true;
        }
    }
    false
}

/// What a verdict is about, and when and by whom it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject<'a> {
    /// The digest of the plan.
    pub plan: &'a str,
    /// The digest of the gaps; empty if there are none.
    pub gaps: &'a str,
    /// Who gives it.
    pub source: &'a str,
    /// When.
    pub time: Time,
}

impl Subject<'_> {
    fn assessed(&self, status: PlanStatus, reason: &str) -> PlanStep {
        PlanStep::Assessed {
            plan: self.plan.to_owned(),
            gaps: self.gaps.to_owned(),
            status: status.name().to_owned(),
            reason: one_line(reason, REASON_CHARS_MAX),
            source: self.source.to_owned(),
            time: self.time,
        }
    }
}

/// Longest reason, in characters.
const REASON_CHARS_MAX: usize = 240;
/// Most findings that a reason names.
const NAMED_MAX: usize = 5;

/// What follows from a critic's findings. Where they need no gap, or there is no gap, no validator
/// is asked.
#[must_use]
pub fn criticised(critique: &Critique, gaps: &[Gap], subject: &Subject<'_>) -> Vec<PlanStep> {
    let count = critique.findings.len();
    let mut steps = vec![PlanStep::Criticised {
        plan: subject.plan.to_owned(),
        findings: critique.text(),
        reason: format!("The critic found {count}; whether gaps cover that is not yet said"),
        time: subject.time,
    }];
    if !critique.needs_gaps() {
        let reason = match count {
            0 => "The critic found nothing",
            _ => "The critic found nothing HIGH or MEDIUM",
        };
        steps.push(subject.assessed(PlanStatus::Pass, reason));
    } else if gaps.is_empty() {
        let grave = critique.findings.iter();
        let grave = grave.filter(|finding| finding.severity > gaps::Severity::Low);
        let titles: Vec<&str> = grave.map(|finding| finding.title.as_str()).collect();
        let titles = titles.get(..NAMED_MAX).unwrap_or(&titles).join("; ");
        let reason = format!("No gap is written down, and the critic found: {titles}");
        steps.push(subject.assessed(PlanStatus::Fail, &reason));
    }
    steps
}

/// What follows from a validator's answer.
#[must_use]
pub fn validated(coverage: &Coverage, subject: &Subject<'_>) -> PlanStep {
    match coverage {
        Coverage::Pass => subject.assessed(PlanStatus::Pass, "Gaps cover what the critic found"),
        Coverage::Fail(reason) => {
            let reason = format!("Not covered: {reason}");
            subject.assessed(PlanStatus::Fail, &reason)
        }
    }
}

/// What follows where no verdict could be had: it fails closed.
#[must_use]
pub fn no_verdict(why: &str, subject: &Subject<'_>) -> PlanStep {
    subject.assessed(PlanStatus::Fail, why)
}

#[cfg(test)]
mod tests;
