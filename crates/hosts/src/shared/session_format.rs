//! What a host's session files tell besides calls: prompts, answers, failures, lists of what is to
//! be done. The words that several hosts share are here. Must not know any host's names.

use crate::{HOSTS, Host};
use model::{LineDecoder, Todo, TodoState};
use std::borrow::Cow;
use text::json::{Object, Value};

/// How many lines are looked at to tell whose file it is.
const LINES_MAX: usize = 64;

/// How a host's session files are read.
#[derive(Debug)]
pub struct SessionFormat {
    /// Reads what one record tells: a line, or an object of a document.
    pub record: LineDecoder,
    /// Whether a line is of a session file of this host.
    pub is_line: fn(&[u8]) -> bool,
    /// Whether a file that begins like this is one document of this host.
    pub is_document: fn(&[u8]) -> bool,
    /// Path templates of the files of a session's subagents, with `*` and `**`. `{stem}` is the
    /// session file's path without its ending, `{dir}` its directory, `{session}` the session.
    pub subagents: &'static [&'static str],
}

/// Whose session file it is.
#[derive(Debug, Clone, Copy)]
pub struct Recognized {
    /// The host.
    pub host: &'static Host,
    /// How it is read.
    pub format: &'static SessionFormat,
    /// Whether it is one document, and not a record a line.
    pub is_document: bool,
}

/// Whose session file begins with these bytes; of one host alone, if its id is given.
#[must_use]
pub fn recognize(head: &[u8], id: Option<&str>) -> Option<Recognized> {
    let formats = || {
        let named = HOSTS
            .iter()
            .filter(|host| id.is_none_or(|id| host.id == id));
        named.filter_map(|host| Some((*host, host.session_format?)))
    };
    let lines = || head.split(|byte| *byte == b'\n').take(LINES_MAX);
    let of_lines = formats().find(|(_, format)| lines().any(|line| (format.is_line)(line)));
    let of_document = || formats().find(|(_, format)| (format.is_document)(head));
    let named = || id.and_then(|_| formats().next());
    let (found, is_document) = match of_lines {
        Some(found) => (found, false),
        None => match of_document() {
            Some(found) => (found, true),
            // Its formats change; who names the host knows better.
            None => (named()?, false),
        },
    };
    let (host, format) = found;
    Some(Recognized {
        host,
        format,
        is_document,
    })
}

/// The ids of the hosts whose session files can be read.
#[must_use]
pub fn hosts_with_session_format() -> Vec<&'static str> {
    let hosts = HOSTS.iter().filter(|host| host.session_format.is_some());
    hosts.map(|host| host.id).collect()
}

/// A text: itself, or the texts of a list of parts.
pub(crate) fn words(value: Value<'_>) -> String {
    if let Some(text) = value.text() {
        return text.into_owned();
    }
    let parts = value.items().unwrap_or_default();
    let texts = parts.iter().filter_map(|part| match part.object() {
        Some(part) => part.text("text"),
        None => part.text(),
    });
    let texts: Vec<Cow<'_, str>> = texts.collect();
    texts.join("\n")
}

/// The text without the blocks `<tag …>…</tag>` of these tags. A block that does not end is left.
pub(crate) fn without(text: &str, tags: &[&str]) -> String {
    let mut rest = text.to_owned();
    for tag in tags {
        let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
        while let Some(start) = rest.find(&open) {
            let Some((before, block)) = rest.split_at_checked(start) else {
                break;
            };
            let Some((_, after)) = block.split_once(&close) else {
                break;
            };
            rest = [before, after].concat();
        }
    }
    rest.trim().to_owned()
}

/// What stands between `<tag>` and `</tag>`.
pub(crate) fn inside<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    let (inside, _) = rest.split_once(&format!("</{tag}>"))?;
    Some(inside.trim())
}

/// Whether a text begins with one of these, blanks apart.
pub(crate) fn begins(text: &str, starts: &[&str]) -> bool {
    let text = text.trim_start();
    starts.iter().any(|start| text.starts_with(start))
}

/// A list of what is to be done: objects with a text under the first of these names, and a status.
pub(crate) fn todos(list: Value<'_>, names: &[&str]) -> Vec<Todo> {
    let items = list.items().unwrap_or_default();
    let todos = items.iter().filter_map(|item| {
        let item = item.object()?;
        Some(Todo {
            id: item.text("id").unwrap_or_default().into_owned(),
            text: names.iter().find_map(|name| item.text(name))?.into_owned(),
            state: item
                .text("status")
                .and_then(|word| state(&word))
                .unwrap_or_default(),
        })
    });
    todos.collect()
}

/// How far something is, by the word that hosts have for it.
pub(crate) fn state(word: &str) -> Option<TodoState> {
    match word {
        "pending" | "open" => Some(TodoState::Pending),
        "in_progress" => Some(TodoState::Current),
        "completed" | "done" => Some(TodoState::Done),
        "cancelled" | "deleted" | "blocked" => Some(TodoState::Dropped),
        _ => None,
    }
}

/// A member that is an object.
pub(crate) fn part<'t>(object: &Object<'t>, name: &str) -> Option<Object<'t>> {
    object.get(name)?.object()
}

/// The objects in a member that is a list.
pub(crate) fn parts<'t>(object: &Object<'t>, name: &str) -> Vec<Object<'t>> {
    let items = object.get(name).and_then(|list| list.items());
    let items = items.unwrap_or_default();
    items.iter().filter_map(|item| item.object()).collect()
}

/// An owned text of a member; empty if there is none.
pub(crate) fn owned(object: &Object<'_>, name: &str) -> String {
    object.text(name).unwrap_or_default().into_owned()
}
