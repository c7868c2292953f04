//! The real Claude Code: how it is started, how its model answers, and what must hold.

mod approvals;
mod assets;
mod calls;
mod coverage;
mod discipline;
mod drift;
mod driver;
mod losses;
mod managed;
mod plan;
mod provenance;
mod redteam;
mod reviews;
mod terminal;
mod tickets;
mod wire;

use super::{Host, Kind};

/// The host.
pub const HOST: Host = Host {
    id: "claude",
    title: "Claude Code",
    groups: &[
        assets::BEHAVIOURS,
        calls::BEHAVIOURS,
        losses::BEHAVIOURS,
        redteam::BEHAVIOURS,
        tickets::BEHAVIOURS,
        plan::BEHAVIOURS,
        discipline::BEHAVIOURS,
        approvals::BEHAVIOURS,
        coverage::BEHAVIOURS,
        managed::BEHAVIOURS,
        provenance::BEHAVIOURS,
        terminal::BEHAVIOURS,
        reviews::BEHAVIOURS,
    ],
    lacks: &[(Kind::Patch, "no patches")],
};
