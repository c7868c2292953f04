//! Globs on text: `*`, `?`, `[…]`, `**` as a whole component, `\` before a literal, and a shell's
//! extended `!(…)`. One matcher; its options are where a shell, git and a rule differ. Looks at
//! nothing: which files a glob matches on a disk is a fact.

mod extended;
mod set;

/// How a pattern is read, and what it passes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glob {
    /// Whether `*`, `?` and `[…]` leave out a leading dot, as in a shell.
    pub spares_dots: bool,
    /// Whether `[` and `\` are letters like others.
    pub is_literal: bool,
    /// Whether letters differ in case alone.
    pub folds_case: bool,
    /// Whether `**` at the end needs something to stand for: `a/**` is what lies below `a`.
    pub needs_below: bool,
    /// Whether `?(…)`, `*(…)`, `+(…)`, `@(…)` and `!(…)` are groups, as in bash's `extglob`.
    pub is_extended: bool,
}

/// As a shell has it.
pub const SHELL: Glob = Glob {
    spares_dots: true,
    is_extended: true,
    ..DOTGLOB
};

/// As a shell has it for what is no file of its: a leading dot is a letter.
pub const DOTGLOB: Glob = Glob {
    spares_dots: false,
    is_literal: false,
    folds_case: false,
    needs_below: false,
    is_extended: false,
};

/// As git has it, in ignore files. Its plain pathspecs are one name, slashes and all.
pub const GIT: Glob = Glob {
    needs_below: true,
    ..DOTGLOB
};

/// As rules have it: names are full of brackets.
pub const RULES: Glob = Glob {
    is_literal: true,
    ..DOTGLOB
};

impl Glob {
    /// Whether a path matches a pattern, component by component. `**` stands for any number of
    /// components.
    #[must_use]
    #[inline]
    pub fn matches_path(self, pattern: &str, path: &str) -> bool {
        let may = self.folds_case || ends_alike(pattern, path) && may_match(pattern, path);
        may && self.components(pattern, path)
    }

    fn components(self, pattern: &str, path: &str) -> bool {
        // One point to go back to, as in a name: the last `**` is the only one that may take more.
        let (mut pattern, mut path) = (Some(pattern), Some(path));
        let mut back: Option<(Option<&str>, &str)> = None;
        loop {
            match (pattern.map(first_name), path.map(first_name)) {
                (None, None) => return true,
                (Some(("**", None)), _) => return path.is_some() || !self.needs_below,
                (Some(("**", rest)), _) => {
                    back = path.map(|path| (rest, path));
                    pattern = rest;
                    continue;
                }
                (Some((name, rest)), Some((own, left)))
                    if self.matches_name(self.without_slash_escape(name, rest), own) =>
                {
                    (pattern, path) = (rest, left);
                    continue;
                }
                _ => {}
            }
            let Some((after, taken)) = back else {
                return false;
            };
            let Some(left) = first_name(taken).1 else {
                return false;
            };
            back = Some((after, left));
            (pattern, path) = (after, Some(left));
        }
    }

    /// A name of a pattern without the `\` that stands before the slash after it.
    fn without_slash_escape<'p>(self, name: &'p str, rest: Option<&str>) -> &'p str {
        match name.strip_suffix('\\') {
            Some(plain) if rest.is_some() && !self.is_literal && !plain.ends_with('\\') => plain,
            _ => name,
        }
    }

    /// Whether one name matches one pattern; a slash is a letter like others.
    #[must_use]
    #[inline]
    pub fn matches_name(self, pattern: &str, name: &str) -> bool {
        (self.folds_case || ends_alike(pattern, name)) && self.name(pattern, name)
    }

    fn name(self, pattern: &str, name: &str) -> bool {
        if self.spares_dots
            && name.starts_with('.')
            && !pattern.starts_with('.')
            && !pattern.starts_with("\\.")
        {
            return false;
        }
        if self.folds_case {
            return self.letters(pattern, name);
        }
        match pattern.as_bytes() {
            [first, rest @ ..]
                if !is_special(*first)
                    && rest.first() != Some(&b'(')
                    && Some(first) != name.as_bytes().first() =>
            {
                return false;
            }
            _ => {}
        }
        if self.is_extended && extended::has_group(pattern) {
            return extended::matches(self, pattern, name);
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
        self.letters(pattern, name)
    }

    fn letters(self, pattern: &str, name: &str) -> bool {
        let (mut pattern, mut name) = (pattern, name);
        let mut back: Option<(&str, &str)> = None;
        loop {
            if let Some(rest) = pattern.strip_prefix('*') {
                back = Some((rest, name));
                pattern = rest;
                continue;
            }
            match self.letter(pattern, name) {
                Some((rest, left)) => (pattern, name) = (rest, left),
                None if pattern.is_empty() && name.is_empty() => return true,
                None => {
                    let Some((after, taken)) = back else {
                        return false;
                    };
                    let mut left = taken.chars();
                    if left.next().is_none() {
                        return false;
                    }
                    back = Some((after, left.as_str()));
                    (pattern, name) = (after, left.as_str());
                }
            }
        }
    }

    /// What is left of both if the next part of a pattern stands for the next letter of a name.
    fn letter<'p, 'n>(self, pattern: &'p str, name: &'n str) -> Option<(&'p str, &'n str)> {
        let (mut symbols, mut letters) = (pattern.chars(), name.chars());
        let (symbol, letter) = (symbols.next()?, letters.next()?);
        let is_met = match symbol {
            '?' => true,
            '\\' if !self.is_literal => self.is_same(symbols.next().unwrap_or('\\'), letter),
            '[' if !self.is_literal => match set::find(symbols.as_str(), letter) {
                Some((is_inside, rest)) => {
                    symbols = rest.chars();
                    is_inside
                }
                None => letter == '[',
            },
            symbol => self.is_same(symbol, letter),
        };
        is_met.then_some((symbols.as_str(), letters.as_str()))
    }

    fn is_same(self, symbol: char, letter: char) -> bool {
        symbol == letter || self.folds_case && symbol.eq_ignore_ascii_case(&letter)
    }
}

/// What costs little to see: most patterns differ in how they begin or in a name.
fn may_match(pattern: &str, path: &str) -> bool {
    if !begins_alike(pattern, path) {
        return false;
    }
    let names = pattern.as_bytes().split(|byte| *byte == b'/');
    let mut names = names.filter(|name| !name.iter().copied().any(is_special));
    names.all(|name| holds(path.as_bytes(), name))
}

/// Whether the last byte of a text is that of a pattern, if that one stands for itself.
#[inline]
fn ends_alike(pattern: &str, text: &str) -> bool {
    match pattern.as_bytes() {
        [.., last] if !is_special(*last) && !matches!(last, b']' | b')') => {
            text.as_bytes().last() == Some(last)
        }
        _ => true,
    }
}

/// Whether a path begins as a pattern does up to its first special character.
fn begins_alike(pattern: &str, path: &str) -> bool {
    let path = path.as_bytes();
    let pattern = pattern.as_bytes();
    for (at, byte) in pattern.iter().copied().enumerate() {
        match path.get(at) {
            _ if is_special(byte) => return true,
            Some(same) if *same == byte => {}
            _ if pattern.get(at + 1) == Some(&b'(') => return true,
            // `/a/**` matches `/a`.
            None if byte == b'/' => return true,
            _ => return false,
        }
    }
    pattern.len() == path.len()
}

/// Whether a byte of a pattern may stand for others than itself, whatever the pattern's kind.
#[inline]
fn is_special(byte: u8) -> bool {
    matches!(byte, b'*' | b'?' | b'[' | b'\\' | b'(')
}

fn is_plain(text: &str) -> bool {
    !text.bytes().any(is_special)
}

/// The first name of a path, and what follows its slash.
fn first_name(path: &str) -> (&str, Option<&str>) {
    let slash = path.bytes().position(|byte| byte == b'/');
    match slash.and_then(|slash| path.split_at_checked(slash)) {
        Some((name, rest)) => (name, rest.get(1..)),
        None => (path, None),
    }
}

/// Whether a name stands somewhere in a path. Simple, since both are short.
fn holds(path: &[u8], name: &[u8]) -> bool {
    let Some(first) = name.first() else {
        return true;
    };
    let mut begins = path.iter().enumerate().filter(|(_, byte)| *byte == first);
    begins.any(|(at, _)| path.get(at..).is_some_and(|rest| rest.starts_with(name)))
}

/// The directory above the first component that has a glob character, without escapes.
#[must_use]
pub fn fixed_dir(pattern: &str) -> String {
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
#[must_use]
pub fn is_glob(text: &str) -> bool {
    let (mut is_escaped, mut opens_group) = (false, false);
    for character in text.chars() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '*' | '?' | '[' => return true,
            '(' if opens_group => return true,
            _ => {}
        }
        opens_group = matches!(character, '!' | '@' | '+');
    }
    false
}

/// Most patterns that one with braces may stand for.
const ALTERNATIVES_MAX: usize = 64;

/// What a pattern with braces stands for: `{a,b}.c` is `a.c` and `b.c`.
#[must_use]
pub fn alternatives(pattern: &str) -> Vec<String> {
    let mut whole = vec![pattern.to_owned()];
    while let Some(at) = whole.iter().position(|text| parted(text).is_some()) {
        let text = whole.swap_remove(at);
        let Some((before, inside, after)) = parted(&text) else {
            break;
        };
        let inside = inside.split(',');
        whole.extend(inside.map(|part| [before, part, after].concat()));
        if whole.len() > ALTERNATIVES_MAX {
            return vec![pattern.to_owned()];
        }
    }
    whole
}

/// The innermost braces that are closed first, and what is around them.
fn parted(text: &str) -> Option<(&str, &str, &str)> {
    let (before, after) = text.split_once('}')?;
    let (before, inside) = before.rsplit_once('{')?;
    Some((before, inside, after))
}

/// A pattern in which capitals are letters like others.
#[must_use]
pub fn in_either_case(pattern: &str) -> String {
    let mut folded = String::new();
    let mut is_class = false;
    for letter in pattern.chars() {
        is_class = letter == '[' || is_class && letter != ']';
        match letter.is_ascii_alphabetic() && !is_class {
            true => {
                let (small, large) = (letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
                folded.extend(['[', small, large, ']']);
            }
            false => folded.push(letter),
        }
    }
    folded
}

/// Whether a character of a word is one of a glob's, alone or in a group.
#[must_use]
pub fn is_live(character: char) -> bool {
    matches!(character, '*' | '?' | '[' | ']' | '\\' | '(' | '|' | ')')
}

/// The text without `\` before literals.
#[must_use]
pub fn unescape(text: &str) -> String {
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
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut opens_group = false;
    for character in text.chars() {
        let is_group = character == '(' && opens_group;
        if is_group || matches!(character, '*' | '?' | '[' | ']' | '\\') {
            escaped.push('\\');
        }
        opens_group = matches!(character, '!' | '@' | '+' | '*' | '?');
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests;
