//! Cuts a stream of bytes into records: the lines of a file that grows, or the objects of one
//! document. Bytes come in pieces of any size. Must not know what a record means.

/// Longest record that is read, in bytes; a longer one is passed over.
pub const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How a file holds its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Frame {
    /// One a line.
    #[default]
    Lines,
    /// One document: its members that are objects, and the objects in its lists.
    Document,
}

/// One record, as it was cut out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record<'a> {
    /// All of it, without blanks around it.
    Whole(&'a [u8]),
    /// Longer than [`LINE_BYTES_MAX`].
    TooLong,
}

/// The cutter.
#[derive(Debug, Default)]
pub(super) struct Frames {
    frame: Frame,
    /// The start of a record whose end was not pushed yet.
    part: Vec<u8>,
    /// Whether the record in `part` is too long, so that its rest is passed over.
    too_long: bool,
    nesting: Nesting,
}

/// Where in a document the stream is.
#[derive(Debug, Default)]
struct Nesting {
    depth: u32,
    /// The depth of the record under way; zero outside of any.
    record_depth: u32,
    in_text: bool,
    escaped: bool,
}

/// What a byte of a document is to the record around it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Outside,
    Begins,
    Inside,
    Ends,
}

impl Nesting {
    /// Records are objects two or three levels deep; a list between them is no record.
    fn step(&mut self, byte: u8) -> Step {
        let inside = self.record_depth > 0;
        let plain = if inside { Step::Inside } else { Step::Outside };
        if self.in_text {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return plain;
        }
        match byte {
            b'"' => self.in_text = true,
            b'{' | b'[' => {
                self.depth += 1;
                if !inside && byte == b'{' && self.depth > 1 {
                    self.record_depth = self.depth;
                    return Step::Begins;
                }
            }
            b'}' | b']' => {
                let ends = inside && self.depth == self.record_depth;
                self.depth = self.depth.saturating_sub(1);
                if ends {
                    self.record_depth = 0;
                    return Step::Ends;
                }
            }
            _ => {}
        }
        plain
    }
}

impl Frames {
    /// A cutter at the start of a file.
    pub(super) fn new(frame: Frame) -> Self {
        Self {
            frame,
            ..Self::default()
        }
    }

    /// Takes the next bytes and gives the records that they complete.
    pub(super) fn push(&mut self, bytes: &[u8], give: &mut dyn FnMut(Record<'_>)) {
        match self.frame {
            Frame::Lines => self.push_lines(bytes, give),
            Frame::Document => self.push_document(bytes, give),
        }
    }

    /// Ends a file: what is left is its last record, whole or torn.
    pub(super) fn end(&mut self, give: &mut dyn FnMut(Record<'_>)) {
        self.end_record(give);
        self.nesting = Nesting::default();
    }

    fn push_lines(&mut self, bytes: &[u8], give: &mut dyn FnMut(Record<'_>)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at_checked(end).unwrap_or_default();
            if self.part.is_empty() && !self.too_long {
                give_whole(line, give);
            } else {
                self.keep(line);
                self.end_record(give);
            }
            rest = after.get(1..).unwrap_or_default();
        }
        self.keep(rest);
    }

    fn push_document(&mut self, bytes: &[u8], give: &mut dyn FnMut(Record<'_>)) {
        // Where in these bytes the record under way begins.
        let mut from = (self.nesting.record_depth > 0).then_some(0);
        for (at, byte) in bytes.iter().enumerate() {
            match self.nesting.step(*byte) {
                Step::Begins => from = Some(at),
                Step::Ends => {
                    let start = from.take().unwrap_or(at);
                    self.keep(bytes.get(start..=at).unwrap_or_default());
                    self.end_record(give);
                }
                Step::Inside | Step::Outside => {}
            }
        }
        if let Some(start) = from {
            self.keep(bytes.get(start..).unwrap_or_default());
        }
    }

    fn keep(&mut self, piece: &[u8]) {
        self.too_long |= self.part.len() + piece.len() > LINE_BYTES_MAX;
        if self.too_long {
            self.part = Vec::new();
        } else {
            self.part.extend_from_slice(piece);
        }
    }

    fn end_record(&mut self, give: &mut dyn FnMut(Record<'_>)) {
        if std::mem::take(&mut self.too_long) {
            give(Record::TooLong);
            return;
        }
        let mut record = std::mem::take(&mut self.part);
        give_whole(&record, give);
        record.clear();
        self.part = record;
    }
}

fn give_whole(record: &[u8], give: &mut dyn FnMut(Record<'_>)) {
    let record = record.trim_ascii();
    if !record.is_empty() {
        give(Record::Whole(record));
    }
}
