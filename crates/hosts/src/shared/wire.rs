//! What a host sends, before it is understood. Must not know any host's names.

use model::{Event, Time};
use std::borrow::Cow;
use std::fmt;
use text::json::{self, Flaw, Object};

/// Largest payload that is read, in bytes. The fault gate answers for larger ones.
pub const PAYLOAD_BYTES_MAX: usize = 16 * 1024 * 1024;

/// One event as it arrived. What is decoded borrows from its bytes alone.
#[derive(Clone, Copy)]
pub struct Wire<'a, 'e> {
    /// The event's name on our command line, as the host spells it.
    pub event: &'e str,
    /// The payload.
    pub bytes: &'a [u8],
    /// Reads a variable of the hook's environment.
    pub env: &'e dyn Fn(&str) -> Option<String>,
    /// When it arrived.
    pub time: Time,
}

impl fmt::Debug for Wire<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes", self.event, self.bytes.len())
    }
}

/// Why a payload could not be read. The words say what is wrong and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WireError {
    /// Nothing arrived.
    Empty,
    /// More arrived than [`PAYLOAD_BYTES_MAX`].
    TooLarge {
        /// How much, in bytes.
        bytes: usize,
    },
    /// It is not a JSON object.
    NotJson {
        /// Where, in bytes from the start.
        at: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// It is another event than the command line names.
    EventMismatch {
        /// The event on the command line.
        expected: String,
        /// The event in the payload.
        found: String,
    },
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the payload is empty; a hook is given one JSON object"),
            Self::TooLarge { .. } => {
                write!(
                    f,
                    "the payload has more than the {PAYLOAD_BYTES_MAX} bytes that are read"
                )
            }
            Self::NotJson { at, what } => {
                write!(f, "the payload is not a JSON object: {what} (byte {at})")
            }
            Self::EventMismatch { expected, found } => write!(
                f,
                "the payload is event {found:?}, but the hook is registered for {expected:?}; \
                 register it again"
            ),
        }
    }
}

impl std::error::Error for WireError {}

impl From<Flaw> for WireError {
    fn from(flaw: Flaw) -> Self {
        Self::NotJson {
            at: flaw.at,
            what: flaw.what,
        }
    }
}

impl<'a> Wire<'a, '_> {
    /// Whether the event that a payload says it is, if it says so, is the one on the command line.
    pub(crate) fn check_name(&self, named: Option<Cow<'_, str>>) -> Result<(), WireError> {
        match named.filter(|name| !name.eq_ignore_ascii_case(self.event)) {
            None => Ok(()),
            Some(found) => Err(WireError::EventMismatch {
                expected: self.event.to_owned(),
                found: found.into_owned(),
            }),
        }
    }

    /// Reads a payload as an object and has `read` make an event of it. Bytes that are not UTF-8
    /// are replaced, at the price of a copy; else the event borrows from the payload.
    pub(crate) fn read(&self, read: Reader) -> Result<Event<'a>, WireError> {
        let bytes = self.bytes;
        if bytes.len() > PAYLOAD_BYTES_MAX {
            return Err(WireError::TooLarge { bytes: bytes.len() });
        }
        if bytes.trim_ascii().is_empty() {
            return Err(WireError::Empty);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => read(self, &json::object(text)?),
            Err(_) => {
                let text = String::from_utf8_lossy(bytes);
                let event = read(self, &json::object(&text)?)?;
                Ok(event.into_owned())
            }
        }
    }
}

/// Makes an event of a payload's members.
pub(crate) type Reader = for<'t> fn(&Wire<'_, '_>, &Object<'t>) -> Result<Event<'t>, WireError>;
