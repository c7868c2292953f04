//! A command with some words left open, and its form for people.

use std::fmt;

use model::section::{Field, Reader, Writer};

/// Most words that a template can have.
pub const SLOTS_MAX: usize = 64;

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

    fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Prefix(_) | Self::Any => None,
        }
    }

    /// As a regular expression for one word, as people read it.
    fn expression(&self) -> String {
        match self {
            Self::Literal(text) => escaped(text),
            Self::Prefix(text) => [&escaped(text), PREFIX].concat(),
            Self::Any => ANY.to_owned(),
        }
    }

    fn read(part: &str) -> Result<Self, Unfit> {
        if part == ANY {
            return Ok(Self::Any);
        }
        match part.strip_suffix(PREFIX) {
            Some(begin) => Ok(Self::Prefix(unescaped(begin)?)),
            None => Ok(Self::Literal(unescaped(part)?)),
        }
    }
}

/// Between two words, and in the place of one.
const GAP: &str = "\\s+";
const ANY: &str = "\\S+";
const PREFIX: &str = "\\S*";

impl Field for Slot {
    fn write(&self, out: &mut Writer) {
        let (kind, text) = match self {
            Self::Literal(text) => (0, text.as_str()),
            Self::Prefix(text) => (1, text.as_str()),
            Self::Any => (2, ""),
        };
        out.number(kind);
        out.bytes(text.as_bytes());
    }

    fn read(input: &mut Reader<'_>) -> Option<Self> {
        match (input.number()?, input.text()?) {
            (0, text) => Some(Self::Literal(text)),
            (1, text) => Some(Self::Prefix(text)),
            (2, _) => Some(Self::Any),
            _ => None,
        }
    }
}

/// Why a text is no template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// It has no words.
    Empty,
    /// It has more than [`SLOTS_MAX`] words.
    TooLong,
    /// Its first word is left open: it would be about every program.
    NoProgram,
    /// It says more than which words stand where.
    Expression,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "it names no command",
            Self::TooLong => "it has more than 64 words",
            Self::NoProgram => "its first word must be a program, spelled out",
            Self::Expression => {
                "a pattern is one command, word by word: `^git\\s+push\\s+\\S+$`; each word is \
                 spelled out, begins so (`x\\S*`) or is any (`\\S+`)"
            }
        })
    }
}

/// A command with some words left open.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Template {
    /// The words of the command, the program in front.
    pub slots: Vec<Slot>,
}

impl Field for Template {
    fn write(&self, out: &mut Writer) {
        self.slots.write(out);
    }

    fn read(input: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            slots: input.field()?,
        })
    }
}

impl Template {
    /// One that fits exactly these words.
    ///
    /// # Errors
    /// If there are none, or too many.
    pub fn exact(words: &[String]) -> Result<Self, Unfit> {
        Self::new(words.iter().cloned().map(Slot::Literal).collect())
    }

    /// One of these slots.
    ///
    /// # Errors
    /// If there are none, too many, or the first is open.
    pub fn new(slots: Vec<Slot>) -> Result<Self, Unfit> {
        match slots.first() {
            None => Err(Unfit::Empty),
            Some(_) if slots.len() > SLOTS_MAX => Err(Unfit::TooLong),
            Some(Slot::Literal(program)) if !program.is_empty() => Ok(Self { slots }),
            Some(_) => Err(Unfit::NoProgram),
        }
    }

    /// Reads the form for people.
    ///
    /// # Errors
    /// If it is another expression.
    pub fn read(expression: &str) -> Result<Self, Unfit> {
        let inner = expression
            .strip_prefix('^')
            .and_then(|rest| rest.strip_suffix('$'));
        let inner = inner.ok_or(Unfit::Expression)?;
        let slots: Result<Vec<Slot>, Unfit> = inner.split(GAP).map(Slot::read).collect();
        Self::new(slots?)
    }

    /// Whether a command's words are as this template says. Their number counts too.
    #[must_use]
    pub fn accepts(&self, words: &[String]) -> bool {
        let fits = |(slot, word): (&Slot, &String)| slot.accepts(word);
        self.slots.len() == words.len() && self.slots.iter().zip(words).all(fits)
    }

    /// The words, if all of them are spelled out.
    #[must_use]
    pub fn words(&self) -> Option<Vec<&str>> {
        self.slots.iter().map(Slot::literal).collect()
    }

    /// The words that are spelled out before the first that is open.
    #[must_use]
    pub fn beginning(&self) -> Vec<&str> {
        self.slots.iter().map_while(Slot::literal).collect()
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &str {
        self.slots.first().and_then(Slot::literal).unwrap_or("")
    }

    /// The template as an anchored regular expression over one simple command, for people.
    #[must_use]
    pub fn expression(&self) -> String {
        let words: Vec<String> = self.slots.iter().map(Slot::expression).collect();
        format!("^{}$", words.join(GAP))
    }
}

/// A text with what means something in a regular expression escaped, and spaces too: a word may
/// hold some.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        if SPECIAL.contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

const SPECIAL: &str = "\\.+*?()|[]{}^$ ";

/// Back again.
fn unescaped(text: &str) -> Result<String, Unfit> {
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(next) if !next.is_ascii_alphanumeric() => out.push(next),
                _ => return Err(Unfit::Expression),
            },
            _ if SPECIAL.contains(character) => return Err(Unfit::Expression),
            _ => out.push(character),
        }
    }
    Ok(out)
}
