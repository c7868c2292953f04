//! The binary `tollgate`: what people type. It decides nothing; it shows, edits and starts.
//!
//! A copy of it that is called `tollgate-hook` is the hook: where the small one was not built, the
//! big one does its work, only slower to start.

#[macro_use]
mod show;
mod checkup;
mod commands;
mod concerns;
mod diff;
mod exit;
mod here;
mod install;
mod owner;
mod process;
mod records;
mod sources;
mod spoken;
mod times;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    store::hardened::begin(std::env::current_exe().ok().as_deref());
    let words: Vec<String> = std::env::args_os()
        .take(5)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    // The hook's own path stays clear of the argument parser: it costs more than the hook, and its
    // complaints would be taken for an answer.
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    if Path::new(word(0))
        .file_stem()
        .is_some_and(|name| name == install::programs::HOOK)
    {
        hook::run_for(word(1), word(2));
    }
    if word(1) == "hook" && !matches!(word(2), "-h" | "--help") {
        hook::run_for(word(2), word(3));
    }
    // As clients start it: they wait for each of their servers, and the parser costs more than the
    // proxy. What is not understood there is said here.
    if [word(1), word(2), word(4)] == ["proxy", "--name", "--"]
        && let Some(code) = commands::relay()
    {
        return code;
    }
    commands::run()
}
