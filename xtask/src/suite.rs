//! Running the tests of the workspace, and counting them.

mod side_by_side;

use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::ci::StepCounters;
use crate::hook;
use crate::shell;

/// Makes users and an install, so it has a step of its own, with the hook as it is installed.
const HARDENED: &str = "hardened";
/// Puts load on the machine for half a minute, so nothing else may run beside it.
const LOAD: &str = "load";
/// Is played once, through the hook as it is installed.
const CORPUS: &str = "corpus";
/// Names the hook that is tested; without it, the one that was built with the tests is.
pub const TEST_HOOK: &str = "TOLLGATE_TEST_HOOK";
/// Integration tests that have a step of their own.
const ALONE: &[&str] = &[HARDENED, LOAD, CORPUS];

/// Integration tests that take their time: random worlds and histories, many processes at once, a
/// browser, messages that wait.
const LONG: &[&str] = &["undo", "storm", "merging", "desk", "serve", "notify"];

/// Runs every test of the workspace but for those that have a step of their own; of a quick run,
/// those that take their time are not a part.
///
/// # Errors
/// If one fails, or none ran.
pub fn tests(counters: &mut StepCounters) -> Result<()> {
    let metadata = shell::output("cargo", &["metadata", "--format-version=1", "--no-deps"])?;
    let mut names = targets(&metadata, "test")?;
    for name in [ALONE, LONG].concat() {
        if !names.iter().any(|known| known == name) {
            bail!("no integration test is called `{name}`");
        }
    }
    let is_long = |name: &str| counters.is_quick && LONG.contains(&name);
    names.retain(|name| !ALONE.contains(&name.as_str()) && !is_long(name));
    let programs = targets(&metadata, "bin")?;
    let named = |option: &'static str, names: Vec<String>| {
        let words = names.into_iter().map(move |name| [option.to_owned(), name]);
        words.flatten().collect::<Vec<String>>()
    };
    let wanted = [named("--test", names), named("--bin", programs)].concat();
    let all = ["test", "--workspace", "--lib"];
    let wanted = wanted.iter().map(String::as_str);
    let arguments: Vec<&str> = all.into_iter().chain(wanted).collect();
    side_by_side::run(counters, &side_by_side::built(&arguments)?)
}

/// Runs the examples in comments.
///
/// # Errors
/// If one fails, or there is none.
pub fn examples(counters: &mut StepCounters) -> Result<()> {
    counted(counters, &["test", "--workspace", "--doc"])
}

/// Runs what puts load on the machine.
///
/// # Errors
/// If one fails, or none ran.
pub fn load(counters: &mut StepCounters) -> Result<()> {
    counted(
        counters,
        &["test", "--package", "tollgate-hook", "--test", LOAD],
    )
}

/// The names of what is tested of a kind, from `cargo metadata`.
fn targets(metadata: &str, kind: &str) -> Result<Vec<String>> {
    let metadata: Value = serde_json::from_str(metadata)?;
    let list = |value: &Value, key: &str| {
        let list = value.get(key).and_then(Value::as_array);
        list.cloned().unwrap_or_default()
    };
    let packages = list(&metadata, "packages");
    let targets = packages.iter().flat_map(|package| list(package, "targets"));
    let tested = targets.filter(|target| {
        let is_tested = target.get("test").and_then(Value::as_bool) == Some(true);
        is_tested && list(target, "kind").iter().any(|one| one == kind)
    });
    let names = tested.filter_map(|one| Some(one.get("name")?.as_str()?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// Runs what judges the hook as a whole against the hook as it is installed: static, with an
/// allocator, a start and copying of its own.
///
/// # Errors
/// If one fails, or none ran.
pub fn installed(counters: &mut StepCounters) -> Result<()> {
    let tests = ["--test", "payloads", "--test", "state"];
    let arguments = [&["test", "--package", "tollgate-hook"], &tests[..]].concat();
    let mut command = shell::command("cargo", &arguments);
    command.env(TEST_HOOK, hook::build()?);
    count(counters, &arguments, command)
}

/// Runs what a second user can and cannot do in a hardened install, with the hook as it is
/// installed. The tests skip themselves where they are not root; here they may not.
///
/// # Errors
/// If one fails, or none ran.
pub fn hardened(counters: &mut StepCounters) -> Result<()> {
    if !cfg!(target_os = "linux") {
        counters.skip("hardened (Linux only)");
        return Ok(());
    }
    let hook = hook::build()?;
    let arguments = ["test", "--package", "tollgate", "--test", HARDENED];
    let mut command = shell::command("cargo", &arguments);
    command.env("TOLLGATE_TEST_ROOT", "1");
    command.env(TEST_HOOK, hook);
    count(counters, &arguments, command)
        .context("it makes a user and an install, so run it as root")
}

fn counted(counters: &mut StepCounters, arguments: &[&str]) -> Result<()> {
    count(counters, arguments, shell::command("cargo", arguments))
}

/// Runs prepared tests and counts them; `arguments` are for the message.
///
/// # Errors
/// If one fails, or none ran.
pub fn count(counters: &mut StepCounters, arguments: &[&str], mut command: Command) -> Result<()> {
    println!("$ cargo {}", arguments.join(" "));
    let out = command
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start `cargo test`")?;
    let text = String::from_utf8_lossy(&out.stdout);
    print!("{text}");
    let before = counters.passed;
    add(counters, &text);
    if !out.status.success() {
        bail!("tests failed");
    }
    if counters.passed == before {
        bail!("no test ran");
    }
    Ok(())
}

/// Counts what a test program says at its end.
fn add(counters: &mut StepCounters, text: &str) {
    for line in text
        .lines()
        .filter(|line| line.starts_with("test result: "))
    {
        counters.passed += number(line, " passed");
        counters.failed += number(line, " failed");
    }
}

/// The number before a word of a summary; 0 if there is none.
pub fn number(line: &str, word: &str) -> u64 {
    let before = line.split(word).next().unwrap_or_default();
    let digits = before.rsplit(' ').next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_counted() {
        let line = "test result: FAILED. 12 passed; 3 failed; 0 ignored; 0 measured";
        assert_eq!((number(line, " passed"), number(line, " failed")), (12, 3));
        assert_eq!(number("nothing here", " passed"), 0);
    }

    #[test]
    fn what_is_tested_is_found() {
        let text = r#"{"packages":[{"targets":[{"kind":["lib"],"name":"a","test":true},
            {"kind":["test"],"name":"load","test":true}]},{"targets":[
            {"kind":["test"],"name":"corpus","test":true},
            {"kind":["bin"],"name":"cli","test":true},{"kind":["bin"],"name":"bare","test":false},
            {"kind":["test"],"name":"load","test":true}]}]}"#;
        assert_eq!(targets(text, "test").unwrap(), ["corpus", "load"]);
        assert_eq!(targets(text, "bin").unwrap(), ["cli"]);
    }
}
