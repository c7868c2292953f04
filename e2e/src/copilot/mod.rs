//! The real Copilot CLI: how it is started and what must hold.

mod broken;
mod calls;
mod drift;
mod driver;
mod grants;
mod managed;
mod terminal;

use super::review::Reviews;
use super::sandbox::Driver;
use super::{Driven, Host, Kind};

/// The client, for what is driven the same way with every one.
struct Own;

impl Driven for Own {
    const DRIVER: &'static Driver = &driver::DRIVER;
}

/// The host.
pub const HOST: Host = Host {
    id: "copilot",
    title: "Copilot CLI",
    groups: &[calls::BEHAVIOURS, Reviews::<Own>::STOPS],
    lacks: &[
        (Kind::Run, "it is not driven yet"),
        (Kind::Proxy, "it is not driven through one yet"),
        (Kind::Plan, "it does not say that it plans"),
        (Kind::Task, "no helpers are written yet"),
        (Kind::Patch, "offered to some vendors' models only"),
        (Kind::Helpers, "none are written yet"),
        (Kind::Outside, "it is not started as a judge"),
    ],
};
