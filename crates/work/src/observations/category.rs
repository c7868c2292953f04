//! What kind of work a call is, for people who count: which kind never decides anything.

use model::{Call, SimpleCommand};

/// A kind of work, in the order in which the first that fits counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Work handed to a helper.
    Delegation,
    /// A question to a human.
    Escalation,
    /// Tests.
    TestRun,
    /// A build, a check or a format.
    Build,
    /// Git.
    GitOperation,
    /// A cluster.
    K8sOperation,
    /// Pull requests and pipelines.
    CiCd,
    /// Packages.
    Dependency,
    /// Files that are written.
    CodeChange,
    /// Any other command.
    Command,
    /// Any other tool.
    #[default]
    ToolUse,
}

impl Category {
    /// Every category with its name in records.
    pub const NAMES: &'static [(&'static str, Self)] = &[
        ("delegation", Self::Delegation),
        ("escalation", Self::Escalation),
        ("test_run", Self::TestRun),
        ("build", Self::Build),
        ("git_operation", Self::GitOperation),
        ("k8s_operation", Self::K8sOperation),
        ("ci_cd", Self::CiCd),
        ("dependency", Self::Dependency),
        ("code_change", Self::CodeChange),
        ("command", Self::Command),
        ("tool_use", Self::ToolUse),
    ];

    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        names
            .find(|(_, category)| *category == self)
            .map_or("tool_use", |(name, _)| name)
    }
}

/// Words after a program that name what it does.
const TESTS: &[&str] = &["test", "t", "tst", "nextest", "check-tests", "spec", "e2e"];
const BUILDS: &[&str] = &[
    "build",
    "check",
    "clippy",
    "lint",
    "fmt",
    "format",
    "typecheck",
    "vet",
    "compile",
];
const INSTALLS: &[&str] = &[
    "install", "i", "ci", "add", "remove", "update", "upgrade", "sync", "get", "outdated", "audit",
];

/// Programs by what they are for, whatever follows.
const PROGRAMS: &[(Category, &[&str])] = &[
    (
        Category::TestRun,
        &[
            "pytest",
            "jest",
            "vitest",
            "mocha",
            "rspec",
            "phpunit",
            "tox",
            "playwright",
            "ctest",
        ],
    ),
    (
        Category::Build,
        &[
            "make", "cmake", "ninja", "tsc", "gcc", "g++", "clang", "rustc", "javac", "eslint",
            "ruff", "prettier", "mypy", "black", "webpack", "vite", "gradle", "gradlew", "mvn",
            "bazel",
        ],
    ),
    (Category::GitOperation, &["git", "jj", "hg"]),
    (
        Category::K8sOperation,
        &["kubectl", "helm", "k9s", "kustomize", "oc"],
    ),
    (Category::CiCd, &["gh", "glab", "act"]),
    (
        Category::Dependency,
        &[
            "pip", "pip3", "apt", "apt-get", "brew", "gem", "poetry", "pipx", "dnf", "apk",
        ],
    ),
];

/// Programs whose next word says what they do.
const RUNNERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "cargo", "go", "just", "make", "uv", "deno", "mix", "dotnet",
    "bundle", "composer", "rake", "task",
];

/// What kind of work a simple command is.
#[must_use]
pub fn of_command(command: &SimpleCommand) -> Category {
    let program = command.program();
    if RUNNERS.contains(&program) {
        let words = command.words.iter().skip(1).map(String::as_str);
        let mut words =
            words.filter(|word| !word.starts_with('-') && !matches!(*word, "run" | "exec" | "x"));
        let what = words.next().unwrap_or_default();
        let has = |words: &[&str]| {
            let mut parts = what.split([':', '-', '_']);
            parts.any(|part| words.contains(&part))
        };
        return match what {
            _ if has(TESTS) || is_test(what) => Category::TestRun,
            _ if has(BUILDS) => Category::Build,
            _ if INSTALLS.contains(&what) => Category::Dependency,
            _ if program == "make" => Category::Build,
            _ => Category::Command,
        };
    }
    if STARTERS.contains(&program) && is_test(&command.words.join(" ")) {
        return Category::TestRun;
    }
    let known = PROGRAMS
        .iter()
        .find(|(_, programs)| programs.contains(&program));
    known.map_or(Category::Command, |(category, _)| *category)
}

/// Programs that start another by its name: what only names a test (`echo pytest`) is none.
const STARTERS: &[&str] = &[
    "python", "python3", "py", "coverage", "npx", "pnpx", "bunx", "uvx", "node", "poetry",
    "pipenv", "pdm", "hatch", "rye",
];

/// `python3 -m pytest`, `npx jest`, `uv run pytest`
fn is_test(text: &str) -> bool {
    let mut words = text.split(' ').take(4);
    words.any(|word| {
        matches!(
            word,
            "pytest" | "unittest" | "jest" | "vitest" | "mocha" | "rspec"
        )
    })
}

/// What kind of work a call of another tool is.
#[must_use]
pub fn of_call(call: &Call<'_>) -> Category {
    match call {
        Call::Spawn { .. } => Category::Delegation,
        Call::Question => Category::Escalation,
        Call::Write { .. } | Call::Edit { .. } | Call::Patch { .. } => Category::CodeChange,
        Call::Shell { .. } => Category::Command,
        _ => Category::ToolUse,
    }
}

/// Program and subcommand: what people call a command by.
#[must_use]
pub fn key(command: &SimpleCommand) -> String {
    let program = command.program();
    let takes = RUNNERS.contains(&program)
        || matches!(
            program,
            "git"
                | "gh"
                | "glab"
                | "kubectl"
                | "helm"
                | "docker"
                | "podman"
                | "terraform"
                | "aws"
                | "gcloud"
                | "az"
                | "systemctl"
                | "brew"
                | "apt"
                | "apt-get"
                | "pip"
                | "pip3"
                | "npx"
                | "poetry"
                | "bd"
                | "br"
                | "tollgate"
                | "rustup"
                | "swift"
                | "flutter"
                | "rails"
        );
    let second = command.words.get(1).filter(|word| takes && is_name(word));
    match second {
        Some(second) => [program, " ", second].concat(),
        None => program.to_owned(),
    }
}

fn is_name(word: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.chars().all(is_inner)
}
