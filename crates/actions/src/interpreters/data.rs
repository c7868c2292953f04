//! What files hold that a program reads: data by their keys, texts by their lines. Only what a
//! program makes paths of is looked at, and only if the whole file can be read here.

use super::calls::is_one_of;
use super::program::Reader;
use super::value::{Arguments, Value};
use text::data::Data;
use text::path;

/// Most lines of a file that are told apart.
const LINES_MAX: usize = 64;

/// Calls that make data of a text, or of an open file.
const OF_TEXT: &[&str] = &[
    "JSON.load",
    "JSON.parse",
    "YAML.load",
    "YAML.parse",
    "YAML.safe_load",
    "json.load",
    "json.loads",
    "json_decode",
    "parse_json",
    "yaml.full_load",
    "yaml.load",
    "yaml.parse",
    "yaml.safe_load",
    "yaml.unsafe_load",
];

/// Calls that make data of the file that they are given by name.
const OF_FILE: &[&str] = &[
    "JSON.load_file",
    "YAML.load_file",
    "YAML.safe_load_file",
    "fs.readJSON",
    "fs.readJSONSync",
    "fs.readJson",
    "fs.readJsonSync",
    "readJsonFile",
];

/// Ends of names of modules that are data.
const MODULES: &[&str] = &[".json", ".yaml", ".yml"];

impl<'r> Reader<'r, '_> {
    /// What a call makes of a text or file of data; `None` if it makes none, or that is not known.
    pub(super) fn data_of_call(
        &mut self,
        name: &str,
        arguments: &Arguments<'r>,
    ) -> Option<Value<'r>> {
        let text = match arguments.at(0) {
            Value::Text(text) | Value::Path(text) if is_one_of(name, OF_FILE) => {
                self.content(&text)?
            }
            _ if !is_one_of(name, OF_TEXT) => return None,
            Value::Text(text) => text,
            Value::Content(path) => self.content(&path)?,
            Value::File(path) => self.content(&path.text())?,
            _ => return None,
        };
        Data::read(&text).map(|data| value_of(&data))
    }

    /// What a module is that is a file of data beside the program.
    pub(super) fn data_module(&mut self, module: &str) -> Option<Value<'r>> {
        if !module.starts_with('.') || !MODULES.iter().any(|end| module.ends_with(end)) {
            return None;
        }
        let dir = path::parent(self.given.file?);
        let text = self.content(&path::join(dir, module))?;
        Data::read(&text).map(|data| value_of(&data))
    }

    /// The same, but the lines of a file where it is one whose text is known.
    pub(super) fn with_lines(&mut self, value: &Value<'r>) -> Value<'r> {
        let path = match value {
            Value::Content(path) => path.clone(),
            Value::File(path) => path.text(),
            _ => return value.clone(),
        };
        let Some(text) = self.content(&path) else {
            return value.clone();
        };
        let lines: Vec<Value<'r>> = text
            .lines()
            .map(|line| Value::Text(line.to_owned()))
            .collect();
        match lines.len() {
            0..=LINES_MAX => Value::List(lines),
            _ => value.clone(),
        }
    }

    /// What a method that goes on with what a file holds makes of it, where that is known.
    pub(super) fn method_of_content(
        &mut self,
        path: &str,
        method: &str,
        arguments: &Arguments<'r>,
    ) -> Option<Value<'r>> {
        const TAKING: &[&str] = &[
            "chomp",
            "decode",
            "lines",
            "lstrip",
            "replace",
            "rstrip",
            "slice",
            "split",
            "splitlines",
            "strip",
            "substring",
            "toString",
            "to_s",
            "trim",
        ];
        if !TAKING.contains(&method) {
            return None;
        }
        let text = Value::Text(self.content(path)?);
        let made = self.pure_method(&text, method, arguments)?;
        match &made {
            Value::List(all) if all.len() > LINES_MAX => None,
            _ => Some(made),
        }
    }
}

fn value_of<'r>(data: &Data) -> Value<'r> {
    let name = |name: &str| Value::Name(name.to_owned());
    match data {
        Data::Null => name("None"),
        Data::Bool(true) => name("True"),
        Data::Bool(false) => name("False"),
        Data::Number(number) => Value::Number(number.clone()),
        Data::Text(text) => Value::Text(text.clone()),
        Data::List(all) => Value::List(all.iter().map(value_of).collect()),
        Data::Pairs(all) => {
            let pairs = all.iter();
            let pairs = pairs.map(|(key, value)| (Value::Text(key.clone()), value_of(value)));
            Value::Pairs(pairs.collect())
        }
    }
}
