//! What a full board costs: a million messages, a hundred thousand items.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, ensure};

use super::quantile;
use crate::shell;

/// Messages and items on it.
const MESSAGES: &str = "1000000";
const ITEMS: &str = "100000";
/// Rounds of each command; the middle one counts.
const ROUNDS: usize = 9;
/// The commands, and how many milliseconds each may take.
const COMMANDS: &[(&[&str], f64)] = &[
    (&["msg", "post", "build/linux", "done"], 5.0),
    (&["msg", "read", "--since", "2025-10-08"], 200.0),
    (&["msg", "read", "plan", "--since", "2025-10-08"], 200.0),
    (&["work", "ready", "--label", "area-7"], 200.0),
    (&["work", "list", "--type", "bug", "--priority", "1"], 200.0),
];

/// Writes the board if it is not there yet, and measures.
///
/// # Errors
/// If something cannot be built or run, or takes too long.
pub fn run(scratch: &Path) -> Result<()> {
    let example = ["--package", "tollgate-board", "--example", "full_board"];
    shell::run("cargo", &[&["build", "--release"], &example[..]].concat())?;
    shell::run("cargo", &["build", "--release", "--package", "tollgate"])?;
    let release = shell::target().join("release");
    let project = scratch.join("full-board/app");
    if !scratch.join("full-board/whole").exists() {
        let _ = fs::remove_dir_all(scratch.join("full-board"));
        fs::create_dir_all(&project)?;
        shell::check(
            "git",
            &["init"],
            Command::new("git")
                .args(["init", "-q"])
                .current_dir(&project),
        )?;
        let mut writer = Command::new(release.join("examples/full_board"));
        let shown = [MESSAGES, ITEMS];
        shell::check("full_board", &shown, writer.arg(&project).args(shown))?;
        fs::write(scratch.join("full-board/whole"), "")?;
    }
    println!("{:<48} {:>9} {:>9}", "median of nine", "ms", "goal");
    let mut over = Vec::new();
    for (words, goal) in COMMANDS {
        let millis = measure(&release.join("tollgate"), words, &project)?;
        let shown = words.join(" ");
        println!("{shown:<48} {millis:>9.1} {goal:>9.0}");
        if millis > *goal {
            over.push(shown);
        }
    }
    ensure!(over.is_empty(), "too slow: {}", over.join(", "));
    Ok(())
}

/// How long a command takes, process and all, in milliseconds.
fn measure(program: &Path, words: &[&str], project: &Path) -> Result<f64> {
    let mut millis = Vec::new();
    for _ in 0..ROUNDS {
        let mut command = Command::new(program);
        command
            .args(words)
            .current_dir(project)
            .env("HOME", project.join(".."));
        command.env("TOLLGATE_HOME", project.join("../state"));
        let begun = Instant::now();
        let status = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()?;
        millis.push(begun.elapsed().as_secs_f64() * 1e3);
        ensure!(status.success(), "`{}` failed", words.join(" "));
    }
    millis.sort_by(f64::total_cmp);
    Ok(quantile(&millis, 0.5))
}
