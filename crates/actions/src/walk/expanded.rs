//! Texts that a shell expands though they stood in quotes: subscripts of names, what could follow.

use super::nested;
use crate::machine::Output;
use crate::{Arg, Invocation, World};

/// Builtins that take names, each perhaps with a subscript.
const NAMING: &[&str] = &[
    "declare",
    "export",
    "getopts",
    "local",
    "mapfile",
    "read",
    "readarray",
    "readonly",
    "typeset",
    "unset",
];

/// Builtins that take a name behind `-v` or `-p`.
const NAMING_BY_OPTION: &[&str] = &["[", "printf", "test", "wait"];

/// `printf -v 'a[$(…)]' x`: what a subscript runs.
pub(super) fn run_subscripts(world: &mut World<'_>, invocation: &Invocation) {
    let program = invocation.program.as_str();
    // `let 'x=$(…)'`: a sum in which everything is expanded.
    if program == "let" {
        let runs = |arg: &&Arg| arg.text.contains("$(") || arg.text.contains('`');
        for arg in invocation.args.iter().filter(runs) {
            expand(world, invocation, arg);
        }
        return;
    }
    let by_option = NAMING_BY_OPTION.contains(&program);
    if !by_option && !NAMING.contains(&program) {
        return;
    }
    let mut before = "";
    for arg in &invocation.args {
        let option = std::mem::replace(&mut before, &arg.text);
        if !by_option || matches!(option, "-v" | "-p") {
            subscript(world, invocation, arg);
        }
    }
}

/// Runs what a name that was quoted runs in its subscript.
pub(super) fn subscript(world: &mut World<'_>, invocation: &Invocation, name: &Arg) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let runs = name.text.split_once('[').is_some_and(|(name, rest)| {
        !name.is_empty() && name.chars().all(is_name) && (rest.contains("$(") || rest.contains('`'))
    });
    if runs {
        expand(world, invocation, name);
    }
}

/// Expands a text as a shell does what stands between double quotes.
fn expand(world: &mut World<'_>, invocation: &Invocation, text: &Arg) {
    let text = Arg {
        text: format!(": <<__\n{}\n__\n", text.text),
        ..text.clone()
    };
    nested::run_here(world, invocation, &invocation.program, &text);
}

/// `compgen -C 'command'`, `-W 'words'`, `-F function`: what it runs to say what could follow.
pub(super) fn compgen(world: &mut World<'_>, invocation: &Invocation) -> Output {
    for pair in invocation.args.windows(2) {
        let [option, value] = pair else { continue };
        match option.text.as_str() {
            "-C" | "-F" => {
                nested::run_here(world, invocation, "compgen", value);
            }
            "-W" => expand(world, invocation, value),
            _ => {}
        }
    }
    Output::Unknown
}
