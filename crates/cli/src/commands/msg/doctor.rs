//! Whether the files of messages are whole: every line that is none, every gap, every id that
//! stands twice with other words, every attachment that is not there, and what git has seen that
//! is gone.

use std::collections::HashMap;
use std::process::ExitCode;

use anyhow::Result;
use board::{Board, Query};
use edge::surroundings;
use ledger::{Message, Stamp};
use text::words;

use crate::checkup::Checkup;
use crate::here::Here;

/// How far an id may be ahead of our clock, in milliseconds.
const AHEAD_MAX: u64 = 24 * 3_600_000;

pub fn run(here: &Here, board: &Board, json: bool) -> Result<ExitCode> {
    let mut checkup = Checkup::new(here);
    let found = board.read(&Query::default());
    checkup.unreadable(&found.odd, &found.unread);
    let mut files = 0;
    let mut known: HashMap<Stamp, String> = HashMap::new();
    let mut answers = Vec::new();
    for (path, bytes) in board.message_segments().files {
        files += 1;
        let messages = ledger::read_lines(&bytes, Message::read).records;
        checkup.gaps(&path, messages.iter().map(|message| message.line));
        for message in messages {
            let line = message.line();
            let other = known.insert(message.id, line.clone());
            if other.is_some_and(|other| other != line) {
                let what = format!("message {} stands twice with other words", message.id);
                checkup.say_of(&path, what);
            }
            answers.extend(message.re.map(|re| (path.clone(), message.id, re)));
            if message.id.millis() > surroundings::now().0 + AHEAD_MAX {
                let what = format!("message {} is of a time to come", message.id);
                checkup.say_of(&path, what);
            }
            if let Err(error) = board.body(&message) {
                checkup.say_of(&path, format!("{error:#}"));
            }
        }
    }
    answers.retain(|(.., re)| !known.contains_key(re));
    for (path, id, re) in answers {
        let what = format!("message {id} answers {re}, which is not here");
        checkup.say_of(&path, what);
    }
    checkup.cuts(&board.cut_messages(&known.keys().copied().collect()));
    let messages = words::count(known.len() as u64, "message");
    let files = words::count(files, "file");
    Ok(checkup.end(json, &format!("{messages} in {files}")))
}
