//! The request that the hydrator reads: a template filled with what was gathered, each part within
//! its budget and between marks.

use super::cut::{self, cut, tokens};
use super::fence::Fence;
use super::skip::is_continuation;
use super::template::{TemplateError, fill};
use model::one_line;

/// The request's text, with a `{name}` for each part.
pub const TEMPLATE: &str = include_str!("../../../../assets/templates/hydration.md");

/// Longest line of a part, in characters.
const LINE_CHARS_MAX: usize = 240;
/// Shortest prompt that can stand without the question it answers, in bytes.
const PROMPT_BYTES_MIN: usize = 40;

/// How many tokens each part may take (S4.5), and how many earlier prompts are shown (S0.16).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budgets {
    /// The prompt itself.
    pub prompt: usize,
    /// Facts.
    pub memory: usize,
    /// Files of the project.
    pub files: usize,
    /// What was said before, the active skill, what is to be done.
    pub session: usize,
    /// The question that a short prompt answers.
    pub question: usize,
    /// Work items.
    pub items: usize,
    /// Each table.
    pub table: usize,
    /// Earlier prompts.
    pub prompts: usize,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            prompt: 4_000,
            memory: 200,
            files: 150,
            session: 100,
            question: 100,
            items: 50,
            table: 500,
            prompts: 3,
        }
    }
}

/// Something relevant and where it is from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Passage {
    /// A path, an id.
    pub source: String,
    /// What it says; shown on one line.
    pub text: String,
}

/// How many things are to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TodoCounts {
    /// Not begun.
    pub open: usize,
    /// Under way.
    pub current: usize,
    /// Done.
    pub done: usize,
}

/// What is known of the session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionNotes {
    /// Earlier prompts, oldest first.
    pub prompts: Vec<String>,
    /// The skill loaded last.
    pub skill: String,
    /// What the agent said last.
    pub answer: String,
    /// How many things are to be done.
    pub todos: TodoCounts,
    /// Those that are not done, the one under way first.
    pub open: Vec<String>,
}

/// All that a request is made of.
#[derive(Debug, Clone)]
pub struct Material<'a> {
    /// [`TEMPLATE`], or the user's own.
    pub template: &'a str,
    /// Marks with a word that nobody can know beforehand.
    pub fence: Fence<'a>,
    /// What each part may take.
    pub budgets: Budgets,
    /// The prompt.
    pub prompt: &'a str,
    /// The session.
    pub session: SessionNotes,
    /// Facts, the most relevant first.
    pub memory: Vec<Passage>,
    /// Files, the most relevant first.
    pub files: Vec<Passage>,
    /// Work items, the most relevant first.
    pub items: Vec<Passage>,
    /// Where the table of skills is from, and its rows.
    pub skills: (&'a str, &'a str),
    /// Where the guardrails are from, and their rows.
    pub guardrails: (&'a str, &'a str),
    /// The form of the answer.
    pub form: &'a str,
    /// What is missing, and why.
    pub warnings: Vec<String>,
}

/// A request with what its parts take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The whole text.
    pub text: String,
    /// Tokens of each part that was gathered: `memory`, `codebase`, `session`, `work items`.
    pub tokens: Vec<(&'static str, usize)>,
}

/// The request for a prompt.
///
/// # Errors
/// If the template names a part that there is not.
pub fn request(material: &Material<'_>) -> Result<Request, TemplateError> {
    let Material { fence, budgets, .. } = material;
    let prompt = cut(material.prompt, budgets.prompt);
    let todos = todos(&material.session, budgets.session / 3);
    let session = session(material, budgets.session.saturating_sub(tokens(&todos)));
    let memory = list(&material.memory, budgets.memory);
    let files = list(&material.files, budgets.files);
    let items = list(&material.items, budgets.items);
    let part = |source: &str, text: &str| match text {
        "" => String::new(),
        text => fence.quote(source, text),
    };
    let table = |(source, rows): (&str, &str)| part(source, &rows_of(rows, budgets.table));
    let mut warnings = String::new();
    for warning in &material.warnings {
        warnings.push_str(&format!("Note: {}\n\n", one_line(warning, LINE_CHARS_MAX)));
    }
    let values: &[(&str, &str)] = &[
        ("word", fence.word()),
        ("prompt", &part("the prompt", &prompt)),
        ("session", &part("the session so far", &session)),
        ("todos", &part("the agent's list", &todos)),
        ("memory", &part("facts that were kept", &memory)),
        (
            "files",
            &part("files of the project that fit the prompt", &files),
        ),
        ("items", &part("open work items", &items)),
        ("skills", &table(material.skills)),
        ("guardrails", &table(material.guardrails)),
        ("form", material.form.trim_end()),
        ("warnings", &warnings),
    ];
    let text = fill(material.template, values)?;
    let tokens = vec![
        ("memory", tokens(&memory)),
        ("codebase", tokens(&files)),
        ("session", tokens(&session) + tokens(&todos)),
        ("work items", tokens(&items)),
    ];
    Ok(Request { text, tokens })
}

/// What was said before, and which skill is active.
fn session(material: &Material<'_>, tokens_max: usize) -> String {
    let (notes, budgets) = (&material.session, material.budgets);
    let mut lines = Vec::new();
    if !notes.skill.is_empty() {
        lines.push(format!("active skill: {}", one_line(&notes.skill, 80)));
    }
    let prompts: Vec<&String> = notes.prompts.iter().rev().take(budgets.prompts).collect();
    let used: usize = lines.iter().map(|line| line.len() + 1).sum();
    let left = (tokens_max * cut::TOKEN_BYTES).saturating_sub(used);
    let each = (left / prompts.len().max(1)).saturating_sub(1) / cut::TOKEN_BYTES;
    for prompt in prompts.iter().rev() {
        let line = format!("earlier prompt: {}", one_line(prompt, LINE_CHARS_MAX));
        lines.push(cut(&line, each));
    }
    let (mut text, _) = cut::fit(&lines, tokens_max);
    let is_short = material.prompt.trim().len() < PROMPT_BYTES_MIN;
    if !notes.answer.is_empty() && (is_short || is_continuation(material.prompt)) {
        let question = question(&notes.answer, budgets.question);
        text.push_str(&format!("the agent said last: {question}\n"));
    }
    text
}

/// The end of what the agent said, where its question stands.
fn question(answer: &str, tokens_max: usize) -> String {
    let bytes_max = tokens_max.saturating_mul(cut::TOKEN_BYTES);
    let answer = answer.trim();
    let mut start = answer.len().saturating_sub(bytes_max.saturating_sub(8));
    while !answer.is_char_boundary(start) {
        start += 1;
    }
    let end = answer.get(start..).unwrap_or_default();
    let line = one_line(end, bytes_max.max(1));
    if start == 0 {
        line
    } else {
        ["…", &line].concat()
    }
}

fn todos(notes: &SessionNotes, tokens_max: usize) -> String {
    let TodoCounts {
        open,
        current,
        done,
    } = notes.todos;
    if open + current + done == 0 {
        return String::new();
    }
    let mut lines = vec![format!("{done} done, {current} under way, {open} open")];
    lines.extend(
        notes
            .open
            .iter()
            .map(|todo| format!("- {}", one_line(todo, 80))),
    );
    cut::fit(&lines, tokens_max).0
}

/// One line for each, as many as fit; the first is cut rather than left out.
fn list(passages: &[Passage], tokens_max: usize) -> String {
    let line = |passage: &Passage| {
        let source = one_line(&passage.source, LINE_CHARS_MAX);
        match one_line(&passage.text, LINE_CHARS_MAX) {
            text if text.is_empty() => format!("- {source}"),
            text => format!("- {source}: {text}"),
        }
    };
    let mut lines: Vec<String> = passages.iter().map(line).collect();
    if let Some(first) = lines.first_mut() {
        *first = cut(first, tokens_max.saturating_sub(1));
    }
    cut::fit(&lines, tokens_max).0
}

/// The rows of a table that fit, and how many did not.
fn rows_of(table: &str, tokens_max: usize) -> String {
    let rows: Vec<String> = table.lines().map(|row| row.trim_end().to_owned()).collect();
    let (mut text, kept) = cut::fit(&rows, tokens_max);
    if kept < rows.len() {
        text.push_str(&format!("(and {} rows more)\n", rows.len() - kept));
    }
    text
}

#[cfg(test)]
mod tests;
