//! Words that start a program, or hand a text to one: `Start-Process`, `Invoke-Sqlcmd`,
//! `Get-Process | Stop-Process`.

use super::fetch;
use super::operands::{Operands, listed};
use super::scripts;
use crate::{Arg, Invocation, World};

/// Parameters of `Start-Process` that say nothing of what is started; of some a value follows.
const BESIDE: &[(&str, bool)] = &[
    ("-credential", true),
    ("-nonewwindow", false),
    ("-passthru", false),
    ("-redirectstandarderror", true),
    ("-redirectstandardoutput", true),
    ("-verb", true),
    ("-wait", false),
    ("-windowstyle", true),
    ("-workingdirectory", true),
];

/// Reads a command that starts another; `false` if it starts none.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation, piped: &Arg) -> bool {
    let argv = match invocation.program.to_lowercase().as_str() {
        "saps" | "start-process" => {
            let mut words = started(&invocation.args);
            if let Some(first) = words.first_mut() {
                if fetch::starts(world, invocation, first) {
                    return true;
                }
                *first = fetch::program(first);
            }
            if let [file] = words.as_slice()
                && scripts::is_one(file)
            {
                words = scripts::starting(file);
            }
            words
        }
        "expand-archive" => unpacked(&invocation.args),
        "invoke-sqlcmd" => asked(&invocation.args),
        "spps" | "stop-process" if ends_piped(invocation, piped) => {
            let words = ["taskkill", "/im"].map(Arg::literal);
            words.into_iter().chain([piped.clone()]).collect()
        }
        _ => Vec::new(),
    };
    if !argv.is_empty() {
        world.command(invocation, &invocation.program, &argv);
    }
    !argv.is_empty()
}

/// What a command hands on whose words name processes.
pub(super) fn processes(invocation: &Invocation) -> Option<Arg> {
    let name = invocation.program.to_lowercase();
    let is_list = matches!(name.as_str(), "get-process" | "gps");
    let words = invocation.args.iter();
    let mut named = words.filter(|arg| !arg.text.starts_with('-'));
    is_list.then(|| named.next().cloned().unwrap_or_else(|| Arg::literal("*")))
}

fn ends_piped(invocation: &Invocation, piped: &Arg) -> bool {
    let mut args = invocation.args.iter();
    piped.is_known() && !piped.text.is_empty() && args.all(|arg| arg.text.starts_with('-'))
}

/// `Start-Process cmd -ArgumentList '/c','rd /s /q x'`: the program and its words.
fn started(args: &[Arg]) -> Vec<Arg> {
    let mut argv = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let lower = word.text.to_lowercase();
        if let Some((_, has_value)) = BESIDE.iter().find(|(name, _)| *name == lower) {
            if *has_value {
                words.next();
            }
        } else if !matches!(&*lower, "-filepath" | "-argumentlist" | "-args") {
            let parts = listed(word).into_iter().flat_map(|part| {
                let words = part.text.split_whitespace().map(str::to_owned);
                let words: Vec<Arg> = words
                    .map(|text| Arg {
                        text,
                        ..part.clone()
                    })
                    .collect();
                words
            });
            argv.extend(parts);
        }
    }
    argv
}

/// `Expand-Archive old.zip -DestinationPath . -Force`; without force nothing that is there goes.
fn unpacked(args: &[Arg]) -> Vec<Arg> {
    let operands = Operands::of(args);
    let [archive, rest @ ..] = operands.paths.as_slice() else {
        return Vec::new();
    };
    if !operands.force {
        return Vec::new();
    }
    let start = [Arg::literal("unzip"), Arg::literal("-o"), archive.clone()];
    let to = rest.first().cloned();
    // Of its own it goes into a directory by the archive's name.
    let to = to.unwrap_or_else(|| Arg::derived(archive.text.trim_end_matches(".zip")));
    start.into_iter().chain([Arg::literal("-d"), to]).collect()
}

/// `Invoke-Sqlcmd -Query '…'`, `-InputFile FILE`
fn asked(args: &[Arg]) -> Vec<Arg> {
    let mut pairs = args.windows(2);
    let found = pairs.find_map(|pair| {
        let [name, value] = pair else { return None };
        let option = match name.text.to_lowercase().as_str() {
            "-q" | "-query" => "-Q",
            "-i" | "-inputfile" => "-i",
            _ => return None,
        };
        Some((option, value.clone()))
    });
    let first = args.first().filter(|first| !first.text.starts_with('-'));
    let found = found.or_else(|| first.map(|first| ("-Q", first.clone())));
    let words =
        found.map(|(option, value)| vec![Arg::literal("sqlcmd"), Arg::literal(option), value]);
    words.unwrap_or_default()
}
