//! What a session has changed of files that were as they are committed (`edits.md`). Nothing is
//! granted by it: it says what a loss is not.

use model::section::{Section, Step, StepError};
use model::{EditedFile, Session, fields, steps};

crate::sections::sections! { EditStep }

/// Most files that a session remembers.
pub const EDITS_MAX: usize = 64;

/// The files, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edits {
    /// Each once.
    pub files: Vec<EditedFile>,
}

fields!(Edits { files });

impl Section for Edits {
    const NAME: &'static str = "edits";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;
}

steps! {
    /// A change of what is remembered of a session's own edits.
    pub enum EditStep of Edits {
        /// A call changes a file that was as it is committed, or as this session left it.
        "edited" => Edited {
            /// The file.
            path: String,
            /// Hash of what names the call.
            call: u64,
        },
        /// The call has ended: the file as it left it.
        "settled" => Settled {
            /// The file.
            path: String,
            /// Its size.
            bytes: u64,
            /// When it was written.
            modified: u64,
        },
    }
}

impl Edits {
    /// What a session remembers.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }

    /// The files that a call changes whose end was not told yet.
    pub fn open(&self, call: u64) -> impl Iterator<Item = &EditedFile> {
        let is_open = move |file: &&EditedFile| file.modified == 0 && file.call == call;
        self.files.iter().filter(is_open)
    }
}

impl Step for EditStep {
    type Section = Edits;

    fn apply(&self, section: &mut Edits) -> Result<(), StepError> {
        match self {
            Self::Edited { path, call } => {
                section.files.retain(|known| known.path != *path);
                section.files.push(EditedFile {
                    path: path.clone(),
                    call: *call,
                    ..EditedFile::default()
                });
                let surplus = section.files.len().saturating_sub(EDITS_MAX);
                section.files.drain(..surplus);
            }
            Self::Settled {
                path,
                bytes,
                modified,
            } => {
                let mut known = section.files.iter_mut();
                if let Some(known) = known.find(|known| known.path == *path) {
                    (known.bytes, known.modified) = (*bytes, *modified);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(path: &str, call: u64) -> EditStep {
        let path = path.to_owned();
        EditStep::Edited { path, call }
    }

    #[test]
    fn a_file_is_settled_by_its_own_call_alone() {
        let mut edits = Edits::default();
        for step in [edited("/a", 1), edited("/b", 2), edited("/a", 3)] {
            assert_eq!(step.apply(&mut edits), Ok(()));
        }
        let open = |edits: &Edits, call| -> Vec<String> {
            edits.open(call).map(|file| file.path.clone()).collect()
        };
        let none: Vec<String> = Vec::new();
        assert_eq!(open(&edits, 1), none, "another call came after it");
        assert_eq!(open(&edits, 3), ["/a"]);
        let settled = EditStep::Settled {
            path: "/a".to_owned(),
            bytes: 5,
            modified: 9,
        };
        assert_eq!(settled.apply(&mut edits), Ok(()));
        assert_eq!(open(&edits, 3), none);
        assert_eq!(open(&edits, 2), ["/b"]);
    }

    #[test]
    fn the_oldest_make_room() {
        let mut edits = Edits::default();
        for number in 0..EDITS_MAX + 3 {
            assert_eq!(edited(&format!("/{number}"), 1).apply(&mut edits), Ok(()));
        }
        assert_eq!(edits.files.len(), EDITS_MAX);
        assert_eq!(
            edits.files.first().map(|file| file.path.as_str()),
            Some("/3")
        );
    }
}
