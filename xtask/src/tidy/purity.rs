//! Rules about what a crate may know and do.

use anyhow::{Context, Result, bail};

use super::SourceFile;
use crate::shell;

/// Crates that do no I/O, read no clock and keep no state.
pub const PURE: &[&str] = &[
    "model", "text", "shell", "actions", "patterns", "rules", "gates", "context", "hosts", "work",
];

/// What pure crates must not name, tests aside.
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
const WRITERS: &[(&str, &str)] = &[(
    "crates/cli/src/commands/demo.rs",
    "builds the scratch directory it plays in",
)];

/// Names of hosts, as they would be spelled in code.
const HOSTS: &[&str] = &[
    "claude",
    "codex",
    "gemini",
    "opencode",
    "copilot",
    "qwen",
    "cursor-agent",
    "windsurf",
    "cline",
];

/// Names on a host's wire.
const WIRE: &[&str] = &[
    "hookEventName",
    "hook_event_name",
    "permissionDecision",
    "tool_name",
    "tool_input",
    "hookSpecificOutput",
    "additionalContext",
    "PreToolUse",
    "PostToolUse",
    "UserPromptSubmit",
    "stop_hook_active",
];

fn in_crate<'a>(file: &'a SourceFile, names: &[&str]) -> Option<&'a str> {
    let rest = file.path.strip_prefix("crates/")?;
    let (name, inside) = rest.split_once('/')?;
    (names.contains(&name) && inside.starts_with("src/") && file.is_rust()).then_some(name)
}

/// Lines of code (comments and inline tests left out) that contain one of the marks.
fn offending(file: &SourceFile, marks: &[&str]) -> Vec<String> {
    let code = file
        .product_lines()
        .filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.filter_map(|(number, line)| {
        let mark = marks.iter().find(|mark| line.contains(**mark))?;
        Some(format!("{}:{number}: `{mark}`", file.path))
    })
    .collect()
}

pub fn no_io(files: &[SourceFile]) -> Vec<String> {
    let pure = files
        .iter()
        .filter(|file| in_crate(file, PURE).is_some() && !file.is_test());
    let mut complaints: Vec<String> = pure.flat_map(|file| offending(file, IO)).collect();
    for name in PURE {
        let path = format!("crates/{name}/src/lib.rs");
        let library = files.iter().find(|file| file.path == path);
        if library.is_some_and(|file| !file.text.contains("#![forbid(unsafe_code)]")) {
            complaints.push(format!("{path}: lacks `#![forbid(unsafe_code)]`"));
        }
    }
    complaints
}

pub fn only_store_writes(files: &[SourceFile]) -> Vec<String> {
    let listed = |path: &str| WRITERS.iter().any(|(file, _)| *file == path);
    let others = files.iter().filter(|file| {
        in_crate(file, &["hook", "retrieval", "cli"]).is_some()
            && !file.is_test()
            && !listed(&file.path)
    });
    others.flat_map(|file| offending(file, WRITES)).collect()
}

pub fn host_names(files: &[SourceFile]) -> Vec<String> {
    let crates = [
        "model", "text", "shell", "actions", "patterns", "rules", "gates", "context", "store",
    ];
    let edge = ["hook", "retrieval", "cli"];
    let bound = |file: &&SourceFile| {
        !file.is_test() && (in_crate(file, &crates).is_some() || in_crate(file, &edge).is_some())
    };
    files
        .iter()
        .filter(bound)
        .flat_map(|file| offending(file, HOSTS))
        .collect()
}

pub fn wire_names(files: &[SourceFile]) -> Vec<String> {
    let outside = |file: &&SourceFile| {
        file.is_rust()
            && file.path.starts_with("crates/")
            && !file.path.starts_with("crates/hosts/")
            && !file.is_test()
    };
    files
        .iter()
        .filter(outside)
        .flat_map(|file| offending(file, WIRE))
        .collect()
}

/// The compiler's side of purity: a copy of a pure crate with a file read in it must not pass.
///
/// # Errors
/// If the seeded violation was not caught, or could not be checked.
pub fn seeded_violation_is_caught() -> Result<()> {
    let seed = shell::root().join("target/seed");
    std::fs::create_dir_all(seed.join("src")).context("cannot make the seed crate")?;
    let manifest =
        "[package]\nname = \"seed\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
    std::fs::write(seed.join("Cargo.toml"), manifest)?;
    std::fs::copy(
        shell::root().join("crates/pure.clippy.toml"),
        seed.join("clippy.toml"),
    )?;
    let clean = "//! Seed.\n#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]\n";
    let dirty = format!("{clean}pub fn f() -> bool {{ std::fs::read(\"/x\").is_ok() }}\n");
    for (text, passes) in [(clean, true), (dirty.as_str(), false)] {
        std::fs::write(seed.join("src/lib.rs"), text)?;
        let mut clippy = shell::command("cargo", &["clippy", "--quiet"]);
        let status = clippy
            .current_dir(&seed)
            .env("CARGO_TARGET_DIR", seed.join("target"))
            .stderr(std::process::Stdio::null())
            .status()?;
        if status.success() != passes {
            bail!(
                "purity: a seeded file read in a pure crate: clippy passed = {}",
                !passes
            );
        }
    }
    for name in PURE {
        let path = shell::root().join(format!("crates/{name}/clippy.toml"));
        let same = std::fs::read(&path).ok()
            == std::fs::read(shell::root().join("crates/pure.clippy.toml")).ok();
        if !same {
            bail!("purity: crates/{name}/clippy.toml is not crates/pure.clippy.toml");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::{Check, file};

    #[test]
    fn each_rule_catches_its_seed() {
        let seeds: [(Check, &str, &str); 5] = [
            (
                no_io,
                "crates/gates/src/stack/x.rs",
                "//! x\nfn f() { std::fs::read(\"a\"); }\n",
            ),
            (no_io, "crates/gates/src/lib.rs", "//! x\n"),
            (
                only_store_writes,
                "crates/hook/src/x.rs",
                "//! x\nfn f() { fs::write(a, b) }\n",
            ),
            (
                host_names,
                "crates/gates/src/x.rs",
                "//! x\nfn f() { \"claude\" }\n",
            ),
            (
                wire_names,
                "crates/cli/src/x.rs",
                "//! x\nfn f() { \"tool_name\" }\n",
            ),
        ];
        for (rule, path, text) in seeds {
            assert_eq!(rule(&[file(path, text)]).len(), 1, "{path}: {text}");
            let clean = "//! claude tool_name std::fs\n#![forbid(unsafe_code)]\n";
            assert!(rule(&[file(path, clean)]).is_empty(), "{path}");
        }
    }
}
