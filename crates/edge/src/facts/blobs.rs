//! Contents of files by the names that git gives them: those that trees differ in, and those that
//! stand in the work tree.

use super::error::LookError;
use super::repository::Repository;
use super::view::View;

/// A file as a tree has it.
#[derive(PartialEq, Eq)]
pub(super) struct Blob {
    /// From the top of the work tree.
    pub path: String,
    pub mode: String,
    /// The name of its content; only zeros where there is no file.
    pub object: String,
}

/// What git tells of two trees that differ (`--raw -z --no-abbrev`), as the second has it.
pub(super) fn told(output: &[u8]) -> impl Iterator<Item = Blob> {
    let mut parts = output.split(|byte| *byte == 0);
    // Each is told by two parts: `:MODE MODE OBJECT OBJECT STATUS`, and its name.
    std::iter::from_fn(move || {
        let (head, path) = (parts.next()?, parts.next()?);
        let head = String::from_utf8_lossy(head);
        let mut words = head.split(' ').skip(1);
        let mode = words.next().unwrap_or_default().to_owned();
        let object = words.nth(1).unwrap_or_default().to_owned();
        let path = String::from_utf8_lossy(path).into_owned();
        Some(Blob { path, mode, object })
    })
}

/// The names of what these files of the work tree hold, in their order.
///
/// # Errors
/// Why it cannot be known.
pub(super) fn objects<'p>(
    view: &mut View<'_>,
    repository: &Repository,
    files: impl Iterator<Item = &'p str>,
) -> Result<Vec<String>, LookError> {
    let words = ["hash-object", "--no-filters", "--"].into_iter();
    let words: Vec<String> = words.chain(files).map(str::to_owned).collect();
    let output = view.git(repository, &words)?;
    let text = String::from_utf8_lossy(&output.bytes);
    Ok(text.lines().map(str::to_owned).collect())
}
