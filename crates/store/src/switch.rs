//! The owner's switch: `tollgate off --for 30m`. Owns its file; decides nothing.
//!
//! It ends by the wall clock, by the machine's own running time, and with the machine's restart,
//! whichever comes first: no clock setting brings it back.

use model::Time;

use crate::frame::{self, Kind};
use crate::sys;
use crate::{Store, StoreError};
use model::section::Reader;

/// Longest time that the gate can be switched off for, in milliseconds.
pub const OFF_MS_MAX: u64 = 24 * 60 * 60 * 1_000;

const KIND: Kind = Kind::first(*b"swch");
const FILE: &str = "switch";

/// Largest switch file, in bytes.
const SWITCH_BYTES_MAX: u64 = 64 * 1024;

/// The gate is off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Off {
    /// When that ends.
    pub until: Time,
    /// The owner's reason.
    pub reason: String,
}

/// What the file says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Switch {
    since: u64,
    until: u64,
    /// The machine's running time when it ends, in milliseconds.
    up_until: u64,
    /// Which start of the machine that time counts from.
    start: String,
    reason: String,
}

impl Store {
    /// Whether the owner has switched the gate off. What cannot be read is not off.
    #[must_use]
    pub fn switched_off(&self, now: Time) -> Option<Off> {
        let bytes = self.root.load(FILE, SWITCH_BYTES_MAX).ok()??;
        let body = frame::open(KIND, &bytes).ok()?.body;
        let switch = decode(&mut Reader(body))?;
        let (uptime, start) = sys::uptime();
        let is_off = (switch.since..switch.until).contains(&now.0)
            && uptime <= switch.up_until
            && start == switch.start;
        is_off.then_some(Off {
            until: Time(switch.until),
            reason: switch.reason,
        })
    }

    /// Switches the gate off for some milliseconds, at most [`OFF_MS_MAX`].
    ///
    /// # Errors
    /// If the switch cannot be written.
    pub fn switch_off(&self, now: Time, millis: u64, reason: &str) -> Result<Off, StoreError> {
        let millis = millis.min(OFF_MS_MAX);
        let (uptime, start) = sys::uptime();
        let off = Off {
            until: Time(now.0 + millis),
            reason: reason.to_owned(),
        };
        let frame = frame::seal(KIND, 0, |out| {
            [now.0, off.until.0, uptime + millis]
                .into_iter()
                .for_each(|number| out.number(number));
            out.bytes(start.as_bytes());
            out.bytes(reason.as_bytes());
        });
        self.root.replace(FILE, &frame)?;
        Ok(off)
    }

    /// Switches the gate on.
    ///
    /// # Errors
    /// If the switch cannot be removed.
    pub fn switch_on(&self) -> Result<(), StoreError> {
        self.root.remove(FILE)
    }
}

fn decode(input: &mut Reader<'_>) -> Option<Switch> {
    Some(Switch {
        since: input.number()?,
        until: input.number()?,
        up_until: input.number()?,
        start: input.text()?,
        reason: input.text()?,
    })
}
