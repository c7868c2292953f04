//! Tool calls that are no shell command.

use super::dirty;
use crate::testing::{Fixture, show};
use model::{Call, Content};
use std::borrow::Cow;

fn content(text: &str) -> Content<'_> {
    Content {
        bytes: text.len(),
        text: Some(Cow::Borrowed(text)),
    }
}

fn write(path: &str) -> Call<'_> {
    Call::Write {
        path: path.into(),
        content: content("x"),
    }
}

fn edit(path: &str) -> Call<'_> {
    Call::Edit {
        path: path.into(),
        old: content("a"),
        new: content("b"),
    }
}

fn mcp<'a>(tool: &'a str, args: &[(&str, &str)]) -> Call<'a> {
    let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    Call::Mcp {
        server: "fs".into(),
        tool: tool.into(),
        args: args.iter().map(own).collect(),
    }
}

#[track_caller]
fn check(world: &Fixture, call: &Call<'_>, expected: &[&str]) {
    let analysis = world.read_call(call);
    let shown: Vec<String> = analysis.actions.iter().map(show).collect();
    assert_eq!(shown, expected, "{call:?}");
}

/// A patch is an action on every file that it names, as a tool and as a program.
#[test]
fn patches_name_their_files() {
    let world = dirty().file("c.rs", "x").untracked("notes.md");
    let text = "*** Begin Patch\n*** Add File: new.rs\n+x\n*** Update File: c.rs\n@@\n-x\n+y\n\
                *** Delete File: notes.md\n*** Update File: a.rs\n*** Move to: /tmp/a.rs\n\
                *** End Patch\n";
    let files = model::read_patch(text).unwrap();
    let expected = [
        "write file:/home/dev/proj/new.rs [truncate creates] project",
        "write file:/home/dev/proj/c.rs project",
        "delete file:/home/dev/proj/notes.md project, loses 1 file that exists nowhere else \
         (notes.md untracked)",
        "move file:/home/dev/proj/a.rs project",
        "write file:/tmp/a.rs [truncate creates] temp",
    ];
    check(&world, &Call::Patch { files }, &expected);
    for command in [
        format!("apply_patch <<'EOF'\n{text}EOF\n"),
        format!("cd /home/dev/proj && apply_patch '{text}'"),
    ] {
        let call = Call::Shell {
            command: command.into(),
            dialect: model::Dialect::Posix,
        };
        check(&world, &call, &expected);
    }
}

#[test]
fn writes_and_edits() {
    let world = dirty()
        .file("c.rs", "x")
        .untracked("notes.md")
        .link("etc", "/etc");
    check(
        &world,
        &write("/home/dev/proj/new.rs"),
        &["write file:/home/dev/proj/new.rs [truncate creates] project"],
    );
    check(
        &world,
        &write("c.rs"),
        &["write file:/home/dev/proj/c.rs [truncate] project"],
    );
    check(
        &world,
        &write("/home/dev/proj/notes.md"),
        &[
            "write file:/home/dev/proj/notes.md [truncate] project, loses 1 file that exists nowhere \
         else (notes.md untracked)",
        ],
    );
    check(
        &world,
        &edit("a.rs"),
        &["write file:/home/dev/proj/a.rs project"],
    );
    check(
        &world,
        &write("//etc/./passwd"),
        &["write file:/etc/passwd [truncate creates] system"],
    );
    check(
        &world,
        &write("/private/etc/hosts"),
        &["write file:/private/etc/hosts [truncate creates] system"],
    );
    check(
        &world,
        &write("/home/dev/proj/etc/hosts"),
        &["write file:/etc/hosts [truncate creates] system"],
    );
    check(
        &world,
        &write(".env"),
        &["write file:/home/dev/proj/.env [secret truncate creates] project"],
    );
}

#[test]
fn the_gate_is_recognised_through_links_and_directories() {
    let world = Fixture::new()
        .own(".claude/settings*.json")
        .file(".claude/settings.json", "{}")
        .link("cfg", ".claude")
        .link("s.json", ".claude/settings.json");
    for path in [
        ".claude/settings.json",
        ".claude/settings.local.json",
        "cfg/settings.json",
        "s.json",
    ] {
        let analysis = world.read_call(&write(path));
        let tampers = analysis
            .actions
            .iter()
            .any(|a| a.verb == model::Verb::Tamper);
        assert!(tampers, "{path}: {:?}", analysis.actions);
    }
    let analysis = world.read_call(&write(".claude/other.json"));
    assert!(
        analysis
            .actions
            .iter()
            .all(|a| a.verb != model::Verb::Tamper)
    );
}

#[test]
fn mcp_tools_by_their_names_and_arguments() {
    let world = dirty().untracked("notes.md");
    check(
        &world,
        &mcp("write_file", &[("path", "/etc/x"), ("content", "y")]),
        &[
            "write file:/etc/x [truncate creates] system (derived)",
            "execute mcp:fs/write_file (guessed)",
        ],
    );
    check(
        &world,
        &mcp("replaceInFile", &[("relative_path", "a.rs")]),
        &[
            "write file:/home/dev/proj/a.rs project (derived)",
            "execute mcp:fs/replaceInFile (guessed)",
        ],
    );
    check(
        &world,
        &mcp("delete_file", &[("path", "notes.md")]),
        &[
            "delete file:/home/dev/proj/notes.md project (derived), loses 1 file that exists nowhere \
         else (notes.md untracked)",
            "execute mcp:fs/delete_file (guessed)",
        ],
    );
    check(
        &world,
        &mcp("read_file", &[("path", ".env")]),
        &[
            "read file:/home/dev/proj/.env [secret] project (derived)",
            "read mcp:fs/read_file (guessed)",
        ],
    );
}

#[test]
fn mcp_tools_that_do_more() {
    let world = dirty().untracked("notes.md");
    check(
        &world,
        &mcp("get_item", &[("path", "/v1/x"), ("outputPath", "/srv/x")]),
        &[
            "read file:/v1/x outside (derived)",
            "write file:/srv/x [truncate creates] outside (derived)",
            "read mcp:fs/get_item (guessed)",
        ],
    );
    check(
        &world,
        &mcp("move_file", &[("source", "a.rs"), ("destination", "z.rs")]),
        &[
            "move file:/home/dev/proj/a.rs project (derived)",
            "write file:/home/dev/proj/z.rs [truncate creates] project (derived)",
            "execute mcp:fs/move_file (guessed)",
        ],
    );
    check(
        &world,
        &mcp("run_command", &[("command", "rm -rf ~")]),
        &[
            "delete file:/home/dev [recursive force] home-root, loses 3 files that exist nowhere else \
         (a.rs modified, notes.md untracked, src/b.rs modified)",
            "execute mcp:fs/run_command (guessed)",
        ],
    );
    check(
        &world,
        &mcp("analyze", &[("path", "a.rs")]),
        &[
            "read file:/home/dev/proj/a.rs project (derived)",
            "execute mcp:fs/analyze (guessed)",
        ],
    );
    let own = world.own("gate.toml");
    let tampers = own.read_call(&mcp("analyze", &[("path", "gate.toml")]));
    assert_eq!(tampers.actions[1].verb, model::Verb::Tamper);
    check(
        &own,
        &mcp("navigate", &[("url", "https://x.example")]),
        &["execute mcp:fs/navigate (guessed)"],
    );
}

#[test]
fn a_cluster_tool_is_read_with_kind_and_name() {
    let goes = |tool, args: &[(&str, &str)], name: &str| {
        let analysis = dirty().read_call(&mcp(tool, args));
        let shown: Vec<String> = analysis.actions.iter().map(show).collect();
        let expected = format!("destroy k8s:namespace/{name}");
        assert!(
            shown.iter().any(|one| one.starts_with(&expected)),
            "{shown:?}"
        );
    };
    let (kind, name) = (("resourceType", "namespace"), ("name", "payments"));
    goes("kubectl_delete", &[kind, name], "payments");
    let (kind, command) = (("resource_type", "namespace"), ("command", "delete"));
    goes("kubectl_generic", &[command, kind, name], "payments");
}

#[test]
fn the_others() {
    let world = Fixture::new();
    check(
        &world,
        &Call::Read {
            path: "/home/dev/.ssh/id_rsa".into(),
        },
        &["read file:/home/dev/.ssh/id_rsa [secret] home"],
    );
    check(
        &world,
        &Call::Fetch {
            url: "https://x.example".into(),
        },
        &["fetch url:https://x.example"],
    );
    check(&world, &Call::Todo, &[]);
    check(
        &world,
        &Call::Spawn {
            kind: "x".into(),
            prompt: content("rm -rf /"),
        },
        &[],
    );
    let malformed = Call::Malformed {
        name: "shell".into(),
        what: "no command".into(),
    };
    check(&world, &malformed, &["unknown unknown:shell (unknown)"]);
    assert_eq!(
        world.read_call(&malformed).unread,
        ["the call of shell: no command"]
    );
}
