//! What words of Windows write and copy: what has a copy is not lost with its first place.

use super::fetch;
use super::operands::Operands;
use super::paths::path;
use crate::effects::{self, Write};
use crate::{Arg, Input, Invocation, World};
use model::PathKind;

/// Programs that copy what is in a folder into another, whether that is there or not.
const BY_CONTENT: &[&str] = &["robocopy", "xcopy"];

/// Switches with which those take the folders in a folder along.
const WHOLE: &[&str] = &["/e", "/mir", "/s", "-e", "-s"];

/// `Copy-Item FROM TO`, `xcopy FROM TO /e`
pub(super) fn copy(world: &mut World<'_>, invocation: &Invocation, operands: &Operands) {
    if operands.only_shows {
        return;
    }
    let [from, to, rest @ ..] = operands.paths.as_slice() else {
        return write(world, invocation, operands.paths.get(1), false);
    };
    let by_content = BY_CONTENT.contains(&invocation.program.to_lowercase().as_str());
    let is_part = from.text.contains(['*', '?'])
        || operands.filter.is_some()
        || operands.leaves_out
        || !rest.is_empty();
    let (source, target) = (path(world, from), path(world, to));
    if is_part || !source.is_known() || !target.is_known() {
        return write(world, invocation, Some(to), false);
    }
    let fact = world.path(&source.path);
    let kind = fact.known().map(|fact| fact.kind);
    if !matches!(kind, Some(PathKind::Dir | PathKind::File)) {
        return write(world, invocation, Some(to), false);
    }
    let is_dir = kind == Some(PathKind::Dir);
    let is_whole = |arg: &Arg| WHOLE.contains(&arg.text.to_lowercase().as_str());
    let how = match by_content {
        true if !is_dir => None,
        true if !invocation.args.iter().any(is_whole) => {
            return write(world, invocation, Some(to), false);
        }
        true => Some("-rT"),
        false => operands.recursive.then_some("-r"),
    };
    let words = ["cp"].into_iter().chain(how).map(Arg::literal);
    let names = [source.path, target.path].map(Arg::derived);
    let argv: Vec<Arg> = words.chain(names).collect();
    world.command(invocation, "", &argv);
}

/// A file is written, with a download where one is handed on.
pub(super) fn write(
    world: &mut World<'_>,
    invocation: &Invocation,
    word: Option<&Arg>,
    appends: bool,
) {
    let Some(word) = word else {
        return;
    };
    let target = path(world, word);
    match invocation.input {
        Input::Download(_) if !appends => fetch::put(world, invocation, &target),
        _ => effects::write(world, invocation, Write::redirected(&target, appends)),
    }
}
