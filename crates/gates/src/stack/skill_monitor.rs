//! The gate that notices when a call belongs to another skill than the active one.

use model::{EventKind, Finding, Level};
use work::discipline::Skills;

use crate::conduct::{self, CallRole};
use crate::gate::{Gate, GateInput};
use crate::words::quoted;

/// The skill that fits is used.
pub const GATE: Gate = Gate {
    id: "skill_monitor",
    summary: "Says when a call belongs to another skill than the active one.",
    page: include_str!("skill_monitor.md"),
    mode: conduct::demands,
    check,
};

/// The rule under which a skill is demanded.
const ASKED: &str = "asked";

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    let (EventKind::ToolBefore(call), Some(drift)) =
        (&input.event.kind, &input.known.discipline.drift)
    else {
        return Vec::new();
    };
    let skills = Skills::of(&input.known.session);
    let is_loaded = skills.loaded.contains(&skills.active);
    let active = match (skills.active.as_str(), is_loaded) {
        ("", _) => "no skill is loaded".to_owned(),
        (name, true) => format!("the loaded one is {name}"),
        (name, false) => format!("the one named for this task is {name}"),
    };
    let holds = match drift.constraints.as_str() {
        "" => String::new(),
        constraints => format!(" It holds to: {}.", quoted(constraints)),
    };
    let is_change = conduct::role(call, &input.known.analysis) == CallRole::Change;
    if drift.is_asked && is_change && conduct::may_demand(input) {
        let reason = format!(
            "the user has this done with its skills, and this belongs to {} ({}, by {}); {active}",
            drift.skill, drift.when, drift.source
        );
        let mut finding = Finding::new(GATE.id, ASKED, Level::Deny, reason);
        finding.is_demand = true;
        finding.alternative = format!("Load it, then repeat this.{holds}");
        return vec![finding];
    }
    let mut finding = Finding::new(GATE.id, "", Level::Allow, "");
    finding.advice = format!(
        "This call belongs to the skill {} ({}, by {}); {active}. Load it before more of \
         this.{holds}",
        drift.skill, drift.when, drift.source
    );
    vec![finding]
}
