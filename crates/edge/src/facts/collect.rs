//! The way of a question: answered at once where looking suffices, else put to git together with
//! all other questions about the same repository, in one run.

use super::budget::Budget;
use super::error::LookError;
use super::paths::{self, join, parent, relative_to};
use super::repository::{self, Repository, RepositoryLookup};
use super::status::{self, Status};
use super::sys::Stat;
use super::tree::{self, Walk};
use super::vcs::NotTracked;
use super::view::View;
use super::work;
use super::{archive, glob, obstacles, reference};
use model::{CallEnv, Fact, Facts, PathFact, PathKind, RepoFact, Vcs, Want, WorkKey};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use crate::sys::uptime;

/// Most bytes of a text that is read.
const TEXT_MAX: u64 = 256 * 1024;
/// Most pathspecs that are passed to git; more are replaced by the whole work tree.
const SPECS_MAX: usize = 100;
/// Most changed files whose lines are counted.
const COUNTED_MAX: usize = 200;

/// A repository that a question needs git for, and about which of its paths.
pub(super) struct Part {
    pub repository: Rc<Repository>,
    /// Pathspecs from the top of the work tree; none = everything.
    pub specs: Vec<String>,
}

/// What git said of one repository.
#[derive(Default)]
pub(super) struct Answer {
    pub status: Status,
    /// Lines added and removed since the last commit, by path, as far as counted.
    pub lines: BTreeMap<String, (u32, u32)>,
}

/// What git said, by top of the work tree.
pub(super) type Answers = BTreeMap<String, Result<Answer, LookError>>;

/// What looking at the repository's own files comes to.
pub(super) enum Looked<T> {
    /// They tell.
    Known(T),
    /// Only git can tell.
    Asks(Question),
}

/// A question that is put to git, and what it was asked for.
struct Open {
    want: Want,
    question: Question,
}

/// A question that git must help with.
pub(super) struct Question {
    parts: Vec<Part>,
    asks: Asks,
}

enum Asks {
    Tree(Box<Walk>),
    /// The key with its paths relative to the top of the work tree.
    Work(WorkKey),
}

impl Question {
    pub fn tree(parts: Vec<Part>, walk: Walk) -> Self {
        Self {
            parts,
            asks: Asks::Tree(Box::new(walk)),
        }
    }

    pub fn work(part: Part, key: WorkKey) -> Self {
        Self {
            parts: vec![part],
            asks: Asks::Work(key),
        }
    }
}

/// Answers the questions of one judgement, which come in rounds: what was seen in one is not looked
/// at again in the next.
pub struct Collector<'a> {
    place: &'a CallEnv,
    /// Until the first question.
    budget: Option<&'a mut Budget>,
    view: Option<View<'a>>,
}

impl<'a> Collector<'a> {
    /// One that has seen nothing.
    #[must_use]
    pub fn new(place: &'a CallEnv, budget: &'a mut Budget) -> Self {
        Self {
            place,
            budget: Some(budget),
            view: None,
        }
    }

    /// Answers questions about the world, within the budget. Questions that have an answer already
    /// are left alone. What cannot be learned is answered with the reason.
    pub fn collect(&mut self, wants: &[Want], facts: &mut Facts) {
        let begin = uptime();
        if let Some(budget) = self.budget.take() {
            self.view = Some(View::new(self.place, budget));
        }
        if let Some(view) = &mut self.view {
            answer_all(wants, view, facts);
            view.budget.spend(uptime().saturating_sub(begin));
        }
    }
}

/// Answers questions that come alone.
pub fn collect(wants: &[Want], place: &CallEnv, budget: &mut Budget, facts: &mut Facts) {
    Collector::new(place, budget).collect(wants, facts);
}

fn answer_all(wants: &[Want], view: &mut View<'_>, facts: &mut Facts) {
    let mut open = Vec::new();
    for want in wants {
        if facts.has(want) {
            continue;
        }
        match answer(view, want, facts) {
            Ok(None) => {}
            Ok(Some(question)) => {
                // The place is taken, so that the same question is not put twice.
                facts.set_unknown(want, "git was not asked");
                let want = want.clone();
                open.push(Open { want, question });
            }
            Err(why) => facts.set_unknown(want, &why.to_string()),
        }
    }
    let answers = ask(view, &open);
    for asked in open {
        settle(view, asked, &answers, facts);
    }
}

/// Answers a question, gives back what only git can answer, or the reason why neither is possible.
fn answer(
    view: &mut View<'_>,
    want: &Want,
    facts: &mut Facts,
) -> Result<Option<Question>, LookError> {
    match want {
        Want::Path(path) => {
            let fact = look_at(view, path)?;
            facts.paths.insert(path.clone(), Fact::Known(fact));
        }
        Want::Tree(path) => match tree::look(view, path)? {
            Looked::Known(fact) => drop(facts.trees.insert(path.clone(), Fact::Known(fact))),
            Looked::Asks(question) => return Ok(Some(question)),
        },
        Want::Glob(pattern) => {
            let found = glob::expand(view, pattern)?;
            facts.globs.insert(pattern.clone(), Fact::Known(found));
        }
        Want::Text(path) => {
            view.budget.take_look()?;
            let bytes = paths::read(Path::new(path), TEXT_MAX, view.budget)?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            facts.texts.insert(path.clone(), Fact::Known(text));
        }
        Want::Repo(dir) => {
            let fact = repository_of(view, dir)?;
            facts.repos.insert(dir.clone(), Fact::Known(fact));
        }
        Want::Work(key) => match work::look(view, key)? {
            Looked::Known(fact) => drop(facts.work.insert(key.clone(), Fact::Known(fact))),
            Looked::Asks(question) => return Ok(Some(question)),
        },
        Want::Ref(key) => {
            let fact = reference::look(view, key)?;
            facts.refs.insert(key.clone(), Fact::Known(fact));
        }
        Want::Archive(path) => {
            view.budget.take_look()?;
            let names = archive::names(path, view.budget)?;
            facts.archives.insert(path.clone(), Fact::Known(names));
        }
        Want::Obstacles(key) => {
            let files = obstacles::look(view, key)?;
            facts.obstacles.insert(key.clone(), Fact::Known(files));
        }
    }
    Ok(None)
}

/// What is at a path. This never runs git, for it is asked about every file that is written: where
/// git's own files do not tell how it sees a file, that is unknown, and a tree may be asked for.
fn look_at(view: &mut View<'_>, asked: &str) -> Result<PathFact, LookError> {
    view.budget.take_look()?;
    let resolved = view.resolver.resolve(asked)?;
    let vcs = match resolved.stat {
        Some(stat) if stat.kind == PathKind::File => seen_by_git(view, &resolved.lexical, &stat),
        _ => Vcs::NotAsked,
    };
    Ok(PathFact {
        kind: resolved.stat.map_or(PathKind::Missing, |stat| stat.kind),
        bytes: resolved.stat.map_or(0, |stat| stat.bytes),
        real: resolved.real,
        lexical: resolved.lexical,
        links: resolved.stat.map_or(0, |stat| stat.links),
        vcs,
        modified: resolved.stat.map_or(0, |stat| stat.written()),
    })
}

fn seen_by_git(view: &mut View<'_>, path: &str, stat: &Stat) -> Vcs {
    let repository = match view.find(parent(path)) {
        RepositoryLookup::In(repository) => repository,
        RepositoryLookup::Nowhere | RepositoryLookup::GitDir(_) => return Vcs::Outside,
        RepositoryLookup::Unreadable(_) => return Vcs::Unknown,
    };
    let Some(inside) = relative_to(path, &repository.root) else {
        return Vcs::Outside;
    };
    let Ok(tracked) = view.tracked(&repository) else {
        return Vcs::Unknown;
    };
    match tracked.standing(inside, stat) {
        Ok(Some(standing)) => standing,
        Ok(None) if tracked.is_as_committed(&repository, (inside, stat), view.budget) => Vcs::Clean,
        Ok(None) => Vcs::Unknown,
        Err(NotTracked) if view.is_ignored(&repository, inside, false) => Vcs::Ignored,
        Err(NotTracked) => Vcs::Untracked,
    }
}

fn repository_of(view: &mut View<'_>, dir: &str) -> Result<Option<RepoFact>, LookError> {
    view.budget.take_look()?;
    let real = view.resolver.real(dir)?;
    match view.find(&real) {
        RepositoryLookup::In(repository) => repository::stand(&repository, view.budget).map(Some),
        RepositoryLookup::GitDir(top) => match relative_to(&top, parent(&top)) {
            // Inside `.git` git still sees the repository around it.
            Some(".git") => repository_of(view, parent(&top)),
            _ => Err(LookError::Bare(top)),
        },
        RepositoryLookup::Nowhere => Ok(None),
        RepositoryLookup::Unreadable(why) => Err(why),
    }
}

/// Puts all questions to git: one run for the state of each repository, and one to count lines.
fn ask(view: &mut View<'_>, open: &[Open]) -> Answers {
    let mut answers = Answers::new();
    let parts = open.iter().flat_map(|asked| &asked.question.parts);
    for part in parts {
        let root = &part.repository.root;
        if answers.contains_key(root) {
            continue;
        }
        let same = open.iter().flat_map(|asked| &asked.question.parts);
        let same = same.filter(|other| other.repository.root == *root);
        let specs = union(same);
        let answer = view.status(&part.repository, &specs);
        let answer = answer.map(|status| Answer {
            status,
            lines: BTreeMap::new(),
        });
        answers.insert(root.clone(), answer);
    }
    for part in open.iter().flat_map(|asked| &asked.question.parts) {
        if let Some(Ok(answer)) = answers.get_mut(&part.repository.root) {
            count_lines(view, &part.repository, answer);
        }
    }
    answers
}

/// The pathspecs of all parts; none if one asks for everything or there are too many.
fn union<'a>(parts: impl Iterator<Item = &'a Part>) -> Vec<String> {
    let mut specs = Vec::new();
    for part in parts {
        if part.specs.is_empty() || specs.len() + part.specs.len() > SPECS_MAX {
            return Vec::new();
        }
        specs.extend(part.specs.iter().cloned());
    }
    specs
}

fn count_lines(view: &mut View<'_>, repository: &Repository, answer: &mut Answer) {
    let changed = answer.status.changed.iter();
    let specs: Vec<String> = changed.map(|change| work::literal(&change.path)).collect();
    if specs.is_empty() || specs.len() > COUNTED_MAX || !answer.lines.is_empty() {
        return;
    }
    // Without counts the answer is still whole: they are for people.
    if let Ok(output) = view.git(repository, &status::numstat_arguments(&specs)) {
        answer.lines = status::line_counts(&output.bytes);
    }
}

fn settle(view: &mut View<'_>, asked: Open, answers: &Answers, facts: &mut Facts) {
    let Open { want, question } = asked;
    match (want, question.asks) {
        (Want::Tree(path), Asks::Tree(walk)) => {
            let fact = walk.settle(view, &question.parts, answers);
            facts.trees.insert(path, fact);
        }
        (Want::Work(key), Asks::Work(inside)) => {
            for Part { repository, .. } in question.parts {
                let fact = match answers.get(&repository.root) {
                    Some(Ok(answer)) => {
                        Fact::Known(work::settle(view, &repository, &inside, answer))
                    }
                    Some(Err(why)) => Fact::Unknown(why.to_string()),
                    None => continue,
                };
                facts.work.insert(key.clone(), fact);
            }
        }
        // A question keeps its kind.
        _ => {}
    }
}

/// A path below a directory, absolute.
pub(super) fn absolute(dir: &str, path: &str) -> String {
    if path.starts_with('/') {
        path.to_owned()
    } else {
        join(dir, path)
    }
}
