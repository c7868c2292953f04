//! The tables that a request shows, row by row, each with the file it is from.

use context::guidance::all_derived;
use context::tables::{self, Name};

use super::{Author, EffectiveTable, all, skills};
use crate::Places;

/// Rows and where they are from.
pub(crate) struct TableRows {
    /// The file, or that they are ours.
    pub source: String,
    /// One row a line.
    pub rows: String,
}

/// When to use which skill, the guardrails that there are, and what was wrong with somebody's
/// tables: then ours stand in.
pub(crate) fn shown(places: &Places) -> (TableRows, TableRows, Option<String>) {
    let (tables, wrong) = match all(&places.tables) {
        Ok(tables) => (tables, None),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let (text, source, is_ours) = table_text(places, &tables, Name::Reminders);
    let (triggers, _) = tables::reminders(&text);
    // Our own table names skills that nobody may have.
    let known = if is_ours {
        skills(&places.tables, &[])
    } else {
        Vec::new()
    };
    let is_there = |skill: &str| !is_ours || known.iter().any(|card| card.name == skill);
    let rows = triggers.iter().filter(|row| is_there(&row.skill));
    let rows = rows.map(|row| format!("{}: {}\n", row.skill, row.when));
    let skills = TableRows {
        source,
        rows: rows.collect(),
    };
    let (text, source, _) = table_text(places, &tables, Name::Rules);
    let (book, _) = tables::rules(&text);
    // What a workflow brings along holds whether it is named or not.
    let is_derived = |id: &str| all_derived().any(|(_, _, derived)| derived == id);
    let rows = book.guardrails.iter().filter(|row| !is_derived(&row.id));
    let rows = rows.map(|row| format!("{}: {}\n", row.id, row.instruction));
    let guardrails = TableRows {
        source,
        rows: rows.collect(),
    };
    (skills, guardrails, wrong)
}

/// A table's text, where it is from, and whether it is ours.
fn table_text(places: &Places, tables: &[EffectiveTable], name: Name) -> (String, String, bool) {
    let table = tables.iter().find(|table| table.name == name);
    match table.filter(|table| table.author != Author::Ours) {
        Some(table) => (
            table.text.clone(),
            text::path::with_tilde(&places.home, &table.path),
            false,
        ),
        None => {
            let source = format!("tollgate's own {}", name.file());
            (name.default_text().to_owned(), source, true)
        }
    }
}
