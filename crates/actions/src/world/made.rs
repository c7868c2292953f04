//! What is made again by itself, by its name or its place: logs, what compilers make, caches.

use text::path;

/// Ends of names of files that are written over as a matter of course.
pub(super) const LOG_ENDS: &[&str] = &[".log", ".out", ".tmp", ".pid", ".swp", ".pyc"];

/// Ends of names of files that compilers make, where git is told to ignore them.
const COMPILED_ENDS: &[&str] = &[
    ".a", ".class", ".dll", ".dylib", ".gcda", ".gcno", ".ko", ".la", ".lo", ".o", ".obj", ".pdb",
    ".so",
];

/// Directories of every system that are filled again by themselves.
const CACHES: &[&str] = &["/var/cache", "/var/lib/apt/lists"];

/// Names that only tools give, on every machine, to what they make again.
const MADE_EVERYWHERE: &[&str] = &[
    ".cache",
    ".mypy_cache",
    ".next",
    ".nuxt",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".svelte-kit",
    ".turbo",
    ".venv",
    "__pycache__",
    "build",
    "coverage",
    "dist",
    "node_modules",
    "target",
    "venv",
];

/// Whether a file is made again by itself, if git is told to ignore it.
pub(crate) fn is_made_by_name(file: &str) -> bool {
    let mut made = LOG_ENDS.iter().chain(COMPILED_ENDS);
    made.any(|end| file.ends_with(end))
}

/// Whether a line of what git ignores says nothing, or only what is made again by itself.
pub(crate) fn is_made_pattern(line: &str) -> bool {
    let line = line.trim();
    let is_idle = line.is_empty() || line.starts_with(['#', '!']);
    is_idle || is_made_by_name(line) || is_made(line.trim_matches('/'))
}

/// Whether a path is, or lies in, a directory that is filled again by itself.
pub(super) fn is_cache(path: &str) -> bool {
    CACHES.iter().any(|dir| path::is_within(path, dir))
}

/// Whether only tools give a name on this path, whatever the machine.
pub(super) fn is_made(path: &str) -> bool {
    let is_made = |part: &str| MADE_EVERYWHERE.contains(&part) || part.ends_with(".pyc");
    path.split(['/', '\\']).any(is_made)
}
