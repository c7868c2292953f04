//! The words of Amp, by its page: how a call is read and answered, and how our hook is registered.
//!
//! The program that a permission names is started without arguments, so one of ours stands between:
//! it lies beside the hook. It is given the call's arguments on standard input and the tool's name
//! in the environment; exit status 2 with words on standard error is no.

use super::tools;
use crate::shared::nested::{self, BARE, HookRow, HookTable, Need, OwnHandler, row};
use crate::shared::script::{self, Script};
use crate::shared::settings::{Edit, Installation, Launch, SettingsError};
use crate::shared::status::{self, Head};
use crate::shared::wire::{Wire, WireError};
use crate::{Answer, Asked, Probe, Reply};
use model::{Event, EventClass, EventKind};
use text::json::object::Writer;
use text::json::{self, Object, Value, text::quote};

/// What we call the moment before a call: the client has no name for it.
pub(super) const BEFORE_CALL: &str = "delegate";

/// What the program between is called more than the hook.
const BETWEEN: &str = "-amp";

/// The variable that names the tool.
const TOOL: &str = "AGENT_TOOL_NAME";
/// The variable that names the session.
const SESSION: &str = "AMP_THREAD_ID";
/// Where the client's rules stand.
const RULES: &str = "amp.permissions";

/// How this client registers programs.
pub(super) const TABLE: HookTable = HookTable {
    rows: &[row(BEFORE_CALL, 20, Need::Stop)],
    list: Some(RULES),
    group: |_: &HookRow, installation: &Installation<'_>| {
        let mut to = String::new();
        quote(&[installation.hook, BETWEEN].concat(), &mut to);
        format!(r#"{{ "tool": "*", "action": "delegate", "to": {to} }}"#)
    },
    ours,
    works: |_: &HookRow, _: &Object<'_>, rule: &Object<'_>| {
        let is = |name: &str, text: &str| rule.get(name).is_some_and(|value| value.is_text(text));
        is("tool", "*") && is("action", "delegate") && rule.members.len() == 3
    },
    ..BARE
};

/// Puts our rule first; see [`crate::Host::install`]. It says yes or no to every call, so that no
/// rule behind it counts: one that asks or rejects must not be silenced.
pub(super) fn install(
    current: Option<&str>,
    installation: &Installation<'_>,
) -> Result<Edit, SettingsError> {
    let text = current.unwrap_or_default();
    let rules = json::object(text).unwrap_or_default().get(RULES);
    let stricter = |rule: &&Value<'_>| {
        let action = rule.object().and_then(|rule| rule.text("action"));
        matches!(action.as_deref(), Some("ask" | "reject"))
    };
    let rules = rules.and_then(|rules| rules.items()).unwrap_or_default();
    if let Some(rule) = rules.iter().find(stricter) {
        let what = "behind Tollgate's rule this one would not be asked any more: move it into \
                    Tollgate's own rules";
        return Err(SettingsError::wrong_shape(text, rule.start, what));
    }
    TABLE.install(current, installation)
}

fn ours(rule: &Object<'_>) -> Option<OwnHandler> {
    let to = rule.text("to")?;
    let hook = to.strip_suffix(BETWEEN)?;
    nested::is_hook(hook).then(|| OwnHandler {
        hook: hook.to_owned(),
        launch: Launch::Shell,
    })
}

/// The program between; see [`crate::Host::scripts`].
pub(super) fn scripts(hook: &str, _: &str) -> Vec<Script> {
    let asks = [super::HOST.id, BEFORE_CALL];
    vec![Script {
        path: [hook, BETWEEN].concat(),
        text: script::text(hook, asks, status::OR_STOP),
    }]
}

/// The class of an event; see [`crate::Host::class`].
pub(super) fn class(name: &str) -> EventClass {
    match name {
        BEFORE_CALL => EventClass::Mutating,
        _ => EventClass::Lifecycle,
    }
}

/// Reads one event; see [`crate::Host::decode`].
pub(super) fn decode<'a>(wire: &Wire<'a, '_>) -> Result<Event<'a>, WireError> {
    wire.read(event)
}

fn event<'t>(wire: &Wire<'_, '_>, arguments: &Object<'t>) -> Result<Event<'t>, WireError> {
    let variable = |name: &str| (wire.env)(name).unwrap_or_default();
    let head = Head {
        host: super::HOST.id,
        named: None,
        session: variable(SESSION),
        // Told of shell commands alone; else it is the directory that the client runs in.
        cwd: arguments.text("cwd").unwrap_or_default().into_owned(),
    };
    let kind = match wire.event {
        BEFORE_CALL => EventKind::ToolBefore(tools::call(variable(TOOL), arguments.whole)),
        name => EventKind::Other {
            name: name.to_owned(),
        },
    };
    status::event(wire, head, kind)
}

/// Says one answer; see [`crate::Host::reply`].
pub(super) fn reply(asked: &Asked<'_>, answer: &Answer<'_>) -> Reply {
    let stops = class(asked.event) == EventClass::Mutating;
    status::reply(&super::HOST, asked, answer, stops)
}

/// The arguments of a shell command.
pub(super) fn probe(probe: &Probe<'_>) -> Vec<u8> {
    Writer::default()
        .text("cmd", probe.command)
        .text("cwd", probe.cwd)
        .finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(text: &str) -> Result<Edit, SettingsError> {
        let installation = Installation {
            hook: "/home/dev/bin/tollgate-hook",
            launch: Launch::Shell,
        };
        install(Some(text), &installation)
    }

    #[test]
    fn our_rule_stands_before_all_others() {
        for text in [
            "{\n  \"amp.permissions\": [\n    { \"tool\": \"Read\" }\n  ]\n}\n",
            r#"{"amp.permissions":[{"tool":"*","action":"allow"}],"amp.url":"x"}"#,
            r#"{"amp.permissions":[]}"#,
            r#"{"amp.url":"x"}"#,
            "{}",
        ] {
            let after = installed(text).unwrap().text.unwrap();
            let found = TABLE.inspect(&after).unwrap();
            assert!(
                found.missing.is_empty() && found.problems.is_empty(),
                "{after}"
            );
            assert!(!installed(&after).unwrap().changed, "{after}");
            let bare = TABLE.uninstall(&after).unwrap().text;
            assert_eq!(bare.as_deref(), Some(text), "{after}");
        }
    }

    #[test]
    fn a_rule_before_ours_is_found_and_ours_is_moved() {
        let ours = installed("{}").unwrap().text.unwrap();
        let behind = ours.replace("[ {", r#"[ { "tool": "Bash", "action": "allow" }, {"#);
        assert_eq!(TABLE.inspect(&behind).unwrap().missing, [BEFORE_CALL]);
        let again = installed(&behind).unwrap().text.unwrap();
        assert!(TABLE.inspect(&again).unwrap().missing.is_empty(), "{again}");
        let narrow = ours.replace("\"*\"", "\"Bash\"");
        assert_eq!(TABLE.inspect(&narrow).unwrap().missing, [BEFORE_CALL]);
    }

    #[test]
    fn stricter_rules_are_not_silenced() {
        for action in ["ask", "reject"] {
            let rule = format!(r#"{{"tool": "Bash", "action": "{action}"}}"#);
            let text = format!(r#"{{"amp.permissions": [{rule}]}}"#);
            let error = installed(&text).unwrap_err().to_string();
            assert!(error.contains("Tollgate's own rules"), "{error}");
        }
    }
}
