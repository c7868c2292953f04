//! Says an answer in the words of Codex CLI.
//!
//! The client takes any member that it does not know, a question, and a refusal without a reason
//! for a failure of the hook, and runs the call. So what is written is closed, a question is a
//! refusal, and everything is said as JSON with exit status 0: with another status it looks only at
//! what stands on standard error.

use super::events::{self, Form};
use crate::shared::form::ReplyParts;
use crate::shared::reply::{Answer, Asked, Reply};
use text::json::object::Writer;

/// Says one answer; see [`crate::Host::reply`].
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let words = ReplyParts::of(&super::HOST, asked, answer);
    match events::form(asked.event) {
        Form::Tool if !words.input.is_empty() => rewritten(&words),
        Form::Tool => words.tool(0),
        Form::Permission => words.permission(),
        Form::Block => words.block(true, 0),
        Form::Stop => words.block(false, 0),
        Form::Context => words.context(),
        Form::Silent => Reply::default(),
    }
}

/// The client takes another input only together with a yes. Nobody is asked about a spawn, so that
/// yes lets nothing through that would not have run.
fn rewritten(words: &ReplyParts<'_>) -> Reply {
    let specific = Writer::default()
        .text("hookEventName", words.event)
        .text("permissionDecision", "allow")
        .raw("updatedInput", words.input)
        .text("additionalContext", &words.advice);
    let output = Writer::default().object("hookSpecificOutput", &specific);
    Reply {
        stdout: output.text("systemMessage", &words.notice).finish(),
        ..Reply::default()
    }
}
