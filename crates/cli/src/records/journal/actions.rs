//! Actions read back from a journal's line, so that rules can look at them again.

use model::{
    Action, Analysis, BackupItem, Certainty, Flag, Flags, RefKey, ResourceKind, Verb, Zone,
};
use serde_json::Value;

use super::facts::{items, known_loss, named, texts};
use super::{Record, word};

/// What the call of a record would have done; nothing if the record does not say all of it: it is
/// older than that, or a secret was taken out, or it was too long.
pub fn read(record: &Record) -> Option<Analysis> {
    let truth = |name| record.fields.get(name).and_then(Value::as_bool) == Some(true);
    if truth("inexact") {
        return None;
    }
    let actions = record.list("actions").iter().map(action);
    Some(Analysis {
        actions: actions.collect::<Option<_>>()?,
        unread: texts(&record.fields, "unread"),
        cut: truth("cut"),
        // What follows from a call is in its steps.
        ..Analysis::default()
    })
}

fn action(fields: &Value) -> Option<Action> {
    let (verb, target) = word(fields, "do").split_once(' ')?;
    let (kind, name) = target.split_once(':')?;
    let flags = items(fields, "flags").iter().filter_map(Value::as_str);
    let flags = flags.filter_map(|flag| named(Flag::NAMES, flag));
    let argv = texts(fields, "argv");
    let text = match word(fields, "text") {
        "" => argv.join(" "),
        text => text.to_owned(),
    };
    Some(Action {
        verb: named(Verb::NAMES, verb)?,
        kind: named(ResourceKind::NAMES, kind)?,
        name: name.to_owned(),
        zone: named(Zone::NAMES, word(fields, "zone"))?,
        flags: flags.fold(Flags::NONE, Flags::with),
        certainty: named(Certainty::NAMES, word(fields, "certainty"))?,
        loss: known_loss(fields)?,
        backups: items(fields, "keeps")
            .iter()
            .map(stake)
            .collect::<Option<_>>()?,
        program: word(fields, "program").to_owned(),
        argv,
        text,
        branch: word(fields, "branch").to_owned(),
        via: texts(fields, "via"),
    })
}

fn stake(fields: &Value) -> Option<BackupItem> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let found = text("file").map(BackupItem::File);
    let found = found.or_else(|| text("tree").map(BackupItem::Tree));
    let found = found.or_else(|| text("index").map(BackupItem::Index));
    found.or_else(|| {
        Some(BackupItem::Ref(RefKey {
            name: text("ref")?,
            dir: text("dir")?,
            to: text("to").unwrap_or_default(),
        }))
    })
}
