//! The trust that Codex CLI wants before it runs a hook: a sum for each, in the user's settings.
//!
//! The client itself says which hooks it sees and what their sums are. The settings are TOML, of
//! which only tables of this one kind are read and written, as text: every other byte stays.

use super::handlers;
use crate::shared::settings::{Edit, SettingsError};
use crate::shared::trust::{HookTrust, Trust};
use text::json::{self, Object, object::Writer, text::quote, text::quoted};

/// How the client names the table of one hook's state.
const TABLE: &str = "[hooks.state.";
const HASH: &str = "trusted_hash";

pub(super) const TRUST: Trust = Trust {
    ask: &["app-server"],
    lines,
    answer,
    file: &["$CODEX_HOME/config.toml", "~/.codex/config.toml"],
    grant,
    revoke,
    trusts,
    by_hand: "start codex in a terminal and trust the hooks that it asks about",
};

/// The number of the request whose answer counts.
const REQUEST: &str = "2";

fn lines(dir: &str) -> Vec<String> {
    let client = Writer::default()
        .text("name", "tollgate")
        .text("title", "Tollgate")
        .text("version", "1");
    let hello = Writer::default()
        .raw("id", "1")
        .text("method", "initialize")
        .object("params", &Writer::default().object("clientInfo", &client));
    let ready = Writer::default().text("method", "initialized");
    let mut dirs = String::from("[");
    quote(dir, &mut dirs);
    dirs.push(']');
    let ask = Writer::default()
        .raw("id", REQUEST)
        .text("method", "hooks/list")
        .object("params", &Writer::default().raw("cwds", &dirs));
    let line = |message: Writer| String::from_utf8(message.finish()).unwrap_or_default();
    [hello, ready, ask].map(line).to_vec()
}

fn answer(line: &str) -> Option<Vec<HookTrust>> {
    let message = json::object(line).ok()?;
    if message.get("id")?.raw != REQUEST {
        return None;
    }
    let data = message.get("result")?.object()?.get("data")?.items()?;
    let lists = data
        .iter()
        .filter_map(|of_dir| of_dir.object()?.get("hooks")?.items());
    let hooks = lists.flatten().filter_map(|hook| hook.object());
    Some(hooks.map(|hook| known(&hook)).collect())
}

fn known(hook: &Object<'_>) -> HookTrust {
    let text = |name: &str| hook.text(name).unwrap_or_default().into_owned();
    let trust = text("trustStatus");
    HookTrust {
        key: text("key"),
        event: event(&text("eventName")),
        command: text("command"),
        source: text("sourcePath"),
        hash: text("currentHash"),
        runs: hook.is_true("enabled") && matches!(&*trust, "trusted" | "managed"),
    }
}

/// The event as settings spell it: `preToolUse` → `PreToolUse`.
fn event(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Writes each sum into the table of its hook, or a table at the end.
fn grant(current: Option<&str>, hooks: &[HookTrust]) -> Result<Edit, SettingsError> {
    let before = current.unwrap_or_default();
    let mut text = before.to_owned();
    for hook in hooks {
        text = with_hash(&text, hook)?;
    }
    Ok(Edit {
        changed: text != before,
        text: Some(text),
        problems: Vec::new(),
    })
}

fn header(key: &str) -> String {
    let mut header = String::from(TABLE);
    quote(key, &mut header);
    header.push(']');
    header
}

/// The text with the trust of one hook.
fn with_hash(text: &str, hook: &HookTrust) -> Result<String, SettingsError> {
    let header = header(&hook.key);
    let mut wanted = format!("{HASH} = ");
    quote(&hook.hash, &mut wanted);
    if let Some((at, table)) = table(text, &header) {
        let rest = text.get(at + table.len()..).unwrap_or_default();
        let before = text.get(..at).unwrap_or_default();
        return Ok([before, &table_with(table, &header, &wanted), rest].concat());
    }
    if let Some(line) = other_form(text, &hook.key) {
        return Err(SettingsError::WrongShape {
            line,
            column: 1,
            what: "the state of hooks stands here in a form that is not edited".to_owned(),
        });
    }
    let gap = match text {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    Ok(format!("{text}{gap}{header}\n{wanted}\n"))
}

/// The lines of a table from its header to the next, and where they begin.
fn table<'t>(text: &'t str, header: &str) -> Option<(usize, &'t str)> {
    let mut at = 0;
    let mut begin = None;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        match begin {
            None if bare == header => begin = Some(at),
            Some(begin) if bare.starts_with('[') => return Some((begin, text.get(begin..at)?)),
            _ => {}
        }
        at += line.len();
    }
    let begin = begin?;
    Some((begin, text.get(begin..)?))
}

/// A table of one hook, with its sum as wanted; whether it is enabled stays as it is.
fn table_with(table: &str, header: &str, wanted: &str) -> String {
    let is_hash = |line: &str| line.split('=').next().unwrap_or_default().trim() == HASH;
    let mut lines: Vec<&str> = Vec::new();
    let mut is_there = false;
    for line in table.lines() {
        match is_hash(line) {
            true if is_there => {}
            true => {
                is_there = true;
                lines.push(wanted);
            }
            false => lines.push(line),
        }
    }
    if !is_there {
        let after_header = lines.iter().position(|line| line.trim() == header);
        lines.insert(after_header.map_or(0, |at| at + 1), wanted);
    }
    lines.join("\n") + "\n"
}

/// Where the state of hooks stands in another form than in tables of their own, since to add one
/// then would spoil the file.
fn other_form(text: &str, key: &str) -> Option<usize> {
    let quoted = quoted(key);
    let mut section = String::new();
    for (line, number) in text.lines().zip(1..) {
        let bare = line.trim();
        if bare.starts_with('[') {
            section = bare.replace(' ', "");
        }
        let name = bare.split(['=', '.']).next().unwrap_or_default().trim();
        let is_inline = match section.as_str() {
            "" => name == "hooks",
            "[hooks]" => name == "state",
            "[hooks.state]" => bare.starts_with(&quoted) || bare.starts_with(&format!("'{key}'")),
            other => other == format!("[hooks.state.'{key}']"),
        };
        if is_inline {
            return Some(number);
        }
    }
    None
}

/// Takes out the tables of the hooks of ours that a hooks file names.
fn revoke(text: &str, (path, hooks): (&str, &str)) -> Result<Edit, SettingsError> {
    let mut kept = text.to_owned();
    for key in keys(path, hooks) {
        if let Some((at, table)) = table(&kept, &header(&key)) {
            let before = kept.get(..at).unwrap_or_default();
            let rest = kept.get(at + table.len()..).unwrap_or_default();
            // The blank line before it was ours, too.
            let before = before
                .strip_suffix('\n')
                .filter(|rest| rest.ends_with('\n'));
            let before = before.or(kept.get(..at)).unwrap_or_default();
            kept = [before, rest].concat();
        }
    }
    Ok(Edit {
        changed: kept != text,
        text: Some(kept),
        problems: Vec::new(),
    })
}

/// The client's names for the hooks of ours that a hooks file names: file, event, and both places.
fn keys(path: &str, hooks: &str) -> Vec<String> {
    let root = json::object(hooks).unwrap_or_default();
    let events = root.get("hooks").and_then(|hooks| hooks.object());
    let mut keys = Vec::new();
    for event in events.unwrap_or_default().members {
        let name = snake(&event.name.text().unwrap_or_default());
        for (group, of_event) in event.value.items().unwrap_or_default().iter().enumerate() {
            let handlers = of_event
                .object()
                .and_then(|group| group.get("hooks")?.items());
            for (index, handler) in handlers.unwrap_or_default().iter().enumerate() {
                let handler = handler.object().unwrap_or_default();
                if handlers::ours(&handler).is_some() {
                    keys.push(format!("{path}:{name}:{group}:{index}"));
                }
            }
        }
    }
    keys
}

/// `PreToolUse` → `pre_tool_use`.
fn snake(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push('_');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

/// Whether the settings trust a project, which its own hooks need besides.
fn trusts(text: &str, dir: &str) -> bool {
    let mut quoted = String::from("[projects.");
    quote(dir, &mut quoted);
    quoted.push(']');
    let found = table(text, &quoted);
    found.is_some_and(|(_, table)| {
        let mut lines = table.lines().filter_map(|line| line.split_once('='));
        lines.any(|(name, value)| {
            name.trim() == "trust_level" && value.trim().trim_matches('"') == "trusted"
        })
    })
}
