//! A pattern that says more than which words stand where: a text that a command must hold, or a
//! regular expression over it. What is looked at is one simple command that was read, never the
//! text of a call.

use model::section::{Field, Reader, Writer};
use regex_automata::Input;
use regex_automata::dfa::Automaton as _;
use regex_automata::dfa::sparse::DFA;

/// Shortest text that tells where an expression could hold, in bytes.
pub const NEEDLE_BYTES_MIN: usize = GRAM_BYTES;
/// How many bytes of a needle are looked up at once.
const GRAM_BYTES: usize = 3;
/// Most bytes of a command that are looked at.
const TEXT_BYTES_MAX: usize = 16 * 1024;

/// Options whose value is a text for people, in git and in the programs of forges.
const PROSE: &[&str] = &[
    "--body",
    "--description",
    "--message",
    "--notes",
    "--title",
    "-b",
    "-m",
    "-t",
];

/// What a command's text must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expression {
    /// As it was written; empty: there is none, the entry has a template.
    pub written: String,
    /// Texts in lower case one of which is in every command that it is about; empty: not known.
    pub needles: Vec<String>,
    /// The automaton that decides; empty: what was written is looked for as it is.
    pub automaton: Vec<u8>,
}

impl Field for Expression {
    fn write(&self, out: &mut Writer) {
        self.written.write(out);
        self.needles.write(out);
        out.bytes(&self.automaton);
    }

    fn read(input: &mut Reader<'_>) -> Option<Self> {
        Some(Self {
            written: input.field()?,
            needles: input.field()?,
            automaton: input.bytes()?.to_vec(),
        })
    }
}

impl Expression {
    /// One that looks for a text as it is.
    #[must_use]
    pub fn plain(text: &str) -> Self {
        Self {
            written: text.to_owned(),
            needles: vec![text.to_ascii_lowercase()],
            automaton: Vec::new(),
        }
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.written.is_empty()
    }

    /// Whether nothing tells beforehand where it could hold, so that every command is looked at.
    #[must_use]
    pub fn is_blind(&self) -> bool {
        let is_short = |needle: &String| needle.len() < NEEDLE_BYTES_MIN;
        self.needles.is_empty() || self.needles.iter().any(is_short)
    }

    /// Whether a command's text is as it says. A damaged automaton says no.
    #[must_use]
    pub fn accepts(&self, text: &str) -> bool {
        if self.automaton.is_empty() {
            return text.contains(&self.written);
        }
        let Ok((automaton, _)) = DFA::from_bytes(&self.automaton) else {
            return false;
        };
        let found = automaton.try_search_fwd(&Input::new(text));
        found.is_ok_and(|found| found.is_some())
    }
}

/// What of a command an expression is held against: its words with one space between them, without
/// what is written for people. A word with blanks in it is such a text, or another language.
#[must_use]
pub fn text_of(words: &[String]) -> String {
    let mut text = String::new();
    let mut is_prose = false;
    for word in words {
        let option = word.split('=').next().unwrap_or_default();
        let is_value = is_prose || option != word && PROSE.contains(&option);
        is_prose = PROSE.contains(&word.as_str());
        if is_value || word.contains(char::is_whitespace) {
            continue;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
        if text.len() > TEXT_BYTES_MAX {
            text.truncate(text.floor_char_boundary(TEXT_BYTES_MAX));
            break;
        }
    }
    text
}

/// A place in a text, as a number; 0 stands for none.
fn gram(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Which expressions could hold, by what is in a text: the rarest part of each needle leads to its
/// expression.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Grams(Vec<u64>);

/// Bits of a posting that name the expression; the gram stands above them.
const NUMBER_BITS: u32 = 32;

impl Grams {
    /// Those of expressions, by their numbers.
    pub(crate) fn of<'a>(expressions: impl Iterator<Item = &'a Expression> + Clone) -> Self {
        let grams = |needle: &str| -> Vec<u64> {
            needle.as_bytes().windows(GRAM_BYTES).map(gram).collect()
        };
        let mut all: Vec<u64> = expressions
            .clone()
            .flat_map(|one| one.needles.iter().flat_map(|needle| grams(needle)))
            .collect();
        all.sort_unstable();
        let often = |gram: &u64| {
            all.partition_point(|one| one <= gram) - all.partition_point(|one| one < gram)
        };
        let mut postings = Vec::new();
        for (number, one) in (0_u64..).zip(expressions) {
            let rarest = one
                .needles
                .iter()
                .map(|needle| grams(needle).into_iter().min_by_key(often).unwrap_or(0));
            let rarest: Vec<u64> = match one.is_blind() {
                true => vec![0],
                false => rarest.collect(),
            };
            postings.extend(rarest.into_iter().map(|gram| gram << NUMBER_BITS | number));
        }
        postings.sort_unstable();
        postings.dedup();
        Self(postings)
    }

    /// The numbers of the expressions that could hold for a text, in order.
    pub(crate) fn candidates(&self, text: &str) -> Vec<u64> {
        let text = text.to_ascii_lowercase();
        let mut grams: Vec<u64> = text.as_bytes().windows(GRAM_BYTES).map(gram).collect();
        grams.push(0);
        grams.sort_unstable();
        grams.dedup();
        let mut found: Vec<u64> = grams.iter().flat_map(|gram| self.with(*gram)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn with(&self, gram: u64) -> impl Iterator<Item = u64> {
        let from = self
            .0
            .partition_point(|posting| posting >> NUMBER_BITS < gram);
        let rest = self.0.get(from..).unwrap_or_default().iter();
        let same = rest.take_while(move |posting| *posting >> NUMBER_BITS == gram);
        same.map(|posting| posting & ((1 << NUMBER_BITS) - 1))
    }
}

impl Field for Grams {
    fn write(&self, out: &mut Writer) {
        self.0.write(out);
    }

    fn read(input: &mut Reader<'_>) -> Option<Self> {
        Some(Self(input.field()?))
    }
}
