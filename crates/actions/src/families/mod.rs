//! One file a family of programs. A family reads an [`Invocation`](crate::Invocation) and puts
//! what it would do into the [`World`](crate::World).

pub(crate) mod agents;
mod cloud;
mod containers;
mod credentials;
mod databases;
mod files;
mod find;
mod gate;
mod git;
mod kubernetes;
mod network;
mod packages;
mod processes;
mod readers;
mod schedule;
mod sockets;
mod system;
mod table;
mod tmux;

use crate::command_context::CommandContext;
use crate::family::{Effects, Family, Program};
use crate::{Invocation, World};

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
    kubernetes::KUBERNETES,
    network::NETWORK,
    packages::PACKAGES,
    processes::PROCESSES,
    readers::READERS,
    schedule::SCHEDULE,
    sockets::SOCKETS,
    system::SYSTEM,
    tmux::TMUX,
    crate::windows::WINDOWS,
    crate::wrappers::WRAPPERS,
];

/// The row of a program.
pub(crate) fn program(name: &str) -> Option<&'static Program> {
    let mut programs = FAMILIES.iter().copied().flatten();
    programs.find(|program| program.name == name)
}

/// Reads what a program does itself; `false` if nothing is known of it.
pub(crate) fn read(program: &Program, invocation: &Invocation, world: &mut World<'_>) -> bool {
    match &program.effects {
        Effects::Unknown => return false,
        Effects::Harmless => {}
        Effects::PrintsFiles(words) => readers::read_files(world, invocation, words),
        Effects::Command(read) => read(&mut CommandContext::new(invocation, world)),
        Effects::Looks(read) | Effects::Own(read) => read(invocation, world),
    }
    true
}

#[cfg(test)]
mod tests;
