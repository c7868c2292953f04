//! Says an answer in the words of Claude Code.
//!
//! A stop of an action is said twice, as JSON and as exit status 2: if standard output is lost the
//! status still stops, and where the JSON arrives its words are the cleaner ones. Allow prints
//! nothing, so the client's own permissions still apply.

use super::events::{self, Form};
use crate::shared::form::ReplyParts;
use crate::shared::reply::{Answer, Asked, Reply};

/// The exit status that stops what the event is about.
const STOP: i32 = 2;

/// Says one answer; see [`crate::Host::reply`].
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let words = ReplyParts::of(&super::HOST, asked, answer);
    match events::form(asked.event) {
        Form::Tool => words.tool(STOP),
        Form::Permission => words.permission(),
        Form::Block => words.block(true, 0),
        Form::Stop => words.block(false, 0),
        Form::Refuse => words.block(false, STOP),
        Form::Context => words.context(),
        Form::Silent => Reply::default(),
    }
}
