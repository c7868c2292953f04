//! Modules of a program's own that lie beside it: their text is read before the program is. What
//! libraries bring is not looked at.

use super::language::{Kind, Language};
use super::tasks::is_of_session;
use super::tokens::{Token, tokens};
use crate::World;
use text::path;

/// Most modules of one program.
const MODULES_MAX: usize = 6;

/// Longest module, in bytes.
const TEXT_MAX: usize = 16 * 1024;

/// Modules of Python that every program takes.
const USUAL: &[&str] = &[
    "argparse",
    "click",
    "collections",
    "csv",
    "dataclasses",
    "datetime",
    "glob",
    "json",
    "logging",
    "math",
    "os",
    "pathlib",
    "random",
    "re",
    "requests",
    "shutil",
    "subprocess",
    "sys",
    "tempfile",
    "time",
    "typer",
    "typing",
    "yaml",
];

/// A module that lies beside a program.
pub(super) struct Module {
    /// Where it is.
    pub(super) path: String,
    pub(super) tokens: Vec<Token>,
}

/// A program that may have some.
pub(super) struct Program<'a> {
    pub(super) language: &'a Language,
    /// The file that it is in.
    pub(super) file: Option<&'a str>,
    /// Whether this call says it.
    pub(super) is_of_call: bool,
}

/// The modules that a program imports, and those that they import.
pub(super) fn modules_of(
    world: &mut World<'_>,
    program: &Program<'_>,
    found: &[Token],
) -> Vec<Module> {
    if !matches!(program.language.kind, Kind::Python | Kind::Node) {
        return Vec::new();
    }
    let file = match (program.file, world.cwd()) {
        (Some(file), _) => file.to_owned(),
        (None, Some(cwd)) => path::join(cwd, "-"),
        (None, None) => return Vec::new(),
    };
    let is_ours = program.is_of_call || is_of_session(world, &file);
    let mut modules: Vec<Module> = Vec::new();
    let mut places = places(found, &file, program.language.kind);
    while let Some(place) = places.pop() {
        let is_known = modules.iter().any(|module| module.path == place);
        if is_known || modules.len() >= MODULES_MAX {
            continue;
        }
        if !is_ours && !world.is_written(&place) && !is_of_session(world, &place) {
            continue;
        }
        let text = world.text(&place);
        let Some(text) = text.known().filter(|text| text.len() <= TEXT_MAX) else {
            continue;
        };
        let own = tokens(text, program.language);
        places.extend(self::places(&own, &place, program.language.kind));
        modules.push(Module {
            path: place,
            tokens: own,
        });
    }
    modules
}

/// Where the modules lie that these tokens import.
fn places(tokens: &[Token], file: &str, kind: Kind) -> Vec<String> {
    let mut places = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let after = tokens.get(at + 1..).unwrap_or_default();
        let two_before = at.checked_sub(2).and_then(|at| tokens.get(at));
        let is_member = two_before.and_then(Token::name) == Some("from");
        match (token, after) {
            (Token::Name(word), [Token::Name(_), ..]) if word == "import" && is_member => {}
            (Token::Name(word), [Token::Name(module), ..])
                if kind == Kind::Python && matches!(word.as_str(), "from" | "import") =>
            {
                places.extend(place_of(module, file, kind));
            }
            (Token::Name(word), [Token::Text(module), ..])
                if kind == Kind::Node && word == "from" =>
            {
                places.extend(place_of(module, file, kind));
            }
            (Token::Name(word), [Token::Sign('('), Token::Text(module), ..])
                if kind == Kind::Node && matches!(word.as_str(), "require" | "import") =>
            {
                places.extend(place_of(module, file, kind));
            }
            _ => {}
        }
    }
    places
}

/// Where a module lies, if it is one of a program's own.
pub(super) fn place_of(module: &str, file: &str, kind: Kind) -> Option<String> {
    let dir = path::parent(file);
    let end = path::file_name(file).rsplit_once('.').map(|(_, end)| end);
    match kind {
        Kind::Python => {
            let module = module.trim_start_matches('.');
            let first = module.split('.').next()?;
            let is_own = !first.is_empty() && !USUAL.contains(&first);
            is_own.then(|| path::join(dir, &format!("{}.py", module.replace('.', "/"))))
        }
        _ if !module.starts_with('.') => None,
        _ => {
            let has_end = path::file_name(module)
                .trim_start_matches('.')
                .contains('.');
            let module = match has_end {
                true => module.to_owned(),
                false => format!("{module}.{}", end.unwrap_or("js")),
            };
            Some(path::join(dir, &module))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::language::{NODE, PYTHON};
    use super::super::tokens::tokens;
    use super::places;

    #[test]
    fn modules_lie_beside_the_program() {
        let python = "import os, shutil\nfrom settings import A\nfrom .lib.paths import B\n";
        let found = places(&tokens(python, &PYTHON), "/p/t/x.py", PYTHON.kind);
        assert_eq!(found, ["/p/t/settings.py", "/p/t/lib/paths.py"]);
        let node = "import {a} from './a.mjs'; const b = require('../b'); import fs from 'fs'";
        let found = places(&tokens(node, &NODE), "/p/t/x.js", NODE.kind);
        assert_eq!(found, ["/p/t/a.mjs", "/p/b.js"]);
    }
}
