//! What a program makes of its arguments with Python's `argparse`: the options that it declares,
//! with the values that it is given, or their defaults.

use super::tokens::Token;
use super::value::{Function, Value};
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
pub(super) struct Declared<'t> {
    pub(super) names: Vec<&'t str>,
    pub(super) dest: &'t str,
    pub(super) default: Option<&'t str>,
    /// Whether it takes as many as there are.
    is_many: bool,
    /// Whether it is given without a value.
    is_switch: bool,
    /// What a switch is for the program, given or not, where that is yes or no.
    is_on: Option<bool>,
    /// Whether its name is that of what it is kept in.
    is_named_so: bool,
    /// The sub-command that it belongs to.
    command: Option<&'t str>,
}

impl<'t> Declared<'t> {
    /// A word without a name.
    pub(super) fn word(name: &'t str) -> Self {
        Self {
            names: vec![name],
            ..Self::default()
        }
    }

    /// An option that is called as what it is kept in.
    pub(super) fn option(dest: &'t str) -> Self {
        Self {
            dest,
            is_named_so: true,
            ..Self::default()
        }
    }

    /// Such a switch, and what it is if it is given.
    pub(super) fn switch(dest: &'t str, is_on: bool) -> Self {
        Self {
            is_switch: true,
            is_on: Some(is_on),
            ..Self::option(dest)
        }
    }

    /// The same, called as what it is kept in, if it has no other name.
    pub(super) fn or_called(self, dest: &'t str) -> Self {
        Self {
            is_named_so: self.names.is_empty(),
            dest,
            ..self
        }
    }

    /// Whether it is called so on the command line.
    fn is_called(&self, name: &str) -> bool {
        let own = name.strip_prefix("--").unwrap_or_default();
        self.names.contains(&name) || self.is_named_so && own.replace('-', "_") == self.dest
    }

    fn is_option(&self) -> bool {
        self.is_named_so || self.names.iter().all(|name| name.starts_with('-'))
    }

    /// Whether one of these words is in its name.
    fn is_called_by(&self, words: &[&str]) -> bool {
        let names = self.names.iter().chain([&self.dest]);
        let mut names = names.flat_map(|name| name.split(['-', '_']));
        names.any(|word| words.contains(&word))
    }

    /// What a switch is for the program.
    fn said<'r>(&self, is_given: bool) -> Value<'r> {
        let name = |is_on: bool| if is_on { "True" } else { "False" };
        let on = self.is_on.map(|is_on| name(is_on == is_given));
        on.map_or(Value::Unknown, |name| Value::Name(name.to_owned()))
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

/// A function that can be called from outside.
pub(super) struct Subcommand<'r> {
    pub(super) name: String,
    pub(super) function: Function<'r>,
    /// What is said of its arguments, apart from its own words.
    pub(super) declared: Vec<Declared<'r>>,
}

/// What a program declares of its arguments.
struct Grammar<'t> {
    declared: Vec<Declared<'t>>,
    /// The sub-commands that it has.
    commands: Vec<&'t str>,
    /// By what name it asks which one was given.
    asked_by: Option<&'t str>,
    /// What it keeps by a name for one of them.
    kept: Vec<(&'t str, &'t str, &'t str)>,
}

/// The values of all arguments that a program declares, by their names; `None` if it declares none.
pub(super) fn parsed<'r>(tokens: &[Token], args: &[Arg]) -> Option<Value<'r>> {
    let grammar = grammar(tokens);
    if grammar.declared.is_empty() && grammar.commands.is_empty() {
        return None;
    }
    let mut words = args.iter().filter(|arg| !arg.text.starts_with('-'));
    let command = words.find(|arg| grammar.commands.contains(&arg.text.as_str()));
    let is_active = |own: &&Declared<'_>| match (own.command, command) {
        (Some(of), Some(command)) => of == command.text,
        _ => true,
    };
    let declared: Vec<&Declared<'_>> = grammar.declared.iter().filter(is_active).collect();
    let args = args
        .iter()
        .filter(|arg| !command.is_some_and(|own| std::ptr::eq(*arg, own)));
    let mut pairs = values(&declared, args);
    let text = |text: &str| Value::Text(text.to_owned());
    let name = |name: &str| Value::Name(name.to_owned());
    if let Some(asked_by) = grammar.asked_by {
        let given = command.map_or_else(|| name("None"), |own| text(&own.text));
        pairs.push((text(asked_by), given));
    }
    let kept = grammar.kept.iter();
    let kept = kept.filter(|(of, ..)| command.is_some_and(|own| own.text == *of));
    pairs.extend(kept.map(|(_, key, value)| (text(key), name(value))));
    Some(Value::Pairs(pairs))
}

/// The values of these arguments, by their names.
pub(super) fn values<'a, 'r>(
    declared: &[&Declared<'_>],
    args: impl Iterator<Item = &'a Arg>,
) -> Vec<(Value<'r>, Value<'r>)> {
    let mut words: Vec<&Arg> = Vec::new();
    let mut given: Vec<(usize, &str)> = Vec::new();
    let mut switches: Vec<usize> = Vec::new();
    let mut all = args;
    while let Some(arg) = all.next() {
        let (name, attached) = match arg.text.split_once('=') {
            Some((name, value)) if name.starts_with('-') => (name, Some(value)),
            _ => (arg.text.as_str(), None),
        };
        let place = declared.iter().position(|own| own.is_called(name));
        match place.and_then(|place| Some((place, declared.get(place)?))) {
            Some((place, own)) if own.is_switch => switches.push(place),
            Some((place, _)) => {
                let value = attached.or_else(|| all.next().map(|arg| arg.text.as_str()));
                given.extend(value.map(|value| (place, value)));
            }
            None => words.push(arg),
        }
    }
    let only_tries = declared.iter().enumerate().any(|(place, own)| {
        let is_given = switches.contains(&place);
        let tries = own.is_called_by(TRYING);
        own.is_switch && (is_given && tries || !is_given && !tries && own.is_called_by(MEANING))
    });
    let mut words = words.into_iter();
    let pairs = declared.iter().enumerate().map(|(place, own)| {
        let text = |text: &str| Value::Text(text.to_owned());
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
            _ if own.is_switch => own.said(switches.contains(&place)),
            // What it does then is its own affair.
            _ if only_tries => Value::Unknown,
            Some(only) if values.is_empty() && !own.is_many => only,
            Some(last) => Value::List([values, vec![last]].concat()),
            None => Value::Unknown,
        };
        (text(&own.key()), value)
    });
    pairs.collect()
}

fn grammar(tokens: &[Token]) -> Grammar<'_> {
    let mut grammar = Grammar {
        declared: Vec::new(),
        commands: Vec::new(),
        asked_by: None,
        kept: Vec::new(),
    };
    // What the parser of a sub-command is called, at the place that is read.
    let mut parsers: Vec<(&str, &str)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let after = tokens.get(at + 1..).unwrap_or_default();
        let (Token::Name(name), [Token::Sign('('), given @ ..]) = (token, after) else {
            continue;
        };
        let (owner, method) = name.rsplit_once('.').unwrap_or(("", name));
        let of_owner = parsers.iter().rev().find(|(known, _)| *known == owner);
        let command = of_owner.map(|(_, command)| *command);
        match (method, given) {
            ("add_argument", given) => {
                let own = one(given);
                grammar.declared.push(Declared { command, ..own });
            }
            ("add_parser", [Token::Text(command), ..]) => {
                grammar.commands.push(command);
                let before = at.checked_sub(2).and_then(|at| tokens.get(at..at + 2));
                if let Some([Token::Name(parser), Token::Sign('=')]) = before {
                    parsers.push((parser, command));
                }
            }
            ("add_subparsers", given) => {
                let own = one(given);
                grammar.asked_by = Some(own.dest).filter(|dest| !dest.is_empty());
            }
            ("set_defaults", [Token::Name(key), Token::Sign('='), Token::Name(value), ..]) => {
                grammar
                    .kept
                    .extend(command.map(|command| (command, key.as_str(), value.as_str())));
            }
            _ => {}
        }
    }
    grammar
}

/// The words of one declaration, up to its bracket.
pub(super) fn one(tokens: &[Token]) -> Declared<'_> {
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
                        own.is_switch = !matches!(value.as_str(), "append" | "store");
                        own.is_on = match value.as_str() {
                            "store_true" => Some(true),
                            "store_false" => Some(false),
                            _ => None,
                        };
                        own.is_many |= value == "append";
                    }
                    _ => {}
                }
            }
            (Token::Name(name), [Token::Sign('='), Token::Name(value), ..]) => {
                match name.as_str() {
                    "is_flag" if value == "True" => {
                        own.is_switch = true;
                        own.is_on = Some(true);
                    }
                    "nargs" => own.is_many = true,
                    _ => {}
                }
            }
            // `nargs=-1`
            (Token::Name(name), [Token::Sign('='), Token::Sign('-'), ..]) if name == "nargs" => {
                own.is_many = true;
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
