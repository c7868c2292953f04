//! One value of a TOML text with its place, and the shapes that rules and settings are made of.

use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::{Problem, all, did_you_mean};
use crate::rule::{List, Text};

/// A value with its place in the text.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    value: &'a DeValue<'a>,
    pub(super) at: usize,
}

/// A key of a table and what is done with its value.
pub(super) struct Key<T: 'static> {
    pub(super) name: &'static str,
    pub(super) set: fn(&mut T, Node<'_>) -> Result<(), Problem>,
}

/// Calls `visit` with the root table of a text.
///
/// # Errors
/// What TOML does not allow, and all that `visit` finds, in the order of the text.
pub(super) fn parse<T>(
    text: &str,
    visit: impl FnOnce(Node<'_>) -> Result<T, Problem>,
) -> Result<T, Vec<Problem>> {
    let root = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let what = error.message().to_owned();
        vec![Problem::new(at, what, "this is not valid TOML")]
    })?;
    let at = root.span().start;
    let value = DeValue::Table(root.into_inner());
    visit(Node { value: &value, at }).map_err(|problem| {
        let mut found = problem.each();
        found.sort_by_key(|problem| problem.at);
        found
    })
}

impl<'a> Node<'a> {
    fn new(spanned: &'a Spanned<DeValue<'a>>) -> Self {
        Self {
            value: spanned.get_ref(),
            at: spanned.span().start,
        }
    }

    fn wrong(&self, wanted: &str) -> Problem {
        let what = format!("expected {wanted}, found {}", self.value.type_str());
        Problem::new(self.at, what, "")
    }

    pub(super) fn text(&self) -> Result<&'a str, Problem> {
        self.value.as_str().ok_or_else(|| self.wrong("a string"))
    }

    pub(super) fn boolean(&self) -> Result<bool, Problem> {
        let value = self.value.as_bool();
        value.ok_or_else(|| self.wrong("true or false"))
    }

    /// A whole number in a range.
    pub(super) fn number(&self, range: std::ops::RangeInclusive<u32>) -> Result<u32, Problem> {
        let (least, most) = (range.start(), range.end());
        let wrong = || self.wrong(&format!("a whole number from {least} to {most}"));
        let value = self
            .value
            .as_integer()
            .and_then(|number| u32::from_str_radix(number.as_str(), number.radix()).ok());
        value
            .filter(|value| range.contains(value))
            .ok_or_else(wrong)
    }

    /// The elements of an array.
    pub(super) fn array(&self) -> Result<Vec<Node<'a>>, Problem> {
        let array = self.value.as_array();
        let array = array.ok_or_else(|| self.wrong("an array"))?;
        Ok(array.iter().map(Node::new).collect())
    }

    /// The elements of an array, or the one value that stands for an array of one.
    fn one_or_more(&self) -> Vec<Node<'a>> {
        self.array().unwrap_or_else(|_| vec![*self])
    }

    /// The entries of a table, in the order of the text.
    pub(super) fn entries(&self) -> Result<Vec<(&'a str, usize, Node<'a>)>, Problem> {
        let table = self.value.as_table();
        let table = table.ok_or_else(|| self.wrong("a table"))?;
        let entry = |(key, value): (&'a Spanned<Cow<'a, str>>, _)| {
            (key.get_ref().as_ref(), key.span().start, Node::new(value))
        };
        let mut entries: Vec<_> = table.iter().map(entry).collect();
        entries.sort_by_key(|(_, at, _)| *at);
        Ok(entries)
    }

    pub(super) fn is_text(&self) -> bool {
        self.value.is_str()
    }

    pub(super) fn owned(&self) -> Result<Text, Problem> {
        Ok(Cow::Owned(self.text()?.to_owned()))
    }

    /// One string or an array of them.
    pub(super) fn texts(&self) -> Result<List<Text>, Problem> {
        let texts: Result<Vec<Text>, Problem> =
            self.one_or_more().iter().map(Node::owned).collect();
        texts.map(Cow::Owned)
    }

    /// One or more strings, each of them one of these.
    pub(super) fn texts_among(
        &self,
        known: &'static [&'static str],
        noun: &str,
    ) -> Result<List<Text>, Problem> {
        for node in self.one_or_more() {
            let given = node.text()?;
            if !known.contains(&given) {
                let what = format!("unknown {noun} {given:?}");
                return Err(Problem::new(
                    node.at,
                    what,
                    did_you_mean(given, known.iter().copied()),
                ));
            }
        }
        self.texts()
    }

    /// A value by its name in a table of names.
    pub(super) fn named<T: Copy>(
        &self,
        names: &'static [(&'static str, T)],
        noun: &str,
    ) -> Result<T, Problem> {
        let given = self.text()?;
        let found = names.iter().find(|(name, _)| *name == given);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let known = names.iter().map(|(name, _)| *name);
            let what = format!("unknown {noun} {given:?}");
            Problem::new(self.at, what, did_you_mean(given, known))
        })
    }

    /// One or more values by their names.
    pub(super) fn all_named<T: Copy>(
        &self,
        names: &'static [(&'static str, T)],
        noun: &str,
    ) -> Result<List<T>, Problem> {
        let nodes = self.one_or_more();
        let values: Result<Vec<T>, Problem> =
            nodes.iter().map(|node| node.named(names, noun)).collect();
        values.map(Cow::Owned)
    }

    /// Reads a table by its keys; a key that is not among them is a mistake. Reading goes on
    /// after each, so that a person hears of all at once.
    pub(super) fn fill<T>(&self, into: &mut T, keys: &'static [Key<T>]) -> Result<(), Problem> {
        let entries = self.entries()?.into_iter();
        all(entries.map(
            |(name, at, value)| match keys.iter().find(|key| key.name == name) {
                Some(known) => (known.set)(into, value),
                None => {
                    let help = did_you_mean(name, keys.iter().map(|key| key.name));
                    Err(Problem::new(at, format!("unknown key {name:?}"), help))
                }
            },
        ))
    }
}
