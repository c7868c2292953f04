//! Our entries in a settings file of Qwen Code: which events, how written, how recognised.
//!
//! The client starts every hook through a shell and lets a call run if a hook breaks, unless the
//! shell exits 2 with words on standard error. So the command itself says that, whatever way it is
//! to be started: a hook that is missing or killed stops the call. One that hangs does not.

use crate::shared::nested::{BARE, HookRow, HookTable, Need, row};
use crate::shared::settings::{
    Edit, Inspection, Installation, Launch, Problem, SettingsError, line_and_column,
};
use crate::shared::status;
use text::json::object::Writer;
use text::json::{Object, Value};

/// Shortest time in which the hook can be trusted to answer, in seconds; its own deadline is 1.5.
const TIMEOUT_MIN_S: f64 = 3.0;

/// From here on the client takes a number for milliseconds.
const TIMEOUT_MILLIS_FROM: f64 = 1_000.0;

/// How this client registers hooks.
const TABLE: HookTable = HookTable {
    rows: ROWS,
    handlers: Some("hooks"),
    has_comments: true,
    group,
    ours: status::ours,
    works,
    note,
    ..BARE
};

/// The fewest events that do the job, since each costs a process. The client's own permission
/// question comes before our look at the call, which nothing passes by.
const ROWS: &[HookRow] = &[
    row("PreToolUse", 20, Need::Stop),
    row("PostToolUse", 10, Need::Know),
    row("PostToolUseFailure", 10, Need::Know),
    row("SessionStart", 10, Need::Know),
    row("UserPromptSubmit", 10, Need::Hear),
    row("SubagentStart", 10, Need::Hear),
    row("SubagentStop", 10, Need::Hear),
    row("Stop", 10, Need::Hear),
    row("SessionEnd", 1, Need::Hear),
];

/// Variables that, set by a settings file, are meant for us or for hooks as such.
const STEERING: &[&str] = &[
    "TOLLGATE_HOME",
    "TOLLGATE_ENABLED",
    "POLICY_GATE_ENABLED",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "HOME",
    "LD_PRELOAD",
    "BASH_ENV",
    "QWEN_HOME",
    "QWEN_CODE_SIMPLE",
    "QWEN_CODE_SAFE_MODE",
];

/// Registers our hook; see [`crate::Host::install`].
pub(super) fn install(
    current: Option<&str>,
    installation: &Installation<'_>,
) -> Result<Edit, SettingsError> {
    // There is one way to start it here.
    let launch = Launch::Shell;
    TABLE.install(
        current,
        &Installation {
            launch,
            ..*installation
        },
    )
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
    let handler = Writer::default()
        .text("type", "command")
        .text(
            "command",
            &status::command(row, super::HOST.id, installation.hook),
        )
        .raw("timeout", &row.timeout_s.to_string());
    let handler = String::from_utf8(handler.finish()).unwrap_or_default();
    format!(r#"{{ "matcher": "*", "hooks": [{}] }}"#, handler.trim_end())
}

fn works(row: &HookRow, group: &Object<'_>, handler: &Object<'_>) -> bool {
    let has = |name: &str| handler.get(name).is_some();
    let is = |name: &str, text: &str| handler.get(name).is_some_and(|value| value.is_text(text));
    let matcher = group.get("matcher");
    let all = matcher.is_none_or(|matcher| matcher.is_text("*") || matcher.is_text(""));
    let as_written = status::is_as_written(row, super::HOST.id, handler);
    let enough = TIMEOUT_MIN_S.min(row.timeout_s.into());
    let in_time = |seconds: f64| {
        (enough..TIMEOUT_MILLIS_FROM).contains(&seconds)
            || seconds >= TIMEOUT_MILLIS_FROM * TIMEOUT_MIN_S
    };
    let timeout = handler.get("timeout");
    let in_time = timeout.is_none_or(|timeout| timeout.raw.parse().is_ok_and(in_time));
    let plain = !has("async") && !has("env") && (!has("shell") || is("shell", "bash"));
    all && as_written && in_time && plain && is("type", "command")
}

/// Notes what else in the file keeps hooks from working, or steers them.
fn note(text: &str, root: &Object<'_>, found: &mut Inspection) {
    let line = |value: Value<'_>| line_and_column(text, value.start).0;
    if let Some(off) = root.get("disableAllHooks").filter(|off| off.raw == "true") {
        found.problems.push(Problem::HooksOff { line: line(off) });
    }
    let variables = root
        .get("env")
        .and_then(|env| env.object())
        .unwrap_or_default();
    for variable in &variables.members {
        let name = variable.name.text().unwrap_or_default();
        if STEERING.contains(&&*name) {
            found.problems.push(Problem::Steered {
                line: line(variable.name),
                name: name.into_owned(),
            });
        }
    }
}
