//! Retention: what is old, or too much, goes, oldest first; bytes that no capture names go too.
//!
//! Captures are read without a lock. Under the lock alone nobody captures, so every draft, every
//! directory without a manifest and every unnamed object is rubbish; it is held for a moment at a
//! time, after a look at what came since, and given back to those who wait.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use model::Time;

use super::capture::{DIR, dir, manifest};
use super::manifest::Capture;
use super::{lock, objects};
use crate::{Store, StoreError};

/// When a sweep was last begun: the file's time.
const STAMP: &str = "undo/swept";
/// How often it is swept.
const EVERY: Duration = Duration::from_secs(60 * 60);
/// Longest time that the lock is held at once.
const SLICE: Duration = Duration::from_millis(20);
/// For those who wait, between two slices.
const PAUSE: Duration = Duration::from_millis(5);

/// How much is kept, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Most bytes of all captures together.
    pub bytes: u64,
    /// Longest age, in milliseconds.
    pub age: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            bytes: 2 * 1024 * 1024 * 1024,
            age: 14 * 24 * 60 * 60 * 1_000,
        }
    }
}

/// What a sweep did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Swept {
    /// Captures that went.
    pub captures: u64,
    /// Objects that no capture names any more.
    pub objects: u64,
    /// Whether there was no time for all of it, or others were always busy.
    pub cut: bool,
    /// Refs of ours that only git can remove: shared directory, ref, commit.
    pub left: Vec<(String, String, String)>,
}

/// What is known of the captures that stay.
#[derive(Default)]
struct Marks {
    /// Project and id.
    captures: BTreeSet<(String, String)>,
    /// The objects that they name.
    sums: BTreeSet<String>,
    /// Whether one of them cannot be read, which may name any object.
    blind: bool,
}

impl Marks {
    fn add(&mut self, capture: &Capture) {
        let key = (capture.project.clone(), capture.id.clone());
        self.captures.insert(key);
        let sums = capture.entries.iter().filter_map(|entry| entry.kind.sum());
        self.sums.extend(sums.map(str::to_owned));
    }
}

impl Store {
    /// Whether it is time for a sweep. Who is told so is expected to do it: the next is told after
    /// an hour.
    #[must_use]
    pub fn claim_sweep(&self) -> bool {
        self.claims(STAMP, EVERY)
    }

    /// Removes captures that are too old or too many, and bytes that nobody needs any more.
    ///
    /// # Errors
    /// If something cannot be listed or removed.
    pub fn sweep(
        &self,
        now: Time,
        retention: Retention,
        time: Duration,
    ) -> Result<Swept, StoreError> {
        let end = Instant::now() + time;
        let mut swept = Swept::default();
        let captures = self.captures(None)?;
        let mut marks = Marks {
            blind: !captures.damaged.is_empty(),
            ..Marks::default()
        };
        let (go, stay) = split(captures.whole, now, retention);
        stay.iter().for_each(|capture| marks.add(capture));
        for capture in go {
            swept.left.extend(self.drop_capture(&capture)?.left);
            swept.captures += 1;
        }
        let mut rest = self.root.names(objects::DIR, "")?;
        loop {
            match lock::alone(&self.root, end) {
                Ok(_held) => self.sweep_slice(&mut marks, &mut rest, &mut swept)?,
                Err(StoreError::Busy { .. }) => break,
                Err(error) => return Err(error),
            }
            if rest.is_empty() || marks.blind || Instant::now() >= end {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        swept.cut = !rest.is_empty() && !marks.blind;
        Ok(swept)
    }

    /// Removes some rubbish while nobody captures: all drafts and torn captures, and the objects in
    /// some of the directories, which it takes from `rest`.
    fn sweep_slice(
        &self,
        marks: &mut Marks,
        rest: &mut Vec<String>,
        swept: &mut Swept,
    ) -> Result<(), StoreError> {
        let end = Instant::now() + SLICE;
        for draft in self.root.names(objects::DRAFTS, "")? {
            self.root.remove(&format!("{}/{draft}", objects::DRAFTS))?;
        }
        self.mark_new(marks)?;
        while !marks.blind
            && Instant::now() < end
            && let Some(begin) = rest.pop()
        {
            let dir = format!("{}/{begin}", objects::DIR);
            for name in self.root.names(&dir, "")? {
                if !marks.sums.contains(&format!("{begin}{name}")) {
                    self.root.remove(&format!("{dir}/{name}"))?;
                    swept.objects += 1;
                }
            }
            self.root.remove_empty(&dir);
        }
        Ok(())
    }

    /// Marks what captures that came since name, and removes those that a crash cut short.
    fn mark_new(&self, marks: &mut Marks) -> Result<(), StoreError> {
        for project in self.undo_projects()? {
            for id in self.root.names(&format!("{DIR}/{project}"), "")? {
                if marks.captures.contains(&(project.clone(), id.clone())) {
                    continue;
                }
                match self.manifest(&project, &id)? {
                    Some(Ok(capture)) => marks.add(&capture),
                    Some(Err(_)) => marks.blind = true,
                    None => self.remove_torn(&project, &id)?,
                }
            }
        }
        Ok(())
    }

    fn remove_torn(&self, project: &str, id: &str) -> Result<(), StoreError> {
        let dir = dir(project, id);
        for name in self.root.names(&dir, "")? {
            self.root.remove(&format!("{dir}/{name}"))?;
        }
        self.root.remove_empty(&dir);
        self.root.remove_empty(&format!("{DIR}/{project}"));
        debug_assert!(!self.root.is_there(&manifest(project, id)));
        Ok(())
    }
}

/// What goes and what stays. Bytes that several captures share count once. Of too much, the oldest
/// go, and never the newest: it may be needed now.
fn split(captures: Vec<Capture>, now: Time, retention: Retention) -> (Vec<Capture>, Vec<Capture>) {
    let (mut go, mut stay) = (Vec::new(), Vec::new());
    let mut known = BTreeSet::new();
    let mut bytes = 0u64;
    for capture in captures.into_iter().rev() {
        for entry in &capture.entries {
            if let Some(sum) = entry.kind.sum()
                && known.insert(sum.to_owned())
            {
                bytes = bytes.saturating_add(entry.size);
            }
        }
        let is_old = now.0.saturating_sub(capture.time.0) > retention.age;
        let is_too_much = bytes > retention.bytes && !stay.is_empty();
        if is_old || is_too_much {
            go.push(capture);
        } else {
            stay.push(capture);
        }
    }
    go.reverse();
    (go, stay)
}
