//! One change to one item, and the line that tells it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use super::index::ItemKey;
use crate::{Author, Object, Raw, Role, Stamp};

/// An item that waits for another, or belongs to it: the object that beads writes, with what it
/// knows more.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Dependency<'a> {
    #[serde(borrow)]
    object: Object<'a>,
}

impl<'a> Dependency<'a> {
    /// A new one.
    #[must_use]
    pub fn new(on: &str, kind: &str) -> Dependency<'static> {
        let mut object = Object::default();
        object.set("depends_on_id", Raw::text_of(on), &[]);
        object.set("type", Raw::text_of(kind), &[]);
        Dependency { object }
    }

    /// The one that an object tells of.
    #[must_use]
    pub fn of(object: Object<'a>) -> Self {
        Self { object }
    }

    /// The item on which the other depends.
    #[must_use]
    pub fn on(&self) -> Cow<'_, str> {
        self.object.text("depends_on_id")
    }

    /// How.
    #[must_use]
    pub fn kind(&self) -> Cow<'_, str> {
        match self.object.text("type") {
            kind if kind.is_empty() => Cow::Borrowed("blocks"),
            kind => kind,
        }
    }

    /// All that is written of it.
    #[must_use]
    pub fn object(&self) -> &Object<'a> {
        &self.object
    }
}

/// That somebody took an item up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Claim {
    /// The event by which the item had its assignee until then; nothing if it never had one.
    #[serde(default)]
    pub over: Option<Stamp>,
}

/// What is put into sets or taken out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Members<'a> {
    /// Labels.
    #[serde(borrow, default)]
    pub labels: Vec<Cow<'a, str>>,
    /// Dependencies.
    #[serde(borrow, default)]
    pub dependencies: Vec<Dependency<'a>>,
}

impl Members<'_> {
    fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.dependencies.is_empty()
    }

    fn object(&self) -> Object<'static> {
        let mut object = Object::default();
        if !self.labels.is_empty() {
            object.set("labels", Raw::value(&Value::from(self.labels.clone())), &[]);
        }
        if !self.dependencies.is_empty() {
            let all = self.dependencies.iter().map(|one| one.object.to_string());
            let list = format!("[{}]", all.collect::<Vec<_>>().join(","));
            object.set("dependencies", Raw::literal(list), &[]);
        }
        object
    }
}

/// A change to an item, whoever makes it and wherever it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Change<'a> {
    /// The item's id.
    #[serde(borrow)]
    pub item: Cow<'a, str>,
    /// The event that made the item; nothing for one that came from elsewhere with its id.
    #[serde(default)]
    pub of: Option<Stamp>,
    /// Whether the item begins with it.
    #[serde(default)]
    pub new: bool,
    /// Fields and their new values; `null` takes one away.
    #[serde(borrow, default)]
    pub set: Object<'a>,
    /// What comes into sets.
    #[serde(borrow, default)]
    pub add: Members<'a>,
    /// What goes out of them.
    #[serde(borrow, default)]
    pub remove: Members<'a>,
    /// What somebody says to it.
    #[serde(borrow, default)]
    pub comment: Cow<'a, str>,
    /// Whether it takes the item up.
    #[serde(default)]
    pub claim: Option<Claim>,
}

impl<'a> Change<'a> {
    /// What tells the item that it changes from all others.
    #[must_use]
    pub fn key(&self) -> ItemKey<'a> {
        ItemKey::of(self.of, self.item.clone())
    }
}

impl Change<'_> {
    /// A change of an item that does nothing yet.
    #[must_use]
    pub fn to(item: &str) -> Change<'static> {
        Change {
            item: Cow::Owned(item.to_owned()),
            ..Change::default()
        }
    }

    /// Sets a field to a text.
    pub fn put(&mut self, key: &str, text: &str) {
        self.set.set(key, Raw::text_of(text), &[]);
    }

    /// Sets a field to any value.
    pub fn put_value(&mut self, key: &str, value: &Value) {
        self.set.set(key, Raw::value(value), &[]);
    }

    /// Whether it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.new
            && self.set.fields().next().is_none()
            && self.add.is_empty()
            && self.remove.is_empty()
            && self.comment.is_empty()
    }
}

/// A change with who made it and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its id, which is its time.
    pub id: Stamp,
    /// Who made it.
    pub author: Author,
    /// What changes.
    pub change: Change<'a>,
    /// Which line of its file this is, from 1; 0 if it does not say.
    pub line: u64,
}

/// The item that a line written by us names near its beginning: most lines of a long file are
/// passed over by it alone.
#[must_use]
pub fn item_in_front(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(b"{\"id\":\"")?.get(26..)?;
    let rest = rest.strip_prefix(b"\",\"item\":\"")?;
    let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    let is_whole = rest.get(end) == Some(&b'"');
    std::str::from_utf8(rest.get(..end)?)
        .ok()
        .filter(|_| is_whole)
}

/// What of a line is not the change.
#[derive(Deserialize)]
struct Head<'a> {
    id: Stamp,
    #[serde(borrow, default)]
    agent: Cow<'a, str>,
    #[serde(borrow, default)]
    model: Cow<'a, str>,
    #[serde(default)]
    role: Role,
    #[serde(borrow, default)]
    session: Cow<'a, str>,
    #[serde(default)]
    line: u64,
    #[serde(borrow)]
    item: Cow<'a, str>,
    #[serde(default)]
    of: Option<Stamp>,
    #[serde(default)]
    new: bool,
    #[serde(borrow, default)]
    set: Object<'a>,
    #[serde(borrow, default)]
    add: Members<'a>,
    #[serde(borrow, default)]
    remove: Members<'a>,
    #[serde(borrow, default)]
    comment: Cow<'a, str>,
    #[serde(default)]
    claim: Option<Claim>,
}

impl<'a> Event<'a> {
    /// The event of a line.
    #[must_use]
    pub fn read(line: &'a [u8]) -> Option<Self> {
        let head: Head<'a> = serde_json::from_slice(line).ok()?;
        if head.item.is_empty() {
            return None;
        }
        Some(Self {
            id: head.id,
            author: Author {
                agent: head.agent.into_owned(),
                model: head.model.into_owned(),
                role: head.role,
                session: head.session.into_owned(),
            },
            change: Change {
                item: head.item,
                of: head.of,
                new: head.new,
                set: head.set,
                add: head.add,
                remove: head.remove,
                comment: head.comment,
                claim: head.claim,
            },
            line: head.line,
        })
    }

    /// Its line, without the end.
    #[must_use]
    pub fn line(&self) -> String {
        let mut object = Object::default();
        let mut put = |key: &str, raw: Raw<'static>| {
            if !raw.is_empty() {
                object.set(key, raw, &[]);
            }
        };
        let change = &self.change;
        put("id", Raw::text_of(&self.id.to_string()));
        put("item", Raw::text_of(&change.item));
        if let Some(of) = change.of {
            put("of", Raw::text_of(&of.to_string()));
        }
        put("ts", Raw::text_of(&text::date::timestamp(self.id.millis())));
        put("agent", Raw::text_of(&self.author.agent));
        put("model", Raw::text_of(&self.author.model));
        put("role", Raw::text_of(self.author.role.name()));
        put("session", Raw::text_of(&self.author.session));
        if change.new {
            put("new", Raw::literal("true".to_owned()));
        }
        put("set", Raw::literal(change.set.to_string()));
        put("add", Raw::literal(change.add.object().to_string()));
        put("remove", Raw::literal(change.remove.object().to_string()));
        put("comment", Raw::text_of(&change.comment));
        if let Some(claim) = change.claim {
            let over = claim.over.map(|over| format!("\"over\":\"{over}\""));
            let over = over.unwrap_or_else(|| "\"over\":null".to_owned());
            put("claim", Raw::literal(format!("{{{over}}}")));
        }
        if self.line > 0 {
            put("line", Raw::literal(self.line.to_string()));
        }
        object.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_comes_back_from_its_line() {
        let mut change = Change::to("tg-abc123");
        change.of = Some(Stamp::new(5, [1; 10]));
        change.new = true;
        change.put("title", "Parser < drops\nlines");
        change.put_value("priority", &Value::from(1));
        change.put_value("due_at", &Value::Null);
        change.add.labels.push(Cow::Borrowed("a \"b\""));
        change
            .add
            .dependencies
            .push(Dependency::new("tg-x", "blocks"));
        change.remove.labels.push(Cow::Borrowed("old"));
        change.comment = Cow::Borrowed("said");
        change.claim = Some(Claim { over: None });
        let event = Event {
            id: Stamp::new(7, [2; 10]),
            author: Author {
                agent: "ann".to_owned(),
                role: Role::Person,
                ..Author::default()
            },
            change,
            line: 3,
        };
        let line = event.line();
        assert!(!line.contains('\n'), "{line}");
        assert_eq!(item_in_front(line.as_bytes()), Some("tg-abc123"));
        let back = Event::read(line.as_bytes()).unwrap();
        assert_eq!(back.line(), line);
        assert_eq!(back.change.set.text("title"), "Parser < drops\nlines");
        assert_eq!((back.line, back.author), (event.line, event.author));
        assert!(back.change.set.get("due_at").unwrap().is_empty());
    }

    #[test]
    fn what_is_no_event_is_none() {
        for line in [
            "{}",
            r#"{"id":"x","item":"a"}"#,
            "[]",
            "",
            r#"{"item":"a"}"#,
        ] {
            assert!(Event::read(line.as_bytes()).is_none(), "{line}");
        }
        let stamp = Stamp::new(1, [0; 10]);
        let least = format!(r#"{{"id":"{stamp}","item":"a-1","more":[1]}}"#);
        assert_eq!(Event::read(least.as_bytes()).unwrap().change.item, "a-1");
    }
}
