//! What each kind of check looks at, and what it says. All look at the frozen copy; commands run in
//! a second copy of it, so that what they write is not what is promoted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use regex::Regex;
use runner::Variables;
use text::Redactor;
use text::glob::GIT;

use super::frozen::{self, Manifest};
use super::spec::{Check, Spec};

/// Most files that are named in one reason.
const NAMED_MAX: usize = 8;
/// Most complaints of a schema about one file.
const COMPLAINTS_MAX: usize = 5;
/// Longest file that is searched for secrets, in bytes.
const SEARCHED_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Most characters of what a command printed that are told.
const TAIL_CHARS_MAX: usize = 1_200;

/// What is checked.
#[derive(Debug)]
pub struct Ground<'a> {
    /// Against what.
    pub spec: &'a Spec,
    /// The frozen copy.
    pub frozen: &'a Path,
    /// What it holds.
    pub manifest: &'a Manifest,
    /// The copy that commands run in.
    pub scratch: &'a Path,
    /// What commands need and that copy lacks, in words.
    pub lacks: &'a [String],
    /// What there was before.
    pub against: Option<&'a Manifest>,
    /// What commands find in their environment.
    pub variables: &'a Variables,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// How much it looked at: files, or runs of a command.
    pub ran: u64,
    /// What is wrong.
    pub reasons: Vec<String>,
    /// Why it did not come to judging.
    pub unjudged: Vec<String>,
}

impl Found {
    fn ran(ran: usize) -> Self {
        Self {
            ran: ran as u64,
            ..Self::default()
        }
    }

    fn wrong(mut self, reason: String) -> Self {
        self.reasons.push(reason);
        self
    }

    fn unjudged(why: String) -> Self {
        Self {
            unjudged: vec![why],
            ..Self::default()
        }
    }
}

/// Runs a check.
pub fn run(check: &Check, ground: &Ground<'_>) -> Found {
    match check {
        Check::Exists {
            paths,
            may_be_empty,
        } => exists(ground, paths, *may_be_empty),
        Check::Schema { schema, files } => schema_holds(ground, schema, files),
        Check::Command {
            argv,
            seconds,
            exit,
            must_run,
        } => {
            let run = CommandRun {
                argv,
                seconds: *seconds,
                exit: *exit,
                must_run: must_run.as_deref(),
            };
            run.judge(ground)
        }
        Check::Unchanged { paths, may_add } => unchanged(ground, paths, *may_add),
        Check::Diff {
            files_max,
            forbidden,
            only,
        } => diff(ground, *files_max, (forbidden, only)),
        Check::Secrets {} => secrets(ground),
    }
}

fn is_any(globs: &[String], path: &str) -> bool {
    globs.iter().any(|glob| GIT.matches_path(glob, path))
}

/// The files that a glob matches; links are none.
fn files<'a>(manifest: &'a Manifest, glob: &str) -> Vec<&'a String> {
    let files = manifest.iter().filter(|(_, mark)| mark.kind != "link");
    let named = files.filter(|(name, _)| GIT.matches_path(glob, name));
    named.map(|(name, _)| name).collect()
}

fn list(names: &[String]) -> String {
    let first: Vec<&str> = names.iter().take(NAMED_MAX).map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMED_MAX);
    match more {
        0 => first.join(", "),
        _ => format!("{} and {more} more", first.join(", ")),
    }
}

fn exists(ground: &Ground<'_>, globs: &[String], may_be_empty: bool) -> Found {
    let mut found = Found::ran(globs.len());
    for glob in globs {
        let names = files(ground.manifest, glob);
        let is_full = |name: &&&String| {
            let stat = fs::metadata(ground.frozen.join(name.as_str()));
            may_be_empty || stat.is_ok_and(|stat| stat.len() > 0)
        };
        if names.is_empty() {
            found = found.wrong(format!("{glob} is not there"));
        } else if names.iter().find(is_full).is_none() {
            found = found.wrong(format!("{glob} is empty"));
        }
    }
    found
}

fn schema_holds(ground: &Ground<'_>, schema: &Path, globs: &[String]) -> Found {
    let path = ground.spec.at(schema);
    let read = |path: &PathBuf| -> Result<serde_json::Value, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        serde_json::from_str(&text).map_err(|error| format!("it is no JSON: {error}"))
    };
    let validator = read(&path).and_then(|schema| {
        jsonschema::validator_for(&schema).map_err(|error| format!("it is no schema: {error}"))
    });
    let validator = match validator {
        Ok(validator) => validator,
        Err(why) => return Found::unjudged(format!("the schema {}: {why}", path.display())),
    };
    let mut found = Found::default();
    for glob in globs {
        let names = files(ground.manifest, glob);
        if names.is_empty() {
            found.ran += 1;
            found = found.wrong(format!("{glob} is not there"));
        }
        for name in names {
            found.ran += 1;
            match read(&ground.frozen.join(name)) {
                Err(why) => found = found.wrong(format!("{name}: {why}")),
                Ok(value) => {
                    let errors = validator.iter_errors(&value).take(COMPLAINTS_MAX);
                    let said = errors.map(|error| {
                        let place = error.instance_path().to_string();
                        format!("{name} at `{place}`: {error}")
                    });
                    found.reasons.extend(said.collect::<Vec<_>>());
                }
            }
        }
    }
    found
}

/// A command that is run.
struct CommandRun<'a> {
    argv: &'a [String],
    seconds: u64,
    exit: i32,
    must_run: Option<&'a str>,
}

impl CommandRun<'_> {
    fn judge(&self, ground: &Ground<'_>) -> Found {
        if !ground.lacks.is_empty() {
            return Found::unjudged(ground.lacks.join("; "));
        }
        let line = self.argv.join(" ");
        let Some((program, words)) = self.argv.split_first() else {
            return Found::default();
        };
        let mut command = Command::new(program);
        command.args(words).current_dir(ground.scratch);
        command.env_clear().envs(ground.variables.for_command());
        let ended = runner::run(&mut command, "", Duration::from_secs(self.seconds));
        let ended = match ended {
            Ok(ended) => ended,
            Err(why) => return Found::unjudged(format!("`{line}`: {why}")),
        };
        let printed = [ended.stdout, b"\n".to_vec(), ended.stderr].concat();
        let printed = String::from_utf8_lossy(&printed);
        let found = Found::ran(1);
        let Some(status) = ended.status else {
            return found.wrong(format!(
                "`{line}` did not end within {} s{}",
                self.seconds,
                tail(&printed)
            ));
        };
        let Some(code) = status.code() else {
            // Somebody else ended it, which says nothing about the work.
            return Found::unjudged(format!("`{line}` was ended by a signal ({status})"));
        };
        if code != self.exit {
            let (expected, tail) = (self.exit, tail(&printed));
            return found.wrong(format!("`{line}` ended with {code}, not {expected}{tail}"));
        }
        match self.must_run.map(|pattern| ran(pattern, &printed)) {
            None | Some(Ran::Some) => found,
            Some(Ran::Nothing(what)) => {
                found.wrong(format!("`{line}` ran nothing: it said {what}"))
            }
            Some(Ran::Unsaid(pattern)) => found.wrong(format!(
                "`{line}` printed nothing that matches {pattern}{}",
                tail(&printed)
            )),
        }
    }
}

/// Whether something ran, by what was printed.
enum Ran {
    Some,
    Nothing(String),
    Unsaid(String),
}

fn ran(pattern: &str, printed: &str) -> Ran {
    let Ok(known) = Regex::new(pattern) else {
        return Ran::Unsaid(pattern.to_owned());
    };
    let mut nothing = None;
    for found in known.find_iter(printed) {
        let digits = found.as_str().split(|c: char| !c.is_ascii_digit());
        let mut numbers = digits.filter(|digits| !digits.is_empty()).peekable();
        let is_counted = numbers.peek().is_some();
        if !is_counted || numbers.any(|number| number.bytes().any(|digit| digit != b'0')) {
            return Ran::Some;
        }
        nothing = Some(format!("`{}`", found.as_str()));
    }
    nothing.map_or_else(|| Ran::Unsaid(pattern.to_owned()), Ran::Nothing)
}

/// The end of what was printed, without secrets.
fn tail(printed: &str) -> String {
    let printed = Redactor::default().text(printed.trim());
    let count = printed.chars().count();
    let end: String = printed
        .chars()
        .skip(count.saturating_sub(TAIL_CHARS_MAX))
        .collect();
    match end.is_empty() {
        true => String::new(),
        false => format!(":\n{end}"),
    }
}

const NOTHING_BEFORE: &str = "there is nothing to compare with; name it with --against, or with \
                              `against` in the specification";

fn unchanged(ground: &Ground<'_>, globs: &[String], may_add: bool) -> Found {
    let Some(against) = ground.against else {
        return Found::unjudged(NOTHING_BEFORE.to_owned());
    };
    let guarded = against.keys().filter(|name| is_any(globs, name)).count();
    if guarded == 0 {
        return Found::unjudged(format!("no file there was before matches {}", list(globs)));
    }
    let changed: Vec<String> = frozen::differing(against, ground.manifest)
        .into_iter()
        .filter(|name| is_any(globs, name) && (!may_add || against.contains_key(name)))
        .collect();
    let found = Found::ran(guarded);
    match changed.is_empty() {
        true => found,
        false => found.wrong(format!("must stay as it was: {}", list(&changed))),
    }
}

fn diff(
    ground: &Ground<'_>,
    files_max: Option<u64>,
    (forbidden, only): (&[String], &[String]),
) -> Found {
    let Some(against) = ground.against else {
        return Found::unjudged(NOTHING_BEFORE.to_owned());
    };
    let differing = frozen::differing(against, ground.manifest);
    let mut found = Found::ran(1);
    if let Some(most) = files_max.filter(|most| differing.len() as u64 > *most) {
        let count = differing.len();
        found = found.wrong(format!("{count} files differ, at most {most} may"));
    }
    let named = |wanted: &dyn Fn(&str) -> bool| -> Vec<String> {
        let names = differing.iter().filter(|name| wanted(name));
        names.cloned().collect()
    };
    let wrong = named(&|name| is_any(forbidden, name));
    if !wrong.is_empty() {
        found = found.wrong(format!("must not differ: {}", list(&wrong)));
    }
    let outside = named(&|name| !only.is_empty() && !is_any(only, name));
    if !outside.is_empty() {
        found = found.wrong(format!("differs and may not: {}", list(&outside)));
    }
    found
}

fn secrets(ground: &Ground<'_>) -> Found {
    let nothing = Manifest::new();
    let before = ground.against.unwrap_or(&nothing);
    let mut found = Found::default();
    for (name, mark) in ground.manifest {
        if mark.kind == "link" || before.get(name) == Some(mark) {
            continue;
        }
        found.ran += 1;
        let path = ground.frozen.join(name);
        let size = fs::metadata(&path).map_or(0, |stat| stat.len());
        if size > SEARCHED_BYTES_MAX {
            let why = format!("{name} is too long to be searched for secrets");
            found.unjudged.push(why);
            continue;
        }
        let bytes = fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let mut redactor = Redactor::default();
        if redactor.text(&text) != text {
            let lines = text.lines().enumerate();
            let mut lines = lines.filter(|(_, line)| Redactor::default().text(line) != *line);
            let line = lines.next().map_or(1, |(at, _)| at + 1);
            found = found.wrong(format!("{name}:{line} holds a secret"));
        }
    }
    // Where nothing is new there is nothing to find.
    found.ran = found.ran.max(u64::from(ground.against.is_some()));
    found
}
