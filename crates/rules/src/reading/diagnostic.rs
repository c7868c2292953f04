//! A mistake in a file of rules or settings, with where it is and what to do.

use std::fmt;

/// A mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The file, as it was named.
    pub file: String,
    /// Line, 1-based.
    pub line: usize,
    /// Column in characters, 1-based.
    pub column: usize,
    /// What is wrong.
    pub what: String,
    /// What to do; may be empty.
    pub help: String,
}

/// All mistakes of a file, in the order of its text; never none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistakes(Vec<Diagnostic>);

impl Mistakes {
    pub(super) fn in_file(problems: Vec<Problem>, file: &str, text: &str) -> Self {
        let problems = problems.into_iter();
        Self(
            problems
                .map(|problem| problem.in_file(file, text))
                .collect(),
        )
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, mistake) in self.0.iter().enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            mistake.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Mistakes {}

/// A mistake at a byte of a text whose file is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) at: usize,
    pub(super) what: String,
    pub(super) help: String,
    /// Others of the same text.
    more: Vec<Problem>,
}

/// Does all of something, and gives all mistakes as one.
pub(super) fn all(done: impl Iterator<Item = Result<(), Problem>>) -> Result<(), Problem> {
    let mut found = done.filter_map(Result::err);
    let Some(mut first) = found.next() else {
        return Ok(());
    };
    first.more.extend(found);
    Err(first)
}

impl Problem {
    /// It and all others, each by itself.
    pub(super) fn each(mut self) -> Vec<Self> {
        let more = std::mem::take(&mut self.more);
        let more = more.into_iter().flat_map(Self::each);
        [self].into_iter().chain(more).collect()
    }

    pub(super) fn new(at: usize, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            at,
            what: what.into(),
            help: help.into(),
            more: Vec::new(),
        }
    }

    pub(super) fn in_file(self, file: &str, text: &str) -> Diagnostic {
        let (line, column) = position(text, self.at);
        Diagnostic {
            file: file.to_owned(),
            line,
            column,
            what: self.what,
            help: self.help,
        }
    }
}

/// Line and column of a byte, both 1-based.
pub(super) fn position(text: &str, at: usize) -> (usize, usize) {
    let mut end = at.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = text.get(..end).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let last = before.rsplit('\n').next().unwrap_or_default();
    (line, last.chars().count() + 1)
}

impl Diagnostic {
    /// For the failure message: `rules in FILE could not be loaded (line 14: unknown verb "drop")`.
    #[must_use]
    pub fn as_fault(&self) -> String {
        let Self {
            file, line, what, ..
        } = self;
        format!("rules in {file} could not be loaded (line {line}: {what})")
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            column,
            what,
            help,
        } = self;
        write!(f, "{file}:{line}:{column}: {what}")?;
        if help.is_empty() {
            Ok(())
        } else {
            write!(f, "; {help}")
        }
    }
}

impl std::error::Error for Diagnostic {}

/// Help for a name that is not one of the known ones.
pub(super) fn did_you_mean<'a>(
    given: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> String {
    let near = known
        .clone()
        .map(|name| (strsim::levenshtein(given, name), name));
    match near.min() {
        Some((steps, name)) if steps <= given.chars().count().div_ceil(3) => {
            format!("did you mean {name:?}?")
        }
        _ => {
            let names: Vec<&str> = known.collect();
            format!("it is one of: {}", names.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_offered_and_else_all() {
        let help = |given: &str| did_you_mean(given, ["delete", "move", "überall"].into_iter());
        for (given, name) in [
            ("delet", "delete"),
            ("mvoe", "move"),
            ("uberall", "überall"),
        ] {
            assert_eq!(help(given), format!("did you mean {name:?}?"), "{given}");
        }
        for given in ["", "kitten"] {
            assert_eq!(
                help(given),
                "it is one of: delete, move, überall",
                "{given}"
            );
        }
    }

    #[test]
    fn positions_count_characters() {
        let text = "ä = 1\nbö = 2\n";
        assert_eq!(position(text, 0), (1, 1));
        assert_eq!(position(text, 1), (1, 1), "within a character");
        assert_eq!(position(text, 2), (1, 2));
        assert_eq!(position(text, 7), (2, 1));
        assert_eq!(position(text, 10), (2, 3));
        assert_eq!(position(text, 999), (3, 1));
    }
}
