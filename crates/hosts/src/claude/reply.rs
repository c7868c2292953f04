//! Says an answer in the words of Claude Code.
//!
//! A stop of a deed is said twice, as JSON and as exit status 2: if standard output is lost the
//! status still stops, and where the JSON arrives its words are the cleaner ones. Allow prints
//! nothing, so the client's own permissions still apply.

use super::events::{self, Form};
use crate::json::object::Writer;
use crate::reply::{Answer, Asked, Reply, said};
use model::Level;

/// The exit status that stops what the event is about.
const STOP: i32 = 2;

/// Ends the reason of a question that nobody is there to answer, unless it says so itself.
const NOBODY_TO_ASK: &str = "Nobody can be asked here, so this is a refusal: ask the user.";

/// Says one answer; see [`crate::Host::reply`].
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let words = Words::of(asked, answer);
    match events::form(asked.event) {
        Form::Tool => words.tool(),
        Form::Permission => words.permission(),
        Form::Block => words.block(true, 0),
        Form::Stop => words.block(false, 0),
        Form::Refuse => words.block(false, STOP),
        Form::Context => words.context(),
        Form::Silent => Reply::default(),
    }
}

/// What is to be said, ready to be put into a form.
struct Words<'a> {
    event: &'a str,
    verdict: Verdict,
    /// Empty if the verdict is silence.
    reason: String,
    advice: String,
    notice: String,
    /// JSON that runs in the place of the worker's input; empty if the verdict is not silence.
    input: &'a str,
}

/// What the client can be told. It can be asked to ask only where a human is there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Nothing,
    Ask,
    Stop,
}

impl<'a> Words<'a> {
    fn of(asked: &Asked<'a>, answer: &Answer<'a>) -> Self {
        let (verdict, reason) = match (answer.level, asked.asks) {
            (Level::Allow, _) => (Verdict::Nothing, String::new()),
            (Level::Ask, true) => (Verdict::Ask, answer.reason()),
            (Level::Ask, false) => {
                let reason = answer.reason();
                let says_so = says(&reason, "the user");
                let more = if says_so { "" } else { NOBODY_TO_ASK };
                (
                    Verdict::Stop,
                    [&reason, " ", more].concat().trim_end().to_owned(),
                )
            }
            (Level::Deny, _) => (Verdict::Stop, answer.reason()),
        };
        Self {
            event: asked.event,
            verdict,
            reason,
            advice: said(answer.advice),
            notice: said(answer.notice),
            // Other events of this form take a new input for a mistake, and refuse.
            input: match verdict {
                Verdict::Nothing if asked.event == super::probe::BEFORE_CALL => answer.input,
                _ => "",
            },
        }
    }

    fn tool(&self) -> Reply {
        let decision = match self.verdict {
            Verdict::Nothing => "",
            Verdict::Ask => "ask",
            Verdict::Stop => "deny",
        };
        let specific = Writer::default()
            .text("permissionDecision", decision)
            .text("permissionDecisionReason", &self.reason)
            .raw("updatedInput", self.input)
            .text("additionalContext", &self.advice);
        let code = if self.verdict == Verdict::Stop {
            STOP
        } else {
            0
        };
        self.finish(self.specific(specific), code)
    }

    /// The client is about to ask its human: that is what Ask wants, so it is left to ask.
    fn permission(&self) -> Reply {
        if self.verdict != Verdict::Stop {
            return self.finish(Writer::default(), 0);
        }
        let decision = Writer::default()
            .text("behavior", "deny")
            .text("message", &self.reason);
        let specific = Writer::default().object("decision", &decision);
        self.finish(self.specific(specific), 0)
    }

    /// An event that can be stopped, but at which nobody can be asked.
    fn block(&self, with_context: bool, stop_code: i32) -> Reply {
        let stops = self.verdict != Verdict::Nothing;
        let context = if with_context {
            self.advice.as_str()
        } else {
            ""
        };
        let output = self
            .specific(Writer::default().text("additionalContext", context))
            .text("decision", if stops { "block" } else { "" })
            .text("reason", &self.reason);
        self.finish(output, if stops { stop_code } else { 0 })
    }

    /// An event that cannot be stopped: reason and advice alike are only words.
    fn context(&self) -> Reply {
        let both = [self.reason.as_str(), self.advice.as_str()];
        let context = both.join("\n");
        self.finish(
            self.specific(Writer::default().text("additionalContext", context.trim())),
            0,
        )
    }

    /// The part that is for one kind of event, under its name.
    fn specific(&self, specific: Writer) -> Writer {
        if specific.is_empty() {
            return Writer::default();
        }
        let named = Writer::default().text("hookEventName", self.event);
        Writer::default().object("hookSpecificOutput", &named.and(&specific))
    }

    fn finish(&self, output: Writer, code: i32) -> Reply {
        let stderr = if code == 0 { "" } else { self.reason.as_str() };
        Reply {
            stdout: output.text("systemMessage", &self.notice).finish(),
            stderr: stderr.as_bytes().to_vec(),
            code,
        }
    }
}

/// Whether a text has these words, in upper or lower case.
fn says(text: &str, words: &str) -> bool {
    let (text, words) = (text.as_bytes(), words.as_bytes());
    let first = words.first().map(u8::to_ascii_lowercase);
    let begins = |byte: u8| Some(byte.to_ascii_lowercase()) == first;
    let mut places = text.iter().enumerate().filter(|(_, byte)| begins(**byte));
    places.any(|(at, _)| {
        let found = text.get(at..at + words.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(words))
    })
}
