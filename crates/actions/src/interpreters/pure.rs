//! Names, and calls that only make values: paths, texts put together, arguments, environment.

use super::arguments::parsed;
use super::binding::canonical;
use super::calls::{EVALUATING, GLOBS, NAMES, PASSING, PATHS, WALKS, effect_of, fits, is_one_of};
use super::language::Kind;
use super::modules::called;
use super::named::{
    ARGUMENTS, CALLING, DIRS, ENVIRONMENTS, FILES, HERE, HOME, INPUTS, MEMBERS, MODULES, TEMPORARY,
};
use super::program::Reader;
use super::value::{Arguments, Value, joined_list, part_of_path};
use crate::{Arg, Input};
use text::{glob, path};

/// Deepest dots in a name.
const DOTS_MAX: usize = 32;

/// Most lines of input that a program is taken through.
const LINES_MAX: usize = 32;

impl<'r> Reader<'r, '_> {
    /// What a dotted name stands for.
    pub(super) fn resolve(&self, name: &str) -> Value<'r> {
        self.resolve_within(name, DOTS_MAX)
    }

    fn resolve_within(&self, name: &str, dots: usize) -> Value<'r> {
        if let Some(value) = self.vars.get(name) {
            return value.clone();
        }
        if let Some(value) = self.special(name) {
            return value;
        }
        match name.rsplit_once('.') {
            Some((head, last)) if !head.is_empty() && dots > 0 => {
                let base = self.resolve_within(head, dots - 1);
                self.property(&base, last)
            }
            _ => Value::Name(canonical(name)),
        }
    }

    /// Names that a language or its library gives a meaning.
    fn special(&self, name: &str) -> Option<Value<'r>> {
        if ARGUMENTS.contains(&name) {
            return Some(self.given_arguments(name));
        }
        if INPUTS.contains(&name) {
            return Some(self.input_lines());
        }
        let file = self.given.file.map(str::to_owned);
        if FILES.contains(&name) {
            return Some(file.map_or(Value::Unknown, Value::Path));
        }
        if DIRS.contains(&name) {
            let here = || self.world.cwd().map(str::to_owned);
            let dir = file
                .map(|file| path::parent(&file).to_owned())
                .or_else(here);
            return Some(dir.map_or(Value::Unknown, Value::Path));
        }
        match name {
            "__name__" => Some(called(self.is_module)),
            "os.sep" | "path.sep" => Some(Value::Text("/".to_owned())),
            "sys.executable" => Some(Value::Text(self.invocation.program.clone())),
            _ => None,
        }
    }

    /// The arguments as the language counts them.
    fn given_arguments(&self, name: &str) -> Value<'r> {
        let Some(args) = self.given.args else {
            return Value::Unknown;
        };
        let args = args.iter().map(value_of_arg);
        let before = match (name, self.given.file) {
            ("ARGV" | "Deno.args", _) => 0,
            ("process.argv", Some(_)) => 2,
            _ => 1,
        };
        let before = std::iter::repeat_n(Value::Unknown, before);
        Value::List(before.chain(args).collect())
    }

    /// The lines that come in.
    pub(super) fn input_lines(&self) -> Value<'r> {
        match &self.invocation.input {
            Input::Text(text) if text.is_known() || text.glob => {
                let lines = text.text.lines().take(LINES_MAX);
                // What a listing's glob matches stands in its lines.
                let value = |line: &str| match text.glob && glob::is_glob(line) {
                    true => Value::Pattern(line.to_owned()),
                    false => Value::Text(line.to_owned()),
                };
                Value::List(lines.map(value).collect())
            }
            _ => Value::Unknown,
        }
    }

    fn variable_of_environment(&self, name: &str) -> Value<'r> {
        if let Some(value) = self.invocation.var(name) {
            return value_of_arg(value);
        }
        let known = self.world.place.var(name);
        known.map_or(Value::Unknown, |value| Value::Text(value.to_owned()))
    }

    /// A member of a value that is not called.
    pub(super) fn property(&self, value: &Value<'r>, name: &str) -> Value<'r> {
        value.map(&mut |value| match value {
            Value::Name(full) if ENVIRONMENTS.contains(&full.as_str()) => {
                self.variable_of_environment(name)
            }
            // `vars(os)["remove"]`, `os.__dict__["remove"]`
            Value::Name(_) if name == "__dict__" => value.clone(),
            Value::Name(full) => Value::Name(canonical(&format!("{full}.{name}"))),
            Value::Pairs(_) => value.of_key(&Value::Text(name.to_owned())),
            value => part_of_path(value, name),
        })
    }

    /// Whether a full name is a call that means something here.
    pub(super) fn is_call(&self, name: &str) -> bool {
        let pure = [GLOBS, NAMES, PATHS, TEMPORARY, EVALUATING];
        effect_of(name, self.language.kind).is_some()
            || pure.iter().any(|names| is_one_of(name, names))
            || matches!(
                name,
                "grep" | "join" | "keys" | "map" | "require" | "shift" | "sort" | "values"
            )
    }

    /// Whether a name is a call, or a module of which one may be asked for.
    fn may_be_called(&self, name: &str) -> bool {
        self.is_call(name) || name == "os"
    }

    /// A call by the name that stands in the program.
    pub(super) fn call_by_name(&mut self, name: &str, arguments: &Arguments<'r>) -> Value<'r> {
        if let Some(value) = self.vars.get(name).cloned() {
            return self.call(&value, arguments);
        }
        if let Some(value) = self.sent(name, arguments) {
            return value;
        }
        let Some((head, last)) = name.rsplit_once('.') else {
            return self.call(&Value::Name(name.to_owned()), arguments);
        };
        let owner = self.resolve(head);
        if let Some((given, after)) = self.object_method(&owner, last, arguments) {
            self.changed_by(head, &owner, after);
            return given;
        }
        if matches!(head, "self" | "this" | "cls")
            && let Some(function @ Value::Function(_)) = self.vars.get(last).cloned()
        {
            return self.call(&function, arguments);
        }
        match owner.of_key(&Value::Text(last.to_owned())) {
            function @ Value::Function(_) => return self.call(&function, arguments),
            Value::Name(name) => {
                let own = self.vars.get(&name).cloned();
                return self.call(&own.unwrap_or(Value::Name(name)), arguments);
            }
            _ => {}
        }
        match owner {
            // `fs.unlinkSync.call(null, "x")`
            Value::Name(ref name) if CALLING.contains(&last) && self.may_be_called(name) => {
                self.method(&owner, last, arguments)
            }
            Value::Name(module) => {
                let full = canonical(&format!("{module}.{last}"));
                self.call(&Value::Name(full), arguments)
            }
            _ => self.changed(head, last, arguments),
        }
    }

    /// A method of a variable's value; what adds to a list adds to the variable.
    fn changed(&mut self, variable: &str, method: &str, arguments: &Arguments<'r>) -> Value<'r> {
        let value = self.resolve(variable);
        if let Value::List(all) = &value
            && matches!(method, "append" | "push" | "extend" | "add" | "concat")
        {
            let mut all = all.clone();
            let added = arguments.list.iter();
            match method {
                "append" | "push" | "add" => all.extend(added.cloned()),
                _ => all.extend(added.flat_map(Value::flattened)),
            }
            self.give(variable, Value::List(all.clone()));
            return Value::List(all);
        }
        self.method(&value, method, arguments)
    }

    /// A call that only makes a value.
    pub(super) fn pure_call(&mut self, name: &str, arguments: &Arguments<'r>) -> Option<Value<'r>> {
        let first = arguments.at(0);
        if MODULES.contains(&name) || is_one_of(name, &["importlib.import_module"]) {
            return match &first {
                Value::Text(module) => {
                    let own = self.data_module(module).or_else(|| self.own_module(module));
                    Some(own.unwrap_or_else(|| Value::Name(canonical(module))))
                }
                _ => None,
            };
        }
        if name == "vars" && matches!(first, Value::Name(_)) {
            return Some(first);
        }
        if is_one_of(name, MEMBERS) {
            return Some(match (&first, arguments.at(1)) {
                (owner, Value::Text(member)) => self.property(owner, &member),
                (Value::Name(owner), _) => Value::Name(format!("{owner}.{}", Arg::HOLE)),
                _ => Value::Unknown,
            });
        }
        let made = self.temporary(name);
        if let Some(made) = made.or_else(|| self.whole_moment(name, &first)) {
            return Some(made);
        }
        if is_one_of(name, HERE) {
            let here = self.world.cwd().map(str::to_owned);
            return Some(here.map_or(Value::Unknown, Value::Path));
        }
        if is_one_of(name, HOME) {
            return Some(Value::Path(self.world.place.home.clone()));
        }
        let is_tiny = self.language.kind == Kind::Perl && matches!(name, "dir" | "file" | "path");
        if (is_tiny || is_one_of(name, PATHS)) && !arguments.list.is_empty() {
            let turned = arguments.turned_if(name.ends_with("expand_path"));
            return Some(self.path_of(turned.as_ref().unwrap_or(arguments)));
        }
        if is_one_of(name, GLOBS) {
            return Some(self.globbed(&arguments.list));
        }
        if is_one_of(name, NAMES) {
            let is_php = self.language.kind == Kind::Php;
            return Some(names_in(name, arguments, is_php));
        }
        if is_one_of(name, WALKS) {
            let root = first.joined("/", &Value::Pattern("**".to_owned()));
            let all = || Value::Pattern("*".to_owned());
            return Some(Value::List(vec![Value::List(vec![root, all(), all()])]));
        }
        self.small_call(name, arguments)
    }

    fn small_call(&mut self, name: &str, arguments: &Arguments<'r>) -> Option<Value<'r>> {
        let first = arguments.at(0);
        let last_name = name.rsplit('.').next().unwrap_or_default();
        if ENVIRONMENTS
            .iter()
            .any(|owner| fits(name, &format!("{owner}.get")))
            || last_name == "getenv"
        {
            let Value::Text(key) = &first else {
                return Some(Value::Unknown);
            };
            let value = self.variable_of_environment(key);
            let default = arguments.list.get(1).cloned();
            return Some(if value.is_unknown() {
                default.unwrap_or(value)
            } else {
                value
            });
        }
        if is_one_of(name, PASSING) && !arguments.list.is_empty() {
            return Some(first);
        }
        match last_name {
            "URL" => Some(
                self.property(&arguments.at(1), "parent")
                    .joined("/", &first),
            ),
            "basename" => Some(self.property(&first, "name")),
            "dirname" => Some(self.property(&first, "parent")),
            "chr" | "fromCharCode" => Some(characters(&arguments.list)),
            "enumerate" | "each_with_index" => {
                let pair = Value::List(vec![Value::Unknown, first.elements()]);
                Some(Value::List(vec![pair]))
            }
            "format" | "sprintf" => {
                let rest = arguments.list.get(1..).unwrap_or_default();
                Some(self.formatted(&first, rest))
            }
            "shift" => Some(self.shifted()),
            "parse_args" => parsed(self.tokens, self.given.args?),
            "input" | "gets" | "readline" => Some(self.input_lines().elements()),
            "entries" | "keys" | "values" if matches!(first, Value::Pairs(_)) => {
                first.part_of_pairs(last_name)
            }
            // Each of them as a path, or as a text: they stay what they are.
            "map" if stays(&first) => arguments.list.get(1).cloned(),
            "zip" => Some(first.zipped(arguments.list.get(1..)?)),
            "sort" | "keys" | "uniq" => Some(Value::List(
                arguments.list.iter().flat_map(Value::flattened).collect(),
            )),
            _ => None,
        }
    }

    /// Perl: the first argument, which is taken away.
    fn shifted(&mut self) -> Value<'r> {
        let name = match self.vars.get("_") {
            Some(Value::List(_)) => "_",
            _ => "ARGV",
        };
        let mut all = match self.resolve(name) {
            Value::List(all) => all,
            _ => return Value::Unknown,
        };
        if all.is_empty() {
            return Value::Unknown;
        }
        let first = all.remove(0);
        self.vars.insert(name.to_owned(), Value::List(all));
        first
    }

    fn path_of(&mut self, arguments: &Arguments<'r>) -> Value<'r> {
        let mut parts = arguments.list.iter().flat_map(Value::flattened);
        let mut whole = parts.next().unwrap_or(Value::Unknown);
        for part in parts {
            // Callbacks and options are no parts of a path.
            if !matches!(part, Value::Function(_)) {
                whole = whole.joined("/", &part);
            }
        }
        let home = self.world.place.home.clone();
        let whole = whole.map(&mut |one| match one {
            Value::Text(text) | Value::Path(text) if text == "~" || text.starts_with("~/") => {
                Value::Path(format!("{home}{}", text.get(1..).unwrap_or_default()))
            }
            other => other.clone(),
        });
        whole.into_path()
    }

    /// A text with values put in where it says so.
    pub(super) fn formatted(&mut self, text: &Value<'r>, given: &[Value<'r>]) -> Value<'r> {
        let Value::Text(text) = text else {
            return Value::Unknown;
        };
        let mut value = Value::Text(String::new());
        let mut rest = text.as_str();
        let mut given = given.iter();
        while let Some(at) = rest.find(['{', '%']) {
            let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
            let is_percent = after.starts_with('%');
            let end = match is_percent {
                true => after
                    .find(|c: char| c.is_ascii_alphabetic())
                    .map(|end| end + 1),
                false => after.find('}').map(|end| end + 1),
            };
            let Some(end) = end else {
                break;
            };
            let unknown = Value::Text(Arg::HOLE.to_string());
            let part = given.next().filter(|part| **part != Value::Unknown);
            value = value.joined("", &Value::Text(before.to_owned()));
            let has_form = !is_percent && after.get(..end).is_some_and(|it| it.contains(':'));
            let part = match part {
                Some(part) if has_form => &part.clone().in_form(),
                part => part.unwrap_or(&unknown),
            };
            value = value.joined("", part);
            rest = after.get(end..).unwrap_or_default();
        }
        value.joined("", &Value::Text(rest.to_owned()))
    }

    /// A method that only makes a value.
    pub(super) fn pure_method(
        &mut self,
        value: &Value<'r>,
        method: &str,
        arguments: &Arguments<'r>,
    ) -> Option<Value<'r>> {
        let first = arguments.at(0);
        let below = |pattern: &str| Value::Pattern(pattern.to_owned());
        Some(match (value, method) {
            (Value::Pairs(_), _) => return value.part_of_pairs(method),
            (Value::Text(_), "format") => self.formatted(value, &arguments.list),
            (Value::Text(text), "split") => Value::List(split(text, &first)),
            (Value::List(_), "join") => joined_list(value, &first),
            (Value::List(_) | Value::Text(_), "slice" | "substring") => {
                value.sliced(&first, &arguments.at(1))
            }
            (Value::Text(_), "join") if matches!(first, Value::List(_)) => {
                joined_list(&first, value)
            }
            (Value::Text(text), "replace") if arguments.list.len() >= 2 => {
                match (&first, arguments.at(1)) {
                    (Value::Text(from), Value::Text(to)) => {
                        Value::Text(text.replace(from.as_str(), &to))
                    }
                    _ => Value::Unknown,
                }
            }
            (Value::Text(_) | Value::Path(_) | Value::List(_), "concat") => {
                value.joined("", &first)
            }
            (Value::Text(text), "lower" | "toLowerCase" | "downcase") => {
                Value::Text(text.to_lowercase())
            }
            (Value::Text(text), "strip" | "trim" | "rstrip" | "chomp" | "lstrip") => {
                Value::Text(text.trim().to_owned())
            }
            (Value::Text(text), "splitlines" | "lines") => Value::List(
                text.lines()
                    .map(|line| Value::Text(line.to_owned()))
                    .collect(),
            ),
            (
                Value::Text(_) | Value::Path(_),
                "encode" | "decode" | "toString" | "to_s" | "as_posix" | "resolve" | "absolute"
                | "toFile" | "toPath" | "__str__" | "cleanpath",
            ) => value.clone(),
            (Value::Text(_) | Value::Path(_), "expanduser") => {
                self.path_of(&Arguments::of(vec![value.clone()]))
            }
            (
                Value::Pattern(_) | Value::List(_),
                "strip" | "trim" | "sort" | "sorted" | "reverse" | "to_a" | "toList" | "resolve"
                | "absolute" | "as_posix" | "read" | "readlines" | "split" | "splitlines",
            ) => value.clone(),
            (
                Value::Path(_) | Value::Text(_),
                "iterdir" | "children" | "each_child" | "listFiles",
            ) => value.joined("/", &below("*")),
            (Value::Path(_), "glob") => value.joined("/", &pattern_of(&first)),
            (Value::Path(_), "rglob") => value
                .joined("/", &below("**"))
                .joined("/", &pattern_of(&first)),
            (Value::Path(_) | Value::Pattern(_), "joinpath" | "join" | "resolveSibling") => {
                let mut all = vec![value.clone()];
                all.extend(arguments.list.iter().cloned());
                self.path_of(&Arguments::of(all))
            }
            (Value::Path(_), "with_name") => part_of_path(value, "parent").joined("/", &first),
            (Value::Path(_), "with_suffix") => {
                let name = part_of_path(value, "stem").joined("", &first);
                part_of_path(value, "parent").joined("/", &name)
            }
            _ => return None,
        })
    }
}

/// An argument of the program.
fn value_of_arg<'r>(arg: &Arg) -> Value<'r> {
    if arg.glob && arg.is_known() {
        Value::Pattern(arg.text.clone())
    } else {
        Value::Text(arg.text.clone())
    }
}

fn pattern_of<'r>(value: &Value<'r>) -> Value<'r> {
    match value {
        Value::Text(text) => Value::Pattern(text.clone()),
        _ => Value::Pattern("*".to_owned()),
    }
}

/// Names, or paths, of what is in a directory.
fn names_in<'r>(name: &str, arguments: &Arguments<'r>, is_php: bool) -> Value<'r> {
    let all = Value::Pattern("*".to_owned());
    // PHP's gives names.
    let gives_paths =
        fits(name, "scandir") && !is_php || arguments.named(&["full.names"]).is_some();
    let pattern = match arguments.named(&["pattern"]) {
        Some(_) => Value::Unknown,
        None => all,
    };
    match arguments.list.first() {
        Some(dir) if gives_paths => dir.joined("/", &pattern),
        _ => pattern,
    }
}

fn characters<'r>(numbers: &[Value<'r>]) -> Value<'r> {
    let mut text = String::new();
    for number in numbers.iter().flat_map(Value::alternatives) {
        let code = match &number {
            Value::Number(number) => number.parse().ok(),
            _ => None,
        };
        match code.and_then(char::from_u32) {
            Some(letter) => text.push(letter),
            None => return Value::Unknown,
        }
    }
    Value::Text(text)
}

fn split<'r>(text: &str, between: &Value<'r>) -> Vec<Value<'r>> {
    let part = |part: &str| Value::Text(part.to_owned());
    match between {
        Value::Text(between) if !between.trim().is_empty() => {
            text.split(between.as_str()).map(part).collect()
        }
        _ => text.split_whitespace().map(part).collect(),
    }
}

/// Whether a function makes a path or a text of what it is given.
fn stays(function: &Value<'_>) -> bool {
    matches!(function, Value::Name(name) if is_one_of(name, PATHS) || is_one_of(name, PASSING))
}
