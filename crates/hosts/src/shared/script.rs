//! Programs of one line, for hosts that start a hook by its place alone. Must not know any host's
//! names.

use crate::shared::nested::{first_shell_word, is_absolute, shell_word};
use crate::shared::settings::{
    Edit, Inspection, Installation, Launch, Problem, Registered, SettingsError,
};

/// How each of them begins.
const HEAD: &str = "#!/bin/sh\n";

/// A program that a host starts besides what its settings file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Where it lies; absolute.
    pub path: String,
    /// The whole of it.
    pub text: String,
}

/// Whether a text is a program of ours.
#[must_use]
pub fn is_script(text: &str) -> bool {
    hook_in(text).is_some()
}

/// A program that asks our hook about an event. `or` follows the hook's command.
pub(crate) fn text(hook: &str, asks: [&str; 2], or: &str) -> String {
    let [host, event] = asks;
    format!("{HEAD}{} {host} {event}{or}\n", shell_word(hook))
}

/// The hook that a program of ours starts.
fn hook_in(text: &str) -> Option<String> {
    first_shell_word(text.strip_prefix(HEAD)?)
}

/// Makes a settings file of such a program; see [`crate::Host::install`]. What is not ours stays.
pub(crate) fn install(
    current: Option<&str>,
    installation: &Installation<'_>,
    text: fn(&str) -> String,
) -> Result<Edit, SettingsError> {
    let hook = installation.hook;
    if !is_absolute(hook) {
        let path = hook.to_owned();
        return Err(SettingsError::RelativeHook { path });
    }
    let current = current.filter(|text| !text.trim().is_empty());
    if let Some(other) = current.filter(|text| !is_script(text)) {
        let what = "a program of another's stands where ours goes";
        return Err(SettingsError::wrong_shape(other, 0, what));
    }
    let text = text(hook);
    Ok(Edit {
        changed: current != Some(&text),
        text: Some(text),
        problems: Vec::new(),
    })
}

/// Takes such a file away; see [`crate::Host::uninstall`].
pub(crate) fn uninstall(text: &str) -> Edit {
    let is_ours = is_script(text);
    Edit {
        text: (!is_ours).then(|| text.to_owned()),
        changed: is_ours,
        problems: Vec::new(),
    }
}

/// Looks whether a file is the program that asks about `event`, to the byte; see
/// [`crate::Host::inspect`].
pub(crate) fn inspect(found: &str, event: &'static str, text: fn(&str) -> String) -> Inspection {
    let Some(hook) = hook_in(found) else {
        return Inspection {
            missing: vec![event],
            ..Inspection::default()
        };
    };
    let works = is_absolute(&hook) && found == text(&hook);
    let weakened = Problem::Weakened {
        line: 2,
        event: event.to_owned(),
    };
    Inspection {
        missing: if works { Vec::new() } else { vec![event] },
        problems: if works { Vec::new() } else { vec![weakened] },
        registered: vec![Registered {
            event: event.to_owned(),
            hook,
            launch: Launch::Shell,
            command: String::new(),
            works,
            line: 2,
        }],
        ..Inspection::default()
    }
}
