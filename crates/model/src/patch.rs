//! Patches in the form that names whole files (`*** Add File: a.txt`): what becomes of each.

use std::borrow::Cow;

use crate::call::{CONTENT_BYTES_MAX, Content};

/// What a patch does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patched<'a> {
    /// Its path as the patch gives it.
    pub path: Cow<'a, str>,
    /// What becomes of it.
    pub operation: PatchOperation<'a>,
    /// The whole content of a file that is added, else its part of the patch as written.
    pub text: Content<'a>,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchOperation<'a> {
    /// It is made, or made anew.
    Add,
    /// A part of it changes.
    Change,
    /// It goes.
    Delete,
    /// It has another path afterwards, and a part of it may change.
    Move(Cow<'a, str>),
}

impl Patched<'_> {
    /// The same, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Patched<'static> {
        Patched {
            path: Cow::Owned(self.path.into_owned()),
            operation: match self.operation {
                PatchOperation::Add => PatchOperation::Add,
                PatchOperation::Change => PatchOperation::Change,
                PatchOperation::Delete => PatchOperation::Delete,
                PatchOperation::Move(to) => PatchOperation::Move(Cow::Owned(to.into_owned())),
            },
            text: self.text.into_owned(),
        }
    }

    /// An operation and its path, for a person.
    #[must_use]
    pub fn summary(&self) -> String {
        let path = &self.path;
        match &self.operation {
            PatchOperation::Add => format!("write {path}"),
            PatchOperation::Change => format!("edit {path}"),
            PatchOperation::Delete => format!("delete {path}"),
            PatchOperation::Move(to) => format!("move {path} to {to}"),
        }
    }
}

/// How a line begins that names a file, and what becomes of it.
const HEADERS: &[(&str, PatchOperation<'static>)] = &[
    ("*** Add File:", PatchOperation::Add),
    ("*** Update File:", PatchOperation::Change),
    ("*** Delete File:", PatchOperation::Delete),
];
const MOVE: &str = "*** Move to:";

/// Reads a patch; nothing if it names no file. What stands around it and lines that are none of a
/// patch are passed over, as who applies patches is lenient too.
#[must_use]
pub fn read_patch(text: &str) -> Option<Vec<Patched<'static>>> {
    let mut files: Vec<(Patched<'static>, String)> = Vec::new();
    for line in text.lines() {
        let bare = line.trim();
        let header = HEADERS.iter().find_map(|(start, operation)| {
            let path = bare.strip_prefix(start)?;
            Some((path.trim().to_owned(), operation.clone()))
        });
        if let Some((path, operation)) = header {
            let file = Patched {
                path: Cow::Owned(path),
                operation,
                text: Content::default(),
            };
            files.push((file, String::new()));
        } else if let (Some(to), Some((file, _))) = (bare.strip_prefix(MOVE), files.last_mut()) {
            file.operation = PatchOperation::Move(Cow::Owned(to.trim().to_owned()));
        } else if let Some((file, part)) = files.last_mut() {
            let line = match file.operation {
                PatchOperation::Add => line.strip_prefix('+'),
                _ => (!line.starts_with("*** ")).then_some(line),
            };
            part.extend(line.into_iter().flat_map(|line| [line, "\n"]));
        }
    }
    let whole = files.into_iter().map(|(file, part)| Patched {
        text: Content {
            bytes: part.len(),
            text: (part.len() <= CONTENT_BYTES_MAX).then_some(Cow::Owned(part)),
        },
        ..file
    });
    let whole: Vec<_> = whole.collect();
    (!whole.is_empty()).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(text: &str) -> Option<Vec<String>> {
        let files = read_patch(text)?;
        Some(files.iter().map(Patched::summary).collect())
    }

    #[test]
    fn every_file_of_a_patch_is_seen() {
        let text = "<<'EOF'\n*** Begin Patch\n*** Add File: new dir/a.txt\n+one\n+two\n\
                    *** Update File: b.txt\n@@\n-old\n+new\n  *** Delete File: c.txt  \n\
                    *** Update File: d.txt\n*** Move to: /e.txt\n@@\n+x\n*** End Patch\nEOF\n";
        let expected = [
            "write new dir/a.txt",
            "edit b.txt",
            "delete c.txt",
            "move d.txt to /e.txt",
        ];
        assert_eq!(
            summary(text).as_deref(),
            Some(&expected.map(str::to_owned)[..])
        );
        let files = read_patch(text).unwrap_or_default();
        let texts: Vec<_> = files.iter().map(|file| file.text.text.as_deref()).collect();
        let parts = ["one\ntwo\n", "@@\n-old\n+new\n", "", "@@\n+x\nEOF\n"];
        assert_eq!(texts, parts.map(Some));
    }

    #[test]
    fn what_names_no_file_is_no_patch() {
        for text in [
            "",
            "*** Begin Patch\n*** End Patch",
            "*** Move to: a",
            "+++ b/a.txt",
        ] {
            assert_eq!(summary(text), None, "{text}");
        }
        assert_eq!(
            summary("*** Delete File:").map(|files| files.len()),
            Some(1)
        );
    }
}
