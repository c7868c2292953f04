//! Which file an interpreter starts by a name that is not all of its path: `python -m a.b`,
//! `python dir`, `node x`.

use super::language::{Kind, Language};
use super::tasks::is_of_session;
use crate::{Arg, World};
use model::Fact;
use text::path;

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
