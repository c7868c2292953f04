//! Tests of the readers by themselves, against git where git can say what is right.

use super::budget::Budget;
use super::history::{self, Reach};
use super::index::Index;
use super::repository::{Repositories, Repository, RepositoryLookup};
use super::view::View;
use super::{inflate, objects};
use model::CallEnv;
use proptest::prelude::*;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;

/// Runs git with a fixed identity and no configuration of the user's.
fn git(dir: &Path, words: &str) -> String {
    let mut command = Command::new("git");
    command.current_dir(dir).args(words.split(' '));
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
        output.status.success() || words.starts_with("check-ignore"),
        "{words}: {said}"
    );
    String::from_utf8(output.stdout).unwrap()
}

fn write(dir: &Path, path: &str, text: &str) {
    let path = dir.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn open(dir: &Path) -> Rc<Repository> {
    let real = dir.canonicalize().unwrap();
    match Repositories::default().find(real.to_str().unwrap(), &mut Budget::start()) {
        RepositoryLookup::In(repository) => repository,
        other => panic!("no repository: {other:?}"),
    }
}

/// A repository with twelve files in three directories, committed.
fn sample(format: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    git(
        dir.path(),
        &format!("init -q -b main --object-format={format}"),
    );
    for number in 0..12 {
        write(
            dir.path(),
            &format!("dir{}/file-{number}.txt", number % 3),
            &"x".repeat(number),
        );
    }
    git(dir.path(), "add -A");
    git(dir.path(), "commit -qm one");
    dir
}

#[test]
fn every_version_of_the_index_is_read() {
    for format in ["sha1", "sha256"] {
        for version in 2..=4 {
            let dir = sample(format);
            git(
                dir.path(),
                &format!("update-index --index-version {version}"),
            );
            write(dir.path(), "later.txt", "not yet");
            git(dir.path(), "add -N later.txt");
            let repository = open(dir.path());
            let bytes = std::fs::read(dir.path().join(".git/index")).unwrap();
            let index = Index::read(&bytes, repository.hash_bytes).unwrap();
            let paths: Vec<&str> = index
                .entries
                .iter()
                .map(|entry| entry.path.as_str())
                .collect();
            let expected = git(dir.path(), "ls-files");
            assert_eq!(
                paths,
                expected.lines().collect::<Vec<_>>(),
                "{format} {version}"
            );
            assert_eq!(index.within("dir1").len(), 4);
            assert_eq!(index.within("dir1/file-1.txt").len(), 1);
            assert!(index.entry("later.txt").unwrap().is_special());
        }
    }
}

#[test]
fn what_only_git_can_read_is_refused() {
    let dir = sample("sha1");
    git(dir.path(), "update-index --split-index");
    let bytes = std::fs::read(dir.path().join(".git/index")).unwrap();
    assert!(Index::read(&bytes, 20).is_err());
    let dir = sample("sha1");
    git(dir.path(), "sparse-checkout set --cone --sparse-index dir1");
    let bytes = std::fs::read(dir.path().join(".git/index")).unwrap();
    assert!(Index::read(&bytes, 20).is_err());
}

#[test]
fn the_tree_of_a_commit_is_found_loose_and_packed() {
    for format in ["sha1", "sha256"] {
        let dir = sample(format);
        let repository = open(dir.path());
        for step in ["", "gc -q", "commit -q --allow-empty -m two"] {
            if !step.is_empty() {
                git(dir.path(), step);
            }
            let head = git(dir.path(), "rev-parse HEAD");
            let tree = git(dir.path(), "rev-parse HEAD^{tree}");
            let found = objects::tree_of(&repository, head.trim(), &mut Budget::start());
            assert_eq!(
                found.as_deref(),
                Some(tree.trim()),
                "{format} after `{step}`"
            );
        }
        let missing = "0123456789".repeat(repository.hash_bytes / 5);
        assert_eq!(
            objects::tree_of(&repository, &missing, &mut Budget::start()),
            None
        );
    }
}

/// A history of commits that follow earlier ones, as `git fast-import` reads it, and their names.
fn history(dir: &Path, commits: &[(u64, Vec<usize>)]) -> Vec<String> {
    let mut text = String::new();
    for (at, (date, parents)) in commits.iter().enumerate() {
        let mark = at + 1;
        text.push_str(&format!("reset refs/heads/c{at}\n"));
        text.push_str(&format!("commit refs/heads/c{at}\nmark :{mark}\n"));
        text.push_str(&format!(
            "author a <a@example.com> {at} +0000\n\
             committer t <t@example.com> {date} +0000\ndata 0\n"
        ));
        for (number, parent) in parents.iter().enumerate() {
            let word = if number == 0 { "from" } else { "merge" };
            text.push_str(&format!("{word} :{}\n", parent + 1));
        }
        text.push('\n');
    }
    write(dir, "history", &text);
    let input = std::fs::File::open(dir.join("history")).unwrap();
    let mut import = Command::new("git");
    import.current_dir(dir).args(["fast-import", "--quiet"]);
    assert!(import.stdin(input).status().unwrap().success());
    let names: Vec<String> = (0..commits.len()).map(|at| format!("c{at}")).collect();
    let found = git(dir, &format!("rev-parse {}", names.join(" ")));
    found.lines().map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// What is counted here is what git counts, however histories fork, join and are dated.
    #[test]
    fn commits_are_counted_as_git_counts_them(
        drawn in prop::collection::vec((0u64..4, prop::collection::vec(any::<prop::sample::Index>(), 0..3)), 1..24),
        askew in any::<bool>(),
        tips in prop::collection::vec(any::<prop::sample::Index>(), 1..3),
        kept in prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        is_packed in any::<bool>(),
    ) {
        let mut commits: Vec<(u64, Vec<usize>)> = Vec::new();
        for (later, parents) in drawn {
            let count = commits.len();
            let mut parents: Vec<usize> =
                parents.iter().filter(|_| count > 0).map(|at| at.index(count)).collect();
            parents.sort_unstable();
            parents.dedup();
            let newest = parents.iter().map(|at| commits[*at].0).max().unwrap_or(1_700_000_000);
            // A clock that stood in the past.
            let date = if askew && later == 3 { newest - 50 } else { newest + later };
            commits.push((date, parents));
        }
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), "init -q");
        let names = history(dir.path(), &commits);
        // What is imported is packed.
        if !is_packed {
            let packs = dir.path().join(".git/objects/pack");
            std::fs::rename(&packs, dir.path().join("packs")).unwrap();
            std::fs::create_dir(packs).unwrap();
            for pack in std::fs::read_dir(dir.path().join("packs")).unwrap().flatten() {
                if pack.path().extension().is_some_and(|end| end == "pack") {
                    let input = std::fs::File::open(pack.path()).unwrap();
                    let mut unpack = Command::new("git");
                    unpack.current_dir(dir.path()).args(["unpack-objects", "-q"]);
                    assert!(unpack.stdin(input).status().unwrap().success());
                }
            }
        }
        let pick = |some: &[prop::sample::Index]| -> Vec<String> {
            some.iter().map(|at| names[at.index(names.len())].clone()).collect()
        };
        let reach = Reach { tips: pick(&tips), kept: pick(&kept) };
        let found = history::count(&open(dir.path()), &reach, &mut Budget::start());
        let words = format!("rev-list --count {} --not {}", reach.tips.join(" "), reach.kept.join(" "));
        let counted: u32 = git(dir.path(), words.trim()).trim().parse().unwrap();
        match found {
            // A wrong clock may hide that a commit is kept, never that it is lost.
            Some(found) if askew => prop_assert!(found >= counted),
            Some(found) => prop_assert_eq!(found, counted),
            // Nothing is too long here, so only a clock may be in the way.
            None => prop_assert!(askew),
        }
    }
}

#[test]
fn a_long_history_is_gits_to_count() {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), "init -q");
    let commits: Vec<(u64, Vec<usize>)> = (0_usize..100)
        .map(|at| {
            (
                1_700_000_000 + at as u64,
                at.checked_sub(1).into_iter().collect(),
            )
        })
        .collect();
    let names = history(dir.path(), &commits);
    let count = |tip: usize, kept: &[usize]| {
        let reach = Reach {
            tips: vec![names[tip].clone()],
            kept: kept.iter().map(|at| names[*at].clone()).collect(),
        };
        history::count(&open(dir.path()), &reach, &mut Budget::start())
    };
    assert_eq!(count(99, &[]), None);
    assert_eq!(count(20, &[]), Some(21));
    assert_eq!(count(99, &[96]), Some(3));
    assert_eq!(count(96, &[99]), Some(0));
    // What is not there: a shallow clone, another's objects.
    let reach = Reach {
        tips: vec!["0123456789".repeat(4)],
        kept: Vec::new(),
    };
    assert_eq!(
        history::count(&open(dir.path()), &reach, &mut Budget::start()),
        None
    );
}

/// Paths and texts of ignore files.
type IgnoreFiles = &'static [(&'static str, &'static str)];

/// Ignore files, and paths to be judged by them (directories end in a slash).
const IGNORE_CASES: &[(IgnoreFiles, &[&str])] = &[
    (
        &[(
            ".gitignore",
            "*.log\n!keep.log\n/top\nbuild/\ndoc/*.txt\n\\#odd\nfoo/**\na/**/b\n",
        )],
        &[
            "x.log",
            "keep.log",
            "d/x.log",
            "d/keep.log",
            "top",
            "d/top",
            "build/",
            "e/build",
            "build/x",
            "d/build/y",
            "doc/a.txt",
            "doc/d/a.txt",
            "#odd",
            "foo/",
            "foo/x",
            "foo/d/x",
            "a/b",
            "a/x/y/b",
            "a/x/c",
        ],
    ),
    (
        &[
            (".gitignore", "*\n!*/\n!*.rs\n"),
            ("sub/.gitignore", "*.rs\n!x.rs\n/y/\n"),
        ],
        &[
            "a.rs",
            "a.txt",
            "d/b.rs",
            "sub/x.rs",
            "sub/z.rs",
            "sub/y/x.rs",
            "sub/d/y/x.rs",
        ],
    ),
    (
        &[(
            ".gitignore",
            "[Bb]in/\ntrail \\ \nspace \n**/deep\nq?.c\n!\n\n# c\n*.[oa]\nx\\*y\n",
        )],
        &[
            "bin/a", "Bin/", "trail  ", "space", "space ", "deep", "m/n/deep", "q1.c", "q/.c",
            "a.o", "a.so", "x*y", "xzy",
        ],
    ),
    (
        &[
            (".git/info/exclude", "secret\n/only\n"),
            (".gitignore", "!secret\nonly/x\n"),
        ],
        &["secret", "d/secret", "only", "only/x", "d/only"],
    ),
];

#[test]
fn ignore_rules_are_those_of_git() {
    let mut compared = 0;
    for (files, paths) in IGNORE_CASES {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), "init -q");
        for (path, text) in *files {
            write(dir.path(), path, text);
        }
        let repository = open(dir.path());
        let place = CallEnv::default();
        let mut budget = Budget::start();
        let mut view = View::new(&place, &mut budget);
        for path in *paths {
            let is_dir = path.ends_with('/');
            let path = path.trim_end_matches('/');
            if is_dir {
                std::fs::create_dir_all(dir.path().join(path)).unwrap();
            }
            let mut command = Command::new("git");
            command
                .current_dir(dir.path())
                .args(["check-ignore", "-q", "--", path]);
            let expected = command
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .status()
                .unwrap();
            let got = view.is_ignored(&repository, path, is_dir);
            assert_eq!(got, expected.success(), "{path:?} with {files:?}");
            compared += 1;
        }
    }
    assert!(compared > 40);
}

proptest! {
    #[test]
    fn any_bytes_are_an_index_or_a_refusal(bytes: Vec<u8>, is_long: bool) {
        let hash_bytes = if is_long { 32 } else { 20 };
        // Most bytes fail at the signature; the rest is tried with a good one.
        let header = [b"DIRC\0\0\0".as_slice(), &[2 + bytes.len() as u8 % 3], &[0, 0, 0, 9]];
        let whole = [header.concat(), bytes.clone()].concat();
        for bytes in [bytes, whole] {
            if let Ok(index) = Index::read(&bytes, hash_bytes) {
                prop_assert!(index.entries.len() * 62 <= bytes.len());
            }
        }
    }

    #[test]
    fn a_damaged_index_is_an_index_or_a_refusal(
        at in 0usize..2_000, to: u8, cut in 0usize..2_000, version in 2u8..=4,
    ) {
        let mut bytes = damaged_sample(version);
        let length = bytes.len();
        bytes[at % length] = to;
        bytes.truncate(length - cut % length);
        if let Ok(index) = Index::read(&bytes, 20) {
            prop_assert!(index.entries.len() <= 12 || at % length < 12);
        }
    }

    #[test]
    fn any_bytes_unpack_or_do_not(mut bytes: Vec<u8>, length in 0usize..512) {
        bytes.splice(0..0, [0x78, 0x9c]);
        if let Some(out) = inflate::beginning(&bytes, length) {
            prop_assert!(out.len() <= length);
        }
    }
}

/// The index of [`sample`] in one of the versions, made once.
fn damaged_sample(version: u8) -> Vec<u8> {
    static MADE: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
    let made = MADE.get_or_init(|| {
        let dir = sample("sha1");
        let read = |version| {
            git(
                dir.path(),
                &format!("update-index --index-version {version}"),
            );
            std::fs::read(dir.path().join(".git/index")).unwrap()
        };
        (2..=4).map(read).collect()
    });
    made[usize::from(version) - 2].clone()
}
