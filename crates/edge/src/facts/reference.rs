//! What moving or deleting a ref would leave unreachable.

use super::error::LookError;
use super::history::{self, Reach};
use super::repository::{Refs, Repository, RepositoryLookup, is_object_name, stashes};
use super::view::View;
use model::{RefFact, RefKey};
use std::collections::BTreeSet;

/// Most commits that are counted.
const COMMITS_MAX: u32 = 1_000;
/// Bytes of a name that git would accept; longer ones are refused unread.
const NAME_MAX: usize = 1_024;
/// Where a short name is looked for, in git's order.
const PLACES: &[&str] = &["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];

/// Answers a question about a ref.
///
/// # Errors
/// Why it cannot be known.
pub(super) fn look(view: &mut View<'_>, key: &RefKey) -> Result<RefFact, LookError> {
    view.budget.take_look()?;
    let is_group = [RefKey::EVERY, RefKey::BRANCHES, RefKey::TAGS].contains(&key.name.as_str());
    for name in [&key.name, &key.to] {
        if !is_harmless(name) && !is_group && name != RefKey::PUBLISHED {
            return Err(LookError::NotRef(name.to_owned()));
        }
    }
    let dir = view.resolver.real(&key.dir)?;
    let RepositoryLookup::In(repository) = view.find(&dir) else {
        return Err(LookError::NoWorkTree(dir));
    };
    match key.name.as_str() {
        RefKey::EVERY => return unpublished(view, &repository),
        RefKey::BRANCHES => return only_here(view, &repository, &BRANCHES),
        RefKey::TAGS => return only_here(view, &repository, &TAGS),
        _ => {}
    }
    if let Some(number) = stash_number(&key.name) {
        let mut fact = stash(stashes(&repository, view.budget), number);
        if let (Some(number), true) = (number, fact.exists)
            && super::stash::stands(view, &repository, number)
        {
            fact.orphaned = 0;
        }
        return Ok(fact);
    }
    let refs = Refs::read(&repository, view.budget)?;
    let tip = match find(&refs, &key.name, view) {
        Some(tip) => tip,
        // A name that goes is that of a ref: `cafe` is no commit then.
        None if is_revision(&key.name) && !(key.to.is_empty() && is_hex(&key.name)) => Tip {
            name: String::new(),
            id: key.name.clone(),
        },
        None => return Ok(RefFact::default()),
    };
    match left_by(&tip, &refs, key, view) {
        None => Ok(RefFact {
            exists: true,
            orphaned: 0,
        }),
        Some(left) => count(view, &repository, left),
    }
}

/// A ref and the commit it holds.
pub(super) struct Tip {
    /// Full name; empty for a commit that is named otherwise.
    pub name: String,
    pub id: String,
}

/// Whether a name can be given to git: no option, no letter that git forbids in names.
fn is_harmless(name: &str) -> bool {
    let forbidden = |letter: char| letter.is_control() || " *?[\\".contains(letter);
    name.len() <= NAME_MAX && !name.starts_with('-') && !name.contains(forbidden)
}

/// Whether a name is more than that of a ref: `HEAD~2`, `main@{1}`, an object name.
pub(super) fn is_revision(name: &str) -> bool {
    is_hex(name) || is_object_name(name) || name.contains(['~', '^', '@', ':'])
}

fn is_hex(name: &str) -> bool {
    name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `Some(None)` for all stashes, `Some(Some(2))` for `stash@{2}`.
pub(super) fn stash_number(name: &str) -> Option<Option<u32>> {
    let rest = name
        .strip_prefix("refs/")
        .unwrap_or(name)
        .strip_prefix("stash")?;
    if rest.is_empty() {
        return Some(None);
    }
    let number = rest.strip_prefix("@{")?.strip_suffix('}')?;
    number.parse().ok().map(Some)
}

/// No other ref reaches a stash.
fn stash(count: u32, number: Option<u32>) -> RefFact {
    let exists = number.map_or(count > 0, |number| number < count);
    let orphaned = match number {
        Some(_) => u32::from(exists),
        None => count.min(COMMITS_MAX),
    };
    RefFact { exists, orphaned }
}

pub(super) fn find(refs: &Refs<'_>, name: &str, view: &mut View<'_>) -> Option<Tip> {
    if name == "HEAD" || name == "@" {
        let id = refs.id("HEAD", view.budget)?;
        let name = refs.symbolic("HEAD", view.budget).unwrap_or_default();
        return Some(Tip { name, id });
    }
    // The name of a branch is what people delete: it is looked for first.
    let branch = std::iter::once(format!("refs/heads/{name}"));
    let places = PLACES.iter().map(|place| format!("{place}{name}"));
    let mut full = branch
        .chain(places)
        .filter(|full| full.starts_with("refs/"));
    full.find_map(|full| refs.id(&full, view.budget).map(|id| Tip { name: full, id }))
}

/// Commits that are counted, asked twice: a few are counted here, the rest by git.
struct Left {
    /// `None` = only git knows what the words mean.
    reach: Option<Reach>,
    /// In the words of `git rev-list`.
    words: Vec<String>,
}

/// The commits that a tip would leave; `None` = none for certain.
fn left_by(tip: &Tip, refs: &Refs<'_>, key: &RefKey, view: &mut View<'_>) -> Option<Left> {
    let to = find(refs, &key.to, view);
    if to.as_ref().is_some_and(|to| to.id == tip.id) {
        return None;
    }
    let all = refs.all(view.budget);
    let is_published = key.to == RefKey::PUBLISHED;
    // A remote's HEAD is another name of one of its branches.
    let counts = |name: &str| name != tip.name && (!is_published || is_branch_of_remote(name));
    let kept = all.iter().filter(|(name, _)| counts(name));
    let mut kept: Vec<String> = kept.map(|(_, id)| id.clone()).collect();
    if kept.contains(&tip.id) {
        return None;
    }
    let is_plain = is_object_name(&tip.id) && (is_published || key.to.is_empty() || to.is_some());
    kept.extend(to.map(|to| to.id));
    let reach = is_plain.then(|| Reach {
        tips: vec![tip.id.clone()],
        kept,
    });
    let words = words_of(tip, key);
    Some(Left { reach, words })
}

/// What a tip reaches and nothing else does, in the words of `git rev-list`.
fn words_of(tip: &Tip, key: &RefKey) -> Vec<String> {
    let mut words = vec![tip.id.clone(), "--not".into()];
    if key.to == RefKey::PUBLISHED {
        words.push(format!("--exclude={}", tip.name));
        words.push("--exclude=refs/remotes/*/HEAD".into());
        words.push(format!("--glob={}", RefKey::PUBLISHED));
        return words;
    }
    if !key.to.is_empty() {
        words.push(format!("{}^{{commit}}", key.to));
    }
    if !tip.name.is_empty() {
        words.push(format!("--exclude={}", tip.name));
    }
    // What undo keeps goes with its time.
    words.push("--exclude=refs/tollgate/*".into());
    // Not `--all`: that holds HEAD, which moves together with the branch.
    words.push("--glob=refs/*".into());
    words
}

fn is_branch_of_remote(name: &str) -> bool {
    name.starts_with("refs/remotes/") && !name.ends_with("/HEAD")
}

/// The commits of all local refs that no remote-tracking ref reaches.
fn unpublished(view: &mut View<'_>, repository: &Repository) -> Result<RefFact, LookError> {
    let refs = Refs::read(repository, view.budget)?;
    let all = refs.all(view.budget);
    let is_remote = |name: &str| name.starts_with("refs/remotes/");
    let (published, local): (Vec<_>, Vec<_>) = all.iter().partition(|(name, _)| is_remote(name));
    let kept: BTreeSet<&String> = published.into_iter().map(|(_, id)| id).collect();
    let head = refs.id("HEAD", view.budget);
    let is_kept = |id: &String| kept.contains(id);
    if local.iter().map(|(_, id)| *id).chain(&head).all(is_kept) {
        return Ok(RefFact {
            exists: head.is_some(),
            orphaned: 0,
        });
    }
    let counts = |name: &str| {
        let groups = ["refs/heads/", "refs/tags/"];
        groups.iter().any(|group| name.starts_with(group)) || name == "refs/stash"
    };
    let tips = local.iter().filter(|(name, _)| counts(name));
    let tips = tips.map(|(_, id)| *id).chain(&head);
    let words = [
        "--branches",
        "--tags",
        "--glob=refs/stash",
        "HEAD",
        "--not",
        "--remotes",
    ];
    let left = Left {
        reach: Some(Reach {
            tips: tips.cloned().collect(),
            kept: kept.into_iter().cloned().collect(),
        }),
        words: words.map(str::to_owned).to_vec(),
    };
    count(view, repository, left)
}

/// Refs of one kind, all of which may go.
struct Group {
    prefix: &'static str,
    /// Where the refs lie that keep commits.
    kept: [&'static str; 2],
    /// What they reach and no other ref does, in the words of `git rev-list`.
    words: &'static [&'static str],
}

const BRANCHES: Group = Group {
    prefix: "refs/heads/",
    kept: ["refs/tags/", "refs/remotes/"],
    words: &["--branches", "--not", "HEAD", "--tags", "--remotes"],
};

const TAGS: Group = Group {
    prefix: "refs/tags/",
    kept: ["refs/heads/", "refs/remotes/"],
    words: &["--tags", "--not", "HEAD", "--branches", "--remotes"],
};

/// The commits that refs of one kind alone reach.
fn only_here(
    view: &mut View<'_>,
    repository: &Repository,
    group: &Group,
) -> Result<RefFact, LookError> {
    let refs = Refs::read(repository, view.budget)?;
    let all = refs.all(view.budget);
    let own = |name: &str| name.starts_with(group.prefix);
    let (own, others): (Vec<_>, Vec<_>) = all.iter().partition(|(name, _)| own(name));
    let head = refs.id("HEAD", view.budget);
    let keep = |name: &str| group.kept.iter().any(|prefix| name.starts_with(prefix));
    let kept = others.into_iter().filter(|(name, _)| keep(name));
    let kept: BTreeSet<&String> = kept.map(|(_, id)| id).chain(&head).collect();
    let tips = own
        .iter()
        .map(|(_, id)| *id)
        .filter(|id| !kept.contains(id));
    let tips: Vec<String> = tips.cloned().collect();
    if tips.is_empty() {
        return Ok(RefFact {
            exists: !own.is_empty(),
            orphaned: 0,
        });
    }
    let left = Left {
        reach: Some(Reach {
            tips,
            kept: kept.into_iter().cloned().collect(),
        }),
        words: group.words.iter().map(|word| (*word).to_owned()).collect(),
    };
    count(view, repository, left)
}

fn count(view: &mut View<'_>, repository: &Repository, left: Left) -> Result<RefFact, LookError> {
    let reach = left.reach.as_ref();
    let counted = reach.and_then(|reach| history::count(repository, reach, view.budget));
    if let Some(orphaned) = counted {
        return Ok(RefFact {
            exists: true,
            orphaned,
        });
    }
    let mut arguments = vec!["rev-list".to_owned(), "--count".to_owned()];
    arguments.push(format!("--max-count={COMMITS_MAX}"));
    arguments.extend(left.words);
    arguments.push("--".into());
    let output = view.git(repository, &arguments)?;
    let text = String::from_utf8_lossy(&output.bytes);
    let number = text.trim().parse();
    let orphaned = number.map_err(|_| LookError::NoCount)?;
    Ok(RefFact {
        exists: true,
        orphaned,
    })
}
