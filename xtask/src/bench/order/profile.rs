//! How often each part of the hook runs, counted while it judges ordinary calls. The compiler lays
//! out each function by it: what runs comes first, what hardly ever does lies apart.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::super::{Case, Ground};
use crate::hook::{self, PROFILE};
use crate::shell;

/// Commands of an ordinary day.
const EVERYDAY: &str = "corpus/everyday.jsonl";
/// How often a case is judged that the goals are about, and that is hence to count as much as a
/// fifth of a day: see [`hook::RUNS_MIN`].
const ROUNDS: usize = 200;
/// How often any other is.
const ROUNDS_OTHER: usize = 20;
/// Where counts lie while the hook runs: it ends without a word to anybody, so they are written as
/// they are counted (`%c`), a file for each process (`%p`).
const COUNTS: &str = "%p%c.profraw";

/// Counts, and writes the profile.
pub fn write(ground: &Ground, cases: &[&Case]) -> Result<()> {
    let merger = merger()?;
    let program = hook::build_counting(&super::super::dir().join("counting"))?;
    let counts = ground.root.join("counts");
    let _ = fs::remove_dir_all(&counts);
    fs::create_dir_all(&counts)?;
    let judge = |payload: &Path| -> Result<()> {
        let mut command = shell::command(&program.display().to_string(), &["claude", "PreToolUse"]);
        ground.surround(&mut command);
        command
            .env("LLVM_PROFILE_FILE", counts.join(COUNTS))
            .stdin(fs::File::open(payload)?)
            .stderr(Stdio::null());
        command.status().context("cannot start what counts")?;
        Ok(())
    };
    for case in cases {
        let rounds = match case.goal > 0.0 {
            true => ROUNDS,
            false => ROUNDS_OTHER,
        };
        for payload in case.payloads.iter().take(rounds) {
            judge(payload)?;
        }
    }
    for payload in everyday(ground)? {
        judge(&payload)?;
    }
    let profile = shell::root().join(PROFILE).display().to_string();
    let merger = merger.display().to_string();
    let counts = counts.display().to_string();
    shell::run(&merger, &["merge", "-sparse", "-o", &profile, &counts])?;
    println!("{PROFILE}: {} KB", fs::metadata(&profile)?.len() / 1024);
    Ok(())
}

/// One payload for each command of an ordinary day.
fn everyday(ground: &Ground) -> Result<Vec<PathBuf>> {
    let text = fs::read_to_string(shell::root().join(EVERYDAY))?;
    let mut payloads = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let case: Value = serde_json::from_str(line)?;
        if let Some(command) = case.get("command").and_then(Value::as_str) {
            let input = json!({"command": command, "description": "work"});
            let name = format!("everyday{at}");
            payloads.extend(ground.payloads(&name, ("Bash", &input), 1)?);
        }
    }
    ensure!(!payloads.is_empty(), "{EVERYDAY} has no commands");
    Ok(payloads)
}

/// The compiler's own tool that puts counts together.
fn merger() -> Result<PathBuf> {
    let version = shell::output("rustc", &["--version", "--verbose"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc does not say for which machine it is")?;
    let sysroot = shell::output("rustc", &["--print", "sysroot"])?;
    let bin = Path::new(sysroot.trim())
        .join("lib/rustlib")
        .join(host)
        .join("bin");
    let merger = bin.join("llvm-profdata");
    ensure!(
        merger.exists(),
        "no {}; `rustup component add llvm-tools` brings it",
        merger.display()
    );
    Ok(merger)
}
