//! The simple commands of a call as they are written: what is remembered of how they ended, and
//! what can be looked up before they start. Resolves nothing and looks at nothing; what a command
//! does is the walk's.

use model::{Call, Dialect, SimpleCommand, fnv64};
use shell::{CommandKind, HereDocument, Item, Join, List, Part, Pipeline, Word};

use crate::options::Options;
use crate::starts::{Starts, Takes, Wrapper};
use crate::{Arg, families};

/// Most commands of a call that are told.
pub const COMMANDS_MAX: usize = 64;

/// Most shells inside of one another.
const DEPTH_MAX: usize = 3;

/// Shells that take a text.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh"];

/// Most wrappers around one command.
const WRAPPERS_MAX: usize = 8;

/// What a command's place in the call means for it.
#[derive(Debug, Clone, Copy)]
struct Place {
    is_proved: bool,
    decides: bool,
    is_plain: bool,
}

impl Place {
    /// Its failure is hidden by what comes after it.
    const fn hidden(self) -> Self {
        Self {
            is_proved: false,
            decides: false,
            ..self
        }
    }

    /// It may not run at all.
    const fn maybe(self) -> Self {
        Self {
            is_proved: false,
            is_plain: false,
            ..self
        }
    }
}

/// The simple commands of a call, in order; none of a call that is no shell's, or of another
/// dialect.
#[must_use]
pub fn commands(call: &Call<'_>) -> Vec<SimpleCommand> {
    let Call::Shell {
        command,
        dialect: Dialect::Posix,
    } = call
    else {
        return Vec::new();
    };
    let script = shell::parse(command.as_bytes());
    let mut reader = Reader::default();
    let whole = Place {
        is_proved: true,
        decides: true,
        is_plain: true,
    };
    reader.list(&script.body, whole);
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<SimpleCommand>,
    /// Where a `cd` went.
    dir: String,
    /// Whether the call has set names itself (functions, aliases, `PATH`).
    has_names: bool,
    /// Whether `set -e` holds.
    ends_early: bool,
    /// Whether `set -o pipefail` holds.
    pipes_fail: bool,
    /// How many shells deep this is.
    depth: usize,
}

impl Reader {
    fn list(&mut self, list: &List<'_>, place: Place) {
        let last = list.items.len().saturating_sub(1);
        for (at, item) in list.items.iter().enumerate() {
            let is_seen = (at == last || self.ends_early) && !item.background;
            self.item(item, if is_seen { place } else { place.hidden() });
        }
    }

    /// What stands before the last `||` is covered by what stands behind it.
    fn item(&mut self, item: &Item<'_>, place: Place) {
        let joins: Vec<Join> = item.rest.iter().map(|(join, _)| *join).collect();
        let last_or = joins.iter().rposition(|join| *join == Join::Or);
        let pipelines = std::iter::once(&item.first).chain(item.rest.iter().map(|(_, next)| next));
        for (at, pipeline) in pipelines.enumerate() {
            let place = match last_or {
                Some(or) if at <= or => place.hidden(),
                Some(or) if at == or + 1 => place.maybe(),
                _ => place,
            };
            let is_behind_or = at > 0 && joins.get(at - 1) == Some(&Join::Or);
            let place = if is_behind_or { place.maybe() } else { place };
            self.pipeline(pipeline, place);
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline<'_>, place: Place) {
        let last = pipeline.stages.len().saturating_sub(1);
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let is_seen = (at == last || self.pipes_fail) && !pipeline.negated;
            self.command(stage, if is_seen { place } else { place.hidden() });
        }
    }

    fn command(&mut self, command: &shell::Command<'_>, place: Place) {
        match &command.kind {
            CommandKind::Simple { assignments, words } => {
                let path = |name: &[u8]| matches!(name, b"PATH" | b"BASH_ENV" | b"ENV");
                let sets_path = assignments.iter().any(|one| path(&one.name));
                let mut all: Vec<Word<'_>> = Vec::new();
                all.extend(words.iter().cloned());
                let mut simple = simple(&all, place);
                simple.is_plain &= !sets_path && !self.has_names;
                let here = command.redirects.iter().filter_map(|to| to.here.as_ref());
                simple.words.extend(here.map(here_word));
                self.has_names |= sets_path && words.is_empty();
                match nested(&simple.words).filter(|_| self.depth < DEPTH_MAX) {
                    Some(script) => self.nested(&script, place, simple.is_plain),
                    None => self.keep(simple),
                }
            }
            CommandKind::Subshell(body) => {
                let dir = self.dir.clone();
                self.list(body, place);
                self.dir = dir;
            }
            CommandKind::Group(body) => self.list(body, place),
            CommandKind::If {
                branches,
                otherwise,
            } => {
                for (condition, body) in branches {
                    self.list(condition, place.hidden());
                    self.list(body, place.maybe());
                }
                if let Some(body) = otherwise {
                    self.list(body, place.maybe());
                }
            }
            CommandKind::Loop {
                condition, body, ..
            } => {
                self.list(condition, place.hidden());
                self.list(body, place.maybe());
            }
            CommandKind::For { body, .. } | CommandKind::ArithmeticFor { body, .. } => {
                self.list(body, place.maybe());
            }
            CommandKind::Case { arms, .. } => {
                for (_, body) in arms {
                    self.list(body, place.maybe());
                }
            }
            CommandKind::Function { .. } => self.has_names = true,
            CommandKind::Coproc(body) => self.command(body, place.hidden()),
            CommandKind::Test(_) | CommandKind::Arithmetic(_) | CommandKind::Unread => {}
        }
    }

    /// What a shell is given as a text: its commands in its place.
    fn nested(&mut self, script: &Script<'_>, place: Place, is_plain: bool) {
        let read = shell::parse(script.text.as_bytes());
        let mut inner = Self {
            found: std::mem::take(&mut self.found),
            dir: self.dir.clone(),
            has_names: !is_plain || script.has_names,
            ends_early: script.ends_early,
            pipes_fail: false,
            depth: self.depth + 1,
        };
        inner.list(&read.body, place);
        self.found = inner.found;
    }

    fn keep(&mut self, mut simple: SimpleCommand) {
        if simple.words.is_empty() || self.found.len() >= COMMANDS_MAX {
            return;
        }
        simple.dir.clone_from(&self.dir);
        let words: Vec<&str> = simple.words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["cd" | "pushd", to] if !to.starts_with('-') => {
                self.dir = match self.dir.is_empty() || to.starts_with(['/', '~']) {
                    true => (*to).to_owned(),
                    false => [self.dir.as_str(), "/", to].concat(),
                };
            }
            ["cd" | "pushd" | "popd", ..] => self.dir = "?".to_owned(),
            ["set", options @ ..] => {
                let has = |letter| {
                    let mut short = options.iter().filter(|word| !word.starts_with("--"));
                    short.any(|word| word.starts_with('-') && word.contains(letter))
                };
                self.ends_early |= has('e') || options.contains(&"errexit");
                self.pipes_fail |= options.contains(&"pipefail");
            }
            ["alias" | "." | "source" | "eval" | "hash" | "enable", ..] => self.has_names = true,
            ["export" | "declare" | "typeset", rest @ ..] => {
                self.has_names |= rest.iter().any(|word| word.starts_with("PATH="));
            }
            _ => {}
        }
        self.found.push(simple);
    }
}

/// A text that a shell is given to run.
struct Script<'a> {
    text: &'a str,
    /// Whether the shell reads settings of its user's first, in which names may be set.
    has_names: bool,
    /// Whether it is told to end at the first failure.
    ends_early: bool,
}

/// The text of `bash -c '…'`; nothing of what else a shell may be told.
fn nested(words: &[String]) -> Option<Script<'_>> {
    let (program, rest) = words.split_first()?;
    if !SHELLS.contains(&text::path::file_name(program)) {
        return None;
    }
    let is_short = |word: &&String| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    let options: Vec<&String> = rest.iter().take_while(is_short).collect();
    let has = |letter| options.iter().any(|word| word.contains(letter));
    let text = rest.get(options.len()).filter(|_| has('c'))?;
    // What of it only the shell knows is not in its text.
    let is_whole = !text.contains('…') && !has('o') && !has('O');
    is_whole.then(|| Script {
        text,
        has_names: has('l') || has('i'),
        ends_early: has('e'),
    })
}

/// A simple command without what stands around it.
fn simple(words: &[Word<'_>], place: Place) -> SimpleCommand {
    let mut args: Vec<Arg> = words.iter().map(arg).collect();
    let mut is_found = false;
    for _ in 0..WRAPPERS_MAX {
        match inside(&args) {
            Some((inner, finds)) => (args, is_found) = (inner, is_found || finds),
            None => break,
        }
    }
    SimpleCommand {
        is_literal: args.first().is_some_and(Arg::is_known),
        words: args.into_iter().map(|arg| arg.text).collect(),
        is_proved: place.is_proved,
        decides: place.decides,
        is_plain: place.is_plain,
        is_found,
        dir: String::new(),
    }
}

/// The command that a wrapper starts with its other words, and whether it knows where that is.
fn inside(args: &[Arg]) -> Option<(Vec<Arg>, bool)> {
    let (program, rest) = args.split_first()?;
    if program.text == "env" && rest.first().is_some_and(assigns) {
        let inner = rest.iter().skip_while(|arg| assigns(arg)).cloned();
        return Some((inner.collect(), false));
    }
    let known = families::program(text::path::file_name(&program.text))?;
    let Some(Starts::Rows(rows)) = known.starts else {
        return None;
    };
    let fits = |row: &&Wrapper| {
        let words = rest.iter().map(|arg| arg.text.as_str());
        let own = row.subcommand.iter().copied();
        row.takes != Takes::Script && words.take(row.subcommand.len()).eq(own)
    };
    // What runs it elsewhere, or as somebody else, is part of the command.
    let row = rows.iter().find(fits).filter(|row| {
        row.subcommand.is_empty() && row.flags == model::Flags::NONE && row.takes != Takes::Script
    })?;
    let read = Options::read(rest, &row.spec);
    if read.has("look") || read.value("chdir").is_some() || read.value("call").is_some() {
        return None;
    }
    let mut inner = read.operands.get(row.operands..)?.to_vec();
    if row.assigns {
        let count = inner.iter().take_while(|arg| assigns(arg)).count();
        inner.drain(..count);
    }
    (!inner.is_empty()).then_some((inner, row.finds))
}

/// Whether a word is `NAME=value`.
fn assigns(arg: &Arg) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let Some((name, _)) = arg.text.split_once('=') else {
        return false;
    };
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.bytes().all(is_word)
}

/// A word as it is written, quotes aside.
fn arg(word: &Word<'_>) -> Arg {
    let mut text = String::new();
    let is_known = spell(&word.parts, &mut text);
    if is_known {
        Arg::literal(text)
    } else {
        Arg {
            sure: model::Certainty::Unknown,
            ..Arg::literal(text)
        }
    }
}

/// Appends parts as they are written; whether all of it is plain text.
fn spell(parts: &[Part<'_>], out: &mut String) -> bool {
    let mut is_known = true;
    for part in parts {
        is_known &= matches!(
            part,
            Part::Literal(_) | Part::Quoted(_) | Part::DoubleQuoted(_)
        );
        match part {
            Part::Literal(text) | Part::Quoted(text) | Part::Glob(text) => {
                out.push_str(&String::from_utf8_lossy(text));
            }
            Part::DoubleQuoted(parts) => is_known &= spell(parts, out),
            Part::Tilde(user) => {
                out.push('~');
                out.push_str(&String::from_utf8_lossy(user));
            }
            Part::Brace(words) => {
                out.push('{');
                for (at, word) in words.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    spell(&word.parts, out);
                }
                out.push('}');
            }
            Part::Parameter(parameter) => {
                out.push('$');
                out.push_str(&String::from_utf8_lossy(&parameter.name));
                out.push_str(&String::from_utf8_lossy(&parameter.operator));
            }
            Part::Command { .. } => out.push_str("$(…)"),
            Part::Arithmetic(_) => out.push_str("$((…))"),
            Part::Process { .. } => out.push_str("<(…)"),
            Part::Unread(_) => out.push('…'),
        }
    }
    is_known
}

/// A here-document as a word: two with another text are other commands.
fn here_word(here: &HereDocument<'_>) -> String {
    let mut body = String::new();
    spell(&here.parts, &mut body);
    format!("<<{:08x}", fnv64(body.as_bytes()) & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    fn read(command: &str) -> Vec<SimpleCommand> {
        commands(&Call::Shell {
            command: Cow::Borrowed(command),
            dialect: Dialect::Posix,
        })
    }

    /// Each command with `=` if 0 proves it, `!` if it decides, `?` if it may not run.
    fn told(command: &str) -> Vec<String> {
        let one = |simple: SimpleCommand| {
            let proved = if simple.is_proved { "=" } else { "" };
            let decides = if simple.decides { "!" } else { "" };
            let plain = if simple.is_plain { "" } else { "?" };
            format!("{proved}{decides}{plain}{}", simple.words.join(" "))
        };
        read(command).into_iter().map(one).collect()
    }

    #[test]
    fn a_status_speaks_for_what_its_operators_let_through() {
        for (command, expected) in [
            ("a x", &["=!a x"][..]),
            ("a && b", &["=!a", "=!b"]),
            ("a; b", &["a", "=!b"]),
            ("a | b", &["a", "=!b"]),
            ("a || b", &["a", "!?b"]),
            ("a && b || c && d", &["a", "b", "!?c", "=!d"]),
            ("a & b", &["a", "=!b"]),
            ("! a", &["a"]),
            ("set -e; a; b", &["set -e", "=!a", "=!b"]),
            ("set -o pipefail; a | b", &["set -o pipefail", "=!a", "=!b"]),
            ("(a; b) && { c; }", &["a", "=!b", "=!c"]),
            ("if a; then b; else c; fi", &["a", "!?b", "!?c"]),
            ("for x in 1; do a $x; done", &["!?a $x"]),
        ] {
            assert_eq!(told(command), expected, "{command}");
        }
    }

    #[test]
    fn wrappers_and_settings_are_left_out() {
        for (command, expected) in [
            ("A=1 b", "b"),
            ("env A=1 B=2 c -x", "c -x"),
            ("timeout 5 npm test", "npm test"),
            ("time nice -n 3 a", "a"),
            ("sudo a", "sudo a"),
            ("echo 'a  b' \"$X\" ~/c *.d", "echo a  b $X ~/c *.d"),
        ] {
            let found = read(command);
            let words: Vec<String> = found.iter().map(|one| one.words.join(" ")).collect();
            assert_eq!(words, [expected], "{command}");
        }
    }

    #[test]
    fn a_text_for_a_shell_is_its_commands() {
        for (command, expected) in [
            ("bash -c 'npm test'", &["=!npm test"][..]),
            ("sh -ec 'a; b' && c", &["=!a", "=!b", "=!c"]),
            ("bash -lc 'cd x && a'; b", &["?cd x", "?a", "=!b"]),
            ("timeout 5 bash -c \"sh -c 'a'\"", &["=!a"]),
            ("bash -c 'f() { a; }'; b", &["=!b"]),
            ("bash run.sh", &["=!bash run.sh"]),
            ("bash -c \"a $(b)\"", &["=!bash -c a $(…)"]),
            ("ssh host 'a'", &["=!ssh host a"]),
        ] {
            assert_eq!(told(command), expected, "{command}");
        }
        let dirs: Vec<String> = read("bash -c 'cd x; a'; b")
            .into_iter()
            .map(|one| one.dir)
            .collect();
        assert_eq!(dirs, ["", "x", ""]);
    }

    #[test]
    fn what_a_launcher_starts_need_not_be_on_the_path() {
        for (command, expected) in [
            ("npx vite build", true),
            ("timeout 9 bunx --bun vite", true),
            ("A=1 uvx ruff", true),
            ("timeout 9 vite", false),
            ("echo npx && vite", false),
            ("uv run vite", false),
        ] {
            let found = read(command).pop().map(|one| one.is_found);
            assert_eq!(found, Some(expected), "{command}");
        }
    }

    #[test]
    fn texts_and_comments_are_no_commands() {
        let found = read("git commit -m 'npm test && rg x' # rg y\n");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].program(), "git");
        let one = read("python3 - <<'E'\nprint(1)\nE\n");
        let other = read("python3 - <<'E'\nprint(2)\nE\n");
        assert_eq!(one[0].words[..2], other[0].words[..2]);
        assert_ne!(one[0].words, other[0].words);
    }

    #[test]
    fn a_directory_holds_for_what_follows() {
        let dirs = |command| -> Vec<String> {
            let found = read(command);
            found.into_iter().map(|one| one.dir).collect()
        };
        assert_eq!(dirs("cd a && b"), ["", "a"]);
        assert_eq!(dirs("(cd a; b); c"), ["", "a", ""]);
        assert_eq!(dirs("cd /x && cd y && z"), ["", "/x", "/x/y"]);
    }

    #[test]
    fn names_that_the_call_sets_are_not_plain() {
        assert_eq!(told("f() { a; }; f"), ["=!?f"]);
        assert_eq!(told("PATH=/x a"), ["=!?a"]);
        assert_eq!(told(". ./env; a"), [". ./env", "=!?a"]);
    }
}
