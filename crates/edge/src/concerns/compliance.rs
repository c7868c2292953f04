//! The check of the work against what was asked: when it is due, how it is started. Its verdict is
//! owed like any other. Knows no verdict of a gate.

use model::{Call, EventKind, Facts, Helper, Snapshot};
use rules::settings;
use work::discipline::ComplianceStep;

use crate::concerns::discipline::effect;
use crate::concerns::shape::{Concern, EventContext, Outcome, Steps};
use crate::definitions;
use crate::judge::Judged;

/// The session keeps to what it was asked.
pub const CONCERN: Concern = Concern {
    id: "compliance",
    gates: &[&gates::stack::compliance::GATE],
    inform: Some(inform),
    after: Some(after),
    ..Concern::PLAIN
};

fn inform(context: &EventContext<'_>, snapshot: &mut Snapshot, _: &Facts) -> Steps {
    let kind = Helper::Checker;
    let kind = context.host.kind_of(kind).unwrap_or(kind.name());
    let foreign = foreign(context, snapshot);
    let guide = &mut snapshot.discipline;
    guide.check_call = (context.host.review.call)(kind, "Check this session.");
    guide.foreign = foreign;
    // Where nobody could answer it, nothing is demanded.
    if context.host.helpers.is_some() {
        guide.threshold = u64::from(context.rules.setting(&settings::compliance::CALLS).value);
    }
    Steps::default()
}

/// Why the compliance check that a call would start is not ours.
fn foreign(context: &EventContext<'_>, known: &Snapshot) -> String {
    let EventKind::ToolBefore(Call::Spawn { kind, .. }) = &context.event.kind else {
        return String::new();
    };
    if Helper::meant_by(kind) != Some(Helper::Checker) {
        return String::new();
    }
    let config = &context.dirs.user;
    let found = definitions::foreign_helper(context.host, Helper::Checker, &known.place, config);
    found.unwrap_or_default()
}

/// That a call was held back for want of a check is counted.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    let shown = judged.decision.shown();
    let held = shown.filter(|finding| CONCERN.owns(finding.gate));
    let held = held.map(|_| {
        effect(ComplianceStep::Held {
            time: context.event.time,
        })
    });
    Outcome::remember(held.into_iter().collect())
}
