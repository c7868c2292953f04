//! The words of fish's language: where they end, and what they are in that of a POSIX shell.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::str::Chars;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// As it is written.
    Word(String),
    /// `>`, `2>&1`, without the word behind it.
    Redirect(String),
    /// `|`, `&`, `&&`, `||`
    Sign(&'static str),
    /// `;` or the end of a line.
    End,
}

/// The parts of a text; `None` if something is not closed.
pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.peek().copied() {
        match letter {
            '\n' | ';' => {
                letters.next();
                if !matches!(tokens.last(), None | Some(Token::End | Token::Sign(_))) {
                    tokens.push(Token::End);
                }
            }
            '#' => while letters.next_if(|letter| *letter != '\n').is_some() {},
            '|' | '&' => {
                letters.next();
                let is_double = letters.next_if_eq(&letter).is_some();
                tokens.push(match (letter, is_double) {
                    ('|', false) => Token::Sign("|"),
                    ('|', true) => Token::Sign("||"),
                    (_, true) => Token::Sign("&&"),
                    // `&>`, `&|`
                    (_, false) if matches!(letters.peek(), Some('>')) => {
                        redirect(&mut letters, "&")?
                    }
                    (_, false) if matches!(letters.peek(), Some('|')) => return None,
                    (_, false) => Token::Sign("&"),
                });
            }
            '<' | '>' => tokens.push(redirect(&mut letters, "")?),
            letter if letter.is_whitespace() => drop(letters.next()),
            _ => tokens.push(word(&mut letters)?),
        }
    }
    if tokens.last() == Some(&Token::End) {
        tokens.pop();
    }
    Some(tokens)
}

/// `>`, `>>`, `>&2`; `>?` has no plain form.
fn redirect(letters: &mut Peekable<Chars<'_>>, before: &str) -> Option<Token> {
    let mut sign = before.to_owned();
    while let Some(letter) = letters.next_if(|letter| matches!(letter, '<' | '>' | '&')) {
        sign.push(letter);
    }
    (letters.peek() != Some(&'?')).then_some(Token::Redirect(sign))
}

fn word(letters: &mut Peekable<Chars<'_>>) -> Option<Token> {
    let mut word = String::new();
    let mut open = 0_usize;
    while let Some(letter) = letters.peek().copied() {
        let ends = letter.is_whitespace() || matches!(letter, ';' | '|' | '&' | '<' | '>');
        if open == 0 && (ends || letter == ')') {
            break;
        }
        letters.next();
        word.push(letter);
        match letter {
            '(' => open += 1,
            ')' => open -= 1,
            '\\' => word.push(letters.next()?),
            '\'' | '"' => loop {
                let inner = letters.next()?;
                word.push(inner);
                match inner {
                    '\\' => word.push(letters.next()?),
                    inner if inner == letter => break,
                    _ => {}
                }
            },
            _ => {}
        }
    }
    if open > 0 || word.is_empty() {
        return None;
    }
    // `2>file`
    let is_number = word.chars().all(|letter| letter.is_ascii_digit());
    match letters.peek() {
        Some('<' | '>') if is_number => redirect(letters, &word),
        _ => Some(Token::Word(word)),
    }
}

/// Letters behind `\` that stand for others.
const CODES: &str = "abcefnrtuvxUX01234567\n";

/// A word in the language of a POSIX shell; `lists` hold any number of values.
pub(super) fn in_posix(
    word: &str,
    lists: &BTreeSet<String>,
    run: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let mut out = String::new();
    let mut rest = word;
    while let Some(letter) = rest.chars().next() {
        rest = rest.get(letter.len_utf8()..)?;
        match letter {
            '\'' => rest = single(&mut out, rest)?,
            '"' => rest = double(&mut out, rest, lists, &run)?,
            '\\' => {
                let next = rest.chars().next()?;
                if CODES.contains(next) {
                    return None;
                }
                out.extend(['\\', next]);
                rest = rest.get(next.len_utf8()..)?;
            }
            '*' if rest.starts_with('*') => return None,
            '`' => out.push_str("\\`"),
            '(' => {
                let (inner, after) = parenthesis(rest)?;
                out.push_str(&run(inner)?);
                rest = after;
            }
            '$' if rest.starts_with('(') => {}
            '$' => rest = variable(&mut out, rest, (lists, false))?,
            _ => out.push(letter),
        }
    }
    Some(out)
}

/// `'…'`, in which `\` saves itself and the quote.
fn single<'t>(out: &mut String, text: &'t str) -> Option<&'t str> {
    let mut letters = text.char_indices();
    out.push('\'');
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\'' => {
                out.push('\'');
                return text.get(at + 1..);
            }
            '\\' => match letters.next()?.1 {
                '\'' => out.push_str("'\\''"),
                '\\' => out.push('\\'),
                next => out.extend(['\\', next]),
            },
            _ => out.push(letter),
        }
    }
    None
}

/// `"…"`, in which variables and `$(…)` stand for what they hold, and a backtick is a letter.
fn double<'t>(
    out: &mut String,
    text: &'t str,
    lists: &BTreeSet<String>,
    run: &impl Fn(&str) -> Option<String>,
) -> Option<&'t str> {
    let mut rest = text;
    out.push('"');
    loop {
        let letter = rest.chars().next()?;
        rest = rest.get(letter.len_utf8()..)?;
        match letter {
            '"' => {
                out.push('"');
                return Some(rest);
            }
            '\\' => {
                let next = rest.chars().next()?;
                out.extend(['\\', next]);
                rest = rest.get(next.len_utf8()..)?;
            }
            '`' => out.push_str("\\`"),
            '$' if rest.starts_with('(') => {
                let (inner, after) = parenthesis(rest.get(1..)?)?;
                out.push_str(&run(inner)?);
                rest = after;
            }
            '$' => rest = variable(out, rest, (lists, true))?,
            _ => out.push(letter),
        }
    }
}

/// What stands up to the parenthesis that closes, and what behind it.
fn parenthesis(text: &str) -> Option<(&str, &str)> {
    let mut open = 1_usize;
    let mut quote = None;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (letter, quote) {
            ('\\', _) => drop(letters.next()),
            (_, Some(by)) if letter == by => quote = None,
            (_, Some(_)) => {}
            ('\'' | '"', None) => quote = Some(letter),
            ('(', None) => open += 1,
            (')', None) => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some((text.get(..at)?, text.get(at + 1..)?));
        }
    }
    None
}

/// A variable behind its `$`, perhaps with one index.
fn variable<'t>(
    out: &mut String,
    text: &'t str,
    (lists, is_quoted): (&BTreeSet<String>, bool),
) -> Option<&'t str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let (name, mut rest) = text.split_at_checked(end)?;
    if name.is_empty() {
        return None;
    }
    let mut index = None;
    if let Some(inner) = rest.strip_prefix('[') {
        let (number, after) = inner.split_once(']')?;
        index = Some(number.parse::<usize>().ok()?.checked_sub(1)?);
        rest = after;
    }
    let value = match (name, index) {
        ("argv", None) if is_quoted => "$*".to_owned(),
        ("argv", None) => "$@".to_owned(),
        ("argv", Some(at)) => format!("${{{}}}", at + 1),
        ("status", None) => "$?".to_owned(),
        (name, Some(at)) => format!("${{{name}[{at}]}}"),
        (name, None) if lists.contains(name) && is_quoted => format!("${{{name}[*]}}"),
        (name, None) if lists.contains(name) => format!("${{{name}[@]}}"),
        // A letter may follow.
        (name, None) if rest.starts_with(is_name) => format!("${{{name}}}"),
        (name, None) => format!("${name}"),
    };
    match is_quoted {
        true => out.push_str(&value),
        false => out.push_str(&format!("\"{value}\"")),
    }
    Some(rest)
}
