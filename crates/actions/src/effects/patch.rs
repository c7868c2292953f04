//! Patches that name whole files: as a tool call, and as the program `apply_patch`. The parts of a
//! patch in, actions out. Knows no host's name for anything.

use super::delete::{Delete, Lost, delete};
use super::rename::{Rename, Taken, rename};
use super::write::{Change, Write, write};
use crate::{Arg, Invocation, World};
use model::{Content, PatchOperation, Patched};

/// What a patch does, file by file.
pub(crate) fn apply(world: &mut World<'_>, invocation: &Invocation, files: &[Patched<'_>]) {
    for file in files {
        let target = &world.target(&Arg::literal(file.path.as_ref()));
        match &file.operation {
            PatchOperation::Add => {
                let text = file.text.text.as_ref().map(|text| text.to_string());
                write(world, invocation, Write::new(target, Change::Replace(text)));
            }
            PatchOperation::Change => {
                let change = match takes_out(&file.text) {
                    true => Change::Edit,
                    false => Change::Keep,
                };
                write(world, invocation, Write::new(target, change));
            }
            PatchOperation::Delete => delete(world, invocation, Delete::new(target, Lost::Files)),
            PatchOperation::Move(to) => {
                let to = &world.target(&Arg::literal(to.as_ref()));
                if takes_out(&file.text) {
                    world.back_up_change(target);
                }
                let renamed = Rename {
                    from: target,
                    to,
                    taken: Taken::Replaced,
                };
                rename(world, invocation, &renamed);
            }
        }
    }
}

/// Whether a part of a patch takes lines out of its file, as far as it was read.
fn takes_out(part: &Content<'_>) -> bool {
    let text = part.text.as_ref();
    text.is_none_or(|text| text.lines().any(|line| line.starts_with('-')))
}
