//! The real Qwen Code: how it is started and what must hold.

mod calls;
mod driver;
mod session;

use super::planning::{self, Planning};
use super::review::Reviews;
use super::sandbox::Driver;
use super::{Driven, Host, Kind};

/// The client, for what is driven the same way with every one.
struct Own;

impl Driven for Own {
    const DRIVER: &'static Driver = &driver::DRIVER;
}

impl Planning for Own {
    const PLAN: &'static [&'static str] = &[
        "--approval-mode",
        "plan",
        "--allowed-tools",
        "run_shell_command",
    ];
    const ASKS: bool = false;
}

/// The host.
pub const HOST: Host = Host {
    id: "qwen",
    title: "Qwen Code",
    groups: &[
        calls::SESSION,
        calls::BEHAVIOURS,
        Reviews::<Own>::STOPS,
        Reviews::<Own>::OUTSIDE,
        &[planning::behaviour::<Own>()],
    ],
    lacks: &[
        (Kind::Run, "it is not driven yet"),
        (Kind::Proxy, "it is not driven through one yet"),
        (Kind::Task, "no helpers are written yet"),
        (Kind::Patch, "no patches"),
        (Kind::Spawn, "a hook cannot change a start"),
        (Kind::Asked, "nothing tells whether a human is there"),
        (Kind::Managed, "none is written yet"),
        (Kind::Helpers, "none are written yet"),
    ],
};
