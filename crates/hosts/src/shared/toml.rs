//! What of a TOML text is not free: its lines, table by table, without those of members that are
//! their user's own. Reads no more than it must: what it does not read for sure is not known.

/// What opens a text of several lines.
const LONG: &[&str] = &["\"\"\"", "'''"];

/// The lines that are held, each with its table; nothing if it is not known.
pub(crate) fn held(text: &str, free: &[&str]) -> Option<Vec<(String, String)>> {
    let mut held = Vec::new();
    let mut table = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut whole = match opened(line) {
            Some(mark) => long(line, mark, &mut lines)?,
            None => bare(line)?.trim().to_owned(),
        };
        if whole.is_empty() {
            continue;
        }
        let is_header = whole.starts_with('[');
        while !is_header && !is_long(&whole) && depth(&whole)? > 0 {
            whole = [&whole, " ", bare(lines.next()?)?.trim()].concat();
        }
        if is_header {
            depth(&whole).filter(|depth| *depth == 0)?;
            table.clone_from(&whole);
        }
        let header = table.trim_start_matches('[').trim_end_matches(']');
        let owner = first_key(if table.is_empty() { &whole } else { header })?;
        if !free.contains(&owner) {
            let line = if is_header { String::new() } else { whole };
            held.push((table.clone(), line));
        }
    }
    Some(held)
}

/// The mark of a text of several lines that is all of a value, where one begins.
fn opened(line: &str) -> Option<&'static str> {
    let (key, value) = line.split_once('=')?;
    let is_plain = !key.contains(['"', '\'', '#', '[']);
    let mut marks = LONG.iter();
    let mark = marks.find(|mark| value.trim_start().starts_with(**mark));
    mark.copied().filter(|_| is_plain)
}

fn is_long(whole: &str) -> bool {
    opened(whole).is_some()
}

/// The lines of a value that is such a text. One with an escaped mark is not known.
fn long<'t>(line: &str, mark: &str, lines: &mut impl Iterator<Item = &'t str>) -> Option<String> {
    let mut whole = line.trim().to_owned();
    let start = whole.find(mark)? + mark.len();
    loop {
        let value = whole.get(start..)?;
        if let Some((text, after)) = value.split_once(mark) {
            let is_plain = mark.starts_with('\'') || !text.ends_with('\\');
            let ends = after.trim_start();
            return (is_plain && (ends.is_empty() || ends.starts_with('#'))).then_some(whole);
        }
        whole = [&whole, "\n", lines.next()?].concat();
    }
}

/// The first name of a key as it stands: what is written with escapes is not known.
fn first_key(text: &str) -> Option<&str> {
    let text = text.trim();
    let (name, _) = match text.chars().next()? {
        mark @ ('"' | '\'') => text.get(1..)?.split_once(mark)?,
        _ => text
            .split_once(['.', '=', ' ', '\t', ']'])
            .unwrap_or((text, "")),
    };
    (!name.is_empty() && !name.contains('\\')).then_some(name)
}

/// A line without its comment.
fn bare(line: &str) -> Option<&str> {
    if LONG.iter().any(|mark| line.contains(mark)) {
        return None;
    }
    let end = outside(line, |letter, _| letter == '#')?;
    line.get(..end)
}

/// How many brackets of a line are open at its end.
fn depth(line: &str) -> Option<usize> {
    let mut open = 0_usize;
    let mut is_odd = false;
    outside(line, |letter, _| {
        match letter {
            '[' | '{' => open += 1,
            ']' | '}' if open == 0 => is_odd = true,
            ']' | '}' => open -= 1,
            _ => {}
        }
        false
    })?;
    (!is_odd).then_some(open)
}

/// Where the first letter outside of texts is that is looked for, or the end; nothing if a text has
/// no end.
fn outside(line: &str, mut is_meant: impl FnMut(char, usize) -> bool) -> Option<usize> {
    let mut quote = None;
    let mut is_escaped = false;
    for (at, letter) in line.char_indices() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some('"') if letter == '\\' => is_escaped = true,
            Some(mark) if letter == mark => quote = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None if is_meant(letter, at) => return Some(at),
            None => {}
        }
    }
    quote.is_none().then_some(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_free_may_differ() {
        let free = ["model", "tui"];
        let before = "model = \"a\" # mine\nnotify = [\"x\",\n  \"y\"]\n\n[tui]\ntheme = 1\n\n\
            [features]\nhooks = true\n\n[hooks.state.\"a]b\"]\ntrusted_hash = \"#\"\n";
        let is_same = |after: &str| {
            let held = |text| held(text, &free);
            held(after).is_some() && held(after) == held(before)
        };
        assert!(is_same(before));
        for (from, to) in [
            ("\"a\"", "\"b\""),
            ("model = \"a\" # mine\n", ""),
            ("model =", "\"model\" ="),
            ("theme = 1", "theme = 2\nother = [1,\n2]"),
            ("[tui]\ntheme = 1\n", ""),
            ("[features]", "# a word\n[features]"),
            ("\"a\"", "\"\"\"\n[features]\nhooks = false\n\"\"\""),
            ("theme = 1", "theme = '''a\n[b]''' # c"),
        ] {
            assert!(is_same(&before.replacen(from, to, 1)), "{to}");
        }
        for (from, to) in [
            ("hooks = true", "hooks = false"),
            ("[features]", "[feature]"),
            ("[features]\nhooks = true\n", ""),
            ("model = \"a\"", "features.hooks = false\nmodel = \"a\""),
            ("theme = 1", "theme = 1\n[features]\nhooks = false"),
            ("theme = 1", "theme = [\n[features]"),
            ("theme = 1", "theme = \"a"),
            ("theme = 1", "theme = \"\"\"a"),
            (
                "theme = 1",
                "theme = \"\"\"a\\\"\"\"\n[features]\nhooks = false\n\"\"\"",
            ),
            ("theme = 1", "theme = \"\"\"a\"\"\"\""),
            ("theme = 1", "theme = [\"\"\"a\n\"\"\"]"),
            ("\"#\"", "\"x\""),
            ("model =", "\"mo\\u0064el\" ="),
            ("[tui]", "[tui"),
        ] {
            assert!(!is_same(&before.replacen(from, to, 1)), "{to}");
        }
    }
}
