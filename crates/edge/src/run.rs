//! One payload from what was sent to what is said: decoded, judged, answered in the host's words.

use std::mem::ManuallyDrop;

use hosts::{Answer, Asked, Host, Reply, Wire, WireError};
use model::{Decision, Event, EventClass, FaultCause, Snapshot};
use rules::Rules;

use crate::fallback::{Fallback, Response, Unspoken};
use crate::judge::Judged;
use crate::pipeline::Pipeline;
use crate::{surroundings, sys};

/// What judges an event: [`gates::decide`], or in tests something that breaks.
pub type Decide = fn(&Event<'_>, &Snapshot, &Rules) -> Decision;

/// The command line names no host or no event, so nobody's words are known: the one form that most
/// hosts take for "no". An event that some host knows keeps its row of the failure table.
#[must_use]
pub fn misregistered(event: &str, what: &str) -> Response {
    let mut classes = hosts::HOSTS.iter().map(|host| (host.class)(event));
    let class = classes.find(|class| *class != EventClass::Lifecycle);
    let class = class.unwrap_or(EventClass::Mutating);
    match gates::stack::fault::answer(FaultCause::Payload, class, what) {
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
                ..Response::default()
            }
        }
    }
}

/// One event of a host that is to be answered.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The host that called.
    pub host: &'static Host,
    /// The event, as the host spells it.
    pub event: &'a str,
    /// The event as we were called for it: some spell it in another case.
    pub called: &'a str,
    /// What judges.
    pub decide: Decide,
    /// Where the replies stand ready.
    pub fallback: &'static Fallback,
}

impl Run<'_> {
    /// Says what is to be said if we break or run out of time.
    pub fn prepare(&self, event: &Event<'_>) {
        (self.fallback.prepare)(self.unspoken(&Asked::by(self.event, event), event.class()));
    }

    fn unspoken(&self, asked: &Asked<'_>, class: EventClass) -> Unspoken {
        Unspoken {
            host: self.host,
            event: asked.event.to_owned(),
            asks: asked.asks,
            class,
        }
    }

    /// Nothing to say, in the host's words: some take no answer at all for a broken hook.
    pub fn silence(&self) -> Response {
        Response {
            reply: (self.host.reply)(&Asked::unread(self.event), &Answer::default()),
            ..Response::default()
        }
    }

    /// The failure table's answer in the host's words.
    fn fault(&self, asked: &Asked<'_>, class: EventClass, what: (FaultCause, &str)) -> Response {
        self.unspoken(asked, class).in_words(what)
    }

    /// The answer to a call whose verdict cannot be had or kept, where it cannot be waited for.
    #[must_use]
    pub fn refused(&self, cause: FaultCause, what: &str) -> Response {
        self.fault(
            &Asked::unread(self.event),
            EventClass::Verdict,
            (cause, what),
        )
    }

    /// The answer to a payload that could not be read at all.
    #[must_use]
    pub fn unreadable(&self, why: &str) -> Response {
        self.unread("", why)
    }

    /// The answer to a payload of which the end did not arrive.
    #[must_use]
    pub fn late(&self, why: &str) -> Response {
        if self.event.is_empty() {
            return misregistered(self.event, why);
        }
        let class = (self.host.class)(self.event);
        self.fault(&Asked::unread(self.event), class, (FaultCause::Time, why))
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

    /// The answer to a payload.
    #[must_use]
    pub fn answer(&self, bytes: Vec<u8>) -> Response {
        let bytes = ManuallyDrop::new(bytes);
        let response = self.answered(&bytes);
        self.free(bytes);
        response
    }

    /// Frees what is not needed any more, where the process goes on.
    pub(crate) fn free<T>(&self, what: ManuallyDrop<T>) {
        if !self.fallback.ends {
            drop(ManuallyDrop::into_inner(what));
        }
    }

    fn answered(&self, bytes: &[u8]) -> Response {
        let begin = sys::uptime();
        if self.event.is_empty() && !bytes.trim_ascii().is_empty() {
            return self.unread(
                "",
                "neither the command line nor the payload names an event",
            );
        }
        let time = surroundings::now();
        let wire = Wire {
            event: self.event,
            bytes,
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
        let mut judged = ManuallyDrop::new(Judged::default());
        let response = match Pipeline::open(*self, begin, &mut event, &mut judged.snapshot) {
            Some(pipeline) => {
                let pipeline = ManuallyDrop::new(pipeline);
                let response = pipeline.answer(&wire, &mut event, &mut judged);
                self.free(pipeline);
                response
            }
            None => self.silence(),
        };
        self.free(judged);
        self.free(event);
        response
    }
}
