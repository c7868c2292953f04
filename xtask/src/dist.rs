//! `cargo xtask dist`: what a release would publish, made here. Programs of others make the
//! packages and papers; this hands them the files and says what is what.

mod agents;
mod packages;
mod papers;
pub mod tried;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::machine::{HERE, Machine};
use crate::{install, shell};

/// What is made.
#[derive(Args, Default)]
pub struct Arguments {
    /// Leave out the papers (SBOM, notices), whose programs take minutes to install
    #[arg(long)]
    pub without_papers: bool,
    /// Another kind of machine than this one: x86_64, aarch64; what its programs need to be built
    /// and started here is installed
    #[arg(long, value_name = "NAME", value_parser = Machine::named)]
    pub machine: Option<&'static Machine>,
}

/// The version of all that is made.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What people read first, in one sentence.
const SUMMARY: &str = "A gate between a coding agent and everything it can touch";

/// Files of the project that go with every package.
const PAPERS: &[&str] = &["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// What was made, and where it lies.
pub struct Made {
    /// The directory of all of it.
    pub out: PathBuf,
    /// The tree that packages are made of: `bin/`, `share/`.
    pub tree: PathBuf,
    /// What it is for.
    pub machine: &'static Machine,
}

impl Made {
    /// A file among what was made.
    pub fn at(&self, name: &str) -> PathBuf {
        self.out.join(name)
    }
}

/// Makes everything.
///
/// # Errors
/// If something does not build, or a program that packs is not there.
pub fn run(arguments: &Arguments) -> Result<()> {
    let made = make(arguments)?;
    println!("\nIn {}:", made.out.display());
    for name in names(&made.out)? {
        let bytes = fs::metadata(made.at(&name)).map_or(0, |found| found.len());
        println!("  {:>9}  {name}", format!("{} kB", bytes / 1_000));
    }
    Ok(())
}

/// Checks whose licences hold, where everything comes from, and what may not be linked in.
///
/// # Errors
/// If something is not allowed, or the programs that look cannot be had.
pub fn licences() -> Result<()> {
    papers::tool(papers::DENY)?;
    let checks = ["licenses", "bans", "sources"];
    let deny = ["deny", "--config", "packaging/deny.toml", "check"];
    shell::run("cargo", &[&deny[..], &checks].concat())?;
    let dir = shell::target().join("dist");
    make_dir(&dir)?;
    papers::notices(&dir)
}

/// Makes everything, for whoever tries it.
///
/// # Errors
/// As [`run`].
pub fn make(arguments: &Arguments) -> Result<Made> {
    let machine = arguments.machine.unwrap_or(HERE);
    machine.prepare()?;
    let name = match machine.is_here() {
        true => "dist".to_owned(),
        false => format!("dist-{}", machine.name),
    };
    let out = shell::target().join(name);
    if out.exists() {
        fs::remove_dir_all(&out).with_context(|| format!("cannot clear {}", out.display()))?;
    }
    let made = Made {
        tree: out.join("work").join(format!("tollgate-{VERSION}")),
        out,
        machine,
    };
    install::put(&install::build(machine)?, &made.tree)?;
    let papers = made.tree.join("share/doc/tollgate");
    make_dir(&papers)?;
    for name in PAPERS {
        copy(&shell::root().join(name), &papers.join(name))?;
    }
    if !arguments.without_papers {
        papers::notices(&papers)?;
        papers::parts(&made)?;
    }
    packages::tarball(&made)?;
    packages::deb(&made)?;
    packages::npm(&made)?;
    packages::wheel(&made)?;
    agents::claude(&made)?;
    agents::gemini(&made)?;
    papers::sums(&made.out)?;
    Ok(made)
}

/// The files in a directory, by name.
fn names(dir: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn make_dir(dir: &Path) -> Result<()> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))
}

/// Copies a file, with its rights, into a directory that is made if it lacks.
fn copy(from: &Path, to: &Path) -> Result<()> {
    make_dir(to.parent().unwrap_or(to))?;
    let copied = fs::copy(from, to).map(drop);
    copied.with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// Copies a whole tree.
fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type()?.is_dir() {
            true => copy_tree(&from, &to)?,
            false => copy(&from, &to)?,
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    make_dir(path.parent().unwrap_or(path))?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
