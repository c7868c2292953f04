//! Redirections: files written and read around a command, and what it gets as input.

use super::shape;
use crate::effects::{self, Change, Write};
use crate::machine::{Frame, Output, Script};
use crate::words;
use crate::world::Rewrites;
use crate::{Arg, Input, Invocation, Target, World};
use model::{Action, Certainty, PathKind, ResourceKind, Verb, Zone};
use shell::{Command, CommandKind, Part, Redirect, RedirectOperator as Operator, Word};
use std::rc::Rc;
use text::path;

/// Where bash opens a connection instead of a file.
const SOCKET_DIRS: &[&str] = &["/dev/tcp/", "/dev/udp/"];

/// What redirections make of a command's input and output.
#[derive(Debug, Default)]
pub(super) struct Redirected {
    input: Option<Input>,
    /// Files that the output goes to, and whether it is appended.
    outputs: Vec<(Target, bool)>,
    /// Whether standard output goes somewhere else.
    takes_output: bool,
    /// Whether standard output goes nowhere.
    is_silent: bool,
    /// The connection that output goes over.
    connection: Option<String>,
    /// Commands that read the output (`> >(sh)`).
    readers: Vec<Rc<str>>,
    /// Files of which what is printed is a new form.
    rewritten: Vec<String>,
}

/// Applies a command's redirections around its run.
pub(super) fn around(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    command: &Command<'_>,
    run: impl FnOnce(&mut World<'_>, &Frame<'_>) -> Output,
) -> Output {
    let redirected = apply(world, frame, command, &Given::NOTHING);
    within(world, frame, redirected, run)
}

/// Runs a command whose redirections were applied.
pub(super) fn within(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    redirected: Redirected,
    run: impl FnOnce(&mut World<'_>, &Frame<'_>) -> Output,
) -> Output {
    let fed = redirected.input.map(|input| frame.fed(input));
    let frame = fed.as_ref().unwrap_or(frame);
    let since = world.analysis.actions.len();
    let output = match run(world, frame) {
        Output::Unknown => Output::filtered(&frame.input),
        output => output,
    };
    if redirected.is_silent {
        // Of what else it started, nobody knows where that prints.
        let started = world.analysis.actions.get(since..).unwrap_or_default();
        let own = started.iter().take_while(|action| action.via == frame.via);
        let own = own.count();
        world.unreveal(since..since + own);
    }
    let downloaded;
    let printed = match &output {
        Output::Download(_) => {
            downloaded = Arg::foreign(Arg::DOWNLOADED);
            Some(&downloaded)
        }
        output => output.text(),
    };
    let printed = printed.filter(|text| text.is_known() && !text.glob || text.is_hidden());
    let printed = printed.map(|text| text.text.as_str());
    for reader in &redirected.readers {
        hear(world, frame, (reader, output.clone().into_input()));
    }
    let source = match &output {
        Output::File(file) => Some(world.target(file)).filter(Target::is_known),
        _ => None,
    };
    for (target, appends) in &redirected.outputs {
        let change = match &source {
            _ if *appends => Change::Append(printed),
            Some(from) if from.path != target.path => Change::Copy(from),
            _ => Change::Replace(printed.map(str::to_owned)),
        };
        effects::fill(world, target, change);
        if let Output::Packed(packed) = &output {
            effects::keep_patch(world, packed, target);
        }
    }
    if redirected.takes_output {
        Output::nothing()
    } else {
        output
    }
}

/// A command reads what was written to it.
fn hear(world: &mut World<'_>, frame: &Frame<'_>, (reader, input): (&str, Input)) {
    let invocation = Invocation {
        input,
        ..frame.invocation()
    };
    let script = Script {
        label: "",
        text: &Arg::literal(reader),
        params: &[],
    };
    (world.runner.script)(world, &invocation, &script);
}

/// The text of `>( … )`, if that is all a word is.
fn reader_in(frame: &Frame<'_>, word: &Word<'_>) -> Option<Rc<str>> {
    let [Part::Process { output: true, .. }] = word.parts.as_slice() else {
        return None;
    };
    let text = frame.text(word.span);
    let inner = text.strip_prefix(">(")?.strip_suffix(')')?;
    Some(Rc::from(inner))
}

/// `>! file`: in zsh the file is the word after the mark.
fn marked<'c, 's>(command: &'c Command<'s>, redirect: &Redirect<'_>) -> Option<&'c Word<'s>> {
    let is_mark = matches!(redirect.target.parts.as_slice(),
        [Part::Literal(text)] if text.as_ref() == b"!");
    let CommandKind::Simple { words, .. } = &command.kind else {
        return None;
    };
    let after = words
        .iter()
        .filter(|word| word.span.start >= redirect.span.end);
    after.min_by_key(|word| word.span.start).filter(|_| is_mark)
}

/// What a stage of a pipeline makes of the files whose new form came to it.
pub(super) fn pass_on(world: &mut World<'_>, stage: &Command<'_>) {
    let Some(name) = shape::program(stage) else {
        return world.piped.clear();
    };
    let name = String::from_utf8_lossy(name);
    if PRINTERS.contains(&name.as_ref()) {
        world.piped = held(world, stage);
    } else if !Rewrites::is_filter(&name) {
        world.piped.clear();
    }
}

/// Programs that print what they are given.
const PRINTERS: &[&str] = &["echo", "print", "printf"];

/// `printf '%s' "$text"`: the files whose text is in the variables that a command is given.
fn held(world: &World<'_>, command: &Command<'_>) -> Vec<String> {
    let CommandKind::Simple { words, .. } = &command.kind else {
        return Vec::new();
    };
    let parts = words.iter().flat_map(|word| &word.parts);
    let parts = parts.flat_map(|part| match part {
        Part::DoubleQuoted(inner) => inner.as_slice(),
        other => std::slice::from_ref(other),
    });
    let variables = parts.filter_map(|part| match part {
        Part::Parameter(parameter) if parameter.operator.is_empty() => {
            let name = String::from_utf8_lossy(&parameter.name);
            world.now.shell.vars.get(name.as_ref())
        }
        _ => None,
    });
    variables.flat_map(|var| var.of.clone()).collect()
}

/// What a command is given before it is redirected.
pub(super) struct Given<'a> {
    pub(super) program: &'a str,
    pub(super) args: &'a [Arg],
    /// How far filters had read before its words were made.
    pub(super) mark: usize,
}

impl Given<'_> {
    pub(super) const NOTHING: Self = Self {
        program: "",
        args: &[],
        mark: usize::MAX,
    };

    /// The files of which the command prints a new form. Its words are made before the shell opens
    /// a file, so what they read was still there.
    fn rewritten(&self, world: &World<'_>, command: &Command<'_>) -> Vec<String> {
        if command.redirects.is_empty() {
            return Vec::new();
        }
        if PRINTERS.contains(&self.program) {
            let read = world.rewrites.read_after(self.mark);
            return [held(world, command), read].concat();
        }
        if !Rewrites::is_filter(self.program) {
            return Vec::new();
        }
        let cwd = world.now.shell.cwd.as_deref().unwrap_or_default();
        let files = self.args.iter().filter(|arg| arg.is_known());
        let drafts = files.flat_map(|file| world.rewrites.drafted_in(&path::join(cwd, &file.text)));
        world.piped.iter().chain(drafts).cloned().collect()
    }
}

/// Puts the actions of redirections on the list.
pub(super) fn apply(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    command: &Command<'_>,
    given: &Given<'_>,
) -> Redirected {
    let program = given.program;
    let mut redirected = Redirected {
        rewritten: given.rewritten(world, command),
        ..Redirected::default()
    };
    let mark = world.rewrites.mark();
    for redirect in &command.redirects {
        let invocation = || Invocation {
            program: program.to_owned(),
            text: frame.text(command.span),
            ..frame.invocation()
        };
        if Rewrites::is_filter(program) {
            let read = world.rewrites.read_after(mark);
            redirected.rewritten.extend(read);
        }
        match redirect.operator {
            Operator::HereDocument | Operator::HereString => {
                let input = Input::Text(here_text(world, frame, redirect));
                keep_open(world, program, redirect, &input);
                redirected.feed(redirect, input);
            }
            Operator::Input | Operator::DuplicateInput => {
                let file = words::text(world, frame, &redirect.target).named_now();
                if let Some(kept) = kept_open(world, &file) {
                    redirected.feed(redirect, kept);
                } else if !is_descriptor(&file) || redirect.operator == Operator::Input {
                    read_from(world, &invocation(), &file);
                    let input = input_of(world, file);
                    keep_open(world, program, redirect, &input);
                    redirected.feed(redirect, input);
                }
            }
            _ => {
                if let Some(reader) = reader_in(frame, &redirect.target) {
                    match program {
                        "exec" => {
                            words::text(world, frame, &redirect.target);
                            world.now.shell.listener = Some(reader);
                        }
                        _ => redirected.readers.push(reader),
                    }
                    continue;
                }
                let file = words::text(
                    world,
                    frame,
                    marked(command, redirect).unwrap_or(&redirect.target),
                )
                .named_now();
                let before = world.analysis.actions.len();
                redirected.write_to(world, &invocation(), (redirect, &file));
                if is_listed(world, &frame.text(redirect.target.span), &file) {
                    let dir = match file.is_hidden() {
                        true => world.target(&Arg::literal(".")),
                        false => world.target(&file),
                    };
                    effects::bound(world, before, &dir);
                }
            }
        }
    }
    redirected
}

/// `while read f; do … > "$f"; done`: whether a file is each of a list that lies in one directory.
fn is_listed(world: &World<'_>, word: &str, file: &Arg) -> bool {
    let name = word.trim_matches('"').strip_prefix('$').unwrap_or_default();
    let name = name.trim_matches(['{', '}']);
    let text = world.now.shell.listed.get(name);
    text.is_some_and(|text| *text == file.text && text.ends_with(Arg::HOLE))
}

impl Redirected {
    fn feed(&mut self, redirect: &Redirect<'_>, input: Input) {
        if redirect.fd.as_deref().is_none_or(|fd| fd == b"0") {
            self.input = Some(input);
        }
    }

    fn write_to(
        &mut self,
        world: &mut World<'_>,
        invocation: &Invocation,
        (redirect, file): (&Redirect<'_>, &Arg),
    ) {
        let operator = redirect.operator;
        let is_kept_open = !matches!(file.text.as_str(), "-" | "0" | "1" | "2");
        if operator == Operator::DuplicateOutput
            && (is_descriptor(file) && is_kept_open || !file.is_known())
            && let Some(listener) = world.now.shell.listener.clone()
        {
            return self.readers.push(listener);
        }
        let is_output = redirect.fd.as_deref().is_none_or(|fd| fd == b"1");
        if operator == Operator::DuplicateOutput && is_descriptor(file) {
            self.takes_output |= is_output && file.text == "2";
            // `>& /dev/tcp/host/99 0>&1`: what comes back is the input.
            if redirect.fd.as_deref() == Some(b"0")
                && let Some(url) = self.connection.clone()
            {
                self.input = Some(Input::Download(url));
            }
            return;
        }
        self.takes_output |= is_output;
        if let Some(address) = socket(file) {
            let url = format!("tcp://{address}");
            if operator == Operator::ReadWrite {
                let input = Input::Download(url.clone());
                keep_open(world, &invocation.program, redirect, &input);
            }
            self.connection = Some(url.clone());
            return world.act(invocation, Action::new(Verb::Send, ResourceKind::Url, url));
        }
        let appends = matches!(
            operator,
            Operator::Append | Operator::AppendBoth | Operator::ReadWrite
        );
        // A pattern that fits one name is that name; in a loop it stands for each in its turn.
        let is_looped = invocation.flags.has(model::Flag::Mass);
        let target = match world.targets(file).as_slice() {
            [only] if file.glob && only.sure != Certainty::Unknown => only.clone(),
            [last, more @ ..] if file.glob && is_looped && !appends => {
                for target in more.iter().take(LOOPED_MAX) {
                    effects::write(world, invocation, Write::redirected(target, false));
                }
                last.clone()
            }
            _ => world.target(file),
        };
        if target.zone == Zone::Sink {
            self.is_silent |= is_output && target.path == "/dev/null";
            return;
        }
        if operator == Operator::Output && world.now.shell.keeps_files && is_there(world, &target) {
            self.is_silent |= is_output;
            return;
        }
        let write = match self.rewritten.contains(&target.path) && !appends {
            true => Write::rewritten(&target),
            false => Write::redirected(&target, appends),
        };
        if is_output || operator == Operator::OutputBoth {
            effects::open(world, invocation, write);
            self.outputs.push((target, appends));
        } else {
            effects::write(world, invocation, write);
        }
    }
}

/// Whether a file visibly is there, so that a shell that keeps files opens nothing.
fn is_there(world: &mut World<'_>, target: &Target) -> bool {
    let kind = world.path(&target.path).known().map(|fact| fact.kind);
    target.is_known() && kind == Some(PathKind::File)
}

/// Most files that one redirection in a loop is taken to write.
const LOOPED_MAX: usize = 32;

/// What a file on the left of `<` gives: a connection, the output of a process, or itself.
fn input_of(world: &World<'_>, file: Arg) -> Input {
    match (socket(&file), world.process_output(&file)) {
        (Some(address), _) => Input::Download(format!("tcp://{address}")),
        (None, Some(Output::Unknown)) | (None, None) => Input::File(file),
        (None, Some(output)) => output.into_input(),
    }
}

/// The text of a here-document, or of a here-string.
fn here_text(world: &mut World<'_>, frame: &Frame<'_>, redirect: &Redirect<'_>) -> Arg {
    if redirect.operator == Operator::HereString {
        let text = words::text(world, frame, &redirect.target);
        return text.followed_by(&Arg::literal("\n"));
    }
    let parts = redirect.here.as_ref().map(|here| here.parts.as_slice());
    words::quoted_text(world, frame, parts.unwrap_or_default())
}

/// `exec 3< file`: what the shell keeps open by a number.
fn keep_open(world: &mut World<'_>, program: &str, redirect: &Redirect<'_>, input: &Input) {
    let number = redirect.fd.as_deref().map(String::from_utf8_lossy);
    let number = number.filter(|number| program == "exec" && number != "0");
    if let Some(number) = number {
        let kept = &mut world.now.shell.kept_open;
        kept.insert(number.into_owned(), input.clone());
    }
}

/// `<&3`, `/dev/fd/3`: what was kept open by that number.
fn kept_open(world: &World<'_>, file: &Arg) -> Option<Input> {
    let number = ["/dev/fd/", "/proc/self/fd/"]
        .iter()
        .find_map(|dir| file.text.strip_prefix(dir))
        .unwrap_or(&file.text);
    world.now.shell.kept_open.get(number).cloned()
}

fn read_from(world: &mut World<'_>, invocation: &Invocation, file: &Arg) {
    if let Some(address) = socket(file) {
        let url = format!("tcp://{address}");
        return world.act(invocation, Action::new(Verb::Fetch, ResourceKind::Url, url));
    }
    effects::read_file(world, invocation, file);
}

fn is_descriptor(file: &Arg) -> bool {
    let digits = file.text.trim_end_matches('-');
    file.text == "-" || !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

fn socket(file: &Arg) -> Option<&str> {
    SOCKET_DIRS
        .iter()
        .find_map(|dir| file.text.strip_prefix(dir))
}
