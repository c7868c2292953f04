//! What grounding a prompt costs: in a repository like this one, and in one of 100,000 files, where
//! a search must end within a second.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::quantile;
use crate::shell;

/// Files of the large repository.
const FILES: usize = 100_000;
/// Files in one of its directories.
const FILES_IN_DIR: usize = 100;
/// Every so many files one names what is looked for.
const NAMES_EVERY: usize = 1_000;
/// Rounds that are not counted: the system reads the files from the disk.
const WARM_UP: usize = 12;
/// Rounds in each repository.
const ROUNDS: usize = 10;
/// What the search of the large one may take, in milliseconds.
const MILLIS_MAX: f64 = 1_000.0;
const PROMPT: &str = "why does `open_ledger` lose entries when the journal rotates?";

/// Measures both.
///
/// # Errors
/// If something cannot be built, or the large repository is not searched to its end in time.
pub fn run(scratch: &Path) -> Result<()> {
    shell::run("cargo", &["build", "--release", "-p", "tollgate"])?;
    let program = shell::target().join("release/tollgate");
    let large = scratch.join("large");
    fill(&large)?;
    println!(
        "{:<26} {:>10} {:>12} {:>8}",
        "median of ten", "in all ms", "codebase ms", "whole"
    );
    for (name, dir) in [("this repository", shell::root()), ("100,000 files", large)] {
        let mut all = Vec::new();
        let mut searched = Vec::new();
        let mut is_whole = true;
        for round in 0..WARM_UP + ROUNDS {
            let told = hydrate(&program, &dir, scratch)?;
            if round < WARM_UP {
                continue;
            }
            all.push(millis(&told)?);
            let sources = told.get("sources").and_then(Value::as_array);
            let mut sources = sources.into_iter().flatten();
            let codebase = sources.find(|one| one.get("source") == Some(&"codebase".into()));
            let codebase = codebase.context("no cost of the codebase")?;
            searched.push(millis(codebase)?);
            is_whole &= codebase.get("partial") == Some(&false.into());
        }
        all.sort_by(f64::total_cmp);
        searched.sort_by(f64::total_cmp);
        let (all, searched) = (quantile(&all, 0.5), quantile(&searched, 0.5));
        let whole = if is_whole { "yes" } else { "no" };
        println!("{name:<26} {all:>10.1} {searched:>12.1} {whole:>8}");
        if !is_whole || searched > MILLIS_MAX {
            bail!("{name} was not searched to its end within {MILLIS_MAX} ms");
        }
    }
    Ok(())
}

fn millis(told: &Value) -> Result<f64> {
    let micros = told.get("micros").and_then(Value::as_f64);
    Ok(micros.context("no time was told")? / 1_000.0)
}

fn hydrate(program: &Path, dir: &Path, scratch: &Path) -> Result<Value> {
    let out = Command::new(program)
        .args(["hydrate", PROMPT, "--json"])
        .current_dir(dir)
        .env("HOME", scratch.join("home"))
        .env("TOLLGATE_HOME", scratch.join("state"))
        .env_remove("XDG_CONFIG_HOME")
        .stdin(Stdio::null())
        .output()
        .context("cannot start tollgate")?;
    ensure!(
        out.status.success(),
        "hydrate failed: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    Ok(serde_json::from_slice(&out.stdout)?)
}

/// Makes the large repository, unless it is there.
fn fill(large: &Path) -> Result<()> {
    let done = large.join(".git/whole");
    if done.exists() {
        return Ok(());
    }
    for dir in 0..FILES / FILES_IN_DIR {
        let path: PathBuf = large.join(format!("part{}/module{dir}", dir % 20));
        fs::create_dir_all(&path)?;
        for file in 0..FILES_IN_DIR {
            fs::write(
                path.join(format!("unit{file}.rs")),
                text(dir * FILES_IN_DIR + file),
            )?;
        }
    }
    fs::create_dir_all(large.join(".git"))?;
    fs::write(large.join(".git/HEAD"), "ref: refs/heads/main\n")?;
    fs::write(done, "")?;
    Ok(())
}

/// One file: some forty lines, as they are in many repositories.
fn text(number: usize) -> String {
    let mut text = format!("//! Unit {number}.\n\n");
    for part in 0..8 {
        text.push_str(&format!("/// Takes part {part} of the unit.\n"));
        text.push_str(&format!(
            "pub fn take_{number}_{part}(value: u64) -> u64 {{\n"
        ));
        text.push_str(&format!("    value.wrapping_mul({part})\n}}\n\n"));
    }
    if number.is_multiple_of(NAMES_EVERY) {
        text.push_str("pub fn open_ledger() {}\n");
    }
    text
}
