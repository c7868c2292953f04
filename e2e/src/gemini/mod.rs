//! The real Gemini CLI: how it is started and what must hold.

mod assets;
mod broken;
mod calls;
mod discipline;
mod drift;
pub(crate) mod driver;
mod grants;
mod provenance;
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
    id: "gemini",
    title: "Gemini CLI",
    groups: &[
        calls::BEHAVIOURS,
        assets::BEHAVIOURS,
        discipline::BEHAVIOURS,
        Reviews::<Own>::STOPS,
        Reviews::<Own>::OUTSIDE,
        Runs::<Own>::PAIRS,
        Proxied::<Own>::CALLS,
    ],
    lacks: &[
        (Kind::Plan, "it does not say that it plans"),
        (Kind::Patch, "no patches"),
        (Kind::Asked, "a hook's question hangs for ever"),
        (Kind::Managed, "none is written yet"),
    ],
};
