//! Counts the commits that some tips reach and others do not, as far as a few reads go: what a call
//! would leave is mostly some commits of today. What it is not certain of, git has to count.

use super::budget::Budget;
use super::objects::{self, Commit};
use super::repository::Repository;
use std::collections::{BTreeMap, BinaryHeap};

/// Most commits that are read. Each costs some 20 µs, a git process some 3 ms.
const READ_MAX: usize = 64;
/// So many more are looked at when dates say that it is over: clocks have been wrong. As git does.
const SLOP: usize = 5;

/// What is asked about a history.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// Object names of the commits that are left.
    pub tips: Vec<String>,
    /// Object names of those that stay, with all that they reach.
    pub kept: Vec<String>,
}

/// How many commits `tips` reach and none of `kept` does; `None` if that takes more reading, or a
/// commit cannot be read, or one is older than what it follows: then dates prove nothing.
pub(super) fn count(repository: &Repository, reach: &Reach, budget: &mut Budget) -> Option<u32> {
    let mut walk = Walk {
        repository,
        budget,
        known: BTreeMap::new(),
        queue: BinaryHeap::new(),
    };
    for tip in &reach.tips {
        walk.meet(tip, false)?;
    }
    for tip in &reach.kept {
        walk.meet(tip, true)?;
    }
    walk.count()
}

/// A commit that was met.
struct Met {
    commit: Commit,
    is_kept: bool,
}

/// A walk from newer commits to older ones.
struct Walk<'a> {
    repository: &'a Repository,
    budget: &'a mut Budget,
    known: BTreeMap<String, Met>,
    /// Those whose parents are yet to be met, by date.
    queue: BinaryHeap<(u64, String)>,
}

impl Walk<'_> {
    /// Notes a commit that is reached, and from which side.
    fn meet(&mut self, name: &str, is_kept: bool) -> Option<u64> {
        let date = if let Some(met) = self.known.get_mut(name) {
            if met.is_kept || !is_kept {
                return Some(met.commit.date);
            }
            // Its parents have to hear that it stays.
            met.is_kept = true;
            met.commit.date
        } else {
            if self.known.len() >= READ_MAX {
                return None;
            }
            let commit = objects::commit(self.repository, name, self.budget)?;
            let date = commit.date;
            self.known.insert(name.to_owned(), Met { commit, is_kept });
            date
        };
        self.queue.push((date, name.to_owned()));
        Some(date)
    }

    fn count(mut self) -> Option<u32> {
        let mut slop = SLOP;
        while let Some((date, name)) = self.queue.pop() {
            // What is older than all that are left cannot reach one of them, if clocks are right.
            match self.oldest_left() {
                None => break,
                Some(oldest) if date >= oldest => slop = SLOP,
                Some(_) if slop == 0 => break,
                Some(_) => slop -= 1,
            }
            let met = self.known.get(&name)?;
            let (is_kept, parents) = (met.is_kept, met.commit.parents.clone());
            for parent in parents {
                if self.meet(&parent, is_kept)? > date {
                    return None;
                }
            }
        }
        u32::try_from(self.left().count()).ok()
    }

    fn left(&self) -> impl Iterator<Item = &Met> {
        self.known.values().filter(|met| !met.is_kept)
    }

    fn oldest_left(&self) -> Option<u64> {
        self.left().map(|met| met.commit.date).min()
    }
}
