//! The rules of the house that the compiler cannot check.
//!
//! Each rule is a small function from the tree of files to complaints, tested with a seeded
//! violation that it must catch: a check that cannot fail is no check.

mod concerns;
mod crates;
mod docs;
mod floors;
mod gates;
mod names;
mod parameters;
mod purity;
mod requirements;
mod text;

use std::path::Path;

use anyhow::{Result, bail};

pub use requirements::objection;

use crate::{shell, threats};

/// One file of the project.
pub struct SourceFile {
    /// Path from the root, with `/`.
    pub path: String,
    /// What it says; nothing if it is no text.
    pub text: String,
}

impl SourceFile {
    /// Whether it is a Rust source of the product or its tools.
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it only exists for tests.
    pub fn is_test(&self) -> bool {
        self.path.contains("/tests/")
            || self.path.ends_with("/tests.rs")
            || self.path.ends_with("/testing.rs")
            || self.path.contains("/testing/")
            || self.path.starts_with("fuzz/")
    }

    /// The lines before an inline test module, with their numbers from 1.
    pub fn product_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self
            .text
            .lines()
            .zip(1..)
            .map(|(line, number)| (number, line));
        lines.take_while(|(_, line)| line.trim_end() != "mod tests {")
    }
}

/// What a rule has against the files.
type Check = fn(&[SourceFile]) -> Vec<String>;

/// A rule of the house.
struct Rule {
    name: &'static str,
    check: Check,
}

const RULES: &[Rule] = &[
    Rule {
        name: "every file says what it is",
        check: text::opens_with_a_comment,
    },
    Rule {
        name: "no logic in a mod.rs",
        check: text::nameless_logic,
    },
    Rule {
        name: "files stay short",
        check: text::short_files,
    },
    Rule {
        name: "lines stay short",
        check: text::short_lines,
    },
    Rule {
        name: "functions take few values, in tuples too",
        check: parameters::few_values,
    },
    Rule {
        name: "no unfinished work",
        check: text::finished,
    },
    Rule {
        name: "no machine's paths, no registry hosts",
        check: text::portable,
    },
    Rule {
        name: "unsafe code only where it is listed",
        check: text::listed_unsafe,
    },
    Rule {
        name: "a host is named in its folder only",
        check: names::host_names,
    },
    Rule {
        name: "wire names live in hosts",
        check: names::wire_names,
    },
    Rule {
        name: "pure crates do no I/O",
        check: purity::no_io,
    },
    Rule {
        name: "only the store writes",
        check: purity::only_store_writes,
    },
    Rule {
        name: "crates point one way",
        check: crates::direction,
    },
    Rule {
        name: "inside a crate nothing is imported from above",
        check: floors::no_import_upwards,
    },
    Rule {
        name: "what is depended on is used",
        check: crates::used,
    },
    Rule {
        name: "a gate is named in its own files",
        check: gates::ids_stay_home,
    },
    Rule {
        name: "a concern stays in its own rooms",
        check: concerns::stay_in_their_rooms,
    },
    Rule {
        name: "an exception is for a file that is there",
        check: exceptions_stand,
    },
    Rule {
        name: "docs point at what is there",
        check: docs::paths_exist,
    },
    Rule {
        name: "the architecture is told in short",
        check: docs::short_architecture,
    },
    Rule {
        name: "every requirement has its place",
        check: requirements::covered,
    },
    Rule {
        name: "what is said of threats is shown",
        check: threats::shown,
    },
];

/// Files that a rule leaves alone.
fn exceptions_stand(files: &[SourceFile]) -> Vec<String> {
    let lists = [gates::NAMED_IN, purity::WRITERS, text::UNSAFE_FILES];
    let excused = lists.iter().copied().flatten();
    let gone = excused.filter(|(path, _)| !files.iter().any(|file| file.path == *path));
    gone.map(|(path, why)| format!("no {path} ({why})"))
        .collect()
}

/// Checks the whole project.
///
/// # Errors
/// If a rule is broken; each complaint is printed.
pub fn run() -> Result<()> {
    let files = files()?;
    let mut complaints = 0;
    for rule in RULES {
        for complaint in (rule.check)(&files) {
            println!("tidy: {}: {complaint}", rule.name);
            complaints += 1;
        }
    }
    purity::seeded_violation_is_caught(&files)?;
    if complaints > 0 {
        bail!("{complaints} complaints");
    }
    println!("tidy: {} rules hold for {} files", RULES.len(), files.len());
    Ok(())
}

/// All files that git tracks or would track.
fn files() -> Result<Vec<SourceFile>> {
    let listed = shell::output(
        "git",
        &[
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ],
    )?;
    let root = shell::root();
    let read = |path: &str| {
        let bytes = std::fs::read(Path::new(&root).join(path)).ok()?;
        let text = String::from_utf8(bytes).unwrap_or_default();
        Some(SourceFile {
            path: path.to_owned(),
            text,
        })
    };
    Ok(listed
        .split('\0')
        .filter(|path| !path.is_empty())
        .filter_map(read)
        .collect())
}

#[cfg(test)]
pub(crate) fn file(path: &str, text: &str) -> SourceFile {
    SourceFile {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_for_nothing_is_caught() {
        let listed = [gates::NAMED_IN, purity::WRITERS, text::UNSAFE_FILES].concat();
        let mut all: Vec<SourceFile> = listed.iter().map(|(path, _)| file(path, "")).collect();
        assert!(exceptions_stand(&all).is_empty());
        all.pop();
        assert_eq!(exceptions_stand(&all).len(), 1);
    }
}
