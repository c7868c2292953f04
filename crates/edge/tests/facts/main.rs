//! What the edge learns of real files and repositories.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod hidden;
mod world;

use edge::facts::{Budget, place_with, project_dir};
use model::{Fact, PathKind, Vcs, Want, WorkKey};
use std::time::{Duration, Instant};
use world::{World, words};

#[test]
fn a_path_is_what_it_is() {
    let world = World::new();
    world.write("d/file", "four");
    world.link("to-file", "d/file");
    world.link("to-dir", "d");
    world.link("broken", "nowhere/at/all");
    world.link("loop", "loop");
    std::fs::hard_link(world.path("d/file"), world.path("d/twin")).unwrap();
    let pipe = std::process::Command::new("mkfifo")
        .arg(world.path("pipe"))
        .status()
        .unwrap();
    assert!(pipe.success());
    let cases = [
        ("d", PathKind::Dir, "d", "d", 0),
        ("d/file", PathKind::File, "d/file", "d/file", 4),
        ("to-file", PathKind::Link, "to-file", "d/file", 6),
        ("to-dir", PathKind::Link, "to-dir", "d", 1),
        ("to-dir/file", PathKind::File, "d/file", "d/file", 4),
        ("to-dir/../d/./file", PathKind::File, "d/file", "d/file", 4),
        ("to-dir/new/x", PathKind::Missing, "d/new/x", "d/new/x", 0),
        (
            "d/file/below",
            PathKind::Missing,
            "d/file/below",
            "d/file/below",
            0,
        ),
        ("broken", PathKind::Link, "broken", "nowhere/at/all", 14),
        ("missing", PathKind::Missing, "missing", "missing", 0),
        ("pipe", PathKind::Other, "pipe", "pipe", 0),
    ];
    for (path, kind, lexical, real, bytes) in cases {
        let Fact::Known(fact) = world.look(path) else {
            panic!("{path} is unknown")
        };
        let got = (fact.kind, fact.lexical, fact.real, fact.bytes);
        assert_eq!(
            got,
            (kind, world.path(lexical), world.path(real), bytes),
            "{path}"
        );
    }
    let links = |path| world.look(path).known().unwrap().links;
    assert_eq!((links("d/file"), links("missing")), (2, 0));
    assert!(world.look("loop").is_unknown());
    assert!(matches!(world.look("d/file"), Fact::Known(fact) if fact.vcs == Vcs::Outside));
}

#[test]
fn version_control_sees_files_without_running_git() {
    let world = World::with_repository();
    world.write("r/src/b.rs", "longer than it was\n");
    world.write("r/new", "x");
    world.write("r/x.ignored", "x");
    world.write("r/target/x", "x");
    world.link("r/way-in", "src");
    let cases = [
        ("r/src/a.rs", Vcs::Clean),
        ("r/way-in/a.rs", Vcs::Clean),
        ("r/src/b.rs", Vcs::Modified),
        ("r/new", Vcs::Untracked),
        ("r/x.ignored", Vcs::Ignored),
        ("r/target/x", Vcs::Ignored),
        ("r/.git/HEAD", Vcs::Outside),
        ("r/src", Vcs::NotAsked),
        ("r/gone", Vcs::NotAsked),
    ];
    for (path, expected) in cases {
        let path = world.path(path);
        let mut budget = Budget::start().without_git();
        let mut facts = world.ask(&[Want::Path(path.clone())], &mut budget);
        let fact = facts.paths.remove(&path).unwrap();
        assert_eq!(fact.known().unwrap().vcs, expected, "{path}");
    }
}

#[test]
fn what_is_staged_leaves_other_files_as_committed() {
    let world = World::with_repository();
    let files: Vec<String> = (0..40).map(|n| format!("r/src/deep/f{n}.rs")).collect();
    for file in &files {
        world.write(file, "deep\n");
    }
    world.git("r", "add -A");
    world.git("r", "commit -qm more");
    world.write("r/src/deep/new.rs", "new\n");
    world.write("r/src/a.rs", "changed and staged\n");
    world.git("r", "add -A");
    std::thread::sleep(std::time::Duration::from_millis(15));
    world.git("r", "update-index --really-refresh -q");
    world.touch_index("r");
    world.write("r/README", "changed\n");
    let vcs = |path: &str| world.look(path).known().unwrap().vcs;
    for packed in [false, true] {
        if packed {
            world.git("r", "repack -adq");
            world.git("r", "prune-packed");
        }
        assert_eq!(vcs("r/src/b.rs"), Vcs::Clean, "packed: {packed}");
        assert_eq!(vcs("r/src/deep/f7.rs"), Vcs::Clean, "packed: {packed}");
        assert_eq!(vcs("r/README"), Vcs::Modified);
        for staged in ["r/src/a.rs", "r/src/deep/new.rs"] {
            assert_eq!(vcs(staged), Vcs::Unknown, "{staged}, packed: {packed}");
        }
        let without_git = |want: Want| {
            let mut budget = Budget::start().without_git();
            world.ask(&[want], &mut budget)
        };
        for (path, is_known) in [("r/src/b.rs", true), ("r/src/a.rs", false)] {
            let path = world.path(path);
            let facts = without_git(Want::Tree(path.clone()));
            assert_eq!(!facts.trees[&path].is_unknown(), is_known, "tree {path}");
            let dir = world.path("r");
            let paths = vec![path];
            let key = WorkKey { dir, paths };
            let facts = without_git(Want::Work(key.clone()));
            assert_eq!(!facts.work[&key].is_unknown(), is_known, "work {key:?}");
        }
    }
}

#[test]
fn where_the_index_proves_nothing_a_path_is_unknown_and_a_tree_asks_git() {
    let world = World::with_repository();
    world.write("r/src/a.rs", "two\n");
    world.write("r/staged", "x");
    world.git("r", "add staged");
    world.write("r/README", "one\n");
    world.write("r/src/b.rs", "hid\n");
    world.git("r", "update-index --assume-unchanged src/b.rs");
    let cases = [
        ("r/src/a.rs", "src/a.rs +1 −1"),
        ("r/staged", "staged +1 −0"),
        ("r/README", ""),
        ("r/src/b.rs", "src/b.rs modified"),
    ];
    let paths = cases.iter().map(|(path, _)| Want::Path(world.path(path)));
    let trees = cases.iter().map(|(path, _)| Want::Tree(world.path(path)));
    let wants: Vec<Want> = paths.chain(trees).collect();
    let mut budget = Budget::start();
    let runs = budget.git_runs_left();
    let facts = world.ask(&wants, &mut budget);
    for (path, lost) in cases {
        let fact = facts.paths.get(&world.path(path)).unwrap().known().unwrap();
        assert_eq!(fact.vcs, Vcs::Unknown, "{path}");
        let fact = facts.trees.get(&world.path(path)).unwrap().known().unwrap();
        assert_eq!(words(&fact.loss.files), lost, "{path}");
    }
    assert_eq!(
        runs - budget.git_runs_left(),
        2,
        "all trees in one run, and one to count lines"
    );
}

#[test]
fn a_tree_tells_what_would_be_lost() {
    let world = World::with_repository();
    world.write("r/src/a.rs", "one\ntwo\n");
    world.write("r/src/new.rs", "x");
    world.write("r/src/x.ignored", "x");
    world.write("r/src/staged.rs", "staged\n");
    world.git("r", "add src/staged.rs");
    std::fs::remove_file(world.path("r/src/b.rs")).unwrap();
    world.write("r/notes/deep/n.md", "text");
    world.link("r/notes/link", "/etc/passwd");
    world.write("outside/file", "x");
    world.write("r/kept/secret.ignored", "x");
    let cases = [
        (
            "r/src",
            "src/a.rs +1 −0, src/new.rs untracked, src/staged.rs +1 −0, \
                   src/x.ignored ignored",
        ),
        ("r/notes", "notes/deep/n.md untracked"),
        ("r/notes/link", ""),
        ("r/README", ""),
        ("r/src/new.rs", "src/new.rs untracked"),
        ("r/kept", "kept/secret.ignored ignored"),
        ("r/gone", ""),
    ];
    for (path, expected) in cases {
        let fact = world.tree(path);
        assert_eq!(words(&fact.loss.files), expected, "{path}");
        assert!(
            !fact.cut && !fact.generated && fact.repos.is_empty(),
            "{path}: {fact:?}"
        );
        assert_eq!(fact.lost.len() as u64, fact.loss.files_total, "{path}");
    }
    let fact = world.tree("outside");
    assert_eq!(fact.lost, [world.path("outside/file")]);
    assert_eq!((fact.entries, fact.bytes, fact.loss.bytes), (1, 1, 1));
    assert_eq!(
        words(&fact.loss.files),
        format!("{} not in git", world.path("outside/file"))
    );
}

#[test]
fn a_clean_tree_is_known_without_running_git() {
    let world = World::with_repository();
    world.write("r/src/new.rs", "x");
    for (path, lost) in [("r/src", 1), ("r/README", 0), ("r", 1)] {
        let path = world.path(path);
        let mut budget = Budget::start().without_git();
        let facts = world.ask(&[Want::Tree(path.clone())], &mut budget);
        let fact = facts.trees.get(&path).unwrap().known();
        assert_eq!(fact.map(|fact| fact.loss.files_total), Some(lost), "{path}");
    }
}

/// Build output: what it is made of, what is asked for, whether it is recognised.
const GENERATED: &[(&[&str], &str, bool)] = &[
    (&["r/Cargo.toml", "r/target/debug/x"], "r/target", true),
    (
        &["r/Cargo.toml", "r/target/debug/x"],
        "r/target/debug",
        true,
    ),
    (&["r/target/debug/x"], "r/target", true),
    (&["other/target/debug/x"], "other/target", false),
    (
        &["r/package.json", "r/node_modules/a/i.js"],
        "r/node_modules",
        true,
    ),
    (
        &["r/package.json", "r/node_modules/a/i.js"],
        "r/node_modules/a/i.js",
        true,
    ),
    (&["r/node_modules/a/i.js"], "r/node_modules", false),
    (&["r/package.json", "r/dist/a.js"], "r/dist", true),
    (&["r/dist/a.js"], "r/dist", false),
    (&["r/.venv/pyvenv.cfg", "r/.venv/bin/x"], "r/.venv", true),
    (&["r/.venv/bin/x"], "r/.venv", false),
    (&["r/src/__pycache__/a.pyc"], "r/src/__pycache__", true),
    (&["r/mod/a.pyc"], "r/mod", true),
    (&["r/mod/a.pyc", "r/mod/a.py"], "r/mod", false),
    (&["r/.next/x", "r/.cache/y"], "r/.next", true),
    (
        &["r/pkg/package.json", "r/pkg/build/x", "r/pkg/dist/y"],
        "r/pkg/build",
        true,
    ),
    (&["r/pkg/package.json", "r/pkg/build/x"], "r/pkg", false),
    (&["home/.gradle/gradle.properties"], "home/.gradle", false),
    (&["home/.cache/x"], "home/.cache", false),
    (
        &["other/package.json", "other/node_modules/x"],
        "other/node_modules",
        true,
    ),
];

#[test]
fn build_output_is_recognised_by_more_than_its_name() {
    for (files, path, expected) in GENERATED {
        let world = World::with_repository();
        for file in *files {
            world.write(file, "x");
        }
        let fact = world.tree(path);
        assert_eq!(fact.generated, *expected, "{path} with {files:?}");
        assert_eq!(
            fact.loss.is_nothing(),
            *expected,
            "{path} with {files:?}: {:?}",
            fact.loss
        );
    }
}

#[test]
fn a_cache_tag_marks_build_output_but_never_a_project() {
    let world = World::with_repository();
    let tag = "Signature: 8a477f597d28d172789f06886806bc55\n";
    for dir in ["r/odd", "r", "home/precious"] {
        world.write(&format!("{dir}/CACHEDIR.TAG"), tag);
        world.write(&format!("{dir}/file"), "x");
    }
    world.write("r/false/CACHEDIR.TAG", "Signature: 0");
    for (path, expected) in [("r/odd", true), ("r/false", false), ("r", false)] {
        assert_eq!(world.tree(path).generated, expected, "{path}");
    }
    assert!(!world.tree("home/precious").generated);
}

#[test]
fn a_tracked_change_in_build_output_is_a_loss() {
    let world = World::with_repository();
    world.write("r/package.json", "{}");
    world.write("r/dist/tracked.js", "one\n");
    world.git("r", "add -A");
    world.git("r", "commit -qm dist");
    world.write("r/dist/tracked.js", "two!\n");
    world.write("r/node_modules/x/i.js", "x");
    let fact = world.tree("r/dist");
    assert_eq!(words(&fact.loss.files), "dist/tracked.js +1 −1");
    assert!(!fact.generated);
    assert_eq!(words(&world.tree("r").loss.files), "dist/tracked.js +1 −1");
}

#[test]
fn histories_that_would_go_are_named() {
    let world = World::with_repository();
    world.init("r/vendor/inner");
    world.write("r/vendor/inner/src/a.rs", "changed\n");
    world.git("", "clone -q --bare r bare.git");
    world.git("r", "worktree add -q ../linked");
    world.write("linked/new", "x");
    let paths = |names: &[&str]| {
        names
            .iter()
            .map(|name| world.path(name))
            .collect::<Vec<_>>()
    };
    let cases: [(&str, &[&str], &str); 6] = [
        ("r", &["r", "r/vendor/inner"], "vendor/inner/src/a.rs +1 −1"),
        (
            "r/vendor",
            &["r/vendor/inner"],
            "vendor/inner/src/a.rs +1 −1",
        ),
        ("r/.git", &["r"], ""),
        ("bare.git", &["bare.git"], ""),
        ("linked", &[], "new untracked"),
        ("r/src", &[], ""),
    ];
    for (path, repos, lost) in cases {
        let fact = world.tree(path);
        assert_eq!(fact.repos, paths(repos), "{path}");
        assert_eq!(words(&fact.loss.files), lost, "{path}");
    }
    world.write("r/.git/index.lock", "x");
    assert!(world.tree("r/.git/index.lock").loss.is_nothing());
}

#[test]
fn what_leads_a_linked_work_tree_to_its_repository_is_no_work() {
    let world = World::with_repository();
    world.git("r", "worktree add -q ../linked");
    world.write("linked/more", "more\n");
    world.git("linked", "add more");
    world.git("linked", "commit -qm more");
    assert_eq!(world.work("linked", ""), model::WorkFact::default());
    assert!(world.tree("linked").loss.is_nothing());
    world.write("linked/new", "x");
    assert_eq!(words(&world.work("linked", "").untracked), "new untracked");
}

#[test]
fn a_submodule_is_looked_into_by_its_own_repository() {
    let world = World::with_repository();
    world.init("other");
    let source = world.path("other");
    world.git(
        "r",
        &format!("-c protocol.file.allow=always submodule -q add {source} sub"),
    );
    world.git("r", "commit -qm sub");
    assert!(world.tree("r/sub").loss.is_nothing());
    world.write("r/sub/src/a.rs", "changed\n");
    let fact = world.tree("r/sub");
    assert_eq!(words(&fact.loss.files), "src/a.rs +1 −1");
    assert_eq!(
        fact.repos, [""; 0],
        "its history is kept in the outer repository"
    );
    assert_eq!(words(&world.tree("r").loss.files), "sub/src/a.rs +1 −1");
    assert_eq!(world.repo("r/sub").unwrap().root, world.path("r/sub"));
}

#[test]
fn a_walk_ends_at_its_limit() {
    let world = World::with_repository();
    for number in 0..2_500 {
        world.write(&format!("many/{number}"), "");
    }
    let fact = world.tree("many");
    assert!(fact.cut);
    assert_eq!((fact.entries, fact.loss.files_total), (2_000, 2_000));
    for number in 0..2_500 {
        world.write(&format!("r/many/{number}"), "x");
    }
    let fact = world.tree("r/many");
    assert!(fact.cut);
    assert_eq!(
        fact.loss.files_total, 2_500,
        "git counted what the walk did not reach"
    );
}

#[test]
fn what_cannot_be_read_is_a_lower_bound() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.write("outer/file", "x");
    world.write("outer/closed/file", "x");
    let closed = world.path("outer/closed");
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
    // For root nothing is closed.
    let is_closed = std::fs::read_dir(&closed).is_err();
    let fact = world.tree("outer");
    assert_eq!(fact.cut, is_closed);
    assert_eq!(fact.loss.files_total, if is_closed { 1 } else { 2 });
    std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o700)).unwrap();
}

#[test]
fn globs_match_as_in_a_shell() {
    let world = World::new();
    for file in [
        "a.txt",
        "b.txt",
        ".h.txt",
        "d/c.txt",
        "d/e/f.txt",
        "d/.x/g.txt",
        "ä.txt",
    ] {
        world.write(file, "");
    }
    world.link("way", "d");
    let cases = [
        ("*.txt", "a.txt b.txt ä.txt"),
        (".*.txt", ".h.txt"),
        ("?.txt", "a.txt b.txt ä.txt"),
        ("[!b].txt", "a.txt ä.txt"),
        ("*/*.txt", "d/c.txt way/c.txt"),
        ("**/*.txt", "a.txt b.txt d/c.txt d/e/f.txt ä.txt"),
        ("d/**", "d d/c.txt d/e d/e/f.txt"),
        ("d/*/", "d/e"),
        ("a.txt", "a.txt"),
        ("none*", ""),
        ("d**.txt", ""),
    ];
    for (glob, expected) in cases {
        assert_eq!(world.glob(glob).join(" "), expected, "{glob}");
    }
}

#[test]
fn texts_are_read_within_limits() {
    let world = World::new();
    world.write("small", "text");
    world.write("large", &"x".repeat(256 * 1024 + 1));
    std::fs::write(world.path("binary"), b"\xffx").unwrap();
    let pipe = std::process::Command::new("mkfifo")
        .arg(world.path("pipe"))
        .status()
        .unwrap();
    assert!(pipe.success());
    assert_eq!(world.text("small"), Fact::Known("text".into()));
    assert_eq!(world.text("binary"), Fact::Known("\u{fffd}x".into()));
    for path in ["large", "pipe", "missing", ""] {
        assert!(world.text(path).is_unknown(), "{path}");
    }
}

#[test]
fn a_repository_tells_how_it_stands() {
    let world = World::with_repository();
    world.git("", "clone -q r copy");
    let head = world.git("r", "rev-parse HEAD").trim().to_owned();
    let fact = world.repo("copy/src").unwrap();
    assert_eq!(fact.root, world.path("copy"));
    assert_eq!(fact.common_dir, world.path("copy/.git"));
    let names = [
        fact.branch.as_str(),
        &fact.upstream,
        &fact.default_branch,
        &fact.under_way,
    ];
    assert_eq!(names, ["main", "origin/main", "main", ""]);
    assert_eq!((fact.head, fact.stashes), (head.clone(), 0));
    world.git("copy", "pack-refs --all");
    assert_eq!(world.repo("copy").unwrap().head, head);
    world.git("copy", "checkout -q --detach");
    let fact = world.repo("copy").unwrap();
    assert_eq!((fact.branch.as_str(), fact.head), ("", head.clone()));
    world.git("r", "worktree add -q ../linked");
    let fact = world.repo("linked").unwrap();
    assert_eq!((fact.branch.as_str(), fact.head), ("linked", head));
    assert_eq!(
        (fact.root, fact.common_dir),
        (world.path("linked"), world.path("r/.git"))
    );
    std::fs::create_dir(world.path("new")).unwrap();
    world.git("new", "init -q -b main");
    let fact = world.repo("new").unwrap();
    assert_eq!((fact.branch.as_str(), fact.head.as_str()), ("main", ""));
    assert_eq!(world.repo("home"), None);
    assert_eq!(project_dir(&world.path("linked")), world.path("r/.git"));
    assert_eq!(project_dir(&world.path("home")), world.path("home"));
}

#[test]
fn what_is_under_way_and_stashed_is_seen() {
    let world = World::with_repository();
    for number in 0..2 {
        world.write("r/README", &format!("stash {number}\n"));
        world.git("r", "stash -q");
    }
    assert_eq!(world.repo("r").unwrap().stashes, 2);
    world.git("r", "checkout -q -b other");
    world.write("r/README", "theirs\n");
    world.git("r", "commit -qam theirs");
    world.git("r", "checkout -q main");
    world.write("r/README", "ours\n");
    world.git("r", "commit -qam ours");
    world.git("r", "merge -q other");
    assert_eq!(world.repo("r").unwrap().under_way, "merge");
    assert_eq!(world.work("r", "").conflicted, ["README"]);
    assert_eq!(words(&world.tree("r/README").loss.files), "README modified");
    assert!(matches!(world.look("r/README"), Fact::Known(fact) if fact.vcs == Vcs::Modified));
}

#[test]
fn work_is_sorted_by_what_a_discard_would_lose() {
    let world = World::with_repository();
    assert_eq!(world.work("r", ""), model::WorkFact::default());
    world.write("r/src/a.rs", "one\ntwo\n");
    world.write("r/src/staged.rs", "x\n");
    world.git("r", "add src/staged.rs");
    world.git("r", "rm -q --cached README");
    std::fs::remove_file(world.path("r/src/b.rs")).unwrap();
    world.write("r/new/n.md", "x");
    world.write("r/x.ignored", "x");
    world.write("r/Cargo.toml", "x");
    world.write("r/target/debug/x", "x");
    let all = world.work("r", "");
    assert_eq!(words(&all.unstaged), "README +0 −1, src/a.rs +1 −0");
    assert_eq!(words(&all.staged), "src/staged.rs +1 −0");
    assert_eq!(
        words(&all.untracked),
        "Cargo.toml untracked, README untracked, new/n.md untracked"
    );
    assert_eq!(words(&all.ignored), "x.ignored ignored");
    assert!(!all.cut);
    let cases = [
        ("r", "src", "src/a.rs +1 −0"),
        ("r", "src/a.rs new", "src/a.rs +1 −0"),
        ("r/src", "a.rs", "src/a.rs +1 −0"),
        ("r/src", ".", "src/a.rs +1 −0"),
        ("r/src", "..", "README +0 −1, src/a.rs +1 −0"),
        ("r", "src/*.rs", "src/a.rs +1 −0"),
        ("r", "*.md", ""),
        ("r", "/etc/passwd", ""),
    ];
    for (dir, paths, expected) in cases {
        assert_eq!(
            words(&world.work(dir, paths).unstaged),
            expected,
            "{dir}: {paths}"
        );
    }
    assert_eq!(
        words(&world.work("r", "*.md").untracked),
        "new/n.md untracked"
    );
}

#[test]
fn a_clean_work_tree_is_known_without_running_git() {
    let world = World::with_repository();
    world.write("r/new/n.md", "x");
    world.write("r/x.ignored", "x");
    let ask = |paths: &[&str]| {
        let paths = paths.iter().map(|path| (*path).to_owned()).collect();
        let key = WorkKey {
            dir: world.path("r"),
            paths,
        };
        let mut budget = Budget::start().without_git();
        let facts = world.ask(&[Want::Work(key.clone())], &mut budget);
        facts.work.get(&key).unwrap().clone()
    };
    let Fact::Known(all) = ask(&[]) else {
        panic!("a clean tree is unknown")
    };
    let lists = [&all.unstaged, &all.staged, &all.untracked, &all.ignored].map(|list| words(list));
    assert_eq!(lists, ["", "", "new/n.md untracked", "x.ignored ignored"]);
    let Fact::Known(some) = ask(&["src"]) else {
        panic!("a clean tree is unknown")
    };
    assert_eq!(some, model::WorkFact::default());
    world.write("r/README", "changed\n");
    assert!(ask(&[]).is_unknown());
    world.git("r", "commit -qam changed");
    world.git("r", "rm -q --cached README");
    assert!(ask(&[]).is_unknown(), "what is staged is no proof");
}

#[test]
fn many_questions_about_one_repository_are_one_run() {
    let world = World::with_repository();
    world.write("r/src/new.rs", "x");
    world.write("r/README", "changed\n");
    let key = |paths: &[&str]| WorkKey {
        dir: world.path("r"),
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
    };
    let wants = [
        Want::Work(key(&[])),
        Want::Work(key(&["README"])),
        Want::Work(key(&["src"])),
        Want::Tree(world.path("r/src")),
    ];
    let mut budget = Budget::start();
    let runs = budget.git_runs_left();
    let facts = world.ask(&wants, &mut budget);
    assert_eq!(
        runs - budget.git_runs_left(),
        2,
        "one for the state, one to count lines"
    );
    let untracked = |paths: &[&str]| {
        let fact = facts.work.get(&key(paths)).unwrap().known().unwrap();
        words(&fact.untracked)
    };
    assert_eq!(untracked(&[]), "src/new.rs untracked");
    assert_eq!(untracked(&["README"]), "");
    assert_eq!(untracked(&["src"]), "src/new.rs untracked");
}

#[test]
fn forms_that_only_git_reads_are_read_by_git() {
    for form in [
        "update-index --split-index",
        "sparse-checkout set --cone --sparse-index src",
    ] {
        let world = World::with_repository();
        world.git("r", form);
        world.write("r/src/a.rs", "two!\n");
        assert_eq!(
            words(&world.work("r", "").unstaged),
            "src/a.rs +1 −1",
            "{form}"
        );
        assert_eq!(
            words(&world.tree("r/src").loss.files),
            "src/a.rs +1 −1",
            "{form}"
        );
        let vcs = world.look("r/src/b.rs").known().unwrap().vcs;
        assert_eq!(vcs, Vcs::Unknown, "{form}");
    }
}

#[test]
fn refs_tell_what_they_hold_alone() {
    let world = World::with_repository();
    world.git("r", "branch same");
    world.git("r", "checkout -q -b ahead");
    for number in 0..3 {
        world.git("r", &format!("commit -q --allow-empty -m {number}"));
    }
    world.git("r", "branch contained HEAD~1");
    world.git("r", "tag v1 HEAD~2");
    world.git("r", "checkout -q main");
    world.write("r/README", "stashed\n");
    world.git("r", "stash -q");
    let cases = [
        ("same", "", true, 0),
        ("ahead", "", true, 1),
        ("contained", "", true, 0),
        ("ahead", "contained", true, 1),
        ("ahead", "ahead", true, 0),
        ("v1", "", true, 0),
        ("absent", "", false, 0),
        ("cafe", "", false, 0),
        ("stash@{0}", "", true, 1),
        ("stash@{1}", "", false, 0),
        ("stash", "", true, 1),
        ("HEAD", "HEAD", true, 0),
    ];
    for (name, to, exists, orphaned) in cases {
        let fact = world.reference(name, to);
        assert_eq!(
            (fact.exists, fact.orphaned),
            (exists, orphaned),
            "{name} → {to}"
        );
    }
    world.git("r", "stash drop -q");
    world.git("r", "branch -D contained");
    assert_eq!(world.reference("ahead", "").orphaned, 2);
    world.git("r", "checkout -q ahead");
    assert_eq!(world.reference("HEAD", "HEAD~2").orphaned, 2);
    world.git("r", "pack-refs --all");
    assert_eq!(world.reference("HEAD", "main").orphaned, 2);
    assert_eq!(world.reference(model::RefKey::EVERY, "").orphaned, 4);
    // HEAD stays when all other branches go, and what tags hold too.
    assert_eq!(world.reference(model::RefKey::BRANCHES, "").orphaned, 0);
    world.git("r", "checkout -q main");
    assert_eq!(world.reference(model::RefKey::BRANCHES, "").orphaned, 2);
    world.git("r", "tag keep ahead");
    assert_eq!(world.reference(model::RefKey::BRANCHES, "").orphaned, 0);
    assert_eq!(world.reference(model::RefKey::TAGS, "").orphaned, 0);
    world.git("r", "checkout -q ahead");
    world.git("r", "tag -d keep");
    world.git("", "clone -q --bare r bare.git");
    world.git("r", "remote add origin ../bare.git");
    world.git("r", "fetch -q origin");
    assert_eq!(world.reference(model::RefKey::EVERY, "").orphaned, 0);
    world.git("r", "commit -q --allow-empty -m unpublished");
    assert_eq!(world.reference(model::RefKey::EVERY, "").orphaned, 1);
    let hostile = Want::Ref(model::RefKey {
        dir: world.path("r"),
        name: "--output=/tmp/x".into(),
        to: String::new(),
    });
    let facts = world.ask(&[hostile], &mut Budget::start());
    assert!(facts.refs.values().all(Fact::is_unknown));
}

#[test]
fn a_large_repository_is_within_the_budget() {
    let world = World::with_repository();
    for number in 0..20_000 {
        world.write(&format!("r/data/{}/{number}", number % 100), "x");
    }
    world.git("r", "add -A");
    world.git("r", "commit -qm many");
    world.write("r/src/a.rs", "two!\n");
    let key = WorkKey {
        dir: world.path("r"),
        paths: vec![],
    };
    let mut budget = Budget::start();
    let begin = Instant::now();
    let facts = world.ask(
        &[Want::Work(key.clone()), Want::Tree(world.path("r"))],
        &mut budget,
    );
    assert!(
        begin.elapsed() < Duration::from_secs(2),
        "{:?}",
        begin.elapsed()
    );
    match facts.work.get(&key).unwrap() {
        Fact::Known(fact) => assert_eq!(words(&fact.unstaged), "src/a.rs +1 −1"),
        // On a slow machine the budget may end first; then that is said.
        Fact::Unknown(why) => {
            assert!(why.contains("time") || why.contains("too long"), "{why}");
        }
    }
}

#[test]
fn an_empty_budget_is_an_answer() {
    let world = World::with_repository();
    world.write("r/src/a.rs", "two!\n");
    let key = WorkKey {
        dir: world.path("r"),
        paths: vec![],
    };
    let wants = [
        Want::Path(world.path("r/src/a.rs")),
        Want::Tree(world.path("r")),
        Want::Work(key),
        Want::Repo(world.path("r")),
        Want::Text(world.path("r/README")),
        Want::Glob(world.path("r/*")),
    ];
    let facts = world.ask(&wants, &mut Budget::until(Instant::now()));
    assert!(facts.paths.values().all(Fact::is_unknown));
    assert!(facts.trees.values().all(Fact::is_unknown));
    assert!(facts.work.values().all(Fact::is_unknown));
    let facts = world.ask(&wants, &mut Budget::start().without_git());
    assert!(facts.work.values().all(Fact::is_unknown));
}

#[test]
fn a_place_is_where_a_call_runs() {
    let world = World::with_repository();
    let home = world.path("home");
    let place = |cwd: &str, env: &[(&str, &str)]| {
        let env = env
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        place_with(&world.path(cwd), env.collect())
    };
    let here = place("r/src", &[("HOME", &home)]);
    assert_eq!((here.project, here.home), (world.path("r"), home.clone()));
    assert!(here.temp.contains(&"/tmp".to_owned()));
    assert_eq!(place("home", &[("HOME", &home)]).project, home);
    // A directory that is gone, or not there yet.
    assert_eq!(place("r/gone/deeper", &[]).project, world.path("r"));
    // A home that is a repository is no project.
    world.init("home");
    std::fs::create_dir(world.path("home/x")).unwrap();
    assert_eq!(
        place("home/x", &[("HOME", &home)]).project,
        world.path("home/x")
    );
    // The environment cannot call a home temporary.
    let named = place(
        "r",
        &[("HOME", "/home/someone"), ("TMPDIR", "/home/someone/work")],
    );
    assert_eq!(named.temp, place("r", &[]).temp);
    let named = place("r", &[("TMPDIR", "/home/someone/tmp/")]);
    assert!(named.temp.contains(&"/home/someone/tmp".to_owned()));
}

#[test]
fn archives_name_what_they_hold() {
    let world = World::new();
    world.write("a/notes.md", "notes");
    world.write("a/deep/er/one.md", "one");
    let long = format!("a/{}/{}.md", "d".repeat(90), "n".repeat(120));
    world.write(&long, "long");
    let make = |program: &str, arguments: &[&str]| {
        let mut command = std::process::Command::new(program);
        command.args(arguments).current_dir(world.path("a"));
        assert!(command.status().unwrap().success(), "{program}");
    };
    make("tar", &["cf", "../x.tar", "."]);
    make("tar", &["czf", "../x.tgz", "notes.md", "deep"]);
    make("tar", &["--format=posix", "-cf", "../posix.tar", "."]);
    make("tar", &["--format=gnu", "-cf", "../gnu.tar", "."]);
    let zip = "import zipfile; z = zipfile.ZipFile('../x.zip', 'w'); z.write('notes.md'); \
               z.write('deep/er/one.md'); z.close()";
    make("python3", &["-c", zip]);
    let names = |file: &str| {
        let path = world.path(file);
        let mut facts = world.one(Want::Archive(path.clone()));
        let mut names = match facts.archives.remove(&path) {
            Some(Fact::Known(names)) => names,
            other => panic!("{file}: {other:?}"),
        };
        names.sort();
        names.join(" ")
    };
    let long = long.replacen("a/", "./", 1);
    let all = format!("./deep/er/one.md {long} ./notes.md");
    for file in ["x.tar", "posix.tar", "gnu.tar"] {
        let mut expected: Vec<&str> = all.split(' ').collect();
        expected.sort_unstable();
        assert_eq!(names(file), expected.join(" "), "{file}");
    }
    assert_eq!(names("x.tgz"), "deep/er/one.md notes.md");
    assert_eq!(names("x.zip"), "deep/er/one.md notes.md");
    world.write(
        "text.tar",
        "this is no archive but a text that somebody wrote",
    );
    world.write("empty.tar", "");
    for file in ["text.tar", "empty.tar", "missing.tar", "a"] {
        let path = world.path(file);
        let facts = world.one(Want::Archive(path));
        assert!(facts.archives.values().all(Fact::is_unknown), "{file}");
    }
}

#[test]
fn files_that_stand_where_a_revision_has_its_own() {
    let world = World::new();
    world.git("", "init -q -b main r");
    world.write("r/.gitignore", ".env\ndata/\nnode_modules/\n");
    world.write("r/a.txt", "a");
    world.git("r", "add -A");
    world.git("r", "commit -q -m one");
    world.git("r", "checkout -q -b old");
    for file in [
        ".env",
        "data/p.csv",
        "node_modules/x/i.js",
        "new.txt",
        "sub",
    ] {
        world.write(&format!("r/{file}"), "theirs");
    }
    world.git("r", "add -f -A .");
    world.git("r", "commit -q -m two");
    world.git("r", "checkout -q main");
    let obstacles = |revision: &str| {
        let key = model::RevisionKey {
            dir: world.path("r"),
            revision: revision.to_owned(),
        };
        match world
            .one(Want::Obstacles(key.clone()))
            .obstacles
            .remove(&key)
        {
            Some(Fact::Known(files)) => words(&files),
            other => panic!("{revision}: {other:?}"),
        }
    };
    assert_eq!(obstacles("old"), "");
    world.write("r/.env", "mine");
    world.write("r/new.txt", "mine");
    world.write("r/sub/mine.txt", "mine");
    world.write("r/node_modules/x/i.js", "built");
    let all = ".env ignored, new.txt untracked, sub/ untracked";
    assert_eq!(obstacles("old"), all);
    assert_eq!(obstacles("HEAD...old"), all);
    assert_eq!(obstacles("main"), "");
    assert_eq!(obstacles("old...main"), "");
    let hostile = Want::Obstacles(model::RevisionKey {
        dir: world.path("r"),
        revision: "--output=/tmp/x".into(),
    });
    let facts = world.ask(&[hostile], &mut Budget::start());
    assert!(facts.obstacles.values().all(Fact::is_unknown));
}
