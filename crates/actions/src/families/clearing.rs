//! Commands that empty a directory of output, to fill it anew or to be rid of it. What they made is
//! nobody's loss; work that was moved there goes with it. Only that is said here, so that nothing
//! is looked up where nothing was moved; directories that the command itself names are in `named`.

mod named;

use crate::effects::{self, Delete, Lost};
use crate::{Invocation, World};
use model::Certainty;

/// One way to empty directories.
struct Clearing {
    /// The programs that have it, parted by spaces.
    programs: &'static str,
    /// The first words after the program, any of these; empty = whatever they are.
    words: &'static [&'static str],
    /// The names of the directories.
    dirs: &'static [&'static str],
}

const fn clears(
    programs: &'static str,
    words: &'static [&'static str],
    dirs: &'static [&'static str],
) -> Clearing {
    Clearing {
        programs,
        words,
        dirs,
    }
}

const MODULES: &[&str] = &["node_modules"];
const TARGET: &[&str] = &["target"];

const CLEARINGS: &[Clearing] = &[
    clears(
        "npm",
        &[
            "ci",
            "clean-install",
            "i",
            "ic",
            "install",
            "install-clean",
            "prune",
        ],
        MODULES,
    ),
    clears("pnpm yarn", &["add", "ci", "install", "prune"], MODULES),
    clears(
        "astro next nuxt vite ng nx parcel",
        &["build"],
        &["dist", ".next", ".output"],
    ),
    clears("gatsby hexo hugo", &[], &["public", ".cache"]),
    clears(
        "jekyll mkdocs",
        &["build", "clean", "gh-deploy", "serve"],
        &["_site", "site"],
    ),
    clears("gradle gradlew", &["clean"], &["build"]),
    clears("lein mvn mvnw sbt", &["clean"], TARGET),
    clears("mix", &["clean"], &["_build"]),
    clears("mix", &["deps.clean"], &["deps"]),
    clears("flutter", &["clean"], &["build", ".dart_tool"]),
    clears("swift", &["package"], &[".build"]),
    clears("xcodebuild", &["clean"], &["build", "DerivedData"]),
    clears("dotnet", &["clean"], &["bin", "obj"]),
    clears("dune", &["clean"], &["_build"]),
    clears("rebar3", &["clean"], &["_build"]),
    clears("cabal", &["clean"], &["dist-newstyle"]),
    clears("stack", &["clean", "purge"], &[".stack-work"]),
    clears("uv", &["sync", "venv"], &[".venv"]),
    clears("ruff", &["clean"], &[".ruff_cache"]),
    clears("composer", &["install", "update"], &["vendor"]),
    clears("cargo", &["vendor"], &["vendor"]),
];

/// Puts on the list what a command clears away of what was moved there.
pub(crate) fn read(world: &mut World<'_>, invocation: &Invocation) {
    named::read(world, invocation);
    let moved = world.moved_below_here();
    if moved.is_empty() {
        return;
    }
    let first = invocation
        .args
        .iter()
        .find(|arg| !arg.text.starts_with('-'));
    let first = first.map_or("", |arg| arg.text.as_str());
    let fits = |row: &&Clearing| {
        row.programs
            .split(' ')
            .any(|name| name == invocation.program)
            && (row.words.is_empty() || row.words.contains(&first))
    };
    let rows: Vec<&Clearing> = CLEARINGS.iter().filter(fits).collect();
    // The names above the present directory say nothing of what is output.
    let here = world.cwd().unwrap_or_default();
    let is_cleared = |place: &&String| {
        let mut names = place.strip_prefix(here).unwrap_or(place).split('/');
        names.any(|name| rows.iter().any(|row| row.dirs.contains(&name)))
    };
    let cleared: Vec<&String> = moved.iter().filter(is_cleared).collect();
    for place in cleared {
        let target = world.target_of(place, Certainty::Derived);
        effects::delete(world, invocation, Delete::new(&target, Lost::Trees));
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::Fixture;

    #[test]
    fn what_was_moved_into_output_goes_with_it() {
        let world = Fixture::new()
            .repo(".")
            .untracked("drafts/one.md")
            .untracked("notes.md")
            .untracked("site/plan.md")
            .untracked("site/docs/index.md")
            .generated("node_modules/x/i.js")
            .generated("target/debug/a");
        let loses = |command: &str| {
            let actions = world.actions(command);
            actions.iter().any(|action| action.contains("loses"))
        };
        for command in [
            "mv drafts node_modules/ && npm ci",
            "mv notes.md target/ && mvn -q clean package",
            "mkdir -p app/build && mv notes.md app/build/ && ./gradlew clean",
            "mkdir _build; mv notes.md _build; mix clean",
        ] {
            assert!(loses(command), "{command}: {:?}", world.actions(command));
        }
        for command in [
            "npm ci",
            "mvn clean",
            "mv drafts old && npm ci",
            "mv notes.md target/ && mvn package",
            "mv notes.md target/ && npm ci",
            // The names above are others' output, if any.
            "cd site && mv plan.md docs/ && mkdocs build",
        ] {
            assert!(!loses(command), "{command}: {:?}", world.actions(command));
        }
    }
}
