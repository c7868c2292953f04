//! One event from stdin to the answer.

use std::mem::ManuallyDrop;

use hosts::{Answer, Asked, Host, PAYLOAD_BYTES_MAX, Reply, Wire, WireError};
use model::{Decision, Event, EventClass, FaultCause, Level, Snapshot, one_line};
use rules::Rules;

use crate::concerns::stop_guard::BREAKS;
use crate::edge::Edge;
use crate::fallback::{Fallback, Response};
use crate::last_word;
use crate::limits::{READ_TIME_MAX, time_max};
use crate::{surroundings, sys};

/// Most payloads have room in this, in bytes.
const PAYLOAD_BYTES_USUAL: usize = 16 * 1024;
/// Longest name of a host that is told, in characters.
const NAME_CHARS_MAX: usize = 60;

/// What judges an event: [`gates::decide`], or in tests something that breaks.
pub type Decide = fn(&Event<'_>, &Snapshot, &Rules) -> Decision;

/// Runs the hook: `tollgate-hook HOST EVENT`.
pub fn run(words: &[String]) -> ! {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    run_for(word(0), word(1))
}

/// Runs the hook for a host and one of its events. Whatever they are, it is never a usage error:
/// a host would take that for "no opinion".
pub fn run_for(host: &str, event: &str) -> ! {
    match hosts::find(host) {
        Some(host) => run_with(host, event, gates::decide),
        None => {
            let what = format!("no host is called {:?}", one_line(host, NAME_CHARS_MAX));
            last_word::answer(&misregistered(event, &what))
        }
    }
}

/// Runs the hook with something that judges.
pub fn run_with(host: &'static Host, event: &str, decide: Decide) -> ! {
    last_word::arm();
    let class = (host.class)(event);
    let by_table = gates::fault::answer_of(FaultCause::Gate, class).spoken();
    let refuses = by_table.is_some_and(|(level, _)| level > Level::Allow);
    last_word::refuse_by_default(event.is_empty() || refuses);
    last_word::deadline(READ_TIME_MAX);
    let bytes = read_input();
    last_word::deadline(time_max(class));
    let named = match &bytes {
        Ok(bytes) if event.is_empty() => (host.event_name)(bytes),
        _ => event.to_owned(),
    };
    let hook = Hook {
        host,
        event: &named,
        decide,
        fallback: &last_word::FALLBACK,
    };
    last_word::answer(&hook.answer(bytes))
}

/// The command line names no host or no event, so nobody's words are known: the one form that most
/// hosts take for "no". An event that some host knows keeps its row of the failure table.
fn misregistered(event: &str, what: &str) -> Response {
    let mut classes = hosts::HOSTS.iter().map(|host| (host.class)(event));
    let class = classes.find(|class| *class != EventClass::Lifecycle);
    let class = class.unwrap_or(EventClass::Mutating);
    match gates::fault::answer(FaultCause::Payload, class, what) {
        None => Response::default(),
        Some((_, words)) => {
            let reply = Reply {
                stdout: Vec::new(),
                stderr: words.into_bytes(),
                code: 2,
            };
            Response {
                reply,
                refuses: true,
            }
        }
    }
}

/// One run of the hook.
#[derive(Clone, Copy)]
pub(crate) struct Hook<'a> {
    /// The host that called.
    pub host: &'static Host,
    /// The event, as the host spells it.
    pub event: &'a str,
    /// What judges.
    pub decide: Decide,
    /// Where the replies stand ready.
    pub fallback: &'static Fallback,
}

impl<'a> Hook<'a> {
    /// Renders the replies that stand ready if we break or run out of time.
    pub fn prepare(&self, event: &Event<'_>) {
        let (asked, class) = (Asked::by(self.event, event), event.class());
        for (cause, row, what) in BREAKS {
            (self.fallback.set)(cause, &self.fault(&asked, class, (row, what)));
        }
    }

    /// Nothing to say, in the host's words: some take no answer at all for a broken hook.
    pub fn silence(&self) -> Response {
        Response {
            reply: (self.host.reply)(&Asked::unread(self.event), &Answer::default()),
            refuses: false,
        }
    }

    /// The failure table's answer in the host's words.
    fn fault(&self, asked: &Asked<'_>, class: EventClass, what: (FaultCause, &str)) -> Response {
        let answer = gates::fault::answer(what.0, class, what.1);
        let (level, words) = answer.unwrap_or_default();
        let answer = match level {
            Level::Allow => Answer {
                advice: &words,
                ..Answer::default()
            },
            _ => Answer {
                level,
                reason: &words,
                ..Answer::default()
            },
        };
        Response {
            reply: (self.host.reply)(asked, &answer),
            refuses: level > Level::Allow,
        }
    }

    /// The answer to a payload that cannot be read. `found` is the event that it says it is: where
    /// that is known, it is what the host is waiting for.
    fn unread(&self, found: &str, what: &str) -> Response {
        let is_known = (self.host.class)(found) != EventClass::Lifecycle;
        let event = if is_known { found } else { self.event };
        if event.is_empty() {
            return misregistered(event, what);
        }
        let class = (self.host.class)(event);
        self.fault(&Asked::unread(event), class, (FaultCause::Payload, what))
    }

    fn answer(&self, bytes: Result<Vec<u8>, String>) -> Response {
        let begin = sys::uptime();
        // Whatever lives as long as the process is not freed: that would only take time.
        let bytes = match bytes {
            Ok(bytes) => ManuallyDrop::new(bytes),
            Err(why) => return self.unread("", &why),
        };
        if self.event.is_empty() && !bytes.trim_ascii().is_empty() {
            return self.unread(
                "",
                "neither the command line nor the payload names an event",
            );
        }
        let time = surroundings::now();
        let wire = Wire {
            event: self.event,
            bytes: &bytes,
            env: &surroundings::env,
            time,
        };
        let mut event = match (self.host.decode)(&wire) {
            Ok(event) => ManuallyDrop::new(event),
            Err(error) => {
                let found = match &error {
                    WireError::EventMismatch { found, .. } => found,
                    _ => "",
                };
                return self.unread(found, &error.to_string());
            }
        };
        // What fits the event as it was sent, until it is known what it is.
        self.prepare(&event);
        match Edge::open(*self, begin, &mut event) {
            Some(edge) => ManuallyDrop::new(edge).answer(&wire, &mut event),
            None => self.silence(),
        }
    }
}

/// The payload, up to one byte more than is read.
fn read_input() -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(PAYLOAD_BYTES_USUAL);
    match sys::read_input(&mut bytes, PAYLOAD_BYTES_MAX + 1) {
        Ok(()) if bytes.len() > PAYLOAD_BYTES_MAX => {
            Err(WireError::TooLarge { bytes: bytes.len() }.to_string())
        }
        Ok(()) => Ok(bytes),
        Err(error) => Err(format!("the payload could not be read: {error}")),
    }
}
