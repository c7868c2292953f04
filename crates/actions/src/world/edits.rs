//! The session's own edits of files that were as they are committed: whoever takes those back loses
//! nothing but what this session wrote.

use model::{Action, EditedFile, Fact, PathFact, PathKind, ResourceKind, Vcs, Verb, Want};

use super::World;

/// Most files that one call is said to edit.
const EDITED_MAX: usize = 32;

impl World<'_> {
    /// After the whole call: the files that it changes and that nobody else has changed.
    pub(crate) fn note_edits(&mut self) {
        let mut edited: Vec<String> = Vec::new();
        for action in &self.analysis.actions {
            let is_own = is_change(action) && self.is_untouched(&action.name);
            if is_own && !edited.contains(&action.name) && edited.len() < EDITED_MAX {
                edited.push(action.name.clone());
            }
        }
        self.analysis.edited_paths = edited;
    }

    /// Whether nobody but this session has changed a file since it was as it is committed. Asks
    /// nothing: a write has asked for what was there.
    fn is_untouched(&self, path: &str) -> bool {
        let Some(Fact::Known(fact)) = self.facts.paths.get(path) else {
            return false;
        };
        fact.kind == PathKind::File && (fact.vcs == Vcs::Clean || self.is_left(path, fact))
    }

    fn is_left(&self, path: &str, fact: &PathFact) -> bool {
        let left = |known: &EditedFile| {
            known.modified != 0 && (known.bytes, known.modified) == (fact.bytes, fact.modified)
        };
        let mut edits = self.place.edits.iter();
        edits.any(|known| known.path == path && left(known))
    }

    /// Whether a file with changes has none but this session's, as far as was there before the
    /// call.
    pub(crate) fn is_own_edit(&mut self, path: &str) -> bool {
        if !self.place.edits.iter().any(|known| known.path == path) {
            return false;
        }
        self.want(Want::Path(path.to_owned()));
        match self.facts.paths.get(path) {
            Some(Fact::Known(fact)) => self.is_left(path, fact),
            _ => false,
        }
    }
}

/// Whether an action changes a file here.
fn is_change(action: &Action) -> bool {
    action.verb == Verb::Write && action.kind == ResourceKind::File && !action.name.is_empty()
}
