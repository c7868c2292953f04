//! The words of Cline, by its page: how an event is answered, and how our hook is registered: one
//! program for each event, of the event's name.

use crate::shared::form::{ReplyParts, Verdict};
use crate::shared::script::{self, Script};
use crate::shared::settings::{Edit, Inspection, Installation, SettingsError};
use crate::{Answer, Asked, PROBE_SESSION, Probe, Reply};
use model::{EventClass, Level};
use text::json::object::Writer;
use text::json::{self, Object};

/// The event before a call.
pub(super) const BEFORE_CALL: &str = "PreToolUse";

/// The events that we register for besides.
const OTHERS: &[&str] = &["PostToolUse", "TaskStart", "TaskResume", "UserPromptSubmit"];

/// Follows the hook's command before a call: no answer is no opinion to the client, so the shell
/// has one.
const OR_CANCEL: &str = concat!(
    r#" || echo '{"cancel":true,"errorMessage":"tollgate fault, not a policy decision: the hook "#,
    r#"gave no answer, so this call was not let through. Next: run tollgate doctor."}'"#
);

fn before_call(hook: &str) -> String {
    script::text(hook, [super::HOST.id, BEFORE_CALL], OR_CANCEL)
}

/// Writes the program for the event before a call; see [`crate::Host::install`].
pub(super) fn install(
    current: Option<&str>,
    installation: &Installation<'_>,
) -> Result<Edit, SettingsError> {
    script::install(current, installation, before_call)
}

/// Takes it away; see [`crate::Host::uninstall`].
pub(super) fn uninstall(text: &str) -> Result<Edit, SettingsError> {
    Ok(script::uninstall(text))
}

/// Looks whether it is there, to the byte; see [`crate::Host::inspect`].
pub(super) fn inspect(text: &str) -> Result<Inspection, SettingsError> {
    Ok(script::inspect(text, BEFORE_CALL, before_call))
}

/// The programs for the other events lie beside it; see [`crate::Host::scripts`].
pub(super) fn scripts(hook: &str, settings: &str) -> Vec<Script> {
    let dir = settings.rsplit_once('/').map_or("", |(dir, _)| dir);
    let script = |event: &&str| Script {
        path: format!("{dir}/{event}"),
        text: script::text(hook, [super::HOST.id, event], ""),
    };
    OTHERS.iter().map(script).collect()
}

/// Says one answer; see [`crate::Host::reply`]. The client waits for JSON at every event.
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let words = ReplyParts::of(&super::HOST, asked, answer);
    let class = super::events::class(asked.event);
    let stops = words.verdict != Verdict::Nothing
        && matches!(class, EventClass::Mutating | EventClass::Prompt);
    let (why, context) = match stops {
        true => (words.reason.as_str(), String::new()),
        false => ("", [words.reason.as_str(), &words.advice].join("\n")),
    };
    let output = Writer::default()
        .raw("cancel", if stops { "true" } else { "false" })
        .text("errorMessage", why)
        .text("contextModification", context.trim());
    Reply {
        stdout: output.finish(),
        ..Reply::default()
    }
}

/// How the client takes a reply to a call that is about to run.
pub(super) fn understood(reply: &Reply) -> Level {
    let text = String::from_utf8_lossy(&reply.stdout);
    let cancels = |answer: Object<'_>| answer.is_true("cancel");
    match json::object(text.trim()).is_ok_and(cancels) {
        true => Level::Deny,
        false => Level::Allow,
    }
}

/// The event that a payload says it is; empty if it does not say.
pub(super) fn event_name(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let payload = json::object(&text).unwrap_or_default();
    payload.text("hookName").unwrap_or_default().into_owned()
}

/// A payload about a shell command.
pub(super) fn probe(probe: &Probe<'_>) -> Vec<u8> {
    let parameters = Writer::default().text("command", probe.command);
    let call = Writer::default()
        .text("toolName", "execute_command")
        .object("parameters", &parameters);
    let mut root = String::new();
    json::text::quote(probe.cwd, &mut root);
    Writer::default()
        .text("hookName", BEFORE_CALL)
        .text("taskId", PROBE_SESSION)
        .raw("workspaceRoots", &format!("[{root}]"))
        .object("preToolUse", &call)
        .finish()
}
