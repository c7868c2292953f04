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
    let room = conduct::PROMPT_BYTES_MAX.saturating_sub(input.known.discipline.taken);
    let mut lines: Vec<String> = Vec::new();
    for line in offer.iter().rev().take(LINES_MAX) {
        lines.push(quoted(&one_line(line, LINE_CHARS_MAX)));
        if advice(input, &lines).len() > room {
            lines.pop();
        }
    }
    // It keeps for a prompt with which less is said.
    if lines.is_empty() {
        return Vec::new();
    }
    let mut finding = Finding::new(GATE.id, "", Level::Allow, "");
    finding.advice = advice(input, &lines);
    vec![finding]
}

fn advice(input: &GateInput<'_>, lines: &[String]) -> String {
    let way = match input.known.discipline.remember.as_str() {
        "" => "keep it with `tollgate memory add`".to_owned(),
        helper => format!("start the subagent {helper} with these words, in the background"),
    };
    format!(
        "Said before, and perhaps worth keeping: {}. If so, {way}.",
        lines.join(", ")
    )
}
