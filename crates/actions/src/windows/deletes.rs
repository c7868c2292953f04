//! What words of Windows delete: files and folders, all that a pattern means, what a mirror has too
//! many, a whole volume.

use super::operands::Operands;
use super::paths::{is_all, last_name, path};
use super::{administration, contents};
use crate::effects::{self, Delete, Lost};
use crate::{Arg, Invocation, World};
use model::{Action, Fact, Flag, Loss, ResourceKind, Verb, Zone};

/// Whether a pattern takes only what compilers make.
fn is_made_again(pattern: &str) -> bool {
    const ENDS: &[&str] = &["class", "obj", "pdb", "pyc", "pyo"];
    let end = last_name(pattern).strip_prefix("*.");
    end.is_some_and(|end| ENDS.contains(&end))
}

pub(super) fn format_volume(world: &mut World<'_>, invocation: &Invocation, operands: &Operands) {
    let name = operands.paths.first();
    let name = name.map(|path| path.text.clone()).unwrap_or_default();
    let mut action = Action::new(Verb::Delete, ResourceKind::File, name);
    action.zone = Zone::Root;
    action.flags = operands.flags();
    action.loss = Fact::Unknown("a whole volume".into());
    world.act(invocation, action);
}

fn moves(invocation: &Invocation) -> bool {
    let moves = |arg: &Arg| arg.text.to_lowercase().contains("/mov");
    invocation.args.iter().any(moves)
}

/// Whether a mirror takes something away; it only copies else.
pub(super) fn empties(operands: &Operands, invocation: &Invocation) -> bool {
    operands.replaces || moves(invocation)
}

/// `robocopy FROM TO /MIR`: what is in the second and not in the first goes; `/MOVE` empties the
/// first.
pub(super) fn mirror(world: &mut World<'_>, invocation: &Invocation, operands: &Operands) {
    let moves = moves(invocation);
    let emptied = operands.paths.get(usize::from(!moves));
    if let Some(path) = emptied.filter(|_| operands.replaces && !moves) {
        let whole = Operands {
            recursive: true,
            ..Operands::default()
        };
        delete(world, invocation, &whole, path);
    } else if let Some(from) = emptied.filter(|_| moves) {
        let target = path(world, from);
        world.act(invocation, target.action(Verb::Move));
    }
}

pub(super) fn delete(
    world: &mut World<'_>,
    invocation: &Invocation,
    operands: &Operands,
    word: &Arg,
) {
    if administration::delete(world, invocation, word) || is_made_again(&word.text) {
        return;
    }
    let is_glob = word.text.contains('*');
    let target = path(world, word);
    let takes_trees = operands.recursive || operands.is_whole;
    let found = contents::meant(world, word, &target, takes_trees);
    let inside = world.zone(&format!("{}/x", target.path.trim_end_matches('/')));
    // All that is in a directory is as much as the directory.
    let is_all = is_all(last_name(&word.text));
    let is_temporary = is_glob && !is_all && inside == Zone::Temp;
    let lost = match found.as_deref() {
        Some([]) => return,
        Some(found) => Lost::Counted(world.loss_of_deletes(found, takes_trees)),
        None if is_temporary => Lost::Counted(Fact::Known(Loss::default())),
        // The whole directory is the most that a pattern can mean.
        None if takes_trees || is_glob => Lost::Trees,
        None => Lost::Files,
    };
    let mut delete = Delete::new(&target, lost);
    if found.is_some() && !is_all || is_temporary {
        delete.action.zone = inside;
    }
    delete.action.flags = operands.flags().with_if(Flag::Mass, is_glob);
    effects::delete(world, invocation, delete);
}
