//! What git remembers of our files. One that a commit holds is never written to again, so a record
//! that an earlier version holds and no file does was lost by a merge, or by hand.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use ledger::items::Event;
use ledger::{Message, Stamp};

use crate::files::lines;
use crate::items::WORK;
use crate::messages::MESSAGES;
use crate::{Board, HOME};

/// Most versions that are looked into: those of files that are shorter now, or had several.
const VERSIONS_MAX: usize = 500;
/// A commit that is being merged.
const MERGED: &str = "MERGE_HEAD";

/// A file that held more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutFile {
    /// The file, which may be gone.
    pub path: PathBuf,
    /// How many records it held.
    pub records: usize,
    /// How many of them stand nowhere now.
    pub lost: usize,
    /// What git calls its content of then.
    pub version: String,
}

impl Board {
    /// Files of messages of which git remembers some that stand nowhere now. `known` are those that
    /// stand somewhere. Nothing where git is of no help.
    #[must_use]
    pub fn cut_messages(&self, known: &HashSet<Stamp>) -> Vec<CutFile> {
        let id = |line: &[u8]| Message::read(line).map(|message| message.id);
        self.cut_files(MESSAGES, known, id)
    }

    /// The same of events of work items.
    #[must_use]
    pub fn cut_items(&self, known: &HashSet<Stamp>) -> Vec<CutFile> {
        self.cut_files(WORK, known, |line| Event::read(line).map(|event| event.id))
    }

    fn cut_files(
        &self,
        folder: &str,
        known: &HashSet<Stamp>,
        id: impl Fn(&[u8]) -> Option<Stamp>,
    ) -> Vec<CutFile> {
        let versions = self.versions(folder);
        let sizes = self.sizes(versions.values().flatten());
        let is_suspect = |path: &str, blobs: &BTreeSet<String>| {
            let now = self.top.join(path).metadata().map_or(0, |file| file.len());
            blobs.len() > 1
                || blobs
                    .iter()
                    .any(|blob| sizes.get(blob).is_some_and(|was| *was > now))
        };
        let suspects = versions
            .iter()
            .filter(|(path, blobs)| is_suspect(path, blobs));
        let all = suspects.flat_map(|(path, blobs)| blobs.iter().map(move |blob| (path, blob)));
        let mut found: BTreeMap<&str, CutFile> = BTreeMap::new();
        for (path, blob) in all.take(VERSIONS_MAX) {
            let Some(bytes) = self.git(&["cat-file", "blob", blob], "") else {
                continue;
            };
            let ids: HashSet<Stamp> = lines(&bytes).filter_map(&id).collect();
            let lost = ids.difference(known).count();
            let most = found.get(&**path).map_or(0, |known| known.lost);
            if lost > most {
                let cut = CutFile {
                    path: self.top.join(path),
                    records: ids.len(),
                    lost,
                    version: blob.clone(),
                };
                found.insert(path, cut);
            }
        }
        found.into_values().collect()
    }

    /// The contents that each file in a folder had, as git names them. A side that a merge left out
    /// is looked at too.
    fn versions(&self, folder: &str) -> BTreeMap<String, BTreeSet<String>> {
        let path = [HOME, "/", folder].concat();
        let mut words = vec![
            "log",
            "--format=",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "-m",
        ];
        words.extend(["--full-history", "--diff-filter=AMD", "HEAD"]);
        if self
            .git(&["rev-parse", "--verify", "--quiet", MERGED], "")
            .is_some()
        {
            words.push(MERGED);
        }
        words.extend(["--", &path]);
        let told = self.git(&words, "").unwrap_or_default();
        let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for line in String::from_utf8_lossy(&told).lines() {
            let Some((about, path)) = line.split_once('\t') else {
                continue;
            };
            let blobs = about.split(' ').skip(2).take(2);
            let blobs = blobs.filter(|blob| blob.bytes().any(|byte| byte != b'0'));
            let known = versions.entry(path.to_owned()).or_default();
            known.extend(blobs.map(str::to_owned));
        }
        versions
    }

    /// How long contents are.
    fn sizes<'b>(&self, blobs: impl Iterator<Item = &'b String>) -> BTreeMap<String, u64> {
        let asked: String = blobs.flat_map(|blob| [blob.as_str(), "\n"]).collect();
        let form = "--batch-check=%(objectname) %(objectsize)";
        let told = self.git(&["cat-file", form], &asked).unwrap_or_default();
        let told = String::from_utf8_lossy(&told);
        let pairs = told.lines().filter_map(|line| {
            let (blob, size) = line.split_once(' ')?;
            Some((blob.to_owned(), size.parse().ok()?))
        });
        pairs.collect()
    }

    /// What git says, if it says something.
    fn git(&self, words: &[&str], input: &str) -> Option<Vec<u8>> {
        let mut git = Command::new("git");
        git.current_dir(&self.top)
            .args(["-c", "core.quotePath=false"]);
        // What is not here is not looked for elsewhere.
        git.args(words).env("GIT_NO_LAZY_FETCH", "1");
        git.stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = git.spawn().ok()?;
        let mut to = child.stdin.take()?;
        let out = std::thread::scope(|scope| {
            // It may end before it has read everything.
            scope.spawn(move || drop(to.write_all(input.as_bytes())));
            child.wait_with_output()
        });
        out.ok()
            .filter(|out| out.status.success())
            .map(|out| out.stdout)
    }
}
