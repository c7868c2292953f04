//! Functions that a Python program offers as commands of its own (click, typer): which of them its
//! arguments call, and with what.

use super::arguments::{Declared, Subcommand, one, values};
use super::program::Reader;
use super::tokens::Token;
use super::value::{Arguments, Function, Param, Value};
use crate::Arg;

impl<'r> Reader<'r, '_> {
    /// `@cli.command("x")` above a function.
    pub(super) fn decorator(&mut self) {
        let start = self.at + 1;
        self.at = start;
        self.value();
        self.decorators.push(self.part(start, self.at));
    }

    /// Keeps a function in mind that what stands above it makes a command.
    pub(super) fn note_subcommand(&mut self, name: &str, function: &Function<'r>) {
        let decorators = std::mem::take(&mut self.decorators);
        let mut own = None;
        let mut declared = Vec::new();
        for decorator in decorators {
            let [Token::Name(called), given @ ..] = decorator else {
                continue;
            };
            let given = given.get(1..).unwrap_or_default();
            match called.rsplit('.').next().unwrap_or_default() {
                "command" => {
                    let named = match given {
                        [Token::Text(name), ..] => name.clone(),
                        _ => name.replace('_', "-"),
                    };
                    own = Some(named);
                }
                "option" | "argument" => declared.push(one(given)),
                _ => {}
            }
        }
        if let Some(name) = own {
            self.subcommands.push(Subcommand {
                name,
                function: function.clone(),
                declared,
            });
        }
    }

    /// Calls the command that the arguments name, if nobody did; what others do is not done.
    pub(super) fn call_subcommand(&mut self) {
        let (Some((at, rest)), false) = (self.named_subcommand(), self.subcommands.is_empty())
        else {
            return;
        };
        let functions = self.subcommands.iter().map(|own| own.function.clone());
        let functions: Vec<Function<'r>> = functions.collect();
        let Some(function) = functions.get(at) else {
            return;
        };
        let is_called = self.called.contains(&function.at);
        let others = functions.iter().map(|function| function.at);
        self.called.extend(others);
        if !is_called {
            let arguments = self.given_to(at, &rest);
            self.call_function(function, &arguments);
        }
    }

    /// What a command is given that the program calls itself, without a word.
    pub(super) fn arguments_of(&self, function: &Function<'r>) -> Option<Arguments<'r>> {
        let (at, rest) = self.named_subcommand()?;
        let own = self.subcommands.get(at)?;
        (own.function.at == function.at).then(|| self.given_to(at, &rest))
    }

    /// The command that the arguments name, or the only one, and the other arguments.
    fn named_subcommand(&self) -> Option<(usize, Vec<Arg>)> {
        let args = self.given.args?;
        let of = |arg: &Arg| self.subcommands.iter().position(|own| own.name == arg.text);
        let found = args
            .iter()
            .enumerate()
            .find_map(|(at, arg)| Some((at, of(arg)?)));
        match found {
            Some((word, at)) => Some((at, args.get(word + 1..)?.to_vec())),
            None if self.subcommands.len() == 1 => Some((0, args.to_vec())),
            None => None,
        }
    }

    fn given_to(&self, at: usize, args: &[Arg]) -> Arguments<'r> {
        let Some(own) = self.subcommands.get(at) else {
            return Arguments::default();
        };
        let by_words: Vec<Declared<'r>> = match own.declared.is_empty() {
            true => own.function.params.iter().map(of_param).collect(),
            false => Vec::new(),
        };
        let declared: Vec<&Declared<'r>> = own.declared.iter().chain(&by_words).collect();
        let named = values(&declared, args.iter())
            .into_iter()
            .filter_map(|(key, value)| {
                let mut params = own.function.params.iter();
                let param = params.find(|param| Value::Text(param.name.to_owned()) == key)?;
                Some((param.name, value))
            });
        Arguments {
            named: named
                .filter(|(_, value)| *value != Value::Unknown)
                .collect(),
            ..Arguments::default()
        }
    }
}

/// An argument that a function's own words declare: an option, if there is something that it is
/// without.
fn of_param<'r>(param: &Param<'r>) -> Declared<'r> {
    match param.default {
        [] => Declared::word(param.name),
        [Token::Name(name), Token::Sign('('), given @ ..] => {
            let mut own = one(given);
            own.default = own
                .names
                .iter()
                .copied()
                .find(|name| !name.starts_with('-'));
            own.names.retain(|name| name.starts_with('-'));
            if name.ends_with("Argument") {
                own.names = vec![param.name];
                return own;
            }
            own.or_called(param.name)
        }
        [Token::Name(word)] if matches!(word.as_str(), "True" | "False") => {
            Declared::switch(param.name, word == "False")
        }
        [Token::Text(text)] => {
            let mut own = Declared::option(param.name);
            own.default = Some(text);
            own
        }
        _ => Declared::option(param.name),
    }
}
