//! Reads which tree a commit holds, and what it follows, from git's object store. What it cannot
//! read (a commit stored as a difference, an unknown pack) is `None`; then git must be asked.

use super::budget::Budget;
use super::inflate;
use super::paths::{self, join};
use super::repository::Repository;
use super::sys;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use text::hex;

/// Most bytes of a loose commit. One with a longer message is git's to read.
const COMMIT_MAX: u64 = 64 * 1024;
/// Packed bytes that surely hold the head of a commit.
const PACKED_BEGINNING: u64 = 2_048;
/// Most packs that are searched.
const PACKS_MAX: usize = 64;
/// `commit 1234567\0tree ` and an object name take less; every commit is longer.
const FIRST_LINE_BYTES: usize = 96;
/// Tree, parents, author and committer of all but the strangest commits take less.
const HEAD_BYTES: usize = 1_024;
/// Where the names begin in a pack's index: after the header and the 256 counts.
const NAMES_AT: u64 = 8 + 256 * 4;
/// Type number of a commit in a pack.
const PACKED_COMMIT: u8 = 1;

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

/// The beginning of a commit, without what git writes before it.
fn beginning(
    repository: &Repository,
    commit: &str,
    length: usize,
    budget: &mut Budget,
) -> Option<String> {
    let objects = join(&repository.common_dir, "objects");
    let loose = loose(&objects, commit, length, budget);
    let text = loose.or_else(|| packed(repository, &objects, commit, length))?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

fn loose(objects: &str, commit: &str, length: usize, budget: &mut Budget) -> Option<Vec<u8>> {
    let (dir, name) = commit.split_at_checked(2)?;
    let path = format!("{objects}/{dir}/{name}");
    let packed = paths::read(Path::new(&path), COMMIT_MAX, budget).ok()?;
    let object = inflate::beginning(&packed, length)?;
    let body = object.strip_prefix(b"commit ")?;
    let end = body.iter().position(|byte| *byte == 0)?;
    body.get(end + 1..).map(<[u8]>::to_vec)
}

fn packed(repository: &Repository, objects: &str, commit: &str, length: usize) -> Option<Vec<u8>> {
    let name = hex::decode(commit)?;
    let dir = std::fs::read_dir(join(objects, "pack")).ok()?;
    let files = dir.flatten().take(PACKS_MAX * 4).map(|entry| entry.path());
    let mut indexes = files.filter(|path| path.extension().is_some_and(|end| end == "idx"));
    let (index, at) = indexes.find_map(|path| {
        let at = offset(&path, &name, repository.hash_bytes)?;
        Some((path, at))
    })?;
    object_at(&index.with_extension("pack"), at, length)
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

/// The beginning of a commit in a pack.
fn object_at(pack: &Path, at: u64, length: usize) -> Option<Vec<u8>> {
    let mut file = sys::open_calmly(pack).ok()?;
    file.seek(SeekFrom::Start(at)).ok()?;
    let mut bytes = Vec::new();
    file.take(PACKED_BEGINNING).read_to_end(&mut bytes).ok()?;
    if (bytes.first()? >> 4) & 7 != PACKED_COMMIT {
        return None;
    }
    let header = bytes.iter().take_while(|byte| **byte & 0x80 != 0).count() + 1;
    inflate::beginning(bytes.get(header..)?, length)
}
