//! The words of a call that waits for a human's yes: for the worker, who learns the id and never
//! the code, and for the human.

use model::{Finding, GrantLevel};
use work::approvals::Approval;

use crate::ways::command_in;

use super::{SAME, around, fault, rest, says_to_ask, stop_trying};

/// Where a human sees what waits for them, whatever their host shows.
const SEEN: &str = "they see it with tollgate approvals";

/// How a human can say yes from where they sit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalChannel {
    /// The code, typed as a prompt.
    Prompt,
    /// The code, in a terminal.
    Terminal,
    /// Nobody reads this but the worker or a program, so there is no code.
    Nobody,
}

/// A finding that became a question to a human, for the worker: it learns the id and never the
/// code. Who keeps repeating the call is told less each time.
#[must_use]
pub fn held(finding: &Finding, id: &str, times: u64) -> String {
    // The words of a failure are fixed, so that it never reads like a rule.
    if finding.fault {
        let more = format!(", or ask the user; request {id}");
        return fault(finding, &more);
    }
    if times > 2 {
        return stop_trying(finding, times, &format!("; request {id}"));
    }
    let closing = if says_to_ask(&finding.alternative) {
        format!(" Request {id} ({SEEN}).")
    } else if command_in(&finding.alternative).is_some() {
        format!(" Or ask the user; request {id} ({SEEN}).")
    } else {
        format!(" Ask the user; request {id} ({SEEN}).")
    };
    let reason = if times == 2 { SAME } else { &finding.reason };
    around("Not run: ", reason, &rest(finding, &closing))
}

/// What the human said when they refused this very call, for the worker that repeats it.
#[must_use]
pub fn refused(words: &str) -> String {
    format!(" The user refused it before: {words:?}.")
}

/// A question, for the human who can answer it. `code` is the code of a question that is new; it
/// is told once. `is_shown` says that the host shows the refusal itself, which need not be said
/// twice.
#[must_use]
pub fn question(
    approval: &Approval,
    code: Option<&str>,
    channel: ApprovalChannel,
    is_shown: bool,
) -> String {
    let Approval { id, what, why, .. } = approval;
    let what = what.trim_end_matches('.');
    let why = why.trim_end_matches('.');
    // A reason that begins with the call names it.
    let about = match why.starts_with(what) {
        true => why.to_owned(),
        false => format!("{what}: {why}"),
    };
    let answer = match (channel, approval.needs, code) {
        (_, GrantLevel::Sudo, _) => format!("in a terminal: sudo tollgate approve {id}"),
        (_, GrantLevel::Key, _) => format!("in a terminal, with your key: tollgate approve {id}"),
        (ApprovalChannel::Prompt, GrantLevel::Prompt, Some(code)) => {
            format!("type: tollgate ok {code}")
        }
        (_, _, Some(code)) => format!("in a terminal: tollgate approve {id} {code}"),
        (ApprovalChannel::Nobody, _, None) => {
            format!("in a terminal of your own: tollgate approve {id}")
        }
        _ => {
            return format!(
                "tollgate still holds {about}. {id} waits for the code that you were shown. \
                 If you do not have it: tollgate refuse {id}, and let the agent repeat the call."
            );
        }
    };
    let undo = match (approval.loss.total, approval.recoverable) {
        (0, _) => "",
        (_, true) => " It can be undone.",
        (_, false) => " It cannot be undone.",
    };
    let begin = match is_shown {
        true => format!("tollgate: {id} waits for you."),
        false => format!("tollgate held {about}."),
    };
    format!("{begin}{undo} To let it run once, {answer}")
}
