//! The overlay bundle: layers as one checked block of bytes.
//!
//! `magic · version · min_reader · length · checksum · layers`. Any change of any byte is noticed;
//! a reader that is too old or too new says so instead of guessing. Knows nothing of where the
//! bytes lie.

use std::fmt;

use model::fnv64;

use crate::flat::{Flat, Reader};
use crate::layer::Layer;
use crate::rule::List;

/// What a bundle begins with.
const MAGIC: [u8; 4] = *b"TGRB";

/// The version that is written.
const VERSION: u16 = 2;

/// The oldest reader that understands what is written.
const MIN_READER: u16 = 2;

/// The oldest version that is read.
const MIN_VERSION: u16 = 2;

/// Why a bundle could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// It is no bundle.
    Magic,
    /// It ends early.
    Short,
    /// Its checksum or length does not fit.
    Checksum,
    /// A value in it is not one of those allowed.
    Value,
    /// It has a form that is read no more.
    Older,
    /// It was written for a newer reader; the oldest version that can read it.
    Newer(u16),
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => f.write_str("this is not a bundle of rules"),
            Self::Short => f.write_str("the bundle of rules is cut short"),
            Self::Checksum => f.write_str("the bundle of rules does not fit its checksum"),
            Self::Value => f.write_str("the bundle of rules holds a value that is not allowed"),
            Self::Older => f.write_str("the bundle of rules was written by an older tollgate"),
            Self::Newer(version) => {
                write!(f, "the bundle of rules needs a reader of version {version}")
            }
        }
    }
}

impl std::error::Error for Damage {}

/// Layers as bytes.
#[must_use]
pub fn encode(layers: &[Layer]) -> Vec<u8> {
    let mut body = Vec::new();
    let layers: List<Layer> = layers.to_vec().into();
    layers.put(&mut body);
    let mut out = MAGIC.to_vec();
    out.extend(VERSION.to_le_bytes());
    out.extend(MIN_READER.to_le_bytes());
    out.extend((body.len() as u64).to_le_bytes());
    out.extend(checksum(&out, &body).to_le_bytes());
    out.extend(body);
    out
}

/// Bytes as layers.
///
/// # Errors
/// Any damage, and a bundle for a newer or an older reader.
pub fn decode(bytes: &[u8]) -> Result<Vec<Layer>, Damage> {
    let mut from = Reader::new(bytes);
    if from.array()? != MAGIC {
        return Err(Damage::Magic);
    }
    let version = from.array::<2>()?;
    let min_reader = from.array::<2>()?;
    let length = from.array::<8>()?;
    let sum = u64::from_le_bytes(from.array()?);
    let body = from.rest();
    let head = [&MAGIC[..], &version[..], &min_reader[..], &length[..]].concat();
    if u64::from_le_bytes(length) != body.len() as u64 || checksum(&head, body) != sum {
        return Err(Damage::Checksum);
    }
    if u16::from_le_bytes(min_reader) > VERSION {
        return Err(Damage::Newer(u16::from_le_bytes(min_reader)));
    }
    if u16::from_le_bytes(version) < MIN_VERSION {
        return Err(Damage::Older);
    }
    let layers = List::<Layer>::get(&mut from)?;
    if from.is_done() {
        Ok(layers.into_owned())
    } else {
        Err(Damage::Value)
    }
}

fn checksum(head: &[u8], body: &[u8]) -> u64 {
    fnv64(&[head, body].concat())
}
