//! The lines of an answer by their keys, in the forms that models give them: bold keys, lists,
//! tables, headings, `key=value`, and yes or no for each guardrail.

use super::{DIMENSIONS, letters};
use crate::tables::Rulebook;

/// What an answer says. The first word on a matter counts: what follows the form may quote others.
#[derive(Debug, Default)]
pub(super) struct Answer {
    values: Vec<(&'static str, String)>,
    /// Names of skills.
    pub skills: Vec<String>,
    /// Names of guardrails.
    pub guardrails: Vec<String>,
    skills_told: bool,
    guardrails_told: bool,
}

/// What a line is about.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Key {
    Dimension(&'static str),
    Workflow,
    Skills,
    Guardrails,
    /// Free words begin here.
    Rest,
}

impl Answer {
    pub fn read(text: &str, rules: &Rulebook) -> Self {
        let mut answer = Self::default();
        let mut open: Option<Key> = None;
        for line in text.lines().map(bare_line) {
            if line.is_empty() {
                continue;
            }
            if let Some((key, value)) = keyed(&line) {
                if key == Key::Rest {
                    open = None;
                    if answer.is_whole() {
                        break;
                    }
                    continue;
                }
                open = None;
                if value.is_empty() {
                    open = Some(key);
                } else {
                    answer.take(key, value);
                    answer.close(key);
                }
            } else if let Some(id) = switched_on(&line, rules) {
                answer.guardrails.extend(id);
            } else if let Some(key) = open {
                answer.take(key, &line);
                if matches!(key, Key::Dimension(_)) {
                    open = None;
                }
            } else {
                answer.take_bare(&line);
            }
        }
        answer
    }

    /// What was said of a dimension.
    pub fn value(&self, key: &str) -> Option<&str> {
        let mut values = self.values.iter();
        values
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value.as_str())
    }

    fn is_whole(&self) -> bool {
        self.values.len() == DIMENSIONS.len() && self.guardrails_told
    }

    fn take(&mut self, key: Key, value: &str) {
        match key {
            Key::Dimension(name) => self.set(name, value),
            Key::Workflow => self.take_workflow(value),
            Key::Skills if !self.skills_told => self.skills.extend(names(value)),
            Key::Guardrails if !self.guardrails_told => self.guardrails.extend(names(value)),
            Key::Skills | Key::Guardrails | Key::Rest => {}
        }
    }

    fn close(&mut self, key: Key) {
        self.skills_told |= key == Key::Skills;
        self.guardrails_told |= key == Key::Guardrails;
    }

    fn set(&mut self, name: &'static str, value: &str) {
        // The form itself, repeated with all its values, says nothing.
        let is_form = value.contains('|') || value.contains(" or ") || value.contains("/none");
        if self.value(name).is_none() && !is_form {
            self.values.push((name, value.to_owned()));
        }
    }

    /// `gate=plan-mode pre-work=none approach=tdd`, with any separators.
    fn take_workflow(&mut self, value: &str) {
        let mut is_keyed = false;
        let words = value.split([' ', ',', ';', '+', '|']);
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        for (at, word) in words.iter().enumerate() {
            let Some((key, rest)) = word.split_once(['=', ':']) else {
                continue;
            };
            if let Some(name) = dimension(&letters(key)) {
                let next = words.get(at + 1).copied().unwrap_or_default();
                let said = if rest.is_empty() { next } else { rest };
                self.set(name, said.trim_matches(['[', ']']));
                is_keyed = true;
            }
        }
        if !is_keyed {
            words.iter().for_each(|word| self.take_value(word));
        }
    }

    /// A value that belongs to one dimension alone.
    fn take_value(&mut self, word: &str) {
        for dimension in DIMENSIONS {
            let values = dimension.values.iter().map(|(value, _)| *value);
            let mut told = values.filter(|value| *value != "none");
            if told.any(|value| letters(value) == letters(word)) {
                self.set(dimension.key, word);
            }
        }
    }

    /// A line without a key, which may still be `gate=none pre-work=none approach=direct`.
    fn take_bare(&mut self, line: &str) {
        if line.matches('=').count() > 1 {
            self.take_workflow(line);
        }
    }
}

/// A line without what only looks: list marks, emphasis, heading marks, the edges of a table.
fn bare_line(line: &str) -> String {
    let line = line.trim();
    if line.starts_with("```") || line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ')) {
        return String::new();
    }
    let line = match line.strip_prefix('|') {
        Some(row) => row.trim_end_matches('|').replacen('|', ":", 1),
        None => line.to_owned(),
    };
    let line = line.trim_start_matches(['#', '-', '*', '+', '>', '•', ' ']);
    let kept = line.chars().filter(|c| !matches!(c, '*' | '`'));
    kept.collect::<String>().trim().to_owned()
}

/// A line's key and what follows it.
fn keyed(line: &str) -> Option<(Key, &str)> {
    let colon = line.split_once(':');
    let is_equal = |(key, _): &(&str, &str)| key.chars().count() < 24;
    let split = colon.or_else(|| line.split_once('=').filter(is_equal));
    let (head, value) = split.unwrap_or((line, ""));
    // `gate=none pre-work: none` begins with another key than its first colon's.
    if let (Some(_), Some((first, _))) = (colon, head.split_once('='))
        && dimension(&letters(first)).is_some()
    {
        return None;
    }
    if split.is_some_and(|(_, value)| value.contains('=')) && !line.contains(':') {
        return None;
    }
    let key = match letters(head).as_str() {
        "workflow" | "workflows" => Key::Workflow,
        "skill" | "skills" | "activeskill" | "domainskill" => Key::Skills,
        "guardrails" | "guardrail" => Key::Guardrails,
        "relevantcontext" | "context" | "sessionstate" | "guidance" => Key::Rest,
        other => Key::Dimension(dimension(other)?),
    };
    Some((key, value.trim()))
}

fn dimension(letters_of_key: &str) -> Option<&'static str> {
    let mut keys = DIMENSIONS.iter().map(|dimension| dimension.key);
    keys.find(|key| letters(key) == letters_of_key)
}

/// `verify_before_complete: true`, `require_skill: name`: a guardrail that is on, or nothing for
/// one that is off.
fn switched_on(line: &str, rules: &Rulebook) -> Option<Option<String>> {
    let (id, value) = line.split_once(':')?;
    let (id, value) = (id.trim(), value.trim().trim_matches('"'));
    rules.guardrail(id).filter(|_| !id.is_empty())?;
    Some(match letters(value).as_str() {
        "true" | "yes" | "on" => Some(id.to_owned()),
        "false" | "no" | "off" | "null" | "none" | "" => None,
        _ if crate::tables::is_id(value) => Some(format!("{id}:{value}")),
        _ => None,
    })
}

/// Names in a list, without what explains them.
fn names(value: &str) -> Vec<String> {
    let is_edge = |c: char| c.is_whitespace() || matches!(c, '[' | ']' | '"' | '\'' | '.' | '•');
    let mut found = Vec::new();
    for part in value.split([',', ';', '|']) {
        let part = part.trim_matches(is_edge);
        // `verify_before_complete (always)`, `plan_mode — because …`
        let name = part.split_whitespace().next().unwrap_or_default();
        let name = name.trim_matches(is_edge).trim_end_matches(':');
        if !name.is_empty() {
            found.push(name.to_owned());
        }
    }
    found
}
