//! Variables that a file of secrets was loaded into: a command that prints one, sends one, or lists
//! them all shows what is in the file. To load them for a program is no reading. A secret that the
//! host handed to the session, or that a program gave to a variable, is shown by who prints it, and
//! sent where it is for on any day.

use super::astray;
use crate::address::is_loopback;
use crate::effects;
use crate::machine::{Frame, Output};
use crate::world::is_secret_variable;
use crate::{Invocation, World};
use model::ResourceKind;
use shell::{Command, Parameter, Part, Redirect, RedirectOperator as Operator, Word};
use std::ops::Range;
use text::path;

/// Programs that print their words.
const PRINTING: &[&str] = &["echo", "print", "printf"];

/// Programs that print what they are fed, however it is coded.
const PASSING: &[&str] = &[
    "base32", "base64", "cat", "cut", "egrep", "fold", "grep", "gzip", "head", "hexdump", "jq",
    "nl", "od", "openssl", "paste", "rev", "sed", "sort", "tac", "tail", "tee", "tr", "uniq",
    "xxd", "curl", "nc", "ncat", "netcat", "socat", "wget",
];

/// Of these, those that send it.
const SENDING: &[&str] = &["curl", "nc", "ncat", "netcat", "socat", "wget"];

/// Programs that ask others for a name: whoever answers has read it.
const ASKING: &[&str] = &[
    "dig",
    "drill",
    "host",
    "nslookup",
    "ping",
    "ping6",
    "resolvectl",
    "traceroute",
    "whois",
];

/// Options of senders whose value is what is sent.
const BODIES: &[&str] = &[
    "-d",
    "-F",
    "--data",
    "--form",
    "--json",
    "--post-data",
    "--body-data",
];

/// Notes that what is in a file goes into the variables of this shell, if it holds secrets.
pub(super) fn note_loaded(world: &mut World<'_>, file: &str) {
    if world.tells(file) {
        world.now.shell.holds_secrets = true;
    }
}

/// Notes that what this command was given by reading goes into the variables of this shell.
pub(super) fn note_given(world: &mut World<'_>, since: usize) {
    let read = world.analysis.actions.get(since..).unwrap_or_default();
    let files = read
        .iter()
        .filter(|action| action.kind == ResourceKind::File);
    let files: Vec<String> = files.map(|action| action.name.clone()).collect();
    for file in files {
        note_loaded(world, &file);
    }
}

/// A simple command as it is written.
pub(super) struct Written<'c, 's> {
    pub(super) command: &'c Command<'s>,
    pub(super) words: &'c [Word<'s>],
}

/// Puts the variables on the list that a command prints or sends.
pub(super) fn variables(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    invocation: &Invocation,
    written: &Written<'_, '_>,
) {
    let Written { command, words } = written;
    let (program, words) = started(frame, invocation, words);
    astray::keys(world, invocation, &astray::Asking { program, words });
    let is_loaded = world.now.shell.holds_secrets;
    let is_own = !is_loaded && !SENDING.contains(&program);
    if !is_loaded && !is_own {
        return;
    }
    let mut names = Vec::new();
    if is_own && !ASKING.contains(&program) && goes_to_file(frame, &command.redirects) {
        return;
    }
    let prints = PRINTING.contains(&program) && !goes_to_file(frame, &command.redirects);
    if prints || ASKING.contains(&program) {
        let after = words.iter().skip(1);
        after.for_each(|word| parameters(&word.parts, &mut names));
    } else if PASSING.contains(&program) {
        for redirect in &command.redirects {
            match (redirect.operator, &redirect.here) {
                (Operator::HereString, _) => parameters(&redirect.target.parts, &mut names),
                (Operator::HereDocument, Some(here)) => parameters(&here.parts, &mut names),
                _ => {}
            }
        }
        let texts: Vec<String> = words.iter().map(|word| frame.text(word.span)).collect();
        if !texts
            .iter()
            .any(|text| is_loopback(text.trim_matches(['"', '\''])))
        {
            bodies(words, &texts, &mut names);
        }
    }
    names.retain(|name| {
        let is_given = world.now.shell.logins.contains(name);
        is_given || world.is_handed(name) || is_loaded && is_secret_variable(name)
    });
    for name in names {
        match ASKING.contains(&program) {
            // Who answers for names has read it.
            true => effects::give_away(world, invocation, &format!("${name} to other machines")),
            false => effects::read_variable(world, invocation, &name),
        }
    }
    if is_loaded {
        lists(world, invocation);
    }
}

/// Programs that start the one behind their own words.
const STARTING: &[&str] = &[
    "builtin", "command", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "sudo", "time",
    "timeout",
];

/// The program that prints, and its words.
fn started<'w, 's>(
    frame: &Frame<'_>,
    invocation: &'w Invocation,
    words: &'w [Word<'s>],
) -> (&'w str, &'w [Word<'s>]) {
    let program = invocation.program.as_str();
    if STARTING.contains(&program) {
        for (at, word) in words.iter().enumerate().skip(1) {
            let text = frame.text(word.span);
            let known = PRINTING.iter().chain(PASSING).chain(ASKING);
            if let Some(inner) = known.into_iter().find(|name| **name == text) {
                return (inner, words.get(at..).unwrap_or_default());
            }
        }
    }
    (program, words)
}

/// `export -p`, `declare -p NAME`: names with their values.
fn lists(world: &mut World<'_>, invocation: &Invocation) {
    let prints = invocation.args.iter().any(|arg| arg.text == "-p");
    let is_list = matches!(
        invocation.program.as_str(),
        "declare" | "export" | "typeset"
    );
    if is_list && prints {
        effects::read_environment(world, invocation);
    }
}

/// Whether what is printed goes to a file, and not to who reads the output.
fn goes_to_file(frame: &Frame<'_>, redirects: &[Redirect<'_>]) -> bool {
    redirects.iter().any(|redirect| {
        let is_write = matches!(
            redirect.operator,
            Operator::Output | Operator::Append | Operator::Clobber | Operator::OutputBoth
        );
        let is_output = redirect.fd.as_deref().is_none_or(|fd| fd == b"1");
        let file = frame.text(redirect.target.span);
        let is_shown = file.starts_with("/dev/") && file != "/dev/null";
        is_write && is_output && !is_shown
    })
}

/// The values of options that are sent.
fn bodies(words: &[Word<'_>], texts: &[String], names: &mut Vec<String>) {
    let mut before = "";
    for (word, text) in words.iter().zip(texts) {
        let option = std::mem::replace(&mut before, text.as_str());
        let is_one = |text: &str| {
            let name = text.split('=').next().unwrap_or_default();
            BODIES.contains(&name) || name.starts_with("--data-")
        };
        let attached = text.starts_with("-d") || text.starts_with("--") && is_one(text);
        if is_one(option) || attached {
            parameters(&word.parts, names);
        }
    }
}

/// The variables in parts of a word whose values, or most of them, stand in the word.
pub(super) fn parameters(parts: &[Part<'_>], names: &mut Vec<String>) {
    for part in parts {
        match part {
            Part::DoubleQuoted(parts) => parameters(parts, names),
            Part::Parameter(parameter) if shows(parameter) => {
                names.push(String::from_utf8_lossy(&parameter.name).into_owned());
            }
            _ => {}
        }
    }
}

/// Most letters of a secret that may be shown to tell it from others.
const HINT_MAX: u32 = 8;

fn shows(parameter: &Parameter<'_>) -> bool {
    match parameter.operator.as_ref() {
        b":+" | b"+" | Parameter::LENGTH | Parameter::UNREAD => false,
        // `${KEY:0:4}…`
        b":" => {
            let length = parameter.words.get(1).map(|word| word.parts.as_slice());
            let length = match length {
                Some([Part::Literal(text) | Part::Quoted(text)]) => {
                    String::from_utf8_lossy(text).trim().parse().ok()
                }
                _ => None,
            };
            length.is_none_or(|length: u32| length > HINT_MAX)
        }
        _ => true,
    }
}

/// Options by which a login takes its password from what it is fed.
const LOGINS: &[&str] = &[
    "--password-stdin",
    "--token-stdin",
    "--with-access-token",
    "--with-api-key",
    "--with-token",
];

/// Whether a command logs in with what it is fed, and shows nothing of it.
pub(super) fn logs_in(frame: &Frame<'_>, stage: &Command<'_>) -> bool {
    let text = frame.text(stage.span);
    text.split_whitespace().any(|word| LOGINS.contains(&word))
}

/// What a command makes of variables that are fed to it goes to who it is for, unless it prints
/// what it is fed.
pub(super) fn consumes(frame: &Frame<'_>, stage: &Command<'_>) -> bool {
    let text = frame.text(stage.span);
    let mut words = text.split_whitespace();
    let name = words.next().map(path::file_name).unwrap_or_default();
    let words: Vec<&str> = words.collect();
    let is_use = !name.is_empty() && !PASSING.contains(&name);
    is_use || hints(name, &words) || goes_to_file(frame, &stage.redirects)
}

/// `head -c 4`, `cut -c1-4`, `openssl dgst`: no more of a secret than tells it from others.
fn hints(name: &str, words: &[&str]) -> bool {
    let mut values = words.iter().skip_while(|word| !word.starts_with("-c"));
    let attached = values.next().and_then(|word| word.strip_prefix("-c"));
    let value = match attached {
        Some("") => values.next().copied(),
        attached => attached,
    };
    let last = value.and_then(|value| value.rsplit(['-', ',']).next()?.parse::<u32>().ok());
    match name {
        "cut" | "head" => last.is_some_and(|last| last <= HINT_MAX),
        "openssl" => words.first().is_some_and(|word| *word == "dgst"),
        _ => false,
    }
}

/// Whether something within a command writes beside its output, where it is seen.
pub(super) fn is_told(frame: &Frame<'_>, command: &Command<'_>) -> bool {
    let text = frame.text(command.span);
    let places = [">&2", "/dev/stderr", "/dev/tty", "/dev/fd/2"];
    places.iter().any(|place| text.contains(place))
}

/// What a command that only asks for its words has read for them is shown by none of it.
pub(super) fn hide_if_asked(
    world: &mut World<'_>,
    frame: &Frame<'_>,
    (command, since): (&Command<'_>, usize),
) {
    if !is_told(frame, command) {
        world.unreveal(since..world.analysis.actions.len());
    }
}

/// Runs a command; what it was fed by these actions is shown by none that leaves a number of it.
pub(super) fn hidden_if_counted(
    world: &mut World<'_>,
    fed: Range<usize>,
    run: impl FnOnce(&mut World<'_>) -> Output,
) -> Output {
    world.hides_values = false;
    let output = run(world);
    if world.hides_values {
        world.unreveal(fed);
    }
    output
}

/// What stands in the words of a program that prints none of them is for it, as what a variable is
/// given.
pub(super) fn keeps(world: &mut World<'_>, program: &str, since: usize) {
    let shown = [PRINTING, PASSING, ASKING];
    let prints = shown.iter().any(|known| known.contains(&program));
    let prints = prints && !SENDING.contains(&program);
    if !world.now.shell.holds_secrets && !prints {
        world.unreveal_variables(since..world.analysis.actions.len());
    }
}
