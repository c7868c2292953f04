//! A way forward for what a built-in rule stops: one command that keeps what would be lost, or that
//! looks before it leaps, made from the actions at hand. Knows nothing that the actions do not say:
//! where they do not say enough, the rule's own words stand. What a command is worth is proved by
//! sending it through the gate in the world in which the stop happened
//! (`crates/hook/tests/corpus`).

mod clouds;
mod data;
mod files;
mod git;
mod secrets;
mod spelling;

use model::{Action, CallEnv, Flag};

pub use spelling::command_in;
use spelling::{first, instead};

/// A stop, as ways look at it.
pub(crate) struct Stop<'a> {
    /// The actions that one rule stops; never empty.
    pub actions: &'a [&'a Action],
    /// All actions of the call.
    pub all: &'a [Action],
    /// Where it happens.
    pub place: &'a CallEnv,
}

/// What is said of a stop instead of the rule's own words; nothing if those are better.
type Way = fn(&Stop<'_>, &Action) -> Option<String>;

/// The rules that know a way, by id.
const WAYS: &[(&str, Way)] = &[
    ("cloud.apply", clouds::apply),
    ("cloud.destroy", clouds::destroy),
    ("containers.destroy", clouds::containers),
    ("databases.destroy", data::destroy),
    ("files.delete", files::delete),
    ("files.delete-history", files::delete_history),
    ("files.delete-project", files::name_it),
    ("files.delete-root", files::name_it),
    ("files.delete-unknown", files::show_unknown),
    ("files.overwrite", files::overwrite),
    ("git.discard", git::discard),
    ("git.force", git::force),
    ("git.force-protected", git::other_branch),
    ("git.lease-protected", git::other_branch),
    ("git.no-verify", git::with_checks),
    ("git.orphan", git::orphan),
    ("kubernetes.delete", clouds::cluster),
    ("kubernetes.destroy", clouds::cluster),
    ("kubernetes.drain", clouds::cluster),
    ("network.downloaded", secrets::downloaded),
    ("packages.publish", clouds::publish),
    ("processes.broad", data::processes),
    ("secrets.read", secrets::read),
    ("system.open-to-all", files::for_the_group),
];

/// The way forward for what a rule stops.
pub(crate) fn of(rule: &str, stop: &Stop<'_>) -> Option<String> {
    let (_, way) = WAYS.iter().find(|(id, _)| *id == rule)?;
    let action = stop.actions.first()?;
    let elsewhere = stop
        .actions
        .iter()
        .any(|one| one.flags.has(Flag::Elsewhere));
    if elsewhere {
        // What is on another machine is not where these commands would look.
        return None;
    }
    way(stop, action)
}

impl Stop<'_> {
    /// Whether the call does nothing but what is stopped.
    fn is_all(&self) -> bool {
        self.all.len() == self.actions.len() && self.actions.iter().all(|one| one.via.is_empty())
    }

    /// That something is kept before the call is repeated; in its place where nothing is left to do
    /// afterwards.
    fn keep(&self, command: &str, is_whole: bool) -> Option<String> {
        if is_whole && self.is_all() {
            instead(command, ", which keeps it")
        } else {
            first(command, "then repeat")
        }
    }
}
