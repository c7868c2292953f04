//! Which items wait for which, as beads has it: what is ready, what is blocked and by what, and
//! which dependency would close a circle.

use std::collections::HashMap;

use super::issue::{Edge, Issue};

/// Kinds of dependencies that say when an item can be worked on; all others are told only.
pub const BLOCKING: &[&str] = &["blocks", "conditional-blocks", "waits-for", "parent-child"];
/// What the reason of an item that was closed without success holds.
const FAILURES: &[&str] = &[
    "fail",
    "reject",
    "wontfix",
    "won't fix",
    "cancel",
    "abandon",
    "abort",
    "error",
    "timed out",
    "timeout",
];

/// What a dependency means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The other must be closed first.
    Blocks,
    /// The other must have failed first.
    Conditional,
    /// All that belongs to the other must be closed first, or one of it.
    WaitsFor {
        /// One is enough.
        any: bool,
    },
    /// The item is a part of the other and waits with it.
    Parent,
    /// It says something and holds nothing up.
    Told,
}

/// Why an item cannot be worked on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// The item that is in the way.
    pub by: String,
    /// How.
    pub why: &'static str,
}

/// Items with their dependencies.
#[derive(Debug)]
pub struct Graph<'i, 'a> {
    issues: &'i [Issue<'a>],
    places: HashMap<&'i str, usize>,
    /// For each item what it depends on, in the order of its dependencies.
    on: Vec<Vec<(usize, Kind)>>,
    /// For each item its parts.
    parts: HashMap<usize, Vec<usize>>,
    blocked: Vec<bool>,
}

/// Whether an item needs no more work.
#[must_use]
pub fn is_closed(issue: &Issue<'_>) -> bool {
    matches!(&*issue.status, "closed" | "tombstone")
}

/// Whether it is done or lies where nobody waits for it.
fn is_out_of_the_way(issue: &Issue<'_>) -> bool {
    is_closed(issue) || issue.status == "pinned"
}

fn has_failed(issue: &Issue<'_>) -> bool {
    let reason = issue.close_reason.to_lowercase();
    FAILURES.iter().any(|word| reason.contains(word))
}

impl<'i, 'a> Graph<'i, 'a> {
    /// The graph of some items.
    #[must_use]
    pub fn of(issues: &'i [Issue<'a>]) -> Self {
        let places = issues
            .iter()
            .enumerate()
            .map(|(at, issue)| (&*issue.id, at));
        let mut graph = Self {
            issues,
            places: places.collect(),
            on: Vec::with_capacity(issues.len()),
            parts: HashMap::new(),
            blocked: Vec::new(),
        };
        for (at, issue) in issues.iter().enumerate() {
            let found = issue.dependencies.iter().filter_map(|one| {
                let target = *graph.places.get(&*one.on)?;
                Some((target, kind(one)))
            });
            let found: Vec<(usize, Kind)> = found.collect();
            for (target, kind) in &found {
                if *kind == Kind::Parent {
                    graph.parts.entry(*target).or_default().push(at);
                }
            }
            graph.on.push(found);
        }
        graph.find_blocked();
        graph
    }

    /// Blocked is what something is in the way of, and every part of what is blocked.
    fn find_blocked(&mut self) {
        self.blocked = (0..self.issues.len())
            .map(|at| !self.in_the_way(at).is_empty())
            .collect();
        let blocked = self.blocked.iter().enumerate();
        let mut next: Vec<usize> = blocked.filter(|(_, is)| **is).map(|(at, _)| at).collect();
        while let Some(at) = next.pop() {
            for part in self.parts.get(&at).into_iter().flatten() {
                if let Some(is) = self.blocked.get_mut(*part)
                    && !*is
                {
                    *is = true;
                    next.push(*part);
                }
            }
        }
    }

    fn in_the_way(&self, at: usize) -> Vec<(usize, &'static str)> {
        let mut found = Vec::new();
        for (target, kind) in self.on.get(at).into_iter().flatten() {
            let Some(other) = self.issues.get(*target) else {
                continue;
            };
            let is_done = is_out_of_the_way(other);
            match kind {
                Kind::Blocks if !is_done => found.push((*target, "is not closed")),
                Kind::Conditional if !is_done => found.push((*target, "has not failed yet")),
                Kind::Conditional if !has_failed(other) => found.push((*target, "did not fail")),
                Kind::WaitsFor { any } => self.parts_in_the_way(*target, *any, &mut found),
                _ => {}
            }
        }
        found
    }

    fn parts_in_the_way(&self, at: usize, any: bool, found: &mut Vec<(usize, &'static str)>) {
        let parts = self.parts.get(&at).into_iter().flatten();
        let is_open = |part: &&usize| {
            let issue = self.issues.get(**part);
            issue.is_some_and(|issue| !is_out_of_the_way(issue))
        };
        let (open, done): (Vec<&usize>, Vec<&usize>) = parts.partition(is_open);
        if !any || done.is_empty() {
            found.extend(open.into_iter().map(|part| (*part, "is not closed")));
        }
    }

    /// The place of an item.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// Whether something is in an item's way.
    #[must_use]
    pub fn is_blocked(&self, at: usize) -> bool {
        self.blocked.get(at).copied().unwrap_or_default()
    }

    /// What is in an item's way; where that is only what it is a part of, this.
    #[must_use]
    pub fn blockers(&self, at: usize) -> Vec<Blocked> {
        let direct = self.in_the_way(at);
        let above = || {
            let all = self.on.get(at).into_iter().flatten();
            let parents =
                all.filter(|(target, kind)| *kind == Kind::Parent && self.is_blocked(*target));
            parents
                .map(|(target, _)| (*target, "is blocked, and this is a part of it"))
                .collect()
        };
        let all = if direct.is_empty() { above() } else { direct };
        let all = all.into_iter().filter_map(|(target, why)| {
            let by = self.issues.get(target)?.id.to_string();
            Some(Blocked { by, why })
        });
        all.collect()
    }

    /// What can be worked on now, the most urgent in front, the older among equals.
    #[must_use]
    pub fn ready(&self, now_millis: u64) -> Vec<&'i Issue<'a>> {
        let is_due = |issue: &Issue<'_>| {
            issue.defer_until.is_empty()
                || text::date::millis(&issue.defer_until).is_none_or(|until| until <= now_millis)
        };
        let all = self.issues.iter().enumerate();
        let ready = all.filter(|(at, issue)| {
            issue.status == "open" && !issue.is_aside && !self.is_blocked(*at) && is_due(issue)
        });
        let mut ready: Vec<&Issue<'_>> = ready.map(|(_, issue)| issue).collect();
        ready.sort_by(|a, b| in_order(a, b));
        ready
    }

    /// The circle that a dependency would close: from the first item over the other back to it.
    #[must_use]
    pub fn circle(&self, from: &str, on: &str) -> Option<Vec<String>> {
        let (from, on) = (self.find(from)?, self.find(on)?);
        let mut path = self.path(on, from)?;
        path.insert(0, from);
        let names = path
            .iter()
            .filter_map(|at| Some(self.issues.get(*at)?.id.to_string()));
        Some(names.collect())
    }

    /// The shortest way over what items wait for.
    fn path(&self, start: usize, end: usize) -> Option<Vec<usize>> {
        let mut came: HashMap<usize, usize> = HashMap::from([(start, start)]);
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            if at == end {
                let mut path = vec![at];
                let mut last = at;
                while let Some(before) = came.get(&last).filter(|before| **before != last) {
                    path.push(*before);
                    last = *before;
                }
                path.reverse();
                return Some(path);
            }
            for (next, kind) in self.on.get(at).into_iter().flatten() {
                if *kind != Kind::Told && !came.contains_key(next) {
                    came.insert(*next, at);
                    queue.push_back(*next);
                }
            }
        }
        None
    }

    /// Circles that merges made, each once, as the ids along it.
    #[must_use]
    pub fn circles(&self) -> Vec<Vec<String>> {
        let mut seen = std::collections::HashSet::new();
        let mut found = Vec::new();
        for at in 0..self.issues.len() {
            for (next, kind) in self.on.get(at).into_iter().flatten() {
                if *kind == Kind::Told || seen.contains(&at) {
                    continue;
                }
                if let Some(path) = self
                    .is_waiting(*next)
                    .then(|| self.path(*next, at))
                    .flatten()
                {
                    seen.extend(path.iter().copied());
                    let names = path.iter().filter_map(|at| self.issues.get(*at));
                    found.push(names.map(|issue| issue.id.to_string()).collect());
                }
            }
        }
        found
    }

    fn is_waiting(&self, at: usize) -> bool {
        let mut on = self.on.get(at).into_iter().flatten();
        on.any(|(_, kind)| *kind != Kind::Told)
    }

    /// Dependencies on items that are not there.
    pub fn dangling(&self) -> impl Iterator<Item = (&'i str, String)> + '_ {
        self.issues.iter().flat_map(|issue| {
            let all = issue.dependencies.iter().map(|one| one.on.to_string());
            // Those on something outside are meant to lead nowhere.
            let lost = all.filter(|on| self.find(on).is_none() && !on.starts_with("external:"));
            lost.map(|on| (&*issue.id, on))
        })
    }
}

fn kind(one: &Edge<'_>) -> Kind {
    match &*one.kind {
        "blocks" => Kind::Blocks,
        "conditional-blocks" => Kind::Conditional,
        "waits-for" => Kind::WaitsFor { any: one.any },
        "parent-child" => Kind::Parent,
        _ => Kind::Told,
    }
}

/// The most urgent in front, then the older. What was made at the same time stays as it stands.
#[must_use]
pub fn in_order(a: &Issue<'_>, b: &Issue<'_>) -> std::cmp::Ordering {
    (a.priority, a.made).cmp(&(b.priority, b.made))
}
