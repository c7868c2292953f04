//! PowerShell (and `cmd`) text to commands: words, pipes, redirections, and variables that were
//! given a text. As much as naming files needs; what it does not know becomes holes.

use super::operands::listed;
use super::paths::{PATH_METHODS, made_path};
use super::texts;
use crate::Arg;
use model::CallEnv;
use std::collections::BTreeMap;

/// Where programs of Windows keep what is of one machine.
const LOCAL_DATA: &str = r"C:\Users\user\AppData\Local";

/// Longest text that is looked at, in bytes.
const TEXT_MAX: usize = 64 * 1024;

/// One command.
#[derive(Debug, Default)]
pub(super) struct Command {
    pub(super) words: Vec<Arg>,
    /// Files written, and whether they are appended to.
    pub(super) redirects: Vec<(Arg, bool)>,
    /// Whether it gets what the one before gives.
    pub(super) is_piped: bool,
    /// Whether it stands within the one before, in parentheses.
    pub(super) is_inner: bool,
    /// Whether a variable takes what it gives: `$x = git status`.
    pub(super) is_held: bool,
    pub(super) text: String,
    /// Variables of the environment whose values stand in the words.
    pub(super) env: Vec<String>,
    /// Files whose text stands in the words.
    pub(super) holds: Vec<Arg>,
    /// In how many blocks it stands.
    pub(super) depth: usize,
}

/// Words that stand in a text beyond what is looked at.
pub(super) fn words_beyond(text: &str) -> impl Iterator<Item = &str> {
    let rest = text.get(text.floor_char_boundary(TEXT_MAX)..);
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '.');
    let words = rest
        .unwrap_or_default()
        .split(move |letter| !is_part(letter));
    words.filter(|word| !word.is_empty())
}

/// Cuts a text into commands.
pub(super) fn commands(place: &CallEnv, text: &str) -> Vec<Command> {
    let text = text.get(..text.floor_char_boundary(TEXT_MAX));
    let text = text.unwrap_or_default();
    let mut lexer = Lexer {
        place,
        rest: text,
        vars: BTreeMap::new(),
        made_of: BTreeMap::new(),
        outside: Vec::new(),
        texts: BTreeMap::new(),
        unsettled: None,
        depth: 0,
        found: Vec::new(),
        present: Command::default(),
        redirects: None,
    };
    while lexer.step() {}
    lexer.end(false);
    lexer.found
}

/// A word so that the lexer reads it as one.
pub(super) fn quoted(word: &Arg) -> String {
    if word.text.contains(char::is_whitespace) {
        format!("'{}'", word.text.replace('\'', "''"))
    } else {
        word.text.clone()
    }
}

/// Words that begin a value which no command gives.
const CLAUSES: &[&str] = &["do", "for", "foreach", "if", "switch", "try", "while"];

/// What no word begins with.
const STOPPING: &[char] = &['\n', ';', '|', '>', '&', '(', '{', '}'];

struct Lexer<'t> {
    place: &'t CallEnv,
    rest: &'t str,
    vars: BTreeMap<String, Arg>,
    /// The variables of the environment that went into a variable.
    made_of: BTreeMap<String, Vec<String>>,
    /// What variables were before the blocks that are open, outermost first.
    outside: Vec<BTreeMap<String, Arg>>,
    /// The file whose text is in a variable.
    texts: BTreeMap<String, Arg>,
    /// A variable whose text what comes next may still change.
    unsettled: Option<String>,
    depth: usize,
    found: Vec<Command>,
    present: Command,
    /// The next word is a file that is written (appended to if `true`).
    redirects: Option<bool>,
}

impl Lexer<'_> {
    fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Reads a separator or a word. `false` at the end.
    fn step(&mut self) -> bool {
        // Every space that ends a word is passed over here, or none would ever be taken.
        let is_space = |c: char| c.is_whitespace() && c != '\n';
        self.rest = self.rest.trim_start_matches(is_space);
        if self.rest.is_empty() {
            return false;
        }
        if self.take("#") {
            self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
            self.end_statement();
        } else if self.take("`\n") {
            // The line goes on.
        } else if self.take("&&") || self.take("||") || self.take(";") || self.take("\n") {
            self.end_statement();
        } else if self.take("|") {
            self.end(true);
        } else if self.take("2>&1") || self.take("*>&1") {
            // Stays on the same output.
        } else if self.take(">>") || self.take("2>>") {
            self.redirects = Some(true);
        } else if self.take(">") || self.take("2>") || self.take("*>") {
            self.redirects = Some(false);
        } else if self.take("&") {
            // `& program` calls; at the end of a `cmd` command it parts two.
            if !self.present.words.is_empty() {
                self.end(false);
            }
        } else if let Some(path) = self.path_in_brackets() {
            self.add(path);
        } else if self.calls() && self.take("(") || self.take(",") {
            // The arguments of a method are its words, and so are the elements of a list.
        } else if self.take("{") {
            // What is handed on goes to each of what stands in the block.
            let hands_on = self.present.is_piped;
            self.end_statement();
            self.depth += 1;
            self.present.is_piped = hands_on;
            self.outside.push(self.vars.clone());
        } else if self.take("(") {
            // What is computed there is a name that nobody knows.
            if self.is_making_path() {
                self.add(Arg::unknown());
            }
            let is_inner = self.present.is_inner || !self.present.words.is_empty();
            self.end(false);
            self.present.is_inner = is_inner;
        } else if self.take(")") {
            self.end(false);
        } else if self.take("}") {
            self.end_statement();
            self.depth = self.depth.saturating_sub(1);
            self.leave_block();
        } else if self.is_naming() && self.take("=") {
            self.add(Arg::literal("="));
        } else {
            let is_value = self.present.words.len() == 2 && self.is_assigned();
            let is_bare = self.rest.starts_with(|c: char| c.is_ascii_alphabetic());
            let word = self.word();
            let is_clause = CLAUSES.contains(&&*word.text.to_lowercase());
            self.present.is_held |= is_value && is_bare && !is_clause;
            self.add(word);
        }
        true
    }

    /// Whether what comes next is the value of a variable.
    fn is_assigned(&self) -> bool {
        let words = self.present.words.as_slice();
        matches!(words, [name, sign, ..] if name.text.starts_with(VARIABLE) && sign.text == "=")
    }

    /// Whether a path is being made whose beginning stands there: `$x = Join-Path $dir …`.
    fn is_making_path(&self) -> bool {
        let words = self.present.words.as_slice();
        let words = match self.is_assigned() {
            true => words.get(2..).unwrap_or_default(),
            false => words,
        };
        matches!(words, [name, _, ..] if name.text.eq_ignore_ascii_case("join-path"))
    }

    /// A block may not have run: what it gave another value has one that nobody knows.
    fn leave_block(&mut self) {
        for (name, before) in self.outside.pop().unwrap_or_default() {
            let now = self.vars.get_mut(&name);
            if let Some(now) = now.filter(|now| **now != before) {
                *now = Arg::unknown();
            }
        }
    }

    /// `(Join-Path $dir 'x')`, `[IO.Path]::Combine($dir, 'x')`: what stands for a path.
    fn path_in_brackets(&mut self) -> Option<Arg> {
        let whole = self.rest;
        if whole.starts_with("([") {
            self.skip(1);
            let path = self.path_in_brackets().filter(|_| self.take(")"));
            self.rest = if path.is_some() { self.rest } else { whole };
            return path;
        }
        if self.takes_here() {
            return Some(Arg::derived("."));
        }
        let lower = whole.get(..whole.find('(')? + 1)?.to_lowercase();
        let method = PATH_METHODS.iter().find(|(method, _)| *method == lower);
        let name = whole.strip_prefix('(').unwrap_or_default().trim_start();
        let name = name.split(char::is_whitespace).next()?.to_lowercase();
        if method.is_none() && !matches!(&*name, "join-path" | "split-path") {
            return None;
        }
        let outside = std::mem::take(&mut self.present);
        self.skip(lower.len());
        let mut words = self.words_in_brackets();
        if let (Some(words), Some((_, name))) = (&mut words, method) {
            let parts = words.iter().flat_map(listed);
            *words = std::iter::once(Arg::literal(*name)).chain(parts).collect();
        }
        let env = std::mem::replace(&mut self.present, outside).env;
        let path = words.and_then(|words| made_path(&words.first()?.text, words.get(1..)?));
        match path {
            Some(_) => self.present.env.extend(env),
            None => self.rest = whole,
        }
        path
    }

    /// `(Get-Location).Path`: the present directory.
    fn takes_here(&mut self) -> bool {
        let inside = self
            .rest
            .strip_prefix('(')
            .and_then(|rest| rest.split_once(')'));
        let is_here = |name: &str| matches!(&*name.to_lowercase(), "get-location" | "gl" | "pwd");
        let Some((_, rest)) = inside.filter(|(name, _)| is_here(name)) else {
            return false;
        };
        let field = rest.strip_prefix(".Path");
        self.rest = field.or(rest.strip_prefix(".path")).unwrap_or(rest);
        true
    }

    /// The words up to the bracket that closes; nothing if other than words stands there.
    fn words_in_brackets(&mut self) -> Option<Vec<Arg>> {
        let mut words = Vec::new();
        loop {
            let is_between = |c: char| matches!(c, ' ' | '\t' | ',');
            self.rest = self.rest.trim_start_matches(is_between);
            if self.take(")") {
                return Some(words);
            }
            if let Some(path) = self.path_in_brackets() {
                words.push(path);
                continue;
            }
            if self.rest.is_empty() || self.rest.starts_with(STOPPING) {
                return None;
            }
            words.push(self.word());
        }
    }

    /// Whether the word before is a method, or takes what stands in parentheses as its text:
    /// `[IO.File]::Delete`, `iex`.
    fn calls(&self) -> bool {
        let is_calling = |last: &Arg| {
            let name = last.text.to_lowercase();
            let is_method = name.contains("]::") || name.ends_with(".downloadfile");
            is_method || matches!(&*name, "iex" | "invoke-expression")
        };
        let words = self.present.words.as_slice();
        let is_first = words.len() == 1 || words.len() == 3 && self.is_assigned();
        is_first && words.last().is_some_and(is_calling)
    }

    /// Whether two quoted parts are made one: `'a' + 'b'`.
    fn joins(&mut self) -> bool {
        let rest = self.rest.trim_start_matches(' ').strip_prefix('+');
        let rest = rest.map(|rest| rest.trim_start_matches(' '));
        match rest.filter(|rest| rest.starts_with(['\'', '"', '$'])) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn add(&mut self, word: Arg) {
        match self.redirects.take() {
            Some(appends) => self.present.redirects.push((word, appends)),
            None => {
                if !self.present.text.is_empty() {
                    self.present.text.push(' ');
                }
                self.present.text.push_str(&word.text);
                self.present.words.push(word);
            }
        }
    }

    /// Whether a variable alone stands before: `$x='a'`.
    fn is_naming(&self) -> bool {
        let [only] = self.present.words.as_slice() else {
            return false;
        };
        only.text.starts_with(VARIABLE)
    }

    /// Notes which file a variable has the text of: `$t = Get-Content x`.
    fn note_text(&mut self, command: &Command) {
        let is_json = |command: &Command| {
            let first = command.words.first();
            first.is_some_and(|first| first.text.eq_ignore_ascii_case("convertfrom-json"))
        };
        if let Some(name) = self.unsettled.take() {
            let read = texts::whole(&command.words);
            let first = command.words.first();
            let stays = command.is_inner || first.is_none_or(texts::changes);
            match read {
                Some(file) => _ = self.texts.insert(name.clone(), file),
                None if stays || is_json(command) => {}
                None => _ = self.texts.remove(&name),
            }
            self.unsettled = Some(name);
            return;
        }
        let [name, sign, given @ ..] = command.words.as_slice() else {
            return;
        };
        let name = name.text.strip_prefix(VARIABLE);
        let Some(name) = name.filter(|_| sign.text == "=").map(str::to_lowercase) else {
            return;
        };
        let held = match (command.holds.as_slice(), given) {
            ([file], [_, ..]) if given.get(1).is_none_or(texts::changes) => Some(file.clone()),
            _ => texts::whole(given),
        };
        match held {
            Some(file) => _ = self.texts.insert(name.clone(), file),
            None => _ = self.texts.remove(&name),
        }
        self.unsettled = Some(name);
    }

    fn end_statement(&mut self) {
        self.end(false);
        self.unsettled = None;
    }

    fn end(&mut self, pipes: bool) {
        let mut command = std::mem::take(&mut self.present);
        self.present.is_piped = pipes;
        self.present.is_held = pipes && command.is_held;
        command.depth = self.depth;
        self.note_text(&command);
        self.assign(&mut command);
        if !command.words.is_empty() || !command.redirects.is_empty() {
            self.found.push(command);
        }
    }

    /// Gives a variable its value; what is left of the command is what gives it, if it is run.
    fn assign(&mut self, command: &mut Command) {
        let [name, sign, value, rest @ ..] = command.words.as_slice() else {
            return;
        };
        let Some(name) = name
            .text
            .strip_prefix(VARIABLE)
            .filter(|_| sign.text == "=")
        else {
            return;
        };
        let name = name.to_lowercase();
        let made = match rest {
            rest if is_moment(&value.text) => Some(moment(rest.iter().map(|word| &*word.text))),
            [] => Some(value.clone()),
            rest => made_path(&value.text, rest),
        };
        let end = match made {
            None if command.is_held => 2,
            _ => command.words.len(),
        };
        self.made_of.insert(name.clone(), command.env.clone());
        self.vars.insert(name, made.unwrap_or_else(Arg::unknown));
        command.words.drain(..end);
        let words = command.words.iter().map(|word| word.text.as_str());
        command.text = words.collect::<Vec<_>>().join(" ");
    }

    fn word(&mut self) -> Arg {
        let mut word = Arg::default();
        while let Some(character) = self.rest.chars().next() {
            let part = match character {
                '\'' => self.single_quoted(),
                '"' => self.double_quoted(),
                '$' => self.variable(word.text.is_empty() && self.present.words.is_empty()),
                c if c.is_whitespace()
                    || matches!(c, ';' | '|' | '>' | '&' | '(' | ')' | '{' | '}') =>
                {
                    break;
                }
                '`' => {
                    self.skip(1);
                    self.one()
                }
                '~' if word.text.is_empty() && self.is_home() => {
                    self.skip(1);
                    Arg::derived(self.place.home.clone())
                }
                _ => self.one(),
            };
            word = word.followed_by(&part);
            if word.text.starts_with(VARIABLE) {
                break;
            }
            while matches!(character, '\'' | '"') && self.joins() {}
        }
        // Something that starts no word and ends none.
        if word.text.is_empty() && self.rest.starts_with(['(', ')', '{', '}']) {
            self.skip(1);
        }
        word
    }

    /// Whether the tilde that comes next stands for the home: alone, or before a separator.
    fn is_home(&self) -> bool {
        let after = self.rest.chars().nth(1);
        after.is_none_or(|c| c.is_whitespace() || matches!(c, '/' | '\\' | ';' | '|' | ')' | '}'))
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn one(&mut self) -> Arg {
        let mut characters = self.rest.chars();
        let text = characters.next().map(String::from).unwrap_or_default();
        self.rest = characters.as_str();
        Arg::literal(text)
    }

    fn single_quoted(&mut self) -> Arg {
        self.skip(1);
        let mut text = String::new();
        loop {
            let (part, rest) = self.rest.split_once('\'').unwrap_or((self.rest, ""));
            text.push_str(part);
            self.rest = rest;
            if !self.take("'") {
                return Arg::literal(text);
            }
            text.push('\'');
        }
    }

    fn double_quoted(&mut self) -> Arg {
        self.skip(1);
        let mut word = Arg::default();
        while let Some(character) = self.rest.chars().next() {
            let part = match character {
                '"' => {
                    self.skip(1);
                    break;
                }
                '$' => self.variable(false),
                '`' => {
                    self.skip(1);
                    self.one()
                }
                _ => self.one(),
            };
            word = word.followed_by(&part);
        }
        word
    }

    /// `$name`, `$env:NAME`, `$(…)`. At the start of a command it may be assigned to.
    fn variable(&mut self, may_be_assigned: bool) -> Arg {
        self.skip(1);
        if self.take("(") {
            let (inner, rest) = self.rest.split_once(')').unwrap_or((self.rest, ""));
            self.rest = rest;
            if is_moment(inner) {
                return moment([inner].into_iter());
            }
            // `$($name)` is `$name`.
            let name = inner.strip_prefix('$');
            let name = name.filter(|name| name.chars().all(is_name));
            return name.map_or_else(Arg::unknown, |name| self.value(&name.to_lowercase()));
        }
        let braced = self.take("{");
        let end = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        if braced {
            self.take("}");
        }
        let is_assigned = self.rest.trim_start().starts_with('=');
        if may_be_assigned && is_assigned {
            return Arg::literal(format!("{VARIABLE}{name}"));
        }
        if is_assigned {
            // `[string]$x = 'a'`
            self.texts.remove(&name.to_lowercase());
        }
        self.value(&name.to_lowercase())
    }

    /// Whether the text of a variable stands here whole, and not a part or its length.
    fn is_whole(&self) -> bool {
        let method = self.rest.strip_prefix('.').unwrap_or_default();
        let end = method.find(|c| !is_name(c)).unwrap_or(method.len());
        let name = method.get(..end).unwrap_or_default();
        let keeps = texts::changes(&Arg::literal(format!(".{name}")));
        !self.rest.starts_with(['.', '[']) || keeps
    }

    fn value(&mut self, name: &str) -> Arg {
        match name.strip_prefix("env:") {
            Some("temp" | "tmp") => {
                let dir = self.place.temp.first();
                Arg::derived(dir.cloned().unwrap_or_else(|| "/tmp".to_owned()))
            }
            Some("userprofile" | "home") => Arg::derived(self.place.home.clone()),
            Some(other) => {
                let upper = other.to_uppercase();
                let value = self.place.var(&upper).map(Arg::derived);
                // Not set on this machine: it lies on a drive, as on every machine that sets it.
                let usual = (upper == "LOCALAPPDATA").then(|| Arg::derived(LOCAL_DATA));
                self.present.env.push(upper);
                value.or(usual).unwrap_or_else(Arg::unknown)
            }
            None if matches!(name, "_" | "psitem") => Arg::derived(PIPED),
            None if matches!(name, "home") => Arg::derived(self.place.home.clone()),
            None if matches!(name, "null") => Arg::literal("/dev/null"),
            None if matches!(name, "pwd") => Arg::derived(self.place.cwd.clone()),
            None => {
                let made_of = self.made_of.get(name).into_iter().flatten().cloned();
                self.present.env.extend(made_of);
                let text = self.texts.get(name).filter(|_| self.is_whole());
                self.present.holds.extend(text.cloned());
                self.vars.get(name).cloned().unwrap_or_else(Arg::unknown)
            }
        }
    }
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | ':')
}

/// Whether a command gives the time.
fn is_moment(text: &str) -> bool {
    let command = text.trim_start_matches(['(', ' ']).to_lowercase();
    command.starts_with("get-date") || command.starts_with("[datetime]::now")
}

/// The time in a form: without one, and with seconds in it, it is another one each time.
fn moment<'w>(words: impl Iterator<Item = &'w str>) -> Arg {
    let text = words.collect::<Vec<_>>().join(" ").to_lowercase();
    let has_form = ["-f", "-u", ".to", ".date"]
        .iter()
        .any(|form| text.contains(form));
    let is_new = !has_form || ["ss", "ticks", "%s"].iter().any(|part| text.contains(part));
    Arg::foreign(if is_new { Arg::MOMENT } else { Arg::DAY })
}

/// Marks what is handed on from the command before.
pub(super) const PIPED: &str = "\u{2}";

/// Marks a variable that is assigned to.
const VARIABLE: char = '\u{1}';
