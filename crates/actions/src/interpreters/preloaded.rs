//! What an interpreter reads before its program: files that options and variables name, and files
//! that have the one name it looks for. Must not know what any of it does.

use super::language::{Kind, Language};
use crate::options::Options;
use crate::{Arg, Invocation, World};

/// Variables that hold more options.
const OPTIONS: &[(Kind, &str)] = &[(Kind::Node, "NODE_OPTIONS"), (Kind::Ruby, "RUBYOPT")];

/// Modules that python loads by itself from wherever it looks for modules.
const BY_NAME: &[&str] = &["sitecustomize.py", "usercustomize.py"];

/// How a text stands in the place of a module.
const TEXT: &str = "data:text/javascript,";

/// What is loaded.
pub(super) enum Loaded {
    /// A text in the place of a file.
    Text(Arg),
    File(Arg),
}

/// What is loaded before the program that these options are about.
pub(super) fn loaded(
    world: &mut World<'_>,
    invocation: &Invocation,
    language: &Language,
    own: &Options,
) -> Vec<Loaded> {
    let mut files = named(language, own);
    let more = OPTIONS.iter().find(|(kind, _)| *kind == language.kind);
    if let Some(more) = more.and_then(|(_, name)| invocation.var(name)) {
        let words = more.text.split_whitespace();
        let words: Vec<Arg> = words.map(Arg::derived).collect();
        files.extend(named(language, &Options::read(&words, &language.spec)));
    }
    if language.kind == Kind::Python {
        files.extend(by_name(world, invocation));
        let startup = invocation.var("PYTHONSTARTUP").filter(|_| own.has("i"));
        files.extend(startup.cloned());
    }
    let loaded = files
        .into_iter()
        .map(|file| match file.text.strip_prefix(TEXT) {
            Some(text) => Loaded::Text(Arg::derived(text)),
            None => Loaded::File(file),
        });
    loaded.collect()
}

/// The files that options name; a library that has a name alone is none.
fn named(language: &Language, options: &Options) -> Vec<Arg> {
    let is_place = |arg: &Arg| arg.text.starts_with(['.', '/']) || arg.text.starts_with(TEXT);
    let names: &[&str] = match language.kind {
        Kind::Node => &["require", "import"],
        Kind::Ruby => &["r"],
        Kind::Other => &["load"],
        _ => &[],
    };
    let mut files: Vec<Arg> = names
        .iter()
        .flat_map(|name| options.values(name))
        .filter(|arg| is_place(arg))
        .cloned()
        .collect();
    if language.kind == Kind::Php {
        let settings = options.values("d");
        let first = settings.filter_map(|arg| arg.text.strip_prefix("auto_prepend_file="));
        files.extend(first.map(Arg::derived));
    }
    for file in &mut files {
        let end = match language.kind {
            Kind::Ruby if !file.text.ends_with(".rb") => ".rb",
            _ => "",
        };
        file.text.push_str(end);
    }
    files
}

/// Modules with such a name that this call wrote where python looks.
fn by_name(world: &mut World<'_>, invocation: &Invocation) -> Vec<Arg> {
    let Some(places) = invocation.var("PYTHONPATH").cloned() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for place in places.text.split(':') {
        for name in BY_NAME {
            let file = Arg::derived(format!(
                "{}/{name}",
                if place.is_empty() { "." } else { place }
            ));
            let path = world.target(&file).path;
            if world.is_written(&path) {
                found.push(file);
            }
        }
    }
    found
}
