//! What commands and lists look like, where that is plain.

use shell::{Command, CommandKind, Item, List, Part};

/// The name of the program that a simple command runs, if it is spelled out.
pub(super) fn program<'c>(command: &'c Command<'_>) -> Option<&'c [u8]> {
    let CommandKind::Simple { words, .. } = &command.kind else {
        return None;
    };
    match words.first()?.parts.as_slice() {
        [Part::Literal(name)] => Some(name),
        _ => None,
    }
}

/// The only command of a list, with the item that holds it: nothing is piped or joined to it.
pub(super) fn only<'c, 's>(list: &'c List<'s>) -> Option<(&'c Item<'s>, &'c Command<'s>)> {
    let [item] = list.items.as_slice() else {
        return None;
    };
    let [command] = item.first.stages.as_slice() else {
        return None;
    };
    item.rest.is_empty().then_some((item, command))
}
