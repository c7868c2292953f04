//! Commands in described worlds, and the actions that are read in them.

mod edits;
mod unpack;

use super::*;
use crate::testing::{Fixture, show};
use crate::{Arg, Invocation, World};
use model::{CallEnv, Facts};
use proptest::prelude::*;

/// Commands with the actions they are read as, in order; project paths are shown relative.
type Cases<'c> = &'c [(&'c str, &'c [&'c str])];

/// Project paths relative, and no words about what a loss is.
fn short(action: &str) -> String {
    let action = action
        .replace("/home/dev/proj/", "")
        .replace(" that exist nowhere else", "");
    action.replace(" that exists nowhere else", "")
}

fn check(world: &Fixture, cases: Cases<'_>) {
    for (command, expected) in cases {
        let actions = world.actions(command);
        let actions: Vec<String> = actions.iter().map(|action| short(action)).collect();
        assert_eq!(actions, *expected, "{command}");
    }
}

/// A repository with changes, files git does not know, and things around it.
fn world() -> Fixture {
    Fixture::new()
        .repo(".")
        .file("src/main.rs", "fn main() {}\n")
        .modified("src/a.rs")
        .modified("README.md")
        .untracked("notes.md")
        .ignored("data/backup.sql")
        .generated("target/debug/proj")
        .untracked("out/1.png")
        .untracked("out/2.png")
        .dir("gen")
        .link("dirlink", "src")
        .device("/dev/sdb")
        .file("/etc/hosts", "hosts\n")
        .file("~/Downloads/a.md", "a\n")
}

#[test]
fn programs_are_sorted() {
    assert!(FILES.is_sorted_by(|before, after| before.name < after.name));
}

const README: &str = "loses 1 file (README.md modified)";
const A: &str = "loses 1 file (src/a.rs modified)";

#[test]
fn rm_is_read_with_what_would_be_lost() {
    check(
        &world(),
        &[
            ("rm src/main.rs", &["delete file:src/main.rs project"]),
            (
                "rm README.md",
                &[&format!("delete file:README.md project, {README}")],
            ),
            (
                "rm -rf target nope",
                &[
                    "delete file:target [recursive force] project",
                    "delete file:nope [recursive force] project",
                ],
            ),
            (
                "rm --recu --forc src",
                &[&format!("delete file:src [recursive force] project, {A}")],
            ),
            (
                "rm src -fr",
                &[&format!("delete file:src [recursive force] project, {A}")],
            ),
            (
                "rm -rf dirlink/",
                &[&format!("delete file:src [recursive force] project, {A}")],
            ),
            (
                "rm -rf dirlink",
                &["delete file:dirlink [recursive force] project"],
            ),
            ("rm -- -rf", &["delete file:-rf project"]),
            ("rm src", &[]),
            ("rm ''", &[]),
            ("rm --help", &[]),
            (
                "rm -rf \"$OUT\"/*",
                &["delete file: [recursive force mass] (unknown), loss unknown"],
            ),
            (
                "rm -rf \"/tmp/x-$X\"",
                &["delete file: [recursive force] temp (unknown)"],
            ),
            (
                "rm -rf \"/tmp/x-$$\"",
                &["delete file:/tmp/x-4194305 [recursive force] temp (derived)"],
            ),
            (
                "rm -f ~/Downloads/*.md",
                &[
                    "delete file:/home/dev/Downloads/a.md [force] home (derived), \
             loses 1 file (/home/dev/Downloads/a.md not in git)",
                ],
            ),
            (
                "rm -rf src && rm -rf src",
                &[
                    &format!("delete file:src [recursive force] project, {A}"),
                    "delete file:src [recursive force] project",
                ],
            ),
            (
                "rmdir src; rm -rf src",
                &[
                    "delete file:src project",
                    &format!("delete file:src [recursive force] project, {A}"),
                ],
            ),
            (
                "unlink README.md",
                &[&format!("delete file:README.md project, {README}")],
            ),
            (
                "shred -u README.md",
                &[&format!("delete file:README.md [force] project, {README}")],
            ),
            (
                "shred README.md",
                &[&format!(
                    "write file:README.md [force truncate] project, {README}"
                )],
            ),
            (
                "trash README.md",
                &["move file:README.md [recursive] project"],
            ),
        ],
    );
}

#[test]
fn everything_at_the_root_or_at_home_is_the_root_or_the_home() {
    for (command, start) in [
        ("rm -rf /*", "delete file:/ [recursive force mass] root"),
        (
            "rm -rf ~/*",
            "delete file:/home/dev [recursive force mass] home-root",
        ),
        (
            "rm -rf ~/{*,.*}",
            "delete file:/home/dev [recursive force mass] home-root",
        ),
        (
            "rm -rf ~",
            "delete file:/home/dev [recursive force] home-root",
        ),
        ("ln -s / y && rm -rf y/", "write file:y [creates] project"),
        ("mv /* /tmp", "move file:/ [mass] root"),
    ] {
        let actions = world().actions(command);
        let first = actions.first().map_or("", String::as_str);
        assert!(
            first.replace("/home/dev/proj/", "").starts_with(start),
            "{command}: {first}"
        );
    }
    let through_link = world().actions("ln -s / y && rm -rf y/");
    assert!(through_link[1].starts_with("delete file:/ [recursive force] root"));
}

#[test]
fn many_matches_are_one_action_on_their_directory() {
    let mut world = world();
    for number in 0..=crate::command_context::MATCHES_SHOWN_MAX {
        world = world.untracked(&format!("many/{number}.png"));
    }
    let total = crate::command_context::MATCHES_SHOWN_MAX + 1;
    let actions = world.actions("rm many/*.png");
    assert_eq!(actions.len(), 1);
    assert!(
        actions[0].contains(&format!("many [mass] project, loses {total} files")),
        "{actions:?}"
    );
    let moved = world.actions("mkdir -p keep && mv many/* keep/ && rm -rf keep");
    assert!(
        moved.last().is_some_and(|action| action.contains("loses")),
        "{moved:?}"
    );
    let copied = world.actions("cp many/* /tmp/");
    assert_eq!(
        copied.last().map(String::as_str),
        Some("write file:/tmp [mass] temp")
    );
}

#[test]
fn mv_is_a_move_and_a_write() {
    let main = "move file:src/main.rs project";
    check(
        &world(),
        &[
            (
                "mv src/main.rs new.rs",
                &[main, "write file:new.rs [truncate creates] project"],
            ),
            (
                "mv src/main.rs README.md",
                &[
                    main,
                    &format!("write file:README.md [truncate] project, {README}"),
                ],
            ),
            (
                "mv -n src/main.rs README.md",
                &[main, "write file:README.md project"],
            ),
            (
                "mv --backup src/main.rs README.md",
                &[main, "write file:README.md project"],
            ),
            (
                "mv src/main.rs gen",
                &[main, "write file:gen/main.rs [truncate creates] project"],
            ),
            (
                "mv -t gen src/main.rs",
                &[main, "write file:gen/main.rs [truncate creates] project"],
            ),
            (
                "mv notes.md /dev/null",
                &["delete file:notes.md project, \
             loses 1 file (notes.md untracked)"],
            ),
            (
                "mv README.md bak.md && rm bak.md",
                &[
                    "move file:README.md project",
                    "write file:bak.md [truncate creates] project",
                    &format!("delete file:bak.md project, {README}"),
                ],
            ),
            // The move fails, so what was to be moved is still there.
            (
                "mv src /nowhere/x/; rm -rf src",
                &[
                    "move file:src project",
                    "write file:/nowhere/x/src [truncate creates] outside",
                    &format!("delete file:src [recursive force] project, {A}"),
                ],
            ),
            (
                "rename 's/a/b/' *.md",
                &[
                    "move file:README.md project (derived)",
                    "move file:notes.md project (derived)",
                ],
            ),
        ],
    );
}

#[test]
fn what_was_moved_into_a_tree_goes_with_it() {
    for dir in ["gen", "born"] {
        let command = format!("mkdir -p {dir}/log && mv out/*.png {dir}/log/ && rm -rf {dir}");
        let actions = world().actions(&command);
        let last = actions.last().map_or("", String::as_str);
        assert!(
            short(last).contains("loses 2 files (out/1.png"),
            "{actions:?}"
        );
    }
}

#[test]
fn a_loop_to_unknown_names_may_overwrite() {
    let world = Fixture::new().file("a1-x.mov", "1").file("a2-x.mov", "2");
    let analysis = world.read("for f in *.mov; do mv \"$f\" \"rec_${BASH_REMATCH[2]}.mov\"; done");
    let moves: Vec<String> = analysis.actions.iter().map(show).collect();
    let risky = moves.iter().any(|action| {
        action.starts_with("move") && action.contains("mass") && action.ends_with("loss unknown")
    });
    assert!(risky, "{moves:?}");
    let calm = world.actions("for f in *.mov; do mv \"$f\" \"${f%.mov}.mp4\"; done");
    assert!(
        calm.iter().all(|action| !action.contains("loss")),
        "{calm:?}"
    );
}

#[test]
fn copies_are_read_with_what_they_replace() {
    let main = "read file:src/main.rs project";
    check(
        &world(),
        &[
            (
                "cp src/main.rs new.rs",
                &[main, "write file:new.rs [truncate creates] project"],
            ),
            (
                "cp src/main.rs README.md",
                &[
                    main,
                    &format!("write file:README.md [truncate] project, {README}"),
                ],
            ),
            (
                "cp -b src/main.rs README.md",
                &[main, "write file:README.md project"],
            ),
            (
                "cp -T src/main.rs README.md",
                &[
                    main,
                    &format!("write file:README.md [truncate] project, {README}"),
                ],
            ),
            (
                "cp src/main.rs dirlink",
                &[main, "write file:src/main.rs [truncate] project"],
            ),
            (
                "cp --targ=gen src/main.rs",
                &[main, "write file:gen/main.rs [truncate creates] project"],
            ),
            (
                "cp src/main.rs \"$UNSET/\"",
                &[main, "write file: [truncate] (unknown)"],
            ),
            (
                "cp /tmp/e ~/.bashrc",
                &[
                    "read file:/tmp/e temp",
                    "write autorun:/home/dev/.bashrc [truncate creates] home",
                ],
            ),
            (
                "cp ~/.ssh/id_rsa /tmp/",
                &[
                    "read file:/home/dev/.ssh/id_rsa [secret] home",
                    "write file:/tmp/id_rsa [secret truncate creates] temp",
                ],
            ),
            (
                "install -m 755 src/main.rs /usr/local/bin/x",
                &[
                    main,
                    "write file:/usr/local/bin/x [truncate creates] system",
                ],
            ),
            ("install -d a", &["write file:a [creates] project"]),
        ],
    );
}

#[test]
fn trees_are_laid_over_each_other_file_by_file() {
    let world = world()
        .file("wt/src/a.rs", "old\n")
        .file("wt/src/new.rs", "x\n")
        .file("wt/.agent/settings.json", "{}")
        .own(".agent/settings.json");
    let read = "read file:wt/src project";
    let replaced = format!("write file:src project, {A}");
    check(
        &world,
        &[
            ("cp -Rf wt/src/. src/", &[read, &replaced]),
            ("cp -r wt/src .", &[read, &replaced]),
            ("rsync -a wt/src .", &[read, &replaced]),
            ("cp -rn wt/src/. src/", &[read, "write file:src project"]),
            (
                "cp -r wt/src/. born/",
                &[read, "write file:born [truncate creates] project"],
            ),
            (
                "rsync -a --delete wt/src/ src/",
                &[
                    read,
                    &format!("delete file:src [recursive mass] project, {A}"),
                    "write file:src project",
                ],
            ),
            (
                "rsync -an --delete wt/src/ src/",
                &[
                    read,
                    "delete file:src [recursive dry_run mass] project",
                    "write file:src [dry_run] project",
                ],
            ),
            (
                "rsync -av src/ host:/x",
                &["read file:src project", "send url:host:/x [recursive]"],
            ),
            (
                "cp -R wt/. .",
                &[
                    "read file:wt project",
                    &format!("write file:/home/dev/proj project, {A}"),
                    "write file:.agent/settings.json [creates] project (derived)",
                    "tamper gate:.agent/settings.json [creates] project (derived)",
                ],
            ),
        ],
    );
}

#[test]
fn programs_that_write_are_read() {
    let main = "read file:src/main.rs project";
    check(
        &world(),
        &[
            ("dd if=/dev/zero of=/dev/null bs=1M count=100", &[]),
            (
                "dd if=src/main.rs of=/dev/sdb bs=4M",
                &[main, "write file:/dev/sdb [truncate] system"],
            ),
            (
                "dd if=src/main.rs of=./out.img",
                &[main, "write file:out.img [truncate creates] project"],
            ),
            (
                "truncate -s 0 README.md",
                &[&format!(
                    "write file:README.md [truncate] project, {README}"
                )],
            ),
            (
                "truncate -s +10 README.md",
                &["write file:README.md project"],
            ),
            (
                "echo hi | tee README.md",
                &[&format!(
                    "write file:README.md [truncate] project, {README}"
                )],
            ),
            (
                "echo hi | tee -a README.md",
                &["write file:README.md [append] project"],
            ),
            ("echo hi | tee /dev/null", &[]),
            ("mkdir -p a/b", &["write file:a/b [creates] project"]),
            ("touch made.txt", &["write file:made.txt [creates] project"]),
            ("touch -c made.txt", &[]),
            (
                "touch x && rm x",
                &["write file:x [creates] project", "delete file:x project"],
            ),
        ],
    );
}

#[test]
fn other_programs_that_write_are_read() {
    let main = "read file:src/main.rs project";
    check(
        &world(),
        &[
            (
                "sort -o src/main.rs src/main.rs",
                &[main, "write file:src/main.rs project"],
            ),
            (
                "sort src/main.rs -o README.md",
                &[
                    main,
                    &format!("write file:README.md [truncate] project, {README}"),
                ],
            ),
            (
                "uniq src/main.rs README.md",
                &[
                    main,
                    &format!("write file:README.md [truncate] project, {README}"),
                ],
            ),
            (
                "split -b 1m src/main.rs part-",
                &[main, "write file:part-aa [truncate creates] project"],
            ),
            (
                "ln -s README.md readme",
                &["write file:readme [creates] project"],
            ),
            (
                "ln -sf src/main.rs README.md",
                &[&format!(
                    "write file:README.md [truncate] project, {README}"
                )],
            ),
            ("chmod +x script.sh", &["reown file:script.sh project"]),
            ("chmod -w README.md", &["reown file:README.md project"]),
            (
                "chmod -R 777 /var",
                &[
                    "elevate program:everybody",
                    "reown file:/var [recursive] system",
                ],
            ),
            ("setcap cap_setuid+ep tool", &["elevate program:tool"]),
            ("setcap cap_net_bind_service=+ep tool", &[]),
            (
                "chown --reference=a README.md",
                &["reown file:README.md project"],
            ),
            (
                "sudo chown -R $USER:$(id -gn) /usr",
                &["reown file:/usr [recursive elevated] system"],
            ),
        ],
    );
}

#[test]
fn editors_in_place_are_edits() {
    let edit = "write file:README.md project";
    let read = "read file:README.md project";
    check(
        &world(),
        &[
            ("sed -i 's/a/b/' README.md", &[edit]),
            ("sed -ni.bak '1,$d' README.md", &[edit]),
            ("sed --in-pl -e 's/a/b/' README.md", &[edit]),
            ("sed -i '' 's/a/b/' README.md", &[edit]),
            (
                "sed -i d README.md",
                &[&format!(
                    "write file:README.md [truncate] project, {README}"
                )],
            ),
            ("sed -n 1,5p README.md", &[read]),
            ("sed 's/a/b/w /dev/null' README.md", &[read]),
            (
                "sed -n 'w /home/dev/.bashrc' README.md",
                &[
                    "write autorun:/home/dev/.bashrc [truncate creates] home",
                    read,
                ],
            ),
            ("awk '{print $1}' README.md", &[read]),
            (
                "awk '{print > \"o\"}' README.md",
                &["write file:o [truncate creates] project (derived)", read],
            ),
        ],
    );
    for command in ["sed '1e rm -rf /' x", "awk 'BEGIN {system(\"rm -rf /\")}'"] {
        assert!(
            world().actions(command)[0].starts_with("delete file:/ [recursive"),
            "{command}"
        );
    }
}

#[test]
fn patches_change_the_files_they_name() {
    let world = world().file(
        "x.diff",
        "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-a\n+b\n",
    );
    check(
        &world,
        &[
            ("patch -p1 -i x.diff", &["write file:src/a.rs project"]),
            (
                "patch -p1 --dry-run -i x.diff",
                &["write file:src/a.rs [dry_run] project"],
            ),
            (
                "patch -d src -p2 < x.diff",
                &["read file:x.diff project", "write file:src/a.rs project"],
            ),
            ("patch README.md x.diff", &["write file:README.md project"]),
            ("patch -p1", &["write file: project (unknown)"]),
        ],
    );
}

#[test]
fn archives_are_read() {
    let source = "read file:src [recursive] project";
    check(
        &world(),
        &[
            (
                "tar czf x.tgz src",
                &[source, "write file:x.tgz [truncate creates] project"],
            ),
            ("tar -cf - src", &[source]),
            (
                "tar -C src -czf /tmp/a.tgz a.rs",
                &[
                    "read file:src/a.rs [recursive] project",
                    "write file:/tmp/a.tgz [truncate creates] temp",
                ],
            ),
            (
                "tar --create --file=host:/archive src",
                &[source, "send url:host:/archive"],
            ),
            ("tar tf x.tar", &["read file:x.tar project"]),
            (
                "tar xf x.tar",
                &[
                    "read file:x.tar project",
                    "write file:/home/dev/proj project (derived), loss unknown",
                ],
            ),
            (
                "tar -xf x.tar -C /",
                &[
                    "read file:x.tar project",
                    "write file:/ root (derived), loss unknown",
                ],
            ),
            ("unzip -l a.zip", &["read file:a.zip project"]),
            (
                "unzip -o a.zip -d gen",
                &[
                    "read file:a.zip project",
                    "write file:gen project (derived), loss unknown",
                ],
            ),
            (
                "gzip README.md",
                &[
                    "move file:README.md project",
                    "write file:README.md.gz [creates] project",
                ],
            ),
            (
                "gunzip -kf README.md.gz",
                &[
                    "read file:README.md.gz project",
                    &format!("write file:README.md [truncate] project, {README}"),
                ],
            ),
            ("gzip -dc x.gz", &["read file:x.gz project"]),
        ],
    );
    let runs = world().actions("tar --to-command='rm -rf /' -xf a.tar");
    assert!(
        runs[0].starts_with("delete file:/ [recursive force] root"),
        "{runs:?}"
    );
}

#[test]
fn devices_are_destroyed_and_images_replaced() {
    let gone = "destroy file:/dev/sdb system, loses everything on the device";
    check(
        &world(),
        &[
            ("mkfs.ext4 /dev/sdb", &[gone]),
            ("mkfs -t ext4 /dev/sdb", &[gone]),
            ("wipefs -a /dev/sdb", &[gone]),
            ("wipefs /dev/sdb", &[]),
            ("parted /dev/sdb mklabel gpt", &[gone]),
            ("parted /dev/sdb print", &[]),
            ("fdisk -l /dev/sdb", &[]),
            ("sgdisk -Z /dev/sdb", &[gone]),
            ("blkdiscard /dev/sdb", &[gone]),
            ("cryptsetup luksFormat /dev/sdb", &[gone]),
            (
                "mkfs.ext4 disk.img",
                &["write file:disk.img [truncate creates] project"],
            ),
        ],
    );
}

#[test]
fn another_name_is_no_copy() {
    let world = world().untracked("only.md");
    let loses = |command: &str| {
        let analysis = world.read(command);
        let mut actions = analysis.actions.iter();
        actions.any(|action| {
            let loss = action.loss.known();
            !loss.is_some_and(model::Loss::is_nothing)
        })
    };
    for share in [
        "cp -l only.md kept.md",
        "cp --link only.md kept.md",
        "cp -s $PWD/only.md kept.md",
        "cp --attributes-only only.md kept.md",
        "ln only.md kept.md",
        "cp -al . ../kept",
    ] {
        for empty in [
            ": > only.md",
            "dd if=/dev/null of=only.md",
            "shred -u only.md",
        ] {
            let command = format!("{share} && {empty}");
            assert!(loses(&command), "{command}");
        }
    }
    for copy in ["cp only.md kept.md", "cp -a . ../kept"] {
        let command = format!("{copy} && : > only.md");
        assert!(!loses(&command), "{command}");
    }
}

#[test]
fn everyday_commands_lose_nothing() {
    let world = world()
        .created_paths("scratch.txt")
        .untracked("scratch.txt");
    for command in [
        "mkdir -p src/new && touch src/new/mod.rs",
        "cp src/main.rs src/copy.rs && mv src/copy.rs src/other.rs",
        "cp -r src /tmp/src-backup",
        "cp README.md{,.bak}",
        "mv src/main.rs src/lib.rs && mv src/lib.rs src/main.rs",
        "mv notes.md docs-notes.md",
        "rm -rf target node_modules dist/ build .next",
        "rm -f scratch.txt src/main.rs /tmp/x /tmp/*.log",
        "rm -rf /tmp/a /tmp/b/c \"/tmp/build-$$\"",
        "d=$(mktemp -d) && cp -r src \"$d/\" && rm -rf \"$d\"",
        "echo x > a.txt; cat a.txt | tee b.txt; rm a.txt b.txt",
        "sed -i 's/foo/bar/g' README.md src/a.rs && sed -n '1,20p' README.md",
        "find . -name '*.rs' | xargs sed -i 's/a/b/'",
        "perl -pi -e 's/a/b/' README.md",
        "ln -sf ../target/debug/proj /tmp/proj",
        "chmod +x scripts/*.sh; chmod -R u+rw src",
        "tar czf /tmp/src.tgz src && tar xzf /tmp/src.tgz -C /tmp",
        "unzip -q fixtures.zip -d target/fixtures",
        "rsync -av --delete src/ /tmp/mirror/",
        "cargo build 2>&1 | tee /tmp/build.log | tail -5",
        "sort -u src/main.rs -o src/main.rs && uniq src/main.rs | awk '{print $1 > \"/dev/stderr\"}'",
        "dd if=/dev/zero of=/tmp/big bs=1M count=1 && truncate -s 5M /tmp/big",
        "patch -p1 --dry-run < fix.diff",
        "curl -sSfLo /tmp/x.tgz https://x.example/x.tgz",
        "install -Dm755 target/debug/proj /tmp/bin/proj",
    ] {
        let analysis = world.read(command);
        let losing = analysis.actions.iter().find(|action| {
            let loss = action.loss.known();
            !loss.is_some_and(model::Loss::is_nothing)
        });
        assert_eq!(losing.map(show), None, "{command}");
    }
}

fn word() -> impl Strategy<Value = Arg> {
    let known = prop::sample::select(vec![
        "-rf",
        "-i",
        "--",
        "-",
        "/",
        "*",
        "src/*",
        "..",
        "",
        "of=/",
        "s/a/b/w x",
        "--delete",
        "cf",
        "host:/x",
        "-t",
        "-C",
        "a=b",
        "é",
    ]);
    let text = prop_oneof![known.prop_map(str::to_owned), ".{0,12}"];
    (text, any::<bool>(), any::<bool>()).prop_map(|(text, hole, glob)| {
        let mut arg = Arg::literal(text);
        arg.glob = glob;
        if hole {
            arg.text.push(Arg::HOLE);
            arg.sure = model::Certainty::Unknown;
        }
        arg
    })
}

proptest! {
    /// Any words to any program: read without a panic, and every action names its program.
    #[test]
    fn no_words_make_a_family_panic(
        index in any::<prop::sample::Index>(),
        words in prop::collection::vec(word(), 0..6),
    ) {
        let programs = crate::families::FAMILIES.concat();
        let program = programs[index.index(programs.len())];
        let place = CallEnv { cwd: "/p".into(), project: "/p".into(), ..CallEnv::default() };
        let facts = Facts::default();
        let mut world = World::new(&place, &facts, &crate::RUNNER);
        let invocation = Invocation {
            program: program.name.to_owned(),
            args: words,
            text: program.name.to_owned(),
            ..Invocation::default()
        };
        if let Some(stdout) = program.stdout {
            stdout(&mut world, &invocation);
        }
        crate::families::read(&program, &invocation, &mut world);
        prop_assert!(world.analysis.actions.iter().all(|action| !action.program.is_empty()));
        // What it starts may have any name, or none.
        if let Some(starts) = &program.starts {
            crate::wrappers::peel(&mut world, &invocation, starts);
        }
    }
}
