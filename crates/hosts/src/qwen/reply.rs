//! Says an answer in the words of Qwen Code.
//!
//! A stop is JSON with exit 0: with exit 2 the client reads standard error alone, and lets the
//! call run if that is empty. Allow prints nothing, so the client's own permissions still apply.

use super::events::{self, Form};
use crate::shared::form::ReplyParts;
use crate::shared::reply::{Answer, Asked, Reply};

/// Says one answer; see [`crate::Host::reply`].
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let words = ReplyParts::of(&super::HOST, asked, answer);
    match events::form(asked.event) {
        Form::Tool => words.tool(0),
        Form::Block => words.block(true, 0),
        Form::Stop => words.block(false, 0),
        Form::Context => words.context(),
        Form::Silent => Reply::default(),
    }
}
