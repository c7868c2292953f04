//! Git as the desk runs it: nothing of the repository runs with it, no filter changes a byte, and
//! the index of a work tree is only read.

mod capture;
mod inner;

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use anyhow::{Context, Result, anyhow};
use edge::facts::{self, Budget, GitDirs};
use work::runs::rounds::Changed;

pub use capture::Captured;
use capture::Index;
pub use inner::Inner;

/// Settings by which git would not see that a file was written to.
const SEEING: &[&str] = &["-c", "core.trustctime=true", "-c", "core.checkStat=default"];
/// Who makes commits of captures.
const AUTHOR: &[(&str, &str)] = &[
    ("GIT_AUTHOR_NAME", "Tollgate"),
    ("GIT_AUTHOR_EMAIL", "tollgate@localhost"),
    ("GIT_COMMITTER_NAME", "Tollgate"),
    ("GIT_COMMITTER_EMAIL", "tollgate@localhost"),
];
/// How differences are asked for, so that no program of others makes them.
const DIFF: &[&str] = &[
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
];

/// A work tree.
#[derive(Debug, Clone)]
pub struct WorkTree {
    /// Where its directories are.
    pub dirs: GitDirs,
}

impl WorkTree {
    /// The one that a directory is in.
    ///
    /// # Errors
    /// If it is in none.
    pub fn around(dir: &Path) -> Result<Self> {
        let dir = fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned());
        let name = dir.to_string_lossy();
        let place = facts::place(&name);
        let found = facts::closed_git(&name, &place, &mut Budget::for_review());
        let (dirs, _) = found.map_err(|error| {
            anyhow!("{name}: {error}; a run needs a repository (git init, and one commit)")
        })?;
        Ok(Self { dirs })
    }

    /// Its top.
    #[must_use]
    pub fn top(&self) -> &Path {
        Path::new(&self.dirs.root)
    }

    /// Runs git here; what it printed.
    ///
    /// # Errors
    /// If it fails; with its own words.
    pub fn git(&self, words: &[&str]) -> Result<String> {
        self.run((None, None), words, None)
    }

    fn with(&self, index: &Index, words: &[&str]) -> Result<String> {
        self.run((Some(index), None), words, None)
    }

    fn run(
        &self,
        (index, at): (Option<&Index>, Option<&Path>),
        words: &[&str],
        input: Option<&str>,
    ) -> Result<String> {
        let out = self.output((index, at), words, input)?;
        if !out.status.success() {
            return Err(failed(words, &out));
        }
        Ok(String::from_utf8_lossy(&out.stdout).into_owned())
    }

    fn output(
        &self,
        (index, at): (Option<&Index>, Option<&Path>),
        words: &[&str],
        input: Option<&str>,
    ) -> Result<Output> {
        let root = &self.dirs.root;
        // Looked up each time: the worker may have changed what the settings name.
        let found = facts::closed_git(root, &facts::place(root), &mut Budget::for_review());
        let (_, mut command) = found.map_err(|error| anyhow!("{root}: {error}"))?;
        if let Some(at) = at {
            command.arg(format!("--work-tree={}", at.display()));
            command.current_dir(at);
        }
        if let Some(index) = index {
            command.env("GIT_INDEX_FILE", index.path());
            // It is thrown away, and to sum it up takes as long as to write it.
            command.args(["-c", "index.skipHash=true"]);
        }
        command
            .args(SEEING)
            .args(words)
            .envs(AUTHOR.iter().copied());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        if input.is_some() {
            command.stdin(Stdio::piped());
        }
        let mut child = command.spawn().context("git cannot be started")?;
        if let (Some(input), Some(mut pipe)) = (input, child.stdin.take()) {
            use std::io::Write;
            pipe.write_all(input.as_bytes())?;
        }
        Ok(child.wait_with_output()?)
    }

    /// What a name stands for.
    ///
    /// # Errors
    /// If it stands for nothing.
    pub fn commit_of(&self, name: &str) -> Result<String> {
        let words = ["rev-parse", "--verify", "--quiet", "--end-of-options", name];
        let id = self
            .git(&words)
            .map_err(|_| anyhow!("there is no {name}"))?;
        Ok(id.trim().to_owned())
    }

    /// Whether a commit is in the history of another.
    #[must_use]
    pub fn is_in(&self, commit: &str, of: &str) -> bool {
        let words = ["merge-base", "--is-ancestor", commit, of];
        self.git(&words).is_ok()
    }

    /// The files in which a merge of two commits conflicts; nothing is written by that.
    ///
    /// # Errors
    /// If git cannot say.
    pub fn conflicts(&self, one: &str, other: &str) -> Result<Vec<String>> {
        let drivers = [
            "config",
            "--name-only",
            "--get-regexp",
            r"^merge\..*\.driver$",
        ];
        // No program of others merges. Where none is set, git says so by failing.
        let drivers = self.git(&drivers).unwrap_or_default();
        let drivers: Vec<String> = drivers
            .lines()
            .map(|name| format!("{name}=false"))
            .collect();
        let drivers = drivers.iter().flat_map(|driver| ["-c", driver]);
        let merge = [
            "merge-tree",
            "--write-tree",
            "--name-only",
            "--no-messages",
            "-z",
        ];
        let words: Vec<&str> = drivers.chain(merge).chain([one, other]).collect();
        let out = self.output((None, None), &words, None)?;
        let printed = String::from_utf8_lossy(&out.stdout);
        match out.status.code() {
            Some(0) => Ok(Vec::new()),
            Some(1) => {
                let names = printed.split('\0').skip(1).filter(|name| !name.is_empty());
                Ok(names.map(str::to_owned).collect())
            }
            _ => Err(failed(&merge, &out)),
        }
    }

    /// Keeps a tree under a name of ours, as a commit on another; the commit.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn keep(&self, tree: &str, on: &str, (name, message): (&str, &str)) -> Result<String> {
        let commit = self.git(&["commit-tree", tree, "-p", on, "-m", message])?;
        let commit = commit.trim().to_owned();
        self.git(&["update-ref", name, &commit])?;
        Ok(commit)
    }

    /// Writes the files of a tree into an empty directory.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn export(&self, tree: &str, dir: &Path) -> Result<()> {
        let index = self.index(false)?;
        self.with(&index, &["read-tree", tree])?;
        let prefix = format!("--prefix={}/", dir.display());
        self.with(&index, &["checkout-index", "--all", "--force", &prefix])?;
        Ok(())
    }

    /// What differs between two trees: how, and the path from the top.
    ///
    /// # Errors
    /// If git cannot say.
    pub fn names(&self, from: &str, to: &str) -> Result<Vec<(String, String)>> {
        let words = [&["diff", "--name-status", "-z"], DIFF, &[from, to, "--"]].concat();
        let text = self.git(&words)?;
        let mut parts = text.split('\0').filter(|part| !part.is_empty());
        let mut names = Vec::new();
        while let (Some(how), Some(path)) = (parts.next(), parts.next()) {
            let how = match how {
                "A" => "new",
                "D" => "deleted",
                _ => "changed",
            };
            names.push((how.to_owned(), path.to_owned()));
        }
        Ok(names)
    }

    /// The difference between two trees, as text.
    ///
    /// # Errors
    /// If git cannot say.
    pub fn diff(&self, from: &str, to: &str) -> Result<String> {
        self.git(&[&["diff", "--unified=3", "--text"], DIFF, &[from, to, "--"]].concat())
    }

    /// Added and removed lines between two trees.
    ///
    /// # Errors
    /// If git cannot say.
    pub fn size(&self, from: &str, to: &str) -> Result<(u64, u64, usize)> {
        let text = self.git(&[&["diff", "--numstat"], DIFF, &[from, to, "--"]].concat())?;
        let (mut added, mut removed, mut files) = (0, 0, 0);
        for line in text.lines() {
            let mut parts = line
                .split('\t')
                .map(|part| part.parse::<u64>().unwrap_or(0));
            added += parts.next().unwrap_or(0);
            removed += parts.next().unwrap_or(0);
            files += 1;
        }
        Ok((added, removed, files))
    }

    /// The lines of the later tree that differ from the earlier.
    ///
    /// # Errors
    /// If git cannot say.
    pub fn changed(&self, from: &str, to: &str) -> Result<Vec<Changed>> {
        let words = [&["diff", "--unified=0", "--text"], DIFF, &[from, to, "--"]].concat();
        Ok(hunks(&self.git(&words)?))
    }
}

/// Why git failed, in its own words.
fn failed(words: &[&str], out: &Output) -> anyhow::Error {
    let said = String::from_utf8_lossy(&out.stderr);
    let last = said.lines().last().unwrap_or("it says nothing");
    anyhow!("git {}: {last}", words.first().copied().unwrap_or_default())
}

/// The changed lines of a difference without context.
fn hunks(diff: &str) -> Vec<Changed> {
    let (mut file, mut found) = (String::new(), Vec::new());
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("+++ ") {
            path.strip_prefix("b/")
                .unwrap_or(path)
                .clone_into(&mut file);
        }
        let Some(rest) = line.strip_prefix("@@ ") else {
            continue;
        };
        let Some((_, rest)) = rest.split_once('+') else {
            continue;
        };
        let range = rest.split(' ').next().unwrap_or_default();
        let (begin, count) = range.split_once(',').unwrap_or((range, "1"));
        let number = |text: &str| text.parse::<u64>().unwrap_or(0);
        let (begin, count) = (number(begin), number(count));
        found.push(Changed {
            file: file.clone(),
            begin,
            // Where lines are gone, the one before is what is left to point at.
            end: begin + count.saturating_sub(1),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_are_lines_of_the_new_file() {
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -3 +4,2 @@ fn\n-a\n+b\n+c\n@@ -9,2 \
                    +9,0 @@\n-d\n";
        let found = hunks(diff);
        let lines: Vec<(u64, u64)> = found.iter().map(|one| (one.begin, one.end)).collect();
        assert_eq!(lines, [(4, 5), (9, 9)]);
        assert!(found.iter().all(|one| one.file == "x"));
    }
}
