//! Looking for words: lines that hold none of them are not read.

use anyhow::Result;
use board::{Board, Query};
use context::memory::rank;
use ledger::Message;

/// The messages that fit, the best first.
///
/// # Errors
/// Never; a file that cannot be read is passed over.
pub fn best(
    board: &Board,
    (topic, limit): (Option<&str>, usize),
    words: &str,
) -> Result<Vec<Message>> {
    let query = Query {
        topic: topic.unwrap_or_default().to_owned(),
        ..Query::default()
    };
    // By their beginnings, so that other forms of a word are not passed over.
    let starts = words.split(|c: char| !c.is_alphanumeric());
    let starts = starts.filter(|word| !word.is_empty() && word.is_ascii());
    let starts: Vec<String> = starts
        .map(|word| word.to_ascii_lowercase().chars().take(4).collect())
        .collect();
    let holds = |line: &[u8]| {
        let line = line.to_ascii_lowercase();
        starts
            .iter()
            .any(|start| memchr::memmem::find(&line, start.as_bytes()).is_some())
    };
    let is_ascii = words.is_ascii();
    let found = board.read_where(&query, &|line| !is_ascii || holds(line));
    let texts: Vec<String> = found
        .messages
        .iter()
        .map(|message| [&*message.topic, " ", &*message.body].concat())
        .collect();
    let best = rank(&texts, words).into_iter();
    let best = best.filter_map(|ranked| found.messages.get(ranked.at).cloned());
    Ok(best.take(limit).collect())
}
