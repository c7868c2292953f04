//! Where a session has moved work to, so that it is as dear there as where it came from
//! (`moved.md`). Nothing is granted by it.

use model::section::{Section, Step, StepError};
use model::{Session, fields, steps};

crate::sections::sections! { MovedStep }

/// Most paths that a session remembers.
pub const MOVED_MAX: usize = 64;

/// The paths that a session moved work to, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moved {
    /// Each once; absolute.
    pub paths: Vec<String>,
}

fields!(Moved { paths });

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
        let Self::Moved { path } = self;
        section.paths.retain(|known| known != path);
        section.paths.push(path.clone());
        let surplus = section.paths.len().saturating_sub(MOVED_MAX);
        section.paths.drain(..surplus);
        Ok(())
    }
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
