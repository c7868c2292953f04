//! The real Codex CLI: how it is started, how its model answers, and what must hold.

mod approvals;
mod assets;
mod behaviours;
mod discipline;
pub mod driver;
mod failures;
mod losses;
mod plan;
mod tickets;
mod wire;

use super::proxied::{Proxied, ProxyDriven, Served};
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
        plan::BEHAVIOURS,
        Reviews::<Own>::STOPS,
        Reviews::<Own>::OUTSIDE,
        Runs::<Own>::PAIRS,
        Proxied::<Own>::CALLS,
    ],
    lacks: &[
        (Kind::Asked, "a hook cannot ask"),
        (Kind::Plan, "it does not say that it plans"),
        (Kind::Managed, "none is written yet"),
    ],
};
