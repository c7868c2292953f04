//! Our entries in a settings file of Claude Code: which events, how written, how recognised.

use crate::shared::nested::{self, BARE, HookRow, HookTable, Need, OwnHandler, row};
use crate::shared::settings::{Inspection, Installation, Launch, Problem, line_and_column};
use crate::shared::watch::{self, watch};
use text::json::{Object, Value, text::quote};

/// Shortest time in which the hook can be trusted to answer, in seconds; its own deadline is 1.5.
const TIMEOUT_MIN_S: f64 = 3.0;

/// How this client registers hooks.
pub(super) const TABLE: HookTable = HookTable {
    rows: ROWS,
    watch: Some(watch("SessionStart", 10)),
    handlers: Some("hooks"),
    group,
    ours,
    watches,
    works,
    unusable,
    note,
    ..BARE
};

/// The fewest events that do the job, since each costs a process: the moments before an action,
/// what became of it (files born in a session are its own), a change of the settings, what the
/// human and the helpers say, and the start and end of a session. The client gives all hooks at
/// the end of a session 1.5 s together, and more only to those that ask for it; ours has no need
/// to.
const ROWS: &[HookRow] = &[
    row("PreToolUse", 20, Need::Stop),
    row("PermissionRequest", 20, Need::Stop),
    row("PreSkillShellCommand", 20, Need::Stop),
    row("ConfigChange", 20, Need::Stop),
    row("PostToolUse", 10, Need::Know),
    row("PostToolUseFailure", 10, Need::Know),
    row("SessionStart", 10, Need::Know),
    row("UserPromptSubmit", 10, Need::Hear),
    row("SubagentStart", 10, Need::Hear),
    row("SubagentStop", 10, Need::Hear),
    row("Stop", 10, Need::Hear),
    row("SessionEnd", 1, Need::Hear),
];

/// Variables that, set by a settings file, are meant for us or for hooks as such. Ours are ignored
/// by an installed hook; that they are there is worth a word.
const STEERING: &[&str] = &[
    "TOLLGATE_HOME",
    "TOLLGATE_ENABLED",
    "POLICY_GATE_ENABLED",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "HOME",
    "LD_PRELOAD",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_SESSION_ATTENDED",
];

/// Our whole entry in the list of an event, on one line.
fn group(row: &HookRow, installation: &Installation<'_>) -> String {
    let mut handler = String::from(r#"{ "matcher": "*", "hooks": [{ "type": "command", "#);
    handler.push_str(r#""command": "#);
    match installation.launch {
        Launch::Direct => {
            quote(&row.program(installation.hook), &mut handler);
            handler.push_str(r#", "args": ["#);
            for (at, word) in row.words(super::HOST.id).into_iter().enumerate() {
                handler.push_str(if at > 0 { ", " } else { "" });
                quote(word, &mut handler);
            }
            handler.push(']');
        }
        Launch::Shell => quote(&shell_command(row, installation.hook), &mut handler),
    }
    handler.push_str(&format!(r#", "timeout": {}"#, row.timeout_s));
    if row.need == Need::Stop {
        handler.push_str(r#", "onFailure": "block""#);
    }
    handler.push_str(" }] }");
    handler
}

/// The command for `/bin/sh`. Where failing open is right, so is the shell's own status.
fn shell_command(row: &HookRow, hook: &str) -> String {
    let or_stop = match row.need {
        Need::Stop => " || exit 2",
        _ => "",
    };
    let quoted = nested::shell_word(&row.program(hook));
    format!("{quoted} {}{or_stop}", row.words(super::HOST.id).join(" "))
}

/// Recognises a handler as ours, however it was changed.
fn ours(handler: &Object<'_>) -> Option<OwnHandler> {
    let command = handler.text("command")?;
    if nested::is_hook(&command) {
        return Some(OwnHandler {
            hook: command.into_owned(),
            launch: Launch::Direct,
        });
    }
    Some(OwnHandler {
        hook: nested::first_shell_word(&command)?,
        launch: Launch::Shell,
    })
}

/// Recognises a handler that has our other program look at the hook.
fn watches(handler: &Object<'_>) -> Option<OwnHandler> {
    let command = handler.text("command")?;
    let direct = watch::watched(&command).filter(|_| watch::is_told_to_watch(handler));
    let (hook, launch) = match direct {
        Some(hook) => (hook, Launch::Direct),
        None => (watch::watched_in_shell(&command)?, Launch::Shell),
    };
    Some(OwnHandler { hook, launch })
}

/// Notes what else in the file keeps hooks from working, or steers them.
fn note(text: &str, root: &Object<'_>, found: &mut Inspection) {
    let line = |value: Value<'_>| line_and_column(text, value.start).0;
    if let Some(off) = root.get("disableAllHooks").filter(|off| off.raw == "true") {
        found.problems.push(Problem::HooksOff { line: line(off) });
    }
    if let Some(only) = root
        .get("allowManagedHooksOnly")
        .filter(|only| only.raw == "true")
    {
        found
            .problems
            .push(Problem::OthersIgnored { line: line(only) });
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

/// Whether a handler of ours gates its event: for every subject, not in the background, in time,
/// and failing closed where it should.
fn works(row: &HookRow, group: &Object<'_>, handler: &Object<'_>) -> bool {
    let has = |name: &str| handler.get(name).is_some();
    let all = group
        .get("matcher")
        .is_none_or(|matcher| matcher.is_text("*") || matcher.is_text(""));
    let at_once = !has("if") && !has("async") && !has("asyncRewake");
    let enough = TIMEOUT_MIN_S.min(row.timeout_s.into());
    let is_enough = |seconds: f64| seconds >= enough;
    let timeout = handler.get("timeout");
    let in_time = timeout.is_none_or(|timeout| timeout.raw.parse().is_ok_and(is_enough));
    let closed =
        row.need != Need::Stop || handler.get("onFailure").is_some_and(|v| v.is_text("block"));
    let is_command = handler
        .get("type")
        .is_some_and(|kind| kind.is_text("command"));
    all && at_once && in_time && closed && is_command && starts(row, handler)
}

/// Whether the handler starts our program for this event.
fn starts(row: &HookRow, handler: &Object<'_>) -> bool {
    let args = handler.get("args").and_then(|args| args.items());
    let own = if row.is_watch { watches } else { ours };
    let Some(OwnHandler { hook, launch }) = own(handler) else {
        return false;
    };
    match (launch, args) {
        (Launch::Direct, Some(args)) => {
            let wanted = row.words(super::HOST.id);
            let mut both = args.iter().zip(&wanted);
            args.len() == wanted.len() && both.all(|(arg, wanted)| arg.is_text(wanted))
        }
        (Launch::Shell, None) => {
            handler.text("command").as_deref() == Some(&shell_command(row, &hook))
        }
        _ => false,
    }
}

/// Why the client would discard the whole file for a handler of these events, if it would.
fn unusable(event: &str, handler: Option<&Object<'_>>) -> Option<&'static str> {
    if !matches!(event, "PreToolUse" | "PermissionRequest") {
        return None;
    }
    let Some(handler) = handler else {
        return Some("a hook is not an object");
    };
    let on_failure = handler.get("onFailure");
    let known = |value: Value<'_>| value.is_text("block") || value.is_text("continue");
    if on_failure.is_some_and(|value| !known(value)) {
        return Some("onFailure is neither \"block\" nor \"continue\"");
    }
    let is_command = handler
        .get("type")
        .is_some_and(|kind| kind.is_text("command"));
    if is_command && handler.text("command").is_none() {
        return Some("a hook has no command");
    }
    None
}
