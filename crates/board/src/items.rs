//! Work items: loading them from where they are kept, and changing them there.
//!
//! A change is decided while nobody else can make one: what it is made of is read under the lock.

mod bd;
mod index;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use ledger::beads::BeadsFile;
use ledger::items::{
    Change, Event, Fold, Issue, PREFIX, import, item_in_front, name, prefix_of, stem,
};
use ledger::{Author, Object, OddLine, Stamp};
use store::{SharedDir, Store};

use crate::files::{OddFile, Segments, lines};
use crate::{Board, stamp_after};
use index::Index;

pub use bd::PROGRAM;

pub(crate) const WORK: &str = "work";
const BEADS_DIR: &str = ".beads";
const BEADS_FILE: &str = "issues.jsonl";
/// Largest file of beads that is read, in bytes.
const BEADS_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Where items are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// In our own files.
    Own,
    /// In the file of beads.
    Beads,
    /// With the program of beads.
    Program,
}

impl Backend {
    /// All, by name.
    pub const NAMES: &[(&str, Self)] = &[
        ("tollgate", Self::Own),
        ("beads", Self::Beads),
        (PROGRAM, Self::Program),
    ];

    /// The one of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::NAMES.iter();
        all.find(|(known, _)| *known == name)
            .map(|(_, backend)| *backend)
    }
}

/// Which items a decision looks at.
#[derive(Debug, Clone, Copy)]
pub enum Scope<'a> {
    /// All: it asks what waits for what.
    All,
    /// Those that ids, or beginnings of ids, name.
    Some(&'a [String]),
}

/// Items as they were read.
#[derive(Debug)]
pub enum Held {
    /// Our own files.
    Own(Segments),
    /// Records of beads, from its file or its program.
    Beads(Box<BeadsFile>),
}

/// Items to look at.
#[derive(Debug)]
pub struct View<'h> {
    /// All items that are looked at.
    pub issues: Vec<Issue<'h>>,
    source: Source<'h>,
    /// Ids of those that are not looked at.
    left_out: Option<&'h BTreeSet<String>>,
}

#[derive(Debug, Clone, Copy)]
enum Source<'h> {
    Own(&'h Fold<'h>),
    /// And the directory of its files.
    Index(&'h Index<'h>, &'h Path),
    Beads(&'h BeadsFile),
}

impl View<'_> {
    /// All that is known of an item.
    #[must_use]
    pub fn object(&self, issue: &Issue<'_>) -> Option<Object<'static>> {
        match self.source {
            Source::Own(fold) => fold.object(issue.at),
            Source::Index(index, dir) => index
                .object(issue.at)
                .or_else(|| fold(&Segments::read(dir)).object_of(&issue.id)),
            Source::Beads(file) => file.object_of(&issue.id).cloned(),
        }
    }

    /// The item of an id, or of the beginning of one.
    ///
    /// # Errors
    /// If there is none, or are several.
    pub fn find(&self, part: &str) -> Result<&Issue<'_>> {
        if let Some(issue) = self.issues.iter().find(|issue| issue.id == part) {
            return Ok(issue);
        }
        let fits = |issue: &&Issue<'_>| {
            let (_, letters) = issue.id.rsplit_once('-').unwrap_or(("", &issue.id));
            issue.id.starts_with(part) || letters.starts_with(part)
        };
        let mut found = self.issues.iter().filter(fits);
        let first = found.next();
        let first = first.with_context(|| {
            format!("there is no work item {part}; tollgate work list --status all shows them")
        })?;
        let more = found.count();
        ensure!(
            more == 0,
            "{} work items begin with {part}; give more of the id",
            more + 1
        );
        Ok(first)
    }

    /// The fold, where the items are kept in our own files.
    #[must_use]
    pub fn fold(&self) -> Option<&Fold<'_>> {
        match self.source {
            Source::Own(fold) => Some(fold),
            Source::Index(..) | Source::Beads(_) => None,
        }
    }

    /// The event by which an item has its assignee.
    #[must_use]
    pub fn assigned_by(&self, id: &str) -> Option<Stamp> {
        self.fold()?.set_by(id, "assignee")
    }

    fn has(&self, id: &str) -> bool {
        let is_left_out = self.left_out.is_some_and(|others| others.contains(id));
        is_left_out
            || match self.source {
                Source::Own(fold) => fold.has(id),
                Source::Index(..) => self.issues.iter().any(|issue| issue.id == id),
                Source::Beads(file) => file.object_of(id).is_some(),
            }
    }

    /// The prefix of most items, for one more.
    #[must_use]
    pub fn prefix(&self) -> String {
        let mut counts = std::collections::BTreeMap::new();
        for issue in &self.issues {
            *counts
                .entry(prefix_of(&issue.id).unwrap_or(PREFIX))
                .or_insert(0u32) += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        most.map_or(PREFIX, |(prefix, _)| prefix).to_owned()
    }
}

impl Held {
    /// Looks at the items.
    pub fn view<R>(&self, look: impl FnOnce(&View<'_>) -> R) -> R {
        match self {
            Self::Own(segments) => {
                let fold = fold(segments);
                look(&View {
                    issues: fold.issues(),
                    source: Source::Own(&fold),
                    left_out: Some(&segments.left_out),
                })
            }
            Self::Beads(file) => look(&View {
                issues: file.issues(),
                source: Source::Beads(file),
                left_out: None,
            }),
        }
    }

    /// How many lines and files could not be read.
    #[must_use]
    pub fn odd_count(&self, board: &Board) -> usize {
        if self.seems_whole() {
            return 0;
        }
        let (odd, unread) = self.odd(board);
        odd.iter().map(|file| file.lines.len()).sum::<usize>() + unread.len()
    }

    /// Whether every line begins and ends as one of ours: then none needs to be looked at again.
    fn seems_whole(&self) -> bool {
        let Self::Own(segments) = self else {
            return false;
        };
        let is_ours = |line: &[u8]| {
            line.is_empty() || (item_in_front(line).is_some() && line.ends_with(b"}"))
        };
        let mut all = segments.files.iter();
        segments.unread.is_empty() && all.all(|(_, bytes)| lines(bytes).all(is_ours))
    }

    /// Lines that are no records, and files that could not be read.
    #[must_use]
    pub fn odd(&self, board: &Board) -> (Vec<OddFile>, Vec<(PathBuf, String)>) {
        match self {
            Self::Own(segments) => {
                let odd = segments.files.iter().map(|(path, bytes)| OddFile {
                    path: path.clone(),
                    lines: ledger::read_lines(bytes, Event::read).odd,
                });
                let odd = odd.filter(|file| !file.lines.is_empty());
                (odd.collect(), segments.unread.clone())
            }
            Self::Beads(file) => {
                let lines: Vec<OddLine> = file.odd().to_vec();
                let path = board.beads_file();
                let odd = (!lines.is_empty()).then_some(OddFile { path, lines });
                (odd.into_iter().collect(), Vec::new())
            }
        }
    }
}

/// What the events of some files add up to.
fn fold(segments: &Segments) -> Fold<'_> {
    let all = segments.files.iter().flat_map(|(_, bytes)| lines(bytes));
    Fold::of(all.filter_map(|line| Event::read(line.trim_ascii_end())))
}

impl Board {
    /// The backend that holds here: our own files if there are some, else the file of beads if it
    /// is there, else our own.
    #[must_use]
    pub fn usual_backend(&self) -> Backend {
        let is_beads = !self.has_items() && self.beads_file().is_file();
        if is_beads {
            Backend::Beads
        } else {
            Backend::Own
        }
    }

    /// Whether there are items of our own.
    #[must_use]
    pub fn has_items(&self) -> bool {
        self.dir(WORK).is_dir()
    }

    /// Where the file of beads is.
    #[must_use]
    pub fn beads_file(&self) -> PathBuf {
        self.top().join(BEADS_DIR).join(BEADS_FILE)
    }

    /// Loads all items.
    ///
    /// # Errors
    /// If they cannot be read, or the program is not there or refuses.
    pub fn items(&self, backend: Backend) -> Result<Held> {
        match backend {
            Backend::Own => Ok(Held::Own(Segments::read(&self.dir(WORK)))),
            Backend::Beads => Ok(Held::Beads(Box::new(read_beads(&self.beads_file())?))),
            Backend::Program => Ok(Held::Beads(Box::new(bd::load(self.top())?))),
        }
    }

    /// Looks at all items, over their index where there are so many that it is faster. What
    /// changes them must not be decided from this. Says too how many lines could not be read.
    ///
    /// # Errors
    /// As [`Board::items`].
    pub fn look<R>(
        &self,
        (backend, store): (Backend, Option<&Store>),
        look: impl FnOnce(&View<'_>) -> R,
    ) -> Result<(R, usize)> {
        let look = match store.filter(|_| backend == Backend::Own) {
            Some(store) => match index::look(store, (self.top(), &self.dir(WORK)), look) {
                Ok(seen) => return Ok(seen),
                Err(look) => look,
            },
            None => look,
        };
        let held = self.items(backend)?;
        Ok((held.view(look), held.odd_count(self)))
    }

    /// Changes items: what is to change is decided from the items as they are, while nobody else
    /// changes them. The ids of what was changed, new ones too. A new item of no id gets one.
    ///
    /// # Errors
    /// What the decision says, or if the items cannot be read or written.
    pub fn change(
        &self,
        backend: Backend,
        (author, scope): (&Author, Scope<'_>),
        decide: impl FnOnce(&View<'_>) -> Result<Vec<Change<'static>>>,
    ) -> Result<Vec<String>> {
        match backend {
            Backend::Own => self.change_own((author, scope), decide),
            Backend::Beads => self.change_beads(author, decide),
            Backend::Program => {
                let changes = self.items(backend)?.view(decide)?;
                changes
                    .iter()
                    .map(|change| bd::apply(self.top(), change))
                    .collect()
            }
        }
    }

    fn change_own(
        &self,
        (author, scope): (&Author, Scope<'_>),
        decide: impl FnOnce(&View<'_>) -> Result<Vec<Change<'static>>>,
    ) -> Result<Vec<String>> {
        let dir = self.lock(WORK)?;
        let mut segments = Segments::read(&self.dir(WORK));
        if let Scope::Some(parts) = scope {
            narrow(&mut segments, parts);
        }
        let held = Held::Own(segments);
        let events = held.view(|view| -> Result<Vec<Event<'static>>> {
            let mut before = None;
            let mut events = Vec::new();
            for change in decide(view)? {
                let event = event(view, author, change, before)?;
                before = Some(event.id);
                events.push(event);
            }
            Ok(events)
        })?;
        self.write_events(&dir, author, events)
    }

    /// Adds events to the writer's file, in the order of their ids.
    fn write_events(
        &self,
        dir: &SharedDir,
        author: &Author,
        events: Vec<Event<'static>>,
    ) -> Result<Vec<String>> {
        let ids = events
            .iter()
            .map(|event| event.change.item.to_string())
            .collect();
        self.add((dir, WORK), author, |last| {
            let numbered = events.into_iter().zip(last.line + 1..);
            let lines = numbered.map(|(event, line)| Event { line, ..event }.line());
            Ok(lines.collect())
        })?;
        Ok(ids)
    }

    fn change_beads(
        &self,
        author: &Author,
        decide: impl FnOnce(&View<'_>) -> Result<Vec<Change<'static>>>,
    ) -> Result<Vec<String>> {
        let dir = SharedDir::lock(self.top(), BEADS_DIR)?;
        let path = self.beads_file();
        let file = if path.exists() {
            read_beads(&path)?
        } else {
            BeadsFile::read("")
        };
        let mut held = Held::Beads(Box::new(file));
        let events = held.view(|view| -> Result<Vec<Event<'static>>> {
            let changes = decide(view)?.into_iter();
            changes
                .map(|change| event(view, author, change, None))
                .collect()
        })?;
        let Held::Beads(file) = &mut held else {
            bail!("the items are not those of beads");
        };
        let mut changes = false;
        for event in &events {
            changes |= file.apply(event);
        }
        if changes {
            dir.replace(BEADS_FILE, file.text().as_bytes())?;
        }
        Ok(events
            .into_iter()
            .map(|event| event.change.item.into_owned())
            .collect())
    }

    /// Brings the records of a file into our own items. How many changed anything.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn import(&self, file: &BeadsFile, author: &Author) -> Result<usize> {
        let dir = self.lock(WORK)?;
        let held = Held::Own(Segments::read(&self.dir(WORK)));
        let now = edge::surroundings::now().0;
        let lines: Vec<(Stamp, String)> = held.view(|view| {
            let fold = view.fold();
            let fold = fold.into_iter();
            let all = fold.flat_map(|fold| {
                let records = file.records();
                records.filter_map(move |record| import(record, fold, now))
            });
            all.map(|event| (event.id, event.line())).collect()
        });
        let count = lines.len();
        let mut lines = lines;
        lines.sort();
        self.add((&dir, WORK), author, |_| {
            Ok(lines.into_iter().map(|(_, line)| line).collect())
        })?;
        Ok(count)
    }

    /// Writes what our own items say into a file of beads, and touches nothing else of it. How many
    /// records changed.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn export(&self, dir: &str, name: &str) -> Result<usize> {
        let locked = SharedDir::lock(self.top(), dir)?;
        let path = self.top().join(dir).join(name);
        let mut file = match path.exists() {
            true => read_beads(&path)?,
            false => BeadsFile::read(""),
        };
        let held = self.items(Backend::Own)?;
        let count = held.view(|view| {
            let objects = view.issues.iter().filter_map(|issue| view.object(issue));
            objects.filter(|object| file.put_fields(object)).count()
        });
        if count > 0 {
            locked.replace(name, file.text().as_bytes())?;
        }
        Ok(count)
    }
}

/// Keeps the lines of the items that are named, and those that do not say near their beginning
/// whose they are.
fn narrow(segments: &mut Segments, parts: &[String]) {
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    for (_, bytes) in &segments.files {
        ids.extend(lines(bytes).filter_map(item_in_front));
    }
    let mut stems = Vec::new();
    for part in parts {
        let letters = |id: &str| {
            let letters = id.rsplit_once('-');
            letters.is_some_and(|(_, letters)| letters.starts_with(part))
        };
        let is_whole = ids.contains(part.as_str());
        let found = ids
            .iter()
            .filter(|id| id.starts_with(part.as_str()) || letters(id));
        let mut found: Vec<&str> = found.map(|id| stem(id)).collect();
        found.dedup();
        match (is_whole, found.as_slice()) {
            (true, _) => stems.push(stem(part).to_owned()),
            (false, [one]) => stems.push((*one).to_owned()),
            // What is not so simple is decided where all is known.
            _ => return,
        }
    }
    let is_meant = |id: &str| stems.iter().any(|stem| id.starts_with(stem.as_str()));
    let left_out = ids.iter().filter(|id| !is_meant(id));
    segments.left_out = left_out.map(|id| (*id).to_owned()).collect();
    for (_, bytes) in &mut segments.files {
        let kept = lines(bytes).filter(|line| item_in_front(line).is_none_or(is_meant));
        let kept: Vec<u8> = kept
            .flat_map(|line| [line, b"\n"])
            .flatten()
            .copied()
            .collect();
        *bytes = kept;
    }
}

/// A change with its time and, where the item is new, its id.
fn event(
    view: &View<'_>,
    author: &Author,
    mut change: Change<'static>,
    before: Option<Stamp>,
) -> Result<Event<'static>> {
    let last = view.fold().and_then(|fold| fold.last(&change.item));
    let id = stamp_after(last.max(before))?;
    if change.new {
        if change.item.is_empty() {
            change.item = name(&view.prefix(), id, |taken| view.has(taken)).into();
        }
        change.of = view.fold().map(|_| id);
    } else if let Some(fold) = view.fold() {
        change.of = fold.made_by(&change.item);
    }
    Ok(Event {
        id,
        author: author.clone(),
        change,
        line: 0,
    })
}

/// Reads a file of beads.
///
/// # Errors
/// If it cannot be read.
pub fn read_beads(path: &Path) -> Result<BeadsFile> {
    let text = edge::facts::head_of(path, BEADS_BYTES_MAX);
    let text = text.map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))?;
    Ok(BeadsFile::read(&text))
}
