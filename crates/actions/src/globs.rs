//! Glob patterns on text: `*`, `?`, `[…]`, `**` as a whole component, `\` before a literal.
//! Looks at nothing; which files a glob matches on disk is a fact.

/// Whether a path matches a pattern, component by component. `**` stands for any number of
/// components. As in a shell, `*` and `?` do not match a leading dot unless `dots` is set.
pub(crate) fn matches_path(pattern: &str, path: &str, dots: bool) -> bool {
    // Most patterns differ in how they end or begin or in the last name, and that costs little to
    // see.
    if !ends_alike(pattern, path) {
        return false;
    }
    match begins_alike(pattern, path) {
        Some(false) => return false,
        Some(true) => {}
        None => return pattern.len() == path.len(),
    }
    let last = last_name(pattern);
    if last != "**" && !matches_name(last, last_name(path), dots) {
        return false;
    }
    let names = pattern.as_bytes().split(|byte| *byte == b'/');
    let mut names = names.filter(|name| !name.iter().copied().any(is_special));
    if names.any(|name| !holds(path.as_bytes(), name)) {
        return false;
    }
    let pattern: Vec<&str> = pattern.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    components(&pattern, &path, dots)
}

fn components(pattern: &[&str], path: &[&str], dots: bool) -> bool {
    // One backtracking point, as in the match of characters below: linear in practice.
    let (mut at, mut here) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(at), path.get(here)) {
            (None, None) => return true,
            (Some(&"**"), _) => {
                back = Some((at, here));
                at += 1;
                continue;
            }
            (Some(glob), Some(name)) if matches_name(glob, name, dots) => {
                at += 1;
                here += 1;
                continue;
            }
            _ => {}
        }
        match back {
            Some((star, from)) if from < path.len() => {
                back = Some((star, from + 1));
                at = star + 1;
                here = from + 1;
            }
            _ => return false,
        }
    }
}

/// Whether one name matches one pattern without slashes.
pub(crate) fn matches_name(pattern: &str, name: &str, dots: bool) -> bool {
    if !ends_alike(pattern, name) {
        return false;
    }
    if name.starts_with('.') && !dots && !pattern.starts_with('.') && !pattern.starts_with("\\.") {
        return false;
    }
    let first = pattern.as_bytes().first().copied();
    if first.is_some_and(|first| !is_special(first)) && first != name.as_bytes().first().copied() {
        return false;
    }
    if is_plain(pattern) {
        return pattern == name;
    }
    if let Some(end) = pattern.strip_prefix('*').filter(|end| is_plain(end)) {
        return name.ends_with(end);
    }
    if let Some(start) = pattern.strip_suffix('*').filter(|start| is_plain(start)) {
        return name.starts_with(start);
    }
    let pattern = tokens(pattern);
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut here) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(at), name.get(here)) {
            (None, None) => return true,
            (Some(Token::Star), _) => {
                back = Some((at, here));
                at += 1;
                continue;
            }
            (Some(token), Some(character)) if token.matches(*character) => {
                at += 1;
                here += 1;
                continue;
            }
            _ => {}
        }
        match back {
            Some((star, from)) if from < name.len() => {
                back = Some((star, from + 1));
                at = star + 1;
                here = from + 1;
            }
            _ => return false,
        }
    }
}

/// Whether the last byte of a text is that of a pattern, if that one stands for itself.
fn ends_alike(pattern: &str, text: &str) -> bool {
    match pattern.as_bytes() {
        [.., last] if !is_special(*last) && *last != b']' => text.as_bytes().last() == Some(last),
        _ => true,
    }
}

/// Whether a path begins as a pattern does up to its first special character; `None` if it has none
/// and the path begins with it.
fn begins_alike(pattern: &str, path: &str) -> Option<bool> {
    let path = path.as_bytes();
    for (at, byte) in pattern.bytes().enumerate() {
        match path.get(at) {
            _ if is_special(byte) => return Some(true),
            Some(same) if *same == byte => {}
            // `/a/**` matches `/a`.
            None if byte == b'/' => return Some(true),
            _ => return Some(false),
        }
    }
    None
}

fn last_name(path: &str) -> &str {
    let slash = path.bytes().rposition(|byte| byte == b'/');
    slash
        .and_then(|slash| path.get(slash + 1..))
        .unwrap_or(path)
}

/// Whether a name stands somewhere in a path. Simple, since both are short.
fn holds(path: &[u8], name: &[u8]) -> bool {
    let Some(first) = name.first() else {
        return true;
    };
    let mut begins = path.iter().enumerate().filter(|(_, byte)| *byte == first);
    begins.any(|(at, _)| path.get(at..).is_some_and(|rest| rest.starts_with(name)))
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b'\\')
}

fn is_plain(text: &str) -> bool {
    !text.bytes().any(is_special)
}

enum Token {
    Star,
    Any,
    One(char),
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Token {
    fn matches(&self, character: char) -> bool {
        match self {
            Self::Star => false,
            Self::Any => true,
            Self::One(one) => *one == character,
            Self::Set { negated, ranges } => {
                let inside = ranges
                    .iter()
                    .any(|(from, to)| (*from..=*to).contains(&character));
                inside != *negated
            }
        }
    }
}

fn tokens(pattern: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = pattern.chars();
    while let Some(character) = rest.next() {
        let token = match character {
            '*' => Token::Star,
            '?' => Token::Any,
            '\\' => Token::One(rest.next().unwrap_or('\\')),
            '[' => match set(rest.as_str()) {
                Some((token, after)) => {
                    rest = after.chars();
                    token
                }
                None => Token::One('['),
            },
            other => Token::One(other),
        };
        found.push(token);
    }
    found
}

/// A bracket expression after its `[`, with what follows it.
fn set(text: &str) -> Option<(Token, &str)> {
    let body = text.strip_prefix(['!', '^']);
    let negated = body.is_some();
    let mut rest = body.unwrap_or(text).chars();
    let mut ranges = Vec::new();
    loop {
        let from = rest.next()?;
        if from == ']' && !ranges.is_empty() {
            return Some((Token::Set { negated, ranges }, rest.as_str()));
        }
        let mut to = from;
        let mut ahead = rest.clone();
        if ahead.next() == Some('-') {
            match ahead.next() {
                Some(end) if end != ']' => {
                    to = end;
                    rest = ahead;
                }
                _ => {}
            }
        }
        ranges.push((from, to));
    }
}

/// The directory above the first component that has a glob character, without escapes.
pub(crate) fn fixed_dir(pattern: &str) -> String {
    let mut fixed: Vec<String> = Vec::new();
    let mut parts = pattern.split('/').peekable();
    while let Some(part) = parts.next() {
        if is_glob(part) || parts.peek().is_none() {
            break;
        }
        fixed.push(unescape(part));
    }
    let joined = fixed.join("/");
    if joined.is_empty() && pattern.starts_with('/') {
        "/".to_owned()
    } else {
        joined
    }
}

/// Whether a text has a glob character that is not escaped.
pub(crate) fn is_glob(text: &str) -> bool {
    let mut escaped = false;
    for character in text.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '*' | '?' | '[' => return true,
            _ => {}
        }
    }
    false
}

/// The text without `\` before literals.
pub(crate) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        match character {
            '\\' => plain.push(rest.next().unwrap_or('\\')),
            other => plain.push(other),
        }
    }
    plain
}

/// The text with `\` before what would be a glob character.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching() {
        let yes = [
            ("/a/*.rs", "/a/b.rs"),
            ("/a/**/b", "/a/b"),
            ("/a/**/b", "/a/x/y/b"),
            ("/a/**", "/a/x/y"),
            (
                "/**/.claude/settings*.json",
                "/h/p/.claude/settings.local.json",
            ),
            ("[a-c]?", "bx"),
            ("[!a]", "b"),
            ("\\*", "*"),
        ];
        for (pattern, path) in yes {
            assert!(matches_path(pattern, path, false), "{pattern} {path}");
        }
        let no = [
            ("/a/*.rs", "/a/x/b.rs"),
            ("*", ".hidden"),
            ("\\*", "x"),
            ("[a", "a"),
            ("a", "ab"),
            ("*a", "ab"),
        ];
        for (pattern, path) in no {
            assert!(!matches_path(pattern, path, false), "{pattern} {path}");
        }
        assert!(matches_path("*", ".hidden", true));
    }

    #[test]
    fn fixed() {
        assert_eq!(fixed_dir("/*"), "/");
        assert_eq!(fixed_dir("/a/b/*.c"), "/a/b");
        assert_eq!(fixed_dir("/a\\*/x*"), "/a*");
    }
}
