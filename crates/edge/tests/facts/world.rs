//! A scratch world of real files and repositories, made with the real git.

use edge::facts::{Budget, collect, place_with};
use model::{CallEnv, Fact, Facts, PathFact, RefFact, RefKey, RepoFact, TreeFact, Want, WorkFact};
use model::{LostFile, WorkKey};
use std::path::Path;
use std::process::Command;

/// A scratch directory with a home in it.
pub struct World {
    dir: tempfile::TempDir,
}

impl World {
    /// An empty one.
    pub fn new() -> Self {
        let world = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        std::fs::create_dir(world.dir.path().join("home")).unwrap();
        world
    }

    /// A repository `r` with `src/a.rs`, `src/b.rs`, `README`, and `*.ignored`, `target/` ignored.
    pub fn with_repository() -> Self {
        let world = Self::new();
        world.init("r");
        world
    }

    /// Makes a repository like that of [`World::with_repository`].
    pub fn init(&self, name: &str) {
        for file in ["src/a.rs", "src/b.rs", "README"] {
            self.write(&format!("{name}/{file}"), "one\n");
        }
        self.write(&format!("{name}/.gitignore"), "*.ignored\ntarget/\n");
        self.git(name, "init -q -b main");
        self.git(name, "add -A");
        self.git(name, "commit -qm one");
        // What was written in the same instant as the index proves nothing about the files.
        std::thread::sleep(std::time::Duration::from_millis(15));
        self.git(name, "update-index --really-refresh -q");
        self.touch_index(name);
    }

    /// Writes the index anew, later than all files.
    pub fn touch_index(&self, name: &str) {
        self.git(name, "update-index --force-write-index");
    }

    /// The absolute path of something in the world; as it is for the empty path.
    pub fn path(&self, path: &str) -> String {
        let root = self.dir.path().canonicalize().unwrap();
        let path = if path.is_empty() {
            root
        } else {
            root.join(path)
        };
        path.to_str().unwrap().to_owned()
    }

    /// Writes a file and the directories that it needs.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Makes a symbolic link.
    pub fn link(&self, path: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.path(path)).unwrap();
    }

    /// Runs git in a directory; words are separated by spaces.
    pub fn git(&self, dir: &str, words: &str) -> String {
        let mut command = Command::new("git");
        command.current_dir(self.path(dir)).args(words.split(' '));
        command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        for (name, value) in [("NAME", "t"), ("EMAIL", "t@example.com")] {
            command.env(format!("GIT_AUTHOR_{name}"), value);
            command.env(format!("GIT_COMMITTER_{name}"), value);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success() || words.starts_with("merge"),
            "git {words}: {said}"
        );
        String::from_utf8(output.stdout).unwrap()
    }

    /// The place of a call in a directory of this world.
    pub fn place(&self, cwd: &str) -> CallEnv {
        let env = vec![("HOME".to_owned(), self.path("home"))];
        place_with(&self.path(cwd), env)
    }

    /// The answers to questions.
    pub fn ask(&self, wants: &[Want], budget: &mut Budget) -> Facts {
        let mut facts = Facts::default();
        collect(wants, &self.place("r"), budget, &mut facts);
        for want in wants {
            assert!(facts.has(want), "no answer to {want:?}");
        }
        facts
    }

    pub fn one(&self, want: Want) -> Facts {
        self.ask(&[want], &mut Budget::start())
    }

    /// What is at a path.
    pub fn look(&self, path: &str) -> Fact<PathFact> {
        let path = self.path(path);
        self.one(Want::Path(path.clone()))
            .paths
            .remove(&path)
            .unwrap()
    }

    /// What is below a path.
    pub fn tree(&self, path: &str) -> TreeFact {
        let path = self.path(path);
        known(self.one(Want::Tree(path.clone())).trees.remove(&path))
    }

    /// What a glob matches, relative to the world.
    pub fn glob(&self, glob: &str) -> Vec<String> {
        let glob = self.path(glob);
        let found = known(self.one(Want::Glob(glob.clone())).globs.remove(&glob));
        let prefix = format!("{}/", self.path(""));
        found
            .iter()
            .map(|path| path.strip_prefix(&prefix).unwrap().to_owned())
            .collect()
    }

    /// What a file says.
    pub fn text(&self, path: &str) -> Fact<String> {
        let path = self.path(path);
        self.one(Want::Text(path.clone()))
            .texts
            .remove(&path)
            .unwrap()
    }

    /// How a repository stands.
    pub fn repo(&self, dir: &str) -> Option<RepoFact> {
        let dir = self.path(dir);
        known(self.one(Want::Repo(dir.clone())).repos.remove(&dir))
    }

    /// What work is uncommitted; paths are separated by spaces.
    pub fn work(&self, dir: &str, paths: &str) -> WorkFact {
        let paths = paths.split_whitespace().map(str::to_owned).collect();
        let key = WorkKey {
            dir: self.path(dir),
            paths,
        };
        known(self.one(Want::Work(key.clone())).work.remove(&key))
    }

    /// What a ref holds alone.
    pub fn reference(&self, name: &str, to: &str) -> RefFact {
        let key = RefKey {
            dir: self.path("r"),
            name: name.into(),
            to: to.into(),
        };
        known(self.one(Want::Ref(key.clone())).refs.remove(&key))
    }
}

fn known<T: std::fmt::Debug>(answer: Option<Fact<T>>) -> T {
    match answer {
        Some(Fact::Known(fact)) => fact,
        other => panic!("not known: {other:?}"),
    }
}

/// Files in words, separated by a comma.
pub fn words(files: &[LostFile]) -> String {
    let mut words: Vec<String> = files.iter().map(LostFile::in_words).collect();
    words.sort();
    words.join(", ")
}
