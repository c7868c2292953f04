//! Says an answer in the words of Copilot CLI.
//!
//! A refusal is said as JSON alone: with exit status 2 the client hides the reason. About a tool it
//! reads the part that is for its event; everywhere else only members at the top. It has no words
//! for the human that the worker does not read, so a notice is not said. Allow prints nothing, so
//! the client's own permissions still apply.

use super::events::{self, Form};
use crate::shared::form::{ReplyParts, Verdict};
use crate::shared::reply::{Answer, Asked, Reply};
use text::json::object::Writer;

/// Says one answer; see [`crate::Host::reply`].
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let words = ReplyParts::of(&super::HOST, asked, answer);
    let stops = words.verdict != Verdict::Nothing;
    let verdict = Writer::default()
        .text("decision", if stops { "block" } else { "" })
        .text("reason", &words.reason);
    let context = |text: &str| Writer::default().text("additionalContext", text);
    let output = match events::form(asked.event) {
        Form::Tool => return words.tool(0),
        Form::Permission if words.verdict == Verdict::Stop => Writer::default()
            .text("behavior", "deny")
            .text("message", &words.reason),
        // The client is about to ask its human: that is what a question wants, too.
        Form::Permission | Form::Silent => Writer::default(),
        Form::Block => verdict.and(&context(&words.advice)),
        Form::Stop => verdict,
        // It cannot be stopped: reason and advice alike are only words.
        Form::Context => {
            let both = [words.reason.as_str(), words.advice.as_str()].join("\n");
            context(both.trim())
        }
    };
    Reply {
        stdout: output.finish(),
        ..Reply::default()
    }
}
