//! Tests of the readers by themselves, against git where git can say what is right.

use super::budget::Budget;
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
