//! Program text to names, strings and signs: as much of many languages as finding calls and their
//! arguments needs. Never fails; what it does not know becomes signs.

mod quotes;

use super::language::{Kind, Language};
use crate::Arg;

/// Longest program text that is looked at, in bytes.
const TEXT_MAX: usize = 64 * 1024;

/// Deepest nesting of programs in strings of programs.
const DEPTH_MAX: usize = 8;

/// A part of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name with its dots (`os.path.join`, `.unlink`), or a number; `::` and `->` count as dots,
    /// `$` is left out.
    Name(String),
    /// A string.
    Text(String),
    /// A string that is put together.
    Made(Vec<Piece>),
    /// A list of words (`qw(a b)`).
    Words(Vec<String>),
    /// A shell command in backquotes.
    Shell(Vec<Piece>),
    /// A regular expression.
    Pattern,
    /// Any other character.
    Sign(char),
    /// The end of a line, and how far the next one that says something is indented.
    Line(usize),
    /// The end of a statement inside a line.
    End,
}

/// A part of a string that is put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// An expression that stands for a text.
    Code(Vec<Token>),
}

impl Token {
    /// The text of a string; what is put into it is a hole.
    pub(super) fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Made(pieces) => Some(with_holes(pieces)),
            _ => None,
        }
    }

    pub(super) fn is_end(&self) -> bool {
        matches!(self, Self::Line(_) | Self::End)
    }

    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }
}

fn with_holes(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Code(_) => text.push(Arg::HOLE),
        }
    }
    text
}

/// Names that stand in a program text beyond what is looked at.
pub(super) fn names_beyond(text: &str) -> impl Iterator<Item = &str> {
    let rest = text.get(text.floor_char_boundary(TEXT_MAX)..);
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    rest.unwrap_or_default()
        .split(move |letter| !is_part(letter))
}

/// Cuts a program text into tokens.
pub(super) fn tokens(text: &str, language: &Language) -> Vec<Token> {
    let looked_at = text.get(..text.floor_char_boundary(TEXT_MAX));
    let mut cutter = Cutter {
        language,
        rest: looked_at.unwrap_or_default(),
        found: Vec::new(),
        depth: 0,
    };
    cutter.cut();
    cutter.found
}

/// A text that is being cut.
pub(super) struct Cutter<'t> {
    language: &'t Language,
    rest: &'t str,
    found: Vec<Token>,
    depth: usize,
}

impl<'t> Cutter<'t> {
    fn cut(&mut self) {
        while let Some(character) = self.rest.chars().next() {
            let rest = self.rest;
            let after = rest.get(character.len_utf8()..).unwrap_or_default();
            self.rest = after;
            match character {
                '\n' => self.found.push(Token::Line(indent(after, self.language))),
                _ if self.comment(rest) => {}
                ';' => self.found.push(Token::End),
                '\\' if self.language.kind == Kind::Php && after.starts_with(is_name) => {}
                '\\' if after.starts_with('\n') => self.rest = after.get(1..).unwrap_or_default(),
                '\'' | '"' | '`' => self.quoted(rest, character),
                '$' => self.dollar(),
                '%' if self.words_follow() => {}
                '<' if self.reads_or_globs() => {}
                '/' if self.may_be_pattern() => self.pattern(),
                _ if is_name(character) || self.is_member(rest) => self.name(rest),
                c if c.is_whitespace() => {}
                c => self.found.push(Token::Sign(c)),
            }
        }
    }

    /// Skips a comment that starts here.
    fn comment(&mut self, rest: &'t str) -> bool {
        let language = self.language;
        if language.has_block_comments && rest.starts_with("/*") {
            self.rest = rest.split_once("*/").map_or("", |(_, after)| after);
            return true;
        }
        let mut marks = language.comments.iter();
        let is_comment = marks.any(|mark| rest.starts_with(mark));
        if is_comment {
            let end = rest.find('\n').unwrap_or(rest.len());
            self.rest = rest.get(end..).unwrap_or_default();
        }
        is_comment
    }

    /// Whether a member of the value before starts here: `.name`, `?.name`, and in some languages
    /// `->name`.
    fn is_member(&self, rest: &str) -> bool {
        let has_arrows = matches!(self.language.kind, Kind::C | Kind::Perl | Kind::Php);
        let arrow = if has_arrows { "->" } else { "." };
        let mut marks = [".", "?.", arrow].into_iter();
        marks.any(|mark| {
            rest.strip_prefix(mark)
                .is_some_and(|after| after.starts_with(is_name))
        })
    }

    /// A dollar says nothing; a template behind one is a command in some libraries.
    fn dollar(&mut self) {
        let rest = self.rest;
        if self.language.kind == Kind::Node && rest.starts_with('`') {
            self.rest = rest.get(1..).unwrap_or_default();
            let pieces = self.pieces('`', '`', "");
            self.found.push(Token::Shell(pieces));
        } else if self.language.kind == Kind::Perl && rest.starts_with('#') {
            self.rest = rest.get(1..).unwrap_or_default();
        }
    }

    /// A name with its dots, or a number.
    fn name(&mut self, text: &'t str) {
        let (mut name, rest) = name(text);
        self.rest = rest;
        // What stands in names: `fs/delete-tree`, `Component\Filesystem`.
        let marks: &[char] = match self.language.kind {
            Kind::Php => &['\\'],
            _ if self.language.has_dashes => &['-', '/'],
            _ => &[],
        };
        while let Some(after) = self.rest.strip_prefix(marks)
            && after.starts_with(is_name)
        {
            let mark = if self.rest.starts_with('-') { '-' } else { '.' };
            let (more, rest) = self::name(after);
            name = format!("{name}{mark}{more}");
            self.rest = rest;
        }
        if self.language.kind == Kind::Perl && self.quote_like(&name) {
            return;
        }
        // `File.rm!`
        if self.language.has_marked_names
            && let Some(after) = self.rest.strip_prefix(['!', '?'])
            && after.starts_with(['(', ' ', '"', '\''])
        {
            self.rest = after;
        }
        self.found.push(Token::Name(name));
    }

    /// Whether a value may begin here, so that a sign is no operator.
    fn may_be_value(&self) -> bool {
        const BEFORE: &[&str] = &[
            "and", "case", "else", "elsif", "for", "foreach", "grep", "if", "in", "join", "map",
            "not", "or", "print", "push", "return", "split", "unless", "unlink", "until", "when",
            "while",
        ];
        match self.found.last() {
            Some(Token::Name(name)) => BEFORE.contains(&name.as_str()),
            Some(Token::Sign(sign)) => !matches!(sign, ')' | ']' | '}'),
            Some(Token::Line(_) | Token::End) | None => true,
            Some(_) => false,
        }
    }
}

/// How far the next line that says something is indented.
fn indent(text: &str, language: &Language) -> usize {
    let says = |line: &&str| {
        let line = line.trim_start();
        !line.is_empty() && !language.comments.iter().any(|mark| line.starts_with(mark))
    };
    let line = text.lines().find(says).unwrap_or_default();
    line.len() - line.trim_start().len()
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// A dotted name and what follows it.
fn name(text: &str) -> (String, &str) {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let mut joined = false;
        for dot in [".", "::", "->", "?."] {
            if let Some(after) = rest.strip_prefix(dot)
                && after.starts_with(is_name)
            {
                name.push('.');
                rest = after;
                joined = true;
            }
        }
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (part, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        name.push_str(part);
        rest = after;
        if part.is_empty() && !joined {
            return (name, rest);
        }
    }
}

/// Whether one of these names stands in a text, or an end of one behind a `_` or a dot.
pub(super) fn says(tokens: &[Token], names: &[&str]) -> bool {
    tokens.iter().any(|token| match token {
        Token::Name(name) => {
            let mut parts = name.split('.');
            parts.any(|part| {
                let is_one = |known: &&str| part == *known || part.ends_with(&format!("_{known}"));
                names.iter().any(is_one)
            })
        }
        _ => false,
    })
}
