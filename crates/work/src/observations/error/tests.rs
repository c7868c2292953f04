//! Kinds of failures, told by what is printed.

use super::*;
use crate::observations::fold::fold;

fn kind(command: &str, status: i64, output: &str) -> &'static str {
    let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    classify(&words, Some(status), output).kind.name()
}

/// A command, its status, what it printed, and the kind of failure that is.
const FAILURES: &[(&str, i64, &str, &str)] = &[
    (
        "python a.py",
        127,
        "bash: line 1: python: command not found",
        "missing_program",
    ),
    ("just fmt", 127, "sh: 1: just: not found", "missing_program"),
    ("rg x", 127, "zsh: command not found: rg", "missing_program"),
    (
        "cat notes",
        1,
        "cat: notes: No such file or directory",
        "missing_file",
    ),
    // The status alone says it, in words that nobody knows.
    ("made up", 127, "made: nicht gefunden", "missing_program"),
    ("rg x", 1, "", "no_match"),
    ("test -f x", 1, "", "no_output"),
    ("sleep 9", 124, "", "timeout"),
    (
        "pytest",
        1,
        "E assert 1 == 2\n=== 1 failed, 3 passed in 0.1s ===",
        "red_run",
    ),
    (
        "cargo test",
        101,
        "test result: FAILED. 1 passed; 2 failed",
        "red_run",
    ),
    (
        "cargo build",
        101,
        "error[E0308]: mismatched types\n --> src/a.rs:3:7",
        "red_run",
    ),
    (
        "tsc",
        2,
        "src/a.ts(3,7): error TS2307: Cannot find module './b'",
        "red_run",
    ),
    (
        "npm test",
        1,
        "> a@1 test\n> vitest\nError: Cannot find module '/p/node_modules/vitest/x.mjs'",
        "missing_module",
    ),
    (
        "python3 a.py",
        1,
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import x\n\
             ModuleNotFoundError: No module named 'x'",
        "missing_module",
    ),
    (
        "python3 a.py",
        1,
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n\
             ValueError: bad",
        "exception",
    ),
    (
        "pnpm test",
        1,
        "ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment",
        "version",
    ),
    (
        "ls --x",
        2,
        "ls: unrecognized option '--x'",
        "unknown_option",
    ),
    (
        "npm run x",
        1,
        "npm ERR! Missing script: \"x\"",
        "missing_target",
    ),
    (
        "git push",
        1,
        "! [rejected] main -> main (non-fast-forward)",
        "git_state",
    ),
    (
        "git add .",
        128,
        "fatal: Unable to create '/p/.git/index.lock': File exists.",
        "git_lock",
    ),
    ("gh pr list", 4, "HTTP 401: Bad credentials", "access"),
    (
        "curl x",
        7,
        "curl: (7) Failed to connect: Connection refused",
        "service_down",
    ),
    (
        "echo (",
        2,
        "bash: -c: line 1: syntax error near unexpected token `('",
        "quoting",
    ),
    (
        "git status",
        128,
        "fatal: not a git repository (or any parent)",
        "wrong_directory",
    ),
    ("git commit -m x", 1, "1 failed, 2 passed", "commit_hook"),
    (
        "git commit -m x",
        1,
        "On branch a\nnothing to commit, working tree clean",
        "git_state",
    ),
    (
        "bun run x",
        1,
        "error: Script not found \"x\"",
        "missing_target",
    ),
    (
        "tool x",
        2,
        "Usage: tool [OPTIONS] COMMAND",
        "unknown_option",
    ),
    ("rg x", 1, "(no output)", "no_match"),
    (
        "python - x",
        1,
        "bash: cannot create temp file: Operation not permitted",
        "sandbox",
    ),
    ("x", 1, "something odd", "other"),
];

#[test]
fn failures_have_kinds() {
    for (command, status, output, expected) in FAILURES {
        assert_eq!(
            kind(command, *status, output),
            *expected,
            "{command}: {output}"
        );
    }
}

#[test]
fn a_missing_program_is_said_by_the_shell_alone() {
    assert_eq!(
        missing_program("bash: line 3: foo: command not found"),
        Some("foo")
    );
    assert_eq!(
        missing_program("./run.sh: line 3: foo: command not found"),
        Some("foo")
    );
    assert_eq!(missing_program("/bin/sh: 1: foo: not found"), Some("foo"));
    assert_eq!(missing_program("foo: command not found"), Some("foo"));
    for line in [
        "cat: foo: not found",
        "docs/a.md:3: bash: foo: command not found",
        "error: package foo: not found",
        "the words command not found",
        "foo: not found",
    ] {
        assert_eq!(missing_program(line), None, "{line}");
    }
}

#[test]
fn what_differs_from_time_to_time_is_folded() {
    for (line, expected) in [
        ("cat: /a/b.txt: No such file", "cat: P: No such file"),
        ("exit 12 after 3.5s", "exit N after N.Ns"),
        ("commit deadbeef1 is gone", "commit H is gone"),
        ("Missing script: \"a b\"", "Missing script: Q"),
        ("can't open 'x y', really", "can't open Q, really"),
        ("see https://a.b/c?d=1.", "see U."),
        (
            "pyenv: version `3.9' is not installed",
            "pyenv: version Q is not installed",
        ),
    ] {
        assert_eq!(fold(line), expected, "{line}");
    }
}

#[test]
fn warnings_are_not_the_error() {
    let output = "npm warn deprecated x: cannot be used\nError: Cannot find module 'y'";
    let class = classify(&["npm".to_owned()], Some(1), output);
    assert_eq!(class.line, "Error: Cannot find module 'y'");
}

#[test]
fn an_error_at_the_end_is_seen_without_a_status() {
    for (output, expected) in [
        ("bash: python: command not found\n", true),
        ("fatal: not a git repository", true),
        (
            "Traceback (most recent call last):\n  File \"a\"\nValueError: bad",
            true,
        ),
        (
            "a line about bash: python: command not found\nand more",
            false,
        ),
        ("error: one of many\nall done", false),
        ("", false),
        ("hello", false),
    ] {
        assert_eq!(ends_in_error(output), expected, "{output}");
    }
}
