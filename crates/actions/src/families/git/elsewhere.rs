//! `git for-each-repo`: a command in other repositories.

use super::command::Git;
use crate::options::{Options, Spec, flag, value};
use crate::{Arg, World};

const FOR_EACH_REPO: Spec = Spec::leading(&[value("config"), flag("keep-going")]);

/// Which repositories they are stands in a setting: what runs there is read with the directory not
/// known.
pub(super) fn for_each_repo(git: &Git<'_>, world: &mut World<'_>) {
    let read = Options::read(&git.args, &FOR_EACH_REPO);
    if read.operands.is_empty() {
        return;
    }
    let command: Vec<Arg> = std::iter::once(Arg::literal("git"))
        .chain(read.operands.iter().cloned())
        .collect();
    let here = world.cwd().map(str::to_owned);
    world.enter(None);
    world.command(git.invocation, "git for-each-repo", &command);
    world.enter(here);
}
