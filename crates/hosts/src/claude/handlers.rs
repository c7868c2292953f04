//! Our entries in a settings file of Claude Code: which events, how written, how recognised.

use super::settings::is_absolute;
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
    /// What is lost without it.
    pub need: Need,
}

/// What is lost if an event is not registered, or if its hook fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Deeds would pass: a hook that fails must stop what the event is about.
    Stop,
    /// The gate would misjudge.
    Know,
    /// The gate judges as well; only what a human says, a helper's verdict or the end of a session
    /// goes unheard.
    Hear,
}

const fn row(event: &'static str, timeout_s: u32, need: Need) -> Row {
    Row {
        event,
        timeout_s,
        need,
    }
}

/// The fewest events that do the job, since each costs a process: the moments before a deed, what
/// became of it (files born in a session are its own), a change of the settings, what the human
/// and the helpers say, and the start and end of a session. The client gives all hooks at the end
/// of a session 1.5 s together, and more only to those that ask for it; ours has no need to.
pub(super) const ROWS: &[Row] = &[
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
    row("SessionEnd", 1, Need::Hear),
];

/// Variables that, set by a settings file, are meant for us or for hooks as such. Ours are ignored
/// by an installed hook; that they are there is worth a word.
pub(super) const STEERING: &[&str] = &[
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
        if self.need == Need::Stop {
            handler.push_str(r#", "onFailure": "block""#);
        }
        handler.push_str(" }] }");
        handler
    }

    /// The command for `/bin/sh`. Where failing open is right, so is the shell's own status.
    fn shell_command(&self, hook: &str) -> String {
        let quoted = hook.replace('\'', r"'\''");
        let (host, event) = (super::HOST.id, self.event);
        let or_stop = if self.need == Need::Stop {
            " || exit 2"
        } else {
            ""
        };
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
    let enough = TIMEOUT_MIN_S.min(row.timeout_s.into());
    let is_enough = |seconds: f64| seconds >= enough;
    let timeout = handler.get("timeout");
    let in_time = timeout.is_none_or(|timeout| timeout.raw.parse().is_ok_and(is_enough));
    let closed =
        row.need != Need::Stop || handler.get("onFailure").is_some_and(|v| v.is_text("block"));
    let is_command = handler
        .get("type")
        .is_some_and(|kind| kind.is_text("command"));
    // Any other path is found by the present directory or by PATH, and both are the project's.
    let is_found = ours(handler).is_some_and(|ours| is_absolute(&ours.hook));
    is_found && all && at_once && in_time && closed && is_command && starts(row, handler)
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
