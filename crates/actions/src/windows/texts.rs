//! Texts of files in PowerShell: what reads a whole one, and after what it is still that file's.

use super::operands::Operands;
use crate::Arg;

/// Words after which a text is still the same file's.
const CHANGING: &[&str] = &[
    "-creplace",
    "-ireplace",
    "-join",
    "-replace",
    ".replace",
    ".trim",
    ".trimend",
    "convertto-json",
    "out-string",
];

/// Words that read a file.
const READING: &[&str] = &[
    "[io.file]::readalllines",
    "[io.file]::readalltext",
    "[system.io.file]::readalllines",
    "[system.io.file]::readalltext",
    "gc",
    "get-content",
];

/// Parameters with which a part of a file is read.
const PARTS: &[&str] = &[
    "-first",
    "-head",
    "-last",
    "-stream",
    "-tail",
    "-totalcount",
];

/// The file whose whole text a command reads.
pub(super) fn whole(words: &[Arg]) -> Option<Arg> {
    let (program, args) = words.split_first()?;
    let lower = |word: &Arg| word.text.to_lowercase();
    let takes_part = args.iter().any(|word| PARTS.contains(&&*lower(word)));
    if takes_part || !READING.contains(&&*lower(program)) {
        return None;
    }
    match Operands::of(args).paths.as_slice() {
        [file] if file.is_known() && !file.text.contains(['*', '?']) => Some(file.clone()),
        _ => None,
    }
}

/// Whether a text that goes through this is still the same file's.
pub(super) fn changes(word: &Arg) -> bool {
    CHANGING.contains(&&*word.text.to_lowercase())
}
