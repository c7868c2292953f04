//! What a call would lose is kept before it runs: from the backup items of its actions and the
//! facts to the list of what the store is to keep. Knows no program and decides nothing: what
//! became of it is a fact for the gates.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use model::{
    Action, BackupItem, CallEnv, EventKind, Fact, Facts, Fault, FaultCause, Level, RefKey, Saved,
    TreeFact, UNDO_BYTES_MAX, UNDO_FILES_MAX, fnv64, one_line,
};
use store::StoreError;
use store::undo::{Captured, Item, Limits, Plan};

use crate::command;
use crate::concerns::shape::{Concern, EventContext, Outcome};
use crate::facts::{self, Budget, GitDirs};
use crate::judge::Judged;

/// Longest time for one capture.
pub const CAPTURE_TIME_MAX: Duration = Duration::from_millis(800);

/// Longest name of a call in a capture, in characters.
const WHAT_CHARS_MAX: usize = 200;

/// Longest account of what was not kept, in characters.
const UNSAVED_CHARS_MAX: usize = 100;

/// What could not be kept, and why.
type Unsaved = Vec<(String, String)>;

/// What is let go can be brought back.
pub const CONCERN: Concern = Concern {
    id: "undo",
    after: Some(after),
    ..Concern::PLAIN
};

/// Has what is too old or too much among the captures removed, once an hour, by a process of its
/// own.
fn after(context: &EventContext<'_>, judged: &Judged) -> Outcome {
    if judged.snapshot.saved != Saved::NotTried
        && let Some(store) = context.store
        && store.claim_sweep()
    {
        command::start(store, context.dirs, &["undo", "sweep"]);
    }
    Outcome::default()
}

/// What became of keeping what a call would lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureOutcome {
    /// For the gates.
    pub saved: Saved,
    /// If something that a human would miss could not be kept and nobody is asked anyway.
    pub fault: Option<Fault>,
}

/// Keeps what the call would lose.
pub fn keep(context: &EventContext<'_>, judged: &Judged, time_max: Duration) -> CaptureOutcome {
    let place = &judged.snapshot.place;
    let mut list = List::new(place, &judged.facts);
    for action in &judged.snapshot.analysis.actions {
        let is_missed = is_missed(action);
        for item in &action.backups {
            list.add(item, is_missed);
        }
    }
    let items = list.whole();
    let mut unsaved = std::mem::take(&mut list.unsaved);
    let mut id = String::new();
    if !items.is_empty() {
        match captured(context, &items, time_max) {
            Ok(captured) => {
                id = captured.id;
                unsaved.extend(captured.unsaved);
            }
            Err(why) => unsaved.push((String::new(), why.to_string())),
        }
    }
    let saved = outcome(id, &unsaved, place);
    let is_asked = judged.decision.level() > Level::Allow;
    let fault = match &saved {
        Saved::Part { unsaved: what, .. } if !is_asked && list.misses(&unsaved) => Some(Fault {
            cause: FaultCause::Undo,
            what: what.clone(),
        }),
        _ => None,
    };
    CaptureOutcome { saved, fault }
}

/// Why nothing was kept.
enum CaptureError {
    NoState,
    Store(StoreError),
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoState => f.write_str("there is no state directory"),
            Self::Store(error) => error.fmt(f),
        }
    }
}

/// Has the store keep the items.
fn captured(
    context: &EventContext<'_>,
    items: &[Item],
    time_max: Duration,
) -> Result<Captured, CaptureError> {
    let event = context.event;
    let what = event.call().map(|call| call.summary(WHAT_CHARS_MAX));
    let plan = Plan {
        project: &context.project.id,
        session: &event.session,
        call_id: &event.call_id,
        time: event.time,
        dir: &event.cwd,
        what: &what.unwrap_or_default(),
        items,
        limits: Limits {
            files: UNDO_FILES_MAX,
            bytes: UNDO_BYTES_MAX,
            time: time_max,
        },
    };
    let store = context.store.ok_or(CaptureError::NoState)?;
    let mut captured = store.capture(&plan).map_err(CaptureError::Store)?;
    let is_asked_again = matches!(event.kind, EventKind::PermissionRequest(_));
    if is_asked_again && !captured.id.is_empty() {
        // Where that cannot be found out there are two, of which either will do.
        if let Ok(id) = store.one_capture(&context.project.id, &captured.id) {
            captured.id = id;
        }
    }
    Ok(captured)
}

/// Whether a human would miss what an action loses, as far as is known.
fn is_missed(action: &Action) -> bool {
    action.loss.known().is_none_or(|loss| !loss.is_nothing())
}

fn outcome(id: String, unsaved: &Unsaved, place: &CallEnv) -> Saved {
    match (unsaved.as_slice(), id.is_empty()) {
        ([], true) => Saved::NotTried,
        ([], false) => Saved::All(id),
        (unsaved, _) => Saved::Part {
            id,
            unsaved: in_words(unsaved, place),
        },
    }
}

/// `data/big.bin (over 64 MiB) and 3 more`.
fn in_words(unsaved: &[(String, String)], place: &CallEnv) -> String {
    let Some((path, why)) = unsaved.first() else {
        return String::new();
    };
    let inside = path.strip_prefix(place.project.as_str());
    let inside = inside.and_then(|rest| rest.strip_prefix('/'));
    let shown = inside.filter(|rest| !rest.is_empty()).unwrap_or(path);
    let mut words = match (shown, why.as_str()) {
        ("", why) => why.to_owned(),
        (path, "") => path.to_owned(),
        (path, why) => format!("{path} ({why})"),
    };
    if unsaved.len() > 1 {
        words.push_str(&format!(" and {} more", unsaved.len() - 1));
    }
    one_line(&words, UNSAVED_CHARS_MAX)
}

/// A path with the links of its parents resolved, as the store names it; other names as they are.
fn real(name: &str) -> String {
    let parts = name.starts_with('/').then(|| name.rsplit_once('/'));
    let Some((dir, last)) = parts.flatten() else {
        return name.to_owned();
    };
    let dir = if dir.is_empty() { "/" } else { dir };
    let real = std::fs::canonicalize(dir).ok();
    let real = real.map(|real| real.join(last).to_string_lossy().into_owned());
    real.unwrap_or_else(|| name.to_owned())
}

/// The directory that an item keeps as a whole, with a slash at its end.
fn tree_of(item: &Item) -> Option<String> {
    match item {
        Item::Tree(path) => Some(format!("{path}/")),
        _ => None,
    }
}

/// The list as it grows.
struct List<'a> {
    place: &'a CallEnv,
    facts: &'a Facts,
    budget: Budget,
    items: BTreeSet<Item>,
    unsaved: Unsaved,
    /// Paths and names that a human would miss, with all that is below them.
    missed: BTreeSet<String>,
}

impl<'a> List<'a> {
    fn new(place: &'a CallEnv, facts: &'a Facts) -> Self {
        Self {
            place,
            facts,
            budget: Budget::start(),
            items: BTreeSet::new(),
            unsaved: Vec::new(),
            missed: BTreeSet::new(),
        }
    }

    fn add(&mut self, item: &BackupItem, is_missed: bool) {
        match item {
            BackupItem::File(path) => {
                self.miss(path, is_missed);
                self.path(path);
            }
            BackupItem::Tree(path) => {
                self.miss(path, is_missed);
                self.tree(path);
            }
            BackupItem::Index(root) => {
                if let Some(dirs) = self.dirs(root) {
                    self.index(dirs);
                }
            }
            BackupItem::Ref(key) => {
                self.miss(&key.name, is_missed);
                self.commits(key);
            }
        }
    }

    fn miss(&mut self, name: &str, is_missed: bool) {
        if is_missed {
            self.missed.insert(name.to_owned());
        }
    }

    /// Whether one of these would be missed. What this session made itself would not.
    fn misses(&self, unsaved: &Unsaved) -> bool {
        let is_born = |path: &String| self.place.created_paths.contains(&fnv64(path.as_bytes()));
        let missed: Vec<String> = self.missed.iter().map(|name| real(name)).collect();
        unsaved.iter().any(|(path, _)| {
            let is_within = |name: &String| {
                let rest = path.strip_prefix(name.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', ' ']))
            };
            // Without a path nothing at all was kept.
            let is_missed = path.is_empty() || missed.iter().any(is_within);
            is_missed && !missed.is_empty() && !is_born(path)
        })
    }

    /// All of it; an index that lies in a directory that is kept is kept with that.
    fn whole(&mut self) -> Vec<Item> {
        let items = std::mem::take(&mut self.items);
        let trees: Vec<String> = items.iter().filter_map(tree_of).collect();
        let is_inside = |item: &Item| match item {
            Item::Index { index, .. } => trees.iter().any(|tree| index.starts_with(tree)),
            _ => false,
        };
        items.into_iter().filter(|item| !is_inside(item)).collect()
    }

    fn path(&mut self, path: &str) {
        self.items.insert(Item::Path(path.to_owned()));
    }

    fn tree(&mut self, path: &str) {
        match self.facts.trees.get(path) {
            Some(Fact::Known(tree)) => self.walked(path, tree),
            _ => {
                self.items.insert(Item::Tree(path.to_owned()));
            }
        }
        let is_linked = std::fs::symlink_metadata(format!("{path}/.git"));
        if is_linked.is_ok_and(|found| found.is_file()) {
            self.linked(path);
        }
    }

    /// What a walk found, with the shape of its directories and the repositories in it.
    fn walked(&mut self, path: &str, tree: &TreeFact) {
        self.path(path);
        for found in tree.lost.iter().chain(&tree.bare) {
            self.path(found);
        }
        for root in &tree.repos {
            if self.has_history(root) {
                self.repository(root);
            }
        }
        if tree.cut {
            // The store walks on as far as it may, and names the rest.
            self.items.insert(Item::Tree(path.to_owned()));
        }
    }

    /// Whether a repository holds commits that nothing else does, or none at all.
    fn has_history(&self, root: &str) -> bool {
        let key = RefKey {
            dir: root.to_owned(),
            name: RefKey::EVERY.to_owned(),
            to: String::new(),
        };
        match self.facts.refs.get(&key) {
            Some(Fact::Known(fact)) => fact.orphaned > 0 || !fact.exists,
            _ => true,
        }
    }

    /// A repository as plain files: what is tracked, and its git directory.
    fn repository(&mut self, root: &str) {
        for file in facts::tracked_files(root, self.place, &mut self.budget) {
            self.items.insert(Item::Path(file));
        }
        let own = format!("{root}/.git");
        let dir = if Path::new(&own).is_dir() { &own } else { root };
        self.items.insert(Item::Tree(dir.to_owned()));
    }

    /// A work tree that is linked to a repository elsewhere: the link, and what is there about it.
    fn linked(&mut self, path: &str) {
        self.path(&format!("{path}/.git"));
        let Some(dirs) = self.dirs(path) else { return };
        let is_own = dirs.git_dir.strip_prefix(dirs.common_dir.as_str());
        if is_own.is_some_and(|rest| rest.starts_with("/worktrees/")) {
            self.items.insert(Item::Tree(dirs.git_dir));
        } else {
            self.index(dirs);
        }
    }

    fn dirs(&mut self, dir: &str) -> Option<GitDirs> {
        facts::git_dirs(dir, self.place, &mut self.budget)
    }

    fn index(&mut self, dirs: GitDirs) {
        let index = format!("{}/index", dirs.git_dir);
        if Path::new(&index).exists() {
            let root = dirs.root;
            self.items.insert(Item::Index { root, index });
        }
    }

    fn commits(&mut self, key: &RefKey) {
        match facts::tips(key, self.place, &mut self.budget) {
            Ok((dirs, tips)) => {
                let anchors = tips.into_iter().map(|tip| Item::Anchor {
                    root: dirs.root.clone(),
                    common_dir: dirs.common_dir.clone(),
                    commit: tip.commit,
                    name: tip.name,
                });
                self.items.extend(anchors);
            }
            Err(why) => self.unsaved.push((key.name.clone(), why.to_string())),
        }
    }
}
