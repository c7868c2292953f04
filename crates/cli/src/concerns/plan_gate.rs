//! Plans, as the command line shows them.

use model::Session;
use model::section::Section;
use serde_json::{Value, json};
use work::plan::{Plan, PlanStatus};

use super::shape::{Concern, Kept, Waiting};

pub const CONCERN: Concern = Concern {
    kept: Some(Kept {
        section: Plan::NAME,
        of: |session| in_json(&Plan::of(session)),
    }),
    waiting: Some(Waiting {
        count: waiting,
        noun: "plan",
        command: "tollgate plan status",
    }),
    ..Concern::PLAIN
};

/// A plan, by the names that its view has.
pub fn in_json(plan: &Plan) -> Value {
    json!({
        "plan_file": plan.plan_file, "plan_hash": plan.plan_hash,
        "gaps_file": plan.gaps_file, "gaps_hash": plan.gaps_hash,
        "status": plan.status.name(), "reason": plan.reason,
        "timestamp": text::date::second(plan.changed.0),
        "started": plan.started, "waived": plan.waived, "source": plan.source,
    })
}

/// A plan that is to be assessed, and has not passed.
fn waiting(session: &Session) -> u64 {
    if !Plan::is_in(session) {
        return 0;
    }
    let plan = Plan::of(session);
    u64::from(plan.needs_verdict(false) && plan.status != PlanStatus::Pass)
}
