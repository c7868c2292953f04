//! What a frame is, as far as the proxy has to know. Everything borrows from the frame.
//!
//! A server may read a frame less strictly than we do: what could be a call to it and is none to us
//! is *doubtful*, and must not reach it.

use std::borrow::Cow;
use text::json::{self, Object, Value};

use super::event::CALL;

/// The names that decide what a frame is. Some servers take them in any case.
const TELLING: &[&str] = &["id", "method", "params"];
/// The same for the parameters of a call.
const TELLING_OF_CALL: &[&str] = &["name", "arguments", "_meta"];
/// Members of `_meta` that clients name a call by.
const CALL_IDS: &[&str] = &["claudecode/toolUseId", "callId"];

/// Where a client of a newer protocol says who it is, with every request.
const CLIENT_OF_NEWER: &str = "io.modelcontextprotocol/clientInfo";

/// A frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame<'a> {
    /// One message.
    One(Message<'a>),
    /// Several in one array.
    Many(Vec<Message<'a>>),
    /// It is not JSON, or no message; nobody could take it for a call.
    Other,
    /// It could be taken for a call, and it cannot be said which.
    Doubtful,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message<'a> {
    /// Its id as JSON; empty if it has none.
    pub id: &'a str,
    /// All of it.
    pub raw: &'a str,
    /// What it is.
    pub kind: Kind<'a>,
}

/// What a message is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind<'a> {
    /// A tool is called.
    Call(ToolCall<'a>),
    /// The tools are asked for.
    List,
    /// A client says who it is.
    Hello(Cow<'a, str>),
    /// A request is not wanted any more: its id as JSON.
    Cancel(&'a str),
    /// An answer: its result as JSON; empty if it is an error.
    Answer(&'a str),
    /// Something else.
    Else,
}

/// A tool is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall<'a> {
    /// Which.
    pub tool: Cow<'a, str>,
    /// All of its parameters.
    pub params: &'a str,
    /// The token that progress is told with, as JSON; empty if there is none.
    pub token: &'a str,
    /// What its client calls it; empty if it does not say.
    pub named: String,
}

/// Reads a frame without the line break at its end.
#[must_use]
pub fn frame(bytes: &[u8]) -> Frame<'_> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return unread(bytes);
    };
    // Some servers end a line here too.
    if bytes.contains(&b'\r') {
        return Frame::Doubtful;
    }
    let Ok(value) = json::value(text) else {
        return unread(bytes);
    };
    if let Some(object) = value.object() {
        return message(&object).map_or(Frame::Doubtful, Frame::One);
    }
    let Some(items) = value.items() else {
        return Frame::Other;
    };
    let messages = items.iter().map(|item| message(&item.object()?));
    messages
        .collect::<Option<Vec<Message<'_>>>>()
        .map_or(Frame::Doubtful, Frame::Many)
}

/// What cannot be read is let go if nobody could find a call in it.
fn unread(bytes: &[u8]) -> Frame<'_> {
    let has = |word: &[u8]| {
        bytes
            .windows(word.len())
            .any(|part| part.eq_ignore_ascii_case(word))
    };
    // Whoever reads a call out of it has to find a name for what is called.
    match has(b"call") || has(b"\\") || bytes.contains(&0) {
        true => Frame::Doubtful,
        false => Frame::Other,
    }
}

/// The id of a message of which only the beginning is known, if it stands there.
#[must_use]
pub fn id_in_head(head: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(head);
    let (_, rest) = text.split_once("\"id\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let end = match rest.strip_prefix('"') {
        Some(inner) => inner.find('"')? + 2,
        None => rest.find(|c: char| !c.is_ascii_digit())?,
    };
    let id = rest.get(..end).filter(|id| json::value(id).is_ok())?;
    Some(id.to_owned())
}

/// Whether two ids are the same: as JSON they may be spelled in more than one way.
#[must_use]
pub fn same_id(one: &str, other: &str) -> bool {
    one == other || value_of(one).is_some_and(|one| value_of(other) == Some(one))
}

fn value_of(id: &str) -> Option<String> {
    let value = json::value(id).ok()?;
    value.text().map(Cow::into_owned)
}

/// A message; nothing if it can be read in more than one way.
fn message<'a>(object: &Object<'a>) -> Option<Message<'a>> {
    if !is_plain(object, TELLING) {
        return None;
    }
    let params = object.get("params");
    let kind = match object.get("method") {
        None => Kind::Answer(object.get("result").map_or("", |result| result.raw)),
        Some(method) => match method.text().as_deref() {
            Some(CALL) => Kind::Call(call(params?)?),
            Some("tools/list") => Kind::List,
            Some("initialize" | "server/discover") => Kind::Hello(client(params)),
            Some("notifications/cancelled") => {
                let params = params.and_then(|params| params.object());
                let id = params.and_then(|params| params.get("requestId"));
                Kind::Cancel(id.map_or("", |id| id.raw))
            }
            _ => Kind::Else,
        },
    };
    Some(Message {
        id: object.get("id").map_or("", |id| id.raw),
        raw: object.whole.raw,
        kind,
    })
}

fn call(params: Value<'_>) -> Option<ToolCall<'_>> {
    let members = params.object()?;
    if !is_plain(&members, TELLING_OF_CALL) {
        return None;
    }
    let meta = members.get("_meta").and_then(|meta| meta.object());
    let meta = meta.unwrap_or_default();
    let mut named = CALL_IDS.iter().filter_map(|name| meta.text(name));
    Some(ToolCall {
        tool: members.text("name")?,
        params: params.raw,
        token: meta.get("progressToken").map_or("", |token| token.raw),
        named: named.next().unwrap_or_default().into_owned(),
    })
}

fn client(params: Option<Value<'_>>) -> Cow<'_, str> {
    let params = params.and_then(|params| params.object());
    let client = params.and_then(|params| {
        let meta = || params.get("_meta")?.object()?.get(CLIENT_OF_NEWER);
        params.get("clientInfo").or_else(meta)?.object()
    });
    client
        .and_then(|client| client.text("name"))
        .unwrap_or_default()
}

/// Whether each of these names stands in an object once at most, and in no other case.
fn is_plain(object: &Object<'_>, names: &[&str]) -> bool {
    let mut seen = Vec::new();
    object.members.iter().all(|member| {
        let name = member.name.text().unwrap_or_default();
        // Where case does not count, these letters stand for others too.
        let folded = name.replace('\u{17f}', "s").replace('\u{212a}', "k");
        let Some(found) = names.iter().find(|one| one.eq_ignore_ascii_case(&folded)) else {
            return true;
        };
        let is_new = !seen.contains(found);
        seen.push(*found);
        is_new && *found == name
    })
}
