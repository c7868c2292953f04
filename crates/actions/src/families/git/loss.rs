//! What of the uncommitted work and of the history a git command throws away.
//!
//! Owns the step from facts to losses. Knows no subcommand.

use super::command::{Git, Standing, earlier};
use super::entries::{popped, stash_ref};
use super::pathspec::Pathspecs;
use crate::World;
use crate::world::{Save, is_made_by_name};
use model::{Action, Fact, Flag, Flags, LOSS_SHOWN_MAX, Loss, LostFile, LostKind, RefFact, RefKey};
use model::{ResourceKind, Verb, WorkFact, WorkKey};
use text::path::join;

/// Which uncommitted work is thrown away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Changes in the work tree against the index (`checkout -- path`).
    Unstaged,
    /// The same, and what solves conflicts (`rebase --abort`).
    UnstagedAndSolved,
    /// What solves conflicts, and nothing else (`merge --abort`).
    Solved,
    /// Everything tracked (`reset --hard`).
    Tracked,
    /// What is staged and not changed since, and what solves conflicts (`reset --merge`).
    StagedOnly,
    /// New files (`clean`).
    Untracked,
    /// Ignored files (`clean -X`).
    Ignored,
    /// Both (`clean -x`).
    UntrackedAndIgnored,
    /// Everything (`worktree remove --force`).
    Everything,
}

impl Reach {
    /// Whether changes of tracked files go.
    fn takes_changes(self) -> bool {
        !matches!(
            self,
            Self::Untracked | Self::Ignored | Self::UntrackedAndIgnored
        )
    }

    /// Whether what is staged goes, or how a conflict stands.
    fn takes_index(self, work: &WorkFact) -> bool {
        match self {
            Self::Tracked | Self::StagedOnly | Self::Everything => true,
            Self::Unstaged | Self::UnstagedAndSolved | Self::Solved => !work.conflicted.is_empty(),
            Self::Untracked | Self::Ignored | Self::UntrackedAndIgnored => false,
        }
    }

    fn files(self, work: &WorkFact) -> Vec<LostFile> {
        // What is left of a conflict with its marks is in no list.
        let solved = |file: &&LostFile| work.conflicted.contains(&file.path);
        let still = |file: &&LostFile| !work.unstaged.iter().any(|own| own.path == file.path);
        let of_index = |keeps: &dyn Fn(&&LostFile) -> bool| -> Vec<LostFile> {
            work.staged.iter().filter(keeps).cloned().collect()
        };
        let of_tree = || work.unstaged.iter().filter(solved).cloned();
        let all = |lists: &[&Vec<LostFile>]| lists.iter().copied().flatten().cloned().collect();
        match self {
            Self::Unstaged => work.unstaged.clone(),
            Self::UnstagedAndSolved => all(&[&work.unstaged, &of_index(&solved)]),
            Self::Solved => of_tree().chain(of_index(&solved)).collect(),
            Self::Tracked => all(&[&work.unstaged, &work.staged]),
            Self::StagedOnly => of_tree().chain(of_index(&still)).collect(),
            Self::Untracked => work.untracked.clone(),
            Self::Ignored => work.ignored.clone(),
            Self::UntrackedAndIgnored => all(&[&work.untracked, &work.ignored]),
            Self::Everything => {
                all(&[&work.unstaged, &work.staged, &work.untracked, &work.ignored])
            }
        }
    }
}

/// A command that throws away uncommitted work.
pub(super) struct Discard<'a> {
    /// Which.
    pub(super) reach: Reach,
    /// Where.
    pub(super) paths: &'a Pathspecs,
    /// Patterns of paths that stay (`clean -e`), as functions of the path below the root.
    pub(super) spared: &'a dyn Fn(&str) -> bool,
    /// How.
    pub(super) flags: Flags,
}

impl<'a> Discard<'a> {
    /// All of one reach at these paths.
    pub(super) fn new(reach: Reach, paths: &'a Pathspecs) -> Self {
        Self {
            reach,
            paths,
            spared: &|_| false,
            flags: Flags::NONE,
        }
    }

    /// Whether a path below the root is meant.
    fn means(&self, at: &Standing, path: &str) -> bool {
        let whole = join(&at.root, path);
        let is_taken = path.ends_with('/') && self.paths.takes_whole(&whole);
        (is_taken || self.paths.mean(&whole)) && !(self.spared)(path)
    }

    /// Done with this flag.
    #[must_use]
    pub(super) fn with_if(mut self, flag: Flag, on: bool) -> Self {
        self.flags = self.flags.with_if(flag, on);
        self
    }
}

/// A ref that goes or moves.
pub(super) struct RefChange<'a> {
    pub(super) name: &'a str,
    /// Where it points afterwards; empty if it goes.
    pub(super) to: &'a str,
    /// Most commits that are no loss when no branch holds them: their content stays in the files.
    pub(super) kept: u32,
}

impl<'a> RefChange<'a> {
    /// One that keeps nothing.
    pub(super) fn new(name: &'a str, to: &'a str) -> Self {
        Self { name, to, kept: 0 }
    }
}

impl Git<'_> {
    /// Notes a discard with what would be lost by it.
    pub(super) fn discard(&self, world: &mut World<'_>, at: &Standing, discard: &Discard<'_>) {
        let mut action = self.action(Verb::Discard, ResourceKind::Git, at.root.clone());
        action.flags = discard.flags;
        action.flags = action
            .flags
            .with_if(Flag::Mass, discard.paths.is_whole(&at.root));
        action.loss = self.work_lost(world, at, discard);
        self.act(world, action);
    }

    /// What a discard would lose.
    pub(super) fn work_lost(
        &self,
        world: &mut World<'_>,
        at: &Standing,
        discard: &Discard<'_>,
    ) -> Fact<Loss> {
        match &at.fact {
            Fact::Unknown(why) => return Fact::Unknown(why.clone()),
            Fact::Known(None) => return Fact::Known(Loss::default()),
            Fact::Known(Some(_)) => {}
        }
        let key = WorkKey {
            dir: at.root.clone(),
            paths: discard.paths.bases(&at.root),
        };
        match world.work(key) {
            Fact::Unknown(why) => Fact::Unknown(why),
            Fact::Known(mut work) => {
                as_indexed(world, at, &mut work);
                backup(world, &work, at, discard);
                without_copied(world, at, &mut work, discard);
                without_own(world, at, &mut work);
                without_made(world, at, &mut work);
                let mut loss = loss_of(&work, at, discard);
                if discard.reach.takes_changes() {
                    world.leave_to_patches(&at.root);
                }
                let is_all = discard.reach.takes_changes() && discard.reach != Reach::Solved;
                if is_all && popped(world, at) {
                    loss.other.push("what the stash brought back".to_owned());
                    world.back_up_ref(stash_ref(at, "stash@{0}"));
                }
                Fact::Known(loss)
            }
        }
    }

    /// What would happen to a ref that goes (`to` empty) or moves.
    pub(super) fn reference(&self, world: &mut World<'_>, name: &str, to: &str) -> Fact<RefFact> {
        match &self.dir {
            Err(why) => Fact::Unknown(why.clone()),
            Ok(_) if name.contains(crate::Arg::HOLE) || to.contains(crate::Arg::HOLE) => {
                Fact::Unknown("the revision is not known".to_owned())
            }
            Ok(dir) => world.reference(RefKey {
                dir: dir.clone(),
                name: name.to_owned(),
                to: to.to_owned(),
            }),
        }
    }

    /// The commits that no branch would hold any more after a change of a ref, as a loss.
    pub(super) fn commits_lost(
        &self,
        world: &mut World<'_>,
        at: &Standing,
        change: RefChange<'_>,
    ) -> Fact<Loss> {
        let RefChange { name, to, kept } = change;
        if at.is_nowhere() || world.is_held(&at.root, &held(name)) {
            return Fact::Known(Loss::default());
        }
        if earlier(world, &["git commit"], &at.root).next().is_some() {
            // What this call has committed is still in the files before it.
            if let Some(why) = back_up_work(world, at, false) {
                return Fact::Unknown(why);
            }
        }
        let fact = self.reference(world, name, to);
        if let (Ok(dir), true) = (&self.dir, fact.known().is_none_or(|fact| fact.orphaned > 0)) {
            world.back_up_ref(RefKey {
                dir: dir.clone(),
                name: name.to_owned(),
                to: to.to_owned(),
            });
        }
        match fact {
            Fact::Unknown(why) => Fact::Unknown(why),
            // What stood in the work tree before this call is the stash's own affair.
            Fact::Known(fact) if fact.exists && is_stash(name) => {
                Fact::Known(other(commits(fact.orphaned.max(1))))
            }
            Fact::Known(fact) if !fact.exists || fact.orphaned <= kept => {
                Fact::Known(Loss::default())
            }
            Fact::Known(fact) => Fact::Known(other(commits(fact.orphaned))),
        }
    }
}

fn is_stash(name: &str) -> bool {
    name.trim_start_matches("refs/").starts_with("stash")
}

/// What this call itself has committed on a branch that goes or is set back, and that no other
/// command since has taken anywhere: the facts, which are of before, do not know it.
pub(super) fn add_committed(world: &World<'_>, root: &str, branch: &str, loss: &mut Fact<Loss>) {
    const TAKING: &[&str] = &[
        "git cherry-pick",
        "git merge",
        "git pull",
        "git push",
        "git rebase",
    ];
    let all = &world.analysis.actions;
    let last = all.iter().rposition(|action| {
        let is_shown = action.flags.has(Flag::DryRun);
        let is_here = action.name.split('#').next() == Some(root);
        action.program == "git commit" && is_here && action.branch == branch && !is_shown
    });
    let since = last.map(|at| all.get(at + 1..).unwrap_or_default());
    let is_taken = |action: &Action| TAKING.contains(&action.program.as_str());
    let is_lost = since.is_some_and(|since| !since.iter().any(is_taken));
    let is_held = ["HEAD", branch]
        .iter()
        .any(|name| world.is_held(root, &held(name)));
    if let Fact::Known(loss) = loss
        && loss.is_nothing()
        && is_lost
        && !is_held
        && !branch.is_empty()
    {
        *loss = other("what this call has committed");
    }
}

/// What stands among the paths that are saved for a point of history that got another name.
pub(super) fn held(name: &str) -> String {
    let tags = |name: &str| name.strip_prefix("refs/tags/").map(str::to_owned);
    let bare = tags(name).unwrap_or_else(|| short(name).to_owned());
    format!("\u{1}{bare}")
}

pub(super) fn commits(count: u32) -> String {
    let noun = if count == 1 { "commit" } else { "commits" };
    format!("{count} {noun} on no other branch")
}

/// A loss that is no file, in words.
pub(super) fn other(words: impl Into<String>) -> Loss {
    Loss {
        other: vec![words.into()],
        ..Loss::default()
    }
}

/// Work as the index of this point of the call sees it: what was added is staged; what was taken
/// out is merely changed, or not tracked any more.
fn as_indexed(world: &World<'_>, at: &Standing, work: &mut WorkFact) {
    if world.is_unstaged(&at.root) {
        // What is new is not tracked any more.
        let (new, changed): (Vec<LostFile>, Vec<LostFile>) = std::mem::take(&mut work.staged)
            .into_iter()
            .partition(|file| file.kind == LostKind::Added);
        work.unstaged.extend(changed);
        work.untracked.extend(new.into_iter().map(|file| LostFile {
            kind: LostKind::Untracked,
            ..file
        }));
    }
    let untracks = |action: &Action| action.flags.has(Flag::KeepsFiles);
    if earlier(world, &["git rm"], &at.root).any(untracks) {
        work.untracked.extend(work.unstaged.iter().cloned());
    }
    for added in world.staged_in(&at.root) {
        stage(&mut work.unstaged, &mut work.staged, &added);
        if added.untracked {
            stage(&mut work.untracked, &mut work.staged, &added);
        }
    }
}

/// A ref as people say it: `refs/heads/x` is `x`.
pub(super) fn short(reference: &str) -> &str {
    let heads = reference.strip_prefix("refs/heads/");
    heads
        .or_else(|| reference.strip_prefix("heads/"))
        .unwrap_or(reference)
}

/// Takes out the files that this call, or one before it, has put a copy of somewhere else, which is
/// their only place then.
fn without_copied(
    world: &mut World<'_>,
    at: &Standing,
    work: &mut WorkFact,
    discard: &Discard<'_>,
) {
    let lists = [
        &mut work.unstaged,
        &mut work.staged,
        &mut work.untracked,
        &mut work.ignored,
    ];
    for list in lists {
        list.retain(|file| {
            let path = join(&at.root, file.path.trim_end_matches('/'));
            // Git makes its files anew, and writes into none.
            let is_copied = world.is_copied(&path)
                || world.has_other_name(&path)
                || world.is_copied_before(&path);
            if is_copied && discard.means(at, &file.path) {
                world.leave_to_copies(&path);
            }
            !is_copied
        });
    }
}

/// Takes out the changes that are this session's own from the first to the last: it may take them
/// back, and what is no more than a change of rights. Undo keeps them all the same.
fn without_own(world: &mut World<'_>, at: &Standing, work: &mut WorkFact) {
    for list in [&mut work.unstaged, &mut work.staged] {
        list.retain(|file| {
            let path = join(&at.root, &file.path);
            let is_of_rights = file.lines == Some((0, 0));
            let is_added = file.kind == LostKind::Added && world.is_session_made(&path);
            !is_of_rights && !is_added && !world.is_own_edit(&path)
        });
    }
}

/// Takes out what is made again, and the new files that this session made, as a deletion of each by
/// its name would.
fn without_made(world: &World<'_>, at: &Standing, work: &mut WorkFact) {
    for list in [&mut work.untracked, &mut work.ignored] {
        list.retain(|file| !world.is_session_made(&join(&at.root, &file.path)));
    }
    work.ignored.retain(|file| !is_made_by_name(&file.path));
}

fn stage(from: &mut Vec<LostFile>, staged: &mut Vec<LostFile>, added: &Save) {
    let all = std::mem::take(from);
    let (moved, rest): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|file| added.covers(&file.path));
    *from = rest;
    staged.extend(moved);
}

/// What undo has to keep of it: the files as they are, those in conflict too, and the index where
/// it is changed with them.
fn backup(world: &mut World<'_>, work: &WorkFact, at: &Standing, discard: &Discard<'_>) {
    let files = discard.reach.files(work);
    let files = files.iter().map(|file| file.path.as_str());
    let conflicted = work.conflicted.iter().map(String::as_str);
    let conflicted = conflicted.filter(|_| discard.reach.takes_changes());
    let meant: Vec<&str> = files
        .chain(conflicted)
        .filter(|path| discard.means(at, path))
        .collect();
    for path in &meant {
        // The slash at the end of a directory says that all of it is meant.
        world.back_up_listed(&format!("{}/{path}", at.root));
    }
    if !meant.is_empty() && discard.reach.takes_index(work) {
        world.back_up_index(&at.root);
    }
}

/// All uncommitted work, as it was before the call; the ignored files too if `ignored`. Why not, if
/// it is not known.
pub(super) fn back_up_work(world: &mut World<'_>, at: &Standing, ignored: bool) -> Option<String> {
    at.repo()?;
    let work = world.work_before(WorkKey {
        dir: at.root.clone(),
        paths: Vec::new(),
    });
    let work = match work {
        Fact::Known(work) => work,
        Fact::Unknown(why) => return Some(why),
    };
    let mut files = [work.unstaged, work.staged, work.untracked].concat();
    if ignored {
        files.extend(work.ignored);
    }
    for file in &files {
        world.back_up_listed(&format!("{}/{}", at.root, file.path));
    }
    if !files.is_empty() {
        world.back_up_index(&at.root);
    }
    None
}

fn loss_of(work: &WorkFact, at: &Standing, discard: &Discard<'_>) -> Loss {
    let mut loss = Loss::default();
    let mut named: Vec<String> = Vec::new();
    for file in discard.reach.files(work) {
        if !discard.means(at, &file.path) || named.contains(&file.path) {
            continue;
        }
        named.push(file.path.clone());
        loss.files_total += 1;
        if loss.files.len() < LOSS_SHOWN_MAX {
            loss.files.push(file);
        }
    }
    if work.cut && loss.files_total > 0 {
        loss.more = true;
    }
    loss
}
