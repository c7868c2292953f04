//! The arguments of a tool that is known by its name only: which hold paths, commands, code or
//! statements, by what they are called. Must not know any tool.

/// Names of arguments that hold a path, without marks between words.
const PATHS: &[&str] = &[
    "abspath",
    "absolutepath",
    "archive",
    "dest",
    "destination",
    "destinationpath",
    "dir",
    "directory",
    "file",
    "filename",
    "filepath",
    "filepaths",
    "files",
    "folder",
    "from",
    "localfile",
    "localpath",
    "location",
    "newpath",
    "notebookpath",
    "oldpath",
    "output",
    "outputfile",
    "outputpath",
    "path",
    "pathinproject",
    "paths",
    "relativepath",
    "savepath",
    "source",
    "sourcepath",
    "src",
    "target",
    "targetfile",
    "targetpath",
    "to",
    "uri",
];

/// Of these, those that something is taken from.
const SOURCES: &[&str] = &["archive", "from", "oldpath", "source", "sourcepath", "src"];

/// Of these, those that are written, whatever the tool's name says.
const OUTPUTS: &[&str] = &["output", "outputfile", "outputpath", "savepath"];

/// Names of arguments that hold a command.
const COMMANDS: &[&str] = &[
    "bashcommand",
    "chars",
    "clicommand",
    "cmd",
    "cmdstring",
    "command",
    "commandline",
    "commands",
    "commandstring",
    "fullcommand",
    "program",
    "remotecommand",
    "script",
    "shellcommand",
    "terminalcommand",
];

/// Names of arguments that hold the words behind a command.
const WORDS: &[&str] = &["args", "arguments", "argv"];

/// Names of arguments that hold what is typed into a program that runs.
const TYPED: &[&str] = &["input", "keys"];

/// Names of arguments that hold a program.
const CODE: &[&str] = &[
    "cellsource",
    "code",
    "codesnippet",
    "jscode",
    "pycode",
    "pythoncode",
    "sourcecode",
];

/// Names of arguments that hold statements for a database, whoever takes them.
const SQL: &[&str] = &["sql", "sqlstatements", "statement", "statements"];

/// As [`SQL`], if the tool is one of a database.
const QUERIES: &[&str] = &["queries", "query"];

/// What an argument holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// A path that is what the tool is about.
    Path,
    /// A path that something is taken from.
    Source,
    /// A path that is written.
    Output,
    Command,
    Words,
    Typed,
    Code,
    Sql,
    Query,
    Other,
}

/// One argument.
#[derive(Debug, Clone)]
pub(super) struct Argument<'a> {
    /// Its name without numbers, marks and what it stands in.
    pub(super) name: String,
    /// Its whole name, joined by dots.
    pub(super) full: &'a str,
    pub(super) value: &'a str,
}

impl<'a> Argument<'a> {
    /// Of `files.0.path` the name is `path`, of `paths.0` it is `paths`.
    pub(super) fn of((full, value): &'a (String, String)) -> Self {
        let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
        let last = full.rsplit('.').find(|part| !is_number(part));
        Self {
            name: plain(last.unwrap_or(full)),
            full,
            value,
        }
    }

    /// What it holds, by its name.
    pub(super) fn holds(&self) -> Holds {
        let name = self.name.as_str();
        let is = |names: &[&str]| names.contains(&name);
        match name {
            _ if is(OUTPUTS) => Holds::Output,
            _ if is(SOURCES) => Holds::Source,
            _ if is(PATHS) => Holds::Path,
            _ if is(COMMANDS) => Holds::Command,
            _ if is(WORDS) => Holds::Words,
            _ if is(TYPED) => Holds::Typed,
            _ if is(CODE) => Holds::Code,
            _ if is(SQL) => Holds::Sql,
            _ if is(QUERIES) => Holds::Query,
            _ => Holds::Other,
        }
    }

    /// Whether it says yes.
    pub(super) fn is_true(&self) -> bool {
        self.value == "true"
    }
}

/// A name in small letters, without marks between its words.
pub(super) fn plain(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Whether a text looks like a path, not like an address or prose.
pub(super) fn is_path(text: &str) -> bool {
    let is_address = text.contains("://") && !text.starts_with("file://");
    !text.is_empty() && !is_address && !text.contains('\n') && text.len() < 4_096
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_known_by_their_names() {
        for (name, holds) in [
            ("path", Holds::Path),
            ("paths.0", Holds::Path),
            ("files.1.filePath", Holds::Path),
            ("pathInProject", Holds::Path),
            ("old_path", Holds::Source),
            ("outputPath", Holds::Output),
            ("command.0", Holds::Command),
            ("params.sqlStatements.1", Holds::Sql),
            ("content", Holds::Other),
        ] {
            let argument = (name.to_owned(), String::new());
            assert_eq!(Argument::of(&argument).holds(), holds, "{name}");
        }
    }
}
