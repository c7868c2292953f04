//! What a family of programs is, and one from a table of programs and readers. Must not know which
//! families there are.

use crate::command_context::CommandContext;
use crate::{Invocation, World};

/// A family of programs.
pub struct Family {
    /// Its name (`files`, `git`).
    pub id: &'static str,
    /// The programs it knows, sorted.
    pub programs: &'static [&'static str],
    /// Reads one command of these programs.
    pub read: fn(&Invocation, &mut World<'_>),
}

/// Reads one command of a program.
pub type Reader = fn(&mut CommandContext<'_, '_>);

/// Finds the reader of a command's program and lets it read.
pub fn read_with(readers: &[(&str, Reader)], invocation: &Invocation, world: &mut World<'_>) {
    let found = readers
        .iter()
        .find(|(program, _)| *program == invocation.program);
    if let Some((_, reader)) = found {
        reader(&mut CommandContext::new(invocation, world));
    }
}

/// A [`Family`] from a table of programs and readers.
macro_rules! family {
    ($id:literal, $($program:literal => $reader:expr),+ $(,)?) => {
        $crate::family::Family {
            id: $id,
            programs: &[$($program),+],
            read: |invocation, world| {
                const READERS: &[(&str, $crate::family::Reader)] =
                    &[$(($program, $reader)),+];
                $crate::family::read_with(READERS, invocation, world);
            },
        }
    };
}
pub(crate) use family;
