//! What `ls` prints, where its words say it. Must not know who reads it.

use super::line;
use crate::machine::Output;
use crate::world::own;
use crate::{Arg, Invocation, World};
use model::{Fact, PathKind};
use text::glob;

/// `ls *.md`: the names that match; `ls file`: its name.
pub(crate) fn ls(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let is_option = |arg: &&Arg| arg.text.starts_with('-');
    let (options, words): (Vec<&Arg>, Vec<&Arg>) = invocation.args.iter().partition(is_option);
    let [only] = words.as_slice() else {
        return several(world, &options, &words);
    };
    if let Some(program) = own::program_in(world.place, only) {
        return line(Arg::derived(program));
    }
    if !only.is_known() || options.iter().any(|option| says_more(option)) {
        return Output::Unknown;
    }
    if only.glob && glob::is_glob(&only.text) {
        return Output::Text((*only).clone());
    }
    match is_named(world, &options, only) {
        true => line(Arg::derived(only.text.clone())),
        false => Output::Unknown,
    }
}

/// Whether an option of `ls` shows more than names.
fn says_more(option: &Arg) -> bool {
    option.text.starts_with("--") || option.text.contains(['l', 'g', 's'])
}

/// Whether `ls` shows a word itself, not what is in it.
fn is_named(world: &mut World<'_>, options: &[&Arg], word: &Arg) -> bool {
    let target = world.target(word);
    options.iter().any(|arg| arg.text.contains('d'))
        || matches!(world.path(&target.path), Fact::Known(fact) if fact.kind == PathKind::File)
}

/// `ls -d dist target`: those of them that are there.
fn several(world: &mut World<'_>, options: &[&Arg], words: &[&Arg]) -> Output {
    let is_plain = |word: &&Arg| word.is_known() && !(word.glob && glob::is_glob(&word.text));
    let is_known = !words.is_empty()
        && words.iter().all(is_plain)
        && !options.iter().any(|option| says_more(option))
        && words.iter().all(|word| is_named(world, options, word));
    let names: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    match is_known {
        true => line(Arg::derived(names.join("\n"))),
        false => Output::Unknown,
    }
}
