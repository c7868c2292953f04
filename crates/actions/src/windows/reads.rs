//! What is read in the words of Windows, and who gets to see it.

use super::lexer::Command;
use super::operands::listed;
use crate::effects;
use crate::{Arg, Invocation, World};
use std::ops::Range;

/// Words whose first operand is what they look for.
const SEARCHING: &[&str] = &["findstr", "select-string", "sls"];

/// Parameters whose value is a file that is read.
const FILE_PARAMETERS: &[&str] = &["-filepath", "-literalpath", "-path", "-pspath"];

/// Parameters with another value.
const OTHER_PARAMETERS: &[&str] = &[
    "-context",
    "-delimiter",
    "-encoding",
    "-erroraction",
    "-ea",
    "-exclude",
    "-first",
    "-head",
    "-include",
    "-last",
    "-readcount",
    "-stream",
    "-tail",
    "-totalcount",
];

/// Commands that show nothing of the lines that they are handed, or take them for a use.
const HIDING: &[&str] = &[
    "%",
    "convertto-securestring",
    "foreach-object",
    "measure",
    "measure-object",
    "out-file",
    "out-null",
    "set-content",
];

/// Puts the files on the list that a command reads.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation, piped: &Arg) {
    let program = invocation.program.to_lowercase();
    let mut is_sought = SEARCHING.contains(&program.as_str());
    let mut files = Vec::new();
    let mut words = invocation.args.iter();
    while let Some(word) = words.next() {
        let lower = word.text.to_lowercase();
        if FILE_PARAMETERS.contains(&lower.as_str()) {
            files.extend(words.next().map(listed).unwrap_or_default());
        } else if lower == "-pattern" {
            is_sought = false;
            words.next();
        } else if OTHER_PARAMETERS.contains(&lower.as_str()) {
            words.next();
        } else if lower.starts_with('-') || program == "findstr" && lower.starts_with('/') {
            is_sought &= !lower.starts_with("/c:");
        } else if !std::mem::take(&mut is_sought) {
            files.extend(listed(word));
        }
    }
    if files.is_empty() && piped.is_known() && !piped.text.is_empty() {
        files.push(piped.clone());
    }
    for file in files {
        let text = file.text.replace('\\', "/");
        let glob = text.contains(['*', '?']);
        effects::read_file(world, invocation, &Arg { text, glob, ..file });
    }
}

/// `Invoke-WebRequest -InFile FILE`: what is sent.
pub(super) fn sent(world: &mut World<'_>, invocation: &Invocation) {
    let mut pairs = invocation.args.windows(2);
    let file = pairs.find_map(|pair| match pair {
        [name, file] if name.text.eq_ignore_ascii_case("-infile") => Some(file.clone()),
        _ => None,
    });
    if let Some(file) = file {
        let text = file.text.replace('\\', "/");
        effects::read_file(world, invocation, &Arg { text, ..file });
    }
}

/// What was read by a command is shown by none of those that follow it, or kept in a variable.
pub(super) fn hide(world: &mut World<'_>, since: usize, command: &Command, after: &[Command]) {
    let read: Range<usize> = since..world.analysis.actions.len();
    let is_kept = command.is_held || !command.redirects.is_empty();
    if !read.is_empty() && (is_kept || is_quiet(command) || hides(after)) {
        world.unreveal(read);
    }
}

fn hides(after: &[Command]) -> bool {
    let mut piped = after.iter().take_while(|command| command.is_piped);
    let is_counted = after
        .first()
        .is_some_and(|next| !next.is_piped && begins(next, &[".count", ".length"]));
    is_counted || piped.any(|command| begins(command, HIDING) || is_quiet(command))
}

/// Whether a command is one of these.
pub(super) fn begins(command: &Command, known: &[&str]) -> bool {
    let first = command.words.first();
    first.is_some_and(|word| known.contains(&word.text.to_lowercase().as_str()))
}

/// `Select-String -Quiet`: whether there is a line, `-List` and `/m` aside.
fn is_quiet(command: &Command) -> bool {
    let mut words = command.words.iter();
    words.any(|word| word.text.eq_ignore_ascii_case("-quiet"))
}
