//! One capture: looks at everything first, then keeps what fits, smallest first, and writes the
//! manifest last. What cannot be kept is named; only trouble of our own is an error.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use model::one_line;

use super::manifest::{BackupEntry, Capture, Kind, shown};
use super::objects::{Put, Writer, unreadable};
use super::plan::{Captured, Item, Plan};
use super::seen::{Above, entry};
use super::{anchor, lock, sys};
use crate::{Store, StoreError};
use text::Redactor;

/// Longest text of the call in a manifest, in characters.
const WHAT_CHARS_MAX: usize = 400;
/// Letters of an id: none that could be taken for another.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Letters in an id.
const LETTERS_COUNT: u32 = 6;
/// How often another id is tried.
const IDS_MAX: u64 = 16;
/// What a name that was no text was replaced with.
const NO_TEXT: char = '\u{fffd}';
/// Where captures are, one directory a project.
pub const DIR: &str = "undo";
/// The file that makes a directory a capture.
pub const MANIFEST: &str = "manifest.jsonl";

impl Store {
    /// Keeps what a call would destroy. What could not be kept is in the answer.
    ///
    /// # Errors
    /// If our own state cannot be written in time; then nothing is kept.
    pub fn capture(&self, plan: &Plan<'_>) -> Result<Captured, StoreError> {
        self.capture_with(plan, &[])
    }

    /// The same with more paths, whose names need not be text.
    pub(super) fn capture_with(
        &self,
        plan: &Plan<'_>,
        paths: &[&Path],
    ) -> Result<Captured, StoreError> {
        if plan.items.is_empty() && paths.is_empty() {
            return Ok(Captured::default());
        }
        let end = Instant::now() + plan.limits.time;
        let _held = lock::share(&self.root, end)?;
        let id = self.claim(plan)?;
        let done = Keeper::new(self, plan, &id, end).run(paths);
        if !matches!(&done, Ok(captured) if captured.saved > 0) {
            self.root.remove_empty(&dir(plan.project, &id));
        }
        done
    }

    /// Makes the directory of a new capture.
    fn claim(&self, plan: &Plan<'_>) -> Result<String, StoreError> {
        for attempt in 0..IDS_MAX {
            let id = new_id(plan, attempt);
            let dir = dir(plan.project, &id);
            match self.root.claim_dir(&dir) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => return made.map(|()| id).map_err(self.root.failed("make", &dir)),
            }
        }
        let taken = io::ErrorKind::AlreadyExists.into();
        Err(self.root.failed("make", DIR)(taken))
    }
}

/// The directory of a capture.
pub fn dir(project: &str, id: &str) -> String {
    format!("{DIR}/{project}/{id}")
}

/// The manifest of a capture.
pub fn manifest(project: &str, id: &str) -> String {
    format!("{DIR}/{project}/{id}/{MANIFEST}")
}

/// A short name that no other capture has, nearly always: who claims it sees.
fn new_id(plan: &Plan<'_>, attempt: u64) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos();
    let process = std::process::id();
    let text = format!(
        "{now} {process} {attempt} {} {}",
        plan.session, plan.call_id
    );
    let number = crate::sum64(text.as_bytes());
    let letter = |place: u32| {
        let at = usize::try_from(number >> (5 * place) & 31).unwrap_or_default();
        char::from(LETTERS.get(at).copied().unwrap_or(b'0'))
    };
    let letters: String = (0..LETTERS_COUNT).map(letter).collect();
    format!("u-{letters}")
}

/// One capture under way.
struct Keeper<'a> {
    plan: &'a Plan<'a>,
    writer: Writer<'a>,
    above: Above,
    /// What was looked at.
    seen: Vec<BackupEntry>,
    known: BTreeSet<PathBuf>,
    files: u64,
    dirs: u64,
    capture: Capture,
    bytes: u64,
}

impl<'a> Keeper<'a> {
    fn new(store: &'a Store, plan: &'a Plan<'a>, id: &'a str, end: Instant) -> Self {
        let what = Redactor::default().text(&one_line(plan.what, WHAT_CHARS_MAX));
        Self {
            plan,
            writer: Writer::new(&store.root, id, end),
            above: Above::default(),
            seen: Vec::new(),
            known: BTreeSet::new(),
            files: 0,
            dirs: 0,
            capture: Capture {
                id: id.to_owned(),
                project: plan.project.to_owned(),
                session: plan.session.to_owned(),
                call_id: plan.call_id.to_owned(),
                time: plan.time,
                dir: plan.dir.to_owned(),
                what,
                ..Capture::default()
            },
            bytes: 0,
        }
    }

    fn run(mut self, paths: &[&Path]) -> Result<Captured, StoreError> {
        for path in paths {
            self.look_at(path);
        }
        for item in self.plan.items {
            match item {
                Item::Path(path) => self.look_at(Path::new(path)),
                Item::Tree(path) => self.walk(Path::new(path)),
                Item::Index { root, index } => self.index(root, Path::new(index))?,
                Item::Anchor { .. } => {}
            }
        }
        let mut seen = std::mem::take(&mut self.seen);
        // What is small first: if not all of it fits, most of it does.
        seen.sort_by_key(|entry| entry.size);
        for entry in seen {
            self.keep(entry)?;
        }
        let things = self.capture.entries.len() as u64;
        let anchors = self.anchor();
        self.add_above();
        let captured = Captured {
            id: self.capture.id.clone(),
            saved: things + anchors,
            bytes: self.bytes,
            unsaved: self.capture.unsaved.clone(),
        };
        if captured.saved == 0 {
            let id = String::new();
            return Ok(Captured { id, ..captured });
        }
        self.capture.entries.sort_by(|a, b| a.path.cmp(&b.path));
        match self.write_manifest() {
            Ok(()) => Ok(captured),
            Err(error) => {
                super::list::unset_anchors(&self.capture);
                Err(error)
            }
        }
    }

    fn not(&mut self, path: &Path, why: impl Into<String>) {
        self.capture.unsaved.push((shown(path), why.into()));
    }

    /// Looks at one thing. What is not there cannot be lost.
    fn look_at(&mut self, path: &Path) {
        let found = self.above.real(path).and_then(|real| {
            let metadata = std::fs::symlink_metadata(&real)?;
            Ok((real, metadata))
        });
        match found {
            Ok((real, metadata)) => self.add(real, &metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if shown(path).contains(NO_TEXT) {
                    self.not(path, "has a name that is no text");
                }
            }
            Err(error) => self.not(path, unreadable(&error)),
        }
    }

    /// Remembers one thing to keep, if it is among the first.
    fn add(&mut self, real: PathBuf, metadata: &Metadata) {
        if self.known.contains(&real) {
            return;
        }
        let max = self.plan.limits.files;
        let count = if metadata.is_dir() {
            &mut self.dirs
        } else {
            &mut self.files
        };
        *count += 1;
        if *count > max {
            let noun = if metadata.is_dir() {
                "directories"
            } else {
                "files"
            };
            return self.not(&real, format!("more than {max} {noun}"));
        }
        if self.writer.is_late() {
            return self.not(&real, "time ran out");
        }
        self.known.insert(real.clone());
        match entry(real.clone(), metadata) {
            Ok(entry) => self.seen.push(entry),
            Err(error) => self.not(&real, unreadable(&error)),
        }
    }

    /// Looks at a directory and all below it, as far as the limits go.
    fn walk(&mut self, path: &Path) {
        let real = match self.above.real(path) {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => return self.not(path, unreadable(&error)),
        };
        let mut left = vec![real];
        while let Some(path) = left.pop() {
            let metadata = match std::fs::symlink_metadata(&path) {
                Ok(metadata) => metadata,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    self.not(&path, unreadable(&error));
                    continue;
                }
            };
            self.add(path.clone(), &metadata);
            let is_full = self.files > self.plan.limits.files
                || self.dirs > self.plan.limits.files
                || self.writer.is_late();
            if is_full {
                // The rest is named by where it is: there may be millions.
                for path in left.drain(..) {
                    let why = "is beyond what one capture looks at";
                    self.capture.unsaved.push((shown(&path), why.to_owned()));
                }
                return;
            }
            if metadata.is_dir() {
                self.descend(&path, &mut left);
            }
        }
    }

    fn descend(&mut self, dir: &Path, left: &mut Vec<PathBuf>) {
        let entries = match std::fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(error) => return self.not(dir, format!("what is in it {}", unreadable(&error))),
        };
        for entry in entries {
            match entry {
                Ok(entry) => left.push(entry.path()),
                Err(error) => self.not(dir, format!("what is in it {}", unreadable(&error))),
            }
        }
    }

    /// Keeps one thing that was looked at.
    fn keep(&mut self, mut entry: BackupEntry) -> Result<(), StoreError> {
        if let Kind::File { .. } = entry.kind {
            match self.put(&mut entry)? {
                Ok(sum) => entry.kind = Kind::File { sum },
                Err(why) => {
                    self.not(&entry.path, why);
                    return Ok(());
                }
            }
        } else if entry.kind == Kind::Dir
            && let Ok(dir) = File::open(&entry.path)
        {
            entry.attributes = sys::attributes(&dir);
        }
        self.capture.entries.push(entry);
        Ok(())
    }

    /// Keeps the bytes of a file, which is then as it was read; its sum, or why not.
    fn put(&mut self, entry: &mut BackupEntry) -> Result<Result<String, String>, StoreError> {
        let max = self.plan.limits.bytes;
        if entry.size > max.saturating_sub(self.bytes) {
            let (max, size) = (in_words(max), in_words(entry.size));
            return Ok(Err(format!("holds {size}; one capture keeps {max}")));
        }
        if self.writer.is_late() {
            return Ok(Err("time ran out".to_owned()));
        }
        let path = entry.path.clone();
        Ok(match self.writer.put(|| open(&path))? {
            Put::Kept(sum, file, metadata) => {
                entry.size = metadata.len();
                entry.modified = sys::modified(&metadata);
                entry.mode = crate::sys::mode(&metadata);
                entry.attributes = sys::attributes(&file);
                self.bytes += entry.size;
                Ok(sum)
            }
            Put::Not(why) => Err(why),
        })
    }

    /// Keeps a repository's index. Without one, nothing was staged.
    fn index(&mut self, root: &str, index: &Path) -> Result<(), StoreError> {
        let found = self.above.real(index).and_then(|real| {
            let metadata = std::fs::symlink_metadata(&real)?;
            entry(real, &metadata)
        });
        let mut entry = match found {
            Ok(entry) if matches!(entry.kind, Kind::File { .. }) => entry,
            Ok(_) => {
                self.not(index, "is no plain file");
                return Ok(());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => {
                self.not(index, unreadable(&error));
                return Ok(());
            }
        };
        match self.put(&mut entry)? {
            Ok(sum) => {
                entry.kind = Kind::Index {
                    root: root.to_owned(),
                    head: head(&entry.path),
                    sum,
                };
                self.capture.entries.push(entry);
            }
            Err(why) => self.not(index, why),
        }
        Ok(())
    }

    /// Makes the refs that keep commits reachable; how many.
    fn anchor(&mut self) -> u64 {
        let mut count = 0;
        for item in self.plan.items {
            let Item::Anchor {
                root,
                common_dir,
                commit,
                name,
            } = item
            else {
                continue;
            };
            count += 1;
            let reference = anchor::reference(&self.capture.id, count);
            if let Err(why) = anchor::set(common_dir, &reference, commit) {
                self.capture
                    .unsaved
                    .push((format!("{name} of {root}"), why));
                continue;
            }
            self.capture.entries.push(BackupEntry::commit(
                root,
                Kind::Anchor {
                    common_dir: common_dir.clone(),
                    commit: commit.clone(),
                    name: name.clone(),
                    reference,
                },
            ));
        }
        self.capture
            .entries
            .iter()
            .filter(|entry| matches!(entry.kind, Kind::Anchor { .. }))
            .count() as u64
    }

    /// Remembers the directories above what was kept, should they be gone when it is put back.
    fn add_above(&mut self) {
        let mut known: BTreeSet<PathBuf> = BTreeSet::new();
        for entry in &self.capture.entries {
            if entry.kind == Kind::Dir {
                known.insert(entry.path.clone());
            }
        }
        let mut found = Vec::new();
        for thing in &self.capture.entries {
            let is_file = !matches!(thing.kind, Kind::Anchor { .. } | Kind::Index { .. });
            let mut at = thing.path.parent().filter(|_| is_file);
            while let Some(dir) = at.filter(|dir| known.insert((*dir).to_owned())) {
                at = dir.parent();
                let metadata = std::fs::symlink_metadata(dir);
                let above = metadata.and_then(|metadata| entry(dir.to_owned(), &metadata));
                found.extend(above.ok().filter(|above| above.kind == Kind::Dir));
            }
        }
        self.capture
            .entries
            .extend(found.into_iter().map(|dir| BackupEntry {
                kind: Kind::Above,
                ..dir
            }));
    }

    /// Writes the manifest elsewhere and gives it its name: from then on there is a capture. It is
    /// not forced to the disk, nor are the bytes: that takes longer than the call that waits.
    fn write_manifest(&mut self) -> Result<(), StoreError> {
        let name = manifest(self.plan.project, &self.capture.id);
        self.writer.put_as(&name, self.capture.render().as_bytes())
    }
}

fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let file = sys::open_to_read(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        Ok((file, metadata))
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "no plain file any more",
        ))
    }
}

/// The commit that `HEAD` beside an index names; empty if there is none, or it is not in a file.
fn head(index: &Path) -> String {
    let dir = index.parent().unwrap_or(index);
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    let head = read(dir.join("HEAD"));
    let Some(name) = head.trim().strip_prefix("ref: ") else {
        return commit(&head);
    };
    let common = read(dir.join("commondir"));
    let common = dir.join(common.trim());
    let packed = || {
        let refs = read(common.join("packed-refs"));
        let found = refs
            .lines()
            .find_map(|line| line.strip_suffix(name)?.strip_suffix(' '));
        found.map(commit).unwrap_or_default()
    };
    let loose = commit(&read(common.join(name)));
    if loose.is_empty() { packed() } else { loose }
}

fn commit(text: &str) -> String {
    let text = text.trim();
    if anchor::is_object_name(text) {
        text.to_owned()
    } else {
        String::new()
    }
}

/// Bytes for people.
fn in_words(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} B"),
        1_024..1_048_576 => format!("{} KiB", bytes / 1_024),
        _ => format!("{} MiB", bytes / 1_048_576),
    }
}
