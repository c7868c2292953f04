//! `$((OPTIND - 1))`: a word that is nothing but a sum of known numbers.

use super::parameter;
use crate::machine::Frame;
use crate::{Arg, World};
use shell::{Part, Word};

/// The value of a word that is one arithmetic expansion, where all in it is known. What such an
/// expansion changes is not known any more.
pub(super) fn value(world: &mut World<'_>, frame: &Frame<'_>, word: &Word<'_>) -> Option<Arg> {
    if word.parts.iter().any(computes) {
        forget_changed(world, &frame.text(word.span));
    }
    let is_whole = match word.parts.as_slice() {
        [Part::Arithmetic(_)] => true,
        [Part::DoubleQuoted(inner)] => matches!(inner.as_slice(), [Part::Arithmetic(_)]),
        _ => false,
    };
    if !is_whole {
        return None;
    }
    let text = frame.text(word.span);
    let inner = text.trim_matches('"').strip_prefix("$((")?;
    let mut sum = Sum {
        world,
        rest: inner.strip_suffix("))")?,
    };
    let value = sum.added()?;
    let is_read = sum.rest.trim().is_empty();
    is_read.then(|| Arg::derived(value.to_string()))
}

fn computes(part: &Part<'_>) -> bool {
    match part {
        Part::Arithmetic(_) => true,
        Part::DoubleQuoted(inner) => inner.iter().any(computes),
        _ => false,
    }
}

/// `$((n++))`, `$((n += 1))`
fn forget_changed(world: &mut World<'_>, text: &str) {
    let compared = ["==", "!=", "<=", ">="];
    let plain = compared
        .iter()
        .fold(text.to_owned(), |text, sign| text.replace(sign, " "));
    let changes = plain.contains('=') || plain.contains("++") || plain.contains("--");
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for name in plain.split(|c| !is_name(c)).filter(|_| changes) {
        if let Some(var) = world.now.shell.vars.get_mut(name) {
            var.values = vec![Arg::unknown()];
        }
    }
}

/// What is left to read of a sum.
struct Sum<'a, 'w> {
    world: &'a World<'w>,
    rest: &'a str,
}

impl Sum<'_, '_> {
    /// Takes the next letter, if it is one of these.
    fn sign(&mut self, signs: &[char]) -> Option<char> {
        let rest = self.rest.trim_start();
        let first = rest.chars().next().filter(|first| signs.contains(first))?;
        let after = rest.get(1..)?;
        // `++`, `+=`, `**`: what changes a variable, or is another sign.
        if first != '(' && after.starts_with(['+', '-', '*', '=']) {
            return None;
        }
        self.rest = after;
        Some(first)
    }

    fn added(&mut self) -> Option<i64> {
        let mut sum = self.multiplied()?;
        while let Some(sign) = self.sign(&['+', '-']) {
            let next = self.multiplied()?;
            sum = match sign {
                '+' => sum.checked_add(next)?,
                _ => sum.checked_sub(next)?,
            };
        }
        Some(sum)
    }

    fn multiplied(&mut self) -> Option<i64> {
        let mut product = self.one()?;
        while let Some(sign) = self.sign(&['*', '/', '%']) {
            let next = self.one()?;
            product = match sign {
                '*' => product.checked_mul(next)?,
                '/' => product.checked_div(next)?,
                _ => product.checked_rem(next)?,
            };
        }
        Some(product)
    }

    /// A number, a variable, or a sum in parentheses.
    fn one(&mut self) -> Option<i64> {
        if self.sign(&['(']).is_some() {
            let sum = self.added()?;
            self.rest = self.rest.trim_start().strip_prefix(')')?;
            return Some(sum);
        }
        let rest = self.rest.trim_start();
        let rest = rest.strip_prefix('$').unwrap_or(rest);
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '#');
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end)?;
        self.rest = after;
        match word.parse() {
            // Of `010` the base is eight.
            Ok(number) if word == "0" || !word.starts_with('0') => Some(number),
            Ok(_) => None,
            Err(_) => parameter::number(self.world, word),
        }
    }
}
