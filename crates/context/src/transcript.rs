//! A transcript as a stream: bytes are pushed in as they are read, what is told comes out in order.
//!
//! A line that is torn or too long is counted and passed over: hosts append while we read, and
//! their formats change. A resumed or forked session repeats its past; a call seen before is
//! counted and not given again.

use model::{LineDecoder, Past, PastCall, Scene, SceneDecoder};
use std::collections::HashSet;

/// Longest line that is read, in bytes; a longer one is passed over.
pub const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// What was found so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Lines, blank ones left out.
    pub lines: u64,
    /// Lines that could not be read.
    pub torn: u64,
    /// Calls given.
    pub calls: u64,
    /// Calls passed over since they were given before.
    pub repeated: u64,
}

/// A reader of one or more transcripts of one host.
#[derive(Debug)]
pub struct Transcript {
    decode: LineDecoder,
    scene_of: SceneDecoder,
    /// What the lines of this file are about.
    scene: Scene,
    /// The start of a line whose end was not pushed yet.
    part: Vec<u8>,
    /// Whether the line in `part` is too long, so that its rest is passed over.
    too_long: bool,
    /// Hashes of the calls given.
    given: HashSet<u64>,
    counts: Counts,
}

impl Transcript {
    /// A reader that has seen nothing. `decode` is the host's.
    #[must_use]
    pub fn new(decode: LineDecoder) -> Self {
        Self {
            decode,
            scene_of: |_| None,
            scene: Scene::default(),
            part: Vec::new(),
            too_long: false,
            given: HashSet::new(),
            counts: Counts::default(),
        }
    }

    /// The same reader for files in which some lines say what the others are about.
    #[must_use]
    pub fn in_scenes(self, scene_of: SceneDecoder) -> Self {
        Self { scene_of, ..self }
    }

    /// Takes the next bytes, in pieces of any size, and gives what the lines tell that they
    /// complete.
    pub fn push(&mut self, bytes: &[u8], give: &mut dyn FnMut(Past)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at_checked(end).unwrap_or_default();
            if self.part.is_empty() && !self.too_long {
                self.read(line, give);
            } else {
                self.keep(line);
                self.end_line(give);
            }
            rest = after.get(1..).unwrap_or_default();
        }
        self.keep(rest);
    }

    /// Ends a file: what is left is its last line, whole or torn.
    pub fn end(&mut self, give: &mut dyn FnMut(Past)) {
        self.end_line(give);
        self.scene = Scene::default();
    }

    /// What was found so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    fn keep(&mut self, piece: &[u8]) {
        self.too_long |= self.part.len() + piece.len() > LINE_BYTES_MAX;
        if self.too_long {
            self.part.clear();
        } else {
            self.part.extend_from_slice(piece);
        }
    }

    fn end_line(&mut self, give: &mut dyn FnMut(Past)) {
        if std::mem::take(&mut self.too_long) {
            self.counts.lines += 1;
            self.counts.torn += 1;
            return;
        }
        let mut line = std::mem::take(&mut self.part);
        self.read(&line, give);
        line.clear();
        self.part = line;
    }

    fn read(&mut self, line: &[u8], give: &mut dyn FnMut(Past)) {
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        self.counts.lines += 1;
        if let Some(scene) = (self.scene_of)(line) {
            self.scene.change(scene);
        }
        let Some(told) = (self.decode)(line) else {
            self.counts.torn += 1;
            return;
        };
        for mut past in told {
            let Past::Call(call) = &mut past else {
                give(past);
                continue;
            };
            self.scene.fill(call);
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
