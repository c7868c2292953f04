//! The real OpenCode: how it is started and what must hold.

mod assets;
mod broken;
mod calls;
mod discipline;
pub(crate) mod driver;
mod grants;
mod session;

use super::planning::{self, Planning};
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

impl Planning for Own {
    const PLAN: &'static [&'static str] = &["--agent", "plan"];
    const ASKS: bool = true;
}

impl ProxyDriven for Own {
    const SERVED: &'static Served = &driver::SERVED;
}

/// The host.
pub const HOST: Host = Host {
    id: "opencode",
    title: "OpenCode",
    groups: &[
        calls::SESSION,
        calls::BEHAVIOURS,
        assets::BEHAVIOURS,
        discipline::BEHAVIOURS,
        Reviews::<Own>::OUTSIDE,
        Runs::<Own>::PAIRS,
        Proxied::<Own>::CALLS,
        &[planning::behaviour::<Own>()],
    ],
    lacks: &[
        (Kind::Stop, "no event before a stop"),
        (Kind::Asked, "a plugin cannot ask"),
        (Kind::Managed, "none is written yet"),
    ],
};
