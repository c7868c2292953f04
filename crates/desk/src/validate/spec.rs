//! Specifications: what a person wrote that must hold of a directory. docs/runner.md has the form.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// How long a command may take if the specification does not say.
const SECONDS: u64 = 600;
/// Longest that it may say.
const SECONDS_MAX: u64 = 24 * 60 * 60;

/// A specification.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// A directory that must pass, from the specification's own.
    #[serde(default)]
    pub sample: Option<PathBuf>,
    /// Directories that must not.
    #[serde(default)]
    pub rejects: Vec<PathBuf>,
    /// What `unchanged` and `diff` compare with, if the command line does not say.
    #[serde(default)]
    pub against: Option<PathBuf>,
    /// What commands need and git ignores: installed packages, caches. A copy of a work tree that a
    /// run is judged by has none of it, and is lent the user's.
    #[serde(default)]
    pub needs: Vec<PathBuf>,
    /// What must hold.
    #[serde(default, rename = "check")]
    pub checks: Vec<Check>,
    /// Where it lies.
    #[serde(skip)]
    pub dir: PathBuf,
}

/// One thing that must hold.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Check {
    /// These files are there.
    Exists {
        /// Globs; each must match a file with something in it.
        paths: Vec<String>,
        /// Whether an empty one will do.
        #[serde(default)]
        may_be_empty: bool,
    },
    /// These JSON files are as a schema says.
    Schema {
        /// The schema, from the specification's own directory.
        schema: PathBuf,
        /// Globs; each must match.
        files: Vec<String>,
    },
    /// A command does as it should.
    Command {
        /// The program and its words; no shell.
        argv: Vec<String>,
        /// After so long it is ended, which is a failure.
        #[serde(default = "seconds")]
        seconds: u64,
        /// How it must end.
        #[serde(default)]
        exit: i32,
        /// A pattern that what it prints must match, and not with nothing but zeros as numbers.
        #[serde(default)]
        must_run: Option<String>,
    },
    /// These files are as they were.
    Unchanged {
        /// Globs.
        paths: Vec<String>,
        /// Whether there may be new ones.
        #[serde(default)]
        may_add: bool,
    },
    /// What differs stays within limits.
    Diff {
        /// Most files that differ.
        #[serde(default)]
        files_max: Option<u64>,
        /// Globs of what must not differ.
        #[serde(default)]
        forbidden: Vec<String>,
        /// Globs of all that may differ.
        #[serde(default)]
        only: Vec<String>,
    },
    /// No file that is new or changed holds a secret.
    Secrets {},
}

fn seconds() -> u64 {
    SECONDS
}

impl Check {
    /// What it is called in specifications.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "exists",
            Self::Schema { .. } => "schema",
            Self::Command { .. } => "command",
            Self::Unchanged { .. } => "unchanged",
            Self::Diff { .. } => "diff",
            Self::Secrets {} => "secrets",
        }
    }

    /// What is wrong with it as it is written.
    fn fault(&self) -> Option<String> {
        let is_empty = match self {
            Self::Exists { paths, .. } | Self::Unchanged { paths, .. } => paths.is_empty(),
            Self::Schema { files, .. } => files.is_empty(),
            Self::Command { argv, .. } => argv.first().is_none_or(String::is_empty),
            Self::Diff {
                files_max,
                forbidden,
                only,
            } => files_max.is_none() && forbidden.is_empty() && only.is_empty(),
            Self::Secrets {} => false,
        };
        if is_empty {
            return Some("it asks for nothing".to_owned());
        }
        if let Self::Command {
            seconds, must_run, ..
        } = self
        {
            if !(1..=SECONDS_MAX).contains(seconds) {
                return Some(format!("seconds is a number from 1 to {SECONDS_MAX}"));
            }
            let pattern = must_run.as_deref().map(regex::Regex::new);
            return pattern?.err().map(|error| format!("must_run: {error}"));
        }
        None
    }
}

impl Spec {
    /// Reads one.
    ///
    /// # Errors
    /// If it cannot be read, is none, or asks for nothing.
    pub fn read(path: &Path) -> Result<Self> {
        let named = || path.display().to_string();
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", named()))?;
        let dir = fs::canonicalize(path)?;
        let dir = dir.parent().unwrap_or(Path::new("/")).to_owned();
        Self::of(&text, dir).with_context(|| format!("{} is no specification", named()))
    }

    /// Understands the text of one that lies in a directory.
    ///
    /// # Errors
    /// If it is none, or asks for nothing.
    pub fn of(text: &str, dir: PathBuf) -> Result<Self> {
        let spec: Self = toml::from_str(text)?;
        ensure!(
            !spec.checks.is_empty(),
            "it has no [[check]]: what asks for nothing is never passed"
        );
        for path in &spec.needs {
            let mut parts = path.components();
            ensure!(
                parts.all(|part| matches!(part, Component::Normal(_))),
                "needs: {} is no path from the top of the work",
                path.display()
            );
        }
        for (at, check) in spec.checks.iter().enumerate() {
            let fault = check.fault();
            let (number, name) = (at + 1, check.name());
            ensure!(
                fault.is_none(),
                "check {number} ({name}): {}",
                fault.unwrap_or_default()
            );
        }
        Ok(Self { dir, ..spec })
    }

    /// A path that it names.
    pub fn at(&self, path: &Path) -> PathBuf {
        self.dir.join(path)
    }
}
