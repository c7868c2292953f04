//! What looking at a long past costs: a million records, of which only the newest may be read.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::quantile;
use crate::shell;

/// Sessions of the past.
const SESSIONS: &str = "1000";
/// Records of each of them.
const RECORDS: &str = "1000";
/// Rounds of each command; the middle one counts.
const ROUNDS: usize = 9;
/// What a command may take, in milliseconds of processor time: others may be busy beside us.
const MILLIS_MAX: f64 = 50.0;
/// And in kilobytes of memory.
const KILOBYTES_MAX: f64 = 20_000.0;
/// What people type first.
const COMMANDS: &[&[&str]] = &[
    &["log", "-n", "5"],
    &["log", "-n", "5", "--level", "deny"],
    &["explain", "last"],
    &["explain", "000001f4-17"],
    &["status"],
];

/// Writes the past if it is not there yet, and measures.
///
/// # Errors
/// If something cannot be built or run, or takes too much.
pub fn run(scratch: &Path) -> Result<()> {
    let example = ["--package", "tollgate-store", "--example", "long_past"];
    shell::run("cargo", &[&["build", "--release"], &example[..]].concat())?;
    shell::run("cargo", &["build", "--release", "--package", "tollgate"])?;
    let release = shell::target().join("release");
    let past = scratch.join("long-past");
    if !past.join("whole").exists() {
        let _ = fs::remove_dir_all(&past);
        let mut writer = Command::new(release.join("examples/long_past"));
        let shown = [SESSIONS, RECORDS];
        let writer = writer.arg(past.join("state")).args(shown);
        shell::check("long_past", &shown, writer)?;
        fs::write(past.join("whole"), "")?;
    }
    println!("{:<26} {:>9} {:>9}", "median of nine", "cpu ms", "KB");
    let mut over = Vec::new();
    for words in COMMANDS {
        let (millis, kilobytes) = measure(&release.join("tollgate"), words, &past)?;
        let shown = words.join(" ");
        println!("{shown:<26} {millis:>9.0} {kilobytes:>9.0}");
        if millis > MILLIS_MAX || kilobytes > KILOBYTES_MAX {
            over.push(shown);
        }
    }
    ensure!(
        over.is_empty(),
        "too slow or too large: {}",
        over.join(", ")
    );
    Ok(())
}

/// Processor time in milliseconds and memory in kilobytes of one command, as `time` counts them.
fn measure(program: &Path, words: &[&str], past: &Path) -> Result<(f64, f64)> {
    let (mut millis, mut kilobytes) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let out = Command::new("/usr/bin/time")
            .args(["-f", "%U %S %M"])
            .arg(program)
            .args(words)
            .env("HOME", past)
            .env("TOLLGATE_HOME", past.join("state"))
            .current_dir(past)
            .stdout(Stdio::null())
            .output()
            .context("cannot start /usr/bin/time")?;
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        ensure!(out.status.success(), "`{}` failed: {told}", words.join(" "));
        let numbers = told.split_whitespace().map(str::parse::<f64>);
        let numbers: Vec<f64> = numbers.collect::<Result<_, _>>()?;
        let [user, system, memory] = <[f64; 3]>::try_from(numbers)
            .map_err(|_| anyhow::anyhow!("`time` said something else: {told}"))?;
        millis.push((user + system) * 1e3);
        kilobytes.push(memory);
    }
    millis.sort_by(f64::total_cmp);
    kilobytes.sort_by(f64::total_cmp);
    Ok((quantile(&millis, 0.5), quantile(&kilobytes, 0.5)))
}
