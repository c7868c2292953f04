//! A world described in a few words, for tests: of this crate, of families, of rules and pages.
//!
//! A [`Fixture`] answers the questions of a reading from a table of files and repositories, as the
//! edge would from the disk. Relative paths are relative to the project, `/home/dev/proj`.
//!
//! ```
//! use actions::testing::Fixture;
//!
//! let world = Fixture::new().repo(".").modified("a.rs").untracked("notes.md");
//! let reading = world.read("rm notes.md");
//! assert_eq!(reading.actions[0].canonical(), "delete file:/home/dev/proj/notes.md");
//! ```
//!
//! Must not look at the real disk.

use crate::read_with;
use model::{
    Action, Call, CopiedPath, Dialect, Fact, Facts, Loss, LostFile, LostKind, PathFact, PathKind,
};
use model::{
    Analysis, CallEnv, EditedFile, RefFact, RepoFact, TreeFact, Vcs, Want, WorkFact, WorkKey, fnv64,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use text::{glob, path};

/// Where the project of a fixture lies.
pub const PROJECT: &str = "/home/dev/proj";

/// Most files that a loss names.
const SHOWN_MAX: usize = model::LOSS_SHOWN_MAX;

/// When every file was last written.
const MODIFIED: u64 = 1_795_000_000_000_000_000;

/// How a described file stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Committed as it is; in no repository, simply there.
    Plain,
    Modified,
    Staged,
    Added,
    Untracked,
    Ignored,
    Conflicted,
    Solved,
    /// Build output.
    Generated,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    File { text: String, state: State },
    Dir,
    Link(String),
    Device,
}

/// A described world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixture {
    /// The surroundings; free to change.
    pub place: CallEnv,
    nodes: BTreeMap<String, Node>,
    repos: BTreeMap<String, RepoFact>,
    orphans: BTreeMap<String, u32>,
    unpushed: BTreeMap<String, u32>,
    archives: BTreeMap<String, Vec<String>>,
    /// Files of other revisions, by revision.
    revisions: BTreeMap<String, Vec<String>>,
}

impl Default for Fixture {
    fn default() -> Self {
        Self::new()
    }
}

/// A text that two files have in common only if they have their name in common.
fn of_its_own(word: &str, path: &str) -> String {
    format!("{word} {}\n", path::file_name(path))
}

impl Fixture {
    /// An empty project in no repository, in the home `/home/dev`; the program `agent` is an
    /// agent's command line.
    #[must_use]
    pub fn new() -> Self {
        let place = CallEnv {
            cwd: PROJECT.to_owned(),
            project: PROJECT.to_owned(),
            home: "/home/dev".to_owned(),
            temp: vec!["/tmp".to_owned()],
            agents: vec!["agent".to_owned()],
            env: vec![
                ("HOME".to_owned(), "/home/dev".to_owned()),
                ("USER".to_owned(), "dev".to_owned()),
            ]
            .into(),
            ..CallEnv::default()
        };
        let empty = Self {
            place,
            nodes: BTreeMap::new(),
            repos: BTreeMap::new(),
            orphans: BTreeMap::new(),
            unpushed: BTreeMap::new(),
            archives: BTreeMap::new(),
            revisions: BTreeMap::new(),
        };
        empty
            .dir(PROJECT)
            .dir("/tmp")
            .dir("/etc")
            .dir("/usr")
            .device("/dev/null")
    }

    /// A world by name: `clean` (a repository, all committed), `dirty` (two modified files and a
    /// staged one), `untracked` (files git does not know, and an ignored `.env`), `hooks` (as
    /// `clean`, with hooks that check commits and pushes), `no-git`, and `hidden-input` (as `clean`, below a host that shows nobody what is typed later).
    /// All have `src/main.rs`, `src/a.rs`, `README.md` and built `target/` and `node_modules/`.
    /// `None` if there is no world of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let base = Self::new()
            .file("src/main.rs", "fn main() {}\n")
            .file("src/a.rs", "pub fn a() {}\n")
            .file("README.md", "# proj\n")
            .generated("target/debug/proj")
            .generated("node_modules/left-pad/index.js");
        let world = match name {
            "no-git" => base,
            "clean" => base.repo("."),
            "hooks" => base
                .repo(".")
                .file(".git/hooks/pre-commit", "npm test\n")
                .file(".git/hooks/pre-push", "npm test\n"),
            "hidden-input" => {
                let mut world = base.repo(".");
                world.place.hides_input = true;
                world
            }
            "dirty" => base
                .repo(".")
                .modified("src/a.rs")
                .modified("README.md")
                .staged("src/b.rs"),
            "untracked" => base
                .repo(".")
                .untracked("notes.md")
                .untracked("data/x.csv")
                .ignored(".env"),
            _ => return None,
        };
        Some(world)
    }

    /// The names that [`Fixture::named`] knows.
    pub const NAMES: &'static [&'static str] = &[
        "clean",
        "dirty",
        "untracked",
        "hooks",
        "no-git",
        "hidden-input",
    ];

    // ---- describing -------------------------------------------------------------------------

    fn at(&self, path: &str) -> String {
        match path.strip_prefix("~/") {
            Some(rest) => path::join(&self.place.home, rest),
            None => path::join(PROJECT, path),
        }
    }

    fn with(mut self, path: &str, node: Node) -> Self {
        let path = self.at(path);
        let parents: Vec<String> = path::ancestors(&path).map(str::to_owned).collect();
        for dir in parents {
            self.nodes.entry(dir).or_insert(Node::Dir);
        }
        self.nodes.insert(path, node);
        self
    }

    fn with_file(self, path: &str, text: &str, state: State) -> Self {
        let text = text.to_owned();
        self.with(path, Node::File { text, state })
    }

    /// A file: committed as it is if it lies in a repository, else in no version control.
    #[must_use]
    pub fn file(self, path: &str, text: &str) -> Self {
        self.with_file(path, text, State::Plain)
    }

    /// A tracked file with changes that are in no commit.
    #[must_use]
    pub fn modified(self, path: &str) -> Self {
        self.with_file(path, &of_its_own("changed", path), State::Modified)
    }

    /// A file whose staged content is in no commit.
    #[must_use]
    pub fn staged(self, path: &str) -> Self {
        self.with_file(path, &of_its_own("staged", path), State::Staged)
    }

    /// A new file that is staged.
    #[must_use]
    pub fn added(self, path: &str) -> Self {
        self.with_file(path, &of_its_own("added", path), State::Added)
    }

    /// A file that git does not know.
    #[must_use]
    pub fn untracked(self, path: &str) -> Self {
        self.with_file(path, &of_its_own("new", path), State::Untracked)
    }

    /// A file that git ignores and that is no build output.
    #[must_use]
    pub fn ignored(self, path: &str) -> Self {
        self.with_file(path, &of_its_own("ignored", path), State::Ignored)
    }

    /// A file with an unresolved conflict.
    #[must_use]
    pub fn conflicted(self, path: &str) -> Self {
        self.with_file(path, "<<<<<<<\n", State::Conflicted)
    }

    /// A file whose conflict was solved in the work tree, and not added.
    #[must_use]
    pub fn solved(self, path: &str) -> Self {
        self.with_file(path, &of_its_own("solved", path), State::Solved)
    }

    /// A file of build output.
    #[must_use]
    pub fn generated(self, path: &str) -> Self {
        self.with_file(path, &of_its_own("built", path), State::Generated)
    }

    /// An empty directory.
    #[must_use]
    pub fn dir(self, path: &str) -> Self {
        self.with(path, Node::Dir)
    }

    /// A device.
    #[must_use]
    pub fn device(self, path: &str) -> Self {
        self.with(path, Node::Device)
    }

    /// A symbolic link.
    #[must_use]
    pub fn link(self, path: &str, to: &str) -> Self {
        self.with(path, Node::Link(to.to_owned()))
    }

    /// A repository with this root, on branch `main` with upstream `origin/main`.
    #[must_use]
    pub fn repo(mut self, root: &str) -> Self {
        let root = self.at(root);
        let repo = RepoFact {
            common_dir: format!("{root}/.git"),
            branch: "main".to_owned(),
            head: "1f0b0d9c".to_owned(),
            upstream: "origin/main".to_owned(),
            default_branch: "main".to_owned(),
            root: root.clone(),
            ..RepoFact::default()
        };
        self.repos.insert(root.clone(), repo);
        self.with(&format!("{root}/.git"), Node::Dir)
    }

    /// Changes how the repositories described so far stand.
    #[must_use]
    pub fn repos(mut self, change: impl Fn(&mut RepoFact)) -> Self {
        self.repos.values_mut().for_each(change);
        self
    }

    /// The branch that is checked out in the repositories described so far.
    #[must_use]
    pub fn branch(self, name: &str) -> Self {
        self.repos(|repo| {
            name.clone_into(&mut repo.branch);
            repo.upstream = format!("origin/{name}");
        })
    }

    /// Moving or deleting this ref would orphan so many commits.
    #[must_use]
    pub fn orphans(mut self, reference: &str, commits: u32) -> Self {
        self.orphans.insert(reference.to_owned(), commits);
        self
    }

    /// The repository at this root has so many commits that no remote has.
    #[must_use]
    pub fn unpushed(mut self, root: &str, commits: u32) -> Self {
        self.unpushed.insert(self.at(root), commits);
        self
    }

    /// An archive of files with these names.
    #[must_use]
    pub fn archive(mut self, path: &str, names: &[&str]) -> Self {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        self.archives.insert(self.at(path), names);
        self.file(path, "packed")
    }

    /// A revision or range that has files of these names.
    #[must_use]
    pub fn revision(mut self, name: &str, files: &[&str]) -> Self {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        self.revisions.insert(name.to_owned(), files);
        self
    }

    /// This session created the path.
    #[must_use]
    pub fn created_paths(mut self, path: &str) -> Self {
        self.place
            .created_paths
            .push(fnv64(self.at(path).as_bytes()));
        self
    }

    /// The path was as it is committed before this session changed it, and is as it left it.
    #[must_use]
    pub fn edited(mut self, path: &str) -> Self {
        let path = self.at(path);
        let fact = self.path_fact(&path);
        self.place.edits.push(EditedFile {
            path,
            bytes: fact.bytes,
            modified: fact.modified,
            call: 0,
        });
        self
    }

    /// An earlier call of this session moved work to the path.
    #[must_use]
    pub fn moved_paths(mut self, path: &str) -> Self {
        self.place.moved_paths.push(self.at(path));
        self
    }

    /// An earlier call of this session copied the first path to the second.
    #[must_use]
    pub fn copied_paths(mut self, from: &str, to: &str) -> Self {
        let (from, to) = (self.at(from), self.at(to));
        self.place.copied_paths.push(CopiedPath { from, to });
        self
    }

    /// The worker has read or written the present content of the path.
    #[must_use]
    pub fn read_paths(mut self, path: &str) -> Self {
        self.place.read_paths.push(fnv64(self.at(path).as_bytes()));
        self
    }

    /// A variable of the host's environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.place.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A glob of paths that belong to the gate.
    #[must_use]
    pub fn own(mut self, glob: &str) -> Self {
        self.place.own.push(self.at(glob));
        self
    }

    /// The present directory at the start of a call.
    #[must_use]
    pub fn cwd(mut self, path: &str) -> Self {
        self.place.cwd = self.at(path);
        self
    }

    // ---- reading -------------------------------------------------------------------------------

    /// Reads a shell command in this world.
    #[must_use]
    pub fn read(&self, command: &str) -> Analysis {
        self.read_call(&Call::Shell {
            command: Cow::Borrowed(command),
            dialect: Dialect::Posix,
        })
    }

    /// Reads any call in this world.
    #[must_use]
    pub fn read_call(&self, call: &Call<'_>) -> Analysis {
        let (analysis, _) = read_with(call, &self.place, |wants, facts| {
            wants.iter().for_each(|want| self.answer(want, facts));
        });
        analysis
    }

    /// Reads a shell command and shows its actions, one line each, as [`show`] does.
    #[must_use]
    pub fn actions(&self, command: &str) -> Vec<String> {
        self.read(command).actions.iter().map(show).collect()
    }

    /// Answers a question as the edge would.
    pub fn answer(&self, want: &Want, facts: &mut Facts) {
        match want.clone() {
            Want::Path(path) => {
                let fact = self.path_fact(&path);
                facts.paths.insert(path, Fact::Known(fact));
            }
            Want::Tree(path) => {
                let fact = self.tree_fact(&self.real(&path));
                facts.trees.insert(path, Fact::Known(fact));
            }
            Want::Glob(glob) => {
                let found = self
                    .nodes
                    .keys()
                    .filter(|path| glob::SHELL.matches_path(&glob, path));
                let found = found.cloned().collect();
                facts.globs.insert(glob, Fact::Known(found));
            }
            Want::Text(path) => {
                let text = match self.nodes.get(&self.real(&path)) {
                    Some(Node::File { text, .. }) => Fact::Known(text.clone()),
                    _ => Fact::Unknown("no such file".to_owned()),
                };
                facts.texts.insert(path, text);
            }
            Want::Repo(dir) => {
                let repo = self.repo_of(&dir).cloned();
                facts.repos.insert(dir, Fact::Known(repo));
            }
            Want::Work(key) => {
                let fact = self.work_fact(&key);
                facts.work.insert(key, Fact::Known(fact));
            }
            Want::Ref(key) => {
                let orphaned = if key.name == model::RefKey::EVERY {
                    self.unpushed.get(&key.dir)
                } else {
                    self.orphans.get(&key.name)
                };
                // A word that names a file is no ref, unless it is described as one.
                let is_file = self.nodes.contains_key(&path::join(&key.dir, &key.name));
                // Nothing was pushed, unless it is described.
                let is_published = key.to == model::RefKey::PUBLISHED;
                let exists = orphaned.is_some() || !is_file && !is_published;
                // What a stash holds stands nowhere else, unless it is described.
                let is_stash = key.name.starts_with("stash");
                let orphaned = orphaned.copied().unwrap_or(u32::from(is_stash));
                let fact = RefFact { exists, orphaned };
                facts.refs.insert(key, Fact::Known(fact));
            }
            Want::Archive(path) => {
                let names = self.archives.get(&self.real(&path)).cloned();
                let fact = names.map_or(Fact::Unknown("no archive".to_owned()), Fact::Known);
                facts.archives.insert(path, fact);
            }
            Want::Obstacles(key) => {
                let files = self.revisions.get(&key.revision).into_iter().flatten();
                let found = files.filter_map(|file| {
                    let path = path::join(&key.dir, file);
                    let Some(Node::File { state, .. }) = self.nodes.get(&path) else {
                        return None;
                    };
                    let is_own = matches!(state, State::Untracked | State::Ignored);
                    self.lost(&path, *state).filter(|_| is_own)
                });
                facts
                    .obstacles
                    .insert(key.clone(), Fact::Known(found.collect()));
            }
        }
    }

    /// The path with all links resolved, one at its end included.
    fn real(&self, path: &str) -> String {
        let mut real = path.to_owned();
        for _ in 0..8 {
            let own = std::iter::once(real.as_str());
            let step = own.chain(path::ancestors(&real)).find_map(|dir| {
                let Some(Node::Link(to)) = self.nodes.get(dir) else {
                    return None;
                };
                let rest = path::rest_below(&real, dir).unwrap_or_default();
                Some(path::join(&path::join(path::parent(dir), to), rest))
            });
            match step {
                Some(next) => real = next,
                None => break,
            }
        }
        real
    }

    fn path_fact(&self, path: &str) -> PathFact {
        let parent = self.real(path::parent(path));
        let lexical = path::join(&parent, path::file_name(path));
        let (kind, bytes, vcs) = match self.nodes.get(&lexical) {
            None if lexical == "/" => (PathKind::Dir, 0, Vcs::NotAsked),
            None => (PathKind::Missing, 0, Vcs::NotAsked),
            Some(Node::Dir) => (PathKind::Dir, 0, Vcs::NotAsked),
            Some(Node::Link(_)) => (PathKind::Link, 0, Vcs::NotAsked),
            Some(Node::Device) => (PathKind::Device, 0, Vcs::NotAsked),
            Some(Node::File { text, state }) => (
                PathKind::File,
                text.len() as u64,
                self.vcs(&lexical, *state),
            ),
        };
        PathFact {
            kind,
            bytes,
            real: self.real(path),
            lexical,
            links: 1,
            vcs,
            modified: MODIFIED,
        }
    }

    fn vcs(&self, path: &str, state: State) -> Vcs {
        match state {
            _ if self.repo_of(path).is_none() => Vcs::Outside,
            State::Plain => Vcs::Clean,
            State::Modified | State::Staged | State::Added | State::Conflicted | State::Solved => {
                Vcs::Modified
            }
            State::Untracked => Vcs::Untracked,
            State::Ignored | State::Generated => Vcs::Ignored,
        }
    }

    fn repo_of(&self, path: &str) -> Option<&RepoFact> {
        let own = std::iter::once(path);
        own.chain(path::ancestors(path))
            .find_map(|dir| self.repos.get(dir))
    }

    fn tree_fact(&self, path: &str) -> TreeFact {
        let mut tree = TreeFact::default();
        let mut all_generated = true;
        for (file, node) in self
            .nodes
            .iter()
            .filter(|(file, _)| path::is_within(file, path))
        {
            tree.entries += 1;
            let is_empty = || {
                let mut inside = self.nodes.keys();
                !inside.any(|other| path::is_below(other, file))
            };
            let Node::File { text, state } = node else {
                let is_bare = matches!(node, Node::Link(_)) || is_empty();
                if is_bare && !file.ends_with("/.git") {
                    tree.bare.push(file.clone());
                }
                continue;
            };
            tree.bytes += text.len() as u64;
            all_generated &= *state == State::Generated;
            if let Some(lost) = self.lost(file, *state) {
                tree.lost.push(file.clone());
                tree.loss.files_total += 1;
                tree.loss.bytes += text.len() as u64;
                if tree.loss.files.len() < SHOWN_MAX {
                    tree.loss.files.push(lost);
                }
            }
        }
        tree.generated = all_generated && tree.bytes > 0;
        let inside = self.repos.keys().filter(|root| path::is_within(root, path));
        tree.repos = inside.cloned().collect();
        tree
    }

    fn lost(&self, path: &str, state: State) -> Option<LostFile> {
        let repo = self.repo_of(path);
        let kind = match (repo, state) {
            (_, State::Generated) => return None,
            (None, _) => LostKind::Outside,
            (Some(_), State::Plain) => return None,
            (Some(_), State::Modified | State::Conflicted) => LostKind::Modified,
            (Some(_), State::Solved) => LostKind::Solved,
            (Some(_), State::Staged) => LostKind::Staged,
            (Some(_), State::Added) => LostKind::Added,
            (Some(_), State::Untracked) => LostKind::Untracked,
            (Some(_), State::Ignored) => LostKind::Ignored,
        };
        let relative = repo.and_then(|repo| path::rest_below(path, &repo.root));
        Some(LostFile {
            path: relative.unwrap_or(path).to_owned(),
            kind,
            lines: None,
        })
    }

    fn work_fact(&self, key: &WorkKey) -> WorkFact {
        let mut work = WorkFact::default();
        let Some(repo) = self.repo_of(&key.dir) else {
            return work;
        };
        let specs: Vec<String> = key
            .paths
            .iter()
            .map(|spec| path::join(&key.dir, spec))
            .collect();
        let names = |path: &str| {
            let named = |spec: &String| {
                path::is_within(path, spec) || glob::DOTGLOB.matches_path(spec, path)
            };
            specs.is_empty() || specs.iter().any(named)
        };
        for (path, node) in &self.nodes {
            let Node::File { state, .. } = node else {
                continue;
            };
            let is_here = self.repo_of(path) == Some(repo) && names(path);
            let Some(lost) = self.lost(path, *state).filter(|_| is_here) else {
                continue;
            };
            match state {
                State::Modified => work.unstaged.push(lost),
                State::Staged | State::Added => work.staged.push(lost),
                State::Untracked => work.untracked.push(lost),
                State::Ignored => work.ignored.push(lost),
                State::Conflicted => work.conflicted.push(lost.path),
                State::Solved => {
                    work.conflicted.push(lost.path.clone());
                    work.unstaged.push(lost);
                }
                State::Plain | State::Generated => {}
            }
        }
        work
    }
}

/// An action on one line: `delete file:/x [recursive force] project, loses 1 file …`, certainty in
/// brackets unless it is literal.
#[must_use]
pub fn show(action: &Action) -> String {
    let mut line = action.canonical();
    let flags: Vec<&str> = action.flags.iter().map(model::Flag::name).collect();
    if !flags.is_empty() {
        line.push_str(&format!(" [{}]", flags.join(" ")));
    }
    if action.zone != model::Zone::Unknown {
        line.push_str(&format!(" {}", action.zone.name()));
    }
    if action.certainty != model::Certainty::Literal {
        line.push_str(&format!(" ({})", action.certainty.name()));
    }
    match &action.loss {
        Fact::Known(loss) if loss.is_nothing() => {}
        Fact::Known(loss) => line.push_str(&format!(", loses {}", loss.in_words())),
        Fact::Unknown(_) => line.push_str(", loss unknown"),
    }
    line
}

/// A loss of nothing, for comparing.
#[must_use]
pub fn no_loss() -> Fact<Loss> {
    Fact::Known(Loss::default())
}

/// Changes of settings, each in a line: `a/b Append ["x"]`.
#[cfg(test)]
pub(crate) fn in_words(edits: Vec<model::MemberEdit>) -> Vec<String> {
    let line = |edit: model::MemberEdit| {
        let path = edit.path.join("/");
        format!("{path} {:?} {}", edit.change, edit.value)
    };
    edits.into_iter().map(line).collect()
}
