//! Hosts that start a hook through a shell and take its exit status for the answer: 2 with words
//! on standard error is no. Must not know any host's names.

use crate::Host;
use crate::shared::form::{ReplyParts, Verdict};
use crate::shared::nested::{self, HookRow, Need, OwnHandler};
use crate::shared::reply::{Answer, Asked, Reply};
use crate::shared::settings::Launch;
use crate::shared::wire::{Wire, WireError};
use model::{Actor, Event, EventKind, Level, PermissionMode};
use text::json::Object;

/// The exit status that stops what the event is about.
const STOP: i32 = 2;

/// Follows the hook's command in a shell: a hook that says no has said why; any other bad end is
/// a no without words.
pub(crate) const OR_STOP: &str = " || { [ $? = 2 ] || echo 'tollgate fault, not a policy \
    decision: the hook gave no answer, so this call was not let through. Next: run tollgate \
    doctor.' >&2; exit 2; }";

/// The command by which a host starts our hook for an event.
pub(crate) fn command(row: &HookRow, host: &str, hook: &str) -> String {
    let or_stop = match row.need {
        Need::Stop => OR_STOP,
        Need::Know | Need::Hear => "",
    };
    format!("{} {host} {}{or_stop}", nested::shell_word(hook), row.event)
}

/// Recognises a handler with such a command as ours, however it was changed.
pub(crate) fn ours(handler: &Object<'_>) -> Option<OwnHandler> {
    let command = handler.text("command")?;
    let hook = nested::first_shell_word(&command);
    let bare = || nested::is_hook(&command).then(|| command.clone().into_owned());
    Some(OwnHandler {
        hook: hook.or_else(bare)?,
        launch: Launch::Shell,
    })
}

/// Whether the command of a handler of ours is as we write it.
pub(crate) fn is_as_written(row: &HookRow, host: &str, handler: &Object<'_>) -> bool {
    let wanted = ours(handler).map(|ours| command(row, host, &ours.hook));
    wanted.is_some() && handler.text("command").as_deref() == wanted.as_deref()
}

/// Says an answer by exit status alone, where the event can be stopped; nobody is asked.
pub(crate) fn reply(host: &Host, asked: &Asked<'_>, answer: &Answer<'_>, stops: bool) -> Reply {
    let words = ReplyParts::of(host, asked, answer);
    if words.verdict == Verdict::Nothing || !stops {
        return Reply::default();
    }
    Reply {
        stdout: Vec::new(),
        stderr: words.reason.into_bytes(),
        code: STOP,
    }
}

/// How such a host takes a reply to a call that is about to run.
pub(crate) fn understood(reply: &Reply) -> Level {
    if reply.code == STOP && !reply.stderr.trim_ascii().is_empty() {
        Level::Deny
    } else {
        Level::Allow
    }
}

/// What one payload says beside what happened.
pub(crate) struct Head<'t> {
    /// The id of the host's constant.
    pub host: &'static str,
    /// The event that the payload says it is, if it says so.
    pub named: Option<std::borrow::Cow<'t, str>>,
    /// The host's session id, as it spells it.
    pub session: String,
    /// The directory the call would run in; empty if not said.
    pub cwd: String,
}

/// An event of a host that says little: nobody is told apart, and nobody sits there.
pub(crate) fn event<'t>(
    wire: &Wire<'_, '_>,
    head: Head<'_>,
    kind: EventKind<'t>,
) -> Result<Event<'t>, WireError> {
    wire.check_name(head.named)?;
    Ok(Event {
        host: head.host,
        session: model::session_id(&head.session),
        call_id: String::new(),
        actor: Actor::Unknown,
        mode: PermissionMode::Default,
        attended: false,
        asks: false,
        cwd: head.cwd,
        transcript: String::new(),
        time: wire.time,
        kind,
    })
}
