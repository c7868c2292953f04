//! Everything that must hold before a change lands.
//!
//! Runs on a fresh machine: it installs what it needs with the machine's own package managers and
//! says what could not be had. The last line counts every test that ran.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::{bench, clients, shell, tidy};

/// The target of the small static hook.
#[cfg(target_arch = "aarch64")]
pub const MUSL: &str = "aarch64-unknown-linux-musl";
/// The target of the small static hook.
#[cfg(not(target_arch = "aarch64"))]
pub const MUSL: &str = "x86_64-unknown-linux-musl";

/// Other systems that the hook's crates must at least compile for.
const OTHER_TARGETS: &[&str] = &["aarch64-apple-darwin", "x86_64-pc-windows-gnu"];

/// A part of the run.
struct Step {
    name: &'static str,
    run: fn(&mut Tally) -> Result<()>,
}

/// What has been counted so far.
#[derive(Default)]
struct Tally {
    passed: u64,
    failed: u64,
    /// What this machine could not check, and why.
    skipped: Vec<&'static str>,
}

const STEPS: &[Step] = &[
    Step {
        name: "install",
        run: |_| install(),
    },
    Step {
        name: "format",
        run: |_| shell::run("cargo", &["fmt", "--all", "--check"]),
    },
    Step {
        name: "lint",
        run: |_| lint(),
    },
    Step {
        name: "tidy",
        run: |_| tidy::run(),
    },
    Step {
        name: "hook",
        run: |_| build_hook().map(drop),
    },
    Step {
        name: "test",
        run: test,
    },
    Step {
        name: "installed",
        run: test_installed,
    },
    Step {
        name: "hardened",
        run: test_hardened,
    },
    Step {
        name: "clients",
        run: real_clients,
    },
    Step {
        name: "budget",
        run: budget,
    },
    Step {
        name: "fuzz",
        run: fuzz,
    },
    Step {
        name: "targets",
        run: other_targets,
    },
];

/// How long each fuzz target runs, in seconds.
const FUZZ_SECONDS: &str = "-max_total_time=30";

/// Targets of `fuzz/`.
const FUZZ_TARGETS: &[&str] = &["shell_parse", "decode", "tables", "transcript"];

/// Runs all steps, or those named.
///
/// # Errors
/// If a step fails; the later ones are not run.
pub fn run(names: &[&str]) -> Result<()> {
    let mut tally = Tally::default();
    let mut times = Vec::new();
    let mut result = Ok(());
    for step in STEPS
        .iter()
        .filter(|step| names.is_empty() || names.contains(&step.name))
    {
        println!("\n== {} ==", step.name);
        let begin = Instant::now();
        result = (step.run)(&mut tally).with_context(|| format!("step `{}`", step.name));
        times.push(format!(
            "{} {:.0}s",
            step.name,
            begin.elapsed().as_secs_f64()
        ));
        if result.is_err() {
            tally.failed += 1;
            break;
        }
    }
    println!("\nsteps: {}", times.join(", "));
    if !tally.skipped.is_empty() {
        println!("not checked here: {}", tally.skipped.join(", "));
    }
    println!("{} passed, {} failed", tally.passed, tally.failed);
    result
}

/// What a fresh machine lacks. A second run finds everything there and costs nothing.
fn install() -> Result<()> {
    shell::run("rustup", &["target", "add", MUSL])?;
    if !has_valgrind() && install_valgrind().is_err() {
        println!("valgrind cannot be had here: instructions will not be counted");
    }
    if has_nightly() && !shell::exists("cargo-fuzz", "--version") {
        shell::run("cargo", &["install", "--quiet", "--locked", "cargo-fuzz"])?;
    }
    for program in ["git", "bash", "npm", "script"] {
        if !shell::exists(program, "--version") {
            bail!("`{program}` is needed and not installed");
        }
    }
    Ok(())
}

fn has_valgrind() -> bool {
    shell::exists("valgrind", "--version")
}

fn install_valgrind() -> Result<()> {
    shell::run("apt-get", &["update", "--quiet"])?;
    shell::run("apt-get", &["install", "--yes", "--quiet", "valgrind"])
}

/// Counts the hook's instructions against their budget.
fn budget(tally: &mut Tally) -> Result<()> {
    if !has_valgrind() {
        tally.skipped.push("budget (no valgrind)");
        return Ok(());
    }
    bench::run(&["--instructions"])
}

/// Lints with warnings denied. Tests may read files where their crate may not.
fn lint() -> Result<()> {
    shell::run(
        "cargo",
        &["clippy", "--workspace", "--quiet", "--", "-D", "warnings"],
    )?;
    let tests = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "-D",
        "warnings",
        "-A",
        "clippy::disallowed_methods",
        "-A",
        "clippy::disallowed_types",
        "-A",
        "clippy::disallowed_macros",
        "-A",
        "clippy::too_many_lines",
        "-A",
        "missing_docs",
    ];
    shell::run("cargo", &tests)
}

/// Builds the hook as it is installed, and says where it is.
///
/// # Errors
/// If it does not build.
pub fn build_hook() -> Result<PathBuf> {
    let package = ["--package", "tollgate-hook", "--target", MUSL];
    shell::run(
        "cargo",
        &[&["build", "--quiet", "--profile", "hook"], &package[..]].concat(),
    )?;
    Ok(shell::target().join(MUSL).join("hook/tollgate-hook"))
}

/// Runs every test of the workspace.
fn test(tally: &mut Tally) -> Result<()> {
    counted(tally, &["test", "--workspace", "--no-fail-fast"])
}

/// Runs what judges the hook as a whole against the hook as it is installed: static, with an
/// allocator, a start and copying of its own.
fn test_installed(tally: &mut Tally) -> Result<()> {
    let build = ["test", "--profile", "hook", "--target", MUSL];
    let tests = ["cases", "suites", "payloads", "state"];
    let named = tests.iter().flat_map(|test| ["--test", test]);
    let arguments: Vec<&str> = build
        .into_iter()
        .chain(["--package", "tollgate-hook"])
        .chain(named)
        .collect();
    counted(tally, &arguments)
}

/// Runs what a second user can and cannot do in a hardened install, with the hook as it is
/// installed. The tests skip themselves where they are not root; here they may not.
fn test_hardened(tally: &mut Tally) -> Result<()> {
    if !cfg!(target_os = "linux") {
        tally.skipped.push("hardened (Linux only)");
        return Ok(());
    }
    let hook = build_hook()?;
    let mut command = shell::command("cargo", HARDENED);
    command.env("TOLLGATE_TEST_ROOT", "1");
    command.env("TOLLGATE_TEST_HOOK", hook);
    count_tests(tally, HARDENED, command)
        .context("it makes a user and an install, so run it as root")
}

/// The tests of the hardened install.
const HARDENED: &[&str] = &["test", "--package", "tollgate", "--test", "hardened"];

/// Runs tests and counts them.
fn counted(tally: &mut Tally, arguments: &[&str]) -> Result<()> {
    count_tests(tally, arguments, shell::command("cargo", arguments))
}

fn count_tests(tally: &mut Tally, arguments: &[&str], mut command: Command) -> Result<()> {
    println!("$ cargo {}", arguments.join(" "));
    let out = command
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start `cargo test`")?;
    let text = String::from_utf8_lossy(&out.stdout);
    print!("{text}");
    let before = tally.passed;
    for line in text
        .lines()
        .filter(|line| line.starts_with("test result: "))
    {
        tally.passed += count(line, " passed");
        tally.failed += count(line, " failed");
    }
    if !out.status.success() {
        bail!("tests failed");
    }
    if tally.passed == before {
        bail!("no test ran");
    }
    Ok(())
}

/// The number before a word of a test summary.
fn count(line: &str, word: &str) -> u64 {
    let before = line.split(word).next().unwrap_or_default();
    let digits = before.rsplit(' ').next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

/// Drives the real clients and counts the behaviours that hold.
fn real_clients(tally: &mut Tally) -> Result<()> {
    tally.passed += clients::run("", "")?;
    Ok(())
}

/// Whether the toolchain that fuzzing needs is there.
fn has_nightly() -> bool {
    let mut list = shell::command("rustup", &["toolchain", "list"]);
    let listed = list
        .output()
        .map(|out| String::from_utf8_lossy(&out.stdout).into_owned());
    listed.is_ok_and(|listed| listed.contains("nightly"))
}

/// Feeds the parsers with what a fuzzer finds. Without a nightly toolchain the same properties have
/// run as tests already.
fn fuzz(tally: &mut Tally) -> Result<()> {
    if !has_nightly() {
        println!("the same properties ran as tests");
        tally.skipped.push("fuzz (no nightly toolchain)");
        return Ok(());
    }
    for target in FUZZ_TARGETS {
        let arguments = [
            "+nightly",
            "fuzz",
            "run",
            target,
            "--",
            FUZZ_SECONDS,
            "-max_len=4096",
            "-verbosity=0",
        ];
        shell::run("cargo", &arguments)?;
        tally.passed += 1;
    }
    Ok(())
}

/// The hook's crates compile for other systems too, where their targets can be added.
fn other_targets(tally: &mut Tally) -> Result<()> {
    for target in OTHER_TARGETS {
        if shell::run("rustup", &["target", "add", target]).is_err() {
            tally.skipped.push(target);
            continue;
        }
        shell::run(
            "cargo",
            &[
                "check",
                "--quiet",
                "--package",
                "tollgate-hook",
                "--package",
                "tollgate",
                "--target",
                target,
            ],
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_counted() {
        let line = "test result: FAILED. 12 passed; 3 failed; 0 ignored; 0 measured";
        assert_eq!((count(line, " passed"), count(line, " failed")), (12, 3));
        assert_eq!(count("nothing here", " passed"), 0);
    }
}
