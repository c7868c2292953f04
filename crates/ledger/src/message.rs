//! Messages: what a line says, and what a topic is. `docs/messages.md` has the table.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Author, Stamp};

/// Longest body in a line, in bytes; the rest of a longer one is an attachment.
pub const BODY_BYTES_MAX: usize = 64 * 1024;
/// Longest topic, in bytes.
pub const TOPIC_BYTES_MAX: usize = 200;
/// Most bytes of the notes that come with a message.
pub const META_BYTES_MAX: usize = 16 * 1024;
/// What topics begin with that we alone write to.
const OURS: &str = "review:";

/// A message. Once written it is never changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its id, and with it its place in the order of all.
    pub id: Stamp,
    /// Where it was posted.
    pub topic: String,
    /// The host of an agent, the login name of a person.
    pub agent: String,
    /// The model at work, where it is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// In what part it was written.
    #[serde(default)]
    pub role: crate::Role,
    /// The session of an agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// What it says.
    pub body: String,
    /// When, for people; the id says the same.
    #[serde(default)]
    pub ts: String,
    /// The message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<Stamp>,
    /// What programs add to it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// The whole body, where it is longer than a line holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachment: Option<Attachment>,
    /// Which line of its file this is, from 1, so that a gap shows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "what serde calls it with"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A body in a file of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// SHA-256 of its bytes, in hex; also its file's name.
    pub sha256: String,
    /// How many bytes.
    pub bytes: u64,
}

impl Message {
    /// Who wrote it.
    #[must_use]
    pub fn author(&self) -> Author {
        Author {
            agent: self.agent.clone(),
            model: self.model.clone(),
            role: self.role,
            session: self.session.clone(),
        }
    }

    /// Makes somebody its author.
    #[must_use]
    pub fn by(self, author: Author) -> Self {
        Self {
            agent: author.agent,
            model: author.model,
            role: author.role,
            session: author.session,
            ..self
        }
    }

    /// The message of a line.
    #[must_use]
    pub fn read(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    /// Its line, without the end.
    #[must_use]
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The id that a line written by us begins with: most lines of a long file are passed over by it
/// alone.
#[must_use]
pub fn id_in_front(line: &[u8]) -> Option<Stamp> {
    Stamp::of(line.strip_prefix(b"{\"id\":\"")?.get(..26)?)
}

/// What is wrong with a topic, in words; nothing if it is one.
#[must_use]
pub fn fault_of_topic(topic: &str) -> Option<&'static str> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    let is_part = |part: &str| !part.is_empty() && !part.starts_with('.');
    if topic.is_empty() || topic.len() > TOPIC_BYTES_MAX {
        Some("a topic has 1 to 200 letters")
    } else if !topic.chars().all(|c| is_word(c) || c == '/') {
        Some("a topic is made of letters, digits, and - _ . : with / between its parts")
    } else if !topic.split('/').all(is_part) {
        Some("no part of a topic is empty or begins with a dot")
    } else {
        None
    }
}

/// Whether a topic is one that we alone write to.
#[must_use]
pub fn is_ours(topic: &str) -> bool {
    topic.starts_with(OURS)
}

/// The topic with the verdicts about a session's work.
#[must_use]
pub fn review_topic(session: &str) -> String {
    [OURS, session].concat()
}

/// Whether a topic is a name or lies below it.
#[must_use]
pub fn is_within(topic: &str, name: &str) -> bool {
    let rest = topic.strip_prefix(name.trim_end_matches('/'));
    rest.is_some_and(|rest| name.is_empty() || rest.is_empty() || rest.starts_with('/'))
}

/// The directory of a topic's files: what not every file system takes is written `%3a`, and
/// letters are small.
#[must_use]
pub fn dir_of_topic(topic: &str) -> String {
    let mut dir = String::with_capacity(topic.len());
    for character in topic.to_lowercase().chars() {
        match character {
            'a'..='z' | '0'..='9' | '-' | '_' | '.' | '/' => dir.push(character),
            other => {
                let mut bytes = [0; 4];
                for byte in other.encode_utf8(&mut bytes).bytes() {
                    dir.push('%');
                    dir.push_str(&text::hex::encode(&[byte]));
                }
            }
        }
    }
    dir
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    fn message() -> Message {
        Message {
            id: Stamp::new(1_764_410_000_123, [1; 10]),
            topic: "build/linux".to_owned(),
            agent: "somehost".to_owned(),
            model: String::new(),
            role: Role::Worker,
            session: "s-1".to_owned(),
            body: "two\nlines, \"quoted\", \u{202e}".to_owned(),
            ts: "2025-11-29T09:53:20.123Z".to_owned(),
            re: None,
            meta: Map::new(),
            attachment: None,
            line: 1,
        }
    }

    #[test]
    fn a_message_comes_back_from_its_line() {
        let plain = message();
        let mut full = message();
        full.re = Some(plain.id);
        full.meta
            .insert("files".to_owned(), serde_json::json!(["a", 1]));
        full.attachment = Some(Attachment {
            sha256: "ab".repeat(32),
            bytes: 70_000,
        });
        for message in [plain, full] {
            let line = message.line();
            assert!(!line.contains('\n'));
            assert_eq!(Message::read(line.as_bytes()), Some(message.clone()));
            assert_eq!(id_in_front(line.as_bytes()), Some(message.id));
        }
    }

    #[test]
    fn lines_of_other_writers_are_read() {
        let line = r#"{"ts":"x","agent":"a","role":"critic","topic":"t","body":"b","new":{"x":1},
            "id":"01KB7Z0000000000000000000Z"}"#;
        let message = Message::read(line.as_bytes()).unwrap();
        assert_eq!((&*message.topic, message.role), ("t", Role::Program));
        assert_eq!(id_in_front(line.as_bytes()), None);
        assert_eq!(
            Message::read(br#"{"id":"1","topic":"t","agent":"a","body":"b"}"#),
            None
        );
    }

    #[test]
    fn topics_are_names_with_parts() {
        for topic in ["a", "build/linux", "review:s-1", "plan.v2/Größe_1"] {
            assert_eq!(fault_of_topic(topic), None, "{topic}");
        }
        let long = "x".repeat(201);
        for topic in [
            "", "/a", "a/", "a//b", "a/../b", ".git", "a b", "a\n", &long, "a\\b",
        ] {
            assert!(fault_of_topic(topic).is_some(), "{topic}");
        }
        assert!(is_ours(&review_topic("x")) && !is_ours("reviews/x"));
    }

    #[test]
    fn a_name_stands_for_all_below_it() {
        for (topic, name) in [
            ("a/b", "a"),
            ("a", "a"),
            ("a/b", "a/"),
            ("a", ""),
            ("a/b/c", "a/b"),
        ] {
            assert!(is_within(topic, name), "{topic} {name}");
        }
        for (topic, name) in [("ab", "a"), ("a", "a/b"), ("b/a", "a")] {
            assert!(!is_within(topic, name), "{topic} {name}");
        }
    }

    #[test]
    fn directories_suit_every_file_system() {
        assert_eq!(dir_of_topic("build/linux"), "build/linux");
        assert_eq!(dir_of_topic("review:S-1"), "review%3as-1");
        assert_eq!(dir_of_topic("ä"), "%c3%a4");
    }
}
