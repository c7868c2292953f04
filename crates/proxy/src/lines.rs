//! Frames of a stream, one a line, as bytes.

use std::io::{self, Read};

use crate::FRAME_BYTES_MAX;

/// How much is read at once.
const PART_BYTES: usize = 64 * 1024;
/// How much room is kept for the next frame.
const KEPT_BYTES: usize = 256 * 1024;

/// The frames of a stream.
#[derive(Debug)]
pub struct Lines<R> {
    from: R,
    /// What is read into; the same room each time, so that none is cleared.
    part: Box<[u8]>,
    held: Vec<u8>,
    /// Up to here there is no end of a line.
    looked: usize,
    /// What was handed out last.
    taken: usize,
}

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub enum Came<'a> {
    /// A frame, with its line break unless the stream ended.
    Frame(&'a [u8]),
    /// The beginning of a frame that is too long; the rest is gone.
    TooLong(&'a [u8]),
    /// Nothing comes any more.
    End,
}

impl<R: Read> Lines<R> {
    pub fn new(from: R) -> Self {
        Self {
            from,
            part: vec![0; PART_BYTES].into_boxed_slice(),
            held: Vec::new(),
            looked: 0,
            taken: 0,
        }
    }

    /// The next frame. `ready` is asked before each read, and ends the stream by saying no.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub fn next(&mut self, ready: impl Fn() -> bool) -> io::Result<Came<'_>> {
        self.held.drain(..self.taken);
        (self.taken, self.looked) = (0, 0);
        if self.held.is_empty() {
            self.held.shrink_to(KEPT_BYTES);
        }
        let mut skipped = false;
        loop {
            let new = self.held.get(self.looked..).unwrap_or_default();
            if let Some(at) = new.iter().position(|byte| *byte == b'\n') {
                self.taken = self.looked + at + 1;
                let frame = self.held.get(..self.taken).unwrap_or_default();
                return Ok(match skipped {
                    true => Came::TooLong(frame.get(..PART_BYTES).unwrap_or(frame)),
                    false => Came::Frame(frame),
                });
            }
            self.looked = self.held.len();
            if self.held.len() > FRAME_BYTES_MAX {
                // Its beginning is enough to say whose it is.
                self.held.truncate(PART_BYTES);
                self.looked = PART_BYTES;
                skipped = true;
            } else if skipped {
                self.held.truncate(PART_BYTES);
                self.looked = PART_BYTES;
            }
            if !ready() || self.read()? == 0 {
                self.taken = self.held.len();
                let rest = self.held.as_slice();
                return Ok(match (rest.is_empty(), skipped) {
                    (true, _) => Came::End,
                    (false, true) => Came::TooLong(rest),
                    (false, false) => Came::Frame(rest),
                });
            }
        }
    }

    fn read(&mut self) -> io::Result<usize> {
        loop {
            match self.from.read(&mut self.part) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(read) => {
                    self.held
                        .extend_from_slice(self.part.get(..read).unwrap_or_default());
                    return Ok(read);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(bytes: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(bytes);
        let mut found = Vec::new();
        loop {
            match lines.next(|| true).unwrap() {
                Came::Frame(frame) => found.push(String::from_utf8_lossy(frame).into_owned()),
                Came::TooLong(head) => found.push(format!("too long: {}", head.len())),
                Came::End => return found,
            }
        }
    }

    #[test]
    fn every_byte_of_a_frame_is_handed_on() {
        assert_eq!(
            frames(b"a\n\r\nb\0c\nrest"),
            ["a\n", "\r\n", "b\0c\n", "rest"]
        );
        assert!(frames(b"").is_empty());
    }

    #[test]
    fn a_frame_that_is_too_long_is_skipped_and_the_next_one_is_whole() {
        let mut bytes = vec![b'x'; FRAME_BYTES_MAX + 3 * PART_BYTES + 5];
        bytes.extend(b"\nnext\n");
        assert_eq!(frames(&bytes), ["too long: 65536", "next\n"]);
        let mut bytes = vec![b'y'; 10 * 1024 * 1024];
        bytes.push(b'\n');
        assert_eq!(frames(&bytes)[0].len(), bytes.len());
    }
}
