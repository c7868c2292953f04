//! Facts that were kept, on the disk: where, which, and adding one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::Passage;
use anyhow::{Context, Result, bail, ensure};
use context::memory::{FACT_BYTES_MAX, MemoryFact, rank};
use store::Folder;
use text::hex;

use crate::{Job, Retrieved};

/// Most facts that are read from one directory.
const FACTS_MAX: usize = 2_000;
/// How far below it they may lie.
const DEPTH_MAX: usize = 3;
/// Largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 64 * 1024;
/// Most facts that a request is offered; its budget decides.
const FOUND_MAX: usize = 8;
/// Below the user's facts: those of projects.
pub const PROJECTS: &str = "projects";

/// Where facts are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FactDirs {
    /// The user's.
    pub user: PathBuf,
    /// This project's.
    pub project: PathBuf,
}

/// A path of the settings, which may begin with the home.
#[must_use]
pub fn at_home(path: &str, home: &str) -> PathBuf {
    match path.strip_prefix("~/") {
        Some(rest) => Path::new(home).join(rest),
        None => PathBuf::from(path),
    }
}

/// A fact and its file.
#[derive(Debug)]
pub struct StoredFact {
    /// What it says.
    pub fact: MemoryFact,
    /// Where it stands.
    pub path: PathBuf,
    /// `user` or `project`.
    pub whose: &'static str,
}

impl StoredFact {
    /// What a request names it by.
    fn source(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let by = match self.fact.by.as_str() {
            "" => String::new(),
            by => format!(", by {by}"),
        };
        format!("{} {name}{by}", self.whose)
    }
}

/// All facts, the project's first; whether there was time for all of them.
#[must_use]
pub fn all(dirs: &FactDirs, end: Option<Instant>) -> (Vec<StoredFact>, bool) {
    let mut found = Vec::new();
    let mut is_whole = true;
    for (whose, dir) in [("project", &dirs.project), ("user", &dirs.user)] {
        let mut walk = Walk {
            whose,
            found: &mut found,
            left: FACTS_MAX,
            end,
        };
        is_whole &= walk.below(dir, 0);
    }
    (found, is_whole)
}

struct Walk<'a> {
    whose: &'static str,
    found: &'a mut Vec<StoredFact>,
    left: usize,
    end: Option<Instant>,
}

impl Walk<'_> {
    /// Reads what is below a directory, by name. Follows no link. Whether that was all.
    fn below(&mut self, dir: &Path, depth: usize) -> bool {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        let mut entries: Vec<(PathBuf, fs::FileType)> = entries
            .filter_map(|entry| Some((entry.path(), entry.file_type().ok()?)))
            .collect();
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (path, kind) in entries {
            if self.left == 0 || self.end.is_some_and(|end| Instant::now() > end) {
                return false;
            }
            let is_projects = depth == 0 && self.whose == "user" && path.ends_with(PROJECTS);
            if kind.is_dir() && depth < DEPTH_MAX && !is_projects {
                if !self.below(&path, depth + 1) {
                    return false;
                }
            } else if kind.is_file() && path.extension().is_some_and(|end| end == "md") {
                self.left -= 1;
                self.read(path);
            }
        }
        true
    }

    fn read(&mut self, path: PathBuf) {
        // What cannot be read or is no text is nobody's fact.
        let Ok(text) = edge::facts::head_of(&path, FILE_BYTES_MAX) else {
            return;
        };
        let fact = MemoryFact::read(&text);
        if !fact.text.is_empty() {
            let whose = self.whose;
            self.found.push(StoredFact { fact, path, whose });
        }
    }
}

/// The facts that fit some words, the best first.
#[must_use]
pub fn search(kept: &[StoredFact], words: &str) -> Vec<usize> {
    let texts: Vec<String> = kept.iter().map(|kept| kept.fact.searched()).collect();
    rank(&texts, words).iter().map(|ranked| ranked.at).collect()
}

/// The facts that fit a prompt.
pub(super) fn retrieve(job: &Job, end: Instant) -> Retrieved {
    let (kept, is_whole) = all(&job.places.memory, Some(end));
    let best = search(&kept, &job.ask.prompt).into_iter().take(FOUND_MAX);
    let passages = best.filter_map(|at| kept.get(at)).map(|kept| Passage {
        source: kept.source(),
        text: kept.fact.text.clone(),
    });
    Retrieved {
        passages: passages.collect(),
        notes: None,
        is_partial: !is_whole,
    }
}

/// Keeps a fact in a directory. Its file; one that says the same already is left as it is.
///
/// # Errors
/// If it is empty, too long, or cannot be written.
pub fn add(dir: &Path, fact: &MemoryFact) -> Result<(PathBuf, bool)> {
    if fact.text.trim().is_empty() {
        bail!("there is nothing to keep; say it in words, or with - on standard input");
    }
    ensure!(
        fact.text.len() <= FACT_BYTES_MAX,
        "a fact has at most {FACT_BYTES_MAX} bytes; keep the gist, and the rest in a document"
    );
    let dirs = FactDirs {
        user: dir.to_owned(),
        project: PathBuf::new(),
    };
    let (kept, _) = all(&dirs, None);
    if let Some(known) = kept.into_iter().find(|kept| kept.fact.says_as(fact)) {
        return Ok((known.path, false));
    }
    let word = edge::random().context("the system gives no random numbers")?;
    let word = hex::encode(word.get(..3).unwrap_or_default());
    let name = format!("{}-{word}.md", fact.name());
    let path = Folder::own(dir)?.keep(&name, &fact.to_string())?;
    Ok((path, true))
}
