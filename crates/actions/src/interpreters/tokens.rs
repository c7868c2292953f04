//! Program text to names, strings and signs: as much of six languages as finding calls with literal
//! arguments needs. Never fails; what it does not know becomes signs.

use super::language::Language;
use crate::Arg;

/// Longest program text that is looked at, in bytes.
const TEXT_MAX: usize = 64 * 1024;

/// A part of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name with its dots (`os.path.join`, `.unlink`); `::` and `->` count as dots, `$` is left
    /// out.
    Name(String),
    /// A string; its interpolations are holes.
    Text(String),
    /// A shell command in backquotes.
    Shell(String),
    /// Any other character.
    Sign(char),
    /// The end of a line.
    End,
}

/// Cuts a program text into tokens.
pub(super) fn tokens(text: &str, language: &Language) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text.get(..TEXT_MAX.min(text.len())).unwrap_or(text);
    while let Some(character) = rest.chars().next() {
        let after = rest.get(character.len_utf8()..).unwrap_or_default();
        if rest.starts_with(language.comment) {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
            found.push(Token::End);
        } else if matches!(character, '\'' | '"' | '`') {
            let prefix = take_prefix(&mut found);
            let (token, after) = string(rest, character, language, &prefix);
            found.push(token);
            rest = after;
        } else if is_name(character) || character == '.' && starts_method(after) {
            let (name, after) = name(rest);
            found.push(Token::Name(name));
            rest = after;
        } else {
            match character {
                '\n' | ';' => found.push(Token::End),
                '$' => {}
                c if c.is_whitespace() => {}
                c => found.push(Token::Sign(c)),
            }
            rest = after;
        }
    }
    found
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn starts_method(after: &str) -> bool {
    after.starts_with(is_name)
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

/// The letters before a quote (`f"…"`, `rb'…'`), taken off the list.
fn take_prefix(found: &mut Vec<Token>) -> String {
    let is_prefix = |name: &String| {
        name.len() <= 2
            && name
                .chars()
                .all(|c| matches!(c, 'f' | 'r' | 'b' | 'u' | 'F' | 'R' | 'B'))
    };
    match found.pop() {
        Some(Token::Name(name)) if is_prefix(&name) => name.to_lowercase(),
        Some(other) => {
            found.push(other);
            String::new()
        }
        None => String::new(),
    }
}

/// A string with its quotes, and what follows it. One that is not closed ends with the text.
fn string<'t>(text: &'t str, quote: char, language: &Language, prefix: &str) -> (Token, &'t str) {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let end = if text.starts_with(&triple) {
        triple
    } else {
        quote.to_string()
    };
    let mut rest = text.get(end.len()..).unwrap_or_default();
    let is_python = language.comment == "#" && !language.backquotes_run;
    let marks: Vec<&str> = language
        .interpolations
        .iter()
        .filter(|(of, _)| *of == quote && (!is_python || prefix.contains('f')))
        .map(|(_, mark)| *mark)
        .collect();
    let mut value = String::new();
    while !rest.is_empty() && !rest.starts_with(&end) {
        if let Some(mark) = marks.iter().find(|mark| rest.starts_with(**mark)) {
            value.push(Arg::HOLE);
            rest = after_interpolation(rest.get(mark.len()..).unwrap_or_default(), mark);
            continue;
        }
        let mut characters = rest.chars();
        match characters.next() {
            Some('\\') if !prefix.contains('r') => value.extend(escaped(characters.next())),
            Some(other) => value.push(other),
            None => {}
        }
        rest = characters.as_str();
    }
    let after = rest.strip_prefix(end.as_str()).unwrap_or(rest);
    let token = if quote == '`' && language.backquotes_run {
        Token::Shell(value)
    } else {
        Token::Text(value)
    };
    (token, after)
}

fn escaped(character: Option<char>) -> Option<char> {
    match character {
        Some('n') => Some('\n'),
        Some('t') => Some('\t'),
        Some('\n') => None,
        other => other,
    }
}

/// What follows an interpolation: after its bracket, or after the name.
fn after_interpolation<'t>(text: &'t str, mark: &str) -> &'t str {
    if mark.ends_with('{') {
        return text.split_once('}').map_or("", |(_, after)| after);
    }
    let text = text.strip_prefix('{').unwrap_or(text);
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let after = text.get(end..).unwrap_or_default();
    after.strip_prefix('}').unwrap_or(after)
}
