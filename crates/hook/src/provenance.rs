//! Who called: the host process that this session's events come from, or somebody else.

use hosts::Host;
use model::{Caller, Event, Session};

/// Who called the hook, compared with what the session knows.
#[must_use]
pub fn caller(host: &Host, event: &Event<'_>, session: &Session) -> Caller {
    let _ = (host, event, session);
    Caller::Unproven
}
