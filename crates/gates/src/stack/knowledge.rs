//! The gate that offers to write down what was learned. It never stops anything.

use model::{EventKind, Finding, Level, one_line};
use work::discipline::Knowledge;

use crate::conduct;
use crate::gate::{Gate, GateInput};
use crate::words::quoted;

/// What was learned is kept.
pub const GATE: Gate = Gate {
    id: "knowledge",
    summary: "Offers to write down what was learned.",
    page: include_str!("knowledge.md"),
    mode: conduct::advises,
    check,
};

/// Most lines that are offered at once, and how long each may be, in characters.
const LINES_MAX: usize = 3;
const LINE_CHARS_MAX: usize = 120;

fn check(input: &GateInput<'_>) -> Vec<Finding> {
    let EventKind::Prompt { machine: false, .. } = &input.event.kind else {
        return Vec::new();
    };
    let offer = Knowledge::of(&input.known.session).offer;
    if offer.is_empty() || !conduct::may_demand(input) {
        return Vec::new();
    }
    let lines = offer.iter().rev().take(LINES_MAX);
    let lines: Vec<String> = lines
        .map(|line| quoted(&one_line(line, LINE_CHARS_MAX)))
        .collect();
    let mut finding = Finding::new(GATE.id, "", Level::Allow, "");
    finding.advice = format!(
        "Said before in this session, and perhaps worth keeping: {}. To keep it, start {} in the \
         background; it need not be waited for.",
        lines.join(", "),
        input.known.discipline.remember
    );
    vec![finding]
}
