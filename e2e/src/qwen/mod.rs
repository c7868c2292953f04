//! The real Qwen Code: how it is started and what must hold.

mod calls;
mod driver;
mod reviews;
mod session;

use super::{Host, Kind};

/// The host.
pub const HOST: Host = Host {
    id: "qwen",
    title: "Qwen Code",
    groups: &[calls::SESSION, calls::BEHAVIOURS, reviews::BEHAVIOURS],
    lacks: &[
        (Kind::Task, "no helpers are written yet"),
        (Kind::Patch, "no patches"),
        (Kind::Spawn, "a hook cannot change a start"),
        (Kind::Asked, "nothing tells whether a human is there"),
        (Kind::Managed, "none is written yet"),
        (Kind::Helpers, "none are written yet"),
    ],
};
