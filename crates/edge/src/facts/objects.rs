//! Reads which tree a commit holds, what it follows, and what a tree holds, from git's object
//! store. What it cannot read (an object stored as a difference, an unknown pack) is `None`; then
//! git must be asked.

use super::budget::Budget;
use super::index::ObjectName;
use super::inflate;
use super::paths::{self, join};
use super::repository::Repository;
use super::sys;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use text::hex;

/// Most bytes of a loose object. A commit with a longer message is git's to read.
const LOOSE_MAX: u64 = 64 * 1024;
/// Most packs that are searched.
const PACKS_MAX: usize = 64;
/// `commit 1234567\0tree ` and an object name take less; every commit is longer.
const FIRST_LINE_BYTES: usize = 96;
/// Tree, parents, author and committer of all but the strangest commits take less.
const HEAD_BYTES: usize = 1_024;
/// Where the names begin in a pack's index: after the header and the 256 counts.
const NAMES_AT: u64 = 8 + 256 * 4;
/// Most bytes of a tree that are looked at.
const TREE_MAX: usize = 64 * 1024;
/// How much longer what does not shrink may be packed, in bytes.
const PACKED_MORE: u64 = 1_024;

/// What an object is.
struct Kind {
    /// How its name begins a loose object.
    loose: &'static [u8],
    /// Its number in a pack.
    packed: u8,
}

const COMMIT: Kind = Kind {
    loose: b"commit ",
    packed: 1,
};
const TREE: Kind = Kind {
    loose: b"tree ",
    packed: 2,
};

/// An object that is looked for, by its name as hex.
struct Object<'a> {
    kind: Kind,
    name: &'a str,
}

/// The tree of a commit, as hex.
pub(super) fn tree_of(
    repository: &Repository,
    commit: &str,
    budget: &mut Budget,
) -> Option<String> {
    let text = beginning(repository, commit, FIRST_LINE_BYTES, budget)?;
    let tree = text.strip_prefix("tree ")?.lines().next()?;
    (tree.len() == repository.hash_bytes * 2).then(|| tree.to_owned())
}

/// What a commit says of its place in history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Commit {
    /// Object names of what it follows.
    pub parents: Vec<String>,
    /// When it was committed, in seconds since 1970.
    pub date: u64,
}

/// What a commit follows, and its date.
pub(super) fn commit(repository: &Repository, name: &str, budget: &mut Budget) -> Option<Commit> {
    let text = beginning(repository, name, HEAD_BYTES, budget)?;
    let mut parents = Vec::new();
    for line in text.lines().skip(1) {
        if let Some(parent) = line.strip_prefix("parent ") {
            parents.push(parent.to_owned());
        } else if let Some(committer) = line.strip_prefix("committer ") {
            let (_, date) = committer.rsplit_once("> ")?;
            let (date, _) = date.split_once(' ')?;
            let date = date.parse().ok()?;
            return Some(Commit { parents, date });
        }
    }
    None
}

/// What a tree holds under one name: mode and object.
pub(super) struct TreeEntry {
    pub mode: u32,
    pub object: ObjectName,
}

/// Mode of a tree in a tree.
pub(super) const TREE_MODE: u32 = 0o040_000;

/// What a tree holds under a name; `None` if it holds nothing there, or cannot be read.
pub(super) fn in_tree(
    repository: &Repository,
    tree: &str,
    name: &str,
    budget: &mut Budget,
) -> Option<TreeEntry> {
    let tree = Object {
        kind: TREE,
        name: tree,
    };
    let object = object(repository, &tree, TREE_MAX, budget)?;
    let mut rest = object.as_slice();
    while !rest.is_empty() {
        // `100644 name\0` and the bytes of the object's name.
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        let own = rest.get(space + 1..end)?;
        let (head, after) = rest.split_at_checked(end + 1 + repository.hash_bytes)?;
        if own == name.as_bytes() {
            let mode = str::from_utf8(head.get(..space)?).ok()?;
            let mut object = ObjectName::default();
            let bytes = head.get(end + 1..)?;
            object.get_mut(..bytes.len())?.copy_from_slice(bytes);
            return Some(TreeEntry {
                mode: u32::from_str_radix(mode, 8).ok()?,
                object,
            });
        }
        rest = after;
    }
    None
}

/// The beginning of a commit, without what git writes before it.
fn beginning(
    repository: &Repository,
    commit: &str,
    length: usize,
    budget: &mut Budget,
) -> Option<String> {
    let commit = Object {
        kind: COMMIT,
        name: commit,
    };
    let text = object(repository, &commit, length, budget)?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// The beginning of an object, without what git writes before it.
fn object(
    repository: &Repository,
    object: &Object<'_>,
    length: usize,
    budget: &mut Budget,
) -> Option<Vec<u8>> {
    let objects = join(&repository.common_dir, "objects");
    let loose = loose(&objects, object, length, budget);
    loose.or_else(|| packed(repository, object, &objects, length))
}

fn loose(
    objects: &str,
    object: &Object<'_>,
    length: usize,
    budget: &mut Budget,
) -> Option<Vec<u8>> {
    let (dir, name) = object.name.split_at_checked(2)?;
    let path = format!("{objects}/{dir}/{name}");
    let packed = paths::read(Path::new(&path), LOOSE_MAX, budget).ok()?;
    let whole = inflate::beginning(&packed, length)?;
    let body = whole.strip_prefix(object.kind.loose)?;
    let end = body.iter().position(|byte| *byte == 0)?;
    body.get(end + 1..).map(<[u8]>::to_vec)
}

fn packed(
    repository: &Repository,
    object: &Object<'_>,
    objects: &str,
    length: usize,
) -> Option<Vec<u8>> {
    let name = hex::decode(object.name)?;
    let dir = std::fs::read_dir(join(objects, "pack")).ok()?;
    let files = dir.flatten().take(PACKS_MAX * 4).map(|entry| entry.path());
    let mut indexes = files.filter(|path| path.extension().is_some_and(|end| end == "idx"));
    let (index, at) = indexes.find_map(|path| {
        let at = offset(&path, &name, repository.hash_bytes)?;
        Some((path, at))
    })?;
    beginning_at(&index.with_extension("pack"), at, &object.kind, length)
}

/// A file that is read in places.
struct Places(File);

impl Places {
    fn open(path: &Path) -> Option<Self> {
        sys::open_calmly(path).ok().map(Self)
    }

    fn bytes(&mut self, at: u64, length: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.0.seek(SeekFrom::Start(at)).ok()?;
        self.0.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    fn number(&mut self, at: u64) -> Option<u64> {
        let bytes: [u8; 4] = self.bytes(at, 4)?.try_into().ok()?;
        Some(u64::from(u32::from_be_bytes(bytes)))
    }
}

/// Where an object begins in the pack of this index (version 2); `None` if it is not in it.
fn offset(index: &Path, name: &[u8], hash_bytes: usize) -> Option<u64> {
    let mut file = Places::open(index)?;
    if file.bytes(0, 8)? != *b"\xfftOc\0\0\0\x02" {
        return None;
    }
    let first = u64::from(*name.first()?);
    let mut low = if first == 0 {
        0
    } else {
        file.number(8 + (first - 1) * 4)?
    };
    let mut high = file.number(8 + first * 4)?;
    let count = file.number(8 + 255 * 4)?;
    while low < high {
        let middle = low + (high - low) / 2;
        let found = file.bytes(NAMES_AT + middle * hash_bytes as u64, hash_bytes)?;
        match found.as_slice().cmp(name) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => {
                // After the names come checksums of four bytes, then the offsets.
                let offsets = NAMES_AT + count * (hash_bytes as u64 + 4);
                let at = file.number(offsets + middle * 4)?;
                return (at & 0x8000_0000 == 0).then_some(at);
            }
        }
    }
    None
}

/// The beginning of an object in a pack.
fn beginning_at(pack: &Path, at: u64, kind: &Kind, length: usize) -> Option<Vec<u8>> {
    let mut file = sys::open_calmly(pack).ok()?;
    file.seek(SeekFrom::Start(at)).ok()?;
    let mut bytes = Vec::new();
    let count = length as u64 + PACKED_MORE;
    file.take(count).read_to_end(&mut bytes).ok()?;
    if (bytes.first()? >> 4) & 7 != kind.packed {
        return None;
    }
    let header = bytes.iter().take_while(|byte| **byte & 0x80 != 0).count() + 1;
    inflate::beginning(bytes.get(header..)?, length)
}
