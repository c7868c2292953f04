//! Names the files that an archive holds, without unpacking them: tar, plain or packed by gzip, and
//! zip. Any bytes give an answer or a refusal, never a panic. Knows nothing of where they land.

use super::budget::Budget;
use super::error::LookError;
use super::paths::{self, said};
use super::{inflate, sys};
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::Path;

/// Most files that are named.
const NAMES_MAX: usize = 4_096;
/// Most bytes of an archive that is unpacked to be read, packed and unpacked.
const PACKED_MAX: u64 = 8 * 1024 * 1024;
const UNPACKED_MAX: usize = 32 * 1024 * 1024;
/// A tar file is made of blocks of this size.
const BLOCK: usize = 512;
/// Most bytes of a name that stands in blocks of its own.
const LONG_NAME_MAX: u64 = 64 * 1024;
/// Where the end of a zip's table of contents is looked for, from the end: its own length, and the
/// longest comment.
const ZIP_END: u64 = 22 + 65_535;
/// Most bytes of a zip's table of contents.
const ZIP_TABLE_MAX: u64 = 4 * 1024 * 1024;

/// The names of the files in an archive, as they stand in it.
///
/// # Errors
/// Why they cannot be known.
pub(super) fn names(path: &str, budget: &mut Budget) -> Result<Vec<String>, LookError> {
    budget.check_time()?;
    let mut file = sys::open_calmly(Path::new(path)).map_err(|error| said(path, &error))?;
    let stat = file.metadata().map_err(|error| said(path, &error))?;
    if !stat.is_file() {
        return Err(LookError::NotRegular(path.to_owned()));
    }
    let none = || LookError::NoArchive(path.to_owned());
    let mut begin = [0; 4];
    file.read_exact(&mut begin)
        .map_err(|error| said(path, &error))?;
    file.seek(SeekFrom::Start(0))
        .map_err(|error| said(path, &error))?;
    match begin {
        [0x1f, 0x8b, 8, _] => {
            let packed = paths::read(Path::new(path), PACKED_MAX, budget)?;
            let unpacked = inflate::gzip(&packed, UNPACKED_MAX).ok_or_else(none)?;
            tar(&mut Cursor::new(unpacked), budget).ok_or_else(none)
        }
        [b'P', b'K', ..] => zip(&mut file, stat.len()).ok_or_else(none),
        _ => tar(&mut file, budget).ok_or_else(none),
    }
}

/// The files of a tar: its headers are read, its contents passed over.
fn tar(from: &mut (impl Read + Seek), budget: &mut Budget) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut long = None;
    let mut block = [0; BLOCK];
    loop {
        match from.read_exact(&mut block) {
            Ok(()) if block.iter().any(|byte| *byte != 0) => {}
            // Without its last blocks of zeros it is whole for those who unpack it.
            _ if !names.is_empty() => return Some(names),
            _ => return None,
        }
        let size = octal(block.get(124..136)?)?;
        let is_sum = octal(block.get(148..156)?)? == sum(&block);
        if !is_sum || names.len() >= NAMES_MAX || !budget.take_entry() {
            return None;
        }
        let blocks = size.checked_next_multiple_of(BLOCK as u64)?;
        let kind = *block.get(156)?;
        let mut left = blocks;
        match kind {
            b'L' | b'x' if size <= LONG_NAME_MAX => {
                let mut text = vec![0; usize::try_from(blocks).ok()?];
                from.read_exact(&mut text).ok()?;
                text.truncate(usize::try_from(size).ok()?);
                long = if kind == b'L' {
                    Some(until_zero(&text))
                } else {
                    extended(&text).or(long)
                };
                left = 0;
            }
            b'5' => long = None,
            b'g' | b'K' | b'V' | b'x' | b'L' => {}
            _ => names.push(long.take().unwrap_or_else(|| name_in(&block))),
        }
        from.seek_relative(i64::try_from(left).ok()?).ok()?;
    }
}

/// All bytes of a header but its own sum, which counts as spaces.
fn sum(block: &[u8; BLOCK]) -> u64 {
    let bytes = block.iter().enumerate();
    bytes
        .map(|(at, byte)| {
            if (148..156).contains(&at) {
                32
            } else {
                u64::from(*byte)
            }
        })
        .sum()
}

/// A number in octal digits, or in binary where the first bit says so.
fn octal(field: &[u8]) -> Option<u64> {
    if field.first()? & 0x80 != 0 {
        let rest = field.get(field.len().checked_sub(8)?..)?;
        return Some(u64::from_be_bytes(rest.try_into().ok()?));
    }
    let text = String::from_utf8_lossy(field);
    let digits = text.trim_matches(|letter: char| letter == '\0' || letter == ' ');
    if digits.is_empty() {
        return Some(0);
    }
    u64::from_str_radix(digits, 8).ok()
}

fn until_zero(bytes: &[u8]) -> String {
    let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}

fn name_in(block: &[u8; BLOCK]) -> String {
    let field = |range| until_zero(block.get(range).unwrap_or_default());
    let name = field(0..100);
    let is_posix = block.get(257..263) == Some(b"ustar\0");
    match field(345..500) {
        prefix if is_posix && !prefix.is_empty() => format!("{prefix}/{name}"),
        _ => name,
    }
}

/// The `path` among the records of an extended header: `LENGTH KEY=VALUE`, each ending its line.
fn extended(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let mut records = text.lines().filter_map(|line| line.split_once(' '));
    records.find_map(|(_, record)| record.strip_prefix("path=").map(str::to_owned))
}

/// The files of a zip, from the table of contents at its end.
fn zip(file: &mut (impl Read + Seek), length: u64) -> Option<Vec<String>> {
    let start = length.saturating_sub(ZIP_END);
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut end = Vec::new();
    file.take(ZIP_END).read_to_end(&mut end).ok()?;
    let at = end.windows(4).rposition(|bytes| bytes == b"PK\x05\x06")?;
    let tail = end.get(at..)?;
    let (size, offset) = (number(tail, 12, 4)?, number(tail, 16, 4)?);
    if size > ZIP_TABLE_MAX {
        return None;
    }
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut table = Vec::new();
    file.take(size).read_to_end(&mut table).ok()?;
    let mut rest = table.as_slice();
    let mut names = Vec::new();
    while rest.starts_with(b"PK\x01\x02") {
        let lengths: Option<Vec<u64>> =
            [28, 30, 32].iter().map(|at| number(rest, *at, 2)).collect();
        let lengths = lengths?;
        let name = usize::try_from(*lengths.first()?).ok()?;
        let name = String::from_utf8_lossy(rest.get(46..46 + name)?).into_owned();
        if names.len() >= NAMES_MAX {
            return None;
        }
        if !name.ends_with('/') {
            names.push(name);
        }
        let next = usize::try_from(lengths.iter().sum::<u64>()).ok()?;
        rest = rest.get(46 + next..)?;
    }
    (number(tail, 10, 2)? == 0 || !table.is_empty()).then_some(names)
}

/// A number of so many bytes, the lowest first.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let field = bytes.get(at..at + length)?;
    Some(
        field
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
    )
}
