//! Files and directories that a program makes for itself. Each has a name that nothing has.

use super::calls::{fits, is_one_of};
use super::moments::is_moment;
use super::named::TEMPORARY;
use super::program::Reader;
use super::value::Value;
use crate::Arg;

/// Calls that give a directory of all temporary things.
const SHARED: &[&str] = &[
    "Dir.tmpdir",
    "gettempdir",
    "os.tmpdir",
    "sys_get_temp_dir",
    "tempdir",
];

/// Calls that give a new directory.
const DIRECTORIES: &[&str] = &[
    "Dir.mktmpdir",
    "TemporaryDirectory",
    "mkdtemp",
    "mkdtempSync",
    "os.MkdirTemp",
];

/// Calls that give a number without its fraction.
const WHOLE: &[&str] = &["Math.floor", "Math.round", "int", "round"];

/// Calls that give the open file, whose name is the path.
const OPENED: &[&str] = &["NamedTemporaryFile", "Tempfile.create", "Tempfile.new"];

impl<'r> Reader<'r, '_> {
    /// `int(time.time())` as a part of a name.
    pub(super) fn whole_moment(&self, name: &str, given: &Value<'r>) -> Option<Value<'r>> {
        let is_given = matches!(given, Value::Name(call) if is_moment(call));
        (is_given && is_one_of(name, WHOLE)).then(|| given.clone())
    }

    /// What a call gives that makes something temporary.
    pub(super) fn temporary(&mut self, name: &str) -> Option<Value<'r>> {
        if !is_one_of(name, TEMPORARY) {
            return None;
        }
        if is_one_of(name, SHARED) {
            return Some(Value::Path(format!("/tmp/{}", Arg::HOLE)));
        }
        // The number of the step stands for the letters that nobody knows before.
        let path = format!("/tmp/tmp.{}.{}", self.world.budget.steps, self.steps);
        if is_one_of(name, DIRECTORIES) {
            self.world.made_dir(&path);
            return Some(Value::Path(path));
        }
        let file = Value::Path(path);
        Some(match name {
            name if fits(name, "mkstemp") => Value::List(vec![Value::Unknown, file]),
            name if is_one_of(name, OPENED) => Value::File(Box::new(file)),
            _ => file,
        })
    }
}
