//! Files of one record a line, as merges, crashes and people leave them: what is read, and what is
//! odd. Nothing that is odd is dropped in silence.

/// Why a line is no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Odd {
    /// The last line has no end: its writer was stopped, or the file was cut.
    Torn,
    /// What a merge left that nobody resolved.
    Marker,
    /// It cannot be read as what the file holds.
    Unreadable,
}

impl Odd {
    /// What people are told.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Torn => "is cut off",
            Self::Marker => "is left of a merge that was not resolved",
            Self::Unreadable => "cannot be read",
        }
    }
}

/// A line that is no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OddLine {
    /// Its number, from 1.
    pub number: usize,
    /// What it is.
    pub odd: Odd,
}

/// What a file holds.
#[derive(Debug)]
pub struct Lines<T> {
    /// Its records, in the file's order.
    pub records: Vec<T>,
    /// The lines that are none.
    pub odd: Vec<OddLine>,
}

/// Reads a file with what reads one line. Blank lines are nothing.
pub fn read<'a, T>(bytes: &'a [u8], mut record: impl FnMut(&'a [u8]) -> Option<T>) -> Lines<T> {
    let mut lines = Lines {
        records: Vec::new(),
        odd: Vec::new(),
    };
    let is_whole = bytes.is_empty() || bytes.ends_with(b"\n");
    let mut rest = bytes.split(|byte| *byte == b'\n').enumerate().peekable();
    while let Some((at, line)) = rest.next() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        if let Some(found) = record(line) {
            lines.records.push(found);
            continue;
        }
        let is_last = rest.peek().is_none();
        let odd = match is_marker(line) {
            true => Odd::Marker,
            false if is_last && !is_whole => Odd::Torn,
            false => Odd::Unreadable,
        };
        lines.odd.push(OddLine {
            number: at + 1,
            odd,
        });
    }
    lines
}

/// Whether a line is one of those that git puts around what it could not merge.
pub fn is_marker(line: &[u8]) -> bool {
    let marks: [&[u8]; 4] = [b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"];
    marks.iter().any(|mark| match line.strip_prefix(*mark) {
        Some(rest) => rest.is_empty() || rest.starts_with(b" "),
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_file_went_through_its_records_are_read() {
        let text = "{1}\r\n\n<<<<<<< ours\n{2}\n=======\n{3}\n>>>>>>> theirs\nx\n{4}\n{5";
        let lines = read(text.as_bytes(), |line| {
            let is_record = line.starts_with(b"{") && line.ends_with(b"}");
            is_record.then(|| String::from_utf8_lossy(line).into_owned())
        });
        assert_eq!(lines.records, ["{1}", "{2}", "{3}", "{4}"]);
        let odd: Vec<(usize, Odd)> = lines.odd.iter().map(|odd| (odd.number, odd.odd)).collect();
        let expected = [
            (3, Odd::Marker),
            (5, Odd::Marker),
            (7, Odd::Marker),
            (8, Odd::Unreadable),
            (10, Odd::Torn),
        ];
        assert_eq!(odd, expected);
        // A last line whose end alone is missing is whole.
        let whole = read(b"{1}\n{2}", |line| Some(line.len()));
        assert_eq!((whole.records, whole.odd.len()), (vec![3, 3], 0));
    }

    #[test]
    fn what_looks_like_a_marker_is_one_only_as_git_writes_it() {
        for line in [
            "<<<<<<<",
            "<<<<<<< HEAD",
            "=======",
            ">>>>>>> x",
            "||||||| 1",
        ] {
            assert!(is_marker(line.as_bytes()), "{line}");
        }
        for line in ["<<<<<<", "========", "{\"a\":\"=======\"}", " ======="] {
            assert!(!is_marker(line.as_bytes()), "{line}");
        }
    }
}
