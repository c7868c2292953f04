//! Whether the reviewer that would start is ours: definitions in files, in plugins, and on the
//! command line of the host. Looks within limits; decides nothing.

use std::fs;
use std::path::{Path, PathBuf};

use hosts::{HelperFile, Helpers, Host, Launched, OurDirs, OwnContent, Review, Roots};
use model::{CallEnv, Caller, Helper};

use crate::{facts, processes, surroundings};

/// Most entries that are looked at.
const ENTRIES_MAX: usize = 2_000;
/// Deepest directory that is looked into, below where definitions or plugins are kept.
const DEPTH_MAX: usize = 16;
/// Most bytes of a definition that are read: its head names it.
const HEAD_MAX: u64 = 16 * 1024;

/// Globs of files that define subagents of a host.
#[must_use]
pub fn globs(host: &Host, place: &CallEnv) -> Vec<String> {
    roots(place).expand_all(host.review.definitions)
}

fn roots(place: &CallEnv) -> Roots<'_> {
    Roots {
        home: &place.home,
        project: &place.project,
        env: &surroundings::env,
    }
}

/// The same of every directory above the present one, and above the one that the host was started
/// in: hosts look there too.
fn all_globs(host: &Host, place: &CallEnv, launched_in: &str) -> Vec<String> {
    let mut all = globs(host, place);
    for dir in [place.cwd.as_str(), launched_in] {
        for above in Path::new(dir).ancestors() {
            let project = above.to_string_lossy();
            let roots = Roots {
                project: &project,
                ..roots(place)
            };
            let more = roots.expand_all(host.review.definitions);
            all.extend(more.into_iter().filter(|_| dir.starts_with('/')));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|glob| seen.insert(glob.clone()));
    all
}

/// Why the reviewer that a host would start is not ours, as far as can be seen.
#[must_use]
pub fn foreign(host: &Host, place: &CallEnv, caller: &Caller, config: &str) -> Option<String> {
    let ours = ours(host, place, config);
    let review = host.review;
    let mut left = ENTRIES_MAX;
    let (launched, dir) = launched(review, caller);
    if launched.takes_name {
        return Some("the host's command line defines one".to_owned());
    }
    let named = launched.plugins.iter();
    let named = named.map(|plugin| Path::new(&dir).join(plugin));
    if let Some(found) = named.into_iter().find_map(|dir| other_plugin(review, &dir)) {
        return Some(found);
    }
    let is_taken = |_: &str, text: &str| (review.is_taken_by)(text);
    let all = all_globs(host, place, &dir);
    if let Some(found) = taking(&all, &ours, is_taken, &mut left) {
        return Some(found);
    }
    if left == 0 {
        return Some("there are more files beside it than are looked at".to_owned());
    }
    let mut left = ENTRIES_MAX;
    let marker = review.plugin.first().map_or("", |(path, _)| *path);
    for dir in roots(place).expand_all(review.plugins) {
        let files = below(Path::new(&dir), &mut left);
        let plugins = files.iter().filter(|file| file.ends_with(marker));
        let tops = plugins.filter_map(|file| {
            let depth = Path::new(marker).components().count();
            file.ancestors().nth(depth)
        });
        if let Some(found) = tops.into_iter().find_map(|dir| other_plugin(review, dir)) {
            return Some(found);
        }
    }
    None
}

/// Which definition takes the name of a helper away from ours, if one does. Our own files are those
/// that stand where we write them, byte for byte.
#[must_use]
pub fn foreign_helper(
    host: &Host,
    helper: Helper,
    place: &CallEnv,
    config: &str,
) -> Option<String> {
    let ours = ours(host, place, config);
    let is_taken = |path: &str, text: &str| host.takes(path, text) == Some(helper);
    let mut left = ENTRIES_MAX;
    taking(&globs(host, place), &ours, is_taken, &mut left)
}

/// The first file below these globs, other than ours, of which something holds by its path and the
/// head of its text. A file that cannot be read has none.
fn taking(
    globs: &[String],
    ours: &[HelperFile],
    is_taken: impl Fn(&str, &str) -> bool,
    left: &mut usize,
) -> Option<String> {
    for glob in globs {
        let Some(dir) = glob.strip_suffix("/**").filter(|dir| !dir.contains('*')) else {
            continue;
        };
        for file in below(Path::new(dir), left) {
            let path = file.to_string_lossy();
            let text = facts::head_of(&file, HEAD_MAX).unwrap_or_default();
            if is_taken(&path, &text) && !is_ours(ours, &file, &text) {
                return Some(path.into_owned());
            }
        }
    }
    None
}

/// The files by which a host finds our helpers.
fn ours(host: &Host, place: &CallEnv, config: &str) -> Vec<HelperFile> {
    let dirs = OurDirs {
        config,
        requests: "",
    };
    let files = |helpers: &Helpers| (helpers.files)(&roots(place), &dirs);
    host.helpers.map(files).unwrap_or_default()
}

fn is_ours(ours: &[HelperFile], file: &Path, text: &str) -> bool {
    ours.iter().any(|known| match &known.content {
        OwnContent::Whole(whole) => Path::new(&known.path) == file && whole == text,
        OwnContent::Part(_) => false,
    })
}

/// What the host was started with, and in which directory.
fn launched(review: &Review, caller: &Caller) -> (Launched, String) {
    let Some(binding) = caller.binding() else {
        return (Launched::default(), String::new());
    };
    let words = processes::command_line(binding.process).unwrap_or_default();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let dir = processes::directory(binding.process).unwrap_or_default();
    ((review.launched)(&words), dir)
}

/// A plugin that calls itself ours and is not, file by file; an added file makes it another.
fn other_plugin(review: &Review, dir: &Path) -> Option<String> {
    let (marker, _) = review.plugin.first()?;
    let description = facts::head_of(&dir.join(marker), HEAD_MAX).ok()?;
    if !(review.is_plugin)(&description) {
        return None;
    }
    for (path, ours) in review.plugin.iter().skip(1) {
        let file = dir.join(path);
        let text = facts::head_of(&file, HEAD_MAX).unwrap_or_default();
        let mut left = ENTRIES_MAX;
        let beside = file.parent().map(|dir| below(dir, &mut left));
        if text != *ours || beside.is_none_or(|files| files.len() != 1) {
            return Some(file.display().to_string());
        }
    }
    None
}

/// All files below a directory, as far as the limits go.
fn below(dir: &Path, left: &mut usize) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut dirs = vec![(dir.to_owned(), 0)];
    while let Some((dir, depth)) = dirs.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            if *left == 0 {
                return files;
            }
            *left -= 1;
            // What a link leads to is read like what stands there; the limits end a circle.
            match fs::metadata(entry.path()) {
                Ok(found) if found.is_dir() && depth < DEPTH_MAX => {
                    dirs.push((entry.path(), depth + 1));
                }
                Ok(found) if found.is_dir() => {}
                _ => files.push(entry.path()),
            }
        }
    }
    files
}
