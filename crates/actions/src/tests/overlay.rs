//! The world changes as a call goes on: order, branches, moves, links, commits.

use super::{check, dirty, empty};
use crate::testing::Fixture;

const LOST: &str = "discard git:/home/dev/proj [mass], loses 2 files that exist nowhere else \
                    (a.rs modified, src/b.rs modified)";
const KEPT: &str = "discard git:/home/dev/proj [mass]";

/// The last action of a command.
fn last(world: &Fixture, command: &str) -> String {
    world.actions(command).last().cloned().unwrap_or_default()
}

#[test]
fn saved_work_is_not_lost() {
    let cases = [
        ("git reset --hard", LOST),
        ("git commit -am wip && git reset --hard", KEPT),
        ("git stash && git reset --hard", KEPT),
        ("git add -A && git commit -m wip && git reset --hard", KEPT),
        ("if git commit -am wip; then git reset --hard; fi", KEPT),
        ("set -e; git commit -am wip; git reset --hard", KEPT),
        ("{ git commit -am wip; } && git reset --hard", KEPT),
        ("git commit -am wip; git reset --hard", LOST),
        ("git commit -am wip || git reset --hard", LOST),
        ("! git commit -am wip && git reset --hard", LOST),
        ("git commit -am wip & git reset --hard", LOST),
        (
            "if git commit -am wip; then :; else git reset --hard; fi",
            LOST,
        ),
        ("git commit -am wip && echo ok; git reset --hard", LOST),
        ("git status && git reset --hard", LOST),
    ];
    for (command, expected) in cases {
        assert_eq!(last(&dirty(), command), expected, "{command}");
    }
}

#[test]
fn the_present_directory() {
    let x = "delete file:/home/dev/proj/d/x project";
    let here = "delete file:/home/dev/proj/x project";
    let nowhere = "delete file: (unknown), loss unknown";
    let cases = [
        ("cd d && rm x", x),
        ("cd d; rm x", x),
        ("cd d || exit 1; rm x", x),
        ("(cd d); rm x", here),
        ("cd d; cd ..; rm x", here),
        ("cd d; cd -; rm x", here),
        ("pushd d; rm x", x),
        ("pushd d; popd; rm x", here),
        ("cd d | true; rm x", here),
        ("bash -c 'cd d'; rm x", here),
        ("f() { cd d; }; f; rm x", x),
        ("cd $nope; rm x", nowhere),
        ("cd; rm x", "delete file:/home/dev/x home"),
        ("if make; then cd d; fi; rm x", nowhere),
        ("if true; then cd d; else cd d; fi; rm x", x),
        ("case $1 in a) cd d;; esac; rm x", nowhere),
        ("case a in a) cd d;; esac; rm x", x),
        ("case b in a) cd d;; *) ;; esac; rm d/x", x),
        (
            "n=1; n=$((n - 1 + 2)); cd d; rm x$n",
            "delete file:/home/dev/proj/d/x2 project (derived)",
        ),
        ("n=1; [ $n -gt 1 ] && cd nope; cd d; rm x", x),
        (
            "sh -c 'while getopts c: o; do cd $OPTARG; done; rm x' s -c d",
            x,
        ),
        (
            "sh -c 'while [ $# -gt 0 ]; do cd $1; shift; done; rm x' s d",
            x,
        ),
        (
            "for i in 1 2; do cd d; done; rm x",
            "delete file:/home/dev/proj/d/d/x project",
        ),
        ("env -C d rm x", x),
    ];
    let world = empty().dir("d").dir("d/d");
    for (command, expected) in cases {
        assert_eq!(last(&world, command), expected, "{command}");
    }
}

#[test]
fn a_directory_that_is_not_there_is_not_entered() {
    let here = "delete file:/home/dev/proj/x project";
    let inside = "delete file:/home/dev/proj/nodir/x project";
    let cases = [
        ("cd nodir; rm x", here),
        ("cd nodir\nrm x", here),
        ("cd ${NOT_SET:-nodir}; rm x", here),
        ("pushd nodir; rm x", here),
        ("(cd nodir; rm x)", here),
        ("cd nodir && true; rm x", here),
        ("cd ..; cd proj2; rm x", "delete file:/home/dev/x home"),
        ("cd .. && cd proj2; rm x", "delete file:/home/dev/x home"),
        (
            "cd .. && cd proj2 && ls; rm x",
            "delete file:/home/dev/x home",
        ),
        ("true && cd nodir; rm x", here),
        ("cd nodir && rm x", inside),
        ("cd .. && cd proj && cd nodir && rm x", inside),
        ("mkdir -p nodir && cd nodir && ls; rm x", inside),
        ("git clone https://h/nodir && cd nodir; rm x", inside),
        ("cd nodir || exit 1; rm x", inside),
        ("set -e; cd nodir; rm x", inside),
        ("mkdir -p nodir; cd nodir; rm x", inside),
        ("git clone https://h/nodir.git; cd nodir; rm x", inside),
        ("tar xf nodir.tar; cd nodir; rm x", inside),
    ];
    for (command, expected) in cases {
        assert_eq!(last(&empty(), command), expected, "{command}");
    }
}

#[test]
fn links_lead_where_they_point() {
    let world = Fixture::new()
        .link("cfg", ".claude")
        .link("etc", "/etc")
        .dir(".claude");
    let cases = [
        (
            "ln -s / y && rm -rf y/",
            "delete file:/ [recursive force] root",
        ),
        (
            "ln -s / y && rm -rf y",
            "delete file:/home/dev/proj/y [recursive force] project",
        ),
        (
            "ln -s /srv y; rm -rf y/data",
            "delete file:/srv/data [recursive force] outside",
        ),
        (
            "rm -rf etc/passwd",
            "delete file:/etc/passwd [recursive force] system",
        ),
        ("rm -rf etc/", "delete file:/etc [recursive force] system"),
        (
            "rm -rf etc",
            "delete file:/home/dev/proj/etc [recursive force] project",
        ),
        (
            "rm -rf etc/../home",
            "delete file:/home [recursive force] home-root",
        ),
        (
            "if true; then ln -s / y; fi; rm -rf y/",
            "delete file:/ [recursive force] root",
        ),
    ];
    for (command, expected) in cases {
        assert_eq!(last(&world, command), expected, "{command}");
    }
}

#[test]
fn what_was_moved_in_goes_with_the_directory() {
    let world = Fixture::new().file("out/a.png", "x").file("out/b.png", "x");
    let actions = world.actions("mkdir -p gen/log && mv out/*.png gen/log/ && rm -rf gen");
    let expected = "delete file:/home/dev/proj/gen [recursive force] project, loses 2 files that \
                    exist nowhere else (/home/dev/proj/out/a.png not in git, \
                    /home/dev/proj/out/b.png not in git)";
    assert_eq!(actions.last().map(String::as_str), Some(expected));
}

#[test]
fn what_the_call_made_is_no_loss_and_what_was_there_is() {
    let world = Fixture::new().file("old.md", "precious");
    let gone = "delete file:/home/dev/proj/new.md project";
    let lost = "delete file:/home/dev/proj/old.md project, loses 1 file that exists nowhere else \
                (/home/dev/proj/old.md not in git)";
    assert_eq!(last(&world, "echo x > new.md; rm new.md"), gone);
    assert_eq!(last(&world, "echo x >> old.md; rm old.md"), lost);
    assert_eq!(
        last(&world.clone().created_paths("old.md"), "rm old.md"),
        "delete file:/home/dev/proj/old.md project"
    );
    assert_eq!(
        last(&world, "rm old.md; rm old.md"),
        "delete file:/home/dev/proj/old.md project"
    );
}

#[test]
fn scripts_written_in_the_call_are_read() {
    check(
        &empty(),
        &[
            (
                "echo 'rm -rf ~' > x.sh && bash x.sh",
                &[
                    "write file:/home/dev/proj/x.sh [truncate creates] project",
                    "delete file:/home/dev [recursive force script] home-root (derived)",
                ],
            ),
            (
                "cat > x <<'E'\n#!/bin/sh\nrm -rf ~\nE\nchmod +x x; ./x",
                &[
                    "write file:/home/dev/proj/x [truncate creates] project",
                    "reown file:/home/dev/proj/x project",
                    "delete file:/home/dev [recursive force script] home-root (derived)",
                ],
            ),
            (
                "echo -n 'rm -rf' > x; echo ' ~' >> x; sh x",
                &[
                    "write file:/home/dev/proj/x [truncate creates] project",
                    "write file:/home/dev/proj/x [append] project",
                    "delete file:/home/dev [recursive force script] home-root (derived)",
                ],
            ),
        ],
    );
}

/// However a file is added to, renamed or edited, what it held before the call is in it still.
#[test]
fn what_was_there_is_read_and_lost_after_a_change() {
    let world = dirty().file("run.sh", "rm -rf src\n").untracked("new.txt");
    let removes = "delete file:/home/dev/proj/src [recursive";
    for change in [
        "echo ls >> run.sh",
        "echo ls | tee -a run.sh",
        "sed -i s/a/b/ run.sh",
        "apply_patch '*** Begin Patch\n*** Update File: run.sh\n@@\n-a\n+b'",
    ] {
        let read = last(&world, &format!("{change}; bash run.sh"));
        assert!(read.starts_with(removes), "{change}: {read}");
    }
    for change in [
        "mv new.txt to.txt; echo x >> to.txt",
        "git mv new.txt to.txt",
        "python3 -c \"import os; os.rename('new.txt', 'to.txt')\"",
        "cmd /c 'move new.txt to.txt'",
    ] {
        let lost = last(&world, &format!("{change}; rm to.txt"));
        assert!(lost.contains("loses 1 file"), "{change}: {lost}");
    }
}

#[test]
fn branches_and_loops() {
    let gone = |name: &str| format!("delete file:/home/dev/proj/{name} project");
    let world = empty();
    assert_eq!(
        world.actions("true && rm a || rm b"),
        [gone("a"), gone("b")]
    );
    assert_eq!(
        world
            .actions("if x; then rm a; elif y; then rm b; else rm c; fi")
            .len(),
        5
    );
    assert_eq!(world.actions("exit 0; rm a"), [] as [&str; 0]);
    assert_eq!(world.actions("[ -f x ] && exit 0; rm a"), [gone("a")]);
    assert_eq!(world.actions("(exit 0); rm a"), [gone("a")]);
    assert_eq!(
        world.actions("x=a; while read y; do rm $x; x=b; done"),
        [
            "delete file:/home/dev/proj/a [mass] project (derived)",
            "delete file: [mass] (unknown), loss unknown"
        ]
    );
    assert_eq!(
        world.actions("until false; do rm a; break; done"),
        [gone("a")]
    );
    assert_eq!(
        world.actions("if x; then d=a; else d=b; fi; rm $d"),
        [
            "execute program:x",
            "delete file:/home/dev/proj/b project (derived)",
            "delete file:/home/dev/proj/a project (derived)"
        ]
    );
    assert_eq!(
        world.actions("for f in a b; do rm $f; done"),
        [
            "delete file:/home/dev/proj/a [mass] project (derived)",
            "delete file:/home/dev/proj/b [mass] project (derived)"
        ]
    );
}

#[test]
fn a_session_may_take_its_own_edits_back() {
    let world = empty()
        .repo("")
        .modified("own.rs")
        .modified("theirs.rs")
        .edited("own.rs");
    for command in [
        "git checkout -- own.rs",
        "git restore own.rs",
        "git checkout HEAD -- own.rs",
        "git checkout own.rs",
        "echo more >> own.rs && git checkout own.rs",
    ] {
        let all = world.actions(command).join("; ");
        assert!(!all.contains("loses"), "{command}: {all}");
    }
    for command in [
        "git checkout -- .",
        "git reset --hard",
        "git restore own.rs theirs.rs",
    ] {
        let all = world.actions(command).join("; ");
        let is_theirs = all.contains("theirs.rs") && !all.contains("own.rs modified");
        assert!(
            all.contains("loses 1 file") && is_theirs,
            "{command}: {all}"
        );
    }
    let mut changed = world;
    for file in &mut changed.place.edits {
        file.modified += 1;
    }
    let all = changed.actions("git checkout -- own.rs").join("; ");
    assert!(
        all.contains("loses 1 file"),
        "somebody else wrote it: {all}"
    );
}

#[test]
fn what_was_as_it_is_committed_is_edited() {
    let world = empty()
        .repo("")
        .file("clean.rs", "a")
        .modified("dirty.rs")
        .untracked("new.rs");
    let world = world.modified("own.rs").edited("own.rs");
    let at = |path: &str| vec![format!("/home/dev/proj/{path}")];
    for (command, expected) in [
        ("echo x > clean.rs", at("clean.rs")),
        ("sed -i s/a/b/ clean.rs", at("clean.rs")),
        ("echo x >> own.rs", at("own.rs")),
        (
            "echo x > dirty.rs; echo x > new.rs; echo x > none.rs",
            Vec::new(),
        ),
        ("cat clean.rs", Vec::new()),
    ] {
        assert_eq!(world.read(command).edited_paths, expected, "{command}");
    }
}

#[test]
fn where_work_is_moved_to_is_said() {
    let world = empty().dir("dist").dir("drafts").dir("old");
    let world = world.untracked("notes.md").untracked("drafts/one.md");
    let at = |path: &str| vec![format!("/home/dev/proj/{path}")];
    let cases = [
        ("mv notes.md dist/", at("dist/notes.md")),
        (
            "mv notes.md dist/ && mv dist/notes.md old/",
            at("old/notes.md"),
        ),
        ("mv notes.md /tmp/n.md", vec!["/tmp/n.md".to_owned()]),
        (
            "cp notes.md /tmp/n.md && rm notes.md",
            vec!["/tmp/n.md".to_owned()],
        ),
        ("mv drafts /tmp/d", vec!["/tmp/d".to_owned()]),
        ("tar cf x.tar drafts && rm -r drafts", at("x.tar")),
        ("zip -r x.zip drafts && rm -r drafts", at("x.zip")),
        ("cp notes.md /tmp/n.md", Vec::new()),
        ("mv nothing.md dist/", Vec::new()),
        ("echo x > new.md; mv new.md dist/", Vec::new()),
    ];
    for (command, expected) in cases {
        assert_eq!(world.read(command).moved_paths, expected, "{command}");
    }
}

#[test]
fn work_that_an_earlier_call_moved_is_as_dear_where_it_is() {
    let world = empty().generated("dist/notes.md").generated("dist/o.js");
    let lost = "loses 1 file that exists nowhere else (dist/notes.md not in git)";
    for command in [
        "rm -r dist",
        "rm dist/notes.md",
        "echo x > dist/notes.md",
        "mv dist old && rm -r old",
        "cp dist/o.js dist/notes.md",
    ] {
        let told = |world: &Fixture| world.actions(command).join("; ").contains(lost);
        let moved = world.clone().moved_paths("dist/notes.md");
        assert!(
            told(&moved) && !told(&world),
            "{command}: {:?}",
            moved.actions(command)
        );
    }
    let moved = world.moved_paths("dist/notes.md");
    for command in [
        "rm dist/o.js",
        "mv dist/notes.md . && rm -r dist",
        "ls dist",
    ] {
        let all = moved.actions(command).join("; ");
        assert!(!all.contains("loses"), "{command}: {all}");
    }
}

#[test]
fn a_copy_of_an_earlier_call_keeps_what_is_the_same_in_it() {
    let world = empty()
        .untracked("drafts/one.md")
        .untracked("drafts/two.md");
    let world = world.untracked("kept/one.md").untracked("kept/two.md");
    let copied = world.clone().copied_paths("drafts", "kept");
    let other = copied.clone().file("kept/two.md", "changed");
    let loses =
        |world: &Fixture, command: &str| world.actions(command).join("; ").contains("loses");
    for command in ["rm -r drafts", "rm drafts/one.md"] {
        assert!(!loses(&copied, command), "{command}");
        assert!(loses(&world, command), "{command}");
    }
    assert!(loses(&other, "rm -r drafts") && !loses(&other, "rm drafts/one.md"));
    for command in [
        "rm -r drafts kept",
        "rm -r drafts; rm -r kept",
        "rm drafts/one.md kept/one.md",
        "rm -r kept; rm -r drafts",
        "rm kept/one.md; rm -r drafts",
    ] {
        assert!(
            loses(&copied, command),
            "{command}: {:?}",
            copied.actions(command)
        );
    }
    let kept = |command: &str| copied.read(command).moved_paths;
    assert_eq!(kept("rm drafts/one.md"), ["/home/dev/proj/kept/one.md"]);
    assert_eq!(kept("ls drafts"), Vec::<String>::new());
}

#[test]
fn what_was_moved_away_is_not_what_is_written_in_its_place() {
    let world = empty().untracked("notes.md");
    for command in [
        "mv notes.md x.md && echo new > notes.md && rm x.md",
        "mv notes.md x.md; touch notes.md; rm x.md",
    ] {
        let told = world.actions(command).join("; ");
        assert!(told.contains("loses 1 file"), "{command}: {told}");
    }
}

#[test]
fn the_same_again_is_no_loss() {
    let world = empty().untracked("notes.md").untracked("a/notes.md");
    let same = world.clone().file("notes.md.bak", "new notes.md\n");
    let other = world.clone().file("notes.md.bak", "old notes.md\n");
    for (command, is_lost) in [
        ("cp notes.md a/notes.md", false),
        ("mv notes.md a/notes.md", false),
        ("rm notes.md.bak", false),
        ("rm notes.md.bak notes.md", true),
        ("rm notes.md notes.md.bak", true),
        ("rm notes.md; rm notes.md.bak", true),
    ] {
        let told = same.actions(command).join("; ");
        assert_eq!(told.contains("loses"), is_lost, "{command}: {told}");
    }
    for command in ["rm notes.md.bak", "cp notes.md notes.md.bak"] {
        let told = other.actions(command).join("; ");
        assert!(told.contains("loses"), "{command}: {told}");
    }
}
