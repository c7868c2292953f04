//! Where package managers say that they keep what they can fetch again: `npm config get cache`.

use super::line;
use crate::machine::Output;
use crate::{Arg, Invocation, World};

/// A question for a place, the variable that names another, and the usual one: below the home, or
/// below the present directory.
struct Place {
    asked: &'static [&'static str],
    variable: &'static str,
    usual: &'static str,
}

const PLACES: &[Place] = &[
    place(
        &["npm", "config", "get", "cache"],
        "npm_config_cache",
        "~/.npm",
    ),
    place(&["npm", "root"], "", "node_modules"),
    place(&["pip", "cache", "dir"], "PIP_CACHE_DIR", "~/.cache/pip"),
    place(&["pip3", "cache", "dir"], "PIP_CACHE_DIR", "~/.cache/pip"),
    place(
        &["poetry", "config", "cache-dir"],
        "POETRY_CACHE_DIR",
        "~/.cache/pypoetry",
    ),
    place(&["uv", "cache", "dir"], "UV_CACHE_DIR", "~/.cache/uv"),
    place(
        &["yarn", "cache", "dir"],
        "YARN_CACHE_FOLDER",
        "~/.cache/yarn",
    ),
];

const fn place(
    asked: &'static [&'static str],
    variable: &'static str,
    usual: &'static str,
) -> Place {
    Place {
        asked,
        variable,
        usual,
    }
}

/// What a package manager prints that is asked for its cache.
pub(crate) fn of(world: &mut World<'_>, invocation: &Invocation) -> Output {
    let words = invocation.args.iter().map(|arg| arg.text.as_str());
    let asked: Vec<&str> = std::iter::once(&*invocation.program).chain(words).collect();
    let Some(place) = PLACES.iter().find(|place| place.asked == asked) else {
        return Output::Unknown;
    };
    let set = world.place.var(place.variable);
    match (
        set.filter(|dir| !dir.is_empty()),
        place.usual.strip_prefix("~/"),
    ) {
        (Some(dir), _) => line(Arg::derived(dir)),
        (None, None) => match world.cwd() {
            Some(cwd) => line(Arg::derived(format!("{cwd}/{}", place.usual))),
            None => Output::Unknown,
        },
        (None, Some(_)) if world.place.home.is_empty() => Output::Unknown,
        (None, Some(below)) => line(Arg::derived(format!("{}/{below}", world.place.home))),
    }
}
