//! Lines of a known text that a pattern picks: `grep -v node_modules`. Must not know who reads
//! them.

use crate::machine::Output;
use crate::{Arg, Input, Invocation};
use text::glob::{DOTGLOB, Glob, escape};

/// Longest text that is gone through, in bytes.
const TEXT_MAX: usize = 64 * 1024;

/// What is picked, and how.
#[derive(Debug, Default)]
struct Picking<'a> {
    patterns: Vec<&'a str>,
    is_turned: bool,
    is_whole: bool,
    is_plain: bool,
    is_extended: bool,
    folds_case: bool,
}

/// What `grep` prints of a known text; `None` if that cannot be said.
pub(super) fn lines(invocation: &Invocation) -> Option<Output> {
    let Input::Text(text) = &invocation.input else {
        return None;
    };
    if !text.is_known() || text.glob || text.text.len() > TEXT_MAX {
        return None;
    }
    let picking = picking(invocation)?;
    let globs: Option<Vec<String>> = picking.globs();
    let globs = globs?;
    let matcher = Glob {
        folds_case: picking.folds_case,
        ..DOTGLOB
    };
    let lines = text.text.lines().filter(|line| {
        let is_picked = globs.iter().any(|glob| matcher.matches_name(glob, line));
        is_picked != picking.is_turned
    });
    let picked: String = lines.flat_map(|line| [line, "\n"]).collect();
    Some(Output::Text(Arg::derived(picked)))
}

fn picking(invocation: &Invocation) -> Option<Picking<'_>> {
    let mut picking = Picking {
        is_plain: invocation.program == "fgrep",
        is_extended: matches!(&*invocation.program, "egrep" | "rg"),
        ..Picking::default()
    };
    let mut words = invocation.args.iter();
    while let Some(word) = words.next() {
        if !word.is_known() {
            return None;
        }
        match word.text.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            None if picking.patterns.is_empty() => picking.patterns.push(&word.text),
            // A file.
            None => return None,
            Some("e") => picking.patterns.push(&words.next()?.text),
            Some(letters) => {
                for letter in letters.chars() {
                    match letter {
                        'v' => picking.is_turned = true,
                        'x' => picking.is_whole = true,
                        'F' => picking.is_plain = true,
                        'E' => picking.is_extended = true,
                        'i' => picking.folds_case = true,
                        'a' | 's' => {}
                        _ => return None,
                    }
                }
            }
        }
    }
    Some(picking)
}

/// `a|b`, `^(a|b)$`: each alternative; `None` for groups in groups, or several.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = pattern.split_once('(') else {
        return Some(pattern.split('|').map(str::to_owned).collect());
    };
    let (inside, after) = rest.split_once(')')?;
    let is_simple = ![before, inside, after]
        .iter()
        .any(|part| part.contains(['(', ')', '\\']))
        && !before.contains('|')
        && !after.contains('|')
        && !after.starts_with(['*', '+', '?', '{']);
    let each = inside
        .split('|')
        .map(|part| format!("{before}{part}{after}"));
    is_simple.then(|| each.collect())
}

impl Picking<'_> {
    /// The patterns as globs of whole lines, if all of them are simple.
    fn globs(&self) -> Option<Vec<String>> {
        let mut globs = Vec::new();
        for pattern in &self.patterns {
            let parts = match self.is_extended && !self.is_plain {
                true => alternatives(pattern)?,
                false => vec![(*pattern).to_owned()],
            };
            for part in parts {
                globs.push(self.glob(&part)?);
            }
        }
        (!globs.is_empty()).then_some(globs)
    }

    fn glob(&self, pattern: &str) -> Option<String> {
        let around = |inner: String, starts: bool, ends: bool| {
            let (before, after) = (if starts { "" } else { "*" }, if ends { "" } else { "*" });
            format!("{before}{inner}{after}")
        };
        if self.is_plain {
            return Some(around(escape(pattern), self.is_whole, self.is_whole));
        }
        let (rest, starts) = match pattern.strip_prefix('^') {
            Some(rest) => (rest, true),
            None => (pattern, self.is_whole),
        };
        let (rest, ends) = match rest.strip_suffix('$') {
            Some(rest) if !rest.ends_with('\\') => (rest, true),
            _ => (rest, self.is_whole),
        };
        let mut inner = String::new();
        let mut letters = rest.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '.' if letters.next_if_eq(&'*').is_some() => inner.push('*'),
                '.' => inner.push('?'),
                '\\' => {
                    let next = letters.next().filter(char::is_ascii_punctuation)?;
                    // In simple patterns these begin to mean something.
                    if !self.is_extended && "(){}|+?".contains(next) || "<>".contains(next) {
                        return None;
                    }
                    inner.push_str(&escape(&next.to_string()));
                }
                '*' | '[' | '^' | '$' => return None,
                '+' | '?' | '(' | ')' | '{' if self.is_extended => return None,
                letter => inner.push_str(&escape(&letter.to_string())),
            }
            if letters.peek() == Some(&'*') {
                return None;
            }
        }
        Some(around(inner, starts, ends))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_picked_by_simple_patterns() {
        for (words, expected) in [
            (&["b"][..], Some("ab\nb.c\n")),
            (&["-v", "b"], Some("xyz\n")),
            (&["-x", "xyz"], Some("xyz\n")),
            (&["^b\\.c$"], Some("b.c\n")),
            (&["-E", "^a|z$"], Some("ab\nxyz\n")),
            (&["-vE", "^a|z$"], Some("b.c\n")),
            (&["-E", "^(ab|b.c)$"], Some("ab\nb.c\n")),
            (&["-E", "(a|b)+"], None),
            (&["-i", "AB"], Some("ab\n")),
            (&["-F", "."], Some("b.c\n")),
            (&["x.*z"], Some("xyz\n")),
            (&["nothing"], Some("")),
            (&["[ab]"], None),
            (&["b", "file"], None),
            (&["-c", "b"], None),
            (&["ab*"], None),
        ] {
            let invocation = Invocation {
                program: "grep".to_owned(),
                args: words.iter().map(|word| Arg::literal(*word)).collect(),
                input: Input::Text(Arg::derived("ab\nb.c\nxyz\n")),
                ..Invocation::default()
            };
            let picked = lines(&invocation).and_then(|output| output.text().cloned());
            assert_eq!(
                picked.map(|text| text.text).as_deref(),
                expected,
                "{words:?}"
            );
        }
    }
}
