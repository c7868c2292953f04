//! What an index keeps of items, and the bytes that it keeps them in: what lists and graphs ask
//! for, and where the lines of each item are. Texts that only `show` tells are left out: they are
//! read from the lines.

use std::borrow::Cow;

use super::fold::Folded;
use super::issue::{Edge, Issue};
use crate::Stamp;

/// Where a line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The number of its file.
    pub file: u32,
    /// Its first byte.
    pub start: u64,
    /// How long it is.
    pub bytes: u32,
}

/// What tells an item from all others, whatever ids they were given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ItemKey<'a> {
    of: Option<Stamp>,
    id: Cow<'a, str>,
}

impl<'a> ItemKey<'a> {
    /// The one of the item that an event changes.
    #[must_use]
    pub fn of(made_by: Option<Stamp>, id: Cow<'a, str>) -> Self {
        match made_by {
            Some(of) => Self {
                of: Some(of),
                id: Cow::Borrowed(""),
            },
            None => Self { of: None, id },
        }
    }

    /// It without its origin.
    #[must_use]
    pub fn into_owned(self) -> ItemKey<'static> {
        ItemKey {
            of: self.of,
            id: Cow::Owned(self.id.into_owned()),
        }
    }
}

/// What an index keeps of one item, before the item itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowHead<'a> {
    /// The event that made it, if it did not come with its id.
    pub of: Option<Stamp>,
    /// When it counts as made.
    pub birth: Stamp,
    /// The id that it was given.
    pub given: &'a str,
    /// The id that it is shown under.
    pub id: &'a str,
    places: &'a [u8],
}

impl<'a> RowHead<'a> {
    /// What tells it from others.
    #[must_use]
    pub fn key(&self) -> ItemKey<'a> {
        ItemKey::of(self.of, Cow::Borrowed(self.given))
    }

    /// Where its lines are.
    #[must_use]
    pub fn places(&self) -> Option<Vec<Place>> {
        let mut from = Reader(self.places);
        let mut places = Vec::new();
        while !from.0.is_empty() {
            places.push(Place {
                file: from.number()?.try_into().ok()?,
                start: from.number()?,
                bytes: from.number()?.try_into().ok()?,
            });
        }
        Some(places)
    }
}

/// The bytes of one item.
#[must_use]
pub fn write_row(item: &Folded<'_, '_>) -> Vec<u8> {
    let mut out = Writer::default();
    let issue = &item.issue;
    out.flag(item.of.is_some());
    out.0
        .extend(item.of.unwrap_or_default().bytes().iter().copied());
    out.0.extend(item.birth.bytes());
    out.text(item.given);
    out.text(&issue.id);
    let mut places = Writer::default();
    for place in item.places {
        places.number(place.file.into());
        places.number(place.start);
        places.number(place.bytes.into());
    }
    out.bytes(&places.0);
    for text in [
        &issue.title,
        &issue.status,
        &issue.kind,
        &issue.assignee,
        &issue.defer_until,
        &issue.close_reason,
    ] {
        out.text(text);
    }
    out.number(issue.priority.into());
    out.number(issue.made);
    out.number(issue.changed);
    out.flag(issue.is_aside);
    out.texts(&issue.labels);
    out.texts(&issue.claimed_by);
    out.number(issue.dependencies.len() as u64);
    for one in &issue.dependencies {
        out.text(&one.on);
        out.text(&one.kind);
        out.flag(one.any);
    }
    out.0
}

/// What the bytes of an item begin with.
#[must_use]
pub fn row_head(row: &[u8]) -> Option<RowHead<'_>> {
    head(&mut Reader(row))
}

fn head<'a>(from: &mut Reader<'a>) -> Option<RowHead<'a>> {
    let is_made = from.flag()?;
    let of = from.stamp()?;
    Some(RowHead {
        of: is_made.then_some(of),
        birth: from.stamp()?,
        given: from.text()?,
        id: from.text()?,
        places: from.bytes()?,
    })
}

/// The item of some bytes; `at` is its place among all.
#[must_use]
pub fn row_issue(row: &[u8], at: usize) -> Option<Issue<'_>> {
    let mut from = Reader(row);
    let id = Cow::Borrowed(head(&mut from)?.id);
    let mut text = || from.text().map(Cow::Borrowed);
    let (title, status, kind) = (text()?, text()?, text()?);
    let (assignee, defer_until, close_reason) = (text()?, text()?, text()?);
    Some(Issue {
        at,
        id,
        title,
        status,
        kind,
        assignee,
        defer_until,
        close_reason,
        priority: from.number()?.try_into().ok()?,
        made: from.number()?,
        changed: from.number()?,
        is_aside: from.flag()?,
        labels: from.texts()?,
        claimed_by: from.texts()?,
        dependencies: from.edges()?,
    })
}

/// Writes what [`Reader`] reads.
#[derive(Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// A number, seven bits a byte.
    pub fn number(&mut self, mut number: u64) {
        while number > 127 {
            self.0.push(number as u8 | 128);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Whether something is.
    pub fn flag(&mut self, is: bool) {
        self.0.push(is.into());
    }

    /// Bytes, after their length.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// A text.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn texts(&mut self, texts: &[Cow<'_, str>]) {
        self.number(texts.len() as u64);
        texts.iter().for_each(|text| self.text(text));
    }
}

/// Reads what [`Writer`] wrote, and nothing of what it did not.
#[derive(Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// A number.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let (first, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(first & 127) << shift;
            if *first < 128 {
                return Some(number);
            }
        }
        None
    }

    /// Whether something is.
    pub fn flag(&mut self) -> Option<bool> {
        Some(self.take(1)? == [1])
    }

    /// Bytes.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        self.take(usize::try_from(length).ok()?)
    }

    /// A text.
    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(first)
    }

    fn stamp(&mut self) -> Option<Stamp> {
        Some(Stamp::from_bytes(*self.take(16)?.first_chunk()?))
    }

    fn texts(&mut self) -> Option<Vec<Cow<'a, str>>> {
        let count = self.number()?;
        (0..count).map(|_| self.text().map(Cow::Borrowed)).collect()
    }

    fn edges(&mut self) -> Option<Vec<Edge<'a>>> {
        let count = self.number()?;
        let edge = |_| {
            Some(Edge {
                on: Cow::Borrowed(self.text()?),
                kind: Cow::Borrowed(self.text()?),
                any: self.flag()?,
            })
        };
        (0..count).map(edge).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::items::{Event, Fold};

    #[test]
    fn an_item_comes_back_from_its_bytes_and_from_no_part_of_them() {
        let made = Stamp::new(7, [2; 10]);
        let line = format!(
            r#"{{"id":"{made}","item":"tg-1","of":"{made}","new":true,"set":{{"title":"é \"x\"",
            "priority":0,"assignee":"ann","is_template":true}},"add":{{"labels":["a","b"],
            "dependencies":[{{"depends_on_id":"tg-2","metadata":"any-children"}}]}}}}"#
        );
        let place = |start| Place {
            file: 300,
            start,
            bytes: 70_000,
        };
        let event = || Event::read(line.as_bytes()).unwrap();
        let fold = Fold::of_placed([(place(1), event()), (place(1 << 40), event())]);
        let item = fold.folded().next().unwrap();
        let row = write_row(&item);
        assert_eq!(row_issue(&row, 0).unwrap(), fold.issues()[0]);
        let head = row_head(&row).unwrap();
        assert_eq!((head.of, head.birth), (Some(made), made));
        assert_eq!((head.given, head.id), ("tg-1", "tg-1"));
        assert_eq!(head.places().unwrap(), [place(1), place(1 << 40)]);
        for length in 0..row.len() {
            assert!(row_issue(&row[..length], 0).is_none(), "{length}");
        }
    }

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 16_383, 16_384, u64::MAX] {
            let mut out = Writer::default();
            out.number(number);
            assert_eq!(Reader(&out.0).number(), Some(number));
        }
        assert_eq!(Reader(&[255; 11]).number(), None);
    }
}
