//! Programs that run text: shells, and languages with a program on the command line.
//!
//! Shell text is read as the call itself is. Of other languages only what is spelled out is read
//! (`program`); the rest of what they do stays an opaque `execute`.

mod apply;
mod arguments;
mod arms;
mod as_module;
mod beside;
mod binding;
mod branches;
mod calls;
mod console;
mod constant;
mod data;
mod decided;
mod effect;
mod emptied;
mod environments;
mod expression;
mod function;
mod idle;
mod language;
mod libraries;
mod modules;
mod moments;
mod named;
mod object;
mod opening;
mod origin;
mod own_calls;
mod preloaded;
mod program;
mod pure;
mod reading;
mod records;
mod requests;
mod running;
mod saved;
mod sdks;
mod settings;
mod source;
pub(crate) mod sources;
mod started;
mod statements;
mod subcommands;
pub(crate) mod tasks;
mod temporary;
mod tokens;
mod value;

use crate::destructive;
use crate::effects;
use crate::machine::Script;
use crate::{Arg, Input, Invocation, World};
use model::{Action, ResourceKind, Verb};

/// Shells whose language is read.
const SHELLS: &[&str] = &[
    "ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "oksh", "rbash", "sh", "tcsh", "yash",
    "zsh",
];

/// Whether a program is a shell.
pub(crate) fn is_shell(invocation: &Invocation) -> bool {
    SHELLS.contains(&invocation.program.as_str())
}

/// Whether a program of this name can run text.
pub(crate) fn is_one(name: &str) -> bool {
    SHELLS.contains(&name)
        || OTHERS.contains(&name)
        || console::is_one(name)
        || source::is_one(name)
}

/// Reads a shell or an interpreter; `false` if the program is none.
pub(crate) fn interpret(world: &mut World<'_>, invocation: &Invocation) -> bool {
    if is_shell(invocation) {
        shell(world, invocation);
        return true;
    }
    console::read(world, invocation) || source::read(world, invocation) || other(world, invocation)
}

/// Interpreters whose language is not read.
const OTHERS: &[&str] = &[
    "R",
    "Rscript",
    "elixir",
    "expect",
    "ghci",
    "groovy",
    "guile",
    "ipython",
    "irb",
    "jshell",
    "julia",
    "osascript",
    "scala",
    "swift",
    "tclsh",
];

/// Interpreters of which only is known that they can delete and start others.
const UNREAD: &[&str] = &["dc", "erl", "escript", "nickle", "pike", "scala-cli"];

/// Whether one of them is given something to run that names what destroys.
fn runs_unread(invocation: &Invocation) -> bool {
    let fed = match &invocation.input {
        Input::Text(text) => Some(text),
        _ => None,
    };
    let mut texts = invocation.args.iter().chain(fed);
    let destroys = |text: &&Arg| {
        let text = text.text.as_str();
        destructive::named_in(text) || destructive::called_in(text)
    };
    let is_one = UNREAD.contains(&invocation.program.as_str());
    is_one && texts.any(|text| destroys(&text))
}

/// An interpreter that is fed what nobody has read; `false` if it is none or is not.
fn other(world: &mut World<'_>, invocation: &Invocation) -> bool {
    if runs_unread(invocation) {
        effects::execute_unknown(world, invocation, &Arg::foreign(Arg::DECODED));
        return true;
    }
    let is_fed = invocation.args.iter().all(|arg| arg.text == "-");
    if !is_fed || !OTHERS.contains(&invocation.program.as_str()) {
        return false;
    }
    match &invocation.input {
        Input::Download(_) => effects::execute_download(world, invocation),
        Input::Text(text) if text.is_hidden() => {
            effects::execute_unknown(world, invocation, text);
        }
        _ => return false,
    }
    true
}

/// What the words after a shell's name ask for.
#[derive(Debug, Default)]
struct ShellWords<'i> {
    runs_text: bool,
    reads_input: bool,
    /// Help, version, or `-n`: nothing is run.
    only_looks: bool,
    stops_at_failure: bool,
    shows_lines: bool,
    /// Somebody types what it runs, so it reads a file first.
    is_interactive: bool,
    first: Option<&'i Arg>,
    rest: &'i [Arg],
}

fn shell_words(args: &[Arg]) -> ShellWords<'_> {
    let mut words = ShellWords {
        rest: args,
        ..ShellWords::default()
    };
    while let [first, rest @ ..] = words.rest {
        let text = first.text.as_str();
        let is_option = text == "-" || text.len() > 1 && text.starts_with(['-', '+']);
        if !is_option {
            break;
        }
        words.rest = rest;
        let mut takes_value = matches!(text, "--rcfile" | "--init-file");
        if takes_value {
            words.first = rest.first();
        }
        match text {
            "--" | "-" => break,
            "--version" | "--help" => words.only_looks = true,
            "--command" => words.runs_text = true,
            _ if text.starts_with("--") => {}
            cluster => {
                words.runs_text |= cluster.contains('c');
                words.reads_input |= cluster.contains('s');
                words.is_interactive |= cluster.starts_with('-') && cluster.contains('i');
                words.only_looks |= cluster.contains('n');
                words.stops_at_failure |= cluster.starts_with('-') && cluster.contains('e');
                words.shows_lines |= cluster.starts_with('-') && cluster.contains(['x', 'v']);
                takes_value = cluster.contains(['o', 'O']);
            }
        }
        if takes_value {
            words.rest = words.rest.get(1..).unwrap_or_default();
        }
    }
    words
}

/// Variables of which a shell expands what they hold.
const EXPANDED: &[&str] = &["PS0", "PS1", "PS2", "PS4"];

/// Variables that tell a shell what to run: files to read first, and texts to expand.
fn run_settings(world: &mut World<'_>, invocation: &Invocation) {
    for (name, value) in &invocation.env {
        let is_expanded = EXPANDED.contains(&name.as_str());
        let runs = value.text.contains(['$', '`', Arg::HOLE]) && value.text.contains(['(', '`']);
        if matches!(name.as_str(), "BASH_ENV" | "ENV") && value.is_known() {
            let plain = Invocation {
                env: Vec::new(),
                ..invocation.clone()
            };
            world.run_file(&plain, value, &[]);
        } else if is_expanded && runs {
            let text = Arg {
                text: format!("cat <<__\n{}\n__\n", value.text),
                ..value.clone()
            };
            world.script(invocation, name, &text);
        } else if name == "PROMPT_COMMAND" && !value.text.is_empty() {
            world.script(invocation, name, value);
        }
    }
}

/// `fish -C 'text' …`: runs what fish runs first; the words without it, if there is such a text.
fn without_first(world: &mut World<'_>, invocation: &Invocation) -> Option<Vec<Arg>> {
    let is_first = |arg: &Arg| matches!(&*arg.text, "-C" | "--init-command");
    let at = invocation.args.iter().position(is_first)?;
    let text = invocation.args.get(at + 1)?.clone();
    run_text(world, invocation, &text, &[]);
    let mut args = invocation.args.clone();
    args.drain(at..=at + 1);
    Some(args)
}

fn shell(world: &mut World<'_>, invocation: &Invocation) {
    let own = match invocation.program.as_str() {
        "fish" => without_first(world, invocation),
        _ => None,
    };
    let words = shell_words(own.as_ref().unwrap_or(&invocation.args));
    if words.only_looks {
        return;
    }
    run_settings(world, invocation);
    if let Some(first) = words.first.filter(|_| words.is_interactive) {
        world.run_file(invocation, first, &[]);
    }
    match words.rest {
        [text, rest @ ..] if words.runs_text => {
            let params = rest.get(1..).unwrap_or_default();
            let options = match (words.stops_at_failure, words.shows_lines) {
                _ if text.is_hidden() => "",
                (true, true) => "set -ex\n",
                (true, false) => "set -e\n",
                (false, true) => "set -x\n",
                (false, false) => "",
            };
            let text = match options {
                "" => text,
                options => &Arg::literal(options).followed_by(text),
            };
            // The first word after the text is what the shell calls itself.
            let outer = world.now.shell.name.clone();
            for name in shell_names(world, rest.first()) {
                world.now.shell.name = name.unwrap_or_else(|| outer.clone());
                run_text(world, invocation, text, params);
            }
            world.now.shell.name = outer;
        }
        [file, params @ ..] if !words.reads_input => {
            world.run_file(invocation, file, params);
        }
        params => {
            // `sh -i < pipe`: somebody else types into it.
            let is_fed = matches!(&invocation.input, Input::File(_) | Input::Unknown);
            let is_null =
                matches!(&invocation.input, Input::File(file) if file.text == "/dev/null");
            if words.is_interactive && is_fed && !is_null {
                effects::execute_unknown(world, invocation, &Arg::foreign(Arg::DECODED));
            }
            from_input(world, invocation, params);
        }
    }
}

/// Most names of shells that are gone through.
const NAMES_MAX: usize = 16;

/// What `$0` is: of a pattern under `xargs`, each name that it matches in its turn.
fn shell_names(world: &mut World<'_>, name: Option<&Arg>) -> Vec<Option<String>> {
    let spelled = name
        .filter(|name| name.glob)
        .and_then(|name| world.spelled(name));
    match spelled {
        Some(all) if (1..=NAMES_MAX).contains(&all.len()) => {
            all.into_iter().map(|name| Some(name.text)).collect()
        }
        _ => vec![name.map(|name| name.text.clone())],
    }
}

/// `bash -c 'text' name params…`
fn run_text(world: &mut World<'_>, invocation: &Invocation, text: &Arg, params: &[Arg]) {
    if text.is_hidden() {
        return effects::execute_unknown(world, invocation, text);
    }
    let label = format!("{} -c", invocation.program);
    let plain = in_posix(invocation, text);
    let script = Script {
        label: &label,
        text: plain.as_ref().unwrap_or(text),
        params,
    };
    (world.runner.script)(world, invocation, &script);
}

/// A text of another shell as the reader of shells takes it, if it is said otherwise there.
fn in_posix(invocation: &Invocation, text: &Arg) -> Option<Arg> {
    match invocation.program.as_str() {
        "zsh" => Some(without_qualifiers(text)),
        "fish" => {
            let plain = shell::fish::in_posix(&text.text)?;
            Some(Arg {
                text: plain,
                ..text.clone()
            })
        }
        _ => None,
    }
}

/// zsh picks among what a pattern matches: `*(N)`, `*(.)`.
fn without_qualifiers(text: &Arg) -> Arg {
    // `${=x}` parts what it stands for, `- rm x` is `rm x`.
    let spelled = text.text.replace("${=", "${");
    let spelled = spelled.strip_prefix("- ").unwrap_or(&spelled);
    let mut parts = spelled.split("*(");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_qualifier = |inner: &str| {
            let is_letter = |c: char| c.is_ascii_alphanumeric() || "./@=^-+".contains(c);
            !inner.is_empty() && inner.len() <= 6 && inner.chars().all(is_letter)
        };
        match part
            .split_once(')')
            .filter(|(inner, _)| is_qualifier(inner))
        {
            Some((_, rest)) => plain.push_str(&format!("*{rest}")),
            None => plain.push_str(&format!("*({part}")),
        }
    }
    Arg {
        text: plain,
        ..text.clone()
    }
}

/// A shell that reads its script from standard input.
fn from_input(world: &mut World<'_>, invocation: &Invocation, params: &[Arg]) {
    match &invocation.input {
        Input::Text(text) if text.is_hidden() => {
            effects::execute_unknown(world, invocation, text);
        }
        Input::Text(text) => {
            let inner = Invocation {
                input: Input::Inherited,
                ..invocation.clone()
            };
            let plain = in_posix(invocation, text);
            let script = Script {
                label: &invocation.program,
                text: plain.as_ref().unwrap_or(text),
                params,
            };
            (world.runner.script)(world, &inner, &script);
        }
        Input::File(file) => {
            world.run_file(invocation, file, params);
        }
        Input::Download(url) if url.starts_with("tcp://") => {
            let action = Action::new(Verb::OpenChannel, ResourceKind::Url, url.as_str());
            world.act(invocation, action);
        }
        Input::Download(_) => effects::execute_download(world, invocation),
        Input::Unknown | Input::Packed(_) => {
            effects::execute_unknown(world, invocation, &Arg::unknown())
        }
        Input::Inherited => effects::open_channel(world, invocation),
    }
}
