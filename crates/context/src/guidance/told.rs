//! What the worker is told of an answer: the workflow, the skill, and what each guardrail holds it
//! to. Short: it is said beside its work.

use model::one_line;
use work::discipline::Guidance;

use crate::tables::Rulebook;

/// Longest telling, in bytes: 150 tokens of a real tokenizer, which a test counts.
pub const TOLD_BYTES_MAX: usize = 590;
/// Longest instruction that is said whole, and longest note, in characters.
const INSTRUCTION_CHARS_MAX: usize = 120;
const NOTE_CHARS_MAX: usize = 90;

/// What the worker is told. `source` names the file of the guardrails where their words are not
/// ours: then they stand in quotation marks.
#[must_use]
pub fn told(guidance: &Guidance, rules: &Rulebook, source: &str) -> String {
    let mut text = String::from("Grounded: ");
    text.push_str(&guidance.way().replace("pre-work=none ", ""));
    text.push('.');
    if let Some(skill) = guidance.skills.first() {
        text.push_str(&format!(" Load the skill {skill} first."));
    }
    if !guidance.note.is_empty() {
        let note = one_line(&guidance.note, NOTE_CHARS_MAX);
        text.push_str(&format!(" Not taken: {}.", note.trim_end_matches('.')));
    }
    let from = match source {
        "" => String::new(),
        source => format!(" (from {})", one_line(source, 60)),
    };
    text.push_str(&match guidance.guardrails.is_empty() {
        true => String::new(),
        false => format!(" Keep to{from}:"),
    });
    let is_told = |id: &&String| !id.starts_with("require_skill") && rules.guardrail(id).is_some();
    let ids: Vec<&String> = guidance.guardrails.iter().filter(is_told).collect();
    let mut rest: Vec<&str> = Vec::new();
    // What is left for those whose words do not fit: their ids, whole.
    let mut left: usize = ids.iter().map(|id| id.len() + 2).sum();
    for id in ids {
        let instruction = rules.guardrail(id).map_or("", |known| &*known.instruction);
        let instruction = one_line(instruction.trim_matches('"'), INSTRUCTION_CHARS_MAX);
        let said = match source {
            "" => format!(" {instruction}"),
            _ => format!(" \"{}\"", instruction.replace('"', "'")),
        };
        if text.len() + said.len() + left <= TOLD_BYTES_MAX {
            text.push_str(&said);
            left -= id.len() + 2;
        } else {
            rest.push(id);
        }
    }
    if !rest.is_empty() {
        text.push_str(&format!(" And: {}.", rest.join(", ")));
    }
    text
}
