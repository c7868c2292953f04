//! Reviews with this client.

use super::driver::DRIVER;
use crate::{Behaviour, Kind, review};

/// All behaviours.
pub const BEHAVIOURS: &[Behaviour] = &[
    Behaviour {
        kinds: &[Kind::Stop],
        name: "a review: a stop is held up until a verdict is there",
        scenario: |client, gate| review::held((client, gate), &DRIVER),
    },
    Behaviour {
        kinds: &[Kind::Stop],
        name: "a review: a turn is let go in the end, and stays unreviewed",
        scenario: |client, gate| review::released((client, gate), &DRIVER),
    },
];
