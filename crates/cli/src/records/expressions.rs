//! Regular expressions of the index, made into what the hook can use without compiling anything: an
//! automaton, and the texts that tell where it could hold.

use anyhow::{Context, Result, bail, ensure};
use patterns::{Expression, NEEDLE_BYTES_MIN};
use regex_automata::dfa::dense;
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Most bytes of an automaton: it is read for every command that it could be about.
const BYTES_MAX: usize = 64 * 1024;
/// Most bytes of what one is made from.
const MAKING_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Most texts that lead to one expression.
const NEEDLES_MAX: usize = 16;
/// What makes a text more than a text.
const SPECIAL: &str = "\\.+*?()|[]{}^$";

/// Makes an expression of what was written. A text without special characters is looked for as it
/// is.
///
/// # Errors
/// If it is no regular expression, or one that would be too large.
pub fn build(written: &str) -> Result<Expression> {
    ensure!(!written.trim().is_empty(), "it looks for nothing");
    if !written.contains(|c| SPECIAL.contains(c)) {
        return Ok(Expression::plain(written));
    }
    // Bytes, not letters: `\b` has to be decided without tables.
    let config = syntax::Config::new().unicode(false).utf8(false);
    let hir = syntax::parse_with(written, &config).map_err(|error| {
        let said = error.to_string();
        let last = said.lines().last().unwrap_or_default().to_owned();
        anyhow::anyhow!("{}", last.trim_start_matches("error: ").to_owned())
    })?;
    let nfa = thompson::Compiler::new()
        .configure(thompson::Config::new().nfa_size_limit(Some(MAKING_BYTES_MAX)))
        .build_from_hir(&hir)
        .context(TOO_LARGE)?;
    let config = dense::Config::new()
        .start_kind(regex_automata::dfa::StartKind::Unanchored)
        .dfa_size_limit(Some(MAKING_BYTES_MAX))
        .determinize_size_limit(Some(MAKING_BYTES_MAX));
    let automaton = dense::Builder::new().configure(config).build_from_nfa(&nfa);
    let automaton = automaton.context(TOO_LARGE)?;
    let automaton = automaton.to_sparse().context(TOO_LARGE)?;
    let automaton = automaton.to_bytes_native_endian();
    if automaton.len() > BYTES_MAX {
        bail!("{TOO_LARGE}: {} KiB", automaton.len() / 1024);
    }
    let mut needles = needles(&hir).unwrap_or_default();
    needles.sort();
    needles.dedup();
    Ok(Expression {
        written: written.to_owned(),
        needles,
        automaton,
    })
}

const TOO_LARGE: &str = "as a regular expression it is too large for a look before each call (64 \
                         KiB); repeat less, or write two";

/// Texts in lower case one of which stands in all that an expression accepts; nothing if none is
/// known. The longer, the better.
fn needles(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Capture(capture) => needles(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => needles(&repetition.sub),
        HirKind::Alternation(branches) => {
            let all: Option<Vec<Vec<String>>> = branches.iter().map(needles).collect();
            let all = all?.concat();
            (all.len() <= NEEDLES_MAX).then_some(all)
        }
        HirKind::Concat(parts) => {
            let mut found: Vec<Vec<String>> = Vec::new();
            let mut run = String::new();
            for part in parts {
                match letters(part) {
                    Some(letters) => run.push_str(&letters),
                    None => {
                        found.push(vec![std::mem::take(&mut run)]);
                        found.extend(needles(part));
                    }
                }
            }
            found.push(vec![run]);
            let shortest = |group: &Vec<String>| group.iter().map(String::len).min();
            found.into_iter().max_by_key(shortest)
        }
        _ => letters(hir).map(|text| vec![text]),
    }
    .filter(|group| group.iter().all(|text| text.len() >= NEEDLE_BYTES_MIN))
}

/// What stands for one text only, but for upper and lower case.
fn letters(hir: &Hir) -> Option<String> {
    match hir.kind() {
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(text.to_ascii_lowercase())
        }
        HirKind::Class(Class::Bytes(class)) => {
            let all = class
                .ranges()
                .iter()
                .flat_map(|one| one.start()..=one.end());
            let mut all = all.map(|byte| byte.to_ascii_lowercase());
            let first = all.next().filter(u8::is_ascii)?;
            all.all(|byte| byte == first)
                .then(|| char::from(first).to_string())
        }
        HirKind::Concat(parts) => parts.iter().map(letters).collect(),
        HirKind::Capture(capture) => letters(&capture.sub),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_where_one_could_hold_is_found() {
        for (written, expected) in [
            ("kubectl apply", &["kubectl apply"][..]),
            ("kubectl.*apply|kubectl.*create", &["kubectl"]),
            ("^git push .*--force", &["git push "]),
            ("(?i)DROP +TABLE", &["table"]),
            ("(npm|pnpm) +publish", &["publish"]),
            ("x(abc|de)", &[]),
            (".*", &[]),
            ("a?b?", &[]),
            ("(foo)+bar", &["bar"]),
        ] {
            assert_eq!(build(written).unwrap().needles, expected, "{written}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused_in_words() {
        for (written, why) in [
            ("(?=x)y", "look-around"),
            ("(a", "unclosed group"),
            ("  ", "looks for nothing"),
            ("[ab]*a[ab]{16}c", "too large"),
            ("[a-z]{1000}{1000}", "too large"),
        ] {
            let error = format!("{:#}", build(written).unwrap_err());
            assert!(error.contains(why), "{written}: {error}");
        }
    }

    #[test]
    fn an_expression_decides_as_it_was_written() {
        for (written, text, expected) in [
            ("kubectl apply", "sudo kubectl apply -f x", true),
            ("kubectl apply", "kubectl Apply", false),
            ("kubectl.*(apply|create)", "kubectl -n a create x", true),
            ("kubectl.*(apply|create)", "kubectl get x", false),
            ("^git push$", "git push", true),
            ("^git push$", "git push origin", false),
            ("(?i)drop table", "psql -c DROP TABLE", true),
            ("\\bforce\\b", "git push --force x", true),
            ("\\bforce\\b", "git push --forced x", false),
        ] {
            assert_eq!(
                build(written).unwrap().accepts(text),
                expected,
                "{written}: {text}"
            );
        }
        let mut damaged = build("a.c").unwrap();
        damaged.automaton.truncate(20);
        assert!(!damaged.accepts("abc"));
    }
}
