//! Answers in the form that several hosts took over from one another: `hookSpecificOutput`, a
//! `decision` beside it, and an exit status. Must not know any host's names: a host says which
//! event is answered how.

use crate::shared::reply::{Answer, Asked, Reply, said};
use crate::{Host, Notices};
use model::{EventClass, Level};
use text::json;
use text::json::object::Writer;

/// Ends the reason of a question that nobody is there to answer, unless it says so itself.
const NOBODY_TO_ASK: &str = "Nobody can be asked here, so this is a refusal: ask the user.";

/// What is to be said, ready to be put into a form.
pub(crate) struct ReplyParts<'a> {
    /// The event, as the host spells it.
    pub event: &'a str,
    /// What the host is told to do.
    pub verdict: Verdict,
    /// Empty if the verdict is silence.
    pub reason: String,
    /// Words for the worker that stop nothing.
    pub advice: String,
    /// Words for the human.
    pub notice: String,
    /// JSON that runs in the place of the worker's input; empty if the verdict is not silence.
    pub input: &'a str,
}

/// What a host can be told. It can be asked to ask only where a human is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing: its own permissions apply.
    Nothing,
    /// To ask its human.
    Ask,
    /// To stop what the event is about.
    Stop,
}

impl<'a> ReplyParts<'a> {
    /// What is to be said for an answer, of which only what the host can be told is left.
    pub fn of(host: &Host, asked: &Asked<'a>, answer: &Answer<'a>) -> Self {
        let can = &host.capabilities;
        let (verdict, reason) = match (answer.level, asked.asks && can.asks) {
            (Level::Allow, _) => (Verdict::Nothing, String::new()),
            (Level::Ask, true) => (Verdict::Ask, answer.reason()),
            (Level::Ask, false) => {
                let reason = answer.reason();
                let says_so = says(&reason, "the user");
                let more = if says_so { "" } else { NOBODY_TO_ASK };
                (
                    Verdict::Stop,
                    [&reason, " ", more].concat().trim_end().to_owned(),
                )
            }
            (Level::Deny, _) => (Verdict::Stop, answer.reason()),
        };
        let is_call = asked.event == host.before_call;
        let shows = match can.notices {
            Notices::Never => false,
            Notices::AtStop => (host.class)(asked.event) == EventClass::Stop,
            Notices::Always => true,
        };
        let advises = can.advises_before || !is_call;
        let rewrites = can.rewrites && is_call && verdict == Verdict::Nothing;
        let only = |is_told: bool, text| said(if is_told { text } else { "" });
        Self {
            event: asked.event,
            verdict,
            reason,
            advice: only(advises, answer.advice),
            notice: only(shows, answer.notice),
            input: if rewrites { answer.input } else { "" },
        }
    }

    /// A decision about a tool; context for the worker.
    pub fn tool(&self, stop_code: i32) -> Reply {
        let decision = match self.verdict {
            Verdict::Nothing => "",
            Verdict::Ask => "ask",
            Verdict::Stop => "deny",
        };
        let specific = Writer::default()
            .text("permissionDecision", decision)
            .text("permissionDecisionReason", &self.reason)
            .raw("updatedInput", self.input)
            .text("additionalContext", &self.advice);
        let stops = self.verdict == Verdict::Stop;
        self.finish(self.specific(specific), if stops { stop_code } else { 0 })
    }

    /// The host is about to ask its human: that is what Ask wants, so it is left to ask.
    pub fn permission(&self) -> Reply {
        if self.verdict != Verdict::Stop {
            return self.finish(Writer::default(), 0);
        }
        let decision = Writer::default()
            .text("behavior", "deny")
            .text("message", &self.reason);
        let specific = Writer::default().object("decision", &decision);
        self.finish(self.specific(specific), 0)
    }

    /// An event that can be stopped, but at which nobody can be asked.
    pub fn block(&self, with_context: bool, stop_code: i32) -> Reply {
        let stops = self.verdict != Verdict::Nothing;
        let context = if with_context {
            self.advice.as_str()
        } else {
            ""
        };
        let output = self
            .specific(Writer::default().text("additionalContext", context))
            .text("decision", if stops { "block" } else { "" })
            .text("reason", &self.reason);
        self.finish(output, if stops { stop_code } else { 0 })
    }

    /// An event that cannot be stopped: reason and advice alike are only words.
    pub fn context(&self) -> Reply {
        let both = [self.reason.as_str(), self.advice.as_str()];
        let context = both.join("\n");
        self.finish(
            self.specific(Writer::default().text("additionalContext", context.trim())),
            0,
        )
    }

    /// The part that is for one kind of event, under its name.
    fn specific(&self, specific: Writer) -> Writer {
        if specific.is_empty() {
            return Writer::default();
        }
        let named = Writer::default().text("hookEventName", self.event);
        Writer::default().object("hookSpecificOutput", &named.and(&specific))
    }

    fn finish(&self, output: Writer, code: i32) -> Reply {
        let stderr = if code == 0 { "" } else { self.reason.as_str() };
        Reply {
            stdout: output.text("systemMessage", &self.notice).finish(),
            stderr: stderr.as_bytes().to_vec(),
            code,
        }
    }
}

/// Whether a text has these words, in upper or lower case.
fn says(text: &str, words: &str) -> bool {
    let (text, words) = (text.as_bytes(), words.as_bytes());
    let first = words.first().map(u8::to_ascii_lowercase);
    let begins = |byte: u8| Some(byte.to_ascii_lowercase()) == first;
    let mut places = text.iter().enumerate().filter(|(_, byte)| begins(**byte));
    places.any(|(at, _)| {
        let found = text.get(at..at + words.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(words))
    })
}

/// How a host takes a reply in this form to a call that is about to run.
pub(crate) fn understood(reply: &Reply) -> Level {
    if reply.code == 2 {
        return Level::Deny;
    }
    let text = String::from_utf8_lossy(&reply.stdout);
    let said = json::object(text.trim()).ok().and_then(|object| {
        let inner = object.get("hookSpecificOutput")?.object()?;
        let decision = inner.text("permissionDecision")?;
        Some(match &*decision {
            "deny" => Level::Deny,
            "ask" => Level::Ask,
            _ => Level::Allow,
        })
    });
    said.unwrap_or(Level::Allow)
}
