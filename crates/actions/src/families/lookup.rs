//! From a program's name to its row, and from the row to what the program does.

use super::{FAMILIES, readers};
use crate::command_context::CommandContext;
use crate::family::{Effects, Program};
use crate::{Invocation, World};

/// The row of a program.
pub(crate) fn program(name: &str) -> Option<&'static Program> {
    let mut programs = FAMILIES.iter().copied().flatten();
    programs.find(|program| program.name == name)
}

/// Reads what a program does itself; `false` if nothing is known of it.
pub(crate) fn read(program: &Program, invocation: &Invocation, world: &mut World<'_>) -> bool {
    match &program.effects {
        Effects::Unknown => return false,
        // Of what it is fed only a number is left.
        Effects::Harmless if program.name == "wc" => world.hides_values = true,
        Effects::Harmless => {}
        Effects::PrintsFiles(words) => readers::read_files(world, invocation, words),
        Effects::Command(read) => read(&mut CommandContext::new(invocation, world)),
        Effects::Looks(read) | Effects::Own(read) => read(invocation, world),
    }
    true
}
