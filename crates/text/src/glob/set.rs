//! Bracket expressions: `[a-z_]`, `[!a]`, `[[:digit:]]`. Read anew for each letter; they are short.

/// Whether a letter is in the expression that begins after a `[`, and what follows it; nothing if
/// it is not closed.
pub(super) fn find(text: &str, letter: char) -> Option<(bool, &str)> {
    let body = text.strip_prefix(['!', '^']);
    let is_negated = body.is_some();
    let mut rest = body.unwrap_or(text);
    let (mut is_inside, mut is_first) = (false, true);
    loop {
        if let Some(after) = rest.strip_prefix(']').filter(|_| !is_first) {
            return Some((is_inside != is_negated, after));
        }
        is_first = false;
        if let Some((ranges, after)) = class(rest) {
            is_inside |= ranges
                .iter()
                .any(|(low, high)| (*low..=*high).contains(&letter));
            rest = after;
            continue;
        }
        let (low, after) = member(rest)?;
        let range = after.strip_prefix('-').filter(|end| !end.starts_with(']'));
        let (high, after) = match range {
            Some(end) => member(end)?,
            None => (low, after),
        };
        is_inside |= (low..=high).contains(&letter);
        rest = after;
    }
}

/// A letter of an expression, and what follows it.
fn member(text: &str) -> Option<(char, &str)> {
    let mut letters = text.chars();
    let letter = match letters.next()? {
        '\\' => letters.next()?,
        letter => letter,
    };
    Some((letter, letters.as_str()))
}

type Ranges = &'static [(char, char)];

/// POSIX's named classes.
const CLASSES: &[(&str, Ranges)] = &[
    ("alnum", &[('0', '9'), ('A', 'Z'), ('a', 'z')]),
    ("alpha", &[('A', 'Z'), ('a', 'z')]),
    ("blank", &[(' ', ' '), ('\t', '\t')]),
    ("cntrl", &[('\0', '\x1f'), ('\x7f', '\x7f')]),
    ("digit", &[('0', '9')]),
    ("graph", &[('!', '~')]),
    ("lower", &[('a', 'z')]),
    ("print", &[(' ', '~')]),
    ("punct", &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
    ("space", &[('\t', '\r'), (' ', ' ')]),
    ("upper", &[('A', 'Z')]),
    ("xdigit", &[('0', '9'), ('A', 'F'), ('a', 'f')]),
];

fn class(text: &str) -> Option<(Ranges, &str)> {
    let (name, after) = text.strip_prefix("[:")?.split_once(":]")?;
    let (_, ranges) = CLASSES.iter().find(|(known, _)| *known == name)?;
    Some((ranges, after))
}
