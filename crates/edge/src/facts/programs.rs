//! Programs and what lies beside them: whether one is there, and what shows that it changed. A few
//! looks at files and no process.

use std::fs::Metadata;
use std::path::Path;
use std::time::UNIX_EPOCH;

use model::{CallEnv, fnv64};
use text::path::join;

/// Most directories of a `PATH` that are looked in.
const PATH_DIRS_MAX: usize = 64;

/// The lockfiles that say what a program finds, by the programs' names.
const LOCKFILES: &[(&[&str], &[&str])] = &[
    (
        &[
            "npm", "npx", "pnpm", "yarn", "node", "bun", "bunx", "tsc", "vitest", "jest",
        ],
        &[
            "package-lock.json",
            "pnpm-lock.yaml",
            "yarn.lock",
            "bun.lock",
            "package.json",
        ],
    ),
    (&["cargo", "rustc"], &["Cargo.lock"]),
    (
        &[
            "python", "python3", "pytest", "pip", "pip3", "uv", "poetry", "ruff", "mypy",
        ],
        &[
            "uv.lock",
            "poetry.lock",
            "requirements.txt",
            "pyproject.toml",
        ],
    ),
    (&["go"], &["go.sum"]),
    (&["ruby", "bundle", "rake", "rspec"], &["Gemfile.lock"]),
    (&["php", "composer"], &["composer.lock"]),
];

/// The file that a name starts, if there is one.
#[must_use]
pub fn find(place: &CallEnv, dir: &str, name: &str) -> Option<Metadata> {
    if name.contains('/') {
        return runnable(&join(dir, name));
    }
    let path = place.var("PATH")?;
    let dirs = path
        .split(':')
        .filter(|dir| !dir.is_empty())
        .take(PATH_DIRS_MAX);
    dirs.map(|part| join(&join(dir, part), name))
        .find_map(|file| runnable(&file))
}

fn runnable(path: &str) -> Option<Metadata> {
    let found = std::fs::metadata(path).ok()?;
    (found.is_file() && may_run(&found)).then_some(found)
}

#[cfg(unix)]
fn may_run(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn may_run(_: &Metadata) -> bool {
    true
}

/// Whether a file that can be started lies there.
#[must_use]
pub fn is_runnable(path: &str) -> bool {
    runnable(path).is_some()
}

/// What a program and its lockfile are like: another number once one of them changed.
#[must_use]
pub fn stamp(place: &CallEnv, dir: &str, name: &str) -> u64 {
    let short = text::path::file_name(name);
    let mut seen = described(find(place, dir, name));
    let row = LOCKFILES
        .iter()
        .find(|(programs, _)| programs.contains(&short));
    for file in row.map_or(&[][..], |(_, files)| files) {
        let below = std::fs::metadata(Path::new(dir).join(file)).ok();
        let found = below.or_else(|| std::fs::metadata(Path::new(&place.project).join(file)).ok());
        seen.push_str(&described(found));
    }
    fnv64(seen.as_bytes())
}

fn described(found: Option<Metadata>) -> String {
    match found {
        Some(found) => {
            let changed = found.modified().ok();
            let changed = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            format!(
                "{} {};",
                found.len(),
                changed.unwrap_or_default().as_nanos()
            )
        }
        None => ";".to_owned(),
    }
}
