//! The steps of a run, each alone: what it checks, and what it needs. `ci` says which run when.

use anyhow::{Result, bail};

use crate::ci::StepCounters;
use crate::machine::HERE;
use crate::{bench, clients, corpus, defences, dist, hook, long, shell, suite, tidy};

/// Other systems that the hook's crates must at least compile for.
const OTHER_TARGETS: &[&str] = &["aarch64-apple-darwin", "x86_64-pc-windows-gnu"];

/// A part of a run.
pub struct Step {
    /// What it is asked for by.
    pub name: &'static str,
    /// What it does.
    pub run: fn(&mut StepCounters) -> Result<()>,
}

/// Every step that there is.
pub const STEPS: &[Step] = &[
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
        run: |_| hook::build().map(drop),
    },
    Step {
        name: "test",
        run: suite::tests,
    },
    Step {
        name: "examples",
        run: suite::examples,
    },
    Step {
        name: "load",
        run: suite::load,
    },
    Step {
        name: "corpus",
        run: corpus::installed,
    },
    Step {
        name: "installed",
        run: suite::installed,
    },
    Step {
        name: "packages",
        run: dist::tried::all,
    },
    Step {
        name: "elsewhere",
        run: dist::tried::elsewhere,
    },
    Step {
        name: "licences",
        run: |_| licences(),
    },
    Step {
        name: "hardened",
        run: suite::hardened,
    },
    Step {
        name: "clients",
        run: real_clients,
    },
    Step {
        name: "deck",
        run: whole_deck,
    },
    Step {
        name: "budget",
        run: budget,
    },
    Step {
        name: "fuzz",
        run: |counters| long::fuzz(counters, 6),
    },
    Step {
        name: "targets",
        run: other_targets,
    },
    Step {
        name: "defences",
        run: defences::run,
    },
    Step {
        name: "mutants",
        run: long::mutants,
    },
    Step {
        name: "memory",
        run: long::memory,
    },
    Step {
        name: "kills",
        run: long::kills,
    },
    Step {
        name: "long-fuzz",
        run: |counters| long::fuzz(counters, 600),
    },
];

/// What a fresh machine lacks. A second run finds everything there and costs nothing.
fn install() -> Result<()> {
    HERE.add_target()?;
    if !has_valgrind() && shell::install(&["valgrind"]).is_err() {
        println!("valgrind cannot be had here: instructions will not be counted");
    }
    if !has_chromium() && shell::install(&["chromium"]).is_err() {
        println!("chromium cannot be had here: the desk's pages are not tried in a browser");
    }
    if !shell::exists("strace", "-V") && shell::install(&["strace"]).is_err() {
        println!("strace cannot be had here: that the hook opens no socket is not shown");
    }
    if long::has_nightly() && !shell::exists("cargo-fuzz", "--version") {
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

/// Under one of the names that `crates/cli/tests/serve/chromium.rs` knows.
fn has_chromium() -> bool {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.iter().any(|name| shell::exists(name, "--version"))
}

/// Lints with warnings denied, product and tests at once. Tests may read files where their crate
/// may not: what a pure crate's head forbids stays forbidden.
fn lint() -> Result<()> {
    let allowed = [
        "disallowed_methods",
        "disallowed_types",
        "disallowed_macros",
    ];
    let allowed = allowed.map(|name| format!("-Aclippy::{name}"));
    let lints = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "-Dwarnings",
    ];
    let allowed = allowed.iter().map(String::as_str);
    shell::run(
        "cargo",
        &lints.into_iter().chain(allowed).collect::<Vec<_>>(),
    )
}

/// Licences, sources and bans of all that is linked in, and the notices that go with packages.
fn licences() -> Result<()> {
    dist::licences()
}

/// Drives the real clients and counts the behaviours that hold.
fn real_clients(counters: &mut StepCounters) -> Result<()> {
    counters.passed += clients::run(&clients::Arguments::default())?;
    Ok(())
}

/// Plays every honest session of the deck with the real clients, not a few of them.
fn whole_deck(counters: &mut StepCounters) -> Result<()> {
    counters.passed += clients::run(&clients::Arguments::all_of("honest sessions"))?;
    Ok(())
}

/// Counts the hook's instructions against their budget.
fn budget(counters: &mut StepCounters) -> Result<()> {
    if !has_valgrind() {
        counters.skip("budget (no valgrind)");
        return Ok(());
    }
    bench::run(&bench::Arguments::of_budget())
}

/// The hook's crates compile for other systems too, where their targets can be added.
fn other_targets(counters: &mut StepCounters) -> Result<()> {
    let packages = ["--package", "tollgate-hook", "--package", "tollgate"];
    for target in OTHER_TARGETS {
        if shell::run("rustup", &["target", "add", target]).is_err() {
            counters.skip(target);
            continue;
        }
        let check = ["check", "--quiet", "--target", target];
        shell::run("cargo", &[&check[..], &packages[..]].concat())?;
    }
    Ok(())
}
