//! Says an answer in the words of Gemini CLI.
//!
//! JSON on standard output alone counts, with exit status 0: beside it the status means nothing.
//! If it is lost, the status that stands in for it stops the call, since the shell around the hook
//! then has words for it. A question is never passed on: without a terminal the client would wait
//! for its answer for ever, and no payload tells whether there is one.

use super::events::{self, Form};
use crate::shared::form::{ReplyParts, Verdict};
use crate::shared::reply::{Answer, Asked, Reply};
use text::json::object::Writer;

/// Says one answer; see [`crate::Host::reply`].
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let event = asked.event;
    let words = ReplyParts::of(&super::HOST, asked, answer);
    let stops = words.verdict != Verdict::Nothing;
    let verdict = Writer::default()
        .text("decision", if stops { "deny" } else { "" })
        .text("reason", &words.reason);
    let context = |text: &str| Writer::default().text("additionalContext", text);
    let output = match events::form(event) {
        Form::Silent => return Reply::default(),
        Form::Tool => verdict.and(&specific(
            event,
            Writer::default().raw("tool_input", words.input),
        )),
        Form::Block => verdict.and(&specific(event, context(&words.advice))),
        Form::Stop => verdict,
        // It cannot be stopped: reason and advice alike are only words.
        Form::Context => {
            let both = [words.reason.as_str(), words.advice.as_str()].join("\n");
            specific(event, context(both.trim()))
        }
    };
    Reply {
        stdout: output.text("systemMessage", &words.notice).finish(),
        stderr: Vec::new(),
        code: 0,
    }
}

/// The part that is for one kind of event, under its name.
fn specific(event: &str, specific: Writer) -> Writer {
    if specific.is_empty() {
        return Writer::default();
    }
    let named = Writer::default().text("hookEventName", event);
    Writer::default().object("hookSpecificOutput", &named.and(&specific))
}
