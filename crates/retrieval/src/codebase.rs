//! Files of the project that fit a prompt: by their paths, by the lines that name what it speaks
//! of, by how lately they were written. Keeps to ignore files, follows no link, runs nothing.

mod content;
mod score;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};
use std::{panic, thread};

use crate::{Passage, Term, TermKind};
use ignore::{WalkBuilder, WalkState};

use crate::{Job, Retrieved};
use content::Searcher;
use score::{Scored, Scores};

/// Most files that are looked at.
const FILES_MAX: usize = 400_000;
/// Directories that hold nothing written by hand, also where no ignore file says so.
const BUILT: &[&str] = &["node_modules", "__pycache__", "site-packages"];
/// Most threads.
const THREADS_MAX: usize = 8;
/// What finding the files may take of the time; the rest is for reading them.
const WALK_SHARE: u32 = 2;
/// Files are taken up for reading in runs of this many.
const RUN: usize = 32;
/// The clock is looked at before each of so many.
const LOOKS_BETWEEN: usize = 8;
/// Most files that a request is offered; its budget decides.
const FOUND_MAX: usize = 8;

/// A file below the project.
struct Candidate {
    /// Its path from there.
    path: String,
    /// How well the path alone fits.
    score: f32,
}

/// The files that fit a prompt.
pub(super) fn retrieve(job: &Job, end: Instant) -> Retrieved {
    if job.terms.is_empty() || !is_project(job) {
        return Retrieved::default();
    }
    let root = Path::new(&job.places.project);
    let now = Instant::now();
    let walk_end = now + (end.saturating_duration_since(now)) / WALK_SHARE;
    let (mut files, all_found) = walk(root, &job.terms, walk_end);
    // What is read last is what the time may not suffice for.
    files.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| a.path.cmp(&b.path))
    });
    let (scored, all_read) = read(root, &files, &job.terms, end);
    Retrieved {
        passages: best(&files, scored, &job.terms),
        notes: None,
        is_partial: !(all_found && all_read),
    }
}

/// A home or the whole disk is no project.
fn is_project(job: &Job) -> bool {
    let project = job.places.project.trim_end_matches('/');
    !project.is_empty() && project != job.places.home.trim_end_matches('/')
}

/// The files below the project. Whether there was time for all.
fn walk(root: &Path, terms: &[Term], end: Instant) -> (Vec<Candidate>, bool) {
    let found = Mutex::new(Vec::new());
    let is_whole = AtomicBool::new(true);
    let count = AtomicUsize::new(0);
    let mut builder = WalkBuilder::new(root);
    // Ignore files of projects that other programs keep count.
    builder
        .threads(threads())
        .follow_links(false)
        .require_git(false);
    builder.filter_entry(|entry| {
        let name = entry.file_name();
        !BUILT.iter().any(|built| name == *built)
    });
    builder.build_parallel().run(|| {
        let mut batch = Batch {
            files: Vec::new(),
            all: &found,
        };
        let (is_whole, count) = (&is_whole, &count);
        Box::new(move |entry| {
            let Ok(entry) = entry else {
                return WalkState::Continue;
            };
            if count.fetch_add(1, Ordering::Relaxed) >= FILES_MAX || Instant::now() > end {
                is_whole.store(false, Ordering::Relaxed);
                return WalkState::Quit;
            }
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            let below = entry.path().strip_prefix(root).ok().and_then(Path::to_str);
            if let Some(path) = below.filter(|_| is_file) {
                let score = score::of_path(path, terms);
                let path = path.to_owned();
                batch.files.push(Candidate { path, score });
            }
            WalkState::Continue
        })
    });
    let found = found
        .into_inner()
        .unwrap_or_else(|broken| broken.into_inner());
    (found, is_whole.into_inner())
}

/// What one thread found, handed on when it ends.
struct Batch<'a> {
    files: Vec<Candidate>,
    all: &'a Mutex<Vec<Candidate>>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        if let Ok(mut all) = self.all.lock() {
            all.append(&mut self.files);
        }
    }
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get().min(THREADS_MAX))
}

/// What the files hold of the terms, by their place in the list. Whether there was time for all.
fn read(root: &Path, files: &[Candidate], terms: &[Term], end: Instant) -> (Scores, bool) {
    let searched = terms.iter().filter(|term| term.kind != TermKind::Path);
    let mut scores = Scores::new(terms.len());
    let Some(searcher) = Searcher::new(&searched.collect::<Vec<_>>()) else {
        return (scores, true);
    };
    let queue = FileQueue {
        root,
        files,
        next: AtomicUsize::new(0),
        end,
    };
    let mut is_whole = true;
    thread::scope(|scope| {
        let start = |_| {
            let (queue, searcher) = (&queue, searcher.clone());
            let scores = Scores::new(terms.len());
            scope.spawn(move || queue.work(searcher, scores))
        };
        let workers: Vec<_> = (0..threads()).map(start).collect();
        for worker in workers {
            match worker.join() {
                Ok((found, all)) => {
                    scores.merge(found);
                    is_whole &= all;
                }
                Err(broken) => panic::resume_unwind(broken),
            }
        }
    });
    (scores, is_whole)
}

/// What threads that read share.
struct FileQueue<'a> {
    root: &'a Path,
    files: &'a [Candidate],
    /// The first file that nobody has taken up.
    next: AtomicUsize,
    end: Instant,
}

impl FileQueue<'_> {
    /// Reads until no file or no time is left. Whether it was not the time.
    fn work(&self, mut searcher: Searcher, mut scores: Scores) -> (Scores, bool) {
        loop {
            let from = self.next.fetch_add(RUN, Ordering::Relaxed);
            let until = (from + RUN).min(self.files.len());
            let Some(run) = self.files.get(from..until).filter(|run| !run.is_empty()) else {
                return (scores, true);
            };
            for (at, file) in run.iter().enumerate() {
                if at % LOOKS_BETWEEN == 0 && Instant::now() > self.end {
                    return (scores, false);
                }
                if let Some(content) = searcher.search(&self.root.join(&file.path)) {
                    scores.add(from + at, content);
                }
            }
        }
    }
}

/// The best files, each with the line that tells most.
fn best(files: &[Candidate], scores: Scores, terms: &[Term]) -> Vec<Passage> {
    let now = SystemTime::now();
    let mut scored = scores.weighed(files.len(), terms);
    let with_paths = files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.score > 0.0);
    for (at, file) in with_paths {
        scored.entry(at).or_default().score += file.score;
    }
    let recent = |scored: &Scored| -> f32 {
        let written = scored
            .written
            .and_then(|time| now.duration_since(time).ok());
        score::of_age(written.unwrap_or(Duration::MAX))
    };
    let mut ranked: Vec<(f32, usize, Scored)> = scored
        .into_iter()
        .map(|(at, scored)| (scored.score * recent(&scored), at, scored))
        .collect();
    // Files stand in the order of their paths' scores, then of their names.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let best = ranked.into_iter().take(FOUND_MAX);
    let passages = best.filter_map(|(_, at, scored)| {
        let path = &files.get(at)?.path;
        Some(match scored.line {
            Some((number, text)) => Passage {
                source: format!("{path}:{number}"),
                text,
            },
            None => Passage {
                source: path.clone(),
                text: String::new(),
            },
        })
    });
    passages.collect()
}

#[cfg(test)]
mod tests;
