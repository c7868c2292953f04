//! Our entries in a hooks file of Codex CLI: which events, how written, how recognised.

use crate::shared::nested::{self, BARE, HookRow, HookTable, Need, OwnHandler, row};
use crate::shared::settings::{Edit, Inspection, Installation, Launch, SettingsError};
use text::json::{Object, text::quote};

/// Shortest time in which the hook can be trusted to answer, in seconds; its own deadline is 1.5.
const TIMEOUT_MIN_S: f64 = 3.0;

/// Members that the client knows at the root of the file; any other has it refuse the file.
const ROOT: &[&str] = &["hooks", "description"];

/// How this client registers hooks.
const TABLE: HookTable = HookTable {
    rows: ROWS,
    handlers: Some("hooks"),
    group,
    ours,
    works,
    note,
    ..BARE
};

/// The fewest events that do the job, since each costs a process.
const ROWS: &[HookRow] = &[
    row("PreToolUse", 20, Need::Stop),
    row("PermissionRequest", 20, Need::Stop),
    row("PostToolUse", 10, Need::Know),
    row("SessionStart", 10, Need::Know),
    row("UserPromptSubmit", 10, Need::Hear),
    row("SubagentStart", 10, Need::Hear),
    row("SubagentStop", 10, Need::Hear),
    row("Stop", 10, Need::Hear),
    row("SessionEnd", 1, Need::Hear),
];

/// Registers our hook; see [`crate::Host::install`].
pub(super) fn install(
    current: Option<&str>,
    installation: &Installation<'_>,
) -> Result<Edit, SettingsError> {
    TABLE.install(current, installation)
}

/// Takes our hook out; see [`crate::Host::uninstall`].
pub(super) fn uninstall(text: &str) -> Result<Edit, SettingsError> {
    TABLE.uninstall(text)
}

/// Looks for our hook; see [`crate::Host::inspect`].
pub(super) fn inspect(text: &str) -> Result<Inspection, SettingsError> {
    TABLE.inspect(text)
}

/// Our whole entry in the list of an event, on one line.
fn group(row: &HookRow, installation: &Installation<'_>) -> String {
    let mut group = String::from(r#"{ "hooks": [{ "type": "command", "command": "#);
    quote(&command(row, installation.hook), &mut group);
    group.push_str(&format!(r#", "timeout": {} }}] }}"#, row.timeout_s));
    group
}

/// The client starts every hook with the user's shell. It takes a hook that fails for one that has
/// nothing to say, unless the status is 2 and something stands on standard error.
fn command(row: &HookRow, hook: &str) -> String {
    let (word, host) = (nested::shell_word(hook), super::HOST.id);
    let or_stop = match row.need {
        Need::Stop => nested::OR_STOP,
        _ => "",
    };
    format!("{word} {host} {}{or_stop}", row.event)
}

/// Recognises a handler as ours, however it was changed.
pub(super) fn ours(handler: &Object<'_>) -> Option<OwnHandler> {
    let hook = nested::first_shell_word(&handler.text("command")?)?;
    Some(OwnHandler {
        hook,
        launch: Launch::Shell,
    })
}

/// Whether a handler of ours gates its event.
fn works(row: &HookRow, group: &Object<'_>, handler: &Object<'_>) -> bool {
    let all = group
        .get("matcher")
        .is_none_or(|matcher| matcher.is_text("*") || matcher.is_text(""));
    let enough = TIMEOUT_MIN_S.min(row.timeout_s.into());
    let is_enough = |seconds: f64| seconds >= enough;
    let timeout = handler.get("timeout");
    let in_time = timeout.is_none_or(|timeout| timeout.raw.parse().is_ok_and(is_enough));
    let is_command = handler
        .get("type")
        .is_some_and(|kind| kind.is_text("command"));
    let wanted = ours(handler).map(|ours| command(row, &ours.hook));
    let is_whole = wanted.as_deref() == handler.text("command").as_deref();
    all && in_time && is_command && is_whole && !handler.is_true("async")
}

/// A member at the root that the client does not know has it refuse the whole file.
fn note(text: &str, root: &Object<'_>, found: &mut Inspection) {
    let names = root.members.iter();
    let other = names.filter(|member| !ROOT.iter().any(|known| member.name.is_text(known)));
    found.problems.extend(other.map(|member| {
        let line = crate::shared::settings::line_and_column(text, member.name.start).0;
        crate::Problem::FileDiscarded {
            line,
            what: "hooks files have no such member",
        }
    }));
}
