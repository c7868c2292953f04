//! The index as bytes: a head, places by key, and for each key the entries that could fit.
//!
//! A look-up reads the head, a few places, and the entries of few keys: the command as it is, and
//! each of its first words; where there are expressions, what leads to them too, and those that
//! could hold. Each of them has a checksum of its own, so that nothing else need be read to know
//! that they are whole.

use model::section::{Field, Reader, Writer};
use model::{SimpleCommand, fnv64};

use crate::expression::Grams;
use crate::{Asked, Entry};

/// What a table begins with: name and version.
const MAGIC: u64 = u64::from_le_bytes(*b"TGPT\x02\0\0\0");
/// Bytes of the head: magic, how many places and entries, sum.
pub const HEAD_BYTES: usize = 32;
/// Bytes of a place: key, where its entries lie, how long they are, their sum, a check of these.
const PLACE_BYTES: usize = 40;
/// Most places that are looked at for one key: more are never in a row.
const PROBES_MAX: u64 = 4_096;
/// So many words at the beginning of a command lead to the templates that spell them out.
const BEGINNING_MAX: usize = 4;
/// Most bytes of one key's entries.
const BLOCK_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// Entries as bytes.
#[must_use]
pub fn compile(entries: &[Entry]) -> Vec<u8> {
    let keyed = blocks_of(entries);
    // Half of the places stay empty, so that looking ends soon.
    let count = (keyed.len() * 2).next_power_of_two().max(1);
    let mut places = vec![[0; 5]; count];
    let mut blocks = Vec::new();
    let first = HEAD_BYTES + count * PLACE_BYTES;
    for (key, block) in keyed {
        let (at, bytes) = ((first + blocks.len()) as u64, block.0.len() as u64);
        let mut index = key as usize & (count - 1);
        while places.get(index).is_some_and(|place| place[0] != 0) {
            index = (index + 1) & (count - 1);
        }
        if let Some(place) = places.get_mut(index) {
            let sum = fnv64(&block.0);
            *place = [key, at, bytes, sum, key ^ at ^ bytes ^ sum];
        }
        blocks.extend(block.0);
    }
    let mut out = Writer::default();
    out.number(MAGIC);
    out.number(count as u64);
    out.number(entries.len() as u64);
    out.number(fnv64(&out.0));
    for number in places.iter().flatten() {
        out.number(*number);
    }
    out.0.extend(blocks);
    out.0
}

/// The parts of a table, each under its key: the entries of a command, an expression, and what
/// leads to expressions.
fn blocks_of(entries: &[Entry]) -> Vec<(u64, Writer)> {
    let (by_words, by_text): (Vec<&Entry>, Vec<&Entry>) =
        entries.iter().partition(|one| one.expression.is_none());
    let mut keyed: Vec<(u64, &Entry)> = by_words.iter().map(|one| (key(one), *one)).collect();
    keyed.extend((0..).map(numbered).zip(by_text.iter().copied()));
    keyed.sort_by_key(|(key, _)| *key);
    let groups = keyed.chunk_by(|(one, _), (next, _)| one == next);
    let mut blocks: Vec<(u64, Writer)> = groups
        .map(|group| {
            let mut block = Writer::default();
            block.list(group, |out, (_, entry)| Field::write(*entry, out));
            (group.first().map_or(0, |(key, _)| *key), block)
        })
        .collect();
    if !by_text.is_empty() {
        let mut block = Writer::default();
        let expressions = by_text.iter().map(|one| &one.expression);
        Field::write(&Grams::of(expressions), &mut block);
        blocks.push((of_grams(), block));
    }
    blocks
}

/// What names the entry of an expression; never 0.
fn numbered(number: u64) -> u64 {
    fnv64(format!("!{number}").as_bytes()).max(1)
}

/// What names the part that leads to expressions.
fn of_grams() -> u64 {
    fnv64(b"!").max(1)
}

/// What names the commands that an entry could fit; never 0.
fn key(entry: &Entry) -> u64 {
    match entry.template.words() {
        Some(words) => whole(words.into_iter()),
        None => begun(entry.template.beginning().into_iter().take(BEGINNING_MAX)),
    }
}

fn whole<'a>(words: impl Iterator<Item = &'a str>) -> u64 {
    let mut text = String::from("=");
    for word in words {
        text.push_str(word);
        text.push('\n');
    }
    fnv64(text.as_bytes()).max(1)
}

/// What names the commands that begin with these words.
fn begun<'a>(words: impl Iterator<Item = &'a str>) -> u64 {
    let mut text = String::from("~");
    for word in words {
        text.push_str(word);
        text.push('\n');
    }
    fnv64(text.as_bytes()).max(1)
}

/// The head of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    places: u64,
    /// How many entries there are.
    pub entries: u64,
}

/// Bytes of a table, a part at a time: where, how many.
pub type Part<'a> = &'a dyn Fn(u64, usize) -> Option<Vec<u8>>;

/// A table that is looked up in.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    head: Head,
    part: Part<'a>,
}

impl<'a> Table<'a> {
    /// Opens a table; `None` if it is damaged, or none of ours.
    #[must_use]
    pub fn open(part: Part<'a>) -> Option<Self> {
        let bytes = part(0, HEAD_BYTES)?;
        let mut input = Reader(&bytes);
        let magic = input.number()?;
        let head = Head {
            places: input.number()?,
            entries: input.number()?,
        };
        let sum = input.number()?;
        let is_whole = fnv64(bytes.get(..HEAD_BYTES - 8)?) == sum;
        let is_ours = magic == MAGIC && head.places.is_power_of_two();
        (is_whole && is_ours).then_some(Self { head, part })
    }

    /// Its head.
    #[must_use]
    pub fn head(&self) -> Head {
        self.head
    }

    /// The entries that are about a command; `None` if what was read is damaged.
    #[must_use]
    pub fn matches(&self, asked: &Asked<'_>) -> Option<Vec<Entry>> {
        let SimpleCommand { words, .. } = asked.command;
        words.first()?;
        let mut found = self.entries_of(whole(words.iter().map(String::as_str)))?;
        for count in 1..=words.len().min(BEGINNING_MAX) {
            let beginning = words.iter().take(count).map(String::as_str);
            found.extend(self.entries_of(begun(beginning))?);
        }
        let grams: Option<Grams> = self.block(of_grams())?;
        for number in grams.unwrap_or_default().candidates(asked.text) {
            found.extend(self.entries_of(numbered(number))?);
        }
        found.retain(|entry| entry.fits(asked));
        Some(found)
    }

    fn entries_of(&self, key: u64) -> Option<Vec<Entry>> {
        Some(self.block(key)?.unwrap_or_default())
    }

    /// The part of a key, if there is one; `None` if it is damaged.
    fn block<T: Field>(&self, key: u64) -> Option<Option<T>> {
        let mask = self.head.places - 1;
        for step in 0..PROBES_MAX.min(self.head.places) {
            let index = key.wrapping_add(step) & mask;
            let at = (HEAD_BYTES as u64).checked_add(index.checked_mul(PLACE_BYTES as u64)?)?;
            let place = (self.part)(at, PLACE_BYTES)?;
            let mut place = Reader(&place);
            let found = place.number()?;
            let (at, bytes, sum) = (place.number()?, place.number()?, place.number()?);
            if place.number()? != found ^ at ^ bytes ^ sum {
                return None;
            }
            match found {
                0 => break,
                found if found == key => {
                    let bytes = usize::try_from(bytes.min(BLOCK_BYTES_MAX)).ok()?;
                    let block = (self.part)(at, bytes)?;
                    let is_whole = fnv64(&block) == sum;
                    return is_whole.then(|| Reader(&block).field()).flatten().map(Some);
                }
                _ => {}
            }
        }
        Some(None)
    }
}
