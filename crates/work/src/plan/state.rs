//! What is remembered of a session's plan, and how it changes.

use model::section::{Field, Reader, Section, Step, StepError, Telling, Writer};
use model::{Session, Time, fields, name_of, one_line, steps};

/// How a plan stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PlanStatus {
    /// No verdict is about this plan and these gaps.
    #[default]
    Pending,
    /// Every finding that counts has a gap.
    Pass,
    /// One has none, or no verdict could be had.
    Fail,
    /// Nobody knows what it means. It stops like a failure.
    Unknown,
}

impl PlanStatus {
    /// Every status with its word in records and views.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("pending", Self::Pending),
        ("pass", Self::Pass),
        ("fail", Self::Fail),
        ("unknown", Self::Unknown),
    ];

    /// Its word.
    #[must_use]
    pub fn name(self) -> &'static str {
        name_of(Self::NAMES, self)
    }

    /// The status of a word. One that nobody knows is none that lets go.
    #[must_use]
    pub fn of(word: &str) -> Self {
        let mut names = Self::NAMES.iter();
        let found = names.find(|(name, _)| *name == word);
        found.map_or(Self::Unknown, |(_, status)| *status)
    }
}

impl Field for PlanStatus {
    fn write(&self, out: &mut Writer) {
        out.bytes(self.name().as_bytes());
    }

    fn read(input: &mut Reader<'_>) -> Option<Self> {
        input.text().map(|word| Self::of(&word))
    }
}

/// A session's plan. Digests are SHA-256 of the files' bytes, as hex.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Who switched the gate on in this session; empty if nobody did.
    pub started: String,
    /// Whether a person lets plans of this session be left without a verdict.
    pub waived: bool,
    /// The plan file; empty if no plan was seen.
    pub plan_file: String,
    /// Its digest.
    pub plan_hash: String,
    /// The gaps file; empty if it was never seen.
    pub gaps_file: String,
    /// Its digest.
    pub gaps_hash: String,
    /// How it stands.
    pub status: PlanStatus,
    /// Why it stands so.
    pub reason: String,
    /// When it came to stand so.
    pub changed: Time,
    /// The critic's findings about this very plan, in their form; empty if there are none yet.
    pub findings: String,
    /// Who gave the verdict: `in-session`, or the command of the outside runner.
    pub source: String,
}

fields!(Plan {
    started,
    waived,
    plan_file,
    plan_hash,
    gaps_file,
    gaps_hash,
    status,
    reason,
    changed,
    findings,
    source,
});

impl Plan {
    /// That of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }

    /// Whether a session has one. Costs nothing where it has not.
    #[must_use]
    pub fn is_in(session: &Session) -> bool {
        session.sections.raw(Self::NAME).is_some()
    }

    /// Whether it may be left with a verdict alone: because settings want that, or because somebody
    /// switched the gate on here; unless a person said otherwise.
    #[must_use]
    pub fn needs_verdict(&self, is_required: bool) -> bool {
        (is_required || !self.started.is_empty()) && !self.waived
    }

    /// The name of the plan: that of its file, without the ending.
    #[must_use]
    pub fn slug(&self) -> &str {
        slug(&self.plan_file)
    }

    fn stand(&mut self, status: PlanStatus, reason: &str, time: Time) {
        self.status = status;
        self.reason = one_line(reason, REASON_CHARS_MAX);
        self.changed = time;
        self.source.clear();
    }
}

/// The name of a plan by its file.
#[must_use]
pub fn slug(file: &str) -> &str {
    let name = file.rsplit('/').next().unwrap_or_default();
    name.strip_suffix(".md").unwrap_or(name)
}

/// Longest reason, in characters.
const REASON_CHARS_MAX: usize = 300;

/// What a plan says that was just seen for the first time.
pub const NOT_YET: &str = "Assessment not yet run";
/// What it says after an edit.
pub const PLAN_EDITED: &str = "Plan edited, re-run assessment";
/// What it says after an edit of the gaps.
pub const GAPS_EDITED: &str = "Gaps edited, re-run assessment";

impl Section for Plan {
    const NAME: &'static str = "plan_gate";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;
}

steps! {
    /// A change of what is remembered of a plan.
    pub enum PlanStep of Plan {
        /// The gate is on in this session.
        "started" => Started {
            /// Who said so.
            by: String,
        },
        /// A person takes that back.
        "dropped" => Dropped {},
        /// A plan was written, or handed over.
        "planned" => Planned {
            /// Its file.
            file: String,
            /// Its digest.
            hash: String,
            /// When.
            time: Time,
        },
        /// Gaps were written down.
        "listed" => Listed {
            /// Their file.
            file: String,
            /// Its digest.
            hash: String,
            /// When.
            time: Time,
        },
        /// A critic answered.
        "criticised" => Criticised {
            /// The digest of the plan that it saw.
            plan: String,
            /// What it found, in its form.
            @hidden findings: String,
            /// How it stands now, in words.
            reason: String,
            /// When.
            time: Time,
        },
        /// A verdict was given.
        "assessed" => Assessed {
            /// The digest of the plan that it is about.
            plan: String,
            /// The digest of the gaps that it is about; empty if there are none.
            gaps: String,
            /// `pass` or `fail`.
            status: String,
            /// Why.
            reason: String,
            /// Who gave it.
            source: String,
            /// When.
            time: Time,
        },
    }
}

impl Step for PlanStep {
    type Section = Plan;

    fn apply(&self, plan: &mut Plan) -> Result<(), StepError> {
        match self {
            Self::Started { by } => {
                plan.waived = false;
                if plan.started.is_empty() {
                    plan.started.clone_from(by);
                }
            }
            Self::Dropped {} => {
                plan.started.clear();
                plan.waived = true;
            }
            Self::Planned { file, hash, time } => {
                let is_first = plan.plan_file.is_empty();
                plan.plan_file.clone_from(file);
                plan.plan_hash.clone_from(hash);
                plan.findings.clear();
                let reason = if is_first { NOT_YET } else { PLAN_EDITED };
                plan.stand(PlanStatus::Pending, reason, *time);
            }
            Self::Listed { file, hash, time } => {
                plan.gaps_file.clone_from(file);
                plan.gaps_hash.clone_from(hash);
                if !plan.plan_file.is_empty() {
                    plan.stand(PlanStatus::Pending, GAPS_EDITED, *time);
                }
            }
            Self::Criticised {
                plan: seen,
                findings,
                reason,
                time,
            } => {
                if *seen == plan.plan_hash && !seen.is_empty() {
                    plan.findings.clone_from(findings);
                    plan.stand(PlanStatus::Pending, reason, *time);
                }
            }
            Self::Assessed {
                plan: seen,
                gaps,
                status,
                reason,
                source,
                time,
            } => {
                let is_this = *seen == plan.plan_hash && *gaps == plan.gaps_hash;
                if is_this && !seen.is_empty() {
                    plan.stand(PlanStatus::of(status), reason, *time);
                    plan.source.clone_from(source);
                }
            }
        }
        Ok(())
    }

    fn told(&self) -> Telling {
        Telling::Beside(match self {
            Self::Started { by } => format!("the plan must be assessed ({by})"),
            Self::Dropped {} => "the plan may be left without a verdict".to_owned(),
            Self::Planned { file, .. } => format!("plan {} recorded", slug(file)),
            Self::Listed { .. } => "gaps recorded".to_owned(),
            Self::Criticised { reason, .. } => format!("plan criticised: {reason}"),
            Self::Assessed {
                status,
                reason,
                source,
                ..
            } => format!("plan {status} ({source}): {reason}"),
        })
    }
}
