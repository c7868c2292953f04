//! Whether a search comes to what it does with one file: its tests, put together as they stand.

use super::measured::{Measure, Measured};
use crate::Arg;
use text::glob::{DOTGLOB, Glob};
use text::path;

/// Words that are true of everything, or say how the search goes.
const ALWAYS: &[&str] = &[
    "-print",
    "-print0",
    "-ls",
    "-true",
    "-depth",
    "-d",
    "-follow",
    "-mount",
    "-xdev",
    "-daystart",
    "-noleaf",
    "-warn",
    "-nowarn",
    "-quit",
    "-ignore_readdir_race",
    "-noignore_readdir_race",
];

/// The same, followed by one word (`-fprintf` by two).
const ALWAYS_WITH_VALUE: &[&str] = &["-printf", "-fprint", "-fprint0", "-fls", "-regextype", "-D"];

/// Tests that are followed by one word and of which nothing more is known.
pub(super) const OPEN: &[&str] = &[
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-context",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-inum",
    "-iregex",
    "-links",
    "-lname",
    "-perm",
    "-regex",
    "-samefile",
    "-uid",
    "-used",
    "-user",
    "-xtype",
];

/// Deepest nesting of groups that is followed.
const DEPTH_MAX: usize = 32;

/// Letters that differ in case alone are the same.
const FOLDED: Glob = Glob {
    folds_case: true,
    ..DOTGLOB
};

/// A part of what a search asks for and does.
#[derive(Debug)]
enum Part {
    /// One after the other, as long as they are true.
    All(Vec<Part>),
    /// One after the other, until one is true.
    Any(Vec<Part>),
    /// One after the other, whatever they are.
    Each(Vec<Part>),
    Not(Box<Part>),
    /// A pattern of the name, or of the whole path.
    Name(Glob, String),
    Path(Glob, String),
    /// Letters of kinds.
    Kind(String),
    Deeper(usize),
    NotDeeper(usize),
    Measure(Measure),
    Prune,
    Delete,
    /// A command, by its number.
    Start(usize),
    True,
    False,
    Open,
}

/// What a search asks for and does, in its order.
#[derive(Debug, Default)]
pub(super) struct Condition(Option<Part>);

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    /// It is deleted.
    Delete,
    /// The command of this number is started.
    Start(usize),
}

/// A file that the search may find.
pub(super) struct Found<'a> {
    /// As the search says it: with the root as it was given.
    pub(super) shown: &'a str,
    /// How many levels it lies below the root.
    pub(super) level: usize,
    /// Its size and time, if they are known.
    pub(super) measured: Option<Measured>,
}

impl Condition {
    /// Reads the words after the roots. What cannot be read is no condition: it says nothing.
    pub(super) fn read(words: &[Arg]) -> Self {
        let mut reader = Reader { words, started: 0 };
        let part = reader.each(0);
        Self(part.filter(|_| reader.words.is_empty()))
    }

    /// Whether it says which files are meant, and not only of what kind.
    pub(super) fn is_choice(&self) -> bool {
        let is_all = |part: &&Part| match part {
            Part::Kind(_) | Part::Delete | Part::Start(_) | Part::True => true,
            Part::Deeper(level) => *level <= 1,
            _ => false,
        };
        self.0.is_some() && !self.parts().iter().all(is_all)
    }

    /// What sizes and times are held against.
    pub(super) fn measures(&self) -> Vec<&Measure> {
        let parts = self.parts().into_iter();
        let measures = parts.filter_map(|part| match part {
            Part::Measure(measure) => Some(measure),
            _ => None,
        });
        measures.collect()
    }

    /// All parts that hold no others.
    fn parts(&self) -> Vec<&Part> {
        let mut found = Vec::new();
        let mut open: Vec<&Part> = self.0.iter().collect();
        while let Some(part) = open.pop() {
            match part {
                Part::All(parts) | Part::Any(parts) | Part::Each(parts) => open.extend(parts),
                Part::Not(part) => open.push(part),
                part => found.push(part),
            }
        }
        found
    }

    /// Whether this is done with a file, as far as that is known.
    pub(super) fn may(&self, doing: Doing, file: &Found<'_>) -> bool {
        let Some(part) = &self.0 else {
            return true;
        };
        let mut way = Way {
            doing,
            file,
            is_dir: false,
            doubts: 0,
            done: false,
            is_pruned: false,
        };
        way.follow(part);
        way.done && (doing == Doing::Delete || !self.is_passed_by(doing, file))
    }

    /// Whether the search does not go into a directory above the file.
    fn is_passed_by(&self, doing: Doing, file: &Found<'_>) -> bool {
        let mut shown = file.shown;
        (0..file.level).rev().any(|level| {
            shown = shown.rsplit_once('/').map_or("", |(above, _)| above);
            let above = Found {
                shown,
                level,
                measured: None,
            };
            let mut way = Way {
                doing,
                file: &above,
                is_dir: true,
                doubts: 0,
                done: false,
                is_pruned: false,
            };
            let _ = self.0.as_ref().and_then(|part| way.follow(part));
            way.is_pruned
        })
    }
}

/// The way of one file through the parts.
struct Way<'a> {
    doing: Doing,
    file: &'a Found<'a>,
    is_dir: bool,
    /// How many parts before the present one are not known, and would end the way.
    doubts: usize,
    /// Whether it may come to what is asked about.
    done: bool,
    /// Whether it surely comes to where the search turns back.
    is_pruned: bool,
}

impl Way<'_> {
    /// Whether a part is true; `None` where that is not known.
    fn follow(&mut self, part: &Part) -> Option<bool> {
        match part {
            Part::All(parts) => self.until(parts, false),
            Part::Any(parts) => self.until(parts, true),
            Part::Each(parts) => parts.iter().map(|part| self.follow(part)).last().flatten(),
            Part::Not(part) => self.follow(part).map(|is| !is),
            Part::Name(glob, pattern) => {
                Some(glob.matches_name(pattern, path::file_name(self.file.shown)))
            }
            Part::Path(glob, pattern) => Some(glob.matches_name(pattern, self.file.shown)),
            Part::Kind(kinds) => Some(kinds.contains(if self.is_dir { 'd' } else { 'f' })),
            Part::Deeper(level) => Some(self.file.level >= *level),
            Part::NotDeeper(level) => Some(self.file.level <= *level),
            Part::Measure(measure) => measure.passes(self.file.measured.as_ref()?),
            Part::Prune => {
                self.is_pruned |= self.doubts == 0;
                Some(true)
            }
            Part::Delete => {
                self.done |= self.doing == Doing::Delete;
                Some(true)
            }
            Part::Start(number) => {
                self.done |= self.doing == Doing::Start(*number);
                None
            }
            Part::True => Some(true),
            Part::False => Some(false),
            Part::Open => None,
        }
    }

    /// Follows parts until one is surely so.
    fn until(&mut self, parts: &[Part], end: bool) -> Option<bool> {
        let before = self.doubts;
        let mut is = Some(!end);
        for part in parts {
            match self.follow(part) {
                Some(found) if found == end => {
                    is = (self.doubts == before).then_some(end);
                    break;
                }
                Some(_) => {}
                None => self.doubts += 1,
            }
        }
        let is = is.filter(|_| self.doubts == before);
        self.doubts = before;
        is
    }
}

struct Reader<'a> {
    words: &'a [Arg],
    started: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a Arg> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn next_is(&mut self, among: &[&str]) -> bool {
        let is = self
            .words
            .first()
            .is_some_and(|word| among.contains(&&*word.text));
        is && self.next().is_some()
    }

    fn each(&mut self, depth: usize) -> Option<Part> {
        let mut parts = vec![self.any(depth)?];
        while self.next_is(&[","]) {
            parts.push(self.any(depth)?);
        }
        Some(Part::Each(parts))
    }

    fn any(&mut self, depth: usize) -> Option<Part> {
        let mut parts = vec![self.all(depth)?];
        while self.next_is(&["-o", "-or"]) {
            parts.push(self.all(depth)?);
        }
        Some(Part::Any(parts))
    }

    fn all(&mut self, depth: usize) -> Option<Part> {
        let ends = |word: &Arg| matches!(&*word.text, "," | "-o" | "-or" | ")");
        let mut parts = Vec::new();
        while self.words.first().is_some_and(|word| !ends(word)) {
            if !self.next_is(&["-a", "-and"]) {
                parts.push(self.one(depth)?);
            }
        }
        Some(Part::All(parts))
    }

    fn one(&mut self, depth: usize) -> Option<Part> {
        let word = self.next()?;
        match &*word.text {
            "!" | "-not" if depth < DEPTH_MAX => Some(Part::Not(Box::new(self.one(depth + 1)?))),
            "(" if depth < DEPTH_MAX => {
                let part = self.each(depth + 1)?;
                self.next_is(&[")"]).then_some(part)
            }
            "-delete" => Some(Part::Delete),
            "-exec" | "-execdir" | "-ok" | "-okdir" => self.command(),
            "-prune" => Some(Part::Prune),
            "-false" => Some(Part::False),
            "-empty" => Some(Part::Measure(Measure::nothing())),
            "-fprintf" => self.next().and(self.next()).map(|_| Part::True),
            test if ALWAYS.contains(&test) => Some(Part::True),
            test if ALWAYS_WITH_VALUE.contains(&test) => self.next().map(|_| Part::True),
            test if OPEN.contains(&test) => self.next().map(|_| Part::Open),
            "-executable" | "-readable" | "-writable" | "-nogroup" | "-nouser" => Some(Part::Open),
            test => {
                let value = self.next()?;
                match value.is_known() {
                    true => valued(test, value),
                    false => Some(Part::Open),
                }
            }
        }
    }

    fn command(&mut self) -> Option<Part> {
        let is_end = |word: &Arg| matches!(&*word.text, ";" | "+");
        let end = self.words.iter().position(is_end)?;
        self.words = self.words.get(end + 1..)?;
        self.started += 1;
        Some(Part::Start(self.started - 1))
    }
}

/// A test that is followed by one word.
fn valued(test: &str, value: &Arg) -> Option<Part> {
    let text = value.text.clone();
    Some(match test {
        "-name" => Part::Name(DOTGLOB, text),
        "-iname" => Part::Name(FOLDED, text),
        "-path" | "-wholename" => Part::Path(DOTGLOB, text),
        "-ipath" | "-iwholename" => Part::Path(FOLDED, text),
        "-type" => Part::Kind(text),
        "-mindepth" => Part::Deeper(text.parse().ok()?),
        "-maxdepth" => Part::NotDeeper(text.parse().ok()?),
        "-size" | "-newer" | "-mtime" | "-mmin" | "-newermt" => {
            Measure::read(test, value).map_or(Part::Open, Part::Measure)
        }
        _ => return None,
    })
}
