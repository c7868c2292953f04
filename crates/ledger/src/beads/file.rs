//! The file: its lines, the records among them, and changes to them.

use std::collections::HashMap;

use serde_json::Value;

use crate::items::{Change, Dependency, Event, Issue, dependencies, later};
use crate::lines::{Odd, OddLine, is_marker};
use crate::{Object, Raw};

/// One line, without its end.
#[derive(Debug)]
enum Line {
    /// A header, a memory, a blank line, or what cannot be read: kept as it is.
    Kept(String),
    /// An item.
    Record {
        text: String,
        object: Object<'static>,
        is_changed: bool,
    },
}

/// The file.
#[derive(Debug)]
pub struct BeadsFile {
    lines: Vec<Line>,
    /// The newest record of each id, which a merge may have left twice.
    places: HashMap<String, usize>,
    ends_whole: bool,
    odd: Vec<OddLine>,
    doubled: Vec<String>,
}

impl BeadsFile {
    /// Reads a file.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let ends_whole = text.is_empty() || text.ends_with('\n');
        let mut file = Self {
            lines: Vec::new(),
            places: HashMap::new(),
            ends_whole,
            odd: Vec::new(),
            doubled: Vec::new(),
        };
        let body = text.strip_suffix('\n').unwrap_or(text);
        if text.is_empty() {
            return file;
        }
        let last = body.split('\n').count();
        for (at, line) in body.split('\n').enumerate() {
            let is_torn = at + 1 == last && !ends_whole;
            file.take(at, line, is_torn);
        }
        file
    }

    fn take(&mut self, at: usize, line: &str, is_torn: bool) {
        let object = Object::read(line.trim());
        let Some(object) = object.filter(is_item) else {
            self.note(at, line, is_torn);
            self.lines.push(Line::Kept(line.to_owned()));
            return;
        };
        let id = object.text("id").into_owned();
        let updated = |object: &Object<'_>| object.text("updated_at").into_owned();
        let before = self.places.get(&id).copied();
        if before.is_some() && !self.doubled.contains(&id) {
            self.doubled.push(id.clone());
        }
        let older = before.and_then(|at| self.record(at));
        if older.is_none_or(|older| updated(older) <= updated(&object)) {
            self.places.insert(id, at);
        }
        self.lines.push(Line::Record {
            text: line.to_owned(),
            object: object.into_owned(),
            is_changed: false,
        });
    }

    fn note(&mut self, at: usize, line: &str, is_torn: bool) {
        let odd = if is_marker(line.as_bytes()) {
            Odd::Marker
        } else if line.trim().is_empty() || Object::read(line.trim()).is_some() {
            return;
        } else if is_torn {
            Odd::Torn
        } else {
            Odd::Unreadable
        };
        self.odd.push(OddLine {
            number: at + 1,
            odd,
        });
    }

    fn record(&self, at: usize) -> Option<&Object<'static>> {
        match self.lines.get(at)? {
            Line::Record { object, .. } => Some(object),
            Line::Kept(_) => None,
        }
    }

    /// The lines that are neither records nor anything that we know to be none.
    #[must_use]
    pub fn odd(&self) -> &[OddLine] {
        &self.odd
    }

    /// Ids that stand in several lines; the newest counts.
    #[must_use]
    pub fn doubled(&self) -> &[String] {
        &self.doubled
    }

    /// Its items, in the file's order.
    #[must_use]
    pub fn issues(&self) -> Vec<Issue<'_>> {
        let records = (0..self.lines.len()).filter_map(|at| {
            let record = self.record(at)?;
            let counts = self.places.get(&*record.text("id")) == Some(&at);
            counts.then(|| super::issue(record, at))
        });
        records.collect()
    }

    /// The records that count.
    pub fn records(&self) -> impl Iterator<Item = &Object<'static>> {
        let all = (0..self.lines.len()).filter_map(|at| Some((at, self.record(at)?)));
        let all = all.filter(|(at, record)| self.places.get(&*record.text("id")) == Some(at));
        all.map(|(_, record)| record)
    }

    /// An item's record.
    #[must_use]
    pub fn object_of(&self, id: &str) -> Option<&Object<'static>> {
        self.record(*self.places.get(id)?)
    }

    /// Makes a change: the record's fields are set where they stand, and everything else stays.
    /// Whether something changed.
    pub fn apply(&mut self, event: &Event<'_>) -> bool {
        let change = &event.change;
        let time = &*text::date::timestamp(event.id.millis());
        let id = change.item.to_string();
        let mut record = self.object_of(&id).cloned().unwrap_or_else(|| {
            let mut made = Object::default();
            made.set("id", Raw::text_of(&id), &[]);
            made.set("created_at", Raw::text_of(time), &[]);
            made
        });
        let mut changes = self.object_of(&id).is_none();
        for (key, raw) in change.set.fields() {
            changes |= set(&mut record, key, raw);
        }
        changes |= set_labels(&mut record, change);
        changes |= set_dependencies(&mut record, change, time);
        changes |= add_comment(&mut record, event, time);
        if changes {
            if change.set.get("updated_at").is_none() {
                record.set("updated_at", Raw::text_of(time), later("updated_at"));
            }
            self.put(&id, record);
        }
        changes
    }

    /// Makes a record say what another says, field by field; what the other does not name stays.
    /// Whether something changed.
    pub fn put_fields(&mut self, object: &Object<'_>) -> bool {
        let id = object.text("id").into_owned();
        let known = self.object_of(&id).cloned();
        let is_new = known.is_none();
        let mut record = known.unwrap_or_default();
        let mut changes = is_new;
        for (key, raw) in object.fields() {
            let is_same = match record.get(key) {
                Some(known) => said(key, known) == said(key, raw),
                None => !is_new && goes_without_saying(key, raw),
            };
            if !is_same {
                record.set(key, raw.clone().into_owned(), later(key));
                changes |= key != "updated_at";
            }
        }
        if changes {
            self.put(&id, record);
        }
        changes
    }

    fn put(&mut self, id: &str, record: Object<'static>) {
        let line = Line::Record {
            text: String::new(),
            object: record,
            is_changed: true,
        };
        match self.places.get(id) {
            Some(at) => {
                if let Some(known) = self.lines.get_mut(*at) {
                    *known = line;
                }
            }
            None => {
                self.places.insert(id.to_owned(), self.lines.len());
                self.lines.push(line);
                self.ends_whole = true;
            }
        }
    }

    /// The file's text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let count = self.lines.len();
        for (at, line) in self.lines.iter().enumerate() {
            match line {
                Line::Kept(kept) => text.push_str(kept),
                Line::Record {
                    object,
                    is_changed: true,
                    ..
                } => text.push_str(&object.to_string()),
                Line::Record { text: same, .. } => text.push_str(same),
            }
            if at + 1 < count || self.ends_whole {
                text.push('\n');
            }
        }
        text
    }
}

/// Whether an object is an item's record: headers and memories are none.
fn is_item(object: &Object<'_>) -> bool {
    let kind = object.text("_type");
    let is_issue = kind.is_empty() || kind == "issue";
    is_issue && !object.text("id").is_empty() && object.get("title").is_some()
}

/// Whether a record that does not name a field says this of it all the same, or leaves it open.
fn goes_without_saying(key: &str, raw: &Raw<'_>) -> bool {
    matches!(
        (key, raw.as_str()),
        ("created_at" | "created_by", _)
            | ("status", r#""open""#)
            | ("priority", "2")
            | ("issue_type", r#""task""#)
    )
}

/// What a value says: a time in whatever zone and digits, a set in whatever order.
fn said(key: &str, raw: &Raw<'_>) -> Value {
    let is_time = matches!(
        key,
        "created_at" | "updated_at" | "closed_at" | "started_at" | "due_at" | "defer_until"
    );
    let millis = raw
        .text()
        .filter(|_| is_time)
        .and_then(|text| text::date::millis(&text));
    match millis {
        Some(millis) => Value::from(millis),
        None => match raw.parsed().unwrap_or_default() {
            Value::Array(mut list) if matches!(key, "labels" | "dependencies") => {
                list.sort_by_key(Value::to_string);
                Value::Array(list)
            }
            other => other,
        },
    }
}

fn set(record: &mut Object<'static>, key: &str, raw: &Raw<'_>) -> bool {
    if raw.as_str() == "null" {
        return record.remove(key);
    }
    if record
        .get(key)
        .is_some_and(|known| said(key, known) == said(key, raw))
    {
        return false;
    }
    record.set(key, raw.clone().into_owned(), later(key))
}

fn set_labels(record: &mut Object<'static>, change: &Change<'_>) -> bool {
    let had = record
        .get("labels")
        .and_then(Raw::parsed)
        .unwrap_or_default();
    let had = had.as_array().cloned().unwrap_or_default();
    let mut labels = had.clone();
    labels.retain(|label| {
        !change
            .remove
            .labels
            .iter()
            .any(|gone| label == gone.as_ref())
    });
    for label in &change.add.labels {
        if !labels.iter().any(|known| known == label.as_ref()) {
            labels.push(Value::from(label.as_ref()));
        }
    }
    if labels == had {
        return false;
    }
    match labels.is_empty() {
        true => record.remove("labels"),
        false => record.set("labels", Raw::value(&labels.into()), later("labels")),
    }
}

fn set_dependencies(record: &mut Object<'static>, change: &Change<'_>, time: &str) -> bool {
    let same = |a: &Dependency<'_>, b: &Dependency<'_>| (a.on(), a.kind()) == (b.on(), b.kind());
    let had = dependencies(record);
    let mut all = had.clone();
    all.retain(|one| {
        !change
            .remove
            .dependencies
            .iter()
            .any(|gone| same(gone, one))
    });
    for one in &change.add.dependencies {
        if all.iter().any(|known| same(known, one)) {
            continue;
        }
        let mut object = one.object().clone().into_owned();
        object.set("issue_id", Raw::text_of(&change.item), &["depends_on_id"]);
        if object.get("created_at").is_none() {
            object.set("created_at", Raw::text_of(time), &[]);
        }
        all.push(Dependency::of(object));
    }
    if all == had {
        return false;
    }
    let list: Vec<String> = all.iter().map(|one| one.object().to_string()).collect();
    match list.is_empty() {
        true => record.remove("dependencies"),
        false => {
            let list = Raw::literal(format!("[{}]", list.join(",")));
            record.set("dependencies", list, later("dependencies"))
        }
    }
}

fn add_comment(record: &mut Object<'static>, event: &Event<'_>, time: &str) -> bool {
    let change = &event.change;
    if change.comment.is_empty() {
        return false;
    }
    let known = record.get("comments").and_then(Raw::elements);
    let mut all = known.unwrap_or_default();
    let mut comment = Object::default();
    comment.set("id", Raw::text_of(&event.id.to_string()), &[]);
    comment.set("issue_id", Raw::text_of(&change.item), &[]);
    comment.set("author", Raw::text_of(&event.author.name()), &[]);
    comment.set("text", Raw::text_of(&change.comment), &[]);
    comment.set("created_at", Raw::text_of(time), &[]);
    all.push(comment.to_string());
    let list = Raw::literal(format!("[{}]", all.join(",")));
    record.set("comments", list, later("comments"))
}
