//! A plain command: told its prompt on standard input, and in a file for those that want one. Done
//! is when it ends.

use anyhow::Result;
use text::words::shell_word;

use crate::worker::{Heard, Turn, TurnEnd, Worker};

/// What stands in a command line for the file with the prompt.
const PROMPT_FILE: &str = "{prompt_file}";

/// Has it take a turn.
///
/// # Errors
/// If it cannot be started, or the run cannot be read.
pub fn take(words: &str, turn: &Turn<'_>) -> Result<TurnEnd> {
    let name = format!("prompt-{}.md", turn.number);
    let store = turn.log.store;
    let file = store.path().join("runs").join(&turn.log.id).join(&name);
    let line = words.replace(PROMPT_FILE, &shell_word(&file.to_string_lossy()));
    let command = ["/bin/sh", "-c", &line].map(str::to_owned);
    let mut worker = Worker::start(&command, turn)?;
    worker.tell_all(turn.prompt);
    let end = worker.hear(turn, |_, _| Heard::On)?;
    Ok(TurnEnd {
        limited: hosts::limited(&end.why),
        ..end
    })
}
