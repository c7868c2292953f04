//! Paths as the file system sees them: links resolved, whether or not the end of the path exists.
//! Knows nothing of repositories.

use super::budget::Budget;
use super::error::LookError;
use super::sys::{self, Stat};
use model::PathKind;
use std::collections::{BTreeSet, VecDeque};
use std::io::{ErrorKind, Read};
use std::path::Path;

pub(super) use text::path::{child as join, file_name, is_within, parent, relative_to};

/// Most links that one path may lead through (as Linux has it).
const LINKS_MAX: usize = 40;
/// Most components of a path.
const COMPONENTS_MAX: usize = 512;

/// Where a path leads.
pub(super) struct Resolved {
    /// Links of the parents resolved, one at the end kept.
    pub lexical: String,
    /// All links resolved.
    pub real: String,
    /// What is there; `None` if nothing is.
    pub stat: Option<Stat>,
}

/// Resolves paths and remembers the directories that turned out to be no links.
#[derive(Default)]
pub(super) struct Resolver {
    /// Where this process stands: the system tells it without links.
    here: Option<String>,
    plain: BTreeSet<String>,
}

impl Resolver {
    /// For paths in and around a directory. Nearly always this process stands in it, which takes
    /// one look where each directory above takes one otherwise.
    pub fn around(dir: &str) -> Self {
        // Elsewhere it is told as it was set.
        let here = cfg!(unix).then(std::env::current_dir).and_then(Result::ok);
        let here = here.and_then(|here| here.into_os_string().into_string().ok());
        Self {
            here: here.filter(|here| here == dir),
            ..Self::default()
        }
    }

    /// Whether a directory is known to be one, and to be reached through no link.
    fn is_plain(&self, dir: &str) -> bool {
        let here = self.here.as_deref().filter(|_| !dir.ends_with('/'));
        here.is_some_and(|here| !dir.is_empty() && is_within(here, dir)) || self.plain.contains(dir)
    }

    /// Resolves an absolute path.
    ///
    /// # Errors
    /// Why it cannot be known: not absolute, too many links, or not permitted.
    pub fn resolve(&mut self, path: &str) -> Result<Resolved, LookError> {
        if !path.starts_with('/') {
            return Err(LookError::NotAbsolute(path.to_owned()));
        }
        let (lexical, stat) = match self.without_links(path)? {
            Some(found) => found,
            None => self.follow(path, false)?,
        };
        let real = match stat {
            Some(stat) if stat.kind == PathKind::Link => self.follow(path, true)?.0,
            _ => lexical.clone(),
        };
        Ok(Resolved {
            lexical,
            real,
            stat,
        })
    }

    /// The real path of a directory or file, as far as it exists.
    pub fn real(&mut self, path: &str) -> Result<String, LookError> {
        if self.is_plain(path) {
            return Ok(path.to_owned());
        }
        self.resolve(path).map(|resolved| resolved.real)
    }

    /// A path that leads through no link, which is nearly every path; `None` for others.
    fn without_links(&mut self, path: &str) -> Result<Option<(String, Option<Stat>)>, LookError> {
        let mut done = String::with_capacity(path.len());
        let mut stat = None;
        let mut rest = path
            .split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .peekable();
        while let Some(part) = rest.next() {
            done.push('/');
            done.push_str(part);
            let is_last = rest.peek().is_none();
            if !is_last && self.is_plain(&done) {
                continue;
            }
            if part == ".." {
                return Ok(None);
            }
            stat = look(&done)?;
            match stat.map(|stat| stat.kind) {
                Some(PathKind::Link) if !is_last => return Ok(None),
                Some(PathKind::Dir) => drop(self.plain.insert(done.clone())),
                _ => {}
            }
        }
        Ok((!done.is_empty()).then_some((done, stat)))
    }

    fn follow(
        &mut self,
        path: &str,
        to_the_end: bool,
    ) -> Result<(String, Option<Stat>), LookError> {
        let mut rest: VecDeque<String> = components(path);
        let mut done = String::new();
        let mut stat = match rest.is_empty() {
            true => look("/")?,
            false => None,
        };
        let mut links = 0;
        while let Some(component) = rest.pop_front() {
            if component == ".." {
                parent_of(&mut done);
                stat = look(if done.is_empty() { "/" } else { &done })?;
                continue;
            }
            let next = format!("{done}/{component}");
            if !rest.is_empty() && self.is_plain(&next) {
                done = next;
                continue;
            }
            stat = look(&next)?;
            let kind = stat.map(|stat| stat.kind);
            if kind == Some(PathKind::Link) && (to_the_end || !rest.is_empty()) {
                links += 1;
                let target = std::fs::read_link(&next).map_err(|error| said(&next, &error))?;
                let target = target.to_string_lossy().into_owned();
                if links > LINKS_MAX || rest.len() > COMPONENTS_MAX {
                    return Err(LookError::TooManyLinks(path.to_owned()));
                }
                if target.starts_with('/') {
                    done.clear();
                }
                for component in components(&target).into_iter().rev() {
                    rest.push_front(component);
                }
                continue;
            }
            if kind == Some(PathKind::Dir) {
                self.plain.insert(next.clone());
            }
            done = next;
        }
        if done.is_empty() {
            done.push('/');
        }
        Ok((done, stat))
    }
}

fn components(path: &str) -> VecDeque<String> {
    let parts = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".");
    parts.map(str::to_owned).collect()
}

fn parent_of(path: &mut String) {
    let end = path.rfind('/').unwrap_or(0);
    path.truncate(end);
}

/// `lstat`, where nothing being there is an answer.
fn look(path: &str) -> Result<Option<Stat>, LookError> {
    match sys::lstat(Path::new(path)) {
        Ok(stat) => Ok(Some(stat)),
        Err(error) if is_absence(error.kind()) => Ok(None),
        Err(error) => Err(said(path, &error)),
    }
}

fn is_absence(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// An error of the system, with the path it is about.
pub(super) fn said(path: &str, error: &std::io::Error) -> LookError {
    LookError::Io {
        path: path.to_owned(),
        kind: error.kind(),
    }
}

/// Reads a regular file of at most `bytes_max`.
///
/// # Errors
/// Why not: missing, not permitted, not a regular file, too long, or over the budget.
pub(super) fn read(path: &Path, bytes_max: u64, budget: &mut Budget) -> Result<Vec<u8>, LookError> {
    let name = path.to_string_lossy();
    let too_long = || LookError::TooLong {
        path: name.clone().into_owned(),
        bytes_max,
    };
    let file = sys::open_calmly(path).map_err(|error| said(&name, &error))?;
    let stat = file.metadata().map_err(|error| said(&name, &error))?;
    if !stat.is_file() {
        return Err(LookError::NotRegular(name.into_owned()));
    }
    if stat.len() > bytes_max || !budget.take_bytes(stat.len()) {
        return Err(too_long());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stat.len()).unwrap_or(0) + 1);
    let read = file.take(bytes_max + 1).read_to_end(&mut bytes);
    let length = read.map_err(|error| said(&name, &error))?;
    if length as u64 > bytes_max {
        return Err(too_long());
    }
    Ok(bytes)
}

/// [`read`] as text; what is not UTF-8 is replaced.
pub(super) fn read_text(path: &Path, bytes_max: u64, budget: &mut Budget) -> Option<String> {
    read(path, bytes_max, budget).ok().map(as_text)
}

/// Bytes as text, with no copy where they are text; what is not UTF-8 is replaced.
pub(super) fn as_text(bytes: Vec<u8>) -> String {
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    String::from_utf8(bytes).unwrap_or_else(|error| lossy(error.as_bytes()))
}
