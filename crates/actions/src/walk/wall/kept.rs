//! What git does to what the gate keeps: copies of the work that others judge, in repositories of
//! its own, and the refs that hold in the user's what was judged or can be brought back.

use crate::families::git;
use crate::world::own;
use crate::{Arg, Input, Invocation, World};

/// Where refs of the gate's begin.
const REFS: &str = "refs/tollgate/";

/// Options before the subcommand that say where git is at work.
const PLACES: &[&str] = &["C", "git-dir", "work-tree"];

/// Subcommands that only look.
const LOOKING: &[&str] = &[
    "blame",
    "cat-file",
    "describe",
    "diff",
    "for-each-ref",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "name-rev",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "version",
];

/// The path or ref of the gate's that a command of git changes.
pub(super) fn changed_by_git(world: &mut World<'_>, invocation: &Invocation) -> Option<String> {
    if invocation.program != "git" {
        return None;
    }
    let options = git::options(invocation);
    let (subcommand, args) = options.operands.split_first()?;
    let subcommand = subcommand.text.as_str();
    if LOOKING.contains(&subcommand) {
        return None;
    }
    let fed = match &invocation.input {
        Input::Text(text) if args.iter().any(|arg| arg.text == "--stdin") => text.text.as_str(),
        _ => "",
    };
    let by_line = || ref_in_lines(fed).filter(|_| subcommand == "update-ref");
    changed_ref(subcommand, args).or_else(by_line).or_else(|| {
        let is_ours = |path: &str| own::is_in_root(world.place, path);
        let here = world.cwd().filter(|cwd| is_ours(cwd));
        if let Some(here) = here {
            return Some(here.to_owned());
        }
        let mut places = PLACES.iter().flat_map(|name| options.values(name));
        places.find_map(|place| {
            let place = world.target(place);
            (place.is_known() && own::is_in_root(world.place, &place.path)).then_some(place.path)
        })
    })
}

/// The ref of the gate's in the lines of `update-ref --stdin`.
fn ref_in_lines(text: &str) -> Option<String> {
    let changes = [
        "create",
        "delete",
        "update",
        "symref-delete",
        "symref-update",
    ];
    let mut lines = text.split(['\n', '\0']);
    let changed = lines.find_map(|line| {
        let (change, rest) = line.trim_start().split_once(' ')?;
        let name = rest.split_whitespace().next()?;
        (changes.contains(&change) && name.starts_with(REFS)).then_some(name)
    });
    changed.map(str::to_owned)
}

/// The ref of the gate's that is given another commit, or goes. What only reads one may.
fn changed_ref(subcommand: &str, args: &[Arg]) -> Option<String> {
    let words = || args.iter().map(|arg| arg.text.as_str());
    let is_ours = |name: &&str| name.starts_with(REFS);
    // `from:to`
    let goal = || {
        words()
            .filter_map(|word| Some(word.rsplit_once(':')?.1))
            .find(is_ours)
    };
    let changed = match subcommand {
        "update-ref" | "symbolic-ref" => words().find(|word| word.starts_with("refs/")),
        "fetch" => goal(),
        "push" if words().any(|word| word == ".") => goal(),
        _ => None,
    };
    changed.filter(is_ours).map(str::to_owned)
}
