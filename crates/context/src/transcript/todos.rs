//! The list of what is to be done, as it stands after all that was told of it.

use model::{Todo, TodoChange, TodoState};

/// Most things that are kept, newest first dropped.
const KEPT_MAX: usize = 200;
/// Longest text of one, in characters.
const TEXT_CHARS_MAX: usize = 160;

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Todos {
    /// Each, in order; what was given up is not there.
    pub items: Vec<Todo>,
    /// How many are not begun.
    pub pending: usize,
    /// How many are under way.
    pub current: usize,
    /// How many are done.
    pub done: usize,
}

impl Todos {
    pub(super) fn change(&mut self, change: TodoChange) {
        match change {
            TodoChange::All(items) => {
                self.items = items.into_iter().take(KEPT_MAX).map(short).collect();
            }
            TodoChange::Added(item) => {
                let has = |known: &Todo| !item.id.is_empty() && known.id == item.id;
                if self.items.len() < KEPT_MAX && !self.items.iter().any(has) {
                    self.items.push(short(item));
                }
            }
            TodoChange::Set { id, state, text } => {
                let item = self.items.iter_mut().find(|item| item.id == id);
                if let Some(item) = item {
                    item.state = state.unwrap_or(item.state);
                    if let Some(text) = text {
                        item.text = super::clean::clean(&text, TEXT_CHARS_MAX);
                    }
                }
            }
        }
        self.items.retain(|item| item.state != TodoState::Dropped);
        let count = |state| self.items.iter().filter(|item| item.state == state).count();
        (self.pending, self.current, self.done) = (
            count(TodoState::Pending),
            count(TodoState::Current),
            count(TodoState::Done),
        );
    }
}

fn short(item: Todo) -> Todo {
    Todo {
        text: super::clean::clean(&item.text, TEXT_CHARS_MAX),
        ..item
    }
}
