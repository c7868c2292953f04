//! Reads no more of a file than what is asked for needs: from the beginning until the first prompt,
//! and back from the end in windows that grow. Pure: who calls lends the reading.

use super::extraction::Extraction;
use super::extractor::{Extractor, Format};
use super::frames::Frame;
use super::query::{Query, Section};
use model::TranscriptContext;

/// How much is read at once, in bytes.
const PIECE_BYTES: usize = 256 * 1024;
/// The first window at the end, in bytes.
const WINDOW_BYTES: u64 = 256 * 1024;
/// How much larger each next window is.
const GROWTH: u64 = 4;
/// How much of the beginning is looked at for what a file says of itself, in bytes.
const HEAD_BYTES: u64 = 256 * 1024;

/// Reads bytes of a file from an offset on: how many there were, or nothing if it failed.
pub type ReadAt<'r> = &'r mut dyn FnMut(u64, &mut [u8]) -> Option<usize>;

/// What a session file tells of what is wished. `length` is the file's length as it was looked up:
/// what is appended meanwhile is not read.
pub fn extract(format: Format, query: &Query, length: u64, read_at: ReadAt<'_>) -> Extraction {
    let limit = query.bytes_max.unwrap_or(u64::MAX).max(1);
    let mut file = File {
        length,
        read_at,
        piece: vec![0; PIECE_BYTES],
        broken: false,
    };
    let is_document = format.frame == Frame::Document;
    let all = length <= WINDOW_BYTES || is_document || (query.needs_all() && length <= limit);
    if all {
        return file.whole(format, query);
    }
    let mut head = Extractor::new(format, query, false);
    let wants_intent = query.has(Section::Intent);
    let until = if wants_intent { limit } else { HEAD_BYTES };
    let is_read = file.feed(&mut head, 0..until.min(length), &mut |head| {
        wants_intent && head.intent().is_some()
    });
    if is_read && until >= length {
        return file.finish(head, 0);
    }
    let (context, intent) = (head.context().clone(), head.intent().cloned());
    let mut extraction = file.windowed(format, query, (context, limit));
    extraction.intent = intent.filter(|_| wants_intent);
    extraction
}

struct File<'r> {
    length: u64,
    read_at: ReadAt<'r>,
    piece: Vec<u8>,
    broken: bool,
}

impl File<'_> {
    fn whole(&mut self, format: Format, query: &Query) -> Extraction {
        let mut all = Extractor::new(format, query, false);
        self.feed(&mut all, 0..self.length, &mut |_| false);
        self.finish(all, 0)
    }

    fn windowed(
        &mut self,
        format: Format,
        query: &Query,
        (context, limit): (TranscriptContext, u64),
    ) -> Extraction {
        let mut window = WINDOW_BYTES.min(limit);
        loop {
            if window >= self.length {
                return self.whole(format, query);
            }
            // A byte more: whether a record begins here is seen by the byte before it.
            let start = self.length.saturating_sub(window + 1);
            let mut part = Extractor::new(format, query, true).in_context(context.clone());
            self.feed(&mut part, start..self.length, &mut |_| false);
            if part.is_settled() || window >= limit || self.broken {
                return self.finish(part, start);
            }
            window = window.saturating_mul(GROWTH).min(limit);
        }
    }

    /// Feeds a range, until something is enough. Whether it was fed to its end.
    fn feed(
        &mut self,
        to: &mut Extractor<'_>,
        range: std::ops::Range<u64>,
        is_enough: &mut dyn FnMut(&Extractor<'_>) -> bool,
    ) -> bool {
        let mut at = range.start;
        while at < range.end {
            let most = usize::try_from(range.end - at).unwrap_or(usize::MAX);
            let most = most.min(self.piece.len());
            let piece = self.piece.get_mut(..most).unwrap_or_default();
            let count = match (self.read_at)(at, piece) {
                // It became shorter.
                Some(0) => return true,
                Some(count) => count.min(most),
                None => {
                    self.broken = true;
                    return true;
                }
            };
            to.push(self.piece.get(..count).unwrap_or_default());
            at += count as u64;
            if is_enough(to) {
                return false;
            }
        }
        true
    }

    fn finish(&self, extractor: Extractor<'_>, from: u64) -> Extraction {
        let mut extraction = extractor.end();
        extraction.seen.from = from;
        extraction.seen.length = self.length;
        extraction.seen.broken = self.broken;
        extraction
    }
}
