//! Strings of many languages, with what is put into them, and what looks like one: lists of words,
//! regular expressions, globs in angle brackets.

use super::{Cutter, DEPTH_MAX, Kind, Piece, Token, is_name};

impl<'t> Cutter<'t> {
    /// A string with its quotes. One that is not closed ends with the text.
    pub(super) fn quoted(&mut self, rest: &'t str, quote: char) {
        let prefix = self.take_prefix();
        let triple: String = std::iter::repeat_n(quote, 3).collect();
        let takes_three = self.language.kind != Kind::Perl && self.language.kind != Kind::Ruby;
        if takes_three && rest.starts_with(&triple) {
            self.rest = rest.get(3..).unwrap_or_default();
            let end = self.rest.find(&triple).unwrap_or(self.rest.len());
            let (inside, after) = self.rest.split_at_checked(end).unwrap_or_default();
            let after = after.get(3..).unwrap_or_default();
            self.rest = inside;
            let pieces = self.pieces('\0', quote, &prefix);
            self.rest = after;
            return self.found.push(string(pieces));
        }
        let pieces = self.pieces(quote, quote, &prefix);
        let token = if quote == '`' && self.language.backquotes_run {
            Token::Shell(pieces)
        } else {
            string(pieces)
        };
        self.found.push(token);
    }

    /// The letters before a quote (`f"…"`, `rb'…'`), taken off the list.
    fn take_prefix(&mut self) -> String {
        if self.language.kind != Kind::Python {
            return String::new();
        }
        let is_prefix = |name: &str| {
            let is_letter = |c| matches!(c, 'f' | 'r' | 'b' | 'u' | 'F' | 'R' | 'B');
            name.len() <= 2 && name.chars().all(is_letter)
        };
        match self.found.last() {
            Some(Token::Name(name)) if is_prefix(name) => {
                let prefix = name.to_lowercase();
                self.found.pop();
                prefix
            }
            _ => String::new(),
        }
    }

    /// The text up to a closing sign, as the kind of quote says how it is read.
    pub(super) fn pieces(&mut self, close: char, quote: char, prefix: &str) -> Vec<Piece> {
        let open = opening(close);
        let is_python = self.language.kind == Kind::Python;
        let marks: Vec<&str> = self
            .language
            .interpolations
            .iter()
            .filter(|(of, _)| *of == quote && (!is_python || prefix.contains('f')))
            .map(|(_, mark)| *mark)
            .collect();
        let (mut pieces, mut text) = (Vec::new(), String::new());
        let mut depth = 0_usize;
        while let Some(character) = self.rest.chars().next() {
            let mark = marks.iter().find(|mark| self.rest.starts_with(**mark));
            if let Some(mark) = mark
                && self.goes_in(mark)
            {
                pieces.push(Piece::Text(std::mem::take(&mut text)));
                pieces.push(Piece::Code(self.interpolation(mark)));
                continue;
            }
            self.rest = self.rest.get(character.len_utf8()..).unwrap_or_default();
            if character == close && depth == 0 {
                break;
            }
            match character {
                '\\' if !prefix.contains('r') => self.escaped(quote, &mut text),
                '{' | '}' if is_python && prefix.contains('f') => {
                    text.push(character);
                    self.rest = self.rest.strip_prefix(character).unwrap_or(self.rest);
                }
                other => {
                    depth += usize::from(open == Some(other));
                    depth = depth.saturating_sub(usize::from(other == close));
                    text.push(other);
                }
            }
        }
        pieces.push(Piece::Text(text));
        pieces
    }

    /// `{{` in Python and `$ ` in Perl put nothing in.
    fn goes_in(&self, mark: &str) -> bool {
        let after = self.rest.get(mark.len()..).unwrap_or_default();
        match mark {
            "{" => !after.starts_with('{'),
            "$" | "@" => after.starts_with(|c| is_name(c) || c == '{'),
            _ => true,
        }
    }

    fn escaped(&mut self, quote: char, text: &mut String) {
        let mut letters = self.rest.chars();
        let Some(letter) = letters.next() else {
            return;
        };
        if letter.is_digit(8) && quote != '\'' {
            return self.coded(3, 8, text);
        }
        self.rest = letters.as_str();
        if quote == '\'' && self.language.keeps_backslashes {
            if !matches!(letter, '\'' | '\\') {
                text.push('\\');
            }
            return text.push(letter);
        }
        match letter {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            '\n' => {}
            'x' => self.coded(2, 16, text),
            'u' if self.rest.starts_with('{') => {
                let (code, after) = self.rest.split_once('}').unwrap_or_default();
                let code = u32::from_str_radix(code.trim_start_matches('{'), 16).ok();
                text.extend(code.and_then(char::from_u32));
                self.rest = after;
            }
            'u' => self.coded(4, 16, text),
            other => text.push(other),
        }
    }

    /// A character by its number, in at most so many digits.
    fn coded(&mut self, digits: usize, radix: u32, text: &mut String) {
        let is_digit = |c: &char| c.is_digit(radix);
        let code: String = self
            .rest
            .chars()
            .take(digits)
            .take_while(is_digit)
            .collect();
        self.rest = self.rest.get(code.len()..).unwrap_or_default();
        let code = u32::from_str_radix(&code, radix).ok();
        text.extend(code.and_then(char::from_u32));
    }

    /// What is put into a string: in brackets, or a name.
    fn interpolation(&mut self, mark: &str) -> Vec<Token> {
        let rest = self.rest.get(mark.len()..).unwrap_or_default();
        let (inside, after) = match rest.strip_prefix('{') {
            _ if mark.ends_with('{') => bracketed(rest),
            Some(rest) => bracketed(rest),
            None => name_and_index(rest, self.language.kind == Kind::Perl),
        };
        self.rest = after;
        if self.depth >= DEPTH_MAX {
            return Vec::new();
        }
        let mut inner = Cutter {
            language: self.language,
            rest: inside,
            found: Vec::new(),
            depth: self.depth + 1,
        };
        inner.cut();
        inner.found
    }

    /// `qw(a b)`, `q{…}`, `qx/…/`, `m{…}`, `s/…/…/`: whether the name starts one.
    pub(super) fn quote_like(&mut self, name: &str) -> bool {
        if !matches!(
            name,
            "q" | "qq" | "qw" | "qx" | "qr" | "m" | "s" | "tr" | "y"
        ) {
            return false;
        }
        let rest = self.rest.trim_start_matches(' ');
        let Some(open) = rest.chars().next() else {
            return false;
        };
        let is_name_of_key = rest.starts_with("=>") || rest.starts_with('}');
        if is_name_of_key || is_name(open) || open.is_whitespace() || ",;)=".contains(open) {
            return false;
        }
        self.rest = rest.get(open.len_utf8()..).unwrap_or_default();
        let close = closing(open);
        let quote = if name == "q" || name == "qw" {
            '\''
        } else {
            '"'
        };
        let pieces = self.pieces(close, quote, "r");
        if matches!(name, "s" | "tr" | "y") {
            let again = self.rest.trim_start();
            if close != open && again.starts_with(open) {
                self.rest = again.get(open.len_utf8()..).unwrap_or_default();
            }
            self.pieces(close, '\'', "r");
        }
        if matches!(name, "m" | "qr" | "s" | "tr" | "y") {
            self.rest = self
                .rest
                .trim_start_matches(|c: char| c.is_ascii_lowercase());
        }
        self.found.push(match name {
            "q" | "qq" => string(pieces),
            "qw" => words(&pieces),
            "qx" => Token::Shell(pieces),
            _ => Token::Pattern,
        });
        true
    }

    /// `%w[a b]`, `%x(…)`, `%q(…)` of Ruby.
    pub(super) fn words_follow(&mut self) -> bool {
        if self.language.kind != Kind::Ruby || !self.may_be_value() {
            return false;
        }
        let mut letters = self.rest.chars();
        let kind = letters.next().unwrap_or_default();
        let open = letters.next().unwrap_or_default();
        if !matches!(kind, 'w' | 'W' | 'i' | 'x' | 'q' | 'Q') || !"([{<|/!".contains(open) {
            return false;
        }
        self.rest = letters.as_str();
        let pieces = self.pieces(
            closing(open),
            if kind == 'Q' || kind == 'x' {
                '"'
            } else {
                '\''
            },
            "r",
        );
        self.found.push(match kind {
            'w' | 'W' | 'i' => words(&pieces),
            'x' => Token::Shell(pieces),
            _ => string(pieces),
        });
        true
    }

    /// `<*.md>` of Perl is a glob, `<STDIN>` reads a line.
    pub(super) fn reads_or_globs(&mut self) -> bool {
        if self.language.kind != Kind::Perl {
            return false;
        }
        let Some((inside, after)) = self.rest.split_once('>') else {
            return false;
        };
        // `map { … } <*.md>`: behind a block it is compared only where there is room around it.
        let is_pattern = inside.contains(['*', '?', '/']) && !inside.contains(' ');
        let is_behind_block = self.found.last() == Some(&Token::Sign('}')) && is_pattern;
        if !self.may_be_value() && !is_behind_block {
            return false;
        }
        if inside.contains(['\n', ';', '=', '(']) {
            return false;
        }
        self.rest = after;
        let name = inside.trim_start_matches('$');
        if name.chars().all(is_name) {
            self.found.push(Token::Name("STDIN".to_owned()));
        } else {
            self.found.push(Token::Name("glob".to_owned()));
            self.found.push(Token::Sign('('));
            self.found.push(Token::Text(inside.to_owned()));
            self.found.push(Token::Sign(')'));
        }
        true
    }

    /// Whether a slash here starts a regular expression.
    pub(super) fn may_be_pattern(&self) -> bool {
        self.language.slash_quotes && self.may_be_value() && !self.rest.starts_with('/')
    }

    pub(super) fn pattern(&mut self) {
        let mut in_set = false;
        let mut letters = self.rest.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => drop(letters.next()),
                '[' => in_set = true,
                ']' => in_set = false,
                '/' if !in_set => break,
                '\n' => break,
                _ => {}
            }
        }
        self.rest = letters
            .as_str()
            .trim_start_matches(|c: char| c.is_ascii_lowercase());
        self.found.push(Token::Pattern);
    }
}

/// A string of one piece is a text.
fn string(pieces: Vec<Piece>) -> Token {
    match pieces.as_slice() {
        [Piece::Text(text)] => Token::Text(text.clone()),
        _ => Token::Made(pieces),
    }
}

fn words(pieces: &[Piece]) -> Token {
    let text = super::with_holes(pieces);
    Token::Words(text.split_whitespace().map(str::to_owned).collect())
}

/// A name, with the index behind it, and what follows.
fn name_and_index(text: &str, has_keys: bool) -> (&str, &str) {
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let after = text.get(end..).unwrap_or_default();
    let index = match after.chars().next() {
        Some('[') => after.find(']'),
        // `$ENV{X}`
        Some('{') if has_keys => after.find('}'),
        _ => None,
    };
    let index = index.map_or(0, |length| length + 1);
    text.split_at_checked(end + index).unwrap_or((text, ""))
}

/// What lies before the closing bracket, and what after it.
fn bracketed(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => {
                return (
                    text.get(..at).unwrap_or_default(),
                    text.get(at + 1..).unwrap_or_default(),
                );
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    (text, "")
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}

fn opening(close: char) -> Option<char> {
    match close {
        ')' => Some('('),
        ']' => Some('['),
        '}' => Some('{'),
        '>' => Some('<'),
        _ => None,
    }
}
