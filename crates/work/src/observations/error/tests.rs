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
    // A red run is one, whatever else it prints; what was said before it began is not red.
    (
        "npm test",
        1,
        "Error: boom\n3 failed, 1 passed\nthis version of npm is old",
        "red_run",
    ),
    (
        "npm test",
        1,
        "npm ERR! Missing script: \"test\"\n1 failed",
        "missing_target",
    ),
    (
        "npm test",
        1,
        "Error: requires node 20\n1 failed",
        "version",
    ),
    (
        "npm test",
        1,
        "Error: Cannot find module 'y'\nTest failed. See above",
        "missing_module",
    ),
    (
        "npm test",
        1,
        "src/a.ts:3:7 Cannot find module './b'\n1 failed",
        "red_run",
    ),
    ("cat x", 1, "permission denied: x\n1 failed", "red_run"),
    // The line that tells of it may not say why; a warning does not either.
    ("x y", 1, "it failed badly\npermission denied", "access"),
    (
        "x y",
        1,
        "it failed badly\nnote: permission denied",
        "other",
    ),
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
        "bash: foo bar: command not found",
        "bash: : command not found",
        "bash: sh: foo: command not found",
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
        ("cannot stat ‘a b’: gone", "cannot stat Q: gone"),
        // What belongs to a word opens nothing.
        ("`x`'s file and 'y' differ", "Q's file and Q differ"),
        ("(12) [a/b], <7>", "(N) [P], <N>"),
        ("12 345", "N N"),
        ("no end: 'x", "no end: 'x"),
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
        ("cat: notes: No such file or directory", true),
        ("bash: line 1: notes: No such file or directory", true),
        // Who says so is a program, and not a text that names one.
        ("a: b: c: d: No such file or directory", false),
        ("", false),
        ("hello", false),
    ] {
        assert_eq!(ends_in_error(output), expected, "{output}");
    }
}

#[test]
fn the_first_line_that_tells_is_the_one_that_is_kept() {
    let line = |output: &str| classify(&["x".to_owned()], Some(1), output).line;
    for (output, expected) in [
        ("it failed\nsee the log", "it failed"),
        ("begin\nit failed\ncannot go on\nend", "it failed"),
        ("warning: it failed\nit broke", "it broke"),
        ("one\ntwo", "two"),
    ] {
        assert_eq!(line(output), expected, "{output}");
    }
}

#[test]
fn a_traceback_ends_with_its_exception() {
    let head = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n";
    for (end, expected) in [
        ("ValueError: bad\nbye", Some("ValueError: bad")),
        ("KeyboardInterrupt", Some("KeyboardInterrupt")),
        // What is short or no name is none.
        ("1234: x\nValueError: bad", Some("ValueError: bad")),
        ("foo: x\nValueError: bad", Some("ValueError: bad")),
        ("^^^^: x", None),
        ("", None),
    ] {
        assert_eq!(exception(&[head, end].concat()), expected, "{end}");
    }
    assert_eq!(exception("ValueError: bad"), None);
    let twice = [head, "KeyError: 1\n\nagain:\n", head, "ValueError: bad"].concat();
    assert_eq!(exception(&twice), Some("ValueError: bad"));
}

#[test]
fn warnings_are_told_by_how_they_begin() {
    for (line, is) in [
        ("warning: old", true),
        ("WARN old", true),
        ("(warning) old", true),
        ("[info] x", true),
        ("npm warn deprecated x", true),
        ("deprecated: x", true),
        ("note: x", true),
        ("hint: x", true),
        ("(node:1) [DEP1] DeprecationWarning: x", true),
        ("error: a warning", false),
        ("no warning", false),
    ] {
        assert_eq!(is_warning(line), is, "{line}");
    }
}

#[test]
fn a_red_run_is_told_by_any_of_its_marks() {
    for (line, is) in [
        ("FAIL src/a.test.ts", true),
        ("FAILED: a", true),
        ("\u{2717} adds", true),
        ("\u{274c}", true),
        ("test result: FAILED. 1 passed", true),
        ("3 failed", true),
        ("src/a.rs:3:7 unused", true),
        ("error[E0308]: mismatched types", true),
        ("it FAILED", false),
        ("all 3 passed", false),
        ("0 failed", false),
        ("see error[E0308]", false),
    ] {
        assert_eq!(is_red(&["begin", line, "end"]), is, "{line}");
    }
    assert!(!is_red(&[]));
}

#[test]
fn failures_are_counted_in_words() {
    for (line, is) in [
        ("1 failed", true),
        ("2 passed, 10 failed, 1 skipped", true),
        ("tests: 3 failing.", true),
        ("(4 errors)", false),
        ("found 4 errors)", true),
        ("4 problems;", true),
        ("0 failed", false),
        ("0 passed, 1 failures:", true),
        ("x failed", false),
        ("3x failed", false),
        ("failed 3", false),
        ("3 passed", false),
    ] {
        assert_eq!(counts_failures(line), is, "{line}");
    }
}

#[test]
fn a_place_in_a_file_has_a_name_a_line_and_more() {
    for (line, is) in [
        ("a.rs:3:7", true),
        ("src/a:3:7", true),
        ("--> src/a.rs:3:7", true),
        ("src/a.rs:3: unused", true),
        ("src/a.rs:3:7: unused", true),
        ("(see a.rs:3:7)", true),
        ("src/a.rs:3", false),
        ("src/a.rs:x:7", false),
        ("src/a.rs:3:x", false),
        ("src/a.rs::7", false),
        ("src/a.rs::", false),
        ("src/a.rs", false),
        // A time of day is no place.
        ("12:30:45", false),
        ("a.ts(3,7): error", true),
        ("src/a(3,7)", true),
        ("a.ts(x,7)", false),
        ("a.ts(3,x)", false),
        ("a.ts(3)", false),
        ("a.ts()", false),
        ("f(3,7)", false),
    ] {
        assert_eq!(has_position(line), is, "{line}");
    }
}

#[test]
fn an_empty_search_is_told_by_its_program() {
    for (command, expected) in [
        ("grep x", "no_match"),
        ("/usr/bin/rg x", "no_match"),
        ("git grep x", "no_match"),
        ("git diff --quiet", "no_match"),
        ("git push", "no_output"),
        ("hg grep x", "no_output"),
        ("make diff", "no_output"),
        ("make", "no_output"),
    ] {
        assert_eq!(kind(command, 1, ""), expected, "{command}");
    }
    assert_eq!(kind("grep x", 2, ""), "no_output");
    assert_eq!(kind("git", 1, ""), "no_output");
}
