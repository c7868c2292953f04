//! The binary `tollgate`: what people type. It decides nothing; it shows, edits and starts.

mod commands;
mod diff;
mod exit;
mod here;
mod journal;
mod show;
mod sources;

use std::process::ExitCode;

fn main() -> ExitCode {
    // The hook's own path stays clear of the argument parser, which costs more than the hook.
    let words: Vec<String> = std::env::args().skip(1).take(3).collect();
    if let [hook, host, event] = words.as_slice()
        && hook == "hook"
        && !host.starts_with('-')
    {
        hook::run_for(host, event);
    }
    commands::run()
}
