//! Says an answer in the words of Qwen Code.
//!
//! A stop is JSON with exit 0: with exit 2 the client reads standard error alone, and lets the
//! call run if that is empty. Allow prints nothing, so the client's own permissions still apply.

use super::events::{self, Form};
use crate::form::Words;
use crate::reply::{Answer, Asked, Reply};

/// Says one answer; see [`crate::Host::reply`].
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let form = events::form(asked.event);
    let mut words = Words::of(asked, answer);
    // The client takes no new input from a hook that does not also allow the call.
    words.input = "";
    if form != Form::Stop {
        // Elsewhere it keeps what is for the human in a log that nobody reads.
        words.notice.clear();
    }
    match form {
        Form::Tool => {
            words.advice.clear();
            words.tool(0)
        }
        Form::Block => words.block(true, 0),
        Form::Stop => words.block(false, 0),
        Form::Context => words.context(),
        Form::Silent => Reply::default(),
    }
}
