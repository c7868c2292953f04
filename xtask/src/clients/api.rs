//! A scripted stand-in for a model, on loopback.
//!
//! It plays fixed replies to a real client and keeps every request, so that a test can drive the
//! client through a list of tool calls with no network and no credentials. How a client speaks to
//! its model is the wire of that client's folder.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use serde_json::Value;

use super::http::{self, Request, Response};

/// One tool call that the model makes, or its last words.
#[derive(Clone)]
pub enum Turn {
    /// Call a tool.
    Call(&'static str, Value),
    /// Say this and end the turn.
    Say(&'static str),
    /// Call a tool with `{}` in its input replaced by the word that follows this text in what was
    /// heard.
    CallWith(&'static str, Value, &'static str),
    /// Say this with `{}` replaced in the same way, and end the turn.
    SayWith(&'static str, &'static str),
    /// Wait for so many milliseconds, then say this.
    SayLater(u64, &'static str, &'static str),
}

impl Turn {
    /// The same turn with every word filled in from what was heard.
    fn filled(self, heard: &str) -> Self {
        let word = |after: &str| {
            let rest = heard.split_once(after).map_or("", |(_, rest)| rest);
            let ends = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_');
            rest.split(ends).next().unwrap_or_default().to_owned()
        };
        let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        match self {
            Self::CallWith(tool, input, after) => {
                let input = input.to_string().replace("{}", &word(after));
                Self::Call(tool, serde_json::from_str(&input).unwrap_or_default())
            }
            Self::SayWith(text, after) => Self::Say(leaked(text.replace("{}", &word(after)))),
            Self::SayLater(millis, text, after) => {
                std::thread::sleep(std::time::Duration::from_millis(millis));
                Self::Say(leaked(text.replace("{}", &word(after))))
            }
            plain => plain,
        }
    }
}

/// What the model says in one conversation, told apart by a mark in its first prompt.
pub struct Lane {
    /// Text that the first user message contains; empty = any.
    pub mark: &'static str,
    /// The replies in order; past the end the model says `ok`.
    pub turns: Vec<Turn>,
}

/// Answers one request of a client in the words of its model's API.
pub type Answer = fn(&Request, &Script) -> Response;

/// The lanes, how far each has been played, and every request so far.
pub struct Script {
    lanes: Vec<Lane>,
    played: Mutex<Played>,
}

#[derive(Default)]
struct Played {
    positions: Vec<usize>,
    requests: Vec<Value>,
}

/// What a request says, as far as a script must know it.
pub struct Asked<'a> {
    /// The whole request.
    pub body: &'a Value,
    /// The conversation in it.
    pub conversation: &'a Value,
    /// Its first prompt, which says whose conversation it is.
    pub first: &'a str,
    /// Whether the model is offered tools; without any it plays no lane.
    pub offers_tools: bool,
}

impl Script {
    /// The number of a request, and what the model does next in the lane that it belongs to.
    pub fn next(&self, asked: &Asked<'_>) -> (usize, Turn) {
        let mut played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        let number = played.requests.len();
        played.requests.push(asked.body.clone());
        let fits = |lane: &Lane| asked.offers_tools && asked.first.contains(lane.mark);
        let lane = self.lanes.iter().position(fits);
        let turn = lane.and_then(|lane| {
            let at = played.positions.get_mut(lane)?;
            *at += 1;
            self.lanes.get(lane)?.turns.get(*at - 1).cloned()
        });
        // Whoever waits must not keep the others waiting.
        drop(played);
        let turn = turn.unwrap_or(Turn::Say("ok"));
        (number, turn.filled(&texts(asked.conversation)))
    }
}

/// A running model. It serves until the process ends.
pub struct Api {
    /// Its port on loopback.
    pub port: u16,
    script: Arc<Script>,
}

impl Api {
    /// Starts a model that plays these lanes, the first whose mark fits.
    ///
    /// # Errors
    /// If no port can be had.
    pub fn start(answer: Answer, lanes: Vec<Lane>) -> Result<Self> {
        let played = Mutex::new(Played {
            positions: vec![0; lanes.len()],
            requests: Vec::new(),
        });
        let script = Arc::new(Script { lanes, played });
        let shared = Arc::clone(&script);
        let port = http::serve(move |request| answer(request, &shared))?;
        Ok(Self { port, script })
    }

    /// Everything the client told the model so far, one request after the other.
    pub fn requests(&self) -> Vec<Value> {
        let played = self.script.played.lock();
        let played = played.unwrap_or_else(PoisonError::into_inner);
        played.requests.clone()
    }

    /// The same as one text.
    pub fn heard(&self) -> String {
        let requests = self.requests();
        let lines: Vec<String> = requests.iter().map(Value::to_string).collect();
        lines.join("\n")
    }
}

/// All texts in a value, one a line.
fn texts(value: &Value) -> String {
    fn gather(value: &Value, texts: &mut String) {
        match value {
            Value::String(text) => {
                texts.push_str(text);
                texts.push('\n');
            }
            Value::Array(items) => items.iter().for_each(|item| gather(item, texts)),
            Value::Object(members) => members.values().for_each(|item| gather(item, texts)),
            _ => {}
        }
    }
    let mut found = String::new();
    gather(value, &mut found);
    found
}
