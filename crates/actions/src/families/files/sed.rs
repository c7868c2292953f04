//! `sed`: edits in place, and scripts that write, read and run.

use super::super::masks;
use super::substitute::substituted;
use crate::command_context::CommandContext;
use crate::machine::Output;
use crate::options::{Options, Spec, attached, flag, value};
use crate::stdout::may_be_settings;
use crate::{Arg, Input, Invocation, World, destructive};
use model::{Certainty, Flag, Flags};

const SED: Spec = Spec::gnu(&[
    flag("quiet n silent"),
    flag("debug"),
    flag("sandbox"),
    flag("follow-symlinks"),
    flag("posix"),
    flag("regexp-extended E r"),
    flag("separate s"),
    flag("unbuffered u"),
    flag("null-data z"),
    flag("a"),
    value("expression e"),
    value("file f"),
    value("line-length l"),
    attached("in-place i I"),
]);

/// `sed`
pub fn sed(context: &mut CommandContext<'_, '_>) {
    let mut options = Options::read(&context.invocation.args, &SED);
    if options.asks_for_help() {
        return;
    }
    // In the manner of BSD an empty suffix is a word of its own: `sed -i '' s/a/b/ f`. Before a
    // file alone it is the script.
    let empty = options
        .operands
        .first()
        .is_some_and(|arg| arg.text.is_empty() && arg.is_known());
    let in_place = options.has("in-place");
    let is_suffix = options.operands.len() > 2 || options.has_any(&["expression", "file"]);
    if in_place && empty && is_suffix {
        options.operands.remove(0);
    }
    let (script, files) = script_and_files(context, &options);
    let effects = effects_of(&script.text);
    let leaves_nothing = leaves_nothing(&script.text, options.has("quiet"));
    for effect in &effects {
        let word = |text: &str| Arg {
            text: text.to_owned(),
            sure: script.sure.max(Certainty::Literal),
            glob: false,
        };
        match effect {
            Effect::Writes(file) => {
                let target = context.target(&word(file));
                context.replace(&target, Flags::NONE, None);
            }
            Effect::Reads(file) => context.read(&word(file)),
            Effect::Runs(command) => {
                let invocation = context.invocation;
                context.world.script(invocation, "sed e", &word(command));
            }
            Effect::RunsInput if destructive::named_in(&script.text) || is_deed(context) => {
                let text = Arg::foreign(Arg::DECODED);
                crate::effects::execute_unknown(context.world, context.invocation, &text);
            }
            Effect::RunsInput => context.execute(),
            Effect::Empties | Effect::Prints => {}
        }
    }
    if !in_place && masks::hides_values(context.invocation) {
        context.world.hides_values = true;
        return;
    }
    if !in_place {
        return context.read_all(files);
    }
    let keeps = options
        .value("in-place")
        .is_some_and(|suffix| !suffix.text.is_empty());
    let empties = leaves_nothing && !keeps;
    for hit in context.all_hits(files) {
        for target in hit.paths() {
            let takes_all = !keeps && takes_the_rest(context, &script, &target.path);
            if empties || takes_all {
                context.replace(target, Flags::NONE, None);
            } else {
                context.edit_in_place(target, hit.flags.without(Flag::Mass));
                let path = target.path.as_str();
                let is_plain = effects.is_empty() && script.is_known();
                let after = match is_plain {
                    _ if path.ends_with("/.gitignore") => ignored_after(context, &script, path),
                    true => settings_after(context.world, &options, &script.text, path),
                    false => None,
                };
                note_after(context, path, after);
            }
        }
    }
}

/// Notes what stands in a file from now on, if that is known.
fn note_after(context: &mut CommandContext<'_, '_>, path: &str, after: Option<String>) {
    if after.is_some() {
        context.world.wrote(path, after);
    }
}

/// `1,/^---$/d`: it takes a whole file that has no such line after its first.
fn takes_the_rest(context: &mut CommandContext<'_, '_>, script: &Arg, path: &str) -> bool {
    let end = script.text.trim().strip_prefix("1,/");
    let Some(end) = end.and_then(|rest| rest.strip_suffix("/d")) else {
        return false;
    };
    let Some(text) = context.world.text(path).known().cloned() else {
        return false;
    };
    let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    let search = Invocation {
        program: "grep".to_owned(),
        args: vec![Arg::literal("-e"), Arg::literal(end)],
        input: Input::Text(Arg::derived(rest)),
        ..context.invocation.clone()
    };
    let found = crate::stdout::matching(context.world, &search);
    matches!(found, Output::Text(lines) if lines.text.is_empty())
}

/// What git is told to ignore after plain substitutions, after `/x/d`, or with a line more.
fn ignored_after(context: &mut CommandContext<'_, '_>, script: &Arg, path: &str) -> Option<String> {
    let text = context.world.text(path).known().cloned()?;
    let script = script.text.trim();
    if let Some(line) = script.strip_prefix("$a") {
        return Some(format!(
            "{text}\n{}\n",
            line.trim_start_matches(['\\', ' ', '\n'])
        ));
    }
    let Some(pattern) = script
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix("/d"))
    else {
        return substituted(script, false, &text);
    };
    let search = Invocation {
        program: "grep".to_owned(),
        args: ["-v", "-e", pattern].map(Arg::literal).to_vec(),
        input: Input::Text(Arg::derived(text)),
        ..context.invocation.clone()
    };
    let left = crate::stdout::matching(context.world, &search);
    left.text()
        .filter(|left| left.is_known())
        .map(|left| left.text.clone())
}

/// What a host's settings say after plain substitutions.
fn settings_after(
    world: &mut World<'_>,
    options: &Options,
    script: &str,
    path: &str,
) -> Option<String> {
    let is_odd = ["quiet", "debug", "separate", "null-data", "a", "file"];
    if !(world.place.settings.is_one)(path) || is_odd.iter().any(|name| options.has(name)) {
        return None;
    }
    let text = world.text(path).known().cloned()?;
    substituted(script, options.has("regexp-extended"), &text)
}

/// What is printed of a host's settings.
pub(super) fn printed(world: &mut World<'_>, invocation: &Invocation) -> Output {
    // Most print something else, and that is soon seen.
    let may_be = invocation
        .args
        .last()
        .is_some_and(|file| may_be_settings(&file.text));
    if !may_be {
        return Output::Unknown;
    }
    let options = Options::read(&invocation.args, &SED);
    let given: Vec<&str> = options
        .values("expression")
        .map(|part| part.text.as_str())
        .collect();
    let (script, file) = match (given.as_slice(), options.operands.as_slice()) {
        ([], [script, file]) => (script.text.clone(), file),
        ([_, ..], [file]) => (given.join("\n"), file),
        _ => return Output::Unknown,
    };
    if options.has("in-place") || invocation.args.iter().any(|arg| !arg.is_known()) {
        return Output::Unknown;
    }
    let path = world.target(file).path;
    let after = settings_after(world, &options, &script, &path);
    after.map_or(Output::Unknown, |after| Output::Text(Arg::derived(after)))
}

/// Whether the lines that are fed could be a deed.
fn is_deed(context: &CommandContext<'_, '_>) -> bool {
    let fed = context.input_text();
    fed.is_some_and(|text| destructive::named_in(&text))
}

/// Whether a script prints nothing of what it reads.
fn leaves_nothing(script: &str, quiet: bool) -> bool {
    const BLANKING: &[&str] = &["s/.*//", "s/.*//g", "s/^.*$//", "s/^.*$//g", "s/.//g"];
    if BLANKING.contains(&script.trim()) {
        return true;
    }
    let mut scanner = Scanner {
        rest: script,
        effects: Vec::new(),
        depth: 0,
    };
    while scanner.command().is_some() {}
    let is_read = scanner.rest.trim().is_empty();
    let effects = scanner.effects;
    let prints = effects.contains(&Effect::Prints) || effects.iter().any(Effect::runs);
    effects.contains(&Effect::Empties) || quiet && is_read && !prints
}

/// Whether `sed` with these words prints nothing of what it reads.
pub(super) fn prints_nothing(args: &[Arg]) -> bool {
    let options = Options::read(args, &SED);
    let given: Vec<&str> = options
        .values("expression")
        .map(|part| part.text.as_str())
        .collect();
    let script = match given.as_slice() {
        [] => options.word(0).to_owned(),
        parts => parts.join("\n"),
    };
    !options.has("file") && leaves_nothing(&script, options.has("quiet"))
}

/// The script in one text (parts of `-e` and `-f` on lines of their own), and the files.
fn script_and_files<'o>(
    context: &mut CommandContext<'_, '_>,
    options: &'o Options,
) -> (Arg, &'o [Arg]) {
    let mut parts = Vec::new();
    for (name, given) in &options.seen {
        match (*name, given) {
            ("expression", Some(part)) => parts.push(part.clone()),
            ("file", Some(file)) => parts.push(script_file(context, file)),
            _ => {}
        }
    }
    let mut files = options.operands.as_slice();
    if parts.is_empty()
        && let Some((script, rest)) = files.split_first()
    {
        parts.push(script.clone());
        files = rest;
    }
    let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    let script = Arg {
        text: texts.join("\n"),
        sure: parts.iter().map(|part| part.sure).max().unwrap_or_default(),
        glob: false,
    };
    (script, files)
}

fn script_file(context: &mut CommandContext<'_, '_>, file: &Arg) -> Arg {
    if let Some(output) = context.world.process_output(file) {
        return output.text().cloned().unwrap_or_default();
    }
    if let (Input::Text(text), "-" | "/dev/stdin") = (&context.invocation.input, &*file.text) {
        return text.clone();
    }
    let target = context.target(file);
    Arg {
        text: context
            .world
            .text(&target.path)
            .known()
            .cloned()
            .unwrap_or_default(),
        sure: Certainty::Derived,
        glob: false,
    }
}

/// What a script does besides changing what it prints.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Effect {
    Writes(String),
    Reads(String),
    Runs(String),
    /// Runs lines of its input as commands (`e`, `s///e`).
    RunsInput,
    /// Leaves no line, or nothing on any.
    Empties,
    /// Prints, whatever else is printed.
    Prints,
}

impl Effect {
    const fn runs(&self) -> bool {
        matches!(self, Self::Runs(_) | Self::RunsInput)
    }
}

/// Addresses of every line that is not empty.
const EVERY_LINE: &[&str] = &["/./", "/.*/", "/^/", "/$/", "/^.*$/"];

/// Patterns that take all of a line.
const WHOLE_LINE: &[&str] = &[".*", "^.*", "^.*$", ".*$", ".\\+", ".+"];

fn effects_of(script: &str) -> Vec<Effect> {
    let mut scanner = Scanner {
        rest: script,
        effects: Vec::new(),
        depth: 0,
    };
    while scanner.command().is_some() {}
    scanner.effects
}

/// Reads a script command by command; ends at what it cannot read.
struct Scanner<'s> {
    rest: &'s str,
    effects: Vec<Effect>,
    depth: usize,
}

impl<'s> Scanner<'s> {
    fn command(&mut self) -> Option<()> {
        self.skip(|letter| letter.is_whitespace() || letter == ';');
        let everything = self.address()?;
        match self.next()? {
            '{' => self.depth += 1,
            '}' => self.depth = self.depth.saturating_sub(1),
            'c' => {
                if everything && self.depth == 0 {
                    self.effects.push(Effect::Empties);
                }
                self.text();
            }
            letter @ ('#' | 'a' | 'i') => {
                if letter != '#' {
                    self.effects.push(Effect::Prints);
                }
                self.text();
            }
            ':' | 'b' | 't' | 'T' => drop(self.until(&['\n', ';', '}'])),
            'r' | 'R' => {
                let file = self.line();
                self.effects.push(Effect::Reads(file));
            }
            'w' | 'W' => {
                let file = self.line();
                self.effects.push(Effect::Writes(file));
            }
            'e' => {
                let command = self.line();
                self.effects.push(match command.as_str() {
                    "" => Effect::RunsInput,
                    _ => Effect::Runs(command),
                });
            }
            's' => {
                let mark = self.next()?;
                let start = self.rest;
                self.delimited(mark)?;
                let pattern = passed(start, self.rest);
                let start = self.rest;
                self.delimited(mark)?;
                let is_whole = WHOLE_LINE.contains(&pattern) && passed(start, self.rest).is_empty();
                if is_whole && everything && self.depth == 0 {
                    self.effects.push(Effect::Empties);
                }
                self.substitution_flags();
            }
            'y' => {
                let mark = self.next()?;
                self.delimited(mark)?;
                self.delimited(mark)?;
            }
            'd' | 'z' | 'Q' if everything && self.depth == 0 => self.effects.push(Effect::Empties),
            'p' | 'P' | '=' | 'F' => self.effects.push(Effect::Prints),
            'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'x' | 'z' => {}
            letter @ ('l' | 'L' | 'q' | 'Q') => {
                if letter == 'l' {
                    self.effects.push(Effect::Prints);
                }
                self.skip(|letter| letter.is_ascii_digit() || letter == ' ');
            }
            _ => return None,
        }
        Some(())
    }

    /// Passes the address; whether it takes every line.
    fn address(&mut self) -> Option<bool> {
        let start = self.rest;
        loop {
            match self.rest.chars().next()? {
                '/' => {
                    self.next();
                    self.delimited('/')?;
                    self.skip(|letter| matches!(letter, 'I' | 'M'));
                }
                '\\' => {
                    self.next();
                    let mark = self.next()?;
                    self.delimited(mark)?;
                    self.skip(|letter| matches!(letter, 'I' | 'M'));
                }
                '0'..='9' | '$' | ',' | '~' | '+' | '!' | ' ' | '\t' => drop(self.next()),
                _ => break,
            }
        }
        let length = start.len() - self.rest.len();
        let address = start.get(..length).unwrap_or_default().trim();
        Some(matches!(address, "" | "1,$" | "0,$") || EVERY_LINE.contains(&address))
    }

    fn substitution_flags(&mut self) {
        loop {
            match self.rest.chars().next() {
                Some('w') => {
                    self.next();
                    let file = self.line();
                    return self.effects.push(Effect::Writes(file));
                }
                Some('e') => {
                    self.next();
                    self.effects.push(Effect::RunsInput);
                }
                Some('p') => {
                    self.next();
                    self.effects.push(Effect::Prints);
                }
                Some('g' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => drop(self.next()),
                _ => return,
            }
        }
    }

    fn next(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let letter = letters.next();
        self.rest = letters.as_str();
        letter
    }

    fn skip(&mut self, passed: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(passed);
    }

    /// Passes text up to an unescaped mark, and the mark. Inside `[…]` a mark is a plain letter.
    fn delimited(&mut self, mark: char) -> Option<()> {
        let mut bracket = false;
        loop {
            match self.next()? {
                '\\' => drop(self.next()?),
                letter if letter == mark && !bracket => return Some(()),
                '[' => bracket = self.rest.contains(']'),
                ']' => bracket = false,
                _ => {}
            }
        }
    }

    fn until(&mut self, ends: &[char]) -> &'s str {
        let (text, rest) = match self.rest.find(ends) {
            Some(at) => self.rest.split_at_checked(at).unwrap_or((self.rest, "")),
            None => (self.rest, ""),
        };
        self.rest = rest;
        text
    }

    /// The rest of the line, trimmed: the name of a file or a command.
    fn line(&mut self) -> String {
        self.until(&['\n']).trim().to_owned()
    }

    /// Text of `a`, `i`, `c`, or a comment: a line that ends in a backslash goes on.
    fn text(&mut self) {
        while self.until(&['\n']).ends_with('\\') && self.next().is_some() {}
    }
}

/// What was passed of a text that ends in a mark, without the mark.
fn passed<'s>(start: &'s str, rest: &str) -> &'s str {
    let length = start.len() - rest.len();
    let passed = start.get(..length).unwrap_or_default();
    let end = passed.char_indices().next_back().map_or(0, |(at, _)| at);
    passed.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read_for_what_they_do_besides_printing() {
        let writes = |file: &str| Effect::Writes(file.into());
        for (script, expected) in [
            ("w /home/dev/.bashrc", vec![writes("/home/dev/.bashrc")]),
            ("s/a/b/", vec![]),
            ("s/foo/bar/w /dev/null", vec![writes("/dev/null")]),
            ("s/a/b/g;s|w x|w y|", vec![]),
            ("s/[/]/w/; 1,5p", vec![]),
            ("/w x/d", vec![]),
            ("$d", vec![]),
            ("d", vec![Effect::Empties]),
            ("1,$d", vec![Effect::Empties]),
            ("/a/,/b/{ p; w out\n}", vec![writes("out")]),
            ("a\\\nw not a file", vec![]),
            ("1i w not a file\nw yes", vec![writes("yes")]),
            ("1e rm -rf /", vec![Effect::Runs("rm -rf /".into())]),
            ("s/.*/date/e", vec![Effect::RunsInput]),
            ("r /etc/passwd", vec![Effect::Reads("/etc/passwd".into())]),
            (":a;N;$!ba;s/\\n/ /g", vec![]),
            ("# w x", vec![]),
            ("y/abc/xyz/;w z", vec![writes("z")]),
            ("\\,w,p;w z", vec![writes("z")]),
            ("s/a", vec![]),
        ] {
            let mut effects = effects_of(script);
            effects.retain(|effect| *effect != Effect::Prints);
            assert_eq!(effects, expected, "{script}");
        }
    }
    #[test]
    fn what_leaves_nothing_is_told_from_what_changes() {
        for script in [
            "d",
            "1,$d",
            "/./d",
            "s/.*//",
            "s/^.*$//g",
            "c\\gone",
            "Q",
            "s/a/b/;d",
        ] {
            assert!(leaves_nothing(script, false), "{script}");
        }
        for script in ["", "s/a/b/", "h"] {
            assert!(leaves_nothing(script, true), "{script}");
            assert!(!leaves_nothing(script, false), "{script}");
        }
        for script in [
            "/^TODO/d",
            "1d",
            "$d",
            "s/.*/x/",
            "s/a.*//",
            "/x/c\\new",
            "5q",
            "1,3p",
        ] {
            assert!(!leaves_nothing(script, false), "{script}");
        }
        for script in ["1,3p", "/a/p", "s/a/b/p", "$=", "/a/{p;q}"] {
            assert!(!leaves_nothing(script, true), "{script}");
        }
    }
}
