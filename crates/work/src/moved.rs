//! Where a session has moved work to, so that it is as dear there as where it came from
//! (`moved.md`). Nothing is granted by it.

use model::section::{Section, Step, StepError};
use model::{CopiedPath, Session, fields, steps};

crate::sections::sections! { MovedStep }

/// Most paths, and most copies, that a session remembers.
pub const MOVED_MAX: usize = 64;

/// The paths that a session moved work to, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moved {
    /// Each once; absolute.
    pub paths: Vec<String>,
    /// The copies it made, oldest first.
    pub copies: Vec<CopiedPath>,
}

fields!(Moved { paths, copies });

impl Section for Moved {
    const NAME: &'static str = "moved";
    const VERSION: u16 = 1;
    const MIN_READER: u16 = 1;
}

steps! {
    /// A change of what is remembered of moved work.
    pub enum MovedStep of Moved {
        /// A call moves work to a path.
        "moved" => Moved {
            /// Where.
            path: String,
        },
        /// A call makes a copy of work.
        "copied" => Copied {
            /// Of what.
            from: String,
            /// Where.
            to: String,
        },
    }
}

impl Moved {
    /// What a session remembers.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.sections.get()
    }
}

impl Step for MovedStep {
    type Section = Moved;

    fn apply(&self, section: &mut Moved) -> Result<(), StepError> {
        match self {
            Self::Moved { path } => remember(&mut section.paths, path.clone()),
            Self::Copied { from, to } => {
                let (from, to) = (from.clone(), to.clone());
                remember(&mut section.copies, CopiedPath { from, to });
            }
        }
        Ok(())
    }
}

/// Puts one at the end of a list, once; the oldest make room.
fn remember<T: PartialEq>(list: &mut Vec<T>, new: T) {
    list.retain(|known| *known != new);
    list.push(new);
    let surplus = list.len().saturating_sub(MOVED_MAX);
    list.drain(..surplus);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_remembered_once_and_the_oldest_make_room() {
        let mut moved = Moved::default();
        let mut put = |path: String| MovedStep::Moved { path }.apply(&mut moved);
        for number in 0..MOVED_MAX + 2 {
            assert_eq!(put(format!("/tmp/{number}")), Ok(()));
        }
        assert_eq!(put("/tmp/5".to_owned()), Ok(()));
        assert_eq!(moved.paths.len(), MOVED_MAX);
        let ends = (moved.paths.first(), moved.paths.last());
        assert_eq!(
            ends,
            (Some(&"/tmp/2".to_owned()), Some(&"/tmp/5".to_owned()))
        );
    }
}
