//! Which file an interpreter starts by a name that is not all of its path, and which it reads
//! before the program: `python -m a.b`, `python dir`, `node x`, `node -r ./x.js`.

use super::language::{Kind, Language};
use super::tasks::is_of_session;
use crate::options::Options;
use crate::{Arg, Invocation, World};
use model::Fact;
use text::path;

/// Variables that are read as more options, and the option that names a file to run first.
const FIRST: &[(Kind, &str, &[&str])] = &[
    (Kind::Node, "NODE_OPTIONS", &["-r", "--require", "--import"]),
    (Kind::Ruby, "RUBYOPT", &["-r"]),
];

/// What a name may lack to be a file of this language.
fn ends(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Python => &["/__main__.py"],
        Kind::Node => &[".js", ".cjs", ".mjs", "/index.js"],
        _ => &[],
    }
}

/// Whether this call or an earlier one of the session wrote a file: what else lies in a project is
/// a program like any other.
fn is_ours(world: &mut World<'_>, path: &str) -> bool {
    world.is_written(path) || is_of_session(world, path)
}

/// The file that a word starts, which may lack its end.
pub(super) fn file_of(world: &mut World<'_>, language: &Language, word: &Arg) -> Arg {
    let target = world.target(word);
    if !target.is_known() || path::file_name(&target.path).contains('.') {
        return word.clone();
    }
    let all = ends(language.kind).iter();
    let mut all = all.map(|end| [&*target.path, end].concat());
    let found = all.find(|path| is_ours(world, path));
    found.map_or_else(|| word.clone(), Arg::derived)
}

/// The file that holds a module of Python, if it lies in the present directory.
pub(super) fn file_of_module(world: &mut World<'_>, name: &Arg) -> Option<Arg> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    if !name.is_known() || !name.text.bytes().all(is_name) {
        return None;
    }
    let stem = path::join(world.cwd()?, &name.text.replace('.', "/"));
    let all = [".py", "/__main__.py"].map(|end| [&*stem, end].concat());
    let found = all
        .into_iter()
        .find(|path| !world.is_missing(path) && matches!(world.text(path), Fact::Known(_)));
    found.map(Arg::derived)
}

/// The files of this session that options or the environment name to be run before the program.
pub(super) fn first_files(
    world: &mut World<'_>,
    invocation: &Invocation,
    (language, read): (&Language, &Options),
) -> Vec<Arg> {
    let mut files: Vec<Arg> = Vec::new();
    for (kind, variable, options) in FIRST {
        if language.kind != *kind {
            continue;
        }
        let given = options.iter().map(|option| option.trim_start_matches('-'));
        files.extend(given.flat_map(|option| read.values(option)).cloned());
        let words = invocation.var(variable).map(|value| value.text.as_str());
        let mut words = words.unwrap_or_default().split_whitespace();
        while let Some(word) = words.next() {
            let file = options.iter().find_map(|option| {
                let rest = word.strip_prefix(option)?;
                match rest.trim_start_matches('=') {
                    "" => words.next(),
                    file => Some(file),
                }
            });
            files.extend(file.map(Arg::derived));
        }
    }
    // Without a slash it is a package.
    files.retain(|file| file.text.starts_with(['.', '/']));
    let files = files.iter().map(|file| file_of(world, language, file));
    let mut files: Vec<Arg> = files.collect();
    files.retain(|file| {
        let target = world.target(file);
        target.is_known() && is_ours(world, &target.path)
    });
    files
}
