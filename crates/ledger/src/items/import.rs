//! What another tracker's record says, as changes. Importing it twice, or in two clones, is
//! importing it once: the events have the time of the record, and chance that is none.

use std::borrow::Cow;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::change::{Change, Dependency, Event};
use super::fold::Fold;
use crate::{Author, Object, Raw, Stamp};

/// Fields that are sets of their own, are counted, or are not the item's.
const NO_FIELDS: &[&str] = &[
    "_type",
    "id",
    "labels",
    "dependencies",
    "dependency_count",
    "dependent_count",
    "comment_count",
];

/// The event that brings a record in; nothing if all of it is known. `now` is the time of a record
/// that does not say when it was changed.
#[must_use]
pub fn import<'a>(record: &Object<'a>, fold: &Fold<'_>, now: u64) -> Option<Event<'a>> {
    let id = record.text("id").into_owned();
    let known = fold.object_of(&id);
    let time = text::date::millis(&record.text("updated_at")).unwrap_or(now);
    let digest = Sha256::digest(record.to_string());
    let mut chance = [0; 10];
    for (to, from) in chance.iter_mut().zip(digest) {
        *to = from;
    }
    let event = Stamp::new(time, chance);
    if fold.has_brought(&id, event) {
        return None;
    }
    let mut change = Change::to(&id);
    change.of = fold.made_by(&id);
    change.new = known.is_none();
    let is_news = |key: &str, raw: &Raw<'_>| {
        let had = known.as_ref().and_then(|known| known.get(key));
        // What was set and is gone in the record is left alone: exports leave much out.
        let is_later = fold.set_by(&id, key).is_some_and(|set| set > event);
        !is_later && had.map(Raw::parsed) != Some(raw.parsed())
    };
    for (key, raw) in record.fields() {
        if !NO_FIELDS.contains(&key) && is_news(key, raw) && key != "updated_at" {
            change.set.set(key, raw.clone(), &[]);
        }
    }
    members(record, known.as_ref(), &mut change);
    let author = Author {
        agent: match record.text("created_by") {
            who if who.is_empty() => "import".to_owned(),
            who => who.into_owned(),
        },
        ..Author::default()
    };
    (!change.is_empty()).then_some(Event {
        id: event,
        author,
        change,
        line: 0,
    })
}

/// Whether a change says nothing of an item that it does not say itself.
#[must_use]
pub fn is_known(change: &Change<'_>, object: &Object<'_>) -> bool {
    // Of two who took it up the first is shown, and naming him decides.
    let is_disputed = object.get("claimed_by").is_some();
    let is_same = |(key, raw): (&str, &Raw<'_>)| match object.get(key) {
        Some(_) if key == "assignee" && is_disputed => false,
        Some(had) => had.parsed() == raw.parsed(),
        None => raw.is_empty(),
    };
    let (labels, ons) = (labels(object), dependencies(object));
    let has_label = |label: &Cow<'_, str>| labels.iter().any(|known| known == label);
    let depends = |one: &Dependency<'_>| {
        ons.iter()
            .any(|known| (known.on(), known.kind()) == (one.on(), one.kind()))
    };
    let (add, remove) = (&change.add, &change.remove);
    !change.new
        && change.claim.is_none()
        && change.comment.is_empty()
        && change.set.fields().all(is_same)
        && add.labels.iter().all(has_label)
        && add.dependencies.iter().all(depends)
        && !remove.labels.iter().any(has_label)
        && !remove.dependencies.iter().any(depends)
}

fn labels(record: &Object<'_>) -> Vec<String> {
    let list = record.get("labels").and_then(Raw::parsed);
    let list = list.as_ref().and_then(Value::as_array).cloned();
    let list = list.unwrap_or_default();
    let words = list.iter().filter_map(Value::as_str);
    words.map(str::to_owned).collect()
}

/// Labels and dependencies: what is new goes in, what is gone goes out.
fn members<'a>(record: &Object<'a>, known: Option<&Object<'_>>, change: &mut Change<'a>) {
    let (had, has) = (known.map(labels).unwrap_or_default(), labels(record));
    let news = has.iter().filter(|label| !had.contains(label));
    change.add.labels = news.map(|label| Cow::Owned(label.clone())).collect();
    let gone = had.iter().filter(|label| !has.contains(label));
    change.remove.labels = gone.map(|label| Cow::Owned(label.clone())).collect();
    let (had, has) = (
        known.map(dependencies).unwrap_or_default(),
        dependencies(record),
    );
    let lacks = |all: &[Dependency<'_>], one: &Dependency<'_>| {
        all.iter()
            .all(|other| (other.on(), other.kind()) != (one.on(), one.kind()))
    };
    let news = has.iter().filter(|one| lacks(&had, one));
    change.add.dependencies = news.cloned().collect();
    let gone = had.iter().filter(|one| lacks(&has, one));
    change.remove.dependencies = gone
        .map(|one| Dependency::new(&one.on(), &one.kind()))
        .collect();
}

/// The dependencies that a record lists.
pub(crate) fn dependencies(record: &Object<'_>) -> Vec<Dependency<'static>> {
    let elements = record.get("dependencies").and_then(Raw::elements);
    let objects = elements
        .into_iter()
        .flatten()
        .filter_map(|element| Some(Dependency::of(Object::read(&element)?.into_owned())));
    objects.filter(|one| !one.on().is_empty()).collect()
}
