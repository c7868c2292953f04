//! Names of shells whose language is POSIX's.

use text::path;

const POSIX: &[&str] = &["ash", "bash", "dash", "ksh", "sh", "zsh"];

/// Whether a program, by its name or its path, is one.
pub(crate) fn is_posix(program: &str) -> bool {
    POSIX.contains(&path::file_name(program))
}
