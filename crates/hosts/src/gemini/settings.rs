//! Our entries in a settings file of Gemini CLI: which events, how written, how recognised.
//!
//! The client starts every hook through a shell, and takes its silence, its death and its lateness
//! for "no opinion", but any words that come with an exit status of 2 or more for a refusal. So the
//! shell says those words where a hook fails that must not be passed by, and where failing open
//! is right it has the last word too: else a missing hook would stop every prompt.

use crate::shared::nested::{self, BARE, HookRow, HookTable, Need, OwnHandler, row};
use crate::shared::settings::{
    Edit, Inspection, Installation, Launch, Problem, SettingsError, line_and_column,
};
use text::json::{Object, Value, text::quote};

/// What the client calls our hooks; its list of hooks that are off goes by this.
const NAME: &str = "tollgate";

/// Shortest time in which the hook can be trusted to answer, in milliseconds; its own deadline is
/// 1.5 seconds.
const TIMEOUT_MIN_MS: f64 = 3_000.0;

/// Said by the shell for a hook that is not there or ended without an answer.
const BROKEN: &str = "tollgate fault, not a policy decision: the hook did not answer. This call \
                      was not let through. Next: run tollgate doctor. [fault/gate]";

/// How this client registers hooks.
const TABLE: HookTable = HookTable {
    rows: ROWS,
    handlers: Some("hooks"),
    has_comments: true,
    group,
    ours,
    works,
    note,
    ..BARE
};

/// The fewest events that do the job, since each costs two processes. A hook that is late lets the
/// call through, so before a call there is more time than it can ever need.
const ROWS: &[HookRow] = &[
    row("BeforeTool", 60, Need::Stop),
    row("AfterTool", 10, Need::Know),
    row("SessionStart", 10, Need::Know),
    row("BeforeAgent", 10, Need::Hear),
    row("AfterAgent", 10, Need::Hear),
    row("SessionEnd", 5, Need::Hear),
];

/// Variables that, set for a hook by a settings file, would steer it. Ours are ignored by an
/// installed hook; that they are there is worth a word.
const STEERING: &[&str] = &[
    "TOLLGATE_HOME",
    "TOLLGATE_ENABLED",
    "POLICY_GATE_ENABLED",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "HOME",
    "LD_PRELOAD",
];

/// Registers our hook; see [`crate::Host::install`].
pub(super) fn install(
    current: Option<&str>,
    installation: &Installation<'_>,
) -> Result<Edit, SettingsError> {
    // The client knows no other way to start a hook.
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
    let mut group = String::from(r#"{ "matcher": "*", "hooks": [{ "name": "#);
    quote(NAME, &mut group);
    group.push_str(r#", "type": "command", "command": "#);
    quote(&command(row, installation.hook), &mut group);
    group.push_str(&format!(
        r#", "timeout": {} }}] }}"#,
        u64::from(row.timeout_s) * 1_000
    ));
    group
}

/// The command for the shell that the client starts hooks with.
fn command(row: &HookRow, hook: &str) -> String {
    let (host, event) = (super::HOST.id, row.event);
    if !hook.starts_with('/') {
        return format!("& '{}' {host} {event}", hook.replace('\'', "''"));
    }
    let or_else = match row.need {
        Need::Stop => format!("{{ echo '{BROKEN}' >&2; exit 2; }}"),
        Need::Know | Need::Hear => "exit 0".to_owned(),
    };
    let hook = nested::shell_word(hook);
    format!("{hook} {host} {event} || {or_else}")
}

/// Recognises a handler as ours, however it was changed.
fn ours(handler: &Object<'_>) -> Option<OwnHandler> {
    let command = handler.text("command")?;
    let in_windows = || {
        let (path, _) = command.strip_prefix("& '")?.split_once("' ")?;
        let path = path.replace("''", "'");
        nested::is_hook(&path).then_some(path)
    };
    let bare = || {
        let word = command.split(' ').next()?;
        nested::is_hook(word).then(|| word.to_owned())
    };
    let hook = nested::first_shell_word(&command).or_else(in_windows);
    Some(OwnHandler {
        hook: hook.or_else(bare)?,
        launch: Launch::Shell,
    })
}

/// Whether a handler of ours gates its event: for every tool, in time, and saying no where it
/// should.
fn works(row: &HookRow, group: &Object<'_>, handler: &Object<'_>) -> bool {
    let matcher = group.get("matcher");
    let all = matcher.is_none_or(|matcher| {
        let text = matcher.text().unwrap_or_default();
        matches!(text.trim(), "" | "*")
    });
    let is_enough = |millis: f64| millis >= TIMEOUT_MIN_MS;
    let timeout = handler.get("timeout");
    let in_time = timeout.is_none_or(|timeout| timeout.raw.parse().is_ok_and(is_enough));
    let is_command = handler
        .get("type")
        .is_some_and(|kind| kind.is_text("command"));
    let starts = ours(handler).is_some_and(|ours| {
        let wanted = command(row, &ours.hook);
        handler
            .get("command")
            .is_some_and(|text| text.is_text(&wanted))
    });
    all && in_time && is_command && starts
}

/// Notes what else in the file keeps hooks from working, or steers them.
fn note(text: &str, root: &Object<'_>, found: &mut Inspection) {
    let line = |value: Value<'_>| line_and_column(text, value.start).0;
    let switches = root.get("hooksConfig").and_then(|config| config.object());
    let switches = switches.unwrap_or_default();
    if let Some(off) = switches.get("enabled").filter(|on| on.raw == "false") {
        found.problems.push(Problem::HooksOff { line: line(off) });
    }
    let off = switches.get("disabled").and_then(|list| list.items());
    for name in off.unwrap_or_default().iter().filter(|name| is_ours(name)) {
        found.problems.push(Problem::HookOff { line: line(*name) });
    }
    let events = root.get("hooks").and_then(|hooks| hooks.object());
    let groups = events.unwrap_or_default().members.into_iter();
    let groups = groups.filter_map(|event| event.value.items()).flatten();
    let handlers = groups.filter_map(|group| group.object()?.get("hooks")?.items());
    for handler in handlers.flatten().filter_map(|handler| handler.object()) {
        note_variables(&handler, line, found);
    }
}

/// Whether the client's list of hooks that are off means ours: by their name, or by their command
/// if they have none.
fn is_ours(name: &Value<'_>) -> bool {
    let text = name.text().unwrap_or_default();
    text == NAME || nested::first_shell_word(&text).is_some()
}

/// Variables count only for the hook that they are set for.
fn note_variables(handler: &Object<'_>, line: impl Fn(Value<'_>) -> usize, found: &mut Inspection) {
    let variables = handler.get("env").and_then(|env| env.object());
    if ours(handler).is_none() {
        return;
    }
    for variable in variables.unwrap_or_default().members {
        let name = variable.name.text().unwrap_or_default();
        if STEERING.contains(&&*name) {
            found.problems.push(Problem::Steered {
                line: line(variable.name),
                name: name.into_owned(),
            });
        }
    }
}
