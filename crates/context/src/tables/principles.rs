//! AXIOMS.md and HEURISTICS.md: principles with opaque ids. Must not know what any of them means.

use super::markdown::{self, MarkdownLine, Warning};
use super::rulebook::bold_key;

/// Most principles that are kept.
const PRINCIPLES_MAX: usize = 500;

/// A principle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Principle {
    /// Its id, as it is written.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// What it says.
    pub rule: String,
    /// What follows from it.
    pub corollaries: Vec<String>,
    /// Where it comes from.
    pub derivation: String,
    /// Its line, from 1.
    pub line: usize,
}

/// Which part of a principle the next lines belong to.
#[derive(Clone, Copy)]
enum Part {
    Rule,
    Corollaries,
    Derivation,
    Other,
}

/// Reads principles: a heading `Title (ID)` each.
#[must_use]
pub fn principles(text: &str) -> (Vec<Principle>, Vec<Warning>) {
    let mut warnings = Vec::new();
    let text = markdown::bounded(text, &mut warnings);
    let mut found: Vec<Principle> = Vec::new();
    let mut open: Option<Principle> = None;
    let mut part = Part::Rule;
    for (number, line) in markdown::lines(text) {
        match (line, &mut open) {
            (MarkdownLine::Heading(title), _) => {
                found.extend(open.take());
                part = Part::Rule;
                open = titled(title, number);
            }
            (MarkdownLine::Text(line), Some(principle)) => part = add(principle, line, part),
            _ => {}
        }
    }
    found.extend(open);
    if let Some(first) = found.get(PRINCIPLES_MAX) {
        let what = format!("only the first {PRINCIPLES_MAX} principles are read");
        warnings.push(Warning::new(first.line, what));
    }
    found.truncate(PRINCIPLES_MAX);
    if found.is_empty() {
        warnings.push(Warning::new(1, "there is no heading `Title (ID)`"));
    }
    for principle in found.iter().filter(|principle| principle.rule.is_empty()) {
        let what = format!("`{}` says nothing", principle.id);
        warnings.push(Warning::new(principle.line, what));
    }
    (found, warnings)
}

/// `Title (ID)`.
fn titled(title: &str, line: usize) -> Option<Principle> {
    let (name, id) = title.strip_suffix(')')?.rsplit_once('(')?;
    let id = id.trim();
    let is_id = id.len() <= 16 && id.chars().any(|c| c.is_ascii_digit());
    let has_blank = id.contains(char::is_whitespace);
    (is_id && !has_blank).then(|| Principle {
        id: id.to_owned(),
        title: name.trim().to_owned(),
        line,
        ..Principle::default()
    })
}

fn add(principle: &mut Principle, line: &str, part: Part) -> Part {
    let key = line.starts_with("**").then(|| bold_key(line)).flatten();
    let (part, text) = match &key {
        Some((key, rest)) if key.starts_with("corollar") => (Part::Corollaries, *rest),
        Some((key, rest)) if key.starts_with("derivation") => (Part::Derivation, *rest),
        // Emphasis within what a principle says is no key of its own.
        Some((_, _)) if !line.contains("**:") && !line.contains(":**") => (part, line),
        Some(_) => (Part::Other, ""),
        None => (part, line),
    };
    let bullet = text
        .strip_prefix(['-', '*', '+'])
        .filter(|rest| rest.starts_with(' '));
    let joined = |whole: &mut String| {
        let joint = if whole.is_empty() || text.is_empty() {
            ""
        } else {
            " "
        };
        whole.push_str(joint);
        whole.push_str(text);
    };
    match (part, bullet) {
        (Part::Corollaries, Some(bullet)) => principle.corollaries.push(bullet.trim().to_owned()),
        (Part::Corollaries, None) if text.is_empty() => {}
        (Part::Corollaries, None) => match principle.corollaries.last_mut() {
            Some(last) => joined(last),
            None => principle.corollaries.push(text.to_owned()),
        },
        (Part::Derivation, _) => joined(&mut principle.derivation),
        (Part::Rule, _) => joined(&mut principle.rule),
        (Part::Other, _) => {}
    }
    part
}
