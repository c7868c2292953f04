//! The real Codex CLI: how it is started, how its model answers, and what must hold.

mod approvals;
mod assets;
mod behaviours;
mod discipline;
mod driver;
mod failures;
mod losses;
mod reviews;
mod tickets;
mod wire;

use super::{Host, Kind};

/// The host.
pub const HOST: Host = Host {
    id: "codex",
    title: "Codex CLI",
    groups: &[
        assets::BEHAVIOURS,
        behaviours::BEHAVIOURS,
        failures::BEHAVIOURS,
        losses::BEHAVIOURS,
        approvals::BEHAVIOURS,
        tickets::BEHAVIOURS,
        discipline::BEHAVIOURS,
        reviews::BEHAVIOURS,
    ],
    lacks: &[
        (Kind::Asked, "a hook cannot ask"),
        (Kind::Managed, "none is written yet"),
    ],
};
