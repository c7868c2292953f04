//! What kind of failure an output tells of: one line of it, with what differs from time to time
//! folded. Red tests, empty searches and the like are kinds of their own, since they are no news.

use super::fold::fold;

/// A kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub enum ErrorKind {
    /// None of the others.
    #[default]
    Other,
    /// A test, a check or a build found something.
    RedRun,
    /// A search found nothing.
    NoMatch,
    /// Nothing was printed.
    NoOutput,
    /// A sandbox was in the way: it is asked again outside.
    Sandbox,
    /// It took too long.
    Timeout,
    /// The shell found no such program.
    MissingProgram,
    /// A program found a part of its own missing.
    MissingModule,
    /// A program of another version is wanted.
    Version,
    /// A program knows no such option or subcommand.
    UnknownOption,
    /// A runner knows no such target.
    MissingTarget,
    /// The rights for it are missing.
    Access,
    /// A repository is not as the command needs it.
    GitState,
    /// Another process holds a repository's lock, or left it behind.
    GitLock,
    /// A hook of the repository refused.
    CommitHook,
    /// It ran in the wrong directory.
    WrongDirectory,
    /// A file is not there.
    MissingFile,
    /// Something that it talks to does not answer.
    ServiceDown,
    /// The shell could not read the command.
    Quoting,
    /// A script ended with an exception.
    Exception,
}

impl ErrorKind {
    /// Every kind with its name in records.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("other", Self::Other),
        ("red_run", Self::RedRun),
        ("no_match", Self::NoMatch),
        ("no_output", Self::NoOutput),
        ("sandbox", Self::Sandbox),
        ("timeout", Self::Timeout),
        ("missing_program", Self::MissingProgram),
        ("missing_module", Self::MissingModule),
        ("version", Self::Version),
        ("unknown_option", Self::UnknownOption),
        ("missing_target", Self::MissingTarget),
        ("access", Self::Access),
        ("git_state", Self::GitState),
        ("git_lock", Self::GitLock),
        ("commit_hook", Self::CommitHook),
        ("wrong_directory", Self::WrongDirectory),
        ("missing_file", Self::MissingFile),
        ("service_down", Self::ServiceDown),
        ("quoting", Self::Quoting),
        ("exception", Self::Exception),
    ];

    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        names
            .find(|(_, kind)| *kind == self)
            .map_or("other", |(name, _)| name)
    }

    /// Whether a failure of this kind says nothing of the next time: it is news each time it is
    /// heard, and nothing is learned from it.
    #[must_use]
    pub fn is_news(self) -> bool {
        matches!(
            self,
            Self::RedRun
                | Self::NoMatch
                | Self::NoOutput
                | Self::Sandbox
                | Self::Timeout
                | Self::CommitHook
                | Self::GitState
        )
    }
}

model::named!(ErrorKind);

/// What a failure was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorClass {
    /// Its kind.
    pub kind: ErrorKind,
    /// The line that tells of it, folded: numbers, paths, hashes and quoted words do not count.
    pub text: String,
    /// The line as it was printed.
    pub line: String,
}

/// Words of lines that tell of an error.
const ERROR_WORDS: &[&str] = &[
    "error",
    "fatal",
    "failed",
    "failure",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "not found",
    "denied",
    "invalid",
    "unknown",
    "unrecognized",
    "unexpected",
    "no such",
    "unable",
    "refused",
    "missing",
    "not installed",
    "unsupported",
    "illegal",
    "disabled",
    "not allowed",
];

/// What a line of the output means, if it holds one of these. The first row that fits counts; what
/// is not spelled out before a run began is further down than what only a run prints.
const KINDS: &[(ErrorKind, &[&str])] = &[
    (ErrorKind::GitLock, &["index.lock"]),
    (
        ErrorKind::Sandbox,
        &[
            "failed in sandbox",
            "denied by sandbox",
            "operation not permitted",
            "sandbox denied",
            "sandbox(denied",
        ],
    ),
    (
        ErrorKind::Timeout,
        &["command timed out", "timed out after"],
    ),
    (
        ErrorKind::MissingTarget,
        &[
            "missing script:",
            "script not found",
            "err_pnpm_no_script",
            "does not contain recipe",
            "no rule to make target",
            "justfile does not contain",
            "err_pnpm_recursive_exec_first_fail",
        ],
    ),
    (
        ErrorKind::Version,
        &[
            "unsupported engine",
            "ebadengine",
            "err_pnpm_unsupported_engine",
            "this version of",
            "unsupported python",
            "requires python",
            "requires node",
            "requires rustc",
            "requires go ",
            "is not installed",
            "no version is set",
            "unsupported version",
            "version mismatch",
        ],
    ),
    (
        ErrorKind::MissingModule,
        &[
            "cannot find module",
            "modulenotfounderror",
            "no module named",
            "cannot find package",
            "module not found",
            "importerror",
        ],
    ),
    (
        ErrorKind::UnknownOption,
        &[
            "unknown option",
            "unrecognized option",
            "unknown flag",
            "unknown shorthand flag",
            "unknown command",
            "unknown subcommand",
            "unrecognized subcommand",
            "unrecognized argument",
            "unexpected argument",
            "invalid option",
            "illegal option",
            "no such option",
            "no such command",
            "no such subcommand",
            "unknown argument",
            "unknown json field",
            "unknown arguments",
            "is not a git command",
            "unknown switch",
        ],
    ),
    (
        ErrorKind::WrongDirectory,
        &[
            "not a git repository",
            "could not find `cargo.toml`",
            "could not read package.json",
            "no package.json",
            "no pyproject.toml",
            "no such file or directory, open",
            "go.mod file not found",
            "no justfile found",
            "no makefile found",
            "no importer manifest found",
        ],
    ),
    (
        ErrorKind::CommitHook,
        &[
            "hook declined",
            "husky -",
            "pre-commit hook",
            "commit-msg hook",
        ],
    ),
    (
        ErrorKind::GitState,
        &[
            "non-fast-forward",
            "[rejected]",
            "nothing to commit",
            "unmerged",
            "merge conflict",
            "conflict (",
            "did not match any",
            "unknown revision",
            "would be overwritten",
            "already exists",
            "no changes added",
            "ambiguous argument",
            "have diverged",
        ],
    ),
    (
        ErrorKind::Access,
        &[
            "authentication",
            "unauthorized",
            "permission denied",
            "access denied",
            "forbidden",
            "bad credentials",
            "not logged in",
            "could not read username",
            "login required",
            "http 401",
            "http 403",
            "eacces",
        ],
    ),
    (
        ErrorKind::ServiceDown,
        &[
            "connection refused",
            "econnrefused",
            "could not connect",
            "cannot connect",
            "could not resolve host",
            "network is unreachable",
            "docker daemon",
            "enotfound",
        ],
    ),
    (
        ErrorKind::Quoting,
        &[
            "syntax error near",
            "unexpected eof",
            "unmatched",
            "parse error near",
            "unterminated",
            "bad substitution",
            "no matches found",
            "syntax error:",
            "syntax error, unexpected",
        ],
    ),
    (
        ErrorKind::MissingFile,
        &[
            "no such file or directory",
            "cannot access",
            "file not found",
            "enoent",
            "does not exist",
        ],
    ),
];

/// Words that only the end of a run of tests or checks prints.
const RED_WORDS: &[&str] = &[
    "test result: failed",
    "tests failed",
    "test failed",
    "failing tests",
    "assertion",
    "--- fail",
    "could not compile",
    "problems (",
    "aborting due to",
    "found errors",
    "checks failed",
    "tests ran",
    "diff in ",
    "would reformat",
    "code style issues",
    "lint errors",
];

/// What some hosts write where nothing was printed.
const NOTHING: &str = "(no output)";

/// What a failed command's output tells.
#[must_use]
pub fn classify(command: &[String], status: Option<i64>, output: &str) -> ErrorClass {
    let output = output.trim_end();
    let mut told = lines(output);
    told.retain(|line| *line != NOTHING);
    if status == Some(124) {
        return class(ErrorKind::Timeout, told.last().copied().unwrap_or_default());
    }
    if let Some(line) = told.iter().find(|line| missing_program(line).is_some()) {
        return class(ErrorKind::MissingProgram, line);
    }
    if told.is_empty() {
        let is_search = status == Some(1) && is_search(command);
        let kind = if is_search {
            ErrorKind::NoMatch
        } else {
            ErrorKind::NoOutput
        };
        return class(kind, "");
    }
    let last = told.last().copied().unwrap_or_default();
    let exception = exception(output);
    let line = exception.unwrap_or_else(|| telling(&told).unwrap_or(last));
    let kind = match kind_of(line) {
        Some(kind) => kind,
        None if status == Some(127) => ErrorKind::MissingProgram,
        None if is_red(&told) => ErrorKind::RedRun,
        None => kind_in(&told, exception.is_some()),
    };
    let is_commit = command.iter().take(2).eq(["git", "commit"]);
    let kind = match kind {
        // What a hook printed says nothing of git.
        ErrorKind::Other | ErrorKind::RedRun if is_commit => ErrorKind::CommitHook,
        ErrorKind::Other if line.to_ascii_lowercase().starts_with("usage:") => {
            ErrorKind::UnknownOption
        }
        kind => kind,
    };
    if is_commit {
        return class(kind, line);
    }
    // What a runner says before it starts is no red run, whatever it prints afterwards.
    let is_before = matches!(
        kind,
        ErrorKind::MissingTarget | ErrorKind::Version | ErrorKind::MissingModule
    );
    match is_red(&told) && !is_before {
        true => class(ErrorKind::RedRun, line),
        false => class(kind, line),
    }
}

fn kind_in(told: &[&str], has_exception: bool) -> ErrorKind {
    let mut kinds = told
        .iter()
        .filter(|line| !is_warning(line))
        .filter_map(|line| kind_of(line));
    match kinds.next() {
        Some(kind) => kind,
        None if has_exception => ErrorKind::Exception,
        None => ErrorKind::Other,
    }
}

/// The lines that say something, without what colours them.
fn lines(output: &str) -> Vec<&str> {
    let lines = output.lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).collect()
}

fn class(kind: ErrorKind, line: &str) -> ErrorClass {
    ErrorClass {
        kind,
        text: fold(line),
        line: line.to_owned(),
    }
}

/// The program that a line of the shell itself says is missing.
#[must_use]
pub fn missing_program(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(name) = line.split_once("command not found: ").map(|(_, name)| name) {
        return line.starts_with("zsh:").then_some(name.trim());
    }
    let (head, is_dash) = match line.strip_suffix(": command not found") {
        Some(head) => (head, false),
        None => (line.strip_suffix(": not found")?, true),
    };
    let mut parts: Vec<&str> = head.split(": ").collect();
    let name = parts.pop()?;
    let is_place = |part: &&str| {
        let number = part.strip_prefix("line ").unwrap_or(part);
        number.bytes().all(|byte| byte.is_ascii_digit())
    };
    parts.retain(|part| !is_place(part));
    let is_shell = |part: &str| {
        let name = text::path::file_name(part);
        matches!(name, "bash" | "sh" | "dash" | "zsh" | "-bash" | "-sh") || name.ends_with(".sh")
    };
    let is_named = parts.last().is_some_and(|part| is_shell(part)) && parts.len() == 1;
    let is_word = !name.is_empty() && !name.contains(char::is_whitespace);
    (is_word && (is_named || parts.is_empty() && !is_dash)).then_some(name)
}

/// The last line of a traceback.
fn exception(output: &str) -> Option<&str> {
    let (_, block) = output.rsplit_once("Traceback (most recent call last)")?;
    let is_end = |line: &&str| {
        let name = line.split([':', ' ']).next().unwrap_or_default();
        name.len() > 3 && name.starts_with(|c: char| c.is_alphabetic())
    };
    block.lines().skip(1).find(is_end)
}

fn is_warning(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let line = line.trim_start_matches(['(', '[']);
    ["warn", "npm warn", "deprecat", "note:", "hint:", "info"]
        .iter()
        .any(|word| line.starts_with(word))
        || line.contains("deprecationwarning")
}

/// The first line that tells of an error.
fn telling<'t>(told: &[&'t str]) -> Option<&'t str> {
    let tells = |line: &&&str| {
        let lower = line.to_ascii_lowercase();
        !is_warning(line) && ERROR_WORDS.iter().any(|word| lower.contains(word))
    };
    told.iter().find(tells).copied()
}

fn kind_of(line: &str) -> Option<ErrorKind> {
    let lower = line.to_ascii_lowercase();
    let fits = |(_, words): &&(ErrorKind, &[&str])| words.iter().any(|word| lower.contains(word));
    if has_position(line) {
        return None;
    }
    KINDS.iter().find(fits).map(|(kind, _)| *kind)
}

/// Whether a run of tests or checks says that it found something.
fn is_red(told: &[&str]) -> bool {
    told.iter().any(|line| {
        let lower = line.to_ascii_lowercase();
        let first = line.split([' ', ':', '\t']).next().unwrap_or_default();
        matches!(first, "FAIL" | "FAILED" | "✗" | "✖" | "×" | "❌")
            || RED_WORDS.iter().any(|word| lower.contains(word))
            || counts_failures(&lower)
            || has_position(line)
            || line.starts_with("error[")
    })
}

/// `3 failed`, `2 errors`, `1 problem`.
fn counts_failures(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(2).any(|pair| {
        let [count, what] = pair else { return false };
        let is_count = count.bytes().all(|byte| byte.is_ascii_digit()) && *count != "0";
        is_count
            && matches!(
                what.trim_end_matches([',', '.', ':', ';', ')']),
                "failed" | "failing" | "failures" | "errors" | "problems"
            )
    })
}

/// `src/a.rs:3:7`, `a.ts(3,7)`: a place in a file that a check names.
fn has_position(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.any(|word| {
        let numbers = |text: &str, by: char| {
            let mut parts = text.split(by).skip(1).take(2);
            let is_number = |part: &str| {
                let digits = part.trim_end_matches([')', ':', ',', '-']);
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
            };
            parts.next().is_some_and(is_number)
                && parts
                    .next()
                    .is_some_and(|part| is_number(part) || part.is_empty())
        };
        let (name, place) = word.split_once('(').unwrap_or((word, ""));
        let is_file = name.contains('.') || name.contains('/');
        is_file
            && (numbers(word, ':')
                || place.split_once(',').is_some_and(|(line, rest)| {
                    line.bytes().all(|byte| byte.is_ascii_digit())
                        && rest.starts_with(|c: char| c.is_ascii_digit())
                }))
    })
}

/// Programs that end with 1 where they find nothing.
fn is_search(command: &[String]) -> bool {
    let program = text::path::file_name(command.first().map_or("", String::as_str));
    let second = command.get(1).map_or("", String::as_str);
    matches!(
        program,
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "zgrep" | "pgrep" | "which" | "fd"
    ) || program == "git" && matches!(second, "grep" | "diff" | "check-ignore" | "config")
}

/// Whether the last thing that was printed is an error of whoever ran it, however the call ended:
/// some hosts tell no status, and a status of 0 may be that of another command.
#[must_use]
pub fn ends_in_error(output: &str) -> bool {
    let told = lines(output);
    let Some(last) = told.last() else {
        return false;
    };
    let begins = ["fatal: ", "error: ", "npm ERR! ", "ERR_PNPM_", "error TS"];
    missing_program(last).is_some()
        || begins.iter().any(|begin| last.starts_with(begin))
        || exception(output.trim_end()).is_some_and(|line| line.trim() == *last)
        || last.ends_with(": No such file or directory") && last.matches(": ").count() <= 3
}

#[cfg(test)]
mod tests;
