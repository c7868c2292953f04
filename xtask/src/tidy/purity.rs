//! Rules about what a crate may do: pure crates do nothing, and only the store writes.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};

use super::SourceFile;
use crate::shell;

/// Crates that touch the world. Every other one is pure: no I/O, no clock, no state.
const IMPURE: &[&str] = &[
    "store",
    "edge",
    "hook",
    "board",
    "retrieval",
    "runner",
    "proxy",
    "desk",
    "cli",
];

/// What stands in the head of a pure crate's `lib.rs`. `forbid` is what no `allow` below can lift.
const HEAD: &[&str] = &[
    "#![forbid(unsafe_code)]",
    "#![cfg_attr(not(test), forbid(clippy::disallowed_methods))]",
    "#![cfg_attr(not(test), forbid(clippy::disallowed_types))]",
    "#![cfg_attr(not(test), forbid(clippy::disallowed_macros))]",
];

/// What pure crates must not name, tests aside. The compiler knows more (`pure.clippy.toml`).
const IO: &[&str] = &[
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "std::thread",
    "std::io::stdin",
    "std::io::stdout",
    "SystemTime",
    "Instant::now",
    "static mut",
    "thread_local!",
    "OnceLock",
    "LazyLock",
    "AtomicU",
    "println!",
];

/// What changes files, which only the store may do.
const WRITES: &[&str] = &[
    "fs::write",
    "fs::rename",
    "fs::remove",
    "fs::create_dir",
    "fs::copy",
    "fs::hard_link",
    "fs::set_permissions",
    "File::create",
    "OpenOptions",
];

/// Files outside the store that may write, each with the reason.
pub const WRITERS: &[(&str, &str)] = &[
    (
        "crates/cli/src/commands/demo.rs",
        "builds the scratch directory it plays in",
    ),
    (
        "crates/runner/src/copy.rs",
        "builds the scratch directory that a judge works in",
    ),
    (
        "crates/desk/src/git/capture.rs",
        "copies an index, so that git writes to that one",
    ),
    (
        "crates/desk/src/validate/frozen.rs",
        "builds the frozen copy that is checked",
    ),
    (
        "crates/desk/src/validate/lent.rs",
        "copies what commands need to where they run",
    ),
    (
        "crates/desk/src/validate/promote.rs",
        "puts what was checked where a person wants it",
    ),
];

/// The crate whose product source this is.
pub fn crate_of(file: &SourceFile) -> Option<&str> {
    let (name, inside) = file.path.strip_prefix("crates/")?.split_once('/')?;
    let is_product = inside.starts_with("src/") && file.is_rust() && !file.is_test();
    is_product.then_some(name)
}

fn is_pure(file: &&SourceFile) -> bool {
    crate_of(file).is_some_and(|name| !IMPURE.contains(&name))
}

/// Lines of code (comments and inline tests left out) that contain one of the marks.
pub fn offending(file: &SourceFile, marks: &[&str]) -> Vec<String> {
    let code = file
        .product_lines()
        .filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.filter_map(|(number, line)| {
        let mark = marks.iter().find(|mark| line.contains(**mark))?;
        Some(format!("{}:{number}: `{mark}`", file.path))
    })
    .collect()
}

/// What is wrong with the pure crates as text: I/O by name, a head or lint settings that lack.
pub fn no_io(files: &[SourceFile]) -> Vec<String> {
    let pure = files.iter().filter(is_pure);
    let mut complaints: Vec<String> = pure.flat_map(|file| offending(file, IO)).collect();
    let text = |path: &str| {
        let file = files.iter().find(|file| file.path == path);
        file.map(|file| file.text.as_str())
    };
    for library in libraries(files) {
        let head: Vec<&str> = head(library).collect();
        let lacking = HEAD.iter().filter(|line| !head.contains(line));
        complaints.extend(lacking.map(|line| format!("{}: lacks `{line}`", library.path)));
        let settings = library.path.replace("src/lib.rs", "clippy.toml");
        if text(&settings) != text(SETTINGS) {
            complaints.push(format!("{settings} is not {SETTINGS}"));
        }
    }
    complaints
}

/// What clippy is told of a pure crate; each has a copy.
const SETTINGS: &str = "crates/pure.clippy.toml";

/// The roots of the pure crates.
fn libraries(files: &[SourceFile]) -> impl Iterator<Item = &SourceFile> {
    let pure = files.iter().filter(is_pure);
    pure.filter(|file| file.path.ends_with("/src/lib.rs") && file.path.matches('/').count() == 3)
}

/// The attributes of a crate, as they stand in its root.
fn head(library: &SourceFile) -> impl Iterator<Item = &str> {
    let lines = library.text.lines();
    let opening = lines.take_while(|line| line.is_empty() || line.starts_with(['/', '#']));
    opening.filter(|line| line.starts_with("#!["))
}

pub fn only_store_writes(files: &[SourceFile]) -> Vec<String> {
    let listed = |path: &str| WRITERS.iter().any(|(file, _)| *file == path);
    let others = files.iter().filter(|file| {
        let name = crate_of(file);
        name.is_some_and(|name| name != "store" && IMPURE.contains(&name)) && !listed(&file.path)
    });
    others.flat_map(|file| offending(file, WRITES)).collect()
}

/// What a pure crate must not do, each spelled so that no search for a path would find it.
const SEEDS: &[&str] = &[
    "pub fn a() -> bool { use std::{fs}; fs::read(\"x\").is_ok() }",
    "pub fn b() -> bool { use std::fs as f; f::create_dir(\"x\").is_ok() }",
    "pub fn c(path: &std::path::Path) -> bool { path.try_exists().is_ok() }",
    "pub fn d() -> bool { use std::{net}; net::UdpSocket::bind(\"x\").is_ok() }",
    "pub fn e() { use std::{thread, time}; thread::sleep(time::Duration::ZERO) }",
    "pub fn f() -> bool { use std::{env}; env::var_os(\"x\").is_some() }",
    "pub fn g() -> bool { use std::{time}; time::Instant::now().elapsed().is_zero() }",
    "pub fn h() -> bool { use std::{process as p}; p::Command::new(\"x\").status().is_ok() }",
    "pub fn i() -> u32 { use std::sync::{atomic as a}; a::AtomicU32::new(0).into_inner() }",
    "pub fn j() { use std::{println as say}; say!() }",
];

/// The compiler's side of purity: real heads of pure crates, with what they must not do below,
/// must not pass, and no `allow` may make them.
///
/// # Errors
/// If a seeded violation was not caught, or could not be checked.
pub fn seeded_violation_is_caught(files: &[SourceFile]) -> Result<()> {
    let heads = libraries(files).map(|library| head(library).collect::<Vec<_>>().join("\n"));
    let heads: BTreeSet<String> = heads.collect();
    if heads.is_empty() {
        bail!("purity: there is no pure crate");
    }
    for head in heads {
        let sown = |seeds: &str| format!("//! Seed.\n{head}\n{seeds}\n");
        let clean = seeded(&sown(""))?;
        if !clean.is_empty() {
            bail!("purity: the head of a pure crate alone does not pass: {clean:?}");
        }
        let found = seeded(&sown(&SEEDS.join("\n")))?;
        for (seed, line) in SEEDS.iter().zip(sown("").lines().count()..) {
            if !found.contains(&line) {
                bail!("purity: nobody stopped `{seed}` in a pure crate");
            }
        }
        let allow = "#[allow(clippy::disallowed_methods, clippy::disallowed_types)]";
        let allowed = sown(&format!("{allow}\npub mod m {{ {} }}", SEEDS.concat()));
        if seeded(&allowed)?.is_empty() {
            bail!("purity: `{allow}` makes a file read pass in a pure crate");
        }
    }
    Ok(())
}

/// The lines of a crate's root to which clippy objects, in a crate that is linted as pure ones are.
fn seeded(text: &str) -> Result<BTreeSet<usize>> {
    let seed = shell::target().join("seed");
    std::fs::create_dir_all(seed.join("src")).context("cannot make the seed crate")?;
    let manifest =
        "[package]\nname = \"seed\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
    std::fs::write(seed.join("Cargo.toml"), manifest)?;
    std::fs::copy(shell::root().join(SETTINGS), seed.join("clippy.toml"))?;
    std::fs::write(seed.join("src/lib.rs"), text)?;
    let arguments = ["clippy", "--quiet", "--offline", "--message-format=short"];
    let out = shell::command("cargo", &arguments)
        .current_dir(&seed)
        .env("CARGO_TARGET_DIR", seed.join("target"))
        .output()?;
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let number = |line: &str| {
        line.strip_prefix("src/lib.rs:")?
            .split(':')
            .next()?
            .parse()
            .ok()
    };
    let found: BTreeSet<usize> = said.lines().filter_map(number).collect();
    if out.status.success() != found.is_empty() {
        bail!("purity: the seed crate cannot be checked: {said}");
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::{Check, file};

    #[test]
    fn each_rule_catches_its_seed() {
        let seeds: [(Check, &str, &str); 2] = [
            (
                no_io,
                "crates/gates/src/stack/x.rs",
                "//! x\nfn f() { std::fs::read(\"a\"); }\n",
            ),
            (
                only_store_writes,
                "crates/hook/src/x.rs",
                "//! x\nfn f() { fs::write(a, b) }\n",
            ),
        ];
        for (rule, path, text) in seeds {
            assert_eq!(rule(&[file(path, text)]).len(), 1, "{path}: {text}");
            assert!(rule(&[file(path, "//! std::fs\n")]).is_empty(), "{path}");
        }
    }

    #[test]
    fn a_pure_crate_needs_its_head_and_settings() {
        let settings = || file(SETTINGS, "x = 1\n");
        let own = |text: &str| file("crates/gates/clippy.toml", text);
        let library = |text: &str| file("crates/gates/src/lib.rs", text);
        let whole = format!("//! x\n\n{}\n", HEAD.join("\n"));
        let complaints = |text: &str, own_settings: &str| {
            no_io(&[settings(), own(own_settings), library(text)]).len()
        };
        assert_eq!(complaints(&whole, "x = 1\n"), 0);
        assert_eq!(complaints(&whole, "x = 2\n"), 1);
        assert_eq!(complaints("//! x\n", "x = 1\n"), HEAD.len());
        let late = format!("//! x\nmod a;\n{}\n", HEAD.join("\n"));
        assert_eq!(complaints(&late, "x = 1\n"), HEAD.len());
    }
}
