//! Our entries in a settings file of Claude Code: which events, how written, how recognised.

use crate::json::{Object, Value, text::quote};
use crate::settings::{Installation, Launch};

/// The file name by which our hook is recognised.
const PROGRAM: &str = "tollgate-hook";

/// Shortest time in which the hook can be trusted to answer, in seconds; its own deadline is 1.5.
const TIMEOUT_MIN_S: f64 = 3.0;

/// One event that we register for.
pub(super) struct Row {
    /// The event.
    pub event: &'static str,
    /// When the client gives up on us, in seconds.
    timeout_s: u32,
    /// Whether a hook that fails must stop what the event is about.
    fails_closed: bool,
}

const fn row(event: &'static str, timeout_s: u32, fails_closed: bool) -> Row {
    Row {
        event,
        timeout_s,
        fails_closed,
    }
}

/// The fewest events that do the job, since each costs a process: the moments before a deed, what
/// became of it (files born in a session are its own), a change of the settings, and one sign of
/// life a session.
pub(super) const ROWS: &[Row] = &[
    row("PreToolUse", 20, true),
    row("PermissionRequest", 20, true),
    row("PreSkillShellCommand", 20, true),
    row("ConfigChange", 20, true),
    row("PostToolUse", 10, false),
    row("PostToolUseFailure", 10, false),
    row("SessionStart", 10, false),
];

impl Row {
    /// Our whole entry in the list of an event, on one line.
    pub fn group(&self, installation: &Installation<'_>) -> String {
        let mut handler = String::from(r#"{ "matcher": "*", "hooks": [{ "type": "command", "#);
        handler.push_str(r#""command": "#);
        match installation.launch {
            Launch::Direct => {
                quote(installation.hook, &mut handler);
                handler.push_str(r#", "args": ["#);
                quote(super::HOST.id, &mut handler);
                handler.push_str(", ");
                quote(self.event, &mut handler);
                handler.push(']');
            }
            Launch::Shell => quote(&self.shell_command(installation.hook), &mut handler),
        }
        handler.push_str(&format!(r#", "timeout": {}"#, self.timeout_s));
        if self.fails_closed {
            handler.push_str(r#", "onFailure": "block""#);
        }
        handler.push_str(" }] }");
        handler
    }

    /// The command for `/bin/sh`. Where failing open is right, so is the shell's own status.
    fn shell_command(&self, hook: &str) -> String {
        let quoted = hook.replace('\'', r"'\''");
        let (host, event) = (super::HOST.id, self.event);
        let or_stop = if self.fails_closed { " || exit 2" } else { "" };
        format!("'{quoted}' {host} {event}{or_stop}")
    }
}

/// A handler of ours, as found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ours {
    /// The hook's path.
    pub hook: String,
    /// How it is started.
    pub launch: Launch,
}

/// Recognises a handler as ours, however it was changed.
pub(super) fn ours(handler: &Object<'_>) -> Option<Ours> {
    let command = handler.text("command")?;
    if is_hook(&command) {
        return Some(Ours {
            hook: command.into_owned(),
            launch: Launch::Direct,
        });
    }
    let quoted = command.strip_prefix('\'')?;
    let hook = quoted.split("' ").next()?.replace(r"'\''", "'");
    is_hook(&hook).then_some(Ours {
        hook,
        launch: Launch::Shell,
    })
}

fn is_hook(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    name == PROGRAM || name.strip_suffix(".exe") == Some(PROGRAM)
}

/// Whether a handler of ours gates its event: for every subject, not in the background, in time,
/// and failing closed where it should.
pub(super) fn works(event: &str, group: &Object<'_>, handler: &Object<'_>) -> bool {
    let Some(row) = ROWS.iter().find(|row| row.event == event) else {
        return false;
    };
    let has = |name: &str| handler.get(name).is_some();
    let all = group
        .get("matcher")
        .is_none_or(|matcher| matcher.is_text("*") || matcher.is_text(""));
    let at_once = !has("if") && !has("async") && !has("asyncRewake");
    let in_time = handler.get("timeout").is_none_or(is_enough_time);
    let closed = !row.fails_closed || handler.get("onFailure").is_some_and(|v| v.is_text("block"));
    let is_command = handler
        .get("type")
        .is_some_and(|kind| kind.is_text("command"));
    all && at_once && in_time && closed && is_command && starts(row, handler)
}

/// Whether the handler starts our hook for this event.
fn starts(row: &Row, handler: &Object<'_>) -> bool {
    let args = handler.get("args").and_then(|args| args.items());
    match (ours(handler), args) {
        (
            Some(Ours {
                launch: Launch::Direct,
                ..
            }),
            Some(args),
        ) => {
            let wanted = [super::HOST.id, row.event];
            args.len() == 2
                && args
                    .iter()
                    .zip(wanted)
                    .all(|(arg, wanted)| arg.is_text(wanted))
        }
        (
            Some(Ours {
                hook,
                launch: Launch::Shell,
            }),
            None,
        ) => handler.text("command").as_deref() == Some(&row.shell_command(&hook)),
        _ => false,
    }
}

fn is_enough_time(timeout: Value<'_>) -> bool {
    timeout
        .raw
        .parse()
        .is_ok_and(|seconds: f64| seconds >= TIMEOUT_MIN_S)
}

/// Why the client would discard the whole file for a handler of these events, if it would.
pub(super) fn unusable(event: &str, handler: Option<&Object<'_>>) -> Option<&'static str> {
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
