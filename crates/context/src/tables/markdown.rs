//! The little of Markdown that tables need: front matter, headings, pipe tables, and lines, each
//! with its number. Must not know what any table means.

use std::borrow::Cow;

/// Longest text that is read, in bytes.
pub const TEXT_BYTES_MAX: usize = 256 * 1024;

/// Something that could not be read as it was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, in words.
    pub what: String,
}

impl Warning {
    pub(super) fn new(line: usize, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { line, what }
    }
}

/// A pipe table under the heading that it stands under.
#[derive(Debug, Default)]
pub(super) struct MarkdownTable<'t> {
    pub heading: &'t str,
    pub header: Vec<Cow<'t, str>>,
    pub rows: Vec<MarkdownRow<'t>>,
    pub line: usize,
}

/// One line of a table.
#[derive(Debug)]
pub(super) struct MarkdownRow<'t> {
    pub cells: Vec<Cow<'t, str>>,
    pub line: usize,
}

impl MarkdownRow<'_> {
    pub fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", |cell| cell)
    }
}

impl MarkdownTable<'_> {
    /// The column whose title holds a word, in any case.
    pub fn column(&self, word: &str) -> Option<usize> {
        let mut titles = self.header.iter();
        titles.position(|title| title.to_lowercase().contains(word))
    }
}

/// A line with its number.
#[derive(Debug, Clone, Copy)]
pub(super) enum MarkdownLine<'t> {
    /// A heading, without its marks.
    Heading(&'t str),
    /// A line of a pipe table.
    Pipes(&'t str),
    /// Any other line that says something.
    Text(&'t str),
    /// A blank line, or one between fences.
    Blank,
}

/// The text as far as it is read.
pub(super) fn bounded<'t>(text: &'t str, warnings: &mut Vec<Warning>) -> &'t str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.len() <= TEXT_BYTES_MAX {
        return text;
    }
    let end = text.floor_char_boundary(TEXT_BYTES_MAX);
    let text = text.get(..end).unwrap_or_default();
    let line = text.lines().count();
    warnings.push(Warning::new(
        line,
        "the file is too long; the rest is not read",
    ));
    text
}

/// The lines after the front matter, with their numbers from 1. What stands between fences is an
/// example and says nothing.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, MarkdownLine<'_>)> {
    let skipped = front_matter_lines(text);
    let mut fence = None;
    let numbered = (1..).zip(text.lines()).skip(skipped);
    numbered.map(move |(number, raw)| {
        let line = raw.trim();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| line.starts_with(mark));
        let read = match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => {
                fence = None;
                MarkdownLine::Blank
            }
            (Some(_), _) => MarkdownLine::Blank,
            (None, Some(mark)) => {
                fence = Some(mark);
                MarkdownLine::Blank
            }
            (None, None) => line_of(line),
        };
        (number, read)
    })
}

fn line_of(line: &str) -> MarkdownLine<'_> {
    if line.is_empty() {
        return MarkdownLine::Blank;
    }
    if line.starts_with('|') {
        return MarkdownLine::Pipes(line);
    }
    let rest = line.trim_start_matches('#');
    let marks = line.len() - rest.len();
    if (1..=6).contains(&marks) && rest.starts_with(char::is_whitespace) {
        return MarkdownLine::Heading(rest.trim().trim_end_matches('#').trim_end());
    }
    MarkdownLine::Text(line)
}

/// How many lines the front matter takes; none if it does not end.
fn front_matter_lines(text: &str) -> usize {
    let mut lines = text.lines().map(str::trim_end);
    if lines.next() != Some("---") {
        return 0;
    }
    lines.position(|line| line == "---").map_or(0, |at| at + 2)
}

/// The values of simple `key: value` lines of the front matter, and of a folded value's lines.
#[must_use]
pub fn front_matter(text: &str) -> Vec<(&str, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text
        .lines()
        .take(front_matter_lines(text).saturating_sub(1));
    let mut found: Vec<(&str, String)> = Vec::new();
    for line in lines.skip(1) {
        let goes_on = line.starts_with([' ', '\t']);
        match (goes_on, line.split_once(':'), found.last_mut()) {
            (false, Some((key, value)), _) => {
                let value = value.trim().trim_matches(['"', '\'']);
                let is_folded = matches!(value, ">" | "|" | ">-" | "|-");
                let value = if is_folded { "" } else { value };
                found.push((key.trim(), value.to_owned()));
            }
            (true, _, Some((_, value))) => {
                let joint = if value.is_empty() { "" } else { " " };
                value.push_str(joint);
                value.push_str(line.trim());
            }
            _ => {}
        }
    }
    found
}

/// Every table with at least one row. A table whose title is not ruled off is read all the same.
pub(super) fn tables<'t>(text: &'t str, warnings: &mut Vec<Warning>) -> Vec<MarkdownTable<'t>> {
    let mut found = Vec::new();
    let mut heading = "";
    let mut open: Option<MarkdownTable<'t>> = None;
    let mut is_ruled = false;
    for (number, line) in lines(text) {
        let MarkdownLine::Pipes(line) = line else {
            close(open.take(), is_ruled, (&mut found, warnings));
            if let MarkdownLine::Heading(text) = line {
                heading = text;
            }
            continue;
        };
        let cells = cells(line);
        match &mut open {
            None => {
                is_ruled = false;
                open = Some(MarkdownTable {
                    heading,
                    header: cells,
                    rows: Vec::new(),
                    line: number,
                });
            }
            Some(_) if is_rule(&cells) => is_ruled = true,
            Some(table) => table.rows.push(MarkdownRow {
                cells,
                line: number,
            }),
        }
    }
    close(open, is_ruled, (&mut found, warnings));
    found
}

fn close<'t>(
    table: Option<MarkdownTable<'t>>,
    is_ruled: bool,
    (found, warnings): (&mut Vec<MarkdownTable<'t>>, &mut Vec<Warning>),
) {
    let Some(table) = table.filter(|table| !table.rows.is_empty()) else {
        return;
    };
    if !is_ruled {
        let what = "the table's titles are not ruled off by a line of `---`";
        warnings.push(Warning::new(table.line, what));
    }
    found.push(table);
}

fn is_rule(cells: &[Cow<'_, str>]) -> bool {
    let is_rule = |cell: &Cow<'_, str>| {
        cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':' | ' '))
    };
    !cells.is_empty() && cells.iter().all(is_rule)
}

/// The cells of a line. `\|` is a pipe and no end.
fn cells(line: &str) -> Vec<Cow<'_, str>> {
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells: Vec<Cow<'_, str>> = Vec::with_capacity(4);
    let mut is_open = false;
    for part in line.split('|') {
        match cells.last_mut() {
            Some(cell) if is_open => {
                let cell = cell.to_mut();
                cell.pop();
                cell.push('|');
                cell.push_str(part);
            }
            _ => cells.push(Cow::Borrowed(part)),
        }
        is_open = part.ends_with('\\');
    }
    if cells.len() > 1 && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    for cell in &mut cells {
        *cell = match cell {
            Cow::Borrowed(cell) => Cow::Borrowed(cell.trim()),
            Cow::Owned(cell) => Cow::Owned(cell.trim().to_owned()),
        };
    }
    cells
}

/// An id as it stands in a cell: without back-ticks and quotes.
pub(super) fn bare(cell: &str) -> &str {
    cell.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '*'))
}

/// Whether a word can be an id: letters, digits and what ids have between them.
#[must_use]
pub fn is_id(word: &str) -> bool {
    let may = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '/');
    !word.is_empty() && word.chars().all(may) && word.chars().any(char::is_alphanumeric)
}
