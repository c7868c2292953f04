//! What the user said in a session before a review was registered, as the host wrote it down.

use std::time::{Duration, SystemTime};

use context::{Query, Section};
use hosts::Host;
use model::session_id;
use retrieval::session_file::SessionFile;

use crate::here::Here;
use crate::records::transcripts;

/// How long ago a transcript may have been written last.
const AGE_MAX: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// As much of a session's id as every host has in its file's name.
const ID_CHARS: usize = 8;
/// Turns that are looked back on.
const TURNS: usize = 4;

/// The first prompt of a session and its latest, oldest first; none where its transcript is not
/// found.
pub fn said_before(here: &Here, host: &Host, session: &str) -> Vec<String> {
    let since = SystemTime::now().checked_sub(AGE_MAX);
    let files = transcripts::since(here, host, since.unwrap_or(SystemTime::UNIX_EPOCH));
    let part: String = session.chars().take(ID_CHARS).collect();
    let named = files.iter().rev().filter(|file| {
        let name = file.path.to_string_lossy();
        name.contains(&part)
    });
    let query = Query {
        turns: TURNS,
        ..Query::of(&[Section::Intent, Section::Prompts])
    };
    let told = named.filter_map(|file| {
        let file = SessionFile::open(&file.path, Some(host.id)).ok()?;
        file.extract(&query).ok()
    });
    let mut own = told
        .filter(|told| told.subagent.is_none() && session_id(&told.session) == session_id(session));
    let Some(told) = own.next() else {
        return Vec::new();
    };
    let mut words: Vec<String> = Vec::new();
    for prompt in told.intent.into_iter().chain(told.prompts) {
        if !words.contains(&prompt.text) {
            words.push(prompt.text);
        }
    }
    words
}
