//! The plain part of YAML: keys and lists by their indent, words, quoted words, and lists and pairs
//! in brackets. Anchors, tags, blocks of text and several documents are not read.

use super::{Data, json};

/// Deepest nesting that is read.
const DEPTH_MAX: usize = 16;

/// Most lines that are read.
const LINES_MAX: usize = 2_000;

/// A line that says something.
#[derive(Clone, Copy)]
struct Line<'a> {
    indent: usize,
    text: &'a str,
}

/// Reads a text of YAML; `None` if it is more than is read here.
pub(super) fn yaml(text: &str) -> Option<Data> {
    let lines: Vec<Line<'_>> = text.lines().filter_map(line).collect();
    if lines.len() > LINES_MAX {
        return None;
    }
    let mut lines = lines.as_slice();
    if let [first, rest @ ..] = lines
        && first.text == "---"
    {
        lines = rest;
    }
    let value = block(&mut lines, DEPTH_MAX)?;
    lines.is_empty().then_some(value)
}

/// A line without its comment.
fn line(line: &str) -> Option<Line<'_>> {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    let mut end = text.len();
    let mut quote = None;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '#') if before == ' ' => {
                end = at;
                break;
            }
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
        before = letter;
    }
    let text = text.get(..end).unwrap_or_default().trim_end();
    (!text.is_empty()).then_some(Line { indent, text })
}

/// What stands at one indent.
fn block(lines: &mut &[Line<'_>], depth: usize) -> Option<Data> {
    let depth = depth.checked_sub(1)?;
    let first = *lines.first()?;
    if first.text == "-" || first.text.starts_with("- ") {
        return list(lines, (first.indent, depth));
    }
    if key(first.text).is_some() {
        return pairs(lines, (first.indent, depth));
    }
    *lines = lines.get(1..).unwrap_or_default();
    scalar(first.text)
}

fn list(lines: &mut &[Line<'_>], (indent, depth): (usize, usize)) -> Option<Data> {
    let mut all = Vec::new();
    while let [first, rest @ ..] = *lines
        && first.indent == indent
        && let Some(own) = first.text.strip_prefix('-')
    {
        let text = own.trim_start();
        if text.is_empty() {
            *lines = rest;
            all.push(below(lines, (indent, depth))?);
        } else if key(text).is_some() {
            // `- name: x`, and what belongs to it below.
            let inner = indent + first.text.len() - text.len();
            let head = Line {
                indent: inner,
                text,
            };
            let more = rest.iter().take_while(|line| line.indent >= inner);
            let item: Vec<Line<'_>> = std::iter::once(head).chain(more.copied()).collect();
            *lines = rest.get(item.len() - 1..).unwrap_or_default();
            let mut item = item.as_slice();
            all.push(block(&mut item, depth)?);
            item.is_empty().then_some(())?;
        } else {
            *lines = rest;
            all.push(scalar(text)?);
        }
    }
    Some(Data::List(all))
}

fn pairs(lines: &mut &[Line<'_>], (indent, depth): (usize, usize)) -> Option<Data> {
    let mut all = Vec::new();
    while let [first, rest @ ..] = *lines
        && first.indent == indent
    {
        let (name, text) = key(first.text)?;
        *lines = rest;
        let value = match text {
            "" => below(lines, (indent, depth))?,
            text => scalar(text)?,
        };
        all.push((name.to_owned(), value));
    }
    Some(Data::Pairs(all))
}

/// What stands further in; a list may stand as far out as its key.
fn below(lines: &mut &[Line<'_>], (indent, depth): (usize, usize)) -> Option<Data> {
    match lines.first() {
        Some(next) if next.indent > indent => block(lines, depth),
        Some(next) if next.indent == indent && next.text.starts_with("- ") => block(lines, depth),
        _ => Some(Data::Null),
    }
}

/// The key of a line, and what stands behind it.
fn key(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(':')?;
    let name = name.trim_matches(['"', '\'']);
    let is_name = |letter: char| letter.is_alphanumeric() || "_-./ ".contains(letter);
    let is_key = !name.is_empty() && name.chars().all(is_name);
    (is_key && (rest.is_empty() || rest.starts_with(' '))).then_some((name, rest.trim()))
}

fn scalar(text: &str) -> Option<Data> {
    let between = |quote: char| {
        let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains([quote, '\\'])).then(|| Data::Text(inner.to_owned()))
    };
    match text.chars().next()? {
        quote @ ('"' | '\'') => between(quote),
        '[' | '{' => json(text).or_else(|| words_in_brackets(text)),
        '&' | '*' | '!' | '|' | '>' | '%' | '@' | '`' => None,
        _ => Some(Data::of_word(text)),
    }
}

/// `[a, b]`
fn words_in_brackets(text: &str) -> Option<Data> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    if inner.contains(['[', '{']) {
        return None;
    }
    let words = inner
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty());
    words.map(scalar).collect::<Option<_>>().map(Data::List)
}

#[cfg(test)]
mod tests {
    use super::super::Data;
    use super::yaml;

    #[test]
    fn keys_lists_and_words_are_read() {
        let text = "# what goes\ntargets:\n  - dist   # built\n  - 'a b'\nflat: [x, y]\n\
                    deep:\n  path: out/x\n  n: 3\nitems:\n- name: one\n  dir: d\n- name: two\n";
        let read = yaml(text).unwrap();
        let word = |text: &str| Data::Text(text.to_owned());
        let targets = Data::List(vec![word("dist"), word("a b")]);
        assert_eq!(read.get("targets"), Some(&targets));
        assert_eq!(
            read.get("flat"),
            Some(&Data::List(vec![word("x"), word("y")]))
        );
        assert_eq!(read.get("deep").unwrap().get("path"), Some(&word("out/x")));
        let Some(Data::List(items)) = read.get("items") else {
            panic!("{read:?}");
        };
        assert_eq!(items.len(), 2);
        assert_eq!(items.first().unwrap().get("dir"), Some(&word("d")));
        assert_eq!(
            yaml("- a\n- b\n"),
            Some(Data::List(vec![word("a"), word("b")]))
        );
    }

    #[test]
    fn what_is_more_than_plain_is_nothing() {
        for text in [
            "",
            "a: &x 1",
            "a: |\n  text",
            "a: 1\n---\nb: 2",
            "a:\n b: 1\n  c: 2",
        ] {
            assert_eq!(yaml(text), None, "{text}");
        }
    }
}
