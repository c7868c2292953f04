//! Our entries in a hooks file of Copilot CLI: which events, how written, how recognised.

use crate::shared::nested::{self, BARE, HookRow, HookTable, Need, OwnHandler, row};
use crate::shared::settings::{
    Edit, Inspection, Installation, Launch, Problem, SettingsError, line_and_column,
};
use text::json::{Object, Value, text::quote};

/// Shortest time in which the hook can be trusted to answer, in seconds; its own deadline is 1.5.
const TIMEOUT_MIN_S: f64 = 3.0;

/// How this client registers hooks.
const TABLE: HookTable = HookTable {
    rows: ROWS,
    first: "\"version\": 1",
    group,
    ours,
    works,
    note,
    ..BARE
};

/// The fewest events that do the job, since each costs a process. The client's own question about a
/// call comes after the first of them, about the same call. A hook that is late lets the call
/// through, so before a call there is more time than it can ever need.
const ROWS: &[HookRow] = &[
    row("PreToolUse", 60, Need::Stop),
    row("PostToolUse", 10, Need::Know),
    row("PostToolUseFailure", 10, Need::Know),
    row("SessionStart", 10, Need::Know),
    row("UserPromptSubmit", 10, Need::Hear),
    row("SubagentStart", 10, Need::Hear),
    row("SubagentStop", 10, Need::Hear),
    row("Stop", 10, Need::Hear),
    row("SessionEnd", 5, Need::Hear),
];

/// Variables that, set for a hook by its file, would steer it. Ours are ignored by an installed
/// hook; that they are there is worth a word.
const STEERING: &[&str] = &[
    "TOLLGATE_HOME",
    "TOLLGATE_ENABLED",
    "POLICY_GATE_ENABLED",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "HOME",
    "LD_PRELOAD",
    "COPILOT_HOME",
    "COPILOT_LOADER_PID",
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
    let mut handler = String::from(r#"{ "type": "command", "#);
    match installation.launch {
        Launch::Direct => {
            handler.push_str(r#""exec": "#);
            quote(installation.hook, &mut handler);
            handler.push_str(r#", "args": ["#);
            quote(super::HOST.id, &mut handler);
            handler.push_str(", ");
            quote(row.event, &mut handler);
            handler.push(']');
        }
        Launch::Shell => {
            handler.push_str(r#""bash": "#);
            quote(&command(row, installation.hook), &mut handler);
        }
    }
    handler.push_str(&format!(r#", "timeoutSec": {} }}"#, row.timeout_s));
    handler
}

/// The command for the shell. Where failing open is right, so is the shell's own status.
fn command(row: &HookRow, hook: &str) -> String {
    let or_stop = match row.need {
        Need::Stop => " || exit 2",
        Need::Know | Need::Hear => "",
    };
    let (hook, host) = (nested::shell_word(hook), super::HOST.id);
    format!("{hook} {host} {}{or_stop}", row.event)
}

/// Recognises a handler as ours, however it was changed.
fn ours(handler: &Object<'_>) -> Option<OwnHandler> {
    if let Some(hook) = handler.text("exec").filter(|path| nested::is_hook(path)) {
        return Some(OwnHandler {
            hook: hook.into_owned(),
            launch: Launch::Direct,
        });
    }
    let commands = ["bash", "command"].iter();
    let mut hooks = commands.filter_map(|name| {
        let command = handler.text(name)?;
        let bare = command
            .split(' ')
            .next()
            .filter(|word| nested::is_hook(word));
        nested::first_shell_word(&command).or_else(|| bare.map(str::to_owned))
    });
    Some(OwnHandler {
        hook: hooks.next()?,
        launch: Launch::Shell,
    })
}

/// Whether a handler of ours gates its event: for every tool, in time, and saying no where it
/// should. Each handler stands in the list by itself.
fn works(row: &HookRow, _: &Object<'_>, handler: &Object<'_>) -> bool {
    let matcher = handler.get("matcher");
    let all = matcher.is_none_or(|matcher| {
        let text = matcher.text().unwrap_or_default();
        matches!(text.trim(), "" | "*" | ".*")
    });
    let is_enough = |seconds: f64| seconds >= TIMEOUT_MIN_S;
    let timeout = handler.get("timeoutSec").or_else(|| handler.get("timeout"));
    let in_time = timeout.is_none_or(|timeout| timeout.raw.parse().is_ok_and(is_enough));
    let is_command = handler
        .get("type")
        .is_none_or(|kind| kind.is_text("command"));
    all && in_time && is_command && starts(row, handler)
}

/// Whether the handler starts our hook for this event, and nothing but it.
fn starts(row: &HookRow, handler: &Object<'_>) -> bool {
    let has = |name: &str| handler.get(name).is_some();
    let Some(found) = ours(handler) else {
        return false;
    };
    match found.launch {
        Launch::Direct => {
            let wanted = [super::HOST.id, row.event];
            let args = handler.get("args").and_then(|args| args.items());
            let args = args.unwrap_or_default();
            let is_wanted = |(arg, wanted): (&Value<'_>, &str)| arg.is_text(wanted);
            let alone = !has("bash") && !has("command") && !has("powershell");
            alone && args.len() == wanted.len() && args.iter().zip(wanted).all(is_wanted)
        }
        Launch::Shell => {
            let wanted = command(row, &found.hook);
            let text = handler.get("bash").or_else(|| handler.get("command"));
            text.is_some_and(|text| text.is_text(&wanted))
        }
    }
}

/// Notes what else in the file keeps hooks from working, or steers them.
fn note(text: &str, root: &Object<'_>, found: &mut Inspection) {
    let line = |value: Value<'_>| line_and_column(text, value.start).0;
    if let Some(off) = root.get("disableAllHooks").filter(|off| off.raw == "true") {
        found.problems.push(Problem::HooksOff { line: line(off) });
    }
    if let Some(other) = root.get("version").filter(|version| version.raw != "1") {
        found.problems.push(Problem::FileDiscarded {
            line: line(other),
            what: "version is not 1",
        });
    }
    let events = root.get("hooks").and_then(|hooks| hooks.object());
    let handlers = events.unwrap_or_default().members.into_iter();
    let handlers = handlers.filter_map(|event| event.value.items()).flatten();
    for handler in handlers.filter_map(|handler| handler.object()) {
        let variables = handler.get("env").and_then(|env| env.object());
        for variable in variables.unwrap_or_default().members {
            let name = variable.name.text().unwrap_or_default();
            if ours(&handler).is_some() && STEERING.contains(&&*name) {
                found.problems.push(Problem::Steered {
                    line: line(variable.name),
                    name: name.into_owned(),
                });
            }
        }
    }
}
