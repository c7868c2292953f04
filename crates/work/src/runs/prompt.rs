//! What a worker and a reviewer of a run are told. What a worker wrote reaches a reviewer between
//! fences alone.

use super::Run;
use super::rounds::{EARLIER, Finding, TRAJECTORY};
pub use crate::tickets::prompt::Brief;
use crate::tickets::prompt::{fenced, write};

/// Most characters of what a worker is told of findings.
const FED_CHARS_MAX: usize = 4_000;

/// What is reviewed in one round.
#[derive(Debug, Clone, Copy)]
pub struct Round<'a> {
    /// What every reviewer is told.
    pub brief: &'a Brief<'a>,
    /// What is open, in the order of its numbers.
    pub earlier: &'a [Finding],
    /// What our checks said of the very tree; empty if there are none.
    pub checks: &'a str,
}

impl Round<'_> {
    /// The whole prompt.
    #[must_use]
    pub fn text(&self) -> String {
        let nonce = self.brief.nonce;
        let earlier = self.earlier.iter().enumerate();
        let earlier: Vec<String> = earlier
            .map(|(at, finding)| format!("{}. {}", at + 1, finding.in_words()))
            .collect();
        let brief = Brief {
            issues: &earlier,
            ..*self.brief
        };
        let mut text = write(&brief);
        if !self.checks.is_empty() {
            text.push_str("\nWhat checks said that we ran on this very state of the work:\n");
            fenced(&mut text, nonce, self.checks);
        }
        text.push_str(
            "\nA finding may have two more lines: `class: security` (or another word for what it \
             is), and `witness: command`, a command that fails because of it, run in the \
             directory that you review.\n",
        );
        if !self.earlier.is_empty() {
            let count = self.earlier.len();
            text.push_str(&format!(
                "\nThis is not the first round. Above the verdict, say of each of the {count} \
                 earlier findings how it stands, by its number:\n\n{EARLIER}1: fixed, open or \
                 withdrawn\n\nA finding that is open still is marked and not written down again. \
                 What is new counts only if its severity is high and it lies in lines that changed \
                 since. A new finding that asks to undo what an earlier one asked for has a line \
                 `undoes: 1`, with the number of that one. One more line says how many were open \
                 and how many are, the new ones with them:\n\n{TRAJECTORY}{count} -> 0\n"
            ));
        }
        text
    }
}

/// What the worker is told in its next turn, besides what the user asked for.
#[must_use]
pub fn fed(run: &Run) -> String {
    let mut text = String::new();
    for told in &run.told {
        text.push_str(&format!("- {told}\n"));
    }
    for finding in &run.open {
        text.push_str(&format!("- {}\n", finding.in_words()));
    }
    if text.is_empty() {
        return text;
    }
    let head = "The work is not ready. This is open; settle it, and change nothing else:\n";
    let all = [head, &text].concat();
    all.chars().take(FED_CHARS_MAX).collect()
}
