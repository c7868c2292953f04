//! The table of a host's events: what each is in neutral words, how grave a fault at it is, and in
//! which form it can be answered. The forms are the host's own. Must not know any host's names.

use crate::shared::input;
use model::{Call, EventClass, EventKind};
use text::json::Object;

/// Longest error text that is handed on, in bytes.
const ERROR_BYTES_MAX: usize = 2_000;

/// Makes an event of a payload's members.
pub(crate) type Kind = for<'t> fn(&Object<'t>) -> EventKind<'t>;

/// One event that a host has.
pub(crate) struct EventRow<F> {
    /// Its name, as the host spells it.
    pub(crate) name: &'static str,
    class: EventClass,
    form: F,
    kind: Kind,
}

/// An event by its name.
pub(crate) const fn event_row<F: Copy>(
    name: &'static str,
    class: EventClass,
    form: F,
    kind: Kind,
) -> EventRow<F> {
    EventRow {
        name,
        class,
        form,
        kind,
    }
}

fn find<F>(table: &'static [EventRow<F>], name: &str) -> Option<&'static EventRow<F>> {
    table.iter().find(|row| row.name == name)
}

/// The class of an event; see [`crate::Host::class`]. One that is not in the table is inert.
pub(crate) fn class<F>(table: &'static [EventRow<F>], name: &str) -> EventClass {
    find(table, name).map_or(EventClass::Lifecycle, |row| row.class)
}

/// The form in which an event can be answered; nothing for one that is not in the table.
pub(crate) fn form<F: Copy>(table: &'static [EventRow<F>], name: &str) -> Option<F> {
    find(table, name).map(|row| row.form)
}

/// What happened, in neutral words.
pub(crate) fn kind<'t, F>(
    table: &'static [EventRow<F>],
    name: &str,
    payload: &Object<'t>,
) -> EventKind<'t> {
    match find(table, name) {
        Some(row) => (row.kind)(payload),
        None => EventKind::Other {
            name: name.to_owned(),
        },
    }
}

/// A call that failed, with what the payload's `error` says.
pub(crate) fn failed<'t>(payload: &Object<'t>, call: Call<'t>) -> EventKind<'t> {
    failed_with(call, &payload.text("error").unwrap_or_default())
}

/// A call that failed with an error.
pub(crate) fn failed_with<'t>(call: Call<'t>, error: &str) -> EventKind<'t> {
    EventKind::ToolFailed {
        call,
        error: input::cut(error, ERROR_BYTES_MAX).to_owned(),
    }
}

/// A text of a payload; empty if it has none.
pub(crate) fn owned(payload: &Object<'_>, name: &str) -> String {
    payload.text(name).unwrap_or_default().into_owned()
}
