//! What events add up to: for each field the value that was set last, for each member of a set
//! whether it was put in or taken out last, and all comments. Reading an event twice, or in another
//! order, changes nothing.

use std::borrow::Cow;
use std::collections::HashMap;

use super::change::{Change, Dependency, Event};
use super::index::{ItemKey, Place};
use super::issue::{Edge, FIELDS, Issue, priority_or_usual};
use super::names;
use crate::{Object, Raw, Stamp};

/// A value and the event that set it.
type Field<'a> = (Cow<'a, str>, Stamp, Raw<'a>);

/// The event that spoke last of a member of a set, and whether it is in.
type Membership = (Stamp, bool);

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Comment<'a> {
    author: String,
    text: Cow<'a, str>,
}

/// That an item was taken up.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Taken {
    over: Option<Stamp>,
    by: String,
}

/// Few pairs, by their keys: a tree would take ten times the room of most of them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sorted<K, V>(Vec<(K, V)>);

impl<K, V> Default for Sorted<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> Sorted<K, V> {
    /// The value of a key, made if it is not there.
    fn slot(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let at = match self.0.binary_search_by(|(known, _)| known.cmp(&key)) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (key, make()));
                at
            }
        };
        #[expect(clippy::indexing_slicing, reason = "found or inserted right above")]
        &mut self.0[at].1
    }

    fn has(&self, key: &K) -> bool {
        self.0.binary_search_by(|(known, _)| known.cmp(key)).is_ok()
    }
}

/// An item and its history as far as it counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Item<'a> {
    id: Cow<'a, str>,
    /// The event that says its id: its first, since later ones may know another.
    named: Option<Stamp>,
    /// The id that it was given, if it is shown under another.
    given: Option<Cow<'a, str>>,
    /// Where its lines are, if they were told.
    places: Vec<Place>,
    of: Option<Stamp>,
    is_made: bool,
    first: Option<(Stamp, String)>,
    last: Stamp,
    fields: Vec<Field<'a>>,
    labels: Sorted<Cow<'a, str>, Membership>,
    /// By what is depended on, and how.
    dependencies: Sorted<(String, String), (Dependency<'a>, Membership)>,
    comments: Sorted<Stamp, Comment<'a>>,
    claims: Sorted<Stamp, Taken>,
    /// Events of records that came from elsewhere, which have no numbers.
    brought: Sorted<Stamp, ()>,
}

/// Two items that were given one id in two places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubled {
    /// The id that both were given.
    pub id: String,
    /// What the later one is called since.
    pub later: String,
}

/// An item with what an index wants to know of it.
#[derive(Debug)]
pub struct Folded<'f, 'a> {
    /// The event that made it, if it did not come with its id.
    pub of: Option<Stamp>,
    /// When it counts as made.
    pub birth: Stamp,
    /// The id that it was given.
    pub given: &'f str,
    /// Where its lines are.
    pub places: &'f [Place],
    /// The item.
    pub issue: Issue<'a>,
}

/// All items.
#[derive(Debug, Default)]
pub struct Fold<'a> {
    items: Vec<Item<'a>>,
    known: HashMap<ItemKey<'a>, usize>,
    ids: HashMap<String, usize>,
    doubled: Vec<Doubled>,
}

impl<'a> Fold<'a> {
    /// What events add up to.
    #[must_use]
    pub fn of(events: impl IntoIterator<Item = Event<'a>>) -> Self {
        let mut fold = Self::default();
        for event in events {
            fold.take(event, None);
        }
        fold.settle();
        fold
    }

    /// The same of events whose places are remembered.
    #[must_use]
    pub fn of_placed(events: impl IntoIterator<Item = (Place, Event<'a>)>) -> Self {
        let mut fold = Self::default();
        for (place, event) in events {
            fold.take(event, Some(place));
        }
        fold.settle();
        fold
    }

    fn take(&mut self, event: Event<'a>, place: Option<Place>) {
        let key = event.change.key();
        let at = *self.known.entry(key).or_insert_with(|| {
            self.items.push(Item {
                of: event.change.of,
                ..Item::default()
            });
            self.items.len() - 1
        });
        if let Some(item) = self.items.get_mut(at) {
            item.places.extend(place);
            item.take(event);
        }
    }

    /// Items in the order in which they were made, each under an id of its own.
    fn settle(&mut self) {
        self.items
            .sort_by(|a, b| (a.birth(), &a.id).cmp(&(b.birth(), &b.id)));
        self.known.clear();
        for (at, item) in self.items.iter_mut().enumerate() {
            let mut id = item.id.to_string();
            if self.ids.contains_key(&id)
                && let Some(made) = item.of
            {
                let prefix = names::prefix_of(&id).unwrap_or(names::PREFIX);
                let later = names::name(prefix, made, |id| self.ids.contains_key(id));
                let doubled = Doubled {
                    id,
                    later: later.clone(),
                };
                self.doubled.push(doubled);
                item.given = Some(std::mem::replace(&mut item.id, later.clone().into()));
                id = later;
            }
            self.ids.insert(id, at);
        }
    }

    /// Ids that were given twice.
    #[must_use]
    pub fn doubled(&self) -> &[Doubled] {
        &self.doubled
    }

    /// Items that were changed and never made: the event that made them is missing.
    pub fn unmade(&self) -> impl Iterator<Item = &str> {
        let items = self.items.iter().filter(|item| !item.is_made);
        items.map(|item| &*item.id)
    }

    /// Whether an id is in use.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.ids.contains_key(id)
    }

    /// The event that made an item; nothing if it came with its id from elsewhere, or is none.
    #[must_use]
    pub fn made_by(&self, id: &str) -> Option<Stamp> {
        self.item(id)?.of
    }

    /// The last event of an item: what comes after it counts more.
    #[must_use]
    pub fn last(&self, id: &str) -> Option<Stamp> {
        self.item(id).map(|item| item.last)
    }

    /// The event that set a field of an item last.
    #[must_use]
    pub fn set_by(&self, id: &str, key: &str) -> Option<Stamp> {
        let mut fields = self.item(id)?.fields.iter();
        fields
            .find(|(known, ..)| known == key)
            .map(|(_, stamp, _)| *stamp)
    }

    /// Whether the event of a record that came from elsewhere is known.
    #[must_use]
    pub fn has_brought(&self, id: &str, event: Stamp) -> bool {
        self.item(id).is_some_and(|item| item.brought.has(&event))
    }

    fn item(&self, id: &str) -> Option<&Item<'a>> {
        self.items.get(*self.ids.get(id)?)
    }

    /// All items, in the order in which they were made.
    #[must_use]
    pub fn issues(&self) -> Vec<Issue<'_>> {
        let items = self.items.iter().enumerate();
        items.map(|(at, item)| item.issue(at)).collect()
    }

    /// All items with what an index wants to know, in the order in which they were made.
    pub fn folded(&self) -> impl Iterator<Item = Folded<'_, '_>> {
        let items = self.items.iter().enumerate();
        items.map(|(at, item)| Folded {
            of: item.of,
            birth: item.birth(),
            given: item.given.as_ref().unwrap_or(&item.id),
            places: &item.places,
            issue: item.issue(at),
        })
    }

    /// All that is known of an item, as beads would write it.
    #[must_use]
    pub fn object(&self, at: usize) -> Option<Object<'static>> {
        self.items.get(at).map(Item::object)
    }

    /// The same, by its id.
    #[must_use]
    pub fn object_of(&self, id: &str) -> Option<Object<'static>> {
        self.item(id).map(Item::object)
    }
}

impl<'a> Item<'a> {
    fn birth(&self) -> Stamp {
        self.of
            .or(self.first.as_ref().map(|first| first.0))
            .unwrap_or(self.last)
    }

    fn take(&mut self, event: Event<'a>) {
        let (id, line, change) = (event.id, event.line, event.change);
        if self.named.is_none_or(|named| id < named) {
            (self.id, self.named) = (change.item.clone(), Some(id));
        }
        self.last = self.last.max(id);
        self.is_made |= change.new;
        if line == 0 {
            self.brought.slot(id, || ());
        }
        if change.new && self.first.as_ref().is_none_or(|(first, _)| id < *first) {
            self.first = Some((id, event.author.name()));
        }
        let Change {
            set, add, remove, ..
        } = change;
        if let Some(claim) = change.claim {
            let by = set.text("assignee").into_owned();
            let over = claim.over;
            self.claims.slot(id, || Taken { over, by });
        }
        for (key, raw) in set.into_fields() {
            self.set(key, id, raw);
        }
        for (members, is_in) in [(add, true), (remove, false)] {
            let new = (id, is_in);
            for label in members.labels {
                let known = self.labels.slot(label, || new);
                if is_before(*known, new) {
                    *known = new;
                }
            }
            for one in members.dependencies {
                let key = (one.on().into_owned(), one.kind().into_owned());
                let known = self.dependencies.slot(key, || (one.clone(), new));
                if is_before(known.1, new) {
                    *known = (one, new);
                }
            }
        }
        if !change.comment.is_empty() {
            let text = change.comment;
            let comment = || Comment {
                author: event.author.name(),
                text,
            };
            self.comments.slot(id, comment);
        }
    }

    fn set(&mut self, key: Cow<'a, str>, id: Stamp, raw: Raw<'a>) {
        match self.fields.iter_mut().find(|(known, ..)| *known == key) {
            Some(known) if (known.1, known.2.as_str()) < (id, raw.as_str()) => {
                *known = (key, id, raw)
            }
            Some(_) => {}
            None => self.fields.push((key, id, raw)),
        }
    }

    fn raw(&self, key: &str) -> Option<&Raw<'a>> {
        let mut fields = self.fields.iter();
        fields.find(|(known, ..)| known == key).map(|(.., raw)| raw)
    }

    fn text(&self, key: &str) -> Cow<'_, str> {
        self.raw(key).and_then(Raw::text).unwrap_or_default()
    }

    fn text_or(&self, key: &str, usual: &'static str) -> Cow<'_, str> {
        match self.text(key) {
            text if text.is_empty() => Cow::Borrowed(usual),
            text => text,
        }
    }

    fn priority(&self) -> u8 {
        priority_or_usual(self.raw("priority"))
    }

    /// Those who took it up apart from one another, the first in front; fewer than two are no
    /// dispute, and whoever assigns it afterwards ends it.
    fn disputants(&self) -> Vec<&Taken> {
        let set = self.fields.iter().find(|(key, ..)| key == "assignee");
        let (Some((last, taken)), Some((_, set, _))) = (self.claims.0.last(), set) else {
            return Vec::new();
        };
        if set > last {
            return Vec::new();
        }
        let mut named: Vec<&Taken> = Vec::new();
        for claim in self
            .claims
            .0
            .iter()
            .map(|(_, claim)| claim)
            .filter(|claim| claim.over == taken.over)
        {
            if named.iter().all(|known| known.by != claim.by) {
                named.push(claim);
            }
        }
        if named.len() < 2 { Vec::new() } else { named }
    }

    fn issue(&self, at: usize) -> Issue<'_> {
        let disputants = self.disputants();
        let first = disputants.first().map(|claim| Cow::Borrowed(&*claim.by));
        let is_yes = |key| self.raw(key).is_some_and(|raw| raw.as_str() == "true");
        let made = text::date::millis(&self.text("created_at"));
        Issue {
            at,
            id: Cow::Borrowed(&self.id),
            title: self.text("title"),
            status: self.text_or("status", "open"),
            kind: self.text_or("issue_type", "task"),
            priority: self.priority(),
            assignee: first.unwrap_or_else(|| self.text("assignee")),
            defer_until: self.text("defer_until"),
            close_reason: self.text("close_reason"),
            made: made.unwrap_or_else(|| self.birth().millis()),
            changed: self.last.millis(),
            labels: self.labels().cloned().collect(),
            dependencies: self.present().map(|(one, _)| Edge::of(one)).collect(),
            claimed_by: disputants
                .iter()
                .map(|claim| Cow::Borrowed(&*claim.by))
                .collect(),
            is_aside: is_yes("ephemeral") || is_yes("is_template"),
        }
    }

    fn labels(&self) -> impl Iterator<Item = &Cow<'a, str>> {
        let here = self.labels.0.iter().filter(|(_, (_, is_in))| *is_in);
        here.map(|(label, _)| label)
    }

    /// The dependencies that hold, each with the event that put it in.
    fn present(&self) -> impl Iterator<Item = (&Dependency<'a>, Stamp)> {
        let here = self
            .dependencies
            .0
            .iter()
            .map(|(_, one)| one)
            .filter(|(_, (_, is_in))| *is_in);
        here.map(|(one, (stamp, _))| (one, *stamp))
    }

    fn object(&self) -> Object<'static> {
        let mut object = Object::default();
        let issue = self.issue(0);
        let mut put = |key: &str, raw: Raw<'static>| {
            object.set(key, raw, later(key));
        };
        put("id", Raw::text_of(&self.id));
        put(
            "created_at",
            Raw::text_of(&text::date::timestamp(issue.made)),
        );
        if let Some((_, who)) = &self.first {
            put("created_by", Raw::text_of(who));
        }
        for (key, _, raw) in &self.fields {
            if !raw.is_empty() {
                put(key, raw.clone().into_owned());
            }
        }
        for (key, raw) in [
            ("title", Raw::text_of(&issue.title)),
            ("status", Raw::text_of(&issue.status)),
            ("priority", Raw::literal(issue.priority.to_string())),
            ("issue_type", Raw::text_of(&issue.kind)),
        ] {
            if self.raw(key).is_none_or(Raw::is_empty) {
                put(key, raw);
            }
        }
        put(
            "updated_at",
            Raw::text_of(&text::date::timestamp(issue.changed)),
        );
        if !issue.assignee.is_empty() {
            put("assignee", Raw::text_of(&issue.assignee));
        }
        if !issue.labels.is_empty() {
            put("labels", Raw::value(&issue.labels.clone().into()));
        }
        let list = |all: Vec<String>| Raw::literal(format!("[{}]", all.join(",")));
        let dependencies = self.dependency_objects();
        if !dependencies.is_empty() {
            put("dependencies", list(dependencies));
        }
        let comments = self.comment_objects();
        if !comments.is_empty() {
            put("comments", list(comments));
        }
        if !issue.claimed_by.is_empty() {
            put("claimed_by", Raw::value(&issue.claimed_by.clone().into()));
        }
        object
    }

    fn dependency_objects(&self) -> Vec<String> {
        let mut here: Vec<_> = self.present().collect();
        here.sort_by_key(|(_, stamp)| *stamp);
        let objects = here.into_iter().map(|(one, stamp)| {
            let mut object = one.object().clone();
            let time = text::date::timestamp(stamp.millis());
            if object.get("issue_id").is_none() {
                object.set("issue_id", Raw::text_of(&self.id), &["depends_on_id"]);
            }
            if object.get("created_at").is_none() {
                object.set("created_at", Raw::text_of(&time), &[]);
            }
            object.to_string()
        });
        objects.collect()
    }

    /// Those that came with it, as they were, then ours.
    fn comment_objects(&self) -> Vec<String> {
        let came = self.raw("comments").and_then(Raw::elements);
        let mut all: Vec<String> = came.unwrap_or_default();
        for (id, comment) in &self.comments.0 {
            let mut object = Object::default();
            let time = text::date::timestamp(id.millis());
            object.set("id", Raw::text_of(&id.to_string()), &[]);
            object.set("issue_id", Raw::text_of(&self.id), &[]);
            object.set("author", Raw::text_of(&comment.author), &[]);
            object.set("text", Raw::text_of(&comment.text), &[]);
            object.set("created_at", Raw::text_of(&time), &[]);
            all.push(object.to_string());
        }
        all
    }
}

/// The fields that stand after one; those of ours that nobody knows stand before the sets.
pub(crate) fn later(key: &str) -> &'static [&'static str] {
    let at = FIELDS.iter().position(|known| *known == key);
    let sets = FIELDS.iter().position(|known| *known == "labels");
    let at = at.map(|at| at + 1).or(sets).unwrap_or(FIELDS.len());
    FIELDS.get(at..).unwrap_or_default()
}

/// Whether what was said of a member yields to what is said now. Of one event that does both, the
/// taking out counts.
fn is_before(known: Membership, new: Membership) -> bool {
    (known.0, !known.1) < (new.0, !new.1)
}
