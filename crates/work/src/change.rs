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

#[cfg(test)]
mod tests {
    use super::*;

    fn set_at(at: Option<usize>, from: Option<u8>, to: u8) -> (Vec<u8>, bool) {
        let mut list = vec![1, 2];
        let is_set = set(&mut list, at, &Change { from, to }).is_ok();
        (list, is_set)
    }

    #[test]
    fn a_change_is_made_of_what_it_was_made_for_or_not_at_all() {
        for (at, from, list, is_set) in [
            (None, None, vec![1, 2, 9], true),
            (Some(1), Some(2), vec![1, 9], true),
            (Some(1), Some(1), vec![1, 2], false),
            (Some(1), None, vec![1, 2], false),
            (None, Some(2), vec![1, 2], false),
            (Some(5), Some(2), vec![1, 2], false),
        ] {
            assert_eq!(set_at(at, from, 9), (list, is_set), "{at:?} {from:?}");
        }
    }
}
