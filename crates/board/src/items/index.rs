//! The index of our own items: what lists ask for, so that a long board is not read again each
//! time. Made of the files alone, and used only as far as they are what it was made of; whatever
//! is not as expected makes it anew. It is for looking: what changes items reads the files.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use edge::surroundings;
use ledger::items::index::{ItemKey, Place, Reader, Writer, row_head, row_issue, write_row};
use ledger::items::{Event, Fold, Issue};
use ledger::{Object, Stamp};
use store::{Store, sum64};

use super::{Source, View};
use crate::files::{self, Segments, lines, paths};

/// What an index of this form begins with.
const FORM: &str = "tollgate work 1";
/// Length of all files together from which on an index is worth its room.
const BYTES_MIN: u64 = 2 * 1024 * 1024;
/// How long ago a file must have changed to be known by its times: two changes that follow upon
/// each other at once may have the same ones.
#[cfg(unix)]
const SETTLED_MILLIS: u64 = 2_000;
/// How much of new lines is looked at without making the index anew, in bytes.
const NEWS_BYTES_MAX: u64 = 2 * 1024 * 1024;
/// From how many new lines on the index is written with them.
const NEWS_LINES: usize = 500;
/// From how many bytes on, which were read only to see that they are the same, it is too.
const READ_BYTES: u64 = 16 * 1024 * 1024;

/// A file that an index was made of.
#[derive(Debug, Clone)]
struct KnownFile<'a> {
    path: Cow<'a, str>,
    bytes: u64,
    sum: u64,
    /// What tells that it did not change since; empty if nothing does.
    mark: Cow<'a, str>,
    /// Whether its last line is ended.
    is_ended: bool,
}

/// An index, brought up to what the files are.
#[derive(Debug)]
pub(super) struct Index<'a> {
    known_files: Vec<KnownFile<'a>>,
    /// The items as their bytes, in the order in which they were made.
    rows: Vec<Cow<'a, [u8]>>,
    /// Lines that are no events.
    odd: usize,
}

/// Lines that are new since an index was made.
#[derive(Debug, Default)]
struct News {
    /// The number of their file, where they begin, and their bytes.
    parts: Vec<(u32, u64, Vec<u8>)>,
    /// How many bytes were read only to see that they are the same, and need not be again.
    read: u64,
}

/// The place and time of a look.
#[derive(Debug, Clone, Copy)]
struct Look<'l> {
    top: &'l str,
    dir: &'l Path,
    now: u64,
}

/// Looks at the items over the index; nothing if there is none here, and `look` is given back.
pub(super) fn look<R, F>(
    store: &Store,
    (top, dir): (&Path, &Path),
    look: F,
) -> Result<(R, usize), F>
where
    F: FnOnce(&View<'_>) -> R,
{
    let lengths = paths(dir).into_iter();
    let lengths = lengths.map(|path| path.metadata().map_or(0, |file| file.len()));
    let Some(top) = top.to_str() else {
        return Err(look);
    };
    if lengths.sum::<u64>() < BYTES_MIN {
        return Err(look);
    }
    let now = surroundings::now().0;
    look_at(store, Look { top, dir, now }, look)
}

fn look_at<R, F>(store: &Store, place: Look<'_>, look: F) -> Result<(R, usize), F>
where
    F: FnOnce(&View<'_>) -> R,
{
    let known = store.board_index(place.top).unwrap_or_default();
    if let Some((index, is_worn)) = Index::read(&known, place.top).and_then(|i| i.follow(place))
        && let Some(issues) = index.issues()
    {
        if is_worn {
            // It is as good without.
            let _ = store.set_board_index(place.top, &index.write(place.top));
        }
        return Ok((look(&index.view(place.dir, issues)), index.odd));
    }
    let Some(made) = make(place) else {
        return Err(look);
    };
    let _ = store.set_board_index(place.top, &made);
    let index = Index::read(&made, place.top);
    let seen = index
        .as_ref()
        .and_then(|index| Some((index, index.issues()?)));
    match seen {
        Some((index, issues)) => Ok((look(&index.view(place.dir, issues)), index.odd)),
        None => Err(look),
    }
}

/// What tells that a file is the one that it was, and has not changed; empty where it may have
/// changed just now, or the system does not say.
#[cfg(unix)]
fn mark(path: &Path, now: u64) -> String {
    use std::os::unix::fs::MetadataExt;
    let Ok(found) = path.symlink_metadata() else {
        return String::new();
    };
    let seconds = found.ctime().max(found.mtime());
    let changed = u64::try_from(seconds).unwrap_or_default() * 1_000 + 1_000;
    if changed + SETTLED_MILLIS > now {
        return String::new();
    }
    let (written, changed) = (found.mtime_nsec(), found.ctime_nsec());
    format!(
        "{} {} {} {}.{written} {}.{changed}",
        found.dev(),
        found.ino(),
        found.len(),
        found.mtime(),
        found.ctime()
    )
}

#[cfg(not(unix))]
fn mark(_: &Path, _: u64) -> String {
    String::new()
}

fn length(number: usize) -> u64 {
    number as u64
}

/// The lines of some bytes that are not empty, with where they stand.
fn placed(bytes: &[u8], file: u32, from: u64) -> impl Iterator<Item = (Place, &[u8])> {
    let mut start = from;
    let all = lines(bytes).map(move |line| {
        let place = Place {
            file,
            start,
            bytes: u32::try_from(line.trim_ascii_end().len()).unwrap_or_default(),
        };
        start += length(line.len()) + 1;
        (place, line.trim_ascii_end())
    });
    all.filter(|(_, line)| !line.is_empty())
}

/// Makes the index of all files. Nothing if one cannot be read: then it would be missing in it.
fn make(place: Look<'_>) -> Option<Vec<u8>> {
    // Before they are read: a change in between shows.
    let marks = paths(place.dir).into_iter();
    let marks: HashMap<PathBuf, String> = marks
        .map(|path| (path.clone(), mark(&path, place.now)))
        .collect();
    let segments = Segments::read(place.dir);
    if !segments.unread.is_empty() {
        return None;
    }
    let mut known_files = Vec::new();
    for (path, bytes) in &segments.files {
        known_files.push(KnownFile {
            path: Cow::Borrowed(path.to_str()?),
            bytes: length(bytes.len()),
            sum: sum64(bytes),
            mark: marks.get(path).map_or("", |mark| mark).into(),
            is_ended: is_ended(bytes),
        });
    }
    let mut odd = 0;
    let files = segments.files.iter().zip(0..);
    let all = files.flat_map(|((_, bytes), file)| placed(bytes, file, 0));
    let fold = Fold::of_placed(all.filter_map(|(place, line)| {
        let event = Event::read(line);
        odd += usize::from(event.is_none());
        Some((place, event?))
    }));
    let rows = fold.folded().map(|item| Cow::Owned(write_row(&item)));
    let index = Index {
        rows: rows.collect(),
        known_files,
        odd,
    };
    Some(index.write(place.top))
}

fn is_ended(bytes: &[u8]) -> bool {
    bytes.is_empty() || bytes.ends_with(b"\n")
}

impl<'a> Index<'a> {
    fn read(bytes: &'a [u8], top: &str) -> Option<Self> {
        let mut from = Reader(bytes);
        if (from.text()?, from.text()?) != (FORM, top) {
            return None;
        }
        let odd = usize::try_from(from.number()?).ok()?;
        let mut known_files = Vec::new();
        for _ in 0..from.number()? {
            known_files.push(KnownFile {
                path: Cow::Borrowed(from.text()?),
                bytes: from.number()?,
                sum: from.number()?,
                mark: Cow::Borrowed(from.text()?),
                is_ended: from.flag()?,
            });
        }
        let count = usize::try_from(from.number()?).ok()?;
        // Room for all at once: a list that grows is moved again and again.
        let mut rows = Vec::with_capacity(count.min(bytes.len()));
        for _ in 0..count {
            rows.push(Cow::Borrowed(from.bytes()?));
        }
        if !from.0.is_empty() {
            return None;
        }
        Some(Self {
            known_files,
            rows,
            odd,
        })
    }

    fn write(&self, top: &str) -> Vec<u8> {
        let rows = self.rows.iter().map(|row| row.len() + 3).sum::<usize>();
        let mut out = Writer(Vec::with_capacity(rows + 4_096));
        out.text(FORM);
        out.text(top);
        out.number(length(self.odd));
        out.number(length(self.known_files.len()));
        for source in &self.known_files {
            out.text(&source.path);
            out.number(source.bytes);
            out.number(source.sum);
            out.text(&source.mark);
            out.flag(source.is_ended);
        }
        out.number(length(self.rows.len()));
        self.rows.iter().for_each(|row| out.bytes(row));
        out.0
    }

    /// Brings it up to what the files are, and says whether it is worth writing again. Nothing if
    /// more happened to them than that they grew.
    fn follow(mut self, place: Look<'_>) -> Option<(Self, bool)> {
        let news = self.news(place)?;
        let mut told: HashMap<ItemKey<'static>, Vec<Place>> = HashMap::new();
        let mut count = 0;
        for (file, from, bytes) in &news.parts {
            for (place, line) in placed(bytes, *file, *from) {
                let key = Event::read(line)?.change.key().into_owned();
                told.entry(key).or_default().push(place);
                count += 1;
            }
        }
        if !told.is_empty() {
            self.fold_anew(told)?;
        }
        Some((self, count > NEWS_LINES || news.read > READ_BYTES))
    }

    /// What was added to the files since.
    fn news(&mut self, place: Look<'_>) -> Option<News> {
        let mut news = News::default();
        let mut seen = 0;
        let mut bytes_new = 0;
        for path in paths(place.dir) {
            let name = path.to_str()?;
            let now = mark(&path, place.now);
            let known = self.known_files.iter_mut().zip(0..);
            let mut known = known.filter(|(source, _)| source.path == name);
            let Some((source, file)) = known.next() else {
                let bytes = files::bytes(&path).ok()?;
                bytes_new += length(bytes.len());
                let file = u32::try_from(self.known_files.len()).ok()?;
                self.known_files.push(KnownFile {
                    path: Cow::Owned(name.to_owned()),
                    bytes: length(bytes.len()),
                    sum: sum64(&bytes),
                    mark: Cow::Owned(now),
                    is_ended: is_ended(&bytes),
                });
                seen += 1;
                news.parts.push((file, 0, bytes));
                continue;
            };
            seen += 1;
            if !now.is_empty() && source.mark == now {
                continue;
            }
            let grown = source.grow(&path, now)?;
            if grown.is_empty() && !source.mark.is_empty() {
                news.read += source.bytes;
            }
            bytes_new += length(grown.len());
            let from = source.bytes - length(grown.len());
            news.parts.push((file, from, grown));
        }
        let is_all = seen == self.known_files.len();
        (is_all && bytes_new <= NEWS_BYTES_MAX).then_some(news)
    }

    /// Folds the items that new lines name from all their lines. Nothing if ids come together:
    /// what an item is called then depends on the others.
    fn fold_anew(&mut self, mut told: HashMap<ItemKey<'static>, Vec<Place>>) -> Option<()> {
        let mut ids = HashSet::new();
        let mut changed = Vec::new();
        let mut kept = Vec::with_capacity(self.rows.len() + told.len());
        for row in std::mem::take(&mut self.rows) {
            let head = row_head(&row)?;
            let key = head.key().into_owned();
            let Some(news) = told.remove(&key) else {
                kept.push(row);
                continue;
            };
            let given = Some(head.given.to_owned());
            changed.push((key, [head.places()?, news].concat(), given));
        }
        changed.extend(told.into_iter().map(|(key, places)| (key, places, None)));
        let mut new = Vec::new();
        for (key, mut places, given) in changed {
            // In the order in which they are read where all are.
            places.sort_by_key(|place| (self.path(*place), place.start));
            let texts = self.texts(&places)?;
            let row = row_of(&key, &places, &texts)?;
            let id = row_head(&row)?.given.to_owned();
            if given.is_some_and(|given| given != id) || !ids.insert(id) {
                return None;
            }
            new.push(row);
        }
        let mut rows: Vec<(Stamp, Cow<'a, [u8]>)> = Vec::with_capacity(kept.len() + new.len());
        for row in kept {
            let head = row_head(&row)?;
            if ids.contains(head.id) || ids.contains(head.given) {
                return None;
            }
            rows.push((head.birth, row));
        }
        for row in new {
            rows.push((row_head(&row)?.birth, Cow::Owned(row)));
        }
        rows.sort_by(|a, b| {
            let given = |row: &Cow<'_, [u8]>| row_head(row).map(|head| head.given.to_owned());
            a.0.cmp(&b.0).then_with(|| given(&a.1).cmp(&given(&b.1)))
        });
        self.rows = rows.into_iter().map(|(_, row)| row).collect();
        Some(())
    }

    fn path(&self, place: Place) -> Option<&Path> {
        let file = usize::try_from(place.file).ok()?;
        self.known_files
            .get(file)
            .map(|source| Path::new(&*source.path))
    }

    /// The lines at some places.
    fn texts(&self, places: &[Place]) -> Option<Vec<Vec<u8>>> {
        let text = |place: &Place| {
            let mut file = File::open(self.path(*place)?).ok()?;
            file.seek(SeekFrom::Start(place.start)).ok()?;
            let mut text = vec![0; usize::try_from(place.bytes).ok()?];
            file.read_exact(&mut text).ok()?;
            Some(text)
        };
        places.iter().map(text).collect()
    }

    fn issues(&self) -> Option<Vec<Issue<'_>>> {
        let mut issues = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            issues.push(row_issue(row, at)?);
        }
        Some(issues)
    }

    fn view<'v>(&'v self, dir: &'v Path, issues: Vec<Issue<'v>>) -> View<'v> {
        View {
            issues,
            source: Source::Index(self, dir),
            left_out: None,
        }
    }

    /// All that is known of an item, from its lines; nothing if they are no longer there, or it is
    /// shown under an id that it was not given.
    pub(super) fn object(&self, at: usize) -> Option<Object<'static>> {
        let head = row_head(self.rows.get(at)?).filter(|head| head.given == head.id)?;
        let places = head.places()?;
        let texts = self.texts(&places)?;
        let fold = fold_of(&head.key(), &places, &texts)?;
        fold.object(0)
    }
}

/// What some lines add up to. Nothing if they are not all of one item.
fn fold_of<'t>(key: &ItemKey<'_>, places: &[Place], texts: &'t [Vec<u8>]) -> Option<Fold<'t>> {
    let mut events = Vec::new();
    for (place, text) in places.iter().zip(texts) {
        let event = Event::read(text)?;
        if event.change.key() != *key {
            return None;
        }
        events.push((*place, event));
    }
    Some(Fold::of_placed(events))
}

fn row_of(key: &ItemKey<'_>, places: &[Place], texts: &[Vec<u8>]) -> Option<Vec<u8>> {
    let fold = fold_of(key, places, texts)?;
    let item = fold.folded().next()?;
    Some(write_row(&item))
}

impl KnownFile<'_> {
    /// What the file has more than it had; nothing if it is not what it was with more at its end.
    fn grow(&mut self, path: &Path, mark: String) -> Option<Vec<u8>> {
        let mut bytes = files::bytes(path).ok()?;
        let known = usize::try_from(self.bytes).ok()?;
        let is_same = bytes
            .get(..known)
            .is_some_and(|known| sum64(known) == self.sum);
        // Who goes on with half a line changes it.
        let has_more = bytes.len() > known;
        if !is_same || (has_more && !self.is_ended) {
            return None;
        }
        self.bytes = length(bytes.len());
        self.mark = Cow::Owned(mark);
        if has_more {
            self.sum = sum64(&bytes);
            self.is_ended = is_ended(&bytes);
        }
        Some(bytes.split_off(known))
    }
}
