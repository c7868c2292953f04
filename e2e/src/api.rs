//! A scripted stand-in for a model, on loopback.
//!
//! It plays fixed replies to a real client and keeps every request, so that a test can drive the
//! client through a list of tool calls with no network and no credentials. How a client speaks to
//! its model is the wire of that client's folder.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

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
    /// The same as soon as something holds. Until then the client waits for its model, which costs
    /// no turn and ends in no time-out of the client's tools.
    Once(Hold, Box<Turn>),
}

/// What a turn waits for.
#[derive(Clone)]
pub enum Hold {
    /// This text is in what the model was told, in any conversation.
    Heard(&'static str),
    /// This is true; it is asked again and again.
    True(Arc<dyn Fn() -> bool + Send + Sync>),
}

/// Longest wait of a turn; then the model goes on, and the scenario says what is missing.
const HOLD_TIME_MAX: Duration = Duration::from_secs(90);
/// How often it is looked whether a turn may go on.
const HOLD_INTERVAL: Duration = Duration::from_millis(20);

impl Turn {
    /// The same once this text was heard.
    pub fn once_heard(self, text: &'static str) -> Self {
        Self::Once(Hold::Heard(text), Box::new(self))
    }

    /// The same once this is true.
    pub fn once(self, holds: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self::Once(Hold::True(Arc::new(holds)), Box::new(self))
    }

    /// The same once there is such a file.
    pub fn once_there(self, file: PathBuf) -> Self {
        self.once(move || file.exists())
    }

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

impl Lane {
    /// In a conversation that begins with this mark the model makes these calls, then says that it
    /// is done.
    pub fn of(mark: &'static str, calls: Vec<Turn>) -> Self {
        let turns = calls.into_iter().chain([Turn::Say("done")]).collect();
        Self { mark, turns }
    }

    /// In whatever conversation the model makes these calls, then says that it is done.
    pub fn only(calls: Vec<Turn>) -> Vec<Self> {
        vec![Self::of("", calls)]
    }
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
    /// What was asked in which lane, and the turn that it was given.
    given: Vec<(usize, Value, usize)>,
    requests: Vec<Value>,
}

impl Played {
    /// The turn of a lane for a conversation. A client that asks the same again, because it was
    /// not content with how the answer came, is given the same.
    fn turn(&mut self, lane: usize, conversation: &Value) -> Option<usize> {
        let is_same = |(in_lane, asked, _): &&(usize, Value, usize)| {
            *in_lane == lane && asked == conversation
        };
        if let Some((_, _, turn)) = self.given.iter().find(is_same) {
            return Some(*turn);
        }
        let position = self.positions.get_mut(lane)?;
        *position += 1;
        let turn = *position - 1;
        self.given.push((lane, conversation.clone(), turn));
        Some(turn)
    }
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
            let turn = played.turn(lane, asked.conversation)?;
            self.lanes.get(lane)?.turns.get(turn).cloned()
        });
        // Whoever waits must not keep the others waiting.
        drop(played);
        let turn = self.in_time(turn.unwrap_or(Turn::Say("ok")));
        (number, turn.filled(&texts(asked.conversation)))
    }

    /// The turn, once what it waits for holds.
    fn in_time(&self, turn: Turn) -> Turn {
        let Turn::Once(hold, turn) = turn else {
            return turn;
        };
        let holds = || match &hold {
            Hold::Heard(text) => self.heard().contains(text),
            Hold::True(holds) => holds(),
        };
        let end = Instant::now() + HOLD_TIME_MAX;
        while !holds() && Instant::now() < end {
            std::thread::sleep(HOLD_INTERVAL);
        }
        self.in_time(*turn)
    }

    /// Everything that was asked so far, one request after the other.
    fn heard(&self) -> String {
        let played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<String> = played.requests.iter().map(Value::to_string).collect();
        lines.join("\n")
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
            ..Played::default()
        });
        let script = Arc::new(Script { lanes, played });
        let shared = Arc::clone(&script);
        let port = http::serve(move |request| answer(request, &shared))?;
        Ok(Self { port, script })
    }

    /// Everything the client told the model so far, one request a line.
    pub fn heard(&self) -> String {
        self.script.heard()
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn script(lanes: Vec<Lane>) -> Script {
        let positions = vec![0; lanes.len()];
        let played = Mutex::new(Played {
            positions,
            ..Played::default()
        });
        Script { lanes, played }
    }

    fn said(script: &Script, first: &str, conversation: Value) -> &'static str {
        let asked = Asked {
            body: &conversation,
            conversation: &conversation,
            first,
            offers_tools: true,
        };
        match script.next(&asked).1 {
            Turn::Say(text) => text,
            _ => "a call",
        }
    }

    #[test]
    fn whoever_asks_the_same_again_is_told_the_same() {
        let turns = ["one", "two", "three"].map(Turn::Say).to_vec();
        let script = script(vec![Lane { mark: "", turns }]);
        let said = |conversation| said(&script, "go", conversation);
        assert_eq!(said(json!(["go"])), "one");
        assert_eq!(said(json!(["go"])), "one");
        assert_eq!(said(json!(["go", "one", "on"])), "two");
        assert_eq!(said(json!(["go", "one", "on"])), "two");
        assert_eq!(said(json!(["go", "one", "on", "two"])), "three");
    }

    #[test]
    fn a_turn_waits_for_what_it_is_to_come_after() {
        let waits = Lane {
            mark: "WAITS",
            turns: vec![Turn::Say("after").once_heard("news")],
        };
        let script = script(vec![waits]);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| said(&script, "WAITS", json!(["go"])));
            assert!(!waits.is_finished());
            assert_eq!(said(&script, "another", json!(["news"])), "ok");
            assert_eq!(waits.join().unwrap(), "after");
        });
    }
}
