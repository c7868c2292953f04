//! git, and the programs that speak to a forge about a git repository (`gh`, `hub`).
//!
//! One file a group of subcommands. Owns what they would do to work, history, remotes and the
//! repository's own configuration. Must not know rules: a loss is stated, not judged.

mod apply;
mod asked;
mod branch;
mod checkout;
mod clean;
mod command;
mod commit;
mod config;
mod dispatch;
mod elsewhere;
mod entries;
mod forge;
mod forge_api;
mod history;
mod loss;
mod maintenance;
mod obstacles;
mod output;
mod pathspec;
mod programs;
mod publish;
mod remove;
mod reset;
mod settings;
mod stash;
mod submodule;
mod transfer;
mod worktree;

#[cfg(test)]
mod tests;

pub(crate) use asked::{Told, finds_work};
pub(crate) use command::options;
pub(crate) use forge_api::{Request, asked_of_forge};

use crate::family::Family;

/// The family.
pub(super) const FAMILY: Family = dispatch::PROGRAMS;
