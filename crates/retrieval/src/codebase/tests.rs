//! Files as they are found in a small project.

use super::*;
use std::fs;

fn job(project: &Path, prompt: &str) -> Job {
    Job {
        terms: context::hydration::terms(prompt),
        places: crate::Places {
            project: project.display().to_string(),
            home: "/nowhere".to_owned(),
            ..Default::default()
        },
        ask: crate::Ask {
            prompt: prompt.to_owned(),
            ..Default::default()
        },
    }
}

fn far() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in [
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".gitignore", "built/\n"),
        (
            "src/config.rs",
            "use x;\n\npub fn read_config(path: &str) -> Config {\n}\n",
        ),
        (
            "src/main.rs",
            "fn main() {\n    read_config(\"a\");\n    read_config(\"b\");\n}\n",
        ),
        ("src/login/form.rs", "struct Form;\n"),
        ("built/config.rs", "pub fn read_config() {}\n"),
        (".env", "read_config=secret\n"),
        ("node_modules/a/index.js", "function read_config() {}\n"),
        ("data.bin", "read_config\0\u{1}\n"),
    ] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn found(dir: &Path, prompt: &str) -> Vec<(String, String)> {
    let told = retrieve(&job(dir, prompt), far());
    assert!(!told.is_partial);
    let passages = told.passages.into_iter();
    passages
        .map(|passage| (passage.source, passage.text))
        .collect()
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    pairs
        .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
        .collect()
}

#[test]
fn where_a_name_is_defined_comes_first() {
    let dir = project();
    assert_eq!(
        found(dir.path(), "why does `read_config` fail?"),
        owned(&[
            (
                "src/config.rs:3",
                "pub fn read_config(path: &str) -> Config {"
            ),
            ("src/main.rs:2", "read_config(\"a\");"),
        ])
    );
}

#[test]
fn paths_fit_without_a_line() {
    let dir = project();
    assert_eq!(
        found(dir.path(), "the login"),
        owned(&[("src/login/form.rs", "")])
    );
    let named = found(dir.path(), "look at src/main.rs");
    assert_eq!(named, owned(&[("src/main.rs", "")]));
    assert_eq!(found(dir.path(), "fix it"), owned(&[]));
}

#[test]
fn a_home_is_no_project() {
    let dir = project();
    let mut job = job(dir.path(), "read_config");
    job.places.home = format!("{}/", job.places.project);
    assert!(retrieve(&job, far()).passages.is_empty());
}

#[cfg(unix)]
#[test]
fn links_are_not_followed() {
    let dir = project();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("key.rs"), "fn unique_secret() {}\n").unwrap();
    std::os::unix::fs::symlink(outside.path(), dir.path().join("linked")).unwrap();
    let file = outside.path().join("key.rs");
    std::os::unix::fs::symlink(file, dir.path().join("key.rs")).unwrap();
    assert_eq!(found(dir.path(), "unique_secret"), owned(&[]));
}

#[test]
fn without_time_it_says_so() {
    let dir = project();
    assert!(retrieve(&job(dir.path(), "read_config"), Instant::now()).is_partial);
}
