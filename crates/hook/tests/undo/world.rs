//! A world as it is: paths, bytes, modes, links, what git says of it, which commits it holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::common::World;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    File { bytes: Vec<u8>, mode: u32 },
    Link(PathBuf),
    Dir { mode: u32 },
    Other,
}

/// What can be lost.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub entries: BTreeMap<PathBuf, Entry>,
    /// What is committed as it is, by work tree, and what is built.
    pub elsewhere: BTreeSet<PathBuf>,
    /// Of each work tree: its HEAD, what is staged, and what `git status` says.
    pub trees: BTreeMap<PathBuf, Tree>,
    /// Every commit that a name or a stash holds.
    pub commits: BTreeSet<String>,
    /// The commits that the reflog holds besides.
    pub logged: BTreeSet<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    pub head: String,
    pub staged: String,
    pub status: BTreeSet<String>,
}

/// Runs a script in a world, as the worker would.
pub fn bash(world: &World, script: &str) -> bool {
    let mut bash = Command::new("bash");
    bash.args(["-c", script]).current_dir(&world.cwd);
    bash.env("HOME", world.root.join("home/dev"));
    for who in ["AUTHOR", "COMMITTER"] {
        bash.env(format!("GIT_{who}_NAME"), "Dev");
        bash.env(format!("GIT_{who}_EMAIL"), "dev@example.test");
    }
    bash.env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_EDITOR", "true");
    let out = bash.output().unwrap();
    out.status.success()
}

/// What git prints in a directory; nothing if it refuses.
pub fn git(dir: &Path, words: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["--no-optional-locks"])
        .args(words)
        .current_dir(dir);
    git.env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    let out = git.output().unwrap();
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Which of these objects a repository has no more.
pub fn gone(dir: &Path, objects: &BTreeSet<String>) -> Vec<String> {
    let mut git = Command::new("git");
    git.args(["cat-file", "--batch-check"]).current_dir(dir);
    git.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut git = git.spawn().unwrap();
    let wanted: String = objects.iter().map(|id| format!("{id}\n")).collect();
    git.stdin
        .take()
        .unwrap()
        .write_all(wanted.as_bytes())
        .unwrap();
    let out = git.wait_with_output().unwrap();
    assert!(out.status.success(), "no answer about {objects:?}");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let gone = text
        .lines()
        .filter_map(|line| line.strip_suffix(" missing"));
    gone.map(str::to_owned).collect()
}

impl Snapshot {
    pub fn of(world: &World) -> Self {
        let home = world.root.join("home/dev");
        let mut snapshot = Self::default();
        snapshot.walk(&home, &world.cwd);
        for name in ["proj", "linked", "proj/sub", "proj/nest", "proj/nest2"] {
            let root = home.join(name);
            if fs::symlink_metadata(root.join(".git")).is_ok() {
                snapshot.tree(&root);
            }
        }
        let stashes = git(
            &world.cwd,
            &["log", "-g", "--format=%H", "refs/stash", "--"],
        );
        let refs = git(&world.cwd, &["for-each-ref", "--format=%(objectname)"]);
        let words = |text: &str| -> BTreeSet<String> {
            text.split_whitespace().map(str::to_owned).collect()
        };
        snapshot.commits = &words(&stashes) | &words(&refs);
        snapshot.logged = words(&git(&world.cwd, &["rev-list", "--reflog"]));
        snapshot
    }

    fn walk(&mut self, dir: &Path, project: &Path) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let found = fs::symlink_metadata(&path).unwrap();
            let mode = found.mode() & 0o7777;
            let entry = if found.is_symlink() {
                Entry::Link(fs::read_link(&path).unwrap())
            } else if found.is_file() {
                let bytes = fs::read(&path).unwrap();
                Entry::File { bytes, mode }
            } else if found.is_dir() {
                Entry::Dir { mode }
            } else {
                Entry::Other
            };
            self.entries.insert(path.clone(), entry);
            let is_own_git = path == project.join(".git");
            let is_built = ["target", "node_modules"]
                .iter()
                .any(|name| path.ends_with(name));
            if is_built {
                self.elsewhere.insert(path.clone());
            }
            if found.is_dir() && !is_own_git && !is_built {
                self.walk(&path, project);
            }
        }
    }

    fn tree(&mut self, root: &Path) {
        let status = [
            "status",
            "--porcelain=v2",
            "--branch",
            "--untracked-files=all",
        ];
        let status = git(root, &status);
        let head = status
            .lines()
            .find_map(|line| line.strip_prefix("# branch.oid "))
            .filter(|head| *head != "(initial)")
            .unwrap_or_default();
        let staged = git(root, &["ls-files", "-s", "-z"]);
        if !head.is_empty() {
            self.committed(root, &staged);
        }
        let tree = Tree {
            head: head.to_owned(),
            status: status
                .lines()
                .filter(|line| !line.starts_with('#'))
                .map(str::to_owned)
                .collect(),
            staged,
        };
        self.trees.insert(root.to_owned(), tree);
    }

    /// Notes which of the staged files are as HEAD has them.
    fn committed(&mut self, root: &Path, staged: &str) {
        let dirty = git(root, &["diff", "--name-only", "-z", "HEAD"]);
        let dirty: BTreeSet<&str> = dirty.split('\0').collect();
        let names = staged.split('\0').filter_map(|line| line.split_once('\t'));
        for (_, name) in names {
            let path = root.join(name);
            let is_dir = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
            if !dirty.contains(name) && !is_dir {
                self.elsewhere.insert(path);
            }
        }
    }

    /// What was there before, exists nowhere else, and is not there as it was.
    pub fn missing_in(&self, now: &Self) -> Vec<String> {
        let mut missing = Vec::new();
        for (path, entry) in &self.entries {
            let is_elsewhere = self.elsewhere.iter().any(|own| path.starts_with(own));
            let holds_only_that = matches!(entry, Entry::Dir { .. })
                && !now.entries.contains_key(path)
                && !self.is_dear(path);
            if is_elsewhere || holds_only_that {
                continue;
            }
            match now.entries.get(path) {
                Some(found) if found == entry => {}
                Some(found) => missing.push(format!("{}: {found:?} for {entry:?}", path.display())),
                None => missing.push(format!("{}: gone", path.display())),
            }
        }
        missing
    }

    /// Whether a directory is empty or holds something that exists nowhere else.
    fn is_dear(&self, dir: &Path) -> bool {
        let mut below = self
            .entries
            .keys()
            .filter(|path| path.starts_with(dir) && *path != dir);
        let mut any = false;
        let dear = below.any(|path| {
            any = true;
            let is_dir = matches!(self.entries.get(path), Some(Entry::Dir { .. }));
            !is_dir && !self.elsewhere.iter().any(|own| path.starts_with(own))
        });
        dear || !any
    }
}

/// Makes a copy of a world's home, with its times.
pub fn copy(from: &World, to: &World) {
    let home = |world: &World| world.root.join("home/dev");
    let source = format!("{}/.", home(from).display());
    let mut cp = Command::new("cp");
    cp.args(["-a", &source]).arg(home(to));
    assert!(cp.status().unwrap().success());
    // The copies are other files to git than those in the index.
    git(&to.cwd, &["update-index", "-q", "--refresh"]);
}

/// Lets everything be deleted again.
pub fn unlock(world: &World) {
    let draft = world.cwd.join("draft/sub");
    if draft.is_dir() {
        let _ = fs::set_permissions(draft, fs::Permissions::from_mode(0o700));
    }
}
