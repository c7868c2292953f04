//! How a way is spelled: the words before a command, quoting, paths as the worker would write them.

use model::CallEnv;

/// What stands before a command, as people and programs find it.
const LEADS: &[&str] = &["First: `", "Instead: `"];

/// Longest command, in characters: with the words around it, it must fit a rule's text.
const COMMAND_CHARS_MAX: usize = 140;

/// The command that words offer, if they do: what stands in backquotes after `First:` or
/// `Instead:`.
#[must_use]
pub fn command_in(words: &str) -> Option<&str> {
    let ends = LEADS
        .iter()
        .filter_map(|lead| Some(words.rfind(lead)? + lead.len()));
    let (command, _) = words.get(ends.max()?..)?.split_once('`')?;
    Some(command)
}

fn is_showable(command: &str) -> bool {
    // U+FFFC stands where a word is not known.
    let is_odd = |c: char| matches!(c, '`' | '…' | '\u{fffc}') || c.is_control();
    command.chars().count() <= COMMAND_CHARS_MAX && !command.contains(is_odd)
}

/// `First: COMMAND, then repeat.`
pub(super) fn first(command: &str, then: &str) -> Option<String> {
    is_showable(command).then(|| format!("First: `{command}`, {then}."))
}

/// `Instead: COMMAND.`, with words behind it.
pub(super) fn instead(command: &str, why: &str) -> Option<String> {
    is_showable(command).then(|| format!("Instead: `{command}`{why}."))
}

/// A word as a shell takes it for just this.
pub(super) fn quoted(word: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./@%+=:,-".contains(c);
    if word.is_empty() || word.contains(|c: char| c == '\'' || c == '`' || c.is_control()) {
        return None;
    }
    Some(if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{word}'")
    })
}

/// Words as a command.
pub(super) fn command<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let quoted: Option<Vec<String>> = words.into_iter().map(quoted).collect();
    quoted.map(|words| words.join(" "))
}

/// An absolute path as the worker would write it: below the present directory relative to it, else
/// from home, else whole. Nothing where it is a pattern or no path.
pub(super) fn path(path: &str, place: &CallEnv) -> Option<String> {
    if !path.starts_with('/') || path.contains(['*', '?', '[', '\u{fffc}']) {
        return None;
    }
    let below = |dir: &str| path.strip_prefix(dir)?.strip_prefix('/');
    if path == place.cwd {
        return Some(".".to_owned());
    }
    if let Some(inside) = below(&place.cwd).filter(|_| !place.cwd.is_empty()) {
        // A file tool takes it for what a shell would take it for.
        if inside.starts_with("~/") {
            return quoted(inside.get(2..)?).map(|rest| format!("~/{rest}"));
        }
        let is_option = inside.starts_with('-');
        return quoted(&if is_option {
            format!("./{inside}")
        } else {
            inside.to_owned()
        });
    }
    let home = below(&place.home).filter(|_| !place.home.is_empty());
    if path == place.home {
        return Some("~".to_owned());
    }
    match home.map(quoted) {
        Some(Some(inside)) if !inside.starts_with('\'') => Some(format!("~/{inside}")),
        _ => quoted(path),
    }
}
