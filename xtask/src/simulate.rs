//! Plays fleets of workers against the store and what is learned.

use anyhow::Result;

use crate::shell;

/// Starts the player, which uses the product's own rules and store.
///
/// # Errors
/// If it cannot be built, or a thousand workers are not helped as they should be.
pub fn run() -> Result<()> {
    let words = [
        "run",
        "--quiet",
        "--package",
        "tollgate",
        "--example",
        "simulate",
    ];
    shell::run("cargo", &words)
}
