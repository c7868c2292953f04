//! The real Gemini CLI: how it is started and what must hold.

mod assets;
mod broken;
mod calls;
mod discipline;
mod drift;
mod driver;
mod grants;
mod provenance;
mod reviews;
mod wire;

use super::{Host, Kind};

/// The host.
pub const HOST: Host = Host {
    id: "gemini",
    title: "Gemini CLI",
    groups: &[
        calls::BEHAVIOURS,
        assets::BEHAVIOURS,
        discipline::BEHAVIOURS,
        reviews::BEHAVIOURS,
    ],
    lacks: &[
        (Kind::Patch, "no patches"),
        (Kind::Asked, "a hook's question hangs for ever"),
        (Kind::Managed, "none is written yet"),
    ],
};
