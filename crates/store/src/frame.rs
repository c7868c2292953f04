//! The envelope of every binary file: checksum, kind, version, length. Knows no content.
//!
//! The first 32 bytes keep their layout for ever, so that an old reader can tell "newer" from
//! "damaged": sum 8, kind 4, version 2, min_reader 2, sequence 8, length 4, unused 4.

use model::section::Writer;

use model::sum64;

/// Bytes before the body.
pub const HEAD_BYTES: usize = 32;

/// Size of the checksum, in bytes.
const SUM_BYTES: usize = 8;

/// Most frames have room in this, in bytes.
const FRAME_BYTES_USUAL: usize = 4 * 1024;

/// A kind of file, and which formats of it this program knows.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Names it in the envelope.
    pub id: [u8; 4],
    /// The format that this program writes.
    pub version: u16,
    /// The oldest format whose readers understand what this program writes.
    pub min_reader: u16,
}

impl Kind {
    /// A kind that has had one format only.
    pub const fn first(id: [u8; 4]) -> Self {
        Self {
            id,
            version: 1,
            min_reader: 1,
        }
    }
}

/// What an envelope held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened<'a> {
    /// The format that it was written in.
    pub version: u16,
    /// Counts writes.
    pub sequence: u64,
    /// What was put into it.
    pub body: &'a [u8],
}

/// Why a frame could not be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unopened {
    /// Nothing was ever written here.
    Empty,
    /// What is here is not what was written.
    Damaged,
    /// A newer program wrote it and says that this one must not read it.
    Newer,
}

/// What the first bytes claim. Not to be believed before [`open`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Counts writes.
    pub sequence: u64,
    /// Bytes of the body.
    pub length: usize,
}

/// What `write` appends, in its envelope.
#[must_use]
pub fn seal(kind: Kind, sequence: u64, write: impl FnOnce(&mut Writer)) -> Vec<u8> {
    let mut frame = Writer(Vec::with_capacity(FRAME_BYTES_USUAL));
    // Room for the sum of what follows it.
    frame.0.extend_from_slice(&[0; SUM_BYTES]);
    frame.0.extend_from_slice(&kind.id);
    frame.0.extend_from_slice(&kind.version.to_le_bytes());
    frame.0.extend_from_slice(&kind.min_reader.to_le_bytes());
    frame.number(sequence);
    frame.part(write);
    if let Some((sum, covered)) = frame.0.split_first_chunk_mut() {
        *sum = sum64(covered).to_le_bytes();
    }
    frame.0
}

/// Reads the head's claims.
///
/// # Errors
/// [`Unopened::Empty`] without bytes or with zeros only, [`Unopened::Damaged`] if it is cut short.
pub fn head(bytes: &[u8]) -> Result<Head, Unopened> {
    let Some(head) = bytes.first_chunk::<HEAD_BYTES>() else {
        let empty = bytes.is_empty();
        return Err(if empty {
            Unopened::Empty
        } else {
            Unopened::Damaged
        });
    };
    if head.iter().all(|byte| *byte == 0) {
        return Err(Unopened::Empty);
    }
    let sequence = number(head, 16);
    let length = number(head, 24) & u64::from(u32::MAX);
    Ok(Head {
        sequence,
        length: length as usize,
    })
}

/// Opens a frame. Bytes after the body are ignored.
///
/// # Errors
/// As [`Unopened`] says.
pub fn open(kind: Kind, bytes: &[u8]) -> Result<Opened<'_>, Unopened> {
    let head = head(bytes)?;
    let frame = bytes
        .get(..HEAD_BYTES + head.length)
        .ok_or(Unopened::Damaged)?;
    let covered = frame.get(8..).unwrap_or_default();
    if number(frame, 0) != sum64(covered) || !covered.starts_with(&kind.id) {
        return Err(Unopened::Damaged);
    }
    let [.., a, b, c, d] = number(frame, 8).to_le_bytes();
    if u16::from_le_bytes([c, d]) > kind.version {
        return Err(Unopened::Newer);
    }
    Ok(Opened {
        version: u16::from_le_bytes([a, b]),
        sequence: head.sequence,
        body: frame.get(HEAD_BYTES..).unwrap_or_default(),
    })
}

/// Eight bytes at an offset, little endian; zero where there are none.
fn number(bytes: &[u8], at: usize) -> u64 {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>());
    found.map_or(0, |word| u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind::first(*b"test");

    /// A frame of a later program: its `min_reader` is raised and the sum is right.
    fn newer() -> Vec<u8> {
        let mut bytes = seal(KIND, 7, |out| out.0.extend_from_slice(b"body"));
        bytes[12..16].copy_from_slice(&[9, 0, 9, 0]);
        let sum = sum64(&bytes[8..]).to_le_bytes();
        bytes[..8].copy_from_slice(&sum);
        bytes
    }

    fn body() -> Opened<'static> {
        Opened {
            version: 1,
            sequence: 7,
            body: b"body",
        }
    }

    #[test]
    fn opens_what_was_sealed() {
        let mut bytes = seal(KIND, 7, |out| out.0.extend_from_slice(b"body"));
        assert_eq!(open(KIND, &bytes), Ok(body()));
        bytes.extend(b"older, longer body");
        assert_eq!(open(KIND, &bytes), Ok(body()));
    }

    #[test]
    fn refuses_what_was_not() {
        let good = seal(KIND, 7, |out| out.0.extend_from_slice(b"body"));
        for length in 1..good.len() {
            assert_eq!(
                open(KIND, &good[..length]),
                Err(Unopened::Damaged),
                "{length}"
            );
        }
        for bit in 0..good.len() * 8 {
            let mut flipped = good.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(open(KIND, &flipped), Err(Unopened::Damaged), "bit {bit}");
        }
        assert_eq!(open(Kind::first(*b"else"), &good), Err(Unopened::Damaged));
        assert_eq!(open(KIND, &newer()), Err(Unopened::Newer));
        assert_eq!(open(KIND, b""), Err(Unopened::Empty));
        assert_eq!(open(KIND, &[0; 99]), Err(Unopened::Empty));
    }
}
