//! Messages: posting, and reading what all have posted.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use ledger::message::{
    self, Attachment, BODY_BYTES_MAX, META_BYTES_MAX, dir_of_topic, fault_of_topic, is_within,
};
use ledger::{Author, Message, Odd, OddLine, Stamp};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::files::{OddFile, Segments, bytes, lines, paths};
use crate::{Board, stamp_after};

pub(crate) const MESSAGES: &str = "messages";
const ATTACHMENTS: &str = "attachments";
/// Longest body of all, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// How many files one thread reads at least.
const FILES_EACH: usize = 4;

/// What is posted.
#[derive(Debug, Clone, Default)]
pub struct Posted<'a> {
    /// Where.
    pub topic: &'a str,
    /// What it says.
    pub body: &'a str,
    /// The message that it answers.
    pub re: Option<Stamp>,
    /// What programs add.
    pub meta: Map<String, Value>,
}

/// Which messages are meant.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// Of this topic and all below it; empty for all.
    pub topic: String,
    /// Of this topic alone.
    pub is_exact: bool,
    /// After this id.
    pub after: Option<Stamp>,
    /// Not before this time.
    pub since: Option<Stamp>,
}

/// What of a line is of interest before all of it is read.
pub type Wanted<'q> = &'q (dyn Fn(&[u8]) -> bool + Sync);

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// The messages, in the order of their ids.
    pub messages: Vec<Message>,
    /// Lines that are none.
    pub odd: Vec<OddFile>,
    /// Files that could not be read, and why.
    pub unread: Vec<(PathBuf, String)>,
}

/// A topic and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicCount {
    /// Its name.
    pub topic: String,
    /// How many messages.
    pub messages: u64,
    /// The last one.
    pub last: Stamp,
}

impl Board {
    /// Posts a message. Once this returns it is in its file, whatever ends.
    ///
    /// # Errors
    /// If the topic is none or is ours alone, the message is too long, or it cannot be written.
    pub fn post(&self, posted: Posted<'_>, author: Author) -> Result<Message> {
        if let Some(fault) = fault_of_topic(posted.topic) {
            bail!("{:?} is no topic: {fault}", posted.topic);
        }
        ensure!(
            !message::is_ours(posted.topic),
            "{} holds verdicts that tollgate writes itself; post to another topic, such as \
             review/notes",
            posted.topic
        );
        self.write(posted, author)
    }

    /// Posts what a review found, as the gate itself. Nobody else can post there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn post_review(
        &self,
        session: &str,
        body: &str,
        meta: Map<String, Value>,
    ) -> Result<Message> {
        let topic = message::review_topic(session);
        let author = Author {
            agent: "tollgate".to_owned(),
            role: ledger::Role::Gate,
            ..Author::default()
        };
        let posted = Posted {
            topic: &topic,
            body,
            re: None,
            meta,
        };
        self.write(posted, author)
    }

    fn write(&self, posted: Posted<'_>, author: Author) -> Result<Message> {
        ensure!(
            !posted.body.trim().is_empty(),
            "a message says something; its text is empty"
        );
        ensure!(
            posted.body.len() <= MESSAGE_BYTES_MAX,
            "the text is longer than {MESSAGE_BYTES_MAX} bytes; post where it can be found instead"
        );
        let meta = Value::Object(posted.meta.clone()).to_string();
        ensure!(
            meta.len() <= META_BYTES_MAX,
            "meta is longer than {META_BYTES_MAX} bytes"
        );
        let (body, attachment) = self.shorten(posted.body)?;
        let name = [MESSAGES, "/", &dir_of_topic(posted.topic)].concat();
        let dir = self.lock(&name)?;
        let mut message = None;
        let who = author.clone();
        self.add((&dir, &name), &who, |last| {
            let id = stamp_after(last.id)?;
            let made = Message {
                id,
                topic: posted.topic.to_owned(),
                agent: String::new(),
                model: String::new(),
                role: ledger::Role::Program,
                session: String::new(),
                body,
                ts: text::date::timestamp(id.millis()),
                re: posted.re,
                meta: posted.meta,
                attachment,
                line: last.line + 1,
            };
            let made = made.by(author);
            let line = made.line();
            message = Some(made);
            Ok(vec![line])
        })?;
        message.context("nothing was written")
    }

    /// A body as a line holds it, and the attachment that holds all of a longer one.
    fn shorten(&self, body: &str) -> Result<(String, Option<Attachment>)> {
        if body.len() <= BODY_BYTES_MAX {
            return Ok((body.to_owned(), None));
        }
        let sha256 = text::hex::encode(&Sha256::digest(body));
        self.lock(ATTACHMENTS)?.keep(&sha256, body.as_bytes())?;
        let end = (0..=BODY_BYTES_MAX / 16)
            .rev()
            .find(|at| body.is_char_boundary(*at));
        let attachment = Attachment {
            sha256,
            bytes: body.len() as u64,
        };
        let start = body.get(..end.unwrap_or_default()).unwrap_or_default();
        Ok((start.to_owned(), Some(attachment)))
    }

    /// The whole body of a message. What is not as it was named is not believed.
    ///
    /// # Errors
    /// If its attachment is missing or holds something else.
    pub fn body(&self, message: &Message) -> Result<String> {
        let Some(attachment) = &message.attachment else {
            return Ok(message.body.clone());
        };
        let is_name = attachment.sha256.len() == 64
            && attachment
                .sha256
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit());
        ensure!(is_name, "the attachment of {} has no name", message.id);
        let path = self.dir(ATTACHMENTS).join(&attachment.sha256);
        let held = bytes(&path).map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))?;
        let is_it = text::hex::encode(&Sha256::digest(&held)) == attachment.sha256.to_lowercase();
        ensure!(is_it, "{} is not what was attached", path.display());
        Ok(String::from_utf8_lossy(&held).into_owned())
    }

    /// The files that hold messages of a topic and of those below it.
    #[must_use]
    pub fn message_files(&self, topic: &str) -> Vec<PathBuf> {
        let dir = self.dir(MESSAGES);
        match topic.trim_end_matches('/') {
            "" => paths(&dir),
            topic => paths(&dir.join(dir_of_topic(topic))),
        }
    }

    /// All files of messages, with all their bytes.
    #[must_use]
    pub fn message_segments(&self) -> Segments {
        Segments::read(&self.dir(MESSAGES))
    }

    /// The directory of all messages.
    #[must_use]
    pub fn messages_dir(&self) -> PathBuf {
        self.dir(MESSAGES)
    }

    /// The messages that are meant.
    #[must_use]
    pub fn read(&self, query: &Query) -> Found {
        self.read_where(query, &|_| true)
    }

    /// The messages that are meant and whose lines are wanted.
    #[must_use]
    pub fn read_where(&self, query: &Query, wanted: Wanted<'_>) -> Found {
        let files = self.message_files(&query.topic);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let each = files.len().div_ceil(threads).max(FILES_EACH);
        let mut found = Found::default();
        let search = Search { query, wanted };
        std::thread::scope(|scope| {
            let parts = files.chunks(each);
            let parts = parts.map(|part| scope.spawn(move || scan(part, search)));
            for part in parts.collect::<Vec<_>>() {
                let Ok(part) = part.join() else { continue };
                found.messages.extend(part.messages);
                found.odd.extend(part.odd);
                found.unread.extend(part.unread);
            }
        });
        found.messages.sort_by_key(|message| message.id);
        found.messages.dedup_by_key(|message| message.id);
        found
    }

    /// All topics with what is in them.
    #[must_use]
    pub fn topics(&self) -> Vec<TopicCount> {
        let mut counts: BTreeMap<String, (HashSet<Stamp>, Stamp)> = BTreeMap::new();
        for path in self.message_files("") {
            let Ok(bytes) = bytes(&path) else { continue };
            for line in lines(&bytes) {
                let Some((topic, id)) = head(line) else {
                    continue;
                };
                let (ids, last) = counts.entry(topic).or_default();
                ids.insert(id);
                *last = id.max(*last);
            }
        }
        let counts = counts.into_iter().map(|(topic, (ids, last))| TopicCount {
            topic,
            messages: ids.len() as u64,
            last,
        });
        counts.collect()
    }

    /// The id that begins or ends like this, if there is one message of it.
    ///
    /// # Errors
    /// If there is none, or are several.
    pub fn find(&self, part: &str) -> Result<Message> {
        let part = part.to_ascii_lowercase();
        if let Ok(id) = part.parse::<Stamp>() {
            let query = Query {
                since: Some(id),
                ..Query::default()
            };
            let found = self.read_where(&query, &|line| {
                message::id_in_front(line).is_none_or(|known| known == id)
            });
            let mut messages = found.messages.into_iter();
            let message = messages.find(|message| message.id == id);
            return message
                .with_context(|| format!("there is no message {part}; tollgate msg read"));
        }
        ensure!(
            part.len() >= 4,
            "{part:?} is too short for an id; give four letters at least"
        );
        let fits = |id: Stamp| {
            let id = id.to_string();
            id.starts_with(&part) || id.ends_with(&part)
        };
        let mut found = self.read_where(&Query::default(), &|line| {
            message::id_in_front(line).is_none_or(fits)
        });
        found.messages.retain(|message| fits(message.id));
        match found.messages.len() {
            0 => bail!("there is no message {part}; tollgate msg read shows the ids"),
            1 => found.messages.pop().context("there is no message"),
            count => bail!("{count} messages are called {part}; give more of the id"),
        }
    }
}

/// Topic and id of a line: those of our own form stand in front.
fn head(line: &[u8]) -> Option<(String, Stamp)> {
    if let Some(id) = message::id_in_front(line)
        && let Some(rest) = line.get(33..)
        && let Some(rest) = rest.strip_prefix(b"\",\"topic\":\"")
        && let Some(end) = memchr::memchr2(b'"', b'\\', rest)
        && rest.get(end) == Some(&b'"')
    {
        let topic = std::str::from_utf8(rest.get(..end)?).ok()?;
        return Some((topic.to_owned(), id));
    }
    let message = Message::read(line)?;
    Some((message.topic, message.id))
}

fn scan(files: &[PathBuf], search: Search<'_>) -> Found {
    let mut found = Found::default();
    for path in files {
        match bytes(path) {
            Ok(bytes) => scan_file((path, &bytes), search, &mut found),
            Err(why) => found.unread.push((path.clone(), why)),
        }
    }
    found
}

/// What is looked for.
#[derive(Clone, Copy)]
struct Search<'q> {
    query: &'q Query,
    wanted: Wanted<'q>,
}

fn scan_file((path, bytes): (&Path, &[u8]), search: Search<'_>, found: &mut Found) {
    let Search { query, wanted } = search;
    let is_early = |id: Stamp| {
        query.since.is_some_and(|since| id < since) || query.after.is_some_and(|after| id <= after)
    };
    let has_topic = |topic: &str| match query.is_exact {
        true => topic == query.topic,
        false => is_within(topic, &query.topic),
    };
    let mut odd = Vec::new();
    let mut is_last_odd = false;
    for (at, line) in lines(bytes).enumerate() {
        // What is passed over by its id is not read: `doctor` reads all.
        if message::id_in_front(line).is_some_and(is_early) {
            continue;
        }
        let line = line.trim_ascii_end();
        if line.is_empty() || !wanted(line) {
            continue;
        }
        match Message::read(line) {
            Some(message) if is_early(message.id) || !has_topic(&message.topic) => {}
            Some(message) => found.messages.push(message),
            None => {
                let is_marker = ledger::is_marker(line);
                let kind = if is_marker {
                    Odd::Marker
                } else {
                    Odd::Unreadable
                };
                odd.push(OddLine {
                    number: at + 1,
                    odd: kind,
                });
                is_last_odd = bytes.ends_with(line);
            }
        }
    }
    if let Some(last) = odd.last_mut().filter(|_| is_last_odd) {
        last.odd = Odd::Torn;
    }
    if !odd.is_empty() {
        found.odd.push(OddFile {
            path: path.to_owned(),
            lines: odd,
        });
    }
}
