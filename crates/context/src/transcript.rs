//! A transcript as a stream: bytes are pushed in as they are read, what is told comes out in order.
//!
//! A line that is torn or too long is counted and passed over: hosts append while we read, and
//! their formats change. A resumed or forked session repeats its past; a call seen before is
//! counted and not given again.

mod clean;
mod decisions;
mod extraction;
mod extractor;
mod frames;
mod query;
mod render;
mod todos;
mod window;

pub use decisions::MARKERS;
pub use extraction::{
    CallOutcome, ChangedFile, Decision, Extraction, Failure, Prompt, ReadStats, Skill, ToolUse,
};
pub use extractor::Format;
pub use frames::{Frame, LINE_BYTES_MAX};
pub use query::{Query, Section, TURNS};
pub use render::TOKEN_BYTES;
pub use todos::Todos;
pub use window::{ReadAt, extract};

use frames::{Frames, Record};
use model::{ContextDecoder, LineDecoder, Past, PastCall, TranscriptContext};
use std::collections::HashSet;

/// What was found so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineCounts {
    /// Lines, blank ones left out.
    pub lines: u64,
    /// Lines that could not be read.
    pub torn: u64,
    /// Calls given.
    pub calls: u64,
    /// Calls passed over since they were given before.
    pub repeated: u64,
}

/// A reader of the calls in one or more transcripts of one host.
#[derive(Debug)]
pub struct Transcript {
    frames: Frames,
    calls: Calls,
}

/// What is known of the records so far.
#[derive(Debug)]
struct Calls {
    decode: LineDecoder,
    decode_context: ContextDecoder,
    /// What the lines of this file are about.
    context: TranscriptContext,
    /// Hashes of the calls given.
    given: HashSet<u64>,
    counts: LineCounts,
}

impl Transcript {
    /// A reader that has seen nothing. `decode` is the host's.
    #[must_use]
    pub fn new(decode: LineDecoder) -> Self {
        Self {
            frames: Frames::new(Frame::Lines),
            calls: Calls {
                decode,
                decode_context: |_| None,
                context: TranscriptContext::default(),
                given: HashSet::new(),
                counts: LineCounts::default(),
            },
        }
    }

    /// The same reader for files in which some lines say what the others are about.
    #[must_use]
    pub fn with_context_decoder(mut self, decode_context: ContextDecoder) -> Self {
        self.calls.decode_context = decode_context;
        self
    }

    /// Takes the next bytes, in pieces of any size, and gives what the lines tell that they
    /// complete.
    pub fn push(&mut self, bytes: &[u8], give: &mut dyn FnMut(Past)) {
        let Self { frames, calls } = self;
        frames.push(bytes, &mut |record| calls.read(record, give));
    }

    /// Ends a file: what is left is its last line, whole or torn.
    pub fn end(&mut self, give: &mut dyn FnMut(Past)) {
        let Self { frames, calls } = self;
        frames.end(&mut |record| calls.read(record, give));
        calls.context = TranscriptContext::default();
    }

    /// What was found so far.
    #[must_use]
    pub fn counts(&self) -> LineCounts {
        self.calls.counts
    }
}

impl Calls {
    fn read(&mut self, record: Record<'_>, give: &mut dyn FnMut(Past)) {
        self.counts.lines += 1;
        let Record::Whole(line) = record else {
            self.counts.torn += 1;
            return;
        };
        if let Some(context) = (self.decode_context)(line) {
            self.context.change(context);
        }
        let Some(extracted) = (self.decode)(line) else {
            self.counts.torn += 1;
            return;
        };
        for mut past in extracted {
            let Past::Call(call) = &mut past else {
                give(past);
                continue;
            };
            self.context.fill(call);
            // A call without an id cannot be told from its repetition.
            let is_new = call.call_id.is_empty() || self.given.insert(key(call));
            if is_new {
                self.counts.calls += 1;
                give(past);
            } else {
                self.counts.repeated += 1;
            }
        }
    }
}

/// A call's id is the host's, and stays when a session is resumed under another name.
fn key(call: &PastCall) -> u64 {
    model::fnv64(call.call_id.as_bytes())
}

#[cfg(test)]
mod tests;
