//! Builtins that change the present directory: `cd`, `pushd`, `popd`.

use crate::machine::Output;
use crate::{Arg, Invocation, World};
use model::{Certainty, PathKind};
use text::path;

pub(super) fn cd(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let to = match invocation.operands().next() {
        None => Some(world.place.home.clone()).filter(|home| !home.is_empty()),
        Some(arg) if arg.glob && text::glob::is_glob(&arg.text) => {
            match world.targets(arg).as_slice() {
                [only] if only.sure != Certainty::Unknown => Some(only.path.clone()),
                _ => None,
            }
        }
        Some(arg) => directory(world, arg),
    };
    world.enter(to);
    Output::nothing()
}

/// The directory that `cd` with this word enters; `None` if it is not known.
fn directory(world: &mut World<'_>, arg: &Arg) -> Option<String> {
    if let Some(found) = searched(world, arg) {
        return Some(found);
    }
    let cwd = world.cwd();
    match arg.text.as_str() {
        _ if !arg.is_known() || arg.glob => None,
        "-" => world.now.shell.cwd_before.clone(),
        "" => cwd.map(str::to_owned),
        text if text.starts_with('/') => Some(path::join("/", text)),
        text => cwd.map(|cwd| path::join(cwd, text)),
    }
}

/// The directory of this name below one of those that `CDPATH` lists, if it is set.
fn searched(world: &mut World<'_>, arg: &Arg) -> Option<String> {
    let set = world.now.shell.vars.get("CDPATH");
    let set = set.and_then(|var| var.values.first());
    let list = set.map(|value| value.text.as_str());
    let list = list.or(world.place.var("CDPATH"))?.to_owned();
    let cwd = world.now.shell.cwd.clone()?;
    let is_plain = arg.is_known() && !arg.glob && !arg.text.starts_with(['/', '.', '-']);
    let mut dirs = list.split(':').filter(|_| is_plain && !arg.text.is_empty());
    dirs.find_map(|dir| {
        let place = path::join(&path::join(&cwd, dir), &arg.text);
        let fact = world.path(&place);
        let is_dir = fact.known().is_some_and(|fact| fact.kind == PathKind::Dir);
        is_dir.then_some(place)
    })
}

pub(super) fn pushd(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let present = world.now.shell.cwd.clone();
    let to = match invocation.operands().next() {
        None => world.now.shell.dirs.pop().flatten(),
        Some(arg) => directory(world, arg),
    };
    world.now.shell.dirs.push(present);
    world.enter(to);
    Output::nothing()
}

pub(super) fn popd(world: &mut World<'_>, _: &Invocation) -> Output {
    let to = world.now.shell.dirs.pop().flatten();
    world.enter(to);
    Output::nothing()
}
