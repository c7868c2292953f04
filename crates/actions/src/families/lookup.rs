//! From a program's name to its row, and from the row to what the program does.

use super::{FAMILIES, readers};
use crate::command_context::CommandContext;
use crate::family::{Effects, Program};
use crate::{Invocation, World};

/// How many programs there are.
#[expect(clippy::indexing_slicing, reason = "it is made while this is compiled")]
const COUNT: usize = {
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
};

/// A program behind the start of its name: numbers are compared faster than texts.
#[derive(Clone, Copy)]
struct Entry {
    start: u64,
    program: &'static Program,
}

/// All programs, sorted by the start of their names.
#[expect(clippy::indexing_slicing, reason = "it is made while this is compiled")]
static INDEX: [Entry; COUNT] = {
    let first = &FAMILIES[0][0];
    let mut all = [Entry {
        start: 0,
        program: first,
    }; COUNT];
    let (mut count, mut family) = (0, 0);
    while family < FAMILIES.len() {
        let mut row = 0;
        while row < FAMILIES[family].len() {
            let program = &FAMILIES[family][row];
            let start = start_of(program.name);
            let mut at = count;
            while at > 0 && all[at - 1].start > start {
                all[at] = all[at - 1];
                at -= 1;
            }
            all[at] = Entry { start, program };
            count += 1;
            row += 1;
        }
        family += 1;
    }
    all
};

/// The first eight bytes of a name, as a number that sorts like them.
#[expect(clippy::indexing_slicing, reason = "it is const, and looks first")]
const fn start_of(name: &str) -> u64 {
    let name = name.as_bytes();
    let (mut start, mut at) = (0, 0);
    while at < 8 {
        let byte = if at < name.len() { name[at] } else { 0 };
        start = start << 8 | byte as u64;
        at += 1;
    }
    start
}

/// The row of a program.
pub(crate) fn program(name: &str) -> Option<&'static Program> {
    let start = start_of(name);
    let from = INDEX.partition_point(|entry| entry.start < start);
    let rest = INDEX.get(from..).unwrap_or_default();
    let like = rest.iter().take_while(|entry| entry.start == start);
    let mut programs = like.map(|entry| entry.program);
    programs.find(|program| program.name == name)
}

/// Programs that leave only a number, or a digest, of what they are fed.
const COUNTING: &[&str] = &[
    "cksum",
    "md5",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "shasum",
    "wc",
];

/// Reads what a program does itself; `false` if nothing is known of it.
pub(crate) fn read(program: &Program, invocation: &Invocation, world: &mut World<'_>) -> bool {
    match &program.effects {
        Effects::Unknown => return false,
        Effects::Harmless if COUNTING.contains(&program.name) => world.hides_values = true,
        Effects::Harmless => {}
        Effects::PrintsFiles(words) => readers::read_files(world, invocation, words),
        Effects::Command(read) => read(&mut CommandContext::new(invocation, world)),
        Effects::Looks(read) | Effects::Own(read) => read(invocation, world),
    }
    true
}
