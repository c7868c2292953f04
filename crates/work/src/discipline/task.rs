//! What the session was asked, and what it did lately.

use model::section::{Reader, Section, Sections, Step, StepError};
use model::{Event, EventKind, Session, fields, fnv64, one_line, steps};

use super::before::Before;
use super::lines::{CALL_CHARS_MAX, keep};
use super::trail::Trail;
use super::{Observation, Prompted, WORDS_CHARS_MAX, is_humans_prompt};

/// Longest prompt that is kept as a session's intent, in characters (S0.41).
pub const INTENT_CHARS_MAX: usize = 500;

/// What a session was asked, and what it did lately.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Task {
    /// Prompts of a human so far.
    pub prompts: u64,
    /// The first of them.
    pub origin: String,
    /// The latest: the scope of what is done now.
    pub intent: String,
    /// Hash of the whole latest one.
    pub prompt: u64,
    /// Ordinary calls, each on a line, oldest first.
    pub recent: Vec<String>,
    /// What failed lately, each on a line, oldest first.
    pub errors: Vec<String>,
    /// Files changed lately, oldest first.
    pub touched: Vec<String>,
    /// What was asked since the last check, and what was done for it.
    pub trail: Trail,
}

fields!(Task {
    prompts,
    origin,
    intent,
    prompt,
    recent,
    errors,
    touched,
    trail,
});

impl Task {
    /// That of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }
}

impl Section for Task {
    const NAME: &'static str = "task";
    const VERSION: u16 = 2;
    const MIN_READER: u16 = 1;

    fn read_version(version: u16, input: &mut Reader<'_>) -> Option<Self> {
        if version > 1 {
            return input.field();
        }
        Some(Self {
            prompts: input.field()?,
            origin: input.field()?,
            intent: input.field()?,
            prompt: input.field()?,
            recent: input.field()?,
            errors: input.field()?,
            touched: input.field()?,
            trail: Trail::default(),
        })
    }

    fn read_before(sections: &Sections) -> Option<Self> {
        Some(Before::of(sections)?.task)
    }
}

steps! {
    /// A change of the task.
    pub enum TaskStep of Task {
        /// A human said something.
        "prompted" => Prompted {
            /// All of it.
            @hidden text: String,
            /// Whether it says what is to be done, and not only to go on.
            scope: bool,
        },
        /// An ordinary call ended.
        "called" => Called {
            /// The call, on one line.
            @hidden line: String,
            /// What the host said, if it failed.
            @hidden error: String,
            /// The file that it changed, if it did.
            @hidden touched: String,
            /// Whether it failed.
            @hidden failed: bool,
        },
        /// The hydrator said how the latest task is to be done.
        "grounded" => Grounded {
            /// How.
            way: String,
            /// Ids of guardrails.
            guardrails: Vec<String>,
        },
        /// The human decided something beside their prompts.
        "decided" => Decided {
            /// What.
            @hidden line: String,
        },
        /// A check gave its verdict on what was done.
        "reviewed" => Reviewed {},
    }
}

impl Step for TaskStep {
    type Section = Task;

    fn apply(&self, task: &mut Task) -> Result<(), StepError> {
        match self {
            Self::Prompted { text, scope } => {
                let short = one_line(text, INTENT_CHARS_MAX);
                // A command is no request.
                if task.origin.is_empty() && !is_command(&short) {
                    task.origin.clone_from(&short);
                }
                task.trail.prompted(text, *scope);
                if *scope || task.intent.is_empty() {
                    task.intent = short;
                }
                task.prompts += 1;
                task.prompt = fnv64(text.as_bytes());
            }
            Self::Called {
                line,
                error,
                touched,
                failed,
            } => {
                task.trail.called(line, *failed);
                keep(&mut task.recent, line, CALL_CHARS_MAX);
                keep(&mut task.errors, error, WORDS_CHARS_MAX);
                keep(&mut task.touched, touched, usize::MAX);
            }
            Self::Grounded { way, guardrails } => task.trail.grounded(way, guardrails),
            Self::Decided { line } => task.trail.decided(line),
            Self::Reviewed {} => task.trail.checked(),
        }
        Ok(())
    }
}

/// Whether a prompt is a command of the host's own with at most one word behind it.
fn is_command(prompt: &str) -> bool {
    prompt.starts_with('/') && prompt.split_whitespace().count() <= 2
}

/// The steps that an event causes before it is judged.
#[must_use]
pub fn steps(event: &Event<'_>, observation: &Observation) -> Option<TaskStep> {
    match &event.kind {
        _ if !observation.decided.is_empty() => Some(TaskStep::Decided {
            line: observation.decided.clone(),
        }),
        _ if observation.guidance.is_some() => {
            let guidance = observation.guidance.as_ref()?;
            Some(TaskStep::Grounded {
                way: guidance.way(),
                guardrails: guidance.guardrails.clone(),
            })
        }
        EventKind::Prompt { text, .. } if is_humans_prompt(event) => Some(TaskStep::Prompted {
            text: text.clone(),
            scope: observation.prompt != Prompted::Continue && !is_command(text),
        }),
        EventKind::ToolAfter { .. } | EventKind::ToolFailed { .. }
            if !observation.line.is_empty() =>
        {
            Some(TaskStep::Called {
                line: observation.line.clone(),
                error: observation.error.clone(),
                touched: observation.touched.clone(),
                failed: observation.failed || matches!(event.kind, EventKind::ToolFailed { .. }),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::RECENT_MAX;
    use super::*;

    #[test]
    fn a_prompt_gives_a_new_scope_and_keeps_the_first() {
        let mut task = Task::default();
        for text in ["first\nline", "second", "go on"] {
            let step = TaskStep::Prompted {
                text: text.into(),
                scope: text != "go on",
            };
            assert_eq!(step.apply(&mut task), Ok(()));
        }
        assert_eq!(
            (task.origin.as_str(), task.intent.as_str()),
            ("first line", "second")
        );
        assert_eq!((task.prompts, task.prompt), (3, fnv64(b"go on")));
    }

    #[test]
    fn a_command_is_no_first_request() {
        let mut task = Task::default();
        for text in ["/model opus", "build it", "/compact"] {
            let step = TaskStep::Prompted {
                text: text.into(),
                scope: text == "build it",
            };
            assert_eq!(step.apply(&mut task), Ok(()));
        }
        assert_eq!((&*task.origin, &*task.intent), ("build it", "build it"));
    }

    #[test]
    fn lists_forget_their_oldest_and_say_nothing_twice() {
        let mut task = Task::default();
        for number in 0..100 {
            let step = TaskStep::Called {
                line: format!("call {}", number % 40),
                error: String::new(),
                touched: "a.rs".into(),
                failed: false,
            };
            assert_eq!(step.apply(&mut task), Ok(()));
        }
        assert_eq!(task.recent.len(), RECENT_MAX);
        assert_eq!(task.recent.last().map(String::as_str), Some("call 19"));
        assert_eq!(task.touched, ["a.rs"]);
        assert!(task.errors.is_empty());
    }
}
