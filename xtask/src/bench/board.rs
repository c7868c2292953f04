//! What a full board costs: a million messages, a hundred thousand items.

use std::fs;
use std::os::unix::fs::PermissionsExt;
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
/// A change of an item.
const CHANGE: &[&str] = &["work", "update", "tg-00007", "--comment", "seen"];
const READY: &[&str] = &["work", "ready", "--label", "area-7"];
const LIST: &[&str] = &["work", "list", "--type", "bug", "--priority", "1"];
/// The commands, how many milliseconds each may take, and whether an item is changed right before.
const COMMANDS: &[(&[&str], f64, bool)] = &[
    (&["msg", "post", "build/linux", "done"], 5.0, false),
    (&["msg", "read", "--since", "2025-10-08"], 200.0, false),
    (
        &["msg", "read", "plan", "--since", "2025-10-08"],
        200.0,
        false,
    ),
    (READY, 200.0, false),
    (READY, 200.0, true),
    (LIST, 200.0, false),
    (LIST, 200.0, true),
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
    // Without state there is no index.
    let state = scratch.join("full-board/state");
    fs::create_dir_all(&state)?;
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700))?;
    shell::check("tollgate", CHANGE, &mut command(&release, CHANGE, &project))?;
    for (words, goal, is_after_change) in COMMANDS {
        let before = is_after_change.then_some(CHANGE);
        let millis = measure(&release, words, (before, &project))?;
        let shown = words.join(" ")
            + if before.is_some() {
                " (after a change)"
            } else {
                ""
            };
        println!("{shown:<48} {millis:>9.1} {goal:>9.0}");
        if millis > *goal {
            over.push(shown);
        }
    }
    ensure!(over.is_empty(), "too slow: {}", over.join(", "));
    Ok(())
}

/// Our program with some words, in a project of its own home and state.
fn command(release: &Path, words: &[&str], project: &Path) -> Command {
    let mut command = Command::new(release.join("tollgate"));
    command
        .args(words)
        .current_dir(project)
        .env("HOME", project.join(".."))
        .env("TOLLGATE_HOME", project.join("../state"));
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// How long a command takes, process and all, in milliseconds.
fn measure(
    release: &Path,
    words: &[&str],
    (before, project): (Option<&[&str]>, &Path),
) -> Result<f64> {
    let mut millis = Vec::new();
    for _ in 0..ROUNDS {
        if let Some(before) = before {
            let status = command(release, before, project).status()?;
            ensure!(status.success(), "`{}` failed", before.join(" "));
        }
        let mut command = command(release, words, project);
        let begun = Instant::now();
        let status = command.status()?;
        millis.push(begun.elapsed().as_secs_f64() * 1e3);
        ensure!(status.success(), "`{}` failed", words.join(" "));
    }
    millis.sort_by(f64::total_cmp);
    Ok(quantile(&millis, 0.5))
}
