//! Wildcards: `*`, `?`, `[…]` and, for paths, `**`. Linear in text times pattern.
//! Knows nothing of files; the shell's rule for leading dots is the caller's.

/// How a `*` treats a slash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slash {
    /// `*` stops at a slash, and `**` as a whole component matches any directories.
    Stops,
    /// `*` matches a slash as well (git's plain pathspecs).
    Passes,
}

/// A pattern, ready to match.
#[derive(Debug, Clone)]
pub(super) struct Wild {
    tokens: Vec<Token>,
    slash: Slash,
}

#[derive(Debug, Clone)]
enum Token {
    Letter(char),
    /// One letter, not a slash where slashes stop.
    One,
    Set {
        parts: Vec<(char, char)>,
        negated: bool,
    },
    /// Any letters, none of them a slash where slashes stop.
    Many,
    /// Any letters.
    All,
    /// Nothing, or any directories with the slash after them.
    Dirs,
}

impl Wild {
    /// Reads a pattern. Every text is a pattern: an unclosed `[` is itself.
    pub fn new(pattern: &str, slash: Slash) -> Self {
        let letters: Vec<char> = pattern.chars().collect();
        let mut tokens = Vec::with_capacity(letters.len());
        let mut at = 0;
        while let Some(letter) = letters.get(at) {
            let rest = letters.get(at..).unwrap_or_default();
            let (token, length) = match letter {
                '\\' if rest.len() > 1 => (rest.get(1).map(|letter| Token::Letter(*letter)), 2),
                '?' => (Some(Token::One), 1),
                '[' => match set(rest) {
                    Some((token, length)) => (Some(token), length),
                    None => (Some(Token::Letter('[')), 1),
                },
                '*' => stars(rest, tokens.last(), slash),
                letter => (Some(Token::Letter(*letter)), 1),
            };
            tokens.extend(token);
            at += length;
        }
        Self { tokens, slash }
    }

    /// Whether the whole text matches.
    pub fn matches(&self, text: &str) -> bool {
        let mut here = vec![false; self.tokens.len() + 1];
        let mut next = here.clone();
        set_at(&mut here, 0);
        self.close(&mut here, true);
        for letter in text.chars() {
            next.fill(false);
            for (state, token) in self.tokens.iter().enumerate() {
                if here.get(state).copied().unwrap_or(false) {
                    self.step((state, token), letter, &mut next);
                }
            }
            self.close(&mut next, letter == '/');
            std::mem::swap(&mut here, &mut next);
        }
        here.last().copied().unwrap_or(false)
    }

    fn step(&self, (state, token): (usize, &Token), letter: char, next: &mut [bool]) {
        let stops = self.slash == Slash::Stops && letter == '/';
        match token {
            Token::All | Token::Dirs => set_at(next, state),
            Token::Many if !stops => set_at(next, state),
            Token::One if !stops => set_at(next, state + 1),
            Token::Letter(own) if *own == letter => set_at(next, state + 1),
            Token::Set { parts, negated } if !stops => {
                let inside = parts
                    .iter()
                    .any(|(low, high)| (*low..=*high).contains(&letter));
                if inside != *negated {
                    set_at(next, state + 1);
                }
            }
            _ => {}
        }
    }

    /// Follows the tokens that may match nothing.
    fn close(&self, states: &mut [bool], after_slash: bool) {
        for (state, token) in self.tokens.iter().enumerate() {
            let passes = match token {
                Token::Many | Token::All => true,
                Token::Dirs => after_slash,
                _ => false,
            };
            if passes && states.get(state).copied().unwrap_or(false) {
                set_at(states, state + 1);
            }
        }
    }
}

fn set_at(states: &mut [bool], at: usize) {
    if let Some(state) = states.get_mut(at) {
        *state = true;
    }
}

/// Whether a text has wildcards at all.
pub(super) fn is_wild(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// The token for a run of stars, and its length. `**` counts only as a whole component.
fn stars(rest: &[char], before: Option<&Token>, slash: Slash) -> (Option<Token>, usize) {
    let count = rest.iter().take_while(|letter| **letter == '*').count();
    let begins = matches!(before, None | Some(Token::Letter('/') | Token::Dirs));
    let after = rest.get(count);
    match (slash, count, begins, after) {
        (Slash::Passes, ..) => (Some(Token::Many), count),
        (Slash::Stops, 2.., true, Some('/')) => (Some(Token::Dirs), count + 1),
        (Slash::Stops, 2.., true, None) => (Some(Token::All), count),
        (Slash::Stops, ..) => (Some(Token::Many), count),
    }
}

/// The token for `[…]`, and its length; `None` if it is not closed.
fn set(rest: &[char]) -> Option<(Token, usize)> {
    let negated = matches!(rest.get(1), Some('!' | '^'));
    let mut at = if negated { 2 } else { 1 };
    let mut parts = Vec::new();
    let first = at;
    loop {
        let letter = *rest.get(at)?;
        if letter == ']' && at > first {
            return Some((Token::Set { parts, negated }, at + 1));
        }
        if let Some((class, length)) = class(rest.get(at..)?) {
            parts.extend_from_slice(class);
            at += length;
            continue;
        }
        let (low, length) = set_letter(rest.get(at..)?)?;
        at += length;
        let ranged = rest.get(at) == Some(&'-') && rest.get(at + 1).is_some_and(|b| *b != ']');
        if !ranged {
            parts.push((low, low));
            continue;
        }
        let (high, length) = set_letter(rest.get(at + 1..)?)?;
        parts.push((low, high));
        at += 1 + length;
    }
}

fn set_letter(rest: &[char]) -> Option<(char, usize)> {
    match rest.first()? {
        '\\' => Some((*rest.get(1)?, 2)),
        letter => Some((*letter, 1)),
    }
}

type Class = (&'static str, &'static [(char, char)]);

/// Named classes, POSIX.
const CLASSES: &[Class] = &[
    ("[:alnum:]", &[('0', '9'), ('A', 'Z'), ('a', 'z')]),
    ("[:alpha:]", &[('A', 'Z'), ('a', 'z')]),
    ("[:blank:]", &[(' ', ' '), ('\t', '\t')]),
    ("[:cntrl:]", &[('\0', '\x1f'), ('\x7f', '\x7f')]),
    ("[:digit:]", &[('0', '9')]),
    ("[:graph:]", &[('!', '~')]),
    ("[:lower:]", &[('a', 'z')]),
    ("[:print:]", &[(' ', '~')]),
    (
        "[:punct:]",
        &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
    ),
    ("[:space:]", &[('\t', '\r'), (' ', ' ')]),
    ("[:upper:]", &[('A', 'Z')]),
    ("[:xdigit:]", &[('0', '9'), ('A', 'F'), ('a', 'f')]),
];

fn class(rest: &[char]) -> Option<(&'static [(char, char)], usize)> {
    let is_next = |name: &str| name.chars().eq(rest.iter().take(name.len()).copied());
    let found = CLASSES.iter().find(|(name, _)| is_next(name));
    found.map(|(name, parts)| (*parts, name.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_git_has_it() {
        let cases = [
            ("*.log", "a.log", true),
            ("*.log", "d/a.log", false),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a/**/b", "a/xb", false),
            ("**/b", "b", true),
            ("**/b", "x/y/b", true),
            ("**/b", "xb", false),
            ("a/**", "a/x/y", true),
            ("a/**", "b/x", false),
            ("a**b", "axxb", true),
            ("a**b", "a/b", false),
            ("[a-c]?", "bz", true),
            ("[!a-c]?", "bz", false),
            ("[]x]", "]", true),
            ("[[:digit:]_]", "7", true),
            ("[[:digit:]_]", "_", true),
            ("[[:digit:]_]", "x", false),
            ("a[", "a[", true),
            ("\\*", "*", true),
            ("\\*", "x", false),
            ("?", "/", false),
            ("[^a]", "/", false),
            ("", "", true),
            ("*", "", true),
        ];
        for (pattern, text, expected) in cases {
            let got = Wild::new(pattern, Slash::Stops).matches(text);
            assert_eq!(got, expected, "{pattern} on {text}");
        }
        assert!(Wild::new("src/*.rs", Slash::Passes).matches("src/a/b.rs"));
    }
}
