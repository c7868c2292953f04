//! Collecting facts never runs a program that a repository names.
//!
//! A repository is filled with canaries: every setting, attribute, hook and file by which git could
//! be made to start something. Whatever is asked about it, no canary may fire. A control run of
//! plain git shows that the canaries sing.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use edge::facts::{Budget, collect, place_with};
use model::{Fact, Facts, RefKey, Want, WorkKey};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Settings that name a program; `CANARY` is replaced by a command that leaves a file.
const SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "CANARY fsmonitor"),
    ("core.hooksPath", "hooks-of-the-repository"),
    ("core.sshCommand", "CANARY ssh"),
    ("core.pager", "CANARY pager"),
    ("core.editor", "CANARY editor"),
    ("core.askPass", "CANARY askpass"),
    ("core.alternateRefsCommand", "CANARY alternates"),
    ("credential.helper", "!CANARY credential"),
    ("diff.external", "CANARY external"),
    ("diff.pictures.textconv", "CANARY textconv"),
    ("diff.pictures.command", "CANARY diffcommand"),
    ("filter.tree.clean", "CANARY clean"),
    ("filter.tree.smudge", "CANARY smudge"),
    ("filter.tree.required", "true"),
    ("filter.process.process", "CANARY process"),
    ("filter.info.clean", "CANARY infoclean"),
    ("filter.Odd Name.clean", "CANARY oddclean"),
    ("filter.Odd.Name.clean", "CANARY dottedclean"),
    ("gpg.program", "CANARY gpg"),
    ("log.showSignature", "true"),
    ("alias.status", "!CANARY alias-status"),
    ("alias.rev-list", "!CANARY alias-rev-list"),
    ("protocol.ext.allow", "always"),
    ("protocol.allow", "always"),
    ("remote.origin.url", "ext::CANARY promisor"),
    ("remote.origin.promisor", "true"),
    ("extensions.partialClone", "origin"),
    ("pager.status", "CANARY pagerstatus"),
    ("submodule.recurse", "true"),
    ("diff.submodule", "log"),
    ("status.submoduleSummary", "true"),
    ("include.path", "more-settings"),
];

/// What `.gitattributes` and `.git/info/attributes` say.
const TREE_ATTRIBUTES: &str = "*.txt filter=tree diff=pictures\n*.dat filter=process\n";
const INFO_ATTRIBUTES: &str =
    "*.rs filter=info\n*.md filter=included\n*.odd filter=Odd.Name\n*.png diff=pictures\n";

const HOOKS: &[&str] = &[
    "post-index-change",
    "fsmonitor-watchman",
    "reference-transaction",
];

const FILES: &[&str] = &[
    "a.txt",
    "b.dat",
    "c.rs",
    "d.md",
    "dir/g.txt",
    "e.odd",
    "f.png",
];

struct Cage {
    dir: tempfile::TempDir,
}

impl Cage {
    fn new() -> Self {
        let cage = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        std::fs::create_dir(cage.canaries()).unwrap();
        let script = format!(
            "#!/bin/sh\n: > {}/\"$1\"\nexit 1\n",
            cage.canaries().display()
        );
        cage.program("sing", &script);
        std::fs::create_dir(cage.repository()).unwrap();
        cage.fill(&cage.repository());
        cage.add_submodule();
        cage.arm(&cage.repository());
        cage.arm(&cage.repository().join("sub"));
        cage.clear();
        cage
    }

    fn canaries(&self) -> PathBuf {
        self.dir.path().join("canaries")
    }

    fn repository(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("repository")
    }

    fn program(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = self.dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    fn fill(&self, repository: &Path) {
        git(repository, &["init", "-q", "-b", "main"]);
        write(repository, ".gitattributes", TREE_ATTRIBUTES);
        write(repository, ".gitignore", "*.ignored\n");
        for file in FILES {
            write(repository, file, "first\n");
        }
        git(repository, &["add", "-A"]);
        git(repository, &["commit", "-qm", "one"]);
        git(repository, &["branch", "other"]);
        git(repository, &["commit", "-q", "--allow-empty", "-m", "two"]);
    }

    fn add_submodule(&self) {
        let source = self.dir.path().join("source");
        std::fs::create_dir(&source).unwrap();
        self.fill(&source);
        let allow = ["-c", "protocol.file.allow=always", "submodule", "-q", "add"];
        let words = [&allow[..], &[source.to_str().unwrap(), "sub"]].concat();
        git(&self.repository(), &words);
        git(&self.repository(), &["commit", "-qm", "with a submodule"]);
    }

    /// Puts every canary in place and makes every file dirty, with an unchanged size.
    fn arm(&self, repository: &Path) {
        let git_dir = git(repository, &["rev-parse", "--absolute-git-dir"]);
        let git_dir = Path::new(git_dir.trim());
        let sing = self.dir.path().join("sing");
        let armed = |text: &str| text.replace("CANARY", sing.to_str().unwrap());
        let attributes = git_dir.join("info/attributes");
        std::fs::create_dir_all(attributes.parent().unwrap()).unwrap();
        std::fs::write(attributes, INFO_ATTRIBUTES).unwrap();
        let included = armed("[filter \"included\"]\n\tclean = CANARY included\n");
        std::fs::write(git_dir.join("more-settings"), included).unwrap();
        for dir in [
            git_dir.join("hooks"),
            repository.join("hooks-of-the-repository"),
        ] {
            std::fs::create_dir_all(&dir).unwrap();
            for hook in HOOKS {
                let path = dir.join(hook);
                std::fs::copy(&sing, &path).unwrap();
            }
        }
        std::fs::copy(&sing, repository.join("git")).unwrap();
        for file in FILES {
            write(repository, file, "FIRST\n");
        }
        write(repository, "new.txt", "new\n");
        write(repository, "x.ignored", "ignored\n");
        for (key, value) in SETTINGS {
            git(repository, &["config", key, &armed(value)]);
        }
    }

    /// Takes an object away, which git would fetch from where the repository says.
    fn drop_a_blob(&self) {
        let name = git(&self.repository(), &["rev-parse", "main:a.txt"]);
        let (dir, file) = name.trim().split_at(2);
        let path = self.repository().join(".git/objects").join(dir).join(file);
        std::fs::remove_file(path).unwrap();
        self.clear();
    }

    fn clear(&self) {
        for song in self.songs() {
            std::fs::remove_file(self.canaries().join(song)).unwrap();
        }
    }

    fn songs(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.canaries()).unwrap();
        let mut names: Vec<String> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Every kind of question about the repository.
    fn wants(&self) -> Vec<Want> {
        let root = self.repository().to_str().unwrap().to_owned();
        let sub = format!("{root}/sub");
        let mut wants = Vec::new();
        for dir in [&root, &sub] {
            let key = |name: &str, to: &str| {
                let (dir, name, to) = (dir.clone(), name.to_owned(), to.to_owned());
                Want::Ref(RefKey { dir, name, to })
            };
            wants.extend(FILES.iter().map(|file| Want::Path(format!("{dir}/{file}"))));
            wants.push(Want::Tree(dir.clone()));
            wants.push(Want::Glob(format!("{dir}/**/*.txt")));
            wants.push(Want::Text(format!("{dir}/a.txt")));
            wants.push(Want::Repo(dir.clone()));
            wants.push(Want::Work(WorkKey {
                dir: dir.clone(),
                paths: vec![],
            }));
            wants.extend([key("HEAD", "HEAD~1"), key("other", ""), key("main", "")]);
        }
        wants
    }
}

fn write(dir: &Path, path: &str, text: &str) {
    let path = dir.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The real git, as a person would have it.
fn git(dir: &Path, words: &[&str]) -> String {
    let output = plain_git(dir, words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {words:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

fn plain_git(dir: &Path, words: &[&str]) -> std::process::Output {
    let mut command = Command::new("git");
    command.current_dir(dir).args(words);
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    for (name, value) in [("NAME", "t"), ("EMAIL", "t@example.com")] {
        command.env(format!("GIT_AUTHOR_{name}"), value);
        command.env(format!("GIT_COMMITTER_{name}"), value);
    }
    command.output().unwrap()
}

#[test]
fn no_canary_fires() {
    let cage = Cage::new();
    let root = cage.repository().to_str().unwrap().to_owned();
    let env = vec![
        ("PATH".to_owned(), format!(".:{root}:/usr/bin:/bin")),
        (
            "HOME".to_owned(),
            cage.dir.path().to_str().unwrap().to_owned(),
        ),
    ];
    let place = place_with(&root, env);
    for want in cage.wants() {
        let mut facts = Facts::default();
        collect(
            std::slice::from_ref(&want),
            &place,
            &mut Budget::start(),
            &mut facts,
        );
        assert_eq!(cage.songs(), [""; 0], "{want:?}");
        assert!(facts.has(&want), "{want:?}");
    }
    // All at once, as a call would ask.
    let mut facts = Facts::default();
    collect(&cage.wants(), &place, &mut Budget::start(), &mut facts);
    assert_eq!(cage.songs(), [""; 0]);
}

/// An object that is missing is not fetched.
#[test]
fn nothing_is_fetched() {
    let cage = Cage::new();
    cage.drop_a_blob();
    let root = cage.repository().to_str().unwrap().to_owned();
    let mut facts = Facts::default();
    let wants = cage.wants();
    collect(
        &wants,
        &place_with(&root, vec![]),
        &mut Budget::start(),
        &mut facts,
    );
    assert_eq!(cage.songs(), [""; 0]);
    assert!(wants.iter().all(|want| facts.has(want)));
}

/// Where it is not sure that every filter is known, git is not run at all.
#[test]
fn what_cannot_be_shut_off_is_not_run() {
    let armed = [
        ("config", "[filter \"a=b\"]\n\tclean = x\n".to_owned()),
        ("config", "[include]\n\tpath = ~other/settings\n".to_owned()),
        ("config", "[include]\n\tpath = a\tb\n".to_owned()),
        ("config", "# long\n".repeat(200_000)),
        ("info/attributes", "*.rs filter=a=b\n".to_owned()),
    ];
    for (file, text) in armed {
        let cage = Cage::new();
        let path = cage.repository().join(".git").join(file);
        let old = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, old + &text).unwrap();
        let root = cage.repository().to_str().unwrap().to_owned();
        let key = WorkKey {
            dir: root.clone(),
            paths: vec![],
        };
        let mut facts = Facts::default();
        let mut budget = Budget::start();
        let runs = budget.git_runs_left();
        let wants = [Want::Work(key.clone())];
        collect(&wants, &place_with(&root, vec![]), &mut budget, &mut facts);
        assert!(
            facts.work.get(&key).unwrap().is_unknown(),
            "{file}: {text:.40}"
        );
        assert_eq!(budget.git_runs_left(), runs);
        assert_eq!(cage.songs(), [""; 0]);
    }
}

/// The neutralised run still sees what is there.
#[test]
fn the_work_is_seen_all_the_same() {
    let cage = Cage::new();
    let root = cage.repository().to_str().unwrap().to_owned();
    let place = place_with(&root, vec![]);
    let key = WorkKey {
        dir: root.clone(),
        paths: vec![],
    };
    let mut facts = Facts::default();
    collect(
        &[Want::Work(key.clone())],
        &place,
        &mut Budget::start(),
        &mut facts,
    );
    let Some(Fact::Known(work)) = facts.work.get(&key) else {
        panic!("{:?}", facts.work);
    };
    let mut unstaged: Vec<&str> = work
        .unstaged
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    unstaged.sort_unstable();
    assert_eq!(unstaged, FILES);
    assert!(work.untracked.iter().any(|file| file.path == "new.txt"));
    assert!(work.ignored.iter().any(|file| file.path == "x.ignored"));
    let counted = work
        .unstaged
        .iter()
        .filter(|file| file.lines == Some((1, 1)))
        .count();
    assert_eq!(counted, FILES.len());
    assert_eq!(cage.songs(), [""; 0]);
}

/// Without the neutralisation the canaries fire: the tests above can fail.
#[test]
fn plain_git_wakes_the_canaries() {
    let cage = Cage::new();
    // Git stops at a required filter that fails; the others are to be heard as well.
    git(
        &cage.repository(),
        &["config", "filter.tree.required", "false"],
    );
    plain_git(&cage.repository(), &["status"]);
    for file in FILES {
        plain_git(&cage.repository(), &["diff", "--", file]);
    }
    let mut songs = cage.songs();
    cage.drop_a_blob();
    plain_git(&cage.repository(), &["show", "HEAD:a.txt"]);
    songs.extend(cage.songs());
    for expected in [
        "fsmonitor",
        "clean",
        "process",
        "infoclean",
        "included",
        "dottedclean",
    ] {
        assert!(
            songs.iter().any(|song| song == expected),
            "{expected} is missing in {songs:?}"
        );
    }
}
