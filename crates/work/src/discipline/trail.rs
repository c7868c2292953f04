//! What was asked since the last check, in order, and below each what was done for it: what a
//! check is shown. Equal calls are counted. It is bounded, and says what was left out.

use model::{fields, one_line};

use super::lines::CALL_CHARS_MAX;

/// Most requests that are kept, and most lines below one of them.
pub const ASKED_MAX: usize = 10;
const LINES_MAX: usize = 24;
/// Longest request, in characters.
const TEXT_CHARS_MAX: usize = 300;
/// Most lines below all of them together.
const ALL_LINES_MAX: usize = 80;
/// Most decisions that are kept of one request.
const DECISIONS_MAX: usize = 6;

/// Calls that look alike.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// How they look.
    pub text: String,
    /// How many there were.
    pub times: u64,
    /// How many of them failed: all, or none.
    pub failed: u64,
}

fields!(Line {
    text,
    times,
    failed,
});

/// A request of the human's, and what was done for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asked {
    /// What they said.
    pub text: String,
    /// Whether it says what is to be done, and not only to go on.
    pub scope: bool,
    /// How it was to be done, as the hydrator said; empty if no workflow was declared.
    pub way: String,
    /// Ids of the guardrails that hold for it.
    pub guardrails: Vec<String>,
    /// The calls, oldest first, equal ones once.
    pub calls: Vec<Line>,
    /// How many calls are not shown.
    pub more: u64,
    /// What the human decided meanwhile.
    pub decisions: Vec<String>,
}

fields!(Asked {
    text,
    scope,
    way,
    guardrails,
    calls,
    more,
    decisions,
});

/// What was asked since the last check, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trail {
    /// Each request.
    pub asked: Vec<Asked>,
    /// How many older requests since the last check are not among them.
    pub left_out: u64,
}

fields!(Trail { asked, left_out });

impl Trail {
    pub(super) fn prompted(&mut self, text: &str, scope: bool) {
        self.asked.push(Asked {
            text: one_line(text, TEXT_CHARS_MAX),
            scope,
            ..Asked::default()
        });
        let surplus = self.asked.len().saturating_sub(ASKED_MAX);
        self.asked.drain(..surplus);
        self.left_out += surplus as u64;
    }

    /// The latest request; what came before the first belongs to none.
    fn latest(&mut self) -> Option<&mut Asked> {
        if self.asked.is_empty() {
            self.asked.push(Asked::default());
        }
        self.asked.last_mut()
    }

    pub(super) fn called(&mut self, line: &str, failed: bool) {
        if line.is_empty() {
            return;
        }
        let text = one_line(line, CALL_CHARS_MAX);
        let Some(asked) = self.latest() else { return };
        // What failed and what went stand apart: whether it went in the end is to be seen.
        let is_same = |known: &&mut Line| known.text == text && (known.failed > 0) == failed;
        if let Some(known) = asked.calls.iter_mut().find(is_same) {
            known.times += 1;
            known.failed += u64::from(failed);
            return;
        }
        asked.calls.push(Line {
            text,
            times: 1,
            failed: u64::from(failed),
        });
        while asked.calls.len() > LINES_MAX {
            asked.more += asked.calls.remove(0).times;
        }
        let all: usize = self.asked.iter().map(|asked| asked.calls.len()).sum();
        let fullest = self.asked.iter_mut().find(|asked| !asked.calls.is_empty());
        if let (true, Some(oldest)) = (all > ALL_LINES_MAX, fullest) {
            oldest.more += oldest.calls.remove(0).times;
        }
    }

    /// How the latest task is to be done.
    pub(super) fn grounded(&mut self, way: &str, guardrails: &[String]) {
        if let Some(asked) = self.asked.iter_mut().rev().find(|asked| asked.scope) {
            way.clone_into(&mut asked.way);
            asked.guardrails = guardrails.to_vec();
        }
    }

    pub(super) fn decided(&mut self, line: &str) {
        let Some(asked) = self.latest() else { return };
        asked.decisions.push(one_line(line, TEXT_CHARS_MAX));
        let surplus = asked.decisions.len().saturating_sub(DECISIONS_MAX);
        asked.decisions.drain(..surplus);
    }

    /// It was checked: what the latest request is stays, what was done for it does not. A word to
    /// go on stays with the task that it belongs to.
    pub(super) fn checked(&mut self) {
        let task = self.asked.iter().rposition(|asked| asked.scope);
        self.asked.drain(..task.unwrap_or_default());
        for asked in &mut self.asked {
            asked.calls.clear();
            asked.more = 0;
        }
        self.left_out = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_stands_below_what_was_asked_and_equal_ones_are_counted() {
        let mut trail = Trail::default();
        trail.called("ls", false);
        trail.prompted("fix the test", true);
        (0..8).for_each(|_| trail.called("cargo test", true));
        trail.called("cargo test", false);
        trail.prompted("yes", false);
        trail.called("git push", false);
        trail.grounded("approach=direct", &["use_todowrite".to_owned()]);
        trail.decided("allowed: git push");
        let [before, task, yes] = &trail.asked[..] else {
            panic!("{trail:?}");
        };
        assert_eq!((before.text.as_str(), before.calls.len()), ("", 1));
        let tests = |times, failed| Line {
            text: "cargo test".into(),
            times,
            failed,
        };
        assert_eq!(task.calls, [tests(8, 8), tests(1, 0)]);
        assert_eq!((&*task.way, &*yes.way), ("approach=direct", ""));
        assert_eq!(yes.decisions, ["allowed: git push"]);
    }

    #[test]
    fn the_oldest_calls_make_room_for_the_newest_and_are_counted() {
        let mut trail = Trail::default();
        trail.prompted("only a question", true);
        for task in 1..=4 {
            trail.prompted(&format!("task {task}"), true);
            for call in 0..20 {
                (0..2).for_each(|_| trail.called(&format!("call {call}"), false));
            }
        }
        let shown = |trail: &Trail| -> Vec<(usize, u64)> {
            let asked = trail.asked.iter();
            asked.map(|asked| (asked.calls.len(), asked.more)).collect()
        };
        let whole = [(0, 0), (20, 0), (20, 0), (20, 0), (20, 0)];
        assert_eq!(shown(&trail), whole);
        let last = trail.asked.last().map(|asked| asked.calls[0].clone());
        let twice = Line {
            text: "call 0".into(),
            times: 2,
            failed: 0,
        };
        assert_eq!(last, Some(twice), "equal calls that went well are one line");
        trail.called("call 20", false);
        assert_eq!(shown(&trail)[..3], [(0, 0), (19, 2), (20, 0)]);
        trail.called("call 21", false);
        assert_eq!(shown(&trail)[..3], [(0, 0), (18, 4), (20, 0)]);
        assert_eq!(trail.asked[1].calls[0].text, "call 2");
        assert_eq!(shown(&trail)[3..], [(20, 0), (22, 0)]);
    }

    #[test]
    fn a_check_leaves_the_latest_task_without_its_calls() {
        let mut trail = Trail::default();
        for (text, scope) in [("one", true), ("two", true), ("go on", false)] {
            trail.prompted(text, scope);
            trail.called("ls", false);
        }
        trail.checked();
        let kept: Vec<&str> = trail.asked.iter().map(|asked| &*asked.text).collect();
        assert_eq!(kept, ["two", "go on"]);
        assert!(trail.asked.iter().all(|asked| asked.calls.is_empty()));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let mut trail = Trail::default();
        for number in 0..ASKED_MAX + 3 {
            trail.prompted(&format!("task {number}"), true);
        }
        (0..LINES_MAX + 5).for_each(|number| trail.called(&format!("call {number}"), false));
        assert_eq!((trail.asked.len(), trail.left_out), (ASKED_MAX, 3));
        assert_eq!(trail.asked.last().map(|asked| asked.more), Some(5));
    }
}
