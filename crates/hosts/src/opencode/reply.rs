//! Says an answer to the bridge: always one object, which holds either `go` or `deny`, so that no
//! answer at all is a broken hook. `go` raises nothing: OpenCode's own permissions still apply.

use super::events::{self, Form};
use crate::shared::form::{ReplyParts, Verdict};
use crate::shared::reply::{Answer, Asked, Reply};
use text::json::object::Writer;

/// Says one answer; see [`crate::Host::reply`].
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let words = ReplyParts::of(&super::HOST, asked, answer);
    let form = events::form(asked.event);
    let can_stop = matches!(form, Form::Call | Form::Prompt);
    let stops = can_stop && words.verdict == Verdict::Stop;
    // Of what is stopped the worker hears the reason alone.
    let joined = |parts: [&str; 2]| parts.join("\n").trim().to_owned();
    let both = joined([&words.reason, &words.advice]);
    let (deny, context) = if stops {
        (both, "")
    } else {
        (String::new(), &*both)
    };
    let (context, notice, input) = match form {
        Form::Call => (context, &*words.notice, words.input),
        Form::Prompt | Form::Context => (context, &*words.notice, ""),
        Form::Silent => ("", "", ""),
    };
    let output = Writer::default()
        .raw("go", if stops { "" } else { "true" })
        .text("deny", &deny)
        .raw("args", input)
        .text("context", context)
        .text("notice", notice);
    Reply {
        stdout: output.finish(),
        ..Reply::default()
    }
}
