//! The tables that a request shows, row by row, each with the file it is from.

use context::tables::{self, Name};

use crate::here::Here;
use crate::tables::{Author, Table, all, skills};

/// Rows and where they are from.
pub struct Shown {
    /// The file, or that they are ours.
    pub source: String,
    /// One row a line.
    pub rows: String,
}

/// When to use which skill, the guardrails that there are, and what was wrong with somebody's
/// tables: then ours stand in.
pub fn shown(here: &Here) -> (Shown, Shown, Option<String>) {
    let (tables, wrong) = match all(here) {
        Ok(tables) => (tables, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let (text, source, is_ours) = text(here, &tables, Name::Reminders);
    let (triggers, _) = tables::reminders(&text);
    // Our own table names skills that nobody may have.
    let known = if is_ours {
        skills(here, &[])
    } else {
        Vec::new()
    };
    let is_there = |skill: &str| !is_ours || known.iter().any(|card| card.name == skill);
    let rows = triggers.iter().filter(|row| is_there(&row.skill));
    let rows = rows.map(|row| format!("{}: {}\n", row.skill, row.when));
    let skills = Shown {
        source,
        rows: rows.collect(),
    };
    let (text, source, _) = self::text(here, &tables, Name::Rules);
    let (book, _) = tables::rules(&text);
    let rows = book.guardrails.iter();
    let rows = rows.map(|row| format!("{}: {}\n", row.id, row.instruction));
    let guardrails = Shown {
        source,
        rows: rows.collect(),
    };
    (skills, guardrails, wrong)
}

/// A table's text, where it is from, and whether it is ours.
fn text(here: &Here, tables: &[Table], name: Name) -> (String, String, bool) {
    let table = tables.iter().find(|table| table.name == name);
    match table.filter(|table| table.author != Author::Ours) {
        Some(table) => (table.text.clone(), here.short(&table.path), false),
        None => {
            let source = format!("tollgate's own {}", name.file());
            (name.default_text().to_owned(), source, true)
        }
    }
}
