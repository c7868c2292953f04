//! Whether undo can bring back what a call loses, from what is known before anything is kept, and
//! the words for it. Keeps nothing itself.

use model::{
    Action, Analysis, BackupItem, Fact, Loss, Saved, UNDO_BYTES_MAX, UNDO_FILES_MAX, one_line,
};

/// Longest account of what was not kept, in characters.
const UNSAVED_CHARS_MAX: usize = 80;

/// Whether undo can bring back everything that a call loses. A loss that is not known cannot be
/// promised back.
#[must_use]
pub fn recoverable(analysis: &Analysis) -> bool {
    can_all(&analysis.actions.iter().collect::<Vec<_>>())
}

/// Whether undo can bring back what these actions lose together.
pub(crate) fn can_all(actions: &[&Action]) -> bool {
    let mut sum = Loss::default();
    for action in actions {
        match &action.loss {
            Fact::Known(loss) => sum.add(loss),
            Fact::Unknown(_) => return false,
        }
    }
    let is_small = !sum.more && sum.files_total <= UNDO_FILES_MAX && sum.bytes <= UNDO_BYTES_MAX;
    is_small && actions.iter().all(|action| is_staked(action))
}

/// Whether an action names what is to be kept for each kind of thing that it loses.
fn is_staked(action: &Action) -> bool {
    let Fact::Known(loss) = &action.loss else {
        return false;
    };
    let has = |fits: fn(&BackupItem) -> bool| action.backups.iter().any(fits);
    let files = has(|stake| !matches!(stake, BackupItem::Ref(_)));
    let others = has(|stake| matches!(stake, BackupItem::Ref(_) | BackupItem::Tree(_)));
    (loss.files_total == 0 || files) && (loss.other.is_empty() || others)
}

/// Whether actions lose something, as far as is known.
pub(crate) fn loses(actions: &[&Action]) -> bool {
    actions.iter().any(|action| is_loss(action))
}

fn is_loss(action: &Action) -> bool {
    action.loss.known().is_none_or(|loss| !loss.is_nothing())
}

/// What is added to the reason for a loss; empty where nothing is lost or nothing can be promised.
/// A refusal promises nothing: it is not about what could be brought back.
pub(crate) fn in_words(actions: &[&Action], saved: &Saved, can_run: bool) -> String {
    let lost: Vec<&Action> = actions
        .iter()
        .copied()
        .filter(|action| is_loss(action))
        .collect();
    let nothing_to_keep = lost.iter().any(|action| action.backups.is_empty());
    let is_unknown = lost.iter().any(|action| action.loss.is_unknown());
    match saved {
        _ if lost.is_empty() => String::new(),
        _ if nothing_to_keep => "; it cannot be undone".to_owned(),
        Saved::NotTried if is_unknown => String::new(),
        _ if !is_unknown && !can_all(&lost) => "; it cannot be undone".to_owned(),
        Saved::NotTried if !can_run => String::new(),
        Saved::NotTried => "; it can be undone".to_owned(),
        Saved::All(id) => format!("; kept, tollgate undo restore {id} brings it back"),
        Saved::Part { unsaved, .. } => {
            let unsaved = one_line(unsaved, UNSAVED_CHARS_MAX);
            format!("; it cannot be undone: {unsaved} not kept")
        }
    }
}

/// Advice on a call that runs although it loses something: where to get it back.
pub(crate) fn advice(saved: &Saved) -> String {
    match saved {
        Saved::All(id) => {
            format!("What goes was kept: tollgate undo restore {id} brings it back.")
        }
        Saved::Part { id, unsaved } if !id.is_empty() => {
            let unsaved = one_line(unsaved, UNSAVED_CHARS_MAX);
            format!("Part of what goes was kept: tollgate undo restore {id}. Not kept: {unsaved}.")
        }
        Saved::NotTried | Saved::Part { .. } => String::new(),
    }
}
