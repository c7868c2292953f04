//! The real Claude Code: how it is started, how its model answers, and what must hold.

mod approvals;
mod assets;
mod calls;
mod coverage;
mod discipline;
mod drift;
pub(crate) mod driver;
mod losses;
mod managed;
mod plan;
mod provenance;
mod proxied;
mod redteam;
mod terminal;
mod tickets;
mod wire;

use super::proxied::{BYTES, Proxied, ProxyDriven, Served};
use super::review::Reviews;
use super::runs::Runs;
use super::sandbox::Driver;
use super::{Driven, Host, Kind};

/// The client, for what is driven the same way with every one.
struct Own;

impl Driven for Own {
    const DRIVER: &'static Driver = &driver::DRIVER;
}

impl ProxyDriven for Own {
    const SERVED: &'static Served = &driver::SERVED;
}

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
        Reviews::<Own>::STOPS,
        Reviews::<Own>::OUTSIDE,
        Runs::<Own>::PAIRS,
        Runs::<Own>::PARKED,
        Proxied::<Own>::CALLS,
        proxied::BEHAVIOURS,
        BYTES,
    ],
    lacks: &[(Kind::Patch, "no patches")],
};
