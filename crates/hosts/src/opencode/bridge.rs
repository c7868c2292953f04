//! The bridge: the plugin through which OpenCode asks us, made of one template. The whole file is
//! ours, so installing writes it and uninstalling takes it away.

use super::{events, review};
use crate::shared::helpers;
use crate::shared::nested::is_absolute;
use crate::shared::settings::{
    Edit, Inspection, Installation, Launch, Problem, Registered, SettingsError,
};
use text::json;
use text::json::text::quoted;

const TEMPLATE: &str = include_str!("bridge.js");

/// How the template's first line begins, by which a changed bridge is still known as ours.
const MARK: &str = "// Tollgate's bridge in OpenCode";
/// How the line begins that names the hook.
const HOOK: &str = "const HOOK = ";

/// The bridge for a hook.
fn bridge(hook: &str) -> String {
    // The hook's path last: it may hold anything.
    TEMPLATE
        .replace("{{HOST}}", super::HOST.id)
        .replace("{{REVIEWER}}", review::KIND)
        .replace("{{CHECKER}}", helpers::CHECKER.names.dashed)
        .replace("\"{{CHECKER_PROMPT}}\"", &quoted(helpers::CHECKER.text))
        .replace("{{CRITIC}}", helpers::CRITIC.names.dashed)
        .replace("\"{{CRITIC_PROMPT}}\"", &quoted(helpers::CRITIC.text))
        .replace("{{VALIDATOR}}", helpers::VALIDATOR.names.dashed)
        .replace("\"{{VALIDATOR_PROMPT}}\"", &quoted(helpers::VALIDATOR.text))
        .replace("\"{{REVIEWER_PROMPT}}\"", &quoted(review::PROMPT))
        .replace("\"{{HOOK}}\"", &quoted(hook))
}

/// Writes the bridge; see [`crate::Host::install`]. It closes the gate by itself, so a shell
/// between it and the hook is never needed.
pub(super) fn install(
    current: Option<&str>,
    installation: &Installation<'_>,
) -> Result<Edit, SettingsError> {
    if !is_absolute(installation.hook) {
        return Err(SettingsError::RelativeHook {
            path: installation.hook.to_owned(),
        });
    }
    let current = current.filter(|text| !text.trim().is_empty());
    if let Some(other) = current.filter(|text| !text.starts_with(MARK)) {
        return Err(SettingsError::wrong_shape(
            other,
            0,
            "a plugin of another's stands where the bridge goes",
        ));
    }
    let text = bridge(installation.hook);
    Ok(Edit {
        changed: current != Some(&text),
        text: Some(text),
        problems: Vec::new(),
    })
}

/// Takes the bridge away; see [`crate::Host::uninstall`]. What is not ours stays.
pub(super) fn uninstall(text: &str) -> Result<Edit, SettingsError> {
    let is_ours = text.starts_with(MARK);
    Ok(Edit {
        text: (!is_ours).then(|| text.to_owned()),
        changed: is_ours,
        problems: Vec::new(),
    })
}

/// Looks whether a file is the bridge, to the byte; see [`crate::Host::inspect`].
pub(super) fn inspect(text: &str) -> Result<Inspection, SettingsError> {
    let mut found = Inspection::default();
    let hook = text.starts_with(MARK).then(|| hook_of(text)).flatten();
    let Some((hook, line)) = hook else {
        found.missing.extend(events::names());
        return Ok(found);
    };
    let works = text == bridge(&hook) && is_absolute(&hook);
    if !works {
        found.problems.push(Problem::Weakened {
            line: 1,
            event: events::BEFORE_CALL.to_owned(),
        });
        found.missing.extend(events::names());
    }
    found
        .registered
        .extend(events::names().map(|event| Registered {
            event: event.to_owned(),
            hook: hook.clone(),
            launch: Launch::Direct,
            command: String::new(),
            works,
            line,
        }));
    Ok(found)
}

/// The hook that a bridge names, and the line on which it does.
fn hook_of(text: &str) -> Option<(String, usize)> {
    let mut lines = text.lines().enumerate();
    let (at, line) = lines.find(|(_, line)| line.starts_with(HOOK))?;
    let hook = json::value(line.strip_prefix(HOOK)?).ok()?.text()?;
    Some((hook.into_owned(), at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(hook: &str) -> String {
        let installation = Installation {
            hook,
            launch: Launch::Direct,
        };
        install(None, &installation).unwrap().text.unwrap()
    }

    #[test]
    fn a_bridge_is_known_by_every_byte() {
        for hook in [
            "/home/dev/bin/tollgate-hook",
            "/odd \"path\"\\/tollgate-hook",
        ] {
            let text = installed(hook);
            assert!(!text.contains("{{"), "{text}");
            let found = inspect(&text).unwrap();
            assert!(found.missing.is_empty() && found.problems.is_empty());
            assert!(
                found
                    .registered
                    .iter()
                    .all(|ours| ours.works && ours.hook == hook)
            );
            let changed = text.replace("3000", "9000");
            let found = inspect(&changed).unwrap();
            assert_eq!(found.missing.len(), events::names().count());
            assert!(matches!(found.problems[..], [Problem::Weakened { .. }]));
        }
    }

    #[test]
    fn installing_again_changes_nothing_and_another_hook_is_followed() {
        let text = installed("/a/tollgate-hook");
        let again = |hook: &str| {
            let installation = Installation {
                hook,
                launch: Launch::Shell,
            };
            install(Some(&text), &installation).unwrap()
        };
        assert!(!again("/a/tollgate-hook").changed);
        assert!(again("/b/tollgate-hook").changed);
        let gone = uninstall(&text).unwrap();
        assert!(gone.changed && gone.text.is_none());
    }

    #[test]
    fn a_strangers_plugin_is_left_alone() {
        let theirs = "export const X = async () => ({})\n";
        let installation = Installation {
            hook: "/a/tollgate-hook",
            launch: Launch::Direct,
        };
        assert!(install(Some(theirs), &installation).is_err());
        let edit = uninstall(theirs).unwrap();
        assert!(!edit.changed && edit.text.as_deref() == Some(theirs));
        assert!(inspect(theirs).unwrap().registered.is_empty());
        let relative = Installation {
            hook: "tollgate-hook",
            launch: Launch::Direct,
        };
        assert!(install(None, &relative).is_err());
    }
}
