//! Conditions of statements: whether one leaves a row out at all.

/// Whether no condition says which rows, or one that holds for all.
pub(super) fn is_unconditional(lower: &[&str]) -> bool {
    let Some(at) = outer_where(lower) else {
        return true;
    };
    let (told, condition) = lower.split_at(at);
    let condition = condition.get(1..).unwrap_or_default().join(" ");
    let condition = condition.split(" returning ").next().unwrap_or_default();
    let condition = closed(condition);
    let table = told.iter().find(|word| !KEYWORDS.contains(word));
    let told = Told {
        words: told.join(" "),
        table: table.copied().unwrap_or_default(),
    };
    holds(&told, condition)
}

/// A condition without what closes a bracket that begins before it.
fn closed(condition: &str) -> &str {
    let mut condition = condition.trim();
    while condition.matches(')').count() > condition.matches('(').count() {
        match condition.strip_suffix(')') {
            Some(rest) => condition = rest.trim_end(),
            None => break,
        }
    }
    condition
}

/// Words before the name of the table that a statement is about.
const KEYWORDS: &[&str] = &["delete", "from", "only", "table", "update"];

/// What stands before a condition.
struct Told<'t> {
    words: String,
    table: &'t str,
}

/// Where the condition of a statement itself begins, not that of a query within it.
fn outer_where(lower: &[&str]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, word) in lower.iter().enumerate() {
        if *word == "where" && depth == 0 {
            return Some(at);
        }
        for letter in word.chars() {
            match letter {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    None
}

/// Whether a condition holds for every row: one of its ways does, each part of it.
fn holds(told: &Told<'_>, condition: &str) -> bool {
    let ways = parted(condition, " or ");
    if ways.len() > 1 && covers(&ways) {
        return true;
    }
    ways.iter().any(|way| {
        let terms = parted(way, " and ");
        terms.iter().all(|term| term_holds(told, term))
    })
}

/// `a is null or a is not null`
fn covers(ways: &[&str]) -> bool {
    let of = |end: &str| -> Vec<&str> {
        let columns = ways.iter().filter_map(|way| way.trim().strip_suffix(end));
        columns.collect()
    };
    let filled = of(" is not null");
    of(" is null").iter().any(|column| filled.contains(column))
}

/// The parts of a condition between these words, outside of parentheses.
fn parted<'c>(condition: &'c str, between: &str) -> Vec<&'c str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, letter) in condition.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth == 0 && condition.get(at..).is_some_and(|c| c.starts_with(between)) => {
                parts.extend(condition.get(start..at));
                start = at + between.len();
            }
            _ => {}
        }
    }
    parts.extend(condition.get(start.min(condition.len())..));
    parts
}

fn term_holds(told: &Told<'_>, term: &str) -> bool {
    let term = term.trim();
    if let Some(inner) = term
        .strip_prefix('(')
        .and_then(|term| term.strip_suffix(')'))
        && !inner.contains(['(', ')'])
    {
        return holds(told, inner);
    }
    if let Some(turned) = term.strip_prefix("not ") {
        let turned = turned.trim_matches(['(', ')', ' ']);
        return matches!(turned, "0" | "false") || compared(turned) == Some(false);
    }
    let is_constant = matches!(term, "true" | "'='") || number(term).is_some_and(|of| of != 0);
    is_constant || compared(term) == Some(true) || is_among_its_own(told, term) || every(told, term)
}

/// The number that stands alone.
fn number(term: &str) -> Option<i64> {
    term.parse().ok()
}

/// What a comparison of two numbers, or of a column with itself, comes to.
fn compared(term: &str) -> Option<bool> {
    const SIGNS: &[&str] = &["<>", "!=", "<=", ">=", "==", "=", "<", ">"];
    let dense = term.replace(' ', "");
    let (sign, (one, other)) = SIGNS
        .iter()
        .find_map(|sign| Some((*sign, dense.split_once(sign)?)))?;
    let is_column = |name: &str| {
        let is_part = |c: char| c.is_alphanumeric() || "_.\"`".contains(c);
        name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(is_part)
    };
    if one == other && is_column(one) {
        return Some(matches!(sign, "=" | "==" | "<=" | ">="));
    }
    let (one, other) = (number(one)?, number(other)?);
    Some(match sign {
        "<>" | "!=" => one != other,
        "<=" => one <= other,
        ">=" => one >= other,
        "<" => one < other,
        ">" => one > other,
        _ => one == other,
    })
}

/// `id in (select id from t)`: all that the table has, asked of itself; `exists (select 1)`.
fn is_among_its_own(told: &Told<'_>, term: &str) -> bool {
    if term == "exists (select 1" || term == "exists (select 1)" {
        return true;
    }
    let Some((column, inner)) = term.split_once(" in (select ") else {
        return false;
    };
    let inner = inner.trim_end_matches([')', ' ']);
    inner == format!("{column} from {}", told.table)
}

/// Endings of conditions that every row meets if its column is one that every row has, and those
/// that every row meets that has anything there.
const OF_EVERY: &[&str] = &[">0", ">=0", ">=1", ">-1", "<>0", "!=0", "<>-1", "!=-1"];
const OF_ANY: &[&str] = &["isnotnull", "<>''", "!=''", "like'%'"];

/// Endings of conditions that every row meets which says when it was made.
const PAST: &[&str] = &[
    "<now",
    "<=now",
    "<current_timestamp",
    "<=current_timestamp",
    "<getdate",
];

/// Beginnings of the names of columns that say so.
const MADE: &[&str] = &["created", "inserted", "added"];

fn ends_with_now(term: &str, end: &str) -> bool {
    let column = term.trim_end_matches(['(', ')']).strip_suffix(end);
    let name = column.and_then(|column| column.rsplit('.').next());
    name.is_some_and(|name| MADE.iter().any(|made| name.starts_with(made)))
}

/// `WHERE id > 0`, `SET email = NULL WHERE email IS NOT NULL`: a condition that leaves no row out,
/// or none that has what goes.
fn every(told: &Told<'_>, term: &str) -> bool {
    let told = told.words.replace(' ', "");
    let term = term.replace(' ', "");
    let term = term.trim_matches(['(', ')']);
    if PAST.iter().any(|end| ends_with_now(term, end)) {
        return true;
    }
    let of = |ends: &[&str], is_met: &dyn Fn(&str) -> bool| {
        let columns = ends.iter().filter_map(|end| term.strip_suffix(end));
        columns.into_iter().any(is_met)
    };
    let is_key = |column: &str| {
        let name = column.rsplit('.').next().unwrap_or_default();
        matches!(
            name.trim_matches(['"', '`', '[', ']']),
            "id" | "uuid" | "_id" | "rowid"
        )
    };
    let is_emptied = |column: &str| {
        [",", "set"]
            .iter()
            .any(|sign| told.contains(&format!("{sign}{column}=null")))
    };
    of(OF_EVERY, &is_key) || of(OF_ANY, &|column| is_key(column) || is_emptied(column))
}
