//! What takes long, and what needs tools that not every machine has: mutants of the crates that
//! judge, the hook's own `unsafe` code under an interpreter and a sanitizer, fuzzing.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::ci::StepCounters;
use crate::machine::HERE;
use crate::{shell, suite};

/// Crates whose own tests must catch what is broken in them.
const MUTATED: &[&str] = &["gates", "work", "rules"];

/// How many mutants of a crate must be caught, in hundredths.
const CAUGHT_MIN: usize = 95;

/// Packages with `unsafe` code of their own.
const RAW: &[&str] = &["tollgate-hook", "tollgate-edge", "tollgate-store"];

/// The hook's tests of what is its own `unsafe` code and can be interpreted: no system calls.
const INTERPRETED: &[&str] = &["heap::"];

/// What was found of the mutants of a crate.
#[derive(Default, Debug, PartialEq, Eq)]
struct MutantOutcomes {
    caught: usize,
    survivors: Vec<String>,
}

impl MutantOutcomes {
    fn is_enough(&self) -> bool {
        let all = self.caught + self.survivors.len();
        self.caught * 100 >= all * CAUGHT_MIN
    }
}

/// Breaks the crates that judge, one place at a time: their own tests must see it.
///
/// # Errors
/// If too many mutants of a crate survive, or it cannot be tried.
pub fn mutants(counters: &mut StepCounters) -> Result<()> {
    if !shell::exists("cargo-mutants", "--version") {
        shell::run(
            "cargo",
            &["install", "--quiet", "--locked", "cargo-mutants"],
        )?;
    }
    let out = shell::target().join("mutants");
    // What an earlier run found must not be taken for this one's.
    let _ = fs::remove_dir_all(&out);
    fs::create_dir_all(&out)?;
    let shown = out.display().to_string();
    let mut arguments = vec![
        "mutants",
        "--all-features",
        "--no-shuffle",
        "--output",
        &shown,
    ];
    let packages: Vec<String> = MUTATED
        .iter()
        .map(|name| format!("tollgate-{name}"))
        .collect();
    arguments.extend(packages.iter().flat_map(|name| ["--package", name]));
    if !counters.shard.is_empty() {
        arguments.extend(["--shard", &counters.shard, "--sharding", "round-robin"]);
    }
    println!("$ cargo {}", arguments.join(" "));
    // It fails if anything survives; how much may is decided here.
    shell::command("cargo", &arguments).status()?;
    let outcomes = fs::read_to_string(out.join("mutants.out/outcomes.json"))
        .context("the mutants could not be tried")?;
    let found = outcomes_by_crate(&outcomes)?;
    let mut weak = Vec::new();
    for (name, found) in &found {
        let all = found.caught + found.survivors.len();
        println!("mutants: {name}: {} of {all} caught", found.caught);
        for survivor in &found.survivors {
            println!("  survives: {survivor}");
        }
        match found.is_enough() {
            true => counters.passed += 1,
            false => weak.push(name.as_str()),
        }
    }
    if !weak.is_empty() || found.is_empty() {
        bail!(
            "fewer than {CAUGHT_MIN} % of the mutants are caught: {}",
            weak.join(", ")
        );
    }
    Ok(())
}

/// Runs of work that are killed at random in one go.
const KILLS: &str = "200";

/// Kills runner, worker and reviewer of many runs: each goes on, and nothing is lost.
///
/// # Errors
/// If one does not, or something is.
pub fn kills(counters: &mut StepCounters) -> Result<()> {
    let words = [
        "test",
        "--package",
        "tollgate-desk",
        "--test",
        "desk",
        "kills",
    ];
    let mut command = shell::command("cargo", &words);
    command.env("TOLLGATE_KILLS", KILLS);
    suite::count(counters, &words, command)
}

/// What became of the mutants of each crate. One that runs for ever is caught: its tests hang.
fn outcomes_by_crate(outcomes: &str) -> Result<BTreeMap<String, MutantOutcomes>> {
    let outcomes: Value = serde_json::from_str(outcomes)?;
    let list = outcomes.get("outcomes").and_then(Value::as_array);
    let mut found: BTreeMap<String, MutantOutcomes> = BTreeMap::new();
    for outcome in list.context("no outcomes")? {
        let Some(mutant) = outcome.pointer("/scenario/Mutant") else {
            let is_sound = outcome.get("summary").is_some_and(|how| how == "Success");
            if !is_sound {
                bail!("the tests fail where nothing was broken");
            }
            continue;
        };
        let word = |key: &str| mutant.get(key).and_then(Value::as_str).unwrap_or_default();
        let crate_found = found.entry(word("package").to_owned()).or_default();
        match outcome.get("summary").and_then(Value::as_str) {
            Some("CaughtMutant" | "Timeout") => crate_found.caught += 1,
            Some("MissedMutant") => crate_found.survivors.push(word("name").to_owned()),
            _ => {}
        }
    }
    Ok(found)
}

/// Runs the hook's own `unsafe` code where wrong use of memory is seen: what can be interpreted
/// under miri, all unit tests under the address sanitizer.
///
/// # Errors
/// If something is wrong, or the sanitizer cannot be had.
pub fn memory(counters: &mut StepCounters) -> Result<()> {
    let before = counters.passed;
    let components = [
        "component",
        "add",
        "miri",
        "rust-src",
        "--toolchain",
        "nightly",
    ];
    if has_nightly() && shell::run("rustup", &components).is_ok() {
        let test = [
            "+nightly",
            "miri",
            "test",
            "--package",
            "tollgate-hook",
            "--lib",
            "--",
        ];
        let arguments = [&test[..], INTERPRETED].concat();
        let mut command = shell::command("cargo", &arguments);
        // Properties read the folder they run in; a few hundred steps take a minute.
        command.env(
            "MIRIFLAGS",
            "-Zmiri-disable-isolation -Zmiri-permissive-provenance",
        );
        command.env("PROPTEST_CASES", "8");
        suite::count(counters, &arguments, command)?;
    } else {
        counters.skip("heap under miri (no nightly toolchain with it)");
    }
    let target = HERE.musl.replace("musl", "gnu");
    let packages = RAW.iter().flat_map(|name| ["--package", name]);
    let packages: Vec<&str> = packages.collect();
    let arguments = [&["test", "--lib", "--target", &target], &packages[..]].concat();
    let mut command = shell::command("cargo", &arguments);
    // The sanitizer comes with the stable toolchain, but is not yet called stable.
    command.env("RUSTC_BOOTSTRAP", "1");
    command.env("RUSTFLAGS", "-Zsanitizer=address");
    // Heap that is left when the process ends is the hook's way, not a leak.
    command.env("ASAN_OPTIONS", "detect_leaks=0");
    suite::count(counters, &arguments, command)?;
    println!("memory: {} tests hold", counters.passed - before);
    Ok(())
}

/// Whether the toolchain that fuzzing needs is there.
pub fn has_nightly() -> bool {
    let mut list = shell::command("rustup", &["toolchain", "list"]);
    let listed = list
        .output()
        .map(|out| String::from_utf8_lossy(&out.stdout).into_owned());
    listed.is_ok_and(|listed| listed.contains("nightly"))
}

/// Feeds the parsers with what a fuzzer finds, each for some seconds. Without a nightly toolchain
/// the same properties have run as tests already.
///
/// # Errors
/// If an input breaks one.
pub fn fuzz(counters: &mut StepCounters, seconds: u32) -> Result<()> {
    if !has_nightly() {
        println!("the same properties ran as tests");
        counters.skip("fuzz (no nightly toolchain)");
        return Ok(());
    }
    let time = format!("-max_total_time={seconds}");
    let mut targets = Vec::new();
    for file in fs::read_dir(shell::root().join("fuzz/fuzz_targets"))? {
        let path = file?.path();
        targets.extend(
            path.file_stem()
                .map(|stem| stem.to_string_lossy().into_owned()),
        );
    }
    targets.sort();
    for target in &targets {
        let run = ["+nightly", "fuzz", "run", target, "--"];
        let limits = [time.as_str(), "-max_len=4096", "-verbosity=0"];
        shell::run("cargo", &[&run[..], &limits[..]].concat())?;
        counters.passed += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutants_are_counted_by_crate() {
        let outcome = |package: &str, how: &str| {
            format!(
                r#"{{"scenario":{{"Mutant":{{"package":"{package}","name":"{how} in it"}}}},
                "summary":"{how}"}}"#
            )
        };
        let all = [
            r#"{"scenario":"Baseline","summary":"Success"}"#.to_owned(),
            outcome("gates", "CaughtMutant"),
            outcome("gates", "MissedMutant"),
            outcome("gates", "Unviable"),
            outcome("work", "Timeout"),
        ];
        let found = outcomes_by_crate(&format!(r#"{{"outcomes":[{}]}}"#, all.join(","))).unwrap();
        let gates = MutantOutcomes {
            caught: 1,
            survivors: vec!["MissedMutant in it".to_owned()],
        };
        assert_eq!(found["gates"], gates);
        assert!(!gates.is_enough() && found["work"].is_enough());
        let broken = r#"{"outcomes":[{"scenario":"Baseline","summary":"Failure"}]}"#;
        assert!(outcomes_by_crate(broken).is_err());
    }

    #[test]
    fn nineteen_of_twenty_are_enough() {
        let found = |caught: usize, survivors: usize| MutantOutcomes {
            caught,
            survivors: vec![String::new(); survivors],
        };
        assert!(found(95, 5).is_enough());
        assert!(!found(94, 6).is_enough());
    }
}
