//! Learned patterns: command templates, looked up by what a simple command begins with.
//!
//! Owns the template, its match and the index. Looking up costs the same whether ten templates are
//! known or ten thousand: only those of the same key are compared. Must not know: where templates
//! come from, what a match leads to, rules, gates, files.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods))]
#![cfg_attr(not(test), forbid(clippy::disallowed_types))]
#![cfg_attr(not(test), forbid(clippy::disallowed_macros))]

use std::collections::HashMap;

use model::{Action, fnv64};

#[cfg(test)]
mod tests;

/// Most words after the key that a template can have.
pub const SLOTS_MAX: usize = 64;

/// Most templates of one key; more are not taken into an index.
pub const TEMPLATES_PER_KEY_MAX: usize = 500;

/// What one word of a command has to be.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Exactly this.
    Literal(String),
    /// This, and anything after it.
    Prefix(String),
    /// Any one word.
    Any,
}

impl Slot {
    fn accepts(&self, word: &str) -> bool {
        match self {
            Self::Literal(text) => text == word,
            Self::Prefix(text) => word.starts_with(text.as_str()),
            Self::Any => true,
        }
    }

    /// As a regular expression for one word, as people read it.
    fn expression(&self) -> String {
        match self {
            Self::Literal(text) => escaped(text),
            Self::Prefix(text) => format!("{}\\S*", escaped(text)),
            Self::Any => "\\S+".to_owned(),
        }
    }
}

/// A command with some words left open.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Template {
    /// Its name.
    pub id: String,
    /// Program and subcommand (`git push`).
    pub key: String,
    /// The words after the key.
    pub slots: Vec<Slot>,
}

/// Why a template is not taken into an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It has no key.
    NoKey,
    /// It has more than [`SLOTS_MAX`] words.
    TooLong,
    /// It has words, but none of them is fixed: it would match nearly everything of its key.
    TooWide,
    /// The key has [`TEMPLATES_PER_KEY_MAX`] templates already.
    KeyFull,
}

impl Template {
    /// Whether the words after the key are as this template says. Their number counts too.
    #[must_use]
    pub fn accepts(&self, words: &[String]) -> bool {
        let fits = |(slot, word): (&Slot, &String)| slot.accepts(word);
        self.slots.len() == words.len() && self.slots.iter().zip(words).all(fits)
    }

    /// The template as an anchored regular expression over one simple command, for people.
    #[must_use]
    pub fn expression(&self) -> String {
        let key = self.key.split(' ').map(escaped);
        let words: Vec<String> = key.chain(self.slots.iter().map(Slot::expression)).collect();
        format!("^{}$", words.join("\\s+"))
    }

    fn refusal(&self) -> Option<Refusal> {
        let fixed = |slot: &Slot| !matches!(slot, Slot::Any);
        if self.key.is_empty() {
            Some(Refusal::NoKey)
        } else if self.slots.len() > SLOTS_MAX {
            Some(Refusal::TooLong)
        } else if !self.slots.is_empty() && !self.slots.iter().any(fixed) {
            Some(Refusal::TooWide)
        } else {
            None
        }
    }
}

/// Templates by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    by_key: HashMap<u64, Vec<Template>>,
}

impl Index {
    /// Takes templates in; those that are not taken come back with the reason.
    pub fn build(templates: Vec<Template>) -> (Self, Vec<(Template, Refusal)>) {
        let mut index = Self::default();
        let mut refused = Vec::new();
        for template in templates {
            if let Err(back) = index.add(template) {
                refused.push(back);
            }
        }
        (index, refused)
    }

    fn add(&mut self, template: Template) -> Result<(), (Template, Refusal)> {
        if let Some(refusal) = template.refusal() {
            return Err((template, refusal));
        }
        let same = self.by_key.entry(hash(&template.key)).or_default();
        if same.len() >= TEMPLATES_PER_KEY_MAX {
            return Err((template, Refusal::KeyFull));
        }
        same.push(template);
        Ok(())
    }

    /// Number of templates.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_key.values().map(Vec::len).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// The templates that a command matches: `key` is program and subcommand, `words` what follows.
    pub fn matches<'a>(
        &'a self,
        key: &'a str,
        words: &'a [String],
    ) -> impl Iterator<Item = &'a Template> {
        let same = self.by_key.get(&hash(key)).into_iter().flatten();
        same.filter(move |template| template.key == key && template.accepts(words))
    }

    /// The templates that the simple command behind an action matches.
    pub fn matches_action<'a>(&'a self, action: &'a Action) -> impl Iterator<Item = &'a Template> {
        let key_words = action.program.split(' ').count();
        let words = action.argv.get(key_words..).unwrap_or_default();
        self.matches(&action.program, words)
    }
}

fn hash(key: &str) -> u64 {
    fnv64(key.as_bytes())
}

/// A text with what means something in a regular expression escaped.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        if "\\.+*?()|[]{}^$".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}
