//! Words to text: quotes, variables, substitutions, splitting, braces, tildes. What is not known
//! stands as a hole. Commands inside words are walked; globs stay globs.

mod arithmetic;
mod parameter;

use crate::machine::{Frame, Output, PROCESS_DIR, Var};
use crate::{Arg, World};
use model::Certainty;
use shell::{Part, Word};
use std::borrow::Cow;
use text::glob;

pub(crate) use parameter::variable_or_empty;

/// Most words that braces in one word expand to.
const BRACES_MAX: usize = 1_024;

/// Longest text of one word that is kept, in bytes; the rest is a hole.
const TEXT_MAX: usize = 256 * 1024;

/// Most fields that one word is split into.
const FIELDS_MAX: usize = 1_024;

/// What stands for the process that started the shell: the agent, or what the agent started.
pub(crate) const PARENT: &str = "parent";

/// What unquoted values are split at, unless the call sets `IFS`.
const IFS: &str = " \t\n";

/// The fields that a word of a command becomes.
pub(crate) fn fields(world: &mut World<'_>, frame: &Frame<'_>, word: &Word<'_>) -> Vec<Arg> {
    if let Some(value) = arithmetic::value(world, frame, word) {
        return vec![value];
    }
    let mut all = Vec::new();
    for parts in alternatives(&word.parts) {
        let mut builder = Builder::default();
        for part in parts {
            add(world, frame, &mut builder, part);
        }
        all.append(&mut builder.finish());
    }
    all
}

/// A word as one text: of a redirection, a `case`, a test. Not split; braces stay as they are.
pub(crate) fn text(world: &mut World<'_>, frame: &Frame<'_>, word: &Word<'_>) -> Arg {
    match arithmetic::value(world, frame, word) {
        Some(value) => value,
        None => one_text(world, frame, &word.parts),
    }
}

/// The value that an assignment gives: not split, a glob in it is plain text.
pub(crate) fn assigned(world: &mut World<'_>, frame: &Frame<'_>, word: &Word<'_>) -> Arg {
    if let Some(value) = arithmetic::value(world, frame, word) {
        return value;
    }
    let value = one_text(world, frame, &word.parts);
    // Quotes inside the value are gone once it is stored: what globs, globs when it is used.
    Arg {
        text: if value.glob {
            glob::unescape(&value.text)
        } else {
            value.text
        },
        glob: false,
        ..value
    }
}

/// The text of a here-document.
pub(crate) fn quoted_text(world: &mut World<'_>, frame: &Frame<'_>, parts: &[Part<'_>]) -> Arg {
    let mut builder = Builder::default();
    for part in parts {
        add_quoted(world, frame, &mut builder, part);
    }
    builder.finish_one()
}

/// A text whose variables and commands a shell expands once it has it, as that of a prompt.
fn expanded_again(world: &mut World<'_>, frame: &Frame<'_>, text: &str) -> Arg {
    if !world.enter_level() {
        return Arg::unknown();
    }
    let source = format!("cat <<__\n{text}\n__\n");
    let script = shell::parse(source.as_bytes());
    let inner = Frame {
        source: source.as_bytes(),
        via: frame.via.clone(),
        ..frame.fed(frame.input.clone())
    };
    let output = (world.runner.subshell)(world, &inner, &script.body);
    world.leave_level();
    substituted(world, output)
}

/// Walks the commands inside, for what they do.
pub(crate) fn side_effects(world: &mut World<'_>, frame: &Frame<'_>, parts: &[Part<'_>]) {
    quoted_text(world, frame, parts);
}

fn one_text(world: &mut World<'_>, frame: &Frame<'_>, parts: &[Part<'_>]) -> Arg {
    let mut builder = Builder {
        keeps_together: true,
        ..Builder::default()
    };
    for part in parts {
        match part {
            Part::Brace(_) => {
                let found: Vec<Arg> = alternatives(std::slice::from_ref(part))
                    .into_iter()
                    .map(|parts| {
                        let parts: Vec<Part<'_>> = parts.into_iter().cloned().collect();
                        one_text(world, frame, &parts)
                    })
                    .collect();
                let texts: Vec<&str> = found.iter().map(|arg| arg.text.as_str()).collect();
                builder.push(&format!("{{{}}}", texts.join(",")), false);
            }
            _ => add(world, frame, &mut builder, part),
        }
    }
    builder.finish_one()
}

/// The lists of parts that braces multiply a word into.
fn alternatives<'w, 's>(parts: &'w [Part<'s>]) -> Vec<Vec<&'w Part<'s>>> {
    let mut all: Vec<Vec<&Part<'s>>> = vec![Vec::new()];
    for part in parts {
        let Part::Brace(words) = part else {
            for one in &mut all {
                one.push(part);
            }
            continue;
        };
        let choices: Vec<Vec<&Part<'s>>> = words
            .iter()
            .flat_map(|word| alternatives(&word.parts))
            .collect();
        let mut next = Vec::new();
        for start in &all {
            for choice in &choices {
                if next.len() < BRACES_MAX {
                    next.push([start.as_slice(), choice.as_slice()].concat());
                }
            }
        }
        all = next;
    }
    all
}

fn add(world: &mut World<'_>, frame: &Frame<'_>, builder: &mut Builder, part: &Part<'_>) {
    match part {
        Part::Literal(text) => builder.push(&lossy(text), false),
        Part::Glob(text) => builder.push_glob(&lossy(text)),
        Part::Tilde(user) => builder.push(&home(world, &lossy(user)), false),
        Part::DoubleQuoted(parts) => {
            builder.is_started = true;
            for part in parts {
                add_quoted(world, frame, builder, part);
            }
            // `"$@"` without parameters is no word at all.
            if let [Part::Parameter(parameter)] = parts.as_slice()
                && matches!(&*parameter.name, b"@")
                && builder.text.is_empty()
            {
                builder.is_started = false;
            }
        }
        Part::Parameter(parameter) => {
            let values = parameter::values(world, frame, parameter);
            let ifs = separators(world);
            for (count, value) in values.all.iter().enumerate() {
                if count > 0 {
                    builder.next_field();
                }
                builder.push_split(value, &ifs);
            }
        }
        Part::Command { .. } | Part::Arithmetic(_) => {
            let value = value_of(world, frame, part);
            let ifs = separators(world);
            builder.push_split(&value, &ifs);
        }
        Part::Brace(words) => {
            for word in words {
                builder.push(&text(world, frame, word).text, false);
            }
        }
        Part::Quoted(_) | Part::Process { .. } | Part::Unread(_) => {
            add_quoted(world, frame, builder, part);
        }
    }
}

/// Adds a part that stands in double quotes, or that needs none.
fn add_quoted(world: &mut World<'_>, frame: &Frame<'_>, builder: &mut Builder, part: &Part<'_>) {
    match part {
        Part::Quoted(text) | Part::Literal(text) | Part::Glob(text) => {
            builder.push(&lossy(text), true);
        }
        Part::Parameter(parameter) => {
            let values = parameter::values(world, frame, parameter);
            for (count, value) in values.all.iter().enumerate() {
                match (count, values.is_list) {
                    (0, _) => {}
                    (_, true) => builder.next_field(),
                    (_, false) => builder.push(" ", true),
                }
                builder.push_value(value);
            }
        }
        Part::Command { .. } | Part::Arithmetic(_) => {
            let value = value_of(world, frame, part);
            builder.push_value(&value);
        }
        Part::DoubleQuoted(parts) => {
            builder.is_started = true;
            for part in parts {
                add_quoted(world, frame, builder, part);
            }
        }
        Part::Process { output, body } => {
            let printed = (world.runner.subshell)(world, frame, body);
            let number = world.processes.len();
            world
                .processes
                .push(if *output { Output::Unknown } else { printed });
            builder.push(&format!("{}{number}", PROCESS_DIR), true);
        }
        Part::Tilde(user) => builder.push(&home(world, &lossy(user)), true),
        Part::Brace(_) | Part::Unread(_) => builder.push_value(&Arg::unknown()),
    }
}

/// What a command substitution or arithmetic stands for.
fn value_of(world: &mut World<'_>, frame: &Frame<'_>, part: &Part<'_>) -> Arg {
    match part {
        Part::Command { span, body } => {
            let is_backtick = frame.source.get(span.start) == Some(&b'`');
            let source = if is_backtick { &[] } else { frame.source };
            let inner = Frame {
                source,
                via: frame.via.clone(),
                ..frame.fed(frame.input.clone())
            };
            let output = (world.runner.subshell)(world, &inner, body);
            substituted(world, output)
        }
        Part::Arithmetic(parts) => {
            side_effects(world, frame, parts);
            Arg::unknown()
        }
        _ => Arg::unknown(),
    }
}

fn substituted(world: &mut World<'_>, output: Output) -> Arg {
    match output {
        Output::Text(text) => Arg {
            text: text.text.trim_end_matches('\n').to_owned(),
            sure: text.sure.max(Certainty::Derived),
            glob: text.glob,
        },
        Output::File(file) => file_content(world, &file),
        Output::Download(_) => Arg::foreign(Arg::DOWNLOADED),
        Output::Packed(_) | Output::Unknown => Arg::unknown(),
    }
}

/// `$(cat file)`: known if this call wrote the file, or if it is short.
fn file_content(world: &mut World<'_>, file: &Arg) -> Arg {
    let target = world.target(file);
    if target.is_known() {
        world.rewrites.note_whole(&target.path);
    }
    let text = match world.is_written(&target.path) {
        true => world.text(&target.path).known().cloned(),
        false => world.few_words(file),
    };
    match text {
        Some(text) => Arg::derived(text.trim_end_matches('\n')),
        None => Arg::unknown(),
    }
}

fn home(world: &World<'_>, user: &str) -> String {
    match user {
        "" => match world.now.shell.vars.get("HOME") {
            Some(Var { values, .. }) => values.first().map(|v| v.text.clone()).unwrap_or_default(),
            None if world.place.home.is_empty() => Arg::HOLE.to_string(),
            None => world.place.home.clone(),
        },
        "+" => world.cwd().map_or(Arg::HOLE.to_string(), str::to_owned),
        "root" => "/root".to_owned(),
        "-" => Arg::HOLE.to_string(),
        other if world.now.shell.vars.contains_key(&format!("~{other}")) => {
            let named = world.now.shell.vars.get(&format!("~{other}"));
            let dir = named.and_then(|var| var.values.first());
            dir.map(|dir| dir.text.clone()).unwrap_or_default()
        }
        other => {
            let parent = text::path::parent(&world.place.home);
            format!("{}/{other}", parent.trim_end_matches('/'))
        }
    }
}

/// What unquoted values are split at now.
pub(crate) fn separators(world: &World<'_>) -> String {
    let set = world
        .now
        .shell
        .vars
        .get("IFS")
        .and_then(|var| var.values.first());
    match set {
        Some(value) if value.is_known() => value.text.clone(),
        _ => IFS.to_owned(),
    }
}

fn lossy(text: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(text) {
        Ok(text) => Cow::Borrowed(text),
        // A byte that is no text could be anything.
        Err(_) => {
            let lossy = String::from_utf8_lossy(text);
            Cow::Owned(lossy.replace(char::REPLACEMENT_CHARACTER, "\u{fffc}"))
        }
    }
}

/// Puts fields together, remembering which characters glob.
#[derive(Debug, Default)]
struct Builder {
    fields: Vec<Arg>,
    /// The present field.
    text: String,
    /// Where in the present field live glob characters stand, in bytes.
    live: Vec<usize>,
    sure: Certainty,
    is_started: bool,
    /// Whether everything is one field.
    keeps_together: bool,
}

impl Builder {
    fn push(&mut self, text: &str, is_quoted: bool) {
        self.is_started |= is_quoted || !text.is_empty();
        if text.contains(Arg::HOLE) {
            self.sure = Certainty::Unknown;
        }
        self.extend(text);
    }

    /// Adds text, up to a limit; beyond it nothing is known.
    fn extend(&mut self, text: &str) {
        if self.text.len() + text.len() > TEXT_MAX {
            self.sure = Certainty::Unknown;
            self.text.push_str(&Arg::too_long(&[text]).text);
        } else {
            self.text.push_str(text);
        }
    }

    fn push_glob(&mut self, text: &str) {
        self.is_started = true;
        let start = self.text.len();
        self.live.extend(start..start + text.len());
        self.text.push_str(text);
    }

    fn push_value(&mut self, value: &Arg) {
        self.is_started = true;
        self.sure = self.sure.max(value.sure.max(Certainty::Derived));
        if value.glob {
            self.push_escaped(&value.text);
        } else {
            self.extend(&value.text);
        }
    }

    /// Text of a word that globs: `\` stands before what does not.
    fn push_escaped(&mut self, text: &str) {
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            match character {
                '\\' => self.text.extend(rest.next()),
                c => self.push_live(c),
            }
        }
    }

    /// Adds a character that globs if it can.
    fn push_live(&mut self, character: char) {
        if glob::is_live(character) {
            self.live.push(self.text.len());
        }
        self.text.push(character);
    }

    /// Adds an unquoted value: split at separators, its glob characters live.
    fn push_split(&mut self, value: &Arg, separators: &str) {
        // Paths that a search found are words of their own already.
        if self.keeps_together || value.glob {
            if !value.text.is_empty() {
                self.push_value(value);
            }
            return;
        }
        for (count, part) in value.text.split(|c| separators.contains(c)).enumerate() {
            if count > 0 {
                self.next_field();
            }
            if part.is_empty() {
                continue;
            }
            self.is_started = true;
            self.sure = self.sure.max(value.sure.max(Certainty::Derived));
            if part.contains(['*', '?', '[']) {
                part.chars().for_each(|c| self.push_live(c));
            } else {
                self.extend(part);
            }
        }
    }

    fn next_field(&mut self) {
        if self.keeps_together {
            self.text.push(' ');
        } else if self.is_started && self.fields.len() < FIELDS_MAX {
            let field = self.take();
            self.fields.push(field);
        }
    }

    fn take(&mut self) -> Arg {
        let plain = std::mem::take(&mut self.text);
        let live = std::mem::take(&mut self.live);
        self.is_started = false;
        let sure = std::mem::take(&mut self.sure);
        let glob = !live.is_empty();
        let text = if glob {
            escaped_but(&plain, &live)
        } else {
            plain
        };
        Arg { text, sure, glob }
    }

    fn finish(mut self) -> Vec<Arg> {
        if self.is_started {
            let field = self.take();
            self.fields.push(field);
        }
        self.fields
    }

    fn finish_one(mut self) -> Arg {
        self.take()
    }
}

/// The text with `\` before every glob character that is not live.
fn escaped_but(plain: &str, live: &[usize]) -> String {
    let mut text = String::with_capacity(plain.len());
    for (at, character) in plain.char_indices() {
        if glob::is_live(character) && !live.contains(&at) {
            text.push('\\');
        }
        text.push(character);
    }
    text
}
