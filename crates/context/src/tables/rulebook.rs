//! RULES.md in each of the three forms that go by that name, and the older file of guardrails:
//! what is protected and how, guardrails with the kinds of tasks they belong to, or an index of
//! principles. Must not know what a guardrail means.

use super::markdown::{self, MarkdownLine, MarkdownRow, MarkdownTable, Warning};

/// Most rows of each kind that are kept.
const ROWS_MAX: usize = 500;

/// A constraint that a session can be given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guardrail {
    /// Its id.
    pub id: String,
    /// The principle that it comes from.
    pub heuristic: String,
    /// What it keeps from happening.
    pub prevents: String,
    /// What the worker is told.
    pub instruction: String,
    /// Its line, from 1.
    pub line: usize,
}

/// The guardrails of a kind of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// The kind.
    pub task: String,
    /// Ids of guardrails, with a value behind a colon where one takes it.
    pub ids: Vec<String>,
    /// The row's line, from 1.
    pub line: usize,
}

/// Something that is enforced by other means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enforced {
    /// What: a principle's id, or a category.
    pub what: String,
    /// What is protected or demanded.
    pub rule: String,
    /// By what.
    pub mechanism: String,
    /// The row's line, from 1.
    pub line: usize,
}

/// One row of an index of principles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexed {
    /// The principle's id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// What it says.
    pub says: String,
    /// The row's line, from 1.
    pub line: usize,
}

/// Everything that a RULES.md says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rulebook {
    /// The registry of guardrails.
    pub guardrails: Vec<Guardrail>,
    /// Which of them belong to which kind of tasks.
    pub mapping: Vec<Mapping>,
    /// What other means enforce.
    pub enforced: Vec<Enforced>,
    /// The index of principles.
    pub index: Vec<Indexed>,
}

impl Rulebook {
    /// The guardrail with an id; what follows a colon in it is a value.
    #[must_use]
    pub fn guardrail(&self, id: &str) -> Option<&Guardrail> {
        let id = base(id);
        self.guardrails.iter().find(|guardrail| guardrail.id == id)
    }

    /// The guardrails of a kind of tasks, those that are in the registry.
    #[must_use]
    pub fn of_task(&self, task: &str) -> Vec<&str> {
        let rows = self.mapping.iter().filter(|row| row.task == task);
        let ids = rows.flat_map(|row| &row.ids).map(String::as_str);
        ids.filter(|id| self.guardrail(id).is_some()).collect()
    }
}

/// A guardrail's id without its value.
#[must_use]
pub fn base(id: &str) -> &str {
    id.split_once(':').map_or(id, |(base, _)| base)
}

/// Reads a RULES.md.
#[must_use]
pub fn rules(text: &str) -> (Rulebook, Vec<Warning>) {
    let mut warnings = Vec::new();
    let text = markdown::bounded(text, &mut warnings);
    let mut book = Rulebook::default();
    for table in markdown::tables(text, &mut warnings) {
        read_table(&table, &mut book, &mut warnings);
    }
    if book.guardrails.is_empty() {
        book.guardrails = blocks(text);
    }
    let is_empty = book.enforced.is_empty() && book.index.is_empty() && book.mapping.is_empty();
    if book.guardrails.is_empty() {
        let what = match is_empty {
            true => "there is neither a guardrail registry nor any other table of rules",
            false => "there is no guardrail registry, so no guardrails are given",
        };
        warnings.push(Warning::new(1, what));
    }
    (book, warnings)
}

/// What kind of table it is shows in its titles; headings vary.
fn read_table(table: &MarkdownTable<'_>, book: &mut Rulebook, warnings: &mut Vec<Warning>) {
    let column = |word| table.column(word);
    let first = table.header.first().map_or("", |title| title);
    let first = first.to_lowercase();
    let rows = table.rows.iter().take(ROWS_MAX);
    if let (Some(id), Some(instruction)) = (column("guardrail"), column("instruction")) {
        let columns = Columns {
            id,
            heuristic: column("heuristic"),
            prevents: column("prevent"),
            instruction,
        };
        let read = rows.filter_map(|row| guardrail(row, &columns, warnings));
        let read: Vec<Guardrail> = read.collect();
        book.guardrails.extend(read);
    } else if let (Some(task), Some(ids)) = (column("task type"), column("guardrail")) {
        for row in rows {
            book.mapping.extend(mapping(row, task, ids, warnings));
        }
    } else if let (Some(what), Some(mechanism)) = (column("protected"), column("mechanism")) {
        book.enforced.extend(rows.map(|row| Enforced {
            what: markdown::bare(row.cell(0)).to_owned(),
            rule: row.cell(what).to_owned(),
            mechanism: row.cell(mechanism).to_owned(),
            line: row.line,
        }));
    } else if let (Some(rule), Some(mechanism)) = (column("rule"), column("enforcement")) {
        book.enforced.extend(rows.map(|row| Enforced {
            what: markdown::bare(row.cell(0)).to_owned(),
            rule: row.cell(rule).to_owned(),
            mechanism: row.cell(mechanism).to_owned(),
            line: row.line,
        }));
    } else if let (true, Some(name)) = (first.ends_with('#'), column("name")) {
        for row in rows {
            book.index.extend(indexed(row, name, warnings));
        }
    }
}

/// Which column of a registry says what, from 0.
struct Columns {
    id: usize,
    heuristic: Option<usize>,
    prevents: Option<usize>,
    instruction: usize,
}

fn guardrail(
    row: &MarkdownRow<'_>,
    columns: &Columns,
    warnings: &mut Vec<Warning>,
) -> Option<Guardrail> {
    let of = |column: Option<usize>| column.map_or("", |column| row.cell(column)).to_owned();
    let id = checked(row, markdown::bare(row.cell(columns.id)), warnings)?;
    // A value in the registry's id (`require_skill:NAME`) only shows its form.
    let id = base(id).to_owned();
    let instruction = row.cell(columns.instruction).trim_matches('"').to_owned();
    if instruction.is_empty() {
        let what = format!("guardrail `{id}` has no instruction");
        warnings.push(Warning::new(row.line, what));
    }
    Some(Guardrail {
        id,
        heuristic: of(columns.heuristic),
        prevents: of(columns.prevents),
        instruction,
        line: row.line,
    })
}

fn mapping(
    row: &MarkdownRow<'_>,
    task: usize,
    ids: usize,
    warnings: &mut Vec<Warning>,
) -> Option<Mapping> {
    let task = checked(row, markdown::bare(row.cell(task)), warnings)?.to_owned();
    let mut read = Vec::new();
    for id in row.cell(ids).split(',').map(markdown::bare) {
        if !id.is_empty() {
            read.extend(checked(row, id, warnings).map(str::to_owned));
        }
    }
    let line = row.line;
    Some(Mapping {
        task,
        ids: read,
        line,
    })
}

fn indexed(row: &MarkdownRow<'_>, name: usize, warnings: &mut Vec<Warning>) -> Option<Indexed> {
    let id = markdown::bare(row.cell(0));
    if id.is_empty() {
        warnings.push(Warning::new(row.line, "the row has no id"));
        return None;
    }
    Some(Indexed {
        id: id.to_owned(),
        name: row.cell(name).to_owned(),
        says: row.cell(name + 1).to_owned(),
        line: row.line,
    })
}

/// The word if it can be an id; otherwise a warning.
fn checked<'w>(
    row: &MarkdownRow<'_>,
    word: &'w str,
    warnings: &mut Vec<Warning>,
) -> Option<&'w str> {
    // The form of a value: `require_skill:[name]`, `require_skill:<name>`.
    let shown =
        word.split_once([':']).map_or(
            word,
            |(base, value)| {
                if markdown::is_id(value) { word } else { base }
            },
        );
    if markdown::is_id(shown) {
        return Some(shown);
    }
    let what = format!("`{}` is no id", model::one_line(word, 40));
    warnings.push(Warning::new(row.line, what));
    None
}

/// The older form: a heading with the id for each guardrail, and lines with bold keys.
fn blocks(text: &str) -> Vec<Guardrail> {
    let mut found: Vec<Guardrail> = Vec::new();
    let mut open: Option<Guardrail> = None;
    for (number, line) in markdown::lines(text) {
        match line {
            MarkdownLine::Heading(title) => {
                found.extend(open.take().filter(is_told));
                let id = markdown::bare(title);
                open = markdown::is_id(id).then(|| Guardrail {
                    id: id.to_owned(),
                    line: number,
                    ..Guardrail::default()
                });
            }
            MarkdownLine::Text(line) => {
                if let (Some(guardrail), Some((key, value))) = (&mut open, bold_key(line)) {
                    let value = value.trim_matches('"').to_owned();
                    match key.as_str() {
                        "heuristic" => guardrail.heuristic = value,
                        "failure prevented" => guardrail.prevents = value,
                        "instruction" => guardrail.instruction = value,
                        _ => {}
                    }
                }
            }
            MarkdownLine::Pipes(_) | MarkdownLine::Blank => {}
        }
    }
    found.extend(open.filter(is_told));
    found.truncate(ROWS_MAX);
    found
}

fn is_told(guardrail: &Guardrail) -> bool {
    !guardrail.instruction.is_empty()
}

/// `- **Key**: value`, the key in lower case.
pub(super) fn bold_key(line: &str) -> Option<(String, &str)> {
    let line = line.trim_start_matches(['-', '*', ' ', '+']);
    let (key, value) = line.split_once("**")?;
    let key = key.trim_end_matches(':').trim().to_lowercase();
    Some((key, value.trim_start_matches(':').trim()))
}
