//! Compare-and-set: of two hooks at once one wins, and the other sees it and judges again.

use model::section::StepError;

/// A compare-and-set: `to` takes the place of `from`, or nothing happens and the event is judged
/// again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<T> {
    /// What was there; `None` if it is new.
    pub from: Option<T>,
    /// What is there afterwards.
    pub to: T,
}

/// Makes a change of the item at a place; `at` is where the item stands that it is about.
///
/// # Errors
/// If the item is not as the change was made for.
pub(crate) fn set<T: Clone + PartialEq>(
    list: &mut Vec<T>,
    at: Option<usize>,
    change: &Change<T>,
) -> Result<(), StepError> {
    let known = at.and_then(|at| list.get_mut(at));
    match (known, &change.from) {
        (Some(known), Some(from)) if known == from => *known = change.to.clone(),
        (None, None) => list.push(change.to.clone()),
        _ => return Err(StepError::Overtaken),
    }
    Ok(())
}
