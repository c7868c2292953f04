//! A function takes few values, those in a tuple counted one by one.
//!
//! Owns what clippy does not see: for it `(name, to): (&str, &str)` is one parameter. Values that
//! belong together have a struct with a name. Knows the form that rustfmt gives to a signature, no
//! more of the language.

use super::SourceFile;

/// Most values that a function takes, `self` aside.
const VALUES_MAX: usize = 4;

/// What may stand before `fn`.
const QUALIFIERS: &[&str] = &[
    "pub", "crate", "const", "async", "unsafe", "extern", "\"C\"",
];

pub fn few_values(files: &[SourceFile]) -> Vec<String> {
    let product = files
        .iter()
        .filter(|file| file.is_rust() && !file.is_test());
    product.flat_map(crowded_functions).collect()
}

/// A complaint about each function of a file that takes too many values.
fn crowded_functions(file: &SourceFile) -> Vec<String> {
    let uncommented = file
        .product_lines()
        .map(|(_, line)| match line.trim_start() {
            comment if comment.starts_with("//") => "",
            _ => line,
        });
    let lines: Vec<&str> = uncommented.collect();
    let mut complaints = Vec::new();
    for (number, line) in (1..).zip(&lines) {
        if !begins_function(line) {
            continue;
        }
        let text = lines.get(number - 1..).unwrap_or_default().join("\n");
        if let Some(count) = values_taken(&text).filter(|count| *count > VALUES_MAX) {
            let path = &file.path;
            complaints.push(format!(
                "{path}:{number}: takes {count} values, at most {VALUES_MAX}"
            ));
        }
    }
    complaints
}

fn begins_function(line: &str) -> bool {
    let is_qualifier = |word: &str| QUALIFIERS.iter().any(|known| word.starts_with(known));
    let before = format!(" {line}");
    before
        .split_once(" fn ")
        .is_some_and(|(before, _)| before.split_whitespace().all(is_qualifier))
}

/// How many values a function takes whose signature a text begins with.
fn values_taken(text: &str) -> Option<usize> {
    let (_, signature) = text.split_once("fn ")?;
    let named = signature.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let listed = match named.strip_prefix('<') {
        Some(generics) => list(generics)?.1,
        None => named,
    };
    let (parameters, _) = list(listed.strip_prefix('(')?)?;
    let is_self = |parameter: &&str| {
        let pattern = parameter.split(':').next().unwrap_or_default();
        pattern.split([' ', '&', '\n']).next_back() == Some("self")
    };
    let given = parameters.iter().filter(|parameter| !is_self(parameter));
    Some(given.map(|parameter| values(parameter)).sum())
}

/// How many values one parameter is, by its pattern or by its type.
fn values(parameter: &str) -> usize {
    let (names, rest) = leaves(parameter);
    let types = rest.split_once(": ").map_or(1, |(_, kind)| leaves(kind).0);
    names.max(types)
}

/// How many members a tuple has, those of tuples in it counted one by one, and what follows it.
/// Anything else is one.
fn leaves(text: &str) -> (usize, &str) {
    match referred(text).strip_prefix('(').and_then(list) {
        Some((members, rest)) => (members.iter().map(|member| leaves(member).0).sum(), rest),
        None => (1, text),
    }
}

/// A pattern or a type without `&`, `&mut` and `&'a`.
fn referred(text: &str) -> &str {
    let text = text.trim_start().trim_start_matches('&');
    let text = match text.strip_prefix('\'') {
        Some(lifetime) => lifetime.split_once(' ').map_or(text, |(_, rest)| rest),
        None => text,
    };
    text.strip_prefix("mut ").unwrap_or(text)
}

/// The members of a list whose bracket is open, and what follows the bracket that closes it.
fn list(text: &str) -> Option<(Vec<&str>, &str)> {
    let mut members = Vec::new();
    let (mut depth, mut begin, mut before) = (0_usize, 0, ' ');
    for (at, sign) in text.char_indices() {
        let is_arrow = sign == '>' && matches!(before, '-' | '=');
        match sign {
            _ if is_arrow => {}
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' if depth == 0 => {
                members.push(text.get(begin..at)?.trim());
                members.retain(|member| !member.is_empty());
                return Some((members, text.get(at + 1..)?));
            }
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                members.push(text.get(begin..at)?.trim());
                begin = at + 1;
            }
            _ => {}
        }
        before = sign;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    fn found(path: &str, code: &str) -> usize {
        few_values(&[file(path, &format!("//! x\n{code}\n"))])
            .iter()
            .filter(|complaint| complaint.starts_with(path))
            .count()
    }

    const PATH: &str = "crates/a/src/lib.rs";

    #[test]
    fn what_a_tuple_hides_is_caught() {
        for code in [
            "fn f(a: A, b: B, c: C, (d, e): (D, E)) {}",
            "pub(crate) fn f(&self, a: A, (b, c, d, e): (B, C, D, E)) {}",
            "pub const fn f<'a, T: Fn(u8) -> u8>((a, (b, c)): Call, &(d, e): &(D, E)) {}",
            "    pub(super) fn f(\n        a: A,\n        // why\n        (b, c): (B, C),\n        \
             (d, e): (D, E),\n    ) -> X {\n    }",
            "async fn f(a: A, b: B, c: C, pair: &'a mut (D, E)) {}",
            "fn f(_: A, (_, Some((b, _)), c): Call, d: D) {}\nfn g((a, b, c, d, e): Call) {}",
        ] {
            assert!(found(PATH, code) > 0, "{code}");
            assert_eq!(found("crates/a/tests/a.rs", code), 0, "{code}");
        }
    }

    #[test]
    fn four_values_are_few() {
        for code in [
            "fn f(a: A, b: B, (c, d): (C, D)) {}",
            "fn f(&mut self, (a, b): (A, B), (c, d): (C, D)) {}",
            "fn f(self: Box<Self>, a: A, b: B, c: C, d: D) {}",
            "fn f(a: impl Fn(A, B) -> (C, D), b: &[(A, B)], c: HashMap<A, B>, d: &(dyn E + 'd)) {}",
            "fn f(Point { x, y, z }: Point, a: A, b: B, c: C) {}",
            "// fn f((a, b, c, d, e): Call) {}",
            "const TEXT: &str = \"fn f((a, b, c, d, e): Call) {}\";",
            "#[cfg(test)]\nmod tests {\n    fn f((a, b, c, d, e): Call) {}\n}",
        ] {
            assert_eq!(found(PATH, code), 0, "{code}");
        }
    }
}
