//! Reads git's index (versions 2 to 4). Any bytes give an answer or a refusal, never a panic.
//!
//! Knows the format and what an entry's stat data prove; reads no file itself. The format is
//! git's `Documentation/gitformat-index.txt`. What only git can read (a split or sparse index) is
//! refused.

use super::error::Form;
use super::sys::Stat;
use model::PathKind;
use std::ffi::CStr;
use std::ops::Range;
use text::{hex, utf8};

/// Fixed bytes of an entry before its object name.
const STAT_BYTES: usize = 40;
const HEADER_BYTES: usize = 12;
/// Most entries that are read.
const ENTRIES_MAX: usize = 500_000;

/// The name of an object; a shorter one is filled up with zeros.
pub(super) type ObjectName = [u8; 32];

/// One tracked path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Relative to the top of the work tree.
    pub path: String,
    changed: (u32, u32),
    modified: (u32, u32),
    inode: u32,
    mode: u32,
    object: ObjectName,
    bytes: u32,
    flags: u16,
    extended: u16,
}

/// What an entry's stat data prove about the file in the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// As it is in the index.
    Same,
    /// Not as it is in the index.
    Differs,
    /// Only reading the content would tell.
    Unsure,
}

/// An index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Index {
    /// In git's order.
    pub entries: Vec<Entry>,
    /// The tree object that the whole index is known to be, as hex.
    pub tree: Option<String>,
    /// Conflicts that were solved and added since.
    pub solved: Vec<Solved>,
}

/// A conflict that is none any more: its path, and the names of the contents that it was between,
/// as hex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Solved {
    pub path: String,
    pub sides: Vec<String>,
}

impl Index {
    /// Reads an index file.
    ///
    /// # Errors
    /// What is wrong, or what only git can read.
    pub fn read(bytes: &[u8], hash_bytes: usize) -> Result<Self, Form> {
        let mut cursor = Cursor { bytes, at: 0 };
        let header = cursor.take(HEADER_BYTES).ok_or(Form::IndexShort)?;
        let version = number(header, 4..8).unwrap_or(0);
        if header.get(0..4) != Some(b"DIRC") || !(2..=4).contains(&version) {
            return Err(Form::IndexVersion);
        }
        let count = number(header, 8..12).unwrap_or(0) as usize;
        if count > ENTRIES_MAX {
            return Err(Form::IndexLong);
        }
        // An entry takes more than 62 bytes: a false count does not reserve memory.
        let mut entries = Vec::with_capacity(count.min(bytes.len() / 62));
        let mut path = Vec::new();
        for _ in 0..count {
            let entry = cursor.entry(version, hash_bytes, &mut path);
            let entry = entry.ok_or(Form::IndexCut)?;
            if entry.mode == 0o040_000 {
                return Err(Form::IndexSparse);
            }
            entries.push(entry);
        }
        let (tree, solved) = cursor.extensions(hash_bytes)?;
        Ok(Self {
            entries,
            tree,
            solved,
        })
    }

    /// The entry of a path (its first stage).
    pub fn entry(&self, path: &str) -> Option<&Entry> {
        let at = self
            .entries
            .partition_point(|entry| entry.path.as_str() < path);
        self.entries.get(at).filter(|entry| entry.path == path)
    }

    /// The entries at a path or below it; all for the empty path.
    pub fn within(&self, path: &str) -> &[Entry] {
        if path.is_empty() {
            return &self.entries;
        }
        if let Some(entry) = self.entry(path) {
            return std::slice::from_ref(entry);
        }
        let below = format!("{path}/");
        let start = self
            .entries
            .partition_point(|entry| entry.path.as_str() < below.as_str());
        let rest = self.entries.get(start..).unwrap_or_default();
        let length = rest
            .iter()
            .take_while(|entry| entry.path.starts_with(&below))
            .count();
        rest.get(..length).unwrap_or_default()
    }
}

impl Entry {
    /// Whether it has unresolved conflicts.
    pub fn is_conflicted(&self) -> bool {
        self.flags & 0x3000 != 0
    }

    /// Whether git was told not to look at the file (assume-unchanged, skip-worktree), or the
    /// entry is only a promise to add it.
    pub fn is_special(&self) -> bool {
        self.flags & 0x8000 != 0 || self.extended & 0x6000 != 0
    }

    /// Whether it is the commit of a submodule.
    pub fn is_submodule(&self) -> bool {
        self.mode == 0o160_000
    }

    /// Whether it is, mode and content, what a tree holds.
    pub fn is(&self, mode: u32, object: &ObjectName) -> bool {
        self.mode == mode && self.object == *object
    }

    /// What the file's stat data prove. `written` is the time at which the index was written:
    /// a file that changed then or later may have changed unseen (git's racy entries).
    pub fn proof(&self, stat: &Stat, written: (i64, i64)) -> Proof {
        // An entry of size zero may be one that git marked to be read again.
        let other_size = low(stat.bytes) != self.bytes && self.bytes != 0;
        if stat.kind != self.kind() || other_size {
            return Proof::Differs;
        }
        let is_racy = stat.modified >= written;
        if self.is_same(stat) && !is_racy && !self.is_special() {
            Proof::Same
        } else {
            Proof::Unsure
        }
    }

    /// Whether all stat data are those that git recorded.
    pub fn is_same(&self, stat: &Stat) -> bool {
        let is_link = stat.kind == PathKind::Link;
        stat.kind == self.kind()
            && low(stat.bytes) == self.bytes
            && same_time(self.modified, stat.modified)
            && same_time(self.changed, stat.changed)
            && (self.inode == 0 || self.inode == low(stat.inode))
            && (is_link || (self.mode & 0o100 != 0) == stat.executable)
    }

    fn kind(&self) -> PathKind {
        match self.mode & 0o170_000 {
            0o120_000 => PathKind::Link,
            _ => PathKind::File,
        }
    }
}

/// Git keeps the low 32 bits.
fn low(number: u64) -> u32 {
    (number & 0xffff_ffff) as u32
}

/// A time without nanoseconds was written by a git that does not keep them.
fn same_time(own: (u32, u32), real: (i64, i64)) -> bool {
    let nanoseconds = own.1 == 0 || i64::from(own.1) == real.1;
    i64::from(own.0) == real.0 && nanoseconds
}

fn number(bytes: &[u8], range: Range<usize>) -> Option<u32> {
    let bytes: [u8; 4] = bytes.get(range)?.try_into().ok()?;
    Some(u32::from_be_bytes(bytes))
}

/// The name of an object: SHA-1 or SHA-256.
fn object_name(bytes: &[u8]) -> ObjectName {
    let mut name = ObjectName::default();
    if let Some(whole) = bytes.first_chunk() {
        name = *whole;
    } else if let (Some(own), Some(room)) = (bytes.first_chunk::<20>(), name.first_chunk_mut()) {
        *room = *own;
    }
    name
}

fn short(bytes: &[u8]) -> Option<u16> {
    let bytes: [u8; 2] = bytes.try_into().ok()?;
    Some(u16::from_be_bytes(bytes))
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(length)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn until_zero(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let taken = CStr::from_bytes_until_nul(rest).ok()?.to_bytes();
        self.at += taken.len() + 1;
        Some(taken)
    }

    fn entry(&mut self, version: u32, hash_bytes: usize, path: &mut Vec<u8>) -> Option<Entry> {
        let start = self.at;
        let stat = self.take(STAT_BYTES)?;
        let object = object_name(self.take(hash_bytes)?);
        let flags = short(self.take(2)?)?;
        let is_extended = version >= 3 && flags & 0x4000 != 0;
        let extended = if is_extended {
            short(self.take(2)?)?
        } else {
            0
        };
        if version == 4 {
            let dropped = self.variable()?;
            path.truncate(path.len().checked_sub(dropped)?);
            path.extend_from_slice(self.until_zero()?);
        } else {
            path.clear();
            path.extend_from_slice(self.until_zero()?);
            // Zeros fill an entry up to a multiple of eight bytes.
            let length = self.at - start;
            self.take(length.next_multiple_of(8) - length)?;
        }
        Some(Entry {
            path: utf8::lossy(path).into_owned(),
            changed: (number(stat, 0..4)?, number(stat, 4..8)?),
            modified: (number(stat, 8..12)?, number(stat, 12..16)?),
            inode: number(stat, 20..24)?,
            mode: number(stat, 24..28)?,
            object,
            bytes: number(stat, 36..40)?,
            flags,
            extended,
        })
    }

    /// A number of variable width, most significant part first, as in pack files.
    fn variable(&mut self) -> Option<usize> {
        let mut byte = *self.take(1)?.first()?;
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = *self.take(1)?.first()?;
            value = value.checked_add(1)?.checked_mul(128)?;
            value = value.checked_add(usize::from(byte & 0x7f))?;
        }
        Some(value)
    }

    fn solved(&mut self, hash_bytes: usize) -> Option<Solved> {
        let path = utf8::lossy(self.until_zero()?).into_owned();
        let modes = [self.until_zero()?, self.until_zero()?, self.until_zero()?];
        let mut sides = Vec::new();
        for _ in modes.iter().filter(|mode| **mode != b"0") {
            sides.push(hex::encode(self.take(hash_bytes)?));
        }
        Some(Solved { path, sides })
    }

    /// Goes through the extensions. One that begins with a lower-case letter must be understood.
    fn extensions(&mut self, hash_bytes: usize) -> Result<(Option<String>, Vec<Solved>), Form> {
        let mut tree = None;
        let mut solved = Vec::new();
        let end = self.bytes.len().saturating_sub(hash_bytes);
        while self.at < end {
            let cut = Form::ExtensionCut;
            let header = self.take(8).ok_or(cut)?;
            let length = number(header, 4..8).ok_or(cut)?;
            let body = self.take(length as usize).ok_or(cut)?;
            match header.get(0..4) {
                Some(b"TREE") => tree = root_tree(body, hash_bytes),
                Some(b"REUC") => solved = conflicts_solved(body, hash_bytes),
                Some([first, ..]) if !first.is_ascii_uppercase() => {
                    return Err(Form::IndexSplit);
                }
                _ => {}
            }
        }
        Ok((tree, solved))
    }
}

/// What is kept to undo the solving of conflicts: a path, a mode for each of three stages as octal
/// text, and an object name for each mode that is not zero. What is cut short ends the list.
fn conflicts_solved(body: &[u8], hash_bytes: usize) -> Vec<Solved> {
    let mut cursor = Cursor { bytes: body, at: 0 };
    let mut all = Vec::new();
    while let Some(solved) = cursor.solved(hash_bytes) {
        all.push(solved);
    }
    all
}

/// The first entry of the cache of trees: an empty path, the number of entries (negative if the
/// cache is out of date) and of subtrees, and the name of the tree.
fn root_tree(body: &[u8], hash_bytes: usize) -> Option<String> {
    let mut cursor = Cursor { bytes: body, at: 0 };
    cursor.until_zero()?;
    let rest = body.get(cursor.at..)?;
    let line = rest.iter().position(|byte| *byte == b'\n')?;
    if rest.first()? == &b'-' {
        return None;
    }
    cursor.take(line + 1)?;
    Some(hex::encode(cursor.take(hash_bytes)?))
}
