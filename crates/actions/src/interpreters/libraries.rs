//! Programs that a program starts by way of a library, whose words are names and arguments: git's
//! (GitPython, pygit2, dulwich, simple-git), any (sh, plumbum).

use super::calls::{fits, is_one_of};
use super::language::Kind;
use super::program::Reader;
use super::tokens::says;
use super::value::{Arguments, Value};

/// Names of what is a repository, once it is called with its place.
const REPOSITORIES: &[&str] = &["Repo", "Repository", "simpleGit", "simple-git"];

/// What lets git's words be called as methods.
const GIT: &[&str] = &["Repo.git", "simpleGit", "simple-git"];

/// Calls on parts of a repository: the end of the name, what has to be told, and git's words.
const OF_REPOSITORY: &[(&str, Told, &[&str])] = &[
    (
        "head.reset",
        Told::Yes("working_tree"),
        &["reset", "--hard"],
    ),
    (
        "index.reset",
        Told::Yes("working_tree"),
        &["reset", "--hard"],
    ),
    (
        "index.checkout",
        Told::Yes("force"),
        &["checkout", "-f", "--"],
    ),
    ("index.remove", Told::Yes("working_tree"), &["rm", "-rf"]),
    ("delete_head", Told::Yes("force"), &["branch", "-D"]),
    ("delete_tag", Told::Nothing, &["tag", "-d"]),
    ("push", Told::Yes("force"), &["push", "--force"]),
    ("Repository.reset", Told::Name("HARD"), &["reset", "--hard"]),
    ("Repository.reset", Told::Text("3"), &["reset", "--hard"]),
    ("checkout_head", Told::Name("FORCE"), &["checkout", "-f"]),
    (
        "checkout_index",
        Told::Name("FORCE"),
        &["checkout", "-f", "--", "."],
    ),
    ("porcelain.reset", Told::Text("hard"), &["reset", "--hard"]),
    ("porcelain.clean", Told::Nothing, &["clean", "-fd"]),
];

/// What a call has to be told before it destroys.
enum Told {
    Nothing,
    /// An argument of this name, which says yes.
    Yes(&'static str),
    /// A name that ends so.
    Name(&'static str),
    /// This text.
    Text(&'static str),
}

/// Ends of names that start what stands before them, or only make it ready.
const STARTING: &[&str] = &["bgrun", "popen", "run", "run_bg", "run_fg"];

/// Names in such libraries that are no programs.
const NO_PROGRAMS: &[&str] = &[
    "Command",
    "ErrorReturnCode",
    "SshMachine",
    "bake",
    "cwd",
    "env",
    "get",
    "path",
    "pushd",
    "which",
];

/// The words of a program that a name stands for: `sh.git.reset`, `plumbum.cmd.rm`.
pub(super) fn program_of(name: &str) -> Option<Vec<String>> {
    const MODULES: &[&str] = &["sh.", "plumbum.cmd.", "plumbum.local."];
    let rest = MODULES
        .iter()
        .find_map(|module| name.strip_prefix(module))?;
    let rest = rest.strip_prefix("contrib.").unwrap_or(rest);
    let mut parts: Vec<&str> = rest.split('.').collect();
    if parts.len() > 1 && parts.last().is_some_and(|last| STARTING.contains(last)) {
        parts.pop();
    }
    let is_program = parts.iter().all(|part| !NO_PROGRAMS.contains(part));
    is_program.then(|| parts.iter().map(|part| part.replace('_', "-")).collect())
}

/// simple-git takes `reset('hard')` and `clean('fd')`: the first word is an option without dashes,
/// or the name of one (`ResetMode.HARD`).
fn as_option<'r>(subcommand: &str, mut words: Vec<Value<'r>>) -> Vec<Value<'r>> {
    let Some(first) = words.first_mut() else {
        return words;
    };
    let said = match first {
        Value::Text(said) if !said.starts_with('-') => said.clone(),
        Value::Name(name) => {
            let last = name.rsplit('.').next().unwrap_or_default();
            match last.to_lowercase().as_str() {
                "force" => "f".to_owned(),
                other => other.to_owned(),
            }
        }
        _ => return words,
    };
    let dashes = if subcommand == "clean" { "-" } else { "--" };
    *first = Value::Text(format!("{dashes}{said}"));
    words
}

impl<'r> Reader<'r, '_> {
    /// A call that starts a program by way of a library; `false` if it is none.
    pub(super) fn library_call(&mut self, name: &str, arguments: &Arguments<'r>) -> bool {
        self.note_repository(name, arguments);
        let is_python = self.language.kind == Kind::Python;
        if let Some(words) = program_of(name).filter(|_| is_python) {
            match words.as_slice() {
                [only] if only == "cd" => self.enter(&arguments.at(0)),
                words => self.start(words, arguments),
            }
            return true;
        }
        if let Some((owner, subcommand)) = name.rsplit_once('.')
            && is_one_of(owner, GIT)
            && !REPOSITORIES.contains(&subcommand)
        {
            let words: Vec<Value<'r>> = arguments.list.iter().flat_map(Value::flattened).collect();
            match subcommand {
                "execute" => self.run_command(&Value::List(words), None),
                "clean" | "reset" if self.language.kind == Kind::Node => {
                    self.git(&[subcommand], &as_option(subcommand, words));
                }
                "raw" => self.git(&[], &words),
                "deleteLocalBranch" | "deleteLocalBranches" => {
                    let is_forced = says(arguments.spelled, &["true"]);
                    let option = if is_forced { "-D" } else { "-d" };
                    let is_name = |value: &Value<'r>| !matches!(value, Value::Name(_));
                    let names: Vec<Value<'r>> = words.into_iter().filter(is_name).collect();
                    self.git(&["branch", option], &names);
                }
                _ => self.git(&[&subcommand.replace('_', "-")], &words),
            }
            return true;
        }
        let is_repository = ["Repo.", "Repository.", "porcelain."];
        if !is_repository.iter().any(|part| name.contains(part)) {
            return false;
        }
        let found = OF_REPOSITORY.iter().find(|(end, told, _)| {
            let is_told = match told {
                Told::Nothing => true,
                Told::Yes(option) => arguments
                    .named(&[*option])
                    .is_some_and(|value| !matches!(&value, Value::Name(name) if name == "False")),
                Told::Name(end) => says(arguments.spelled, &[*end]),
                Told::Text(text) => arguments.list.iter().any(|value| value.text() == *text),
            };
            fits(name, end) && is_told
        });
        let Some((_, told, words)) = found else {
            return false;
        };
        let given: Vec<Value<'r>> = match told {
            Told::Yes(_) => arguments.list.iter().flat_map(Value::flattened).collect(),
            Told::Nothing if name.ends_with("delete_tag") => arguments.list.clone(),
            _ => Vec::new(),
        };
        let all = Value::Text(".".to_owned());
        let is_of_all = given.is_empty() && words.last() == Some(&"--");
        self.git(
            words,
            if is_of_all {
                std::slice::from_ref(&all)
            } else {
                &given
            },
        );
        true
    }

    /// The place of the repository that is called last.
    fn note_repository(&mut self, name: &str, arguments: &Arguments<'r>) {
        let place = match name {
            name if is_one_of(name, REPOSITORIES) => arguments.list.first(),
            name if name.contains("porcelain.") => arguments.list.first(),
            _ => return,
        };
        self.repository = match place {
            Some(Value::Text(text) | Value::Path(text)) if !text.is_empty() => Some(text.clone()),
            _ => None,
        };
    }

    fn git(&mut self, first: &[&str], words: &[Value<'r>]) {
        let place = self.repository.clone();
        let place = place.iter().flat_map(|place| ["-C", place.as_str()]);
        let own: Vec<Value<'r>> = place
            .chain(first.iter().copied())
            .map(|word| Value::Text(word.to_owned()))
            .collect();
        self.run_words("git", &[], &[own.as_slice(), words].concat());
    }

    /// Starts a program with arguments as its words: `f=True` is `-f`.
    fn start(&mut self, program: &[String], arguments: &Arguments<'r>) {
        let mut words: Vec<Value<'r>> = program.iter().cloned().map(Value::Text).collect();
        for (name, value) in &arguments.named {
            let dashes = if name.len() == 1 { "-" } else { "--" };
            let option = format!("{dashes}{}", name.replace('_', "-"));
            match value {
                _ if name.starts_with('_') => {}
                Value::Name(said) if said == "True" => words.push(Value::Text(option)),
                value => words.push(Value::Text(format!("{option}={}", value.text()))),
            }
        }
        words.extend(arguments.list.iter().flat_map(Value::flattened));
        self.run_command(&Value::List(words), arguments.named(&["_cwd", "cwd"]));
    }

    /// `rm["-rf", "x"]`: a program with some of its words, which is started later.
    pub(super) fn bound(&self, value: &Value<'r>, words: &[Value<'r>]) -> Option<Value<'r>> {
        let Value::Name(name) = value else {
            return None;
        };
        let of_plumbum = name.starts_with("plumbum.") && self.language.kind == Kind::Python;
        let program = program_of(name).filter(|_| of_plumbum)?;
        let program = program.into_iter().map(Value::Text);
        Some(Value::List(program.chain(words.iter().cloned()).collect()))
    }

    /// Whether a value is a program with its words, which is started now.
    pub(super) fn is_bound(&self, value: &Value<'r>) -> bool {
        let is_python = self.language.kind == Kind::Python;
        let is_program =
            |all: &[Value<'r>]| is_python && matches!(all.first(), Some(Value::Text(_)));
        matches!(value, Value::List(all) if is_program(all))
    }

    /// `rm["x"]()`, `rm["x"].run()`, `rm["x"] & FG`
    pub(super) fn start_bound(&mut self, value: &Value<'r>, arguments: &Arguments<'r>) {
        let mut words = value.flattened();
        words.extend(arguments.list.iter().flat_map(Value::flattened));
        self.run_command(&Value::List(words), None);
    }

    /// Whether a method starts a program that is bound.
    pub(super) fn starts(&self, value: &Value<'r>, method: &str) -> bool {
        STARTING.contains(&method) && self.is_bound(value)
    }
}
