//! Paths in the spelling of Windows.

use crate::{Arg, Target, World};
use text::glob;

/// What makes a path of the words in its brackets, and the word for it.
pub(super) const PATH_METHODS: &[(&str, &str)] = &[
    ("[io.path]::combine(", "join-path"),
    ("[io.path]::getdirectoryname(", "split-path"),
    ("[io.path]::join(", "join-path"),
    ("[system.io.path]::combine(", "join-path"),
    ("[system.io.path]::getdirectoryname(", "split-path"),
    ("[system.io.path]::join(", "join-path"),
];

/// The target of a path in the spelling of Windows; of a glob, its directory.
pub(super) fn path(world: &mut World<'_>, word: &Arg) -> Target {
    let mut word = expanded(world, word);
    // `\\?\C:\x`, and `\"C:\x\"`, where a backslash is left of a quote that two shells read.
    let bare = word.text.trim_start_matches(['\\', '"', '?', '.']);
    if bare.len() < word.text.len() && text::path::drive(bare).is_some() {
        word.text = bare.to_owned();
    } else if word.text.starts_with("\\\\") && bare.contains('\\') {
        // What another machine shares.
        return world.target(&Arg::unknown());
    }
    if text::path::drive(&word.text).is_some() {
        return world.target(&word);
    }
    let text = glob::unescape(&word.text.replace('\\', "/"));
    let is_null = matches!(text.to_lowercase().as_str(), "nul" | "$null");
    let text = match text.rsplit_once('/') {
        _ if is_null => "/dev/null".to_owned(),
        Some((dir, last)) if last.contains('*') => {
            format!("{}/", dir.strip_suffix("/**").unwrap_or(dir))
        }
        None if text.contains('*') => ".".to_owned(),
        _ => text,
    };
    world.target(&Arg {
        text,
        glob: false,
        ..word.clone()
    })
}

/// The last name of a path as Windows has it.
pub(super) fn last_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Whether a name is a pattern for all that is in a directory; `*.*` means what has no dot, too.
pub(super) fn is_all(name: &str) -> bool {
    matches!(name, "*" | "*.*")
}

/// `%USERPROFILE%\x`, and `%f`, of which only the loop knows what it stands for.
fn expanded(world: &World<'_>, word: &Arg) -> Arg {
    let Some((before, rest)) = word.text.split_once('%') else {
        return word.clone();
    };
    let Some((name, rest)) = rest.split_once('%').filter(|(name, _)| !name.is_empty()) else {
        let is_variable = before.is_empty() && rest.len() <= 2;
        return if is_variable {
            Arg::unknown()
        } else {
            word.clone()
        };
    };
    let value = match name.to_uppercase().as_str() {
        "USERPROFILE" | "HOMEPATH" => Some(world.place.home.clone()),
        "TEMP" | "TMP" => world.place.temp.first().cloned(),
        "CD" => world.cwd().map(str::to_owned),
        other => world.place.var(other).map(str::to_owned),
    };
    let value = value.map_or_else(Arg::unknown, Arg::derived);
    Arg::literal(before)
        .followed_by(&value)
        .followed_by(&Arg::literal(rest))
}

/// `Join-Path A B`, `Split-Path -Parent A`: a path made of others.
pub(super) fn made_path(word: &str, rest: &[Arg]) -> Option<Arg> {
    let is_named = |arg: &&Arg| !arg.text.starts_with('-');
    let named: Vec<&Arg> = rest.iter().filter(is_named).collect();
    let says_leaf = |arg: &Arg| arg.text.eq_ignore_ascii_case("-leaf");
    match (&*word.to_lowercase(), named.as_slice()) {
        ("join-path", [parts @ .., last]) => {
            let mut whole = Arg::default();
            for part in parts {
                whole = whole.followed_by(part).followed_by(&Arg::literal("/"));
            }
            Some(whole.followed_by(last))
        }
        ("split-path", [path]) if path.is_known() && !rest.iter().any(says_leaf) => {
            let text = path.text.replace('\\', "/");
            Some(Arg::derived(text::path::parent(&text)))
        }
        _ => None,
    }
}
