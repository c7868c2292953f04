//! One file a family of programs. A family reads an [`Invocation`](crate::Invocation) and puts
//! what it would do into the [`World`](crate::World).

pub(crate) mod agents;
mod cloud;
mod containers;
mod credentials;
mod databases;
mod files;
pub(crate) mod find;
mod gate;
mod git;
mod kubernetes;
mod network;
mod packages;
mod processes;
mod schedule;
mod sockets;
mod system;
mod table;
mod tmux;

pub use crate::family::Family;

/// All families. A program that no family knows is an opaque `execute`.
pub const FAMILIES: &[Family] = &[
    cloud::CLOUD,
    containers::CONTAINERS,
    credentials::CREDENTIALS,
    databases::DATABASES,
    find::FD,
    files::FILES,
    find::FIND,
    gate::GATE,
    git::FAMILY,
    kubernetes::KUBERNETES,
    network::NETWORK,
    packages::PACKAGES,
    processes::PROCESSES,
    schedule::SCHEDULE,
    sockets::SOCKETS,
    system::SYSTEM,
    tmux::TMUX,
    crate::windows::WINDOWS,
];

#[cfg(test)]
mod tests;
