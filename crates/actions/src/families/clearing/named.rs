//! Tools that empty the directory which they are told to write to: whatever lies there goes before
//! the first file comes. Must not look at what they make.

use crate::effects::{self, Delete, Lost};
use crate::{Arg, Invocation, World};
use model::PathKind;

/// A tool that empties the directory that it is given.
struct Emptying {
    /// The programs, parted by spaces.
    programs: &'static str,
    /// The first words after the program, any of these; empty = whatever they are.
    words: &'static [&'static str],
    /// The options that name the directory.
    options: &'static [&'static str],
    /// The option without which it leaves what is there; empty = none.
    needs: &'static str,
    /// Words with which it leaves what is there.
    unless: &'static [&'static str],
}

const fn empties(
    programs: &'static str,
    words: &'static [&'static str],
    options: &'static [&'static str],
) -> Emptying {
    Emptying {
        programs,
        words,
        options,
        needs: "",
        unless: &[],
    }
}

const OUT_DIR: &[&str] = &["--outDir", "--out-dir"];

const EMPTYINGS: &[Emptying] = &[
    empties("astro docusaurus vitepress", &["build"], OUT_DIR),
    empties("expo", &["export"], &["--output-dir"]),
    empties(
        "jekyll",
        &["b", "build", "s", "serve"],
        &["--destination", "-d"],
    ),
    Emptying {
        unless: &["--dirty", "--no-clean"],
        ..empties("mkdocs", &["build"], &["--site-dir", "-d"])
    },
    Emptying {
        unless: &["--delete-output-path=false", "--no-delete-output-path"],
        ..empties("ng", &["b", "build"], &["--output-path"])
    },
    Emptying {
        needs: "--cleanDestinationDir",
        ..empties("hugo", &[], &["--destination", "-d"])
    },
    empties("playwright", &["test"], &["--output"]),
    empties("pytest py.test", &[], &["--basetemp"]),
    empties("build-storybook", &[], &["--output-dir", "-o"]),
    empties("sb storybook", &["build"], &["--output-dir", "-o"]),
    Emptying {
        needs: "--clean",
        ..empties("tsup", &[], &["--out-dir", "-d"])
    },
    Emptying {
        unless: &["--cleanOutputDir=false", "false"],
        ..empties("typedoc", &[], &["--out"])
    },
    Emptying {
        unless: &[
            "--emptyOutDir=false",
            "--no-emptyOutDir",
            "--watch",
            "-w",
            "false",
        ],
        ..empties("vite", &["build"], OUT_DIR)
    },
    Emptying {
        unless: &["--no-clean"],
        ..empties("vue-cli-service", &["build"], &["--dest"])
    },
    empties("vuepress", &["build"], &["--dest", "-d"]),
];

/// Says what is in the directory that a tool empties.
pub(super) fn read(world: &mut World<'_>, invocation: &Invocation) {
    let args = &invocation.args;
    // Most commands have no such option, and none of the programs below is asked for.
    if !args.iter().any(|arg| arg.text.starts_with('-')) {
        return;
    }
    let is_named = |row: &&Emptying| {
        let mut programs = row.programs.split(' ');
        programs.any(|name| name == invocation.program)
    };
    let Some(row) = EMPTYINGS.iter().find(is_named) else {
        return;
    };
    let has = |word: &str| args.iter().any(|arg| arg.text == word);
    let is_word = |arg: &&Arg| !arg.text.starts_with('-');
    let first = args.iter().find(is_word).map_or("", |arg| &arg.text);
    let fits = row.words.is_empty() || row.words.contains(&first);
    let is_told = row.needs.is_empty() || has(row.needs);
    if !fits || !is_told || row.unless.iter().any(|word| has(word)) {
        return;
    }
    let Some(dir) = value_of(args, row.options) else {
        return;
    };
    let target = world.target(&dir);
    let kind = world.path(&target.path).known().map(|fact| fact.kind);
    if target.is_known() && kind == Some(PathKind::Dir) {
        effects::delete(world, invocation, Delete::new(&target, Lost::Trees));
    }
}

/// The value of one of these options, behind it or attached with `=`.
fn value_of(args: &[Arg], options: &[&str]) -> Option<Arg> {
    let mut before = "";
    for arg in args {
        let option = std::mem::replace(&mut before, arg.text.as_str());
        if options.contains(&option) {
            return Some(arg.clone());
        }
        if let Some((name, value)) = arg.text.split_once('=')
            && options.contains(&name)
        {
            let text = value.to_owned();
            return Some(Arg {
                text,
                ..arg.clone()
            });
        }
    }
    None
}
