//! Test programs side by side: one that waits for a process or a deadline leaves the machine to
//! another. `cargo test` runs them one after the other.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::add;
use crate::ci::{StepCounters, lock};
use crate::{shell, worlds};

/// More programs than cores, because many only wait.
const PROGRAMS_PER_CORE: usize = 2;

/// Integration tests that take minutes, some of them without being large.
const LONGEST: &[&str] = &["cli", "notify"];

/// A test program that has been built.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// Its package and its name, as they are shown.
    title: String,
    executable: PathBuf,
    /// The folder of its package: where `cargo test` would start it.
    folder: PathBuf,
}

/// Builds what these words of `cargo test` name, and says what there is to run.
///
/// # Errors
/// If it does not build.
pub(super) fn built(arguments: &[&str]) -> Result<Vec<Program>> {
    println!("$ cargo {}", arguments.join(" "));
    let options = ["--no-run", "--message-format=json-render-diagnostics"];
    let all: Vec<&str> = arguments.iter().copied().chain(options).collect();
    let messages = shell::output("cargo", &all).context("the tests do not build")?;
    Ok(programs(&messages))
}

/// The test programs that cargo's messages name, in their order.
fn programs(messages: &str) -> Vec<Program> {
    let messages = messages.lines().map(serde_json::from_str::<Value>);
    messages.flatten().filter_map(|one| program(&one)).collect()
}

fn program(message: &Value) -> Option<Program> {
    if !message.pointer("/profile/test")?.as_bool()? {
        return None;
    }
    let executable = PathBuf::from(message.get("executable")?.as_str()?);
    let folder = Path::new(message.get("manifest_path")?.as_str()?).parent()?;
    let package = folder.file_name()?.to_string_lossy();
    let name = message.pointer("/target/name")?.as_str()?;
    Some(Program {
        title: format!("{package}: {name}"),
        executable,
        folder: folder.to_owned(),
    })
}

/// Runs programs, and shows what each says when it ends.
///
/// # Errors
/// If one fails, or none ran.
pub(super) fn run(counters: &mut StepCounters, programs: &[Program]) -> Result<()> {
    let before = counters.passed;
    let mut order: Vec<&Program> = programs.iter().collect();
    // Taken from the end: the longest begin, then the largest, so that none runs on alone.
    order.sort_by_key(|program| {
        let size = fs::metadata(&program.executable).map_or(0, |file| file.len());
        (begins(&program.title), size)
    });
    let counters = Mutex::new(counters);
    let failed = Mutex::new(Vec::new());
    each(order, |program| {
        let (text, is_passed) = outcome(program);
        let mut counters = lock(&counters);
        println!("\n{}\n{text}", program.title);
        add(&mut counters, &text);
        if !is_passed {
            lock(&failed).push(program.title.clone());
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    if !failed.is_empty() {
        bail!("tests failed in {}", failed.join(", "));
    }
    if lock(&counters).passed == before {
        bail!("no test ran");
    }
    Ok(())
}

/// Whether a program is one of those that take longest.
fn begins(title: &str) -> bool {
    let name = title.rsplit_once(": ").map(|(_, name)| name);
    name.is_some_and(|name| LONGEST.contains(&name))
}

/// Takes a list from its end, several at once.
fn each<T: Send>(list: Vec<T>, act: impl Fn(T) + Sync) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let list = Mutex::new(list);
    // A call, for the lock in a loop's own condition would be held until its body ends.
    let next = || lock(&list).pop();
    thread::scope(|scope| {
        for _ in 0..cores * PROGRAMS_PER_CORE {
            scope.spawn(|| {
                while let Some(one) = next() {
                    act(one);
                }
            });
        }
    });
}

/// What a program says, and whether all of its tests passed.
fn outcome(program: &Program) -> (String, bool) {
    let out = worlds::command(&program.executable)
        .current_dir(&program.folder)
        .env("CARGO_MANIFEST_DIR", &program.folder)
        .output();
    match out {
        Ok(out) => {
            let text = [out.stdout, out.stderr].concat();
            let text = String::from_utf8_lossy(&text).into_owned();
            (text, out.status.success())
        }
        Err(error) => (format!("cannot be started: {error}"), false),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Condvar;
    use std::time::Duration;

    use super::*;

    #[test]
    fn programs_are_read_from_cargos_messages() {
        let messages = r#"{"reason":"compiler-artifact","manifest_path":"/p/crates/a/Cargo.toml",
            "target":{"name":"main"},"profile":{"test":true},"executable":"/p/target/main-1"}
            {"reason":"compiler-artifact","manifest_path":"/p/crates/a/Cargo.toml",
            "target":{"name":"a"},"profile":{"test":false},"executable":null}
            {"reason":"build-finished","success":true}"#;
        let joined = messages.replace(",\n", ",");
        assert_eq!(
            programs(&joined),
            [Program {
                title: "a: main".to_owned(),
                executable: PathBuf::from("/p/target/main-1"),
                folder: PathBuf::from("/p/crates/a"),
            }]
        );
    }

    #[test]
    fn one_that_waits_does_not_hold_up_another() {
        let begun = Mutex::new(0);
        let changed = Condvar::new();
        let met = Mutex::new(Vec::new());
        each(vec![(), ()], |()| {
            let mut begun = lock(&begun);
            *begun += 1;
            changed.notify_all();
            let limit = Duration::from_secs(5);
            let waited = changed.wait_timeout_while(begun, limit, |begun| *begun < 2);
            let is_met = waited.is_ok_and(|(_, time)| !time.timed_out());
            lock(&met).push(is_met);
        });
        assert_eq!(*lock(&met), [true, true]);
    }

    #[test]
    fn a_failed_program_fails_the_run_and_is_named() {
        let program = |path: &str| Program {
            title: path.to_owned(),
            executable: PathBuf::from(path),
            folder: PathBuf::from("/"),
        };
        let mut counters = StepCounters::default();
        let error = run(
            &mut counters,
            &[program("/bin/true"), program("/bin/false")],
        );
        assert!(error.unwrap_err().to_string().contains("/bin/false"));
        // What earlier steps counted is not this one's.
        counters.passed = 7;
        let error = run(&mut counters, &[program("/bin/true")]);
        assert_eq!(error.unwrap_err().to_string(), "no test ran");
    }
}
