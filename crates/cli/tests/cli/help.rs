//! The help of every command, frozen in `docs/cli.md`. `cargo xtask pages` rewrites it.

use std::fs;
use std::path::Path;

use crate::common::Machine;

/// Every command, with its subcommands after it.
const COMMANDS: &[&str] = &[
    "status",
    "check",
    "explain",
    "log",
    "log verify",
    "log export",
    "tail",
    "failing",
    "failing drop",
    "observations",
    "index",
    "index list",
    "index show",
    "index confirm",
    "index reject",
    "index retire",
    "index add",
    "index import",
    "index export",
    "replay",
    "strikes",
    "strikes clear",
    "learn",
    "prove",
    "rules",
    "rules list",
    "rules show",
    "rules test",
    "rules new",
    "rules settings",
    "tables list",
    "tables check",
    "tables workflows",
    "session list",
    "session show",
    "stats",
    "transcript extract",
    "hydrate",
    "doctor",
    "demo",
    "completions",
    "memory add",
    "memory search",
    "memory list",
    "msg post",
    "msg reply",
    "msg read",
    "msg watch",
    "msg topics",
    "msg search",
    "msg doctor",
    "work create",
    "work update",
    "work show",
    "work list",
    "work close",
    "work reopen",
    "work claim",
    "work ready",
    "work blocked",
    "work dep",
    "work dep add",
    "work dep remove",
    "work dep list",
    "work import",
    "work export",
    "work doctor",
    "mcp",
    "validate",
    "run",
    "run list",
    "run show",
    "run attach",
    "run resume",
    "run stop",
    "run accept",
    "run discard",
    "consensus",
    "proxy",
    "proxy install",
    "proxy uninstall",
    "compile",
    "undo list",
    "undo show",
    "undo restore",
    "undo drop",
    "plan start",
    "plan status",
    "plan show",
    "plan gap",
    "plan assess",
    "plan drop",
    "review request",
    "review check",
    "review list",
    "review show",
    "review status",
    "review run",
    "review drop",
    "serve",
    "open",
    "approvals",
    "approve",
    "refuse",
    "notify add",
    "notify test",
    "notify list",
    "notify remove",
    "key create",
    "key show",
    "key add-passkey",
    "key remove-passkey",
    "init",
    "uninstall",
    "off",
    "on",
    "trust",
    "hook",
];

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");

const OPENING: &str = "\
# The command line

`tollgate` is what people type; `tollgate-hook`, which hosts start, is the same as `tollgate hook`.
This page is made of what `--help` says, and a test keeps it so.

- `NO_COLOR` turns colours off; they are only used on a terminal anyway.
- `TOLLGATE_HOME` names the state directory, by an absolute path; else it is `tollgate` below
  `XDG_STATE_HOME`, or `~/.local/state/tollgate`. Commands that only look do not make it.
- `--json` gives one object a line, for programs.

The exit status means the same everywhere:

| status | meaning |
|---|---|
| 0 | done; for a verdict: let through |
| 1 | it failed, and said what to do; `doctor`, `log verify` and `rules test` found something |
| 2 | the words of the command line were not understood |
| 3 | a verdict: a human should say yes first |
| 4 | a verdict: refused; a command for you alone, below an agent; work that somebody else has |

The hook is another matter, since a host reads its status: 0 with nothing or with an answer on
standard output, 2 for a refusal, with the reason on standard error too. It is never 1, and it has no
usage errors: words that it does not know are a failure of the gate (see [failures](failures.md)).
";

#[test]
fn the_page_is_what_help_says() {
    let machine = Machine::new();
    let mut page = String::from(OPENING);
    for command in [""].iter().chain(COMMANDS) {
        let help = machine
            .tollgate(&format!("{command} --help"))
            .shows(&["Usage: "])
            .run();
        let name = format!("tollgate {command}");
        page.push_str(&format!(
            "\n## `{}`\n\n```text\n{}\n```\n",
            name.trim_end(),
            help.trim_end()
        ));
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(PAGE, &page).unwrap();
    }
    let there = fs::read_to_string(Path::new(PAGE)).unwrap_or_default();
    assert!(
        there == page,
        "docs/cli.md is not what --help says; `cargo xtask pages` rewrites it:\n{page}"
    );
}

#[test]
fn every_command_is_on_the_page() {
    let machine = Machine::new();
    let help = machine
        .tollgate("--help")
        .shows(&["look", "work", "owner", "exit status:"])
        .run();
    let rows = help
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("  -"));
    let names: Vec<&str> = rows
        .filter_map(|row| row.split_whitespace().next())
        .collect();
    assert!(names.len() >= 14, "{names:?}");
    for name in names {
        let is_there = COMMANDS
            .iter()
            .any(|command| command.split(' ').next() == Some(name));
        assert!(is_there, "{name}");
    }
    let parts = model::COMMANDS
        .iter()
        .flat_map(|spec| spec.parts.iter().map(|part| (spec.name, part.name)));
    // A hidden part is on no page.
    for (name, part) in
        parts.filter(|(_, part)| !["sweep", "prune", "verdicts", "tell"].contains(part))
    {
        let line = format!("{name} {part}");
        assert!(COMMANDS.contains(&line.as_str()), "{line}");
    }
}

#[test]
fn wrong_words_are_a_usage_error() {
    let machine = Machine::new();
    let wrong = [
        "frobnicate",
        "check",
        "off",
        "off --for never",
        "log --level hard",
        "init --scope x",
    ];
    for line in wrong {
        machine
            .tollgate(line)
            .status(2)
            .complains(&["error: ", "--help"])
            .run();
    }
}
