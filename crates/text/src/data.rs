//! Reads small files of data as people write them for programs: JSON, with comments, and the plain
//! part of YAML (keys, lists, words). What is more is not read at all.

mod json;
mod yaml;

use json::json;
use yaml::yaml;

/// A value in a file of data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Data {
    /// Nothing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A number as it is written.
    Number(String),
    /// A text.
    Text(String),
    /// Values in order.
    List(Vec<Data>),
    /// Keys with their values, in order.
    Pairs(Vec<(String, Data)>),
}

impl Data {
    /// Reads a text of either; `None` if it is more than is read here.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        json(text).or_else(|| yaml(text))
    }

    /// What has a key; the last one, if several have it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Pairs(all) => {
                let mut own = all.iter().rev();
                own.find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// A word without quotes: what it says of itself.
    fn of_word(word: &str) -> Self {
        let is_number = word.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-')
            && word.parse::<f64>().is_ok();
        match word {
            "" | "~" | "null" => Self::Null,
            "true" => Self::Bool(true),
            "false" => Self::Bool(false),
            _ if is_number => Self::Number(word.to_owned()),
            _ => Self::Text(word.to_owned()),
        }
    }
}
