//! One file a family of programs. A family reads an [`Invocation`](crate::Invocation) and puts
//! what it would do into the [`World`](crate::World).

pub(crate) mod agents;
pub(crate) mod clearing;
mod cloud;
mod containers;
pub(crate) mod credentials;
mod databases;
mod deeds;
mod files;
mod find;
mod foundations;
pub(crate) mod gate;
pub(crate) mod git;
mod hadoop;
mod images;
mod kubernetes;
mod lookup;
mod masks;
mod network;
mod objects;
mod packages;
pub(crate) mod processes;
mod publishing;
mod pulled;
mod rclone;
mod readers;
pub(crate) mod requests;
mod schedule;
mod searched;
pub(crate) mod services;
mod sites;
mod sockets;
mod system;
mod table;
mod throwaway;
mod tmux;
mod versions;

pub(crate) use files::prints_nothing;
pub(crate) use lookup::{program, read};

use crate::family::Family;

/// All families. A program that no family knows is an opaque `execute`.
pub(crate) const FAMILIES: &[Family] = &[
    cloud::CLOUD,
    containers::CONTAINERS,
    credentials::CREDENTIALS,
    databases::DATABASES,
    find::FD,
    files::FILES,
    find::FIND,
    gate::GATE,
    git::FAMILY,
    hadoop::HADOOP,
    kubernetes::KUBERNETES,
    network::NETWORK,
    packages::PACKAGES,
    processes::PROCESSES,
    publishing::PUBLISHING,
    readers::READERS,
    schedule::SCHEDULE,
    sockets::SOCKETS,
    system::SYSTEM,
    tmux::TMUX,
    versions::VERSIONS,
    crate::windows::WINDOWS,
    crate::wrappers::WRAPPERS,
    databases::TOOLS,
];

#[cfg(test)]
mod tests;
