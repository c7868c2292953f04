//! What a program makes of its arguments with Python's `argparse`: the options that it declares,
//! with the values that it is given, or their defaults.

use super::switches::{GIVEN, NOT_GIVEN};
use super::tokens::Token;
use super::value::Value;
use crate::Arg;

/// Words of switches with which a program only tries, and of those without which it only tries:
/// then nobody knows what it does.
const TRYING: &[&str] = &[
    "check", "dry", "list", "plan", "preview", "print", "simulate",
];
const MEANING: &[&str] = &[
    "apply", "commit", "confirm", "delete", "execute", "fix", "force", "go", "really", "run",
    "write", "yes",
];

/// One argument as a program declares it.
#[derive(Debug, Default)]
struct Declared<'t> {
    names: Vec<&'t str>,
    dest: &'t str,
    default: Option<&'t str>,
    /// Whether it takes as many as there are.
    is_many: bool,
    /// Whether it is given without a value.
    is_switch: bool,
    /// Whether it is true if it is given, and only then.
    is_plain: bool,
}

impl Declared<'_> {
    fn is_option(&self) -> bool {
        self.names.iter().all(|name| name.starts_with('-'))
    }

    /// Whether it is a switch that is called one of these.
    fn holds_back(&self, words: &[&str]) -> bool {
        let mut names = self.names.iter().flat_map(|name| name.split('-'));
        self.is_switch && names.any(|word| words.contains(&word))
    }

    /// The name that the program reads it by.
    fn key(&self) -> String {
        let longest = self.names.iter().max_by_key(|name| name.len());
        match self.dest {
            "" => longest
                .map_or("", |name| name.trim_start_matches('-'))
                .replace('-', "_"),
            dest => dest.to_owned(),
        }
    }
}

/// The values of all arguments that a program declares, by their names; `None` if it declares none.
pub(super) fn parsed<'r>(tokens: &[Token], args: &[Arg]) -> Option<Value<'r>> {
    let declared = declared(tokens);
    if declared.is_empty() {
        return None;
    }
    let mut words: Vec<&Arg> = Vec::new();
    let mut given: Vec<(usize, &str)> = Vec::new();
    let mut switches: Vec<usize> = Vec::new();
    let mut all = args.iter();
    while let Some(arg) = all.next() {
        let (name, attached) = match arg.text.split_once('=') {
            Some((name, value)) if name.starts_with('-') => (name, Some(value)),
            _ => (arg.text.as_str(), None),
        };
        let place = declared.iter().position(|own| own.names.contains(&name));
        match place.and_then(|place| Some((place, declared.get(place)?))) {
            Some((place, own)) if own.is_switch => switches.push(place),
            Some((place, _)) => {
                let value = attached.or_else(|| all.next().map(|arg| arg.text.as_str()));
                given.extend(value.map(|value| (place, value)));
            }
            None => words.push(arg),
        }
    }
    let text = |text: &str| Value::Text(text.to_owned());
    let plain = declared.iter().enumerate().filter(|(_, own)| own.is_plain);
    let plain = plain.map(|(place, own)| {
        let is_given = switches.contains(&place);
        let value = if is_given { GIVEN } else { NOT_GIVEN };
        (text(&own.key()), Value::Name(value.to_owned()))
    });
    let plain: Vec<(Value<'r>, Value<'r>)> = plain.collect();
    if declared.iter().enumerate().any(|(place, own)| {
        let is_given = switches.contains(&place);
        own.holds_back(if is_given { TRYING } else { MEANING })
    }) {
        return (!plain.is_empty()).then_some(Value::Pairs(plain));
    }
    let mut words = words.into_iter();
    let valued = declared.iter().enumerate().filter(|(_, own)| !own.is_plain);
    let pairs = valued.map(|(place, own)| {
        let mut values: Vec<Value<'r>> = match own.is_option() {
            true => {
                let own = given.iter().filter(|(at, _)| *at == place);
                own.map(|(_, value)| text(value)).collect()
            }
            false if own.is_many => words.by_ref().map(|word| text(&word.text)).collect(),
            false => words
                .next()
                .map(|word| text(&word.text))
                .into_iter()
                .collect(),
        };
        if values.is_empty() {
            values.extend(own.default.map(text));
        }
        let value = match values.pop() {
            Some(only) if values.is_empty() && !own.is_many => only,
            Some(last) => Value::List([values, vec![last]].concat()),
            None => Value::Unknown,
        };
        (text(&own.key()), value)
    });
    Some(Value::Pairs(pairs.chain(plain).collect()))
}

fn declared(tokens: &[Token]) -> Vec<Declared<'_>> {
    let starts = tokens
        .windows(2)
        .enumerate()
        .filter_map(|(at, pair)| match pair {
            [Token::Name(name), Token::Sign('(')] if name.ends_with(".add_argument") => {
                Some(at + 2)
            }
            _ => None,
        });
    let calls = starts.map(|start| tokens.get(start..).unwrap_or_default());
    calls.map(one).collect()
}

/// The words of one declaration, up to its bracket.
fn one(tokens: &[Token]) -> Declared<'_> {
    let mut own = Declared::default();
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        let after = tokens.get(at + 1..).unwrap_or_default();
        match (token, after) {
            (Token::Sign('('), _) => depth += 1,
            (Token::Sign(')'), _) if depth == 0 => break,
            (Token::Sign(')'), _) => depth -= 1,
            (Token::Name(name), [Token::Sign('='), Token::Text(value), ..]) => {
                match name.as_str() {
                    "default" => own.default = Some(value),
                    "dest" => own.dest = value,
                    "nargs" => own.is_many = value != "?",
                    "action" => {
                        own.is_switch = value != "append";
                        own.is_plain = value == "store_true";
                        own.is_many |= value == "append";
                    }
                    _ => {}
                }
            }
            (Token::Text(name), _) => {
                let is_value = at.checked_sub(1).and_then(|before| tokens.get(before));
                if depth == 0 && is_value != Some(&Token::Sign('=')) {
                    own.names.push(name);
                }
            }
            _ => {}
        }
    }
    own
}
