//! Actions field by field, so that rules can look at them again. Knows no rule.

use model::{Action, BackupItem, Fact, RefKey};

use super::facts::{push_loss, push_texts, push_unknown};
use super::line::{Cleaner, LIST_MAX};
use crate::json::{Object, push_text};

/// Appends what one action is.
pub fn push(o: &mut Object<'_>, action: &Action, clean: &mut Cleaner) {
    let Action {
        verb: _,
        kind: _,
        name: _,
        zone,
        flags,
        certainty,
        loss,
        backups,
        program,
        argv,
        text,
        branch,
        via,
    } = action;
    o.text("do", &clean.exact(&action.canonical()));
    o.list("flags", flags.iter(), |out, flag| {
        push_text(out, flag.name());
    });
    o.text("zone", zone.name());
    o.text("certainty", certainty.name());
    match loss {
        Fact::Known(loss) => push_loss(o, loss, clean),
        Fact::Unknown(why) => o.object("loss", |o| push_unknown(o, why, clean)),
    }
    push_stakes(o, backups, clean);
    o.text("branch", &clean.exact(branch));
    o.text("program", &clean.exact(program));
    let words = clean.words(argv);
    // Most commands are written as they are run; a reader joins the words where no text is told.
    if text.is_empty() && !argv.is_empty() {
        clean.note_cut();
    } else if !is_joined(argv, text) {
        o.text("text", &clean.exact(text));
    }
    o.list("argv", words, |out, word| push_text(out, &word));
    push_texts(o, "via", via, clean);
}

/// Whether a text is these words with a blank between them.
fn is_joined(words: &[String], text: &str) -> bool {
    let mut rest = Some(text);
    for (number, word) in words.iter().enumerate() {
        let begin = rest.and_then(|rest| match number {
            0 => Some(rest),
            _ => rest.strip_prefix(' '),
        });
        rest = begin.and_then(|rest| rest.strip_prefix(word.as_str()));
    }
    rest == Some("")
}

/// What undo would have to keep.
fn push_stakes(o: &mut Object<'_>, backups: &[BackupItem], clean: &mut Cleaner) {
    if backups.len() > LIST_MAX {
        o.number("keeps_total", backups.len() as u64);
        clean.note_cut();
    }
    o.list("keeps", backups.iter().take(LIST_MAX), |out, stake| {
        Object::write(out, |o| match stake {
            BackupItem::File(path) => o.text("file", &clean.exact(path)),
            BackupItem::Tree(path) => o.text("tree", &clean.exact(path)),
            BackupItem::Index(dir) => o.text("index", &clean.exact(dir)),
            BackupItem::Ref(RefKey { dir, name, to }) => {
                o.text("ref", &clean.exact(name));
                o.text("dir", &clean.exact(dir));
                o.text("to", &clean.exact(to));
            }
        });
    });
}
