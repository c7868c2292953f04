//! The real Copilot CLI: how it is started and what must hold.

mod broken;
mod calls;
mod drift;
mod driver;
mod grants;
mod managed;
mod reviews;
mod terminal;

use super::{Host, Kind};

/// The host.
pub const HOST: Host = Host {
    id: "copilot",
    title: "Copilot CLI",
    groups: &[calls::BEHAVIOURS, reviews::BEHAVIOURS],
    lacks: &[
        (Kind::Task, "no helpers are written yet"),
        (Kind::Patch, "offered to some vendors' models only"),
        (Kind::Helpers, "none are written yet"),
    ],
};
