//! A line of output without what differs from time to time: two failures of one kind read alike.

/// Longest folded line, in characters.
pub const TEXT_CHARS_MAX: usize = 160;

/// A line with what differs from time to time folded: numbers, paths, hashes, quoted words,
/// addresses.
#[must_use]
pub fn fold(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let closing = match first {
            '"' | '`' => Some(first),
            '\'' if !out.ends_with(char::is_alphanumeric) => Some('\''),
            '‘' => Some('’'),
            _ => None,
        };
        let inner = rest.get(first.len_utf8()..).unwrap_or_default();
        if let Some(end) = closing.and_then(|closing| {
            let at = inner.find([closing, if first == '`' { '\'' } else { closing }])?;
            Some(at + inner.get(at..)?.chars().next()?.len_utf8())
        }) {
            out.push('Q');
            rest = inner.get(end..).unwrap_or_default();
            continue;
        }
        if first.is_whitespace() {
            out.push(' ');
            rest = rest.trim_start();
            continue;
        }
        let end = rest
            .find(|c: char| c.is_whitespace() || "\"`".contains(c))
            .unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end.max(first.len_utf8()));
        out.push_str(&folded_word(word));
        rest = behind;
    }
    model::one_line(out.trim(), TEXT_CHARS_MAX)
}

fn folded_word(word: &str) -> String {
    let open = word.trim_start_matches(['(', '[', '<']);
    let core = open.trim_end_matches([',', '.', ':', ';', ')', ']', '>']);
    let before = word.get(..word.len() - open.len()).unwrap_or_default();
    let behind = open.get(core.len()..).unwrap_or_default();
    let folded = if core.contains("://") {
        "U"
    } else if core.contains('/') || core.contains('\\') {
        "P"
    } else if core.len() >= 7
        && core.bytes().all(|b| b.is_ascii_hexdigit())
        && core.bytes().any(|b| b.is_ascii_digit())
    {
        "H"
    } else {
        return [before, &without_numbers(core), behind].concat();
    };
    [before, folded, behind].concat()
}

fn without_numbers(word: &str) -> String {
    let mut out = String::new();
    for character in word.chars() {
        match character.is_ascii_digit() {
            true if out.ends_with('N') => {}
            true => out.push('N'),
            false => out.push(character),
        }
    }
    out
}
