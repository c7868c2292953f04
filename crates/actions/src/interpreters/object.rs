//! Classes that a Python program says, and what their objects keep: an object is its fields, and
//! the name of its class among them.

use super::program::Reader;
use super::tokens::Token;
use super::value::{Arguments, Class, Function, Value};

/// The field that names an object's class.
const CLASS: &str = "__class__";

/// Longest line of classes that one is made of.
const BASES_MAX: usize = 8;

impl<'r> Reader<'r, '_> {
    /// `class Name(Base):` with its body.
    pub(super) fn class(&mut self) {
        let indent = self.indent();
        let name = self.peek(1).and_then(Token::name).unwrap_or_default();
        self.at += 2;
        let mut bases = Vec::new();
        if self.is_sign(0, '(') {
            let end = self.behind(self.at);
            let inside = self.part(self.at, end);
            bases = inside.iter().filter_map(Token::name).collect();
            self.at = end;
        }
        let body = self.block(indent);
        self.run_tokens(body);
        let methods = body.windows(2).filter_map(|place| match place {
            [Token::Name(word), Token::Name(name)] if word == "def" => {
                match self.vars.get(name.as_str()) {
                    Some(Value::Function(function)) => Some((name.as_str(), function.clone())),
                    _ => None,
                }
            }
            _ => None,
        });
        let class = Class {
            name,
            bases,
            fields: fields(body),
            methods: methods.collect(),
        };
        self.classes.push(class);
    }

    fn class_named(&self, name: &str) -> Option<&Class<'r>> {
        self.classes.iter().rev().find(|class| class.name == name)
    }

    /// What a class of this name has, itself or from one that it is made of.
    fn inherited<T>(&self, name: &str, of: impl Fn(&Class<'r>) -> Option<T>) -> Option<T> {
        let mut names = vec![name];
        let mut at = 0;
        while at < names.len().min(BASES_MAX) {
            let class = names.get(at).and_then(|name| self.class_named(name));
            if let Some(found) = class.and_then(&of) {
                return Some(found);
            }
            names.extend(
                class
                    .into_iter()
                    .flat_map(|class| class.bases.iter().copied()),
            );
            at += 1;
        }
        None
    }

    fn method_of(&self, class: &str, method: &str) -> Option<Function<'r>> {
        self.inherited(class, |class| {
            let found = class.methods.iter().find(|(name, _)| *name == method);
            found.map(|(_, function)| function.clone())
        })
    }

    /// The object that a call of a class makes.
    pub(super) fn made_object(
        &mut self,
        name: &str,
        arguments: &Arguments<'r>,
    ) -> Option<Value<'r>> {
        let class = self.class_named(name)?.name;
        let own = (Value::Text(CLASS.to_owned()), Value::Name(class.to_owned()));
        let object = Value::Pairs(vec![own]);
        if let Some(init) = self.method_of(class, "__init__") {
            return Some(self.with_object(object, &init, arguments).1);
        }
        let fields = self.inherited(class, |class| {
            (!class.fields.is_empty()).then(|| class.fields.clone())
        });
        let mut object = object;
        for (index, (field, default)) in fields.unwrap_or_default().into_iter().enumerate() {
            let value = match arguments.named(&[field]) {
                Some(value) => value,
                None if index < arguments.list.len() => arguments.at(index),
                None if default.is_empty() => Value::Unknown,
                None => self.value_of(default),
            };
            set(&mut object, field, value);
        }
        match self.method_of(class, "__post_init__") {
            Some(after) => Some(self.with_object(object, &after, &Arguments::default()).1),
            None => Some(object),
        }
    }

    /// Calls a method of an object: what it gives, and the object as it is then.
    fn with_object(
        &mut self,
        object: Value<'r>,
        method: &Function<'r>,
        arguments: &Arguments<'r>,
    ) -> (Value<'r>, Value<'r>) {
        let outside = self.vars.insert("self".to_owned(), object);
        let given = self.call_function(method, arguments);
        let after = self.vars.remove("self").unwrap_or(Value::Unknown);
        if let Some(outside) = outside {
            self.vars.insert("self".to_owned(), outside);
        }
        (given, after)
    }

    /// A method of an object: what it gives, and the object as it is then.
    pub(super) fn object_method(
        &mut self,
        object: &Value<'r>,
        method: &str,
        arguments: &Arguments<'r>,
    ) -> Option<(Value<'r>, Value<'r>)> {
        let function = self.method_of(class_of(object)?, method)?;
        Some(self.with_object(object.clone(), &function, arguments))
    }

    /// An object is another now, by whatever name it goes.
    pub(super) fn changed_object(&mut self, before: &Value<'r>, after: &Value<'r>) {
        if class_of(before).is_none() || before == after {
            return;
        }
        for value in self.vars.values_mut() {
            if value == before {
                *value = after.clone();
            }
        }
    }

    /// A method has changed the object that it was called on, by this name.
    pub(super) fn changed_by(&mut self, name: &str, before: &Value<'r>, after: Value<'r>) {
        self.changed_object(before, &after);
        if name.contains('.') {
            self.give(name, after);
        }
    }

    /// Gives a variable a value, or an object's field.
    pub(super) fn give(&mut self, name: &str, value: Value<'r>) {
        if let Some((owner, field)) = name.split_once('.')
            && let Some(object) = self.vars.get_mut(owner)
            && class_of(object).is_some()
        {
            let before = object.clone();
            set(object, field, value);
            let after = object.clone();
            return self.changed_object(&before, &after);
        }
        self.vars.insert(name.to_owned(), value);
    }
}

/// The class of a value that is an object.
fn class_of<'v>(value: &'v Value<'_>) -> Option<&'v str> {
    let Value::Pairs(fields) = value else {
        return None;
    };
    match fields.first()? {
        (Value::Text(key), Value::Name(class)) if key == CLASS => Some(class),
        _ => None,
    }
}

fn set<'r>(object: &mut Value<'r>, field: &str, value: Value<'r>) {
    let Value::Pairs(fields) = object else {
        return;
    };
    let key = Value::Text(field.to_owned());
    match fields.iter_mut().find(|(own, _)| *own == key) {
        Some((_, own)) => *own = value,
        None => fields.push((key, value)),
    }
}

/// `root: str`, `root: str = "x"`: what a class says of its objects, line by line.
fn fields(body: &[Token]) -> Vec<(&str, &[Token])> {
    let is_line = |token: &Token| matches!(token, Token::Line(_));
    let own = body.iter().find_map(|token| match token {
        Token::Line(indent) => Some(*indent),
        _ => None,
    });
    let mut fields = Vec::new();
    for (at, token) in body.iter().enumerate() {
        let line = body.get(at + 1..).unwrap_or_default();
        let end = line.iter().position(is_line).unwrap_or(line.len());
        let line = line.get(..end).unwrap_or_default();
        match (token, line) {
            (Token::Line(indent), [Token::Name(name), Token::Sign(':'), kind @ ..])
                if Some(*indent) == own && !kind.is_empty() =>
            {
                let equals = kind.iter().position(|token| *token == Token::Sign('='));
                let default = equals.and_then(|at| kind.get(at + 1..)).unwrap_or_default();
                fields.push((name.as_str(), default));
            }
            _ => {}
        }
    }
    fields
}
