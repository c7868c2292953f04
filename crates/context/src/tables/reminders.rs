//! REMINDERS.md: which words and paths belong to which skill, in the order of their priority.

use super::markdown::{self, MarkdownRow, MarkdownTable, Warning};

/// Most rows that are read.
const ROWS_MAX: usize = 500;
/// Most signals of a row.
const SIGNALS_MAX: usize = 32;
/// What the heading says above the table.
const HEADING: &str = "skill invocation triggers";

/// What shows that a text or a path belongs to a skill. All but stems are in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Signal {
    /// One word.
    Word(String),
    /// Words that follow one another.
    Phrase(String),
    /// A directory with its `/`: whatever lies in one of that name.
    Prefix(String),
    /// How a path ends: an extension with its dot, or whole parts.
    Suffix(String),
    /// A file's name without its extension.
    Stem(String),
}

/// One row: when a skill is to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// The skill's id.
    pub skill: String,
    /// What shows that it fits.
    pub signals: Vec<Signal>,
    /// When to use it, in the table's words.
    pub when: String,
    /// The row's line, from 1.
    pub line: usize,
}

/// Reads the table of triggers.
#[must_use]
pub fn reminders(text: &str) -> (Vec<Trigger>, Vec<Warning>) {
    let mut warnings = Vec::new();
    let text = markdown::bounded(text, &mut warnings);
    let tables = markdown::tables(text, &mut warnings);
    let Some(table) = trigger_table(&tables) else {
        let what = "there is no table `Domain Signal | Skill | When to Invoke`";
        warnings.push(Warning::new(1, what));
        return (Vec::new(), warnings);
    };
    let columns = match (table.column("signal"), table.column("skill")) {
        (Some(signal), Some(skill)) => Columns {
            signal,
            skill,
            when: table.column("when"),
        },
        _ => {
            let what = "the columns should be Domain Signal | Skill | When to Invoke";
            warnings.push(Warning::new(table.line, what));
            Columns {
                signal: 0,
                skill: 1,
                when: Some(2),
            }
        }
    };
    let mut triggers = Vec::new();
    for row in table.rows.iter().take(ROWS_MAX) {
        triggers.extend(trigger(row, &columns, &mut warnings));
    }
    if let Some(row) = table.rows.get(ROWS_MAX) {
        let what = format!("only the first {ROWS_MAX} rows are read");
        warnings.push(Warning::new(row.line, what));
    }
    (triggers, warnings)
}

fn trigger_table<'a, 't>(tables: &'a [MarkdownTable<'t>]) -> Option<&'a MarkdownTable<'t>> {
    let is_under = |table: &&MarkdownTable<'_>| table.heading.to_lowercase().contains(HEADING);
    let has_columns = |table: &&MarkdownTable<'_>| {
        table.column("signal").is_some() && table.column("skill").is_some()
    };
    let both = tables
        .iter()
        .find(|table| is_under(table) && has_columns(table));
    let under = || tables.iter().find(is_under);
    both.or_else(under)
        .or_else(|| tables.iter().find(has_columns))
}

/// Which column says what, from 0.
struct Columns {
    signal: usize,
    skill: usize,
    when: Option<usize>,
}

fn trigger(
    row: &MarkdownRow<'_>,
    columns: &Columns,
    warnings: &mut Vec<Warning>,
) -> Option<Trigger> {
    let skill = markdown::bare(row.cell(columns.skill));
    if !markdown::is_id(skill) {
        let what = match skill {
            "" => "the row names no skill".to_owned(),
            _ => format!("`{}` is no skill's id", model::one_line(skill, 40)),
        };
        warnings.push(Warning::new(row.line, what));
        return None;
    }
    let (mut signals, problem) = signals(row.cell(columns.signal));
    if let Some(problem) = problem {
        warnings.push(Warning::new(row.line, problem));
    }
    if signals.len() > SIGNALS_MAX {
        let what = format!("only the first {SIGNALS_MAX} signals are read");
        warnings.push(Warning::new(row.line, what));
        signals.truncate(SIGNALS_MAX);
    }
    if signals.is_empty() {
        let what = format!("`{skill}` has no signal, so it is never suggested");
        warnings.push(Warning::new(row.line, what));
        return None;
    }
    Some(Trigger {
        skill: skill.to_owned(),
        signals,
        when: columns.when.map_or("", |when| row.cell(when)).to_owned(),
        line: row.line,
    })
}

/// Where a piece of a cell stands.
#[derive(Clone, Copy, PartialEq)]
enum Within {
    Open,
    Parentheses,
    Quotes,
    Ticks,
}

/// The signals in a cell, and what is wrong with it.
fn signals(cell: &str) -> (Vec<Signal>, Option<&'static str>) {
    let mut found = Vec::with_capacity(8);
    let mut from = 0;
    let mut now = Within::Open;
    // Quotations and back-ticks may stand in a parenthesis.
    let mut around = Within::Open;
    for (at, character) in cell.char_indices() {
        let next = match (now, character) {
            (Within::Quotes, '"' | '”') | (Within::Ticks, '`') => around,
            (Within::Quotes | Within::Ticks, _) => continue,
            (_, '"' | '“') => Within::Quotes,
            (_, '`') => Within::Ticks,
            (Within::Open, '(') => Within::Parentheses,
            (Within::Parentheses, ')') => Within::Open,
            (_, ',' | ';') => now,
            _ => continue,
        };
        found.extend(signal(cell.get(from..at).unwrap_or_default(), now));
        from = at + character.len_utf8();
        now = next;
        if matches!(now, Within::Open | Within::Parentheses) {
            around = now;
        }
    }
    found.extend(signal(cell.get(from..).unwrap_or_default(), now));
    let problem = match (now, around) {
        (Within::Quotes, _) => Some("a quotation is not closed"),
        (Within::Ticks, _) => Some("a back-tick is not closed"),
        (_, Within::Parentheses) => Some("a parenthesis is not closed"),
        _ => None,
    };
    (found, problem)
}

/// What one piece of a cell means.
fn signal(piece: &str, within: Within) -> Option<Signal> {
    let piece = piece.trim();
    let piece = match within {
        Within::Parentheses => piece.strip_prefix("e.g.").unwrap_or(piece).trim(),
        _ => piece,
    };
    if !piece.chars().any(char::is_alphanumeric) {
        return None;
    }
    let is_single = !piece.contains(char::is_whitespace);
    let path = (is_single && within != Within::Quotes).then(|| path_signal(piece, within));
    if let Some(Some(signal)) = path {
        return Some(signal);
    }
    let mut lower = piece.to_lowercase();
    if is_single {
        return Some(Signal::Word(lower));
    }
    let is_even = !lower.contains("  ") && !lower.contains(|c: char| c.is_whitespace() && c != ' ');
    if !is_even {
        lower = lower.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    Some(Signal::Phrase(lower))
}

fn path_signal(piece: &str, within: Within) -> Option<Signal> {
    let bare = piece.trim_start_matches(['*', '/']);
    let bare = bare.strip_prefix("./").unwrap_or(bare);
    if let Some(dir) = bare.strip_suffix("/**").or(bare.strip_suffix('/')) {
        return (!dir.is_empty()).then(|| Signal::Prefix([&dir.to_lowercase(), "/"].concat()));
    }
    let is_extension = bare.starts_with('.') && !bare.ends_with('.');
    let is_listed = matches!(within, Within::Parentheses | Within::Ticks);
    let has_dot = bare.trim_end_matches('.').contains('.');
    if is_extension || (is_listed && (has_dot || bare.contains('/'))) {
        return Some(Signal::Suffix(bare.to_lowercase()));
    }
    let is_loud = |c: char| c.is_uppercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    let is_stem = within == Within::Parentheses
        && bare.chars().nth(1).is_some()
        && bare.chars().all(is_loud)
        && bare.chars().any(char::is_uppercase);
    is_stem.then(|| Signal::Stem(bare.to_owned()))
}
