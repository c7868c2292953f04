//! Imports: what a program calls a module or its members. What its own modules call theirs is read
//! where they are imported.

use super::beside::place_of;
use super::binding::canonical;
use super::language::Kind;
use super::program::Reader;
use super::tokens::Token;
use super::value::Value;
use std::collections::BTreeMap;
use text::path;

/// What a module of JavaScript gives.
const EXPORTS: &str = "module.exports";

impl<'r> Reader<'r, '_> {
    /// What a module of the program's own gives, by its names; `None` if it is none.
    pub(super) fn own_module(&mut self, module: &str) -> Option<Value<'r>> {
        let kind = self.language.kind;
        let file = match self.given.file {
            Some(file) => file.to_owned(),
            None => path::join(self.world.cwd()?, "-"),
        };
        let place = place_of(module, &file, kind)?;
        let modules = self.modules;
        let own = modules.iter().find(|module| module.path == place)?;
        if let Some((_, names)) = self.imported.iter().find(|(path, _)| *path == place) {
            return Some(names.clone());
        }
        // One that imports the other gets what there is so far.
        self.imported
            .push((place.clone(), Value::Pairs(Vec::new())));
        let outside = std::mem::take(&mut self.vars);
        let program = self.given.file.replace(&own.path);
        self.is_module = true;
        let known = self.functions.len();
        self.run_tokens(&own.tokens);
        // What nobody calls of it does nothing.
        let uncalled = self.functions.get(known..).unwrap_or_default();
        self.called
            .extend(uncalled.iter().map(|function| function.at));
        self.given.file = program;
        self.is_module = program.is_some_and(|file| modules.iter().any(|own| own.path == file));
        let names = std::mem::replace(&mut self.vars, outside);
        let names = given_by(names);
        if let Some((_, own)) = self.imported.iter_mut().find(|(path, _)| *path == place) {
            *own = names.clone();
        }
        Some(names)
    }

    /// The tokens of all modules of the program's own.
    pub(super) fn module_tokens(&self) -> impl Iterator<Item = &'r [Token]> {
        let modules = self.modules;
        modules.iter().map(|module| module.tokens.as_slice())
    }

    /// A member of a module of the program's own; else what goes by its full name.
    pub(super) fn member_of_module(&mut self, module: &str, name: &str) -> Value<'r> {
        let own = self.own_module(module);
        let member = own.map(|own| own.of_key(&Value::Text(name.to_owned())));
        let member = member.filter(|member| *member != Value::Unknown);
        member.unwrap_or_else(|| Value::Name(format!("{}.{name}", canonical(module))))
    }

    /// `import a.b as c, d`, `import x, {y as z} from 'm'`
    pub(super) fn import(&mut self) {
        let start = self.at;
        self.at += 1;
        if self.language.kind != Kind::Python {
            self.skip_line();
            let tokens = self.part(start + 1, self.at);
            if let Some(Token::Text(module)) = tokens.iter().rfind(|token| token.text().is_some()) {
                match (self.data_module(module), tokens.first()) {
                    (Some(data), Some(Token::Name(name))) => {
                        self.vars.insert(name.clone(), data);
                    }
                    _ => self.import_names(tokens, module),
                }
            }
            return;
        }
        while let Some(Token::Name(module)) = self.peek(0) {
            self.at += 1;
            let alias = self.alias();
            match (self.own_module(module), alias) {
                (Some(own), alias) => {
                    self.vars
                        .insert(alias.unwrap_or_else(|| module.clone()), own);
                }
                (None, Some(alias)) => {
                    self.vars.insert(alias, Value::Name(module.clone()));
                }
                (None, None) => {}
            }
            if !self.is_sign(0, ',') {
                return;
            }
            self.at += 1;
        }
    }

    /// The clauses of an import of a JavaScript module, or a pattern that takes one apart.
    pub(super) fn import_names(&mut self, tokens: &'r [Token], spelled: &str) {
        let module = &canonical(spelled);
        let mut in_braces = false;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                Token::Sign('{') => in_braces = true,
                Token::Sign('}') => in_braces = false,
                Token::Name(word) if matches!(word.as_str(), "from" | "as" | "type") => {}
                Token::Name(name) => {
                    let is_renamed = match tokens.get(at + 1) {
                        Some(Token::Name(word)) => word == "as",
                        Some(Token::Sign(sign)) => *sign == ':',
                        _ => false,
                    };
                    let alias = match tokens.get(at + 2) {
                        Some(Token::Name(alias)) if is_renamed => {
                            at += 2;
                            alias
                        }
                        _ => name,
                    };
                    let value = match in_braces {
                        true if name != "promises" && name != "default" => {
                            self.member_of_module(spelled, name)
                        }
                        _ => {
                            let own = self.own_module(spelled);
                            own.unwrap_or_else(|| Value::Name(module.to_owned()))
                        }
                    };
                    self.vars.insert(alias.clone(), value);
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// `from a.b import c as d, e`
    pub(super) fn import_from(&mut self) {
        let module = self.peek(1).and_then(Token::name).unwrap_or_default();
        self.at += 3;
        let in_brackets = self.is_sign(0, '(');
        while let Some(token) = self.peek(0) {
            match token {
                Token::Sign(')') => break,
                Token::Line(_) if in_brackets => {}
                token if token.is_end() => break,
                Token::Sign('*') => match self.own_module(module) {
                    Some(Value::Pairs(all)) => {
                        let names = all.into_iter();
                        let names = names.map(|(name, value)| (name.text(), value));
                        self.vars.extend(names);
                    }
                    _ => self.open_modules.push(module.to_owned()),
                },
                Token::Name(name) => {
                    self.at += 1;
                    let alias = self.alias().unwrap_or_else(|| name.clone());
                    let member = self.member_of_module(module, name);
                    self.vars.insert(alias, member);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

/// What a module gives: what it says that it exports, or all that it calls its own.
fn given_by(mut names: BTreeMap<String, Value<'_>>) -> Value<'_> {
    if let Some(all @ Value::Pairs(_)) = names.remove(EXPORTS) {
        return all;
    }
    let pairs = names.into_iter().map(|(name, value)| {
        let own = name.strip_prefix(EXPORTS).unwrap_or(&name);
        let own = own.strip_prefix("exports").unwrap_or(own);
        (Value::Text(own.trim_start_matches('.').to_owned()), value)
    });
    Value::Pairs(pairs.collect())
}

/// The word by which a program asks whether it is started itself.
pub(super) fn called<'r>(is_module: bool) -> Value<'r> {
    let name = if is_module { "module" } else { "__main__" };
    Value::Text(name.to_owned())
}
