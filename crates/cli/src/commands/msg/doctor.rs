//! Whether the files of messages are whole: every line that is none, every gap, every id that
//! stands twice with other words, every attachment that is not there.

use std::collections::HashMap;
use std::process::ExitCode;

use anyhow::Result;
use board::{Board, Found, Query};
use edge::surroundings;
use ledger::{Message, Stamp};
use serde_json::json;

use crate::here::Here;
use crate::{exit, show};

/// How far an id may be ahead of our clock, in milliseconds.
const AHEAD_MAX: u64 = 24 * 3_600_000;

/// Says in one line that something was passed over.
pub fn hint(found: &Found) {
    let odd: usize = found.odd.iter().map(|file| file.lines.len()).sum();
    let count = odd + found.unread.len();
    if count > 0 {
        let what = show::count(count as u64, "line");
        show::failure(&format!(
            "{what} could not be read; tollgate msg doctor names them"
        ));
    }
}

pub fn run(here: &Here, board: &Board, json: bool) -> Result<ExitCode> {
    let mut complaints: Vec<(String, String)> = Vec::new();
    let found = board.read(&Query::default());
    for file in &found.odd {
        for line in &file.lines {
            let what = format!("line {} {}", line.number, line.odd.words());
            complaints.push((here.short(file.path.display()), what));
        }
    }
    for (path, why) in &found.unread {
        complaints.push((here.short(path.display()), format!("cannot be read: {why}")));
    }
    let mut files = 0;
    let mut known: HashMap<Stamp, String> = HashMap::new();
    for (path, bytes) in board.message_segments().files {
        files += 1;
        let at = here.short(path.display());
        let messages = ledger::read_lines(&bytes, Message::read).records;
        complaints.extend(gaps(&messages).into_iter().map(|gap| (at.clone(), gap)));
        for message in messages {
            let line = message.line();
            let other = known.insert(message.id, line.clone());
            if other.is_some_and(|other| other != line) {
                let what = format!("message {} stands twice with other words", message.id);
                complaints.push((at.clone(), what));
            }
            if message.id.millis() > surroundings::now().0 + AHEAD_MAX {
                let what = format!("message {} is of a time to come", message.id);
                complaints.push((at.clone(), what));
            }
            if let Err(error) = board.body(&message) {
                complaints.push((at.clone(), format!("{error:#}")));
            }
        }
    }
    for (path, what) in &complaints {
        if json {
            say!("{}", json!({"file": path, "what": what}));
        } else {
            say!("{} {path}: {what}", show::bad("✗"));
        }
    }
    if complaints.is_empty() && !json {
        let messages = show::count(known.len() as u64, "message");
        let files = show::count(files, "file");
        say!("{} {messages} in {files}, all whole", show::good("✓"));
    }
    Ok(exit::if_good(complaints.is_empty()))
}

/// Numbers of lines that are missing between others, and lines whose id is before the one above.
fn gaps(messages: &[Message]) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = 0;
    for message in messages.iter().filter(|message| message.line > 0) {
        if message.line > before + 1 {
            let missing = format!("{}–{}", before + 1, message.line - 1);
            found.push(format!("lines {missing} of its writer are missing"));
        }
        before = before.max(message.line);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_named() {
        let message = |line: u64| {
            let id = Stamp::new(line, [0; 10]);
            let text =
                format!(r#"{{"id":"{id}","topic":"t","agent":"a","body":"b","line":{line}}}"#);
            Message::read(text.as_bytes()).unwrap()
        };
        let lines =
            |numbers: &[u64]| gaps(&numbers.iter().map(|at| message(*at)).collect::<Vec<_>>());
        assert!(lines(&[1, 2, 3]).is_empty() && lines(&[]).is_empty());
        assert_eq!(lines(&[1, 4]), ["lines 2–3 of its writer are missing"]);
        assert_eq!(lines(&[2]).len(), 1);
        // A merge may leave a line twice.
        assert!(lines(&[1, 1, 2]).is_empty());
    }
}
