//! What plain substitutions of `sed` make of a text: a word for another, and no more. What is not
//! plain is not known.

/// The text after a script that holds nothing but `s/word/other/` and `s/word/other/g`.
pub(super) fn substituted(script: &str, is_extended: bool, text: &str) -> Option<String> {
    let mut rest = script.trim();
    let mut text = text.to_owned();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let Parts {
            mark,
            pattern,
            other,
            after,
        } = Parts::of(rest)?;
        let (pattern, other) = (
            pattern_of(&pattern, mark, is_extended)?,
            other_of(&other, mark)?,
        );
        let (is_global, after) = match after.strip_prefix('g') {
            Some(after) => (true, after),
            None => (false, after),
        };
        let lines = text.split_inclusive('\n');
        text = lines
            .map(|line| replaced(line, &pattern, &other, is_global))
            .collect();
        rest = after.trim_start_matches([' ', '\t']);
        rest = match rest.strip_prefix([';', '\n']) {
            Some(next) => next.trim_start(),
            None if rest.is_empty() => rest,
            None => return None,
        };
    }
    Some(text)
}

/// The parts of `s/pattern/other/`, escapes as they are, and what stands behind it.
pub(super) struct Parts<'t> {
    mark: char,
    pub(super) pattern: String,
    pub(super) other: String,
    pub(super) after: &'t str,
}

impl<'t> Parts<'t> {
    /// The parts of the substitution that a text begins with.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let command = text.strip_prefix('s')?;
        let mark = command.chars().next().filter(char::is_ascii_punctuation)?;
        let (pattern, after) = part(command.get(1..)?, mark)?;
        let (other, after) = part(after, mark)?;
        Some(Self {
            mark,
            pattern,
            other,
            after,
        })
    }
}

/// What stands before a mark, escapes as they are, and what stands behind it.
fn part(text: &str, mark: char) -> Option<(String, &str)> {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' => return None,
            letter if letter == mark => {
                return Some((text.get(..at)?.to_owned(), text.get(at + 1..)?));
            }
            _ => {}
        }
    }
    None
}

/// What is looked for.
struct Pattern {
    /// Its letters; nothing stands for any letter.
    letters: Vec<Option<char>>,
    /// Whether it is looked for at the beginning of a line alone.
    is_first: bool,
    /// Whether it takes the rest of the line.
    takes_rest: bool,
}

fn pattern_of(text: &str, mark: char, is_extended: bool) -> Option<Pattern> {
    let special = if is_extended { "*[]^$+?(){}|" } else { "*[]^$" };
    // What an escaped mark means that has a meaning of its own differs.
    let is_plain_mark = !"*[]^$+?(){}|.".contains(mark) || !text.contains('\\');
    let (is_first, text) = match text.strip_prefix('^') {
        Some(text) => (true, text),
        None => (false, text),
    };
    let whole = text.strip_suffix(".*$").or_else(|| text.strip_suffix(".*"));
    let whole = whole.filter(|text| !text.ends_with('\\'));
    let mut letters = whole.unwrap_or(text).chars();
    let mut pattern = Vec::new();
    while let Some(letter) = letters.next() {
        pattern.push(match letter {
            '\\' => Some(
                letters
                    .next()
                    .filter(|next| *next == mark || "./*[]^$\\".contains(*next))?,
            ),
            '.' => None,
            letter if special.contains(letter) => return None,
            letter => Some(letter),
        });
    }
    let is_plain = !pattern.is_empty() && is_plain_mark;
    is_plain.then_some(Pattern {
        letters: pattern,
        is_first,
        takes_rest: whole.is_some(),
    })
}

/// What is put in the place.
fn other_of(text: &str, mark: char) -> Option<String> {
    let mut letters = text.chars();
    let mut other = String::new();
    while let Some(letter) = letters.next() {
        other.push(match letter {
            '\\' => letters
                .next()
                .filter(|next| *next == mark || "&/\\".contains(*next))?,
            '&' => return None,
            letter => letter,
        });
    }
    Some(other)
}

/// A line with the pattern replaced where it is found first, or everywhere.
fn replaced(line: &str, pattern: &Pattern, other: &str, is_global: bool) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    let mut is_done = false;
    while let Some(letter) = rest.chars().next() {
        let may_be = (is_global || !is_done) && (!pattern.is_first || rest.len() == line.len());
        if let Some(after) = found(rest, pattern).filter(|_| may_be) {
            text.push_str(other);
            (rest, is_done) = (after, true);
        } else {
            text.push(letter);
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        }
    }
    text
}

/// What follows the pattern, if a text begins with it. A line's end is not in it.
fn found<'t>(text: &'t str, pattern: &Pattern) -> Option<&'t str> {
    let mut letters = text.chars();
    for wanted in &pattern.letters {
        let letter = letters.next().filter(|letter| *letter != '\n')?;
        if wanted.is_some_and(|wanted| wanted != letter) {
            return None;
        }
    }
    let rest = letters.as_str();
    let end = rest.find('\n').unwrap_or(rest.len());
    match pattern.takes_rest {
        true => rest.get(end..),
        false => Some(rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_substitutions_are_made() {
        for (script, is_extended, text, expected) in [
            ("s/a/b/", false, "aa\nca\n", "ba\ncb\n"),
            ("s/a/b/g; s/b/c/", false, "aa\n", "cb\n"),
            ("s|\"x\": 1|\"x\": 2|", false, "{\"x\": 1}", "{\"x\": 2}"),
            ("s/a\\/b/c\\/d/", false, "a/b", "c/d"),
            ("s/v4.5/v5/", false, "v4.5 v4x5", "v5 v4x5"),
            ("s/a+b/x/", false, "a+b", "x"),
            ("s/none/x/", true, "a", "a"),
            (
                "s/^a = .*/a = 2/",
                false,
                "a = 1 # x\nba = 1\n",
                "a = 2\nba = 1\n",
            ),
            ("s/a=.*$/b/g", true, "xa=1a=2", "xb"),
            ("s/^a/b/g", false, "aa\n", "ba\n"),
        ] {
            assert_eq!(
                substituted(script, is_extended, text).as_deref(),
                Some(expected),
                "{script}"
            );
        }
        for (script, is_extended) in [
            ("", false),
            ("s/a*/b/", false),
            ("s/a\\.*/b/", false),
            ("s/.*a/b/", false),
            ("s/^.*/b/", false),
            ("s/a+/b/", true),
            ("s/a/&b/", false),
            ("s/a/\\n/", false),
            ("s/\\(a\\)/b/", false),
            ("s/a/b/i", false),
            ("s/a/b/2", false),
            ("s/a/b/w f", false),
            ("/x/s/a/b/", false),
            ("1d", false),
            ("s/a/b/;d", false),
            ("s|a\\|b|c|", false),
            ("s/a", false),
        ] {
            assert_eq!(substituted(script, is_extended, "a"), None, "{script}");
        }
    }
}
