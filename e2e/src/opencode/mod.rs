//! The real OpenCode: how it is started and what must hold.

mod assets;
mod broken;
mod calls;
mod discipline;
mod driver;
mod grants;
mod session;

use super::{Host, Kind};

/// The host.
pub const HOST: Host = Host {
    id: "opencode",
    title: "OpenCode",
    groups: &[
        calls::SESSION,
        calls::BEHAVIOURS,
        assets::BEHAVIOURS,
        discipline::BEHAVIOURS,
    ],
    lacks: &[
        (Kind::Stop, "no event before a stop"),
        (Kind::Asked, "a plugin cannot ask"),
        (Kind::Managed, "none is written yet"),
    ],
};
