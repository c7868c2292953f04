//! Functions of a program that nothing in it names: they are not run.

use super::tokens::{Piece, Token};

/// Words by which a program finds functions without their names in it.
const FINDING: &[&str] = &[
    "Fire", "cmdloop", "dir", "eval", "exec", "export", "fire", "getattr", "globals", "inspect",
    "locals", "this", "unittest", "vars", "window",
];

/// Whether the function that has this body stands alone in a program: it has a name, no mark above
/// it that hands it to others, is no method, and is not named again.
pub(super) fn is_idle(tokens: &[Token], body: &[Token]) -> bool {
    let Some(first) = body.first() else {
        return false;
    };
    let Some(start) = tokens.iter().position(|token| std::ptr::eq(token, first)) else {
        return false;
    };
    let before = tokens.get(..start).unwrap_or_default();
    let is_head = |token: &Token| matches!(token.name(), Some("def" | "function"));
    let Some(head) = before.iter().rposition(is_head) else {
        return false;
    };
    let Some(Token::Name(name)) = before.get(head + 1) else {
        return false;
    };
    let opens = before.get(head + 2) == Some(&Token::Sign('('));
    let outside = before.get(..head).unwrap_or_default();
    let is_first = matches!(outside.last(), None | Some(Token::Line(0)));
    if !opens || !is_first || name.starts_with("__") || is_marked(outside) {
        return false;
    }
    let mut others = tokens.iter().enumerate();
    !others.any(|(at, token)| at != head + 1 && may_name(token, name))
}

/// Whether a token names a function, or may find it otherwise.
fn may_name(token: &Token, name: &str) -> bool {
    match token {
        Token::Name(other) => {
            let mut parts = other.split('.');
            parts.any(|part| part == name || FINDING.contains(&part))
        }
        Token::Text(text) => text.contains(name),
        Token::Made(pieces) => pieces.iter().any(|piece| match piece {
            Piece::Code(tokens) => tokens.iter().any(|token| may_name(token, name)),
            Piece::Text(text) => text.contains(name),
        }),
        _ => false,
    }
}

/// Whether the line before begins with `@`.
fn is_marked(outside: &[Token]) -> bool {
    let is_line = |token: &Token| matches!(token, Token::Line(_));
    let Some(end) = outside.iter().rposition(|token| !is_line(token)) else {
        return false;
    };
    let before = outside.get(..=end).unwrap_or_default();
    let start = before.iter().rposition(is_line).map_or(0, |at| at + 1);
    before.get(start) == Some(&Token::Sign('@'))
}
